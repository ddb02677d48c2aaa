-- What is typed in the buffer over a hunk that was taken by hand in a review, key by key.

local child = require("support.child")
local suite = require("support.suite")
local test, equal = suite.test, suite.equal
local line = child.line

local ROWS = { "set -e", "cd build", "make", "", "make install", "exit" }
local HUNKS = { "cd build || exit 1", "make -j4", "", "make DESTDIR=x install" }

--- Plays keys in the review of a held answer, and looks at both sides after each. (Without folds: where both sides read
--- the same all would be one.)
---@param rows string[]
---@param range table
---@param answer string[]
---@param steps string[]
---@return Child
local function play(rows, range, answer, steps)
  local nvim = child.with_host(rows)
  nvim:run(range, { review = true })
  nvim:answer(1, answer)
  nvim:type(":Botglue review<CR>zn<C-w>hzn<C-w>l")
  nvim:play(steps)
  return nvim
end

test("what is typed over a hunk that was taken stays, though it reads as it was sent for a moment", function()
  local abc, answer = { "a", "b", "c", "d" }, { "B", "Ok(c)" }
  for _, each in ipairs({
    {
      abc,
      line(2, 3),
      answer,
      { "3Gdp", "<C-w>h3Gcc", "c", ".clone()<Esc>" },
      { "a", "B", "c.clone()", "d" },
    },
    {
      abc,
      line(2, 3),
      answer,
      { "3Gdp", "<C-w>h3GO", "c", ".x()<Esc>" },
      { "a", "B", "c.x()", "Ok(c)", "d" },
    },
    {
      abc,
      line(3, 3),
      { "Ok(c)" },
      { "3Gdp", "<C-w>h3Gcc", "c", ".clone()<Esc>" },
      { "a", "b", "c.clone()", "d" },
    },
    {
      ROWS,
      line(2, 5),
      HUNKS,
      { "<C-w>h2Gdo", "3Go", "make", " test<Esc>" },
      { "set -e", "cd build || exit 1", "make -j4", "make test", "", "make DESTDIR=x install", "exit" },
    },
    {
      { "val = alpha;", "end" },
      { kind = "char", first = { 1, 6 }, last = { 1, 10 } },
      { "beta" },
      { "dp", "<C-w>h7|cw", "alpha", "bet<Esc>" },
      { "val = alphabet;", "end" },
    },
  }) do
    for _, way in ipairs({ "<C-w>la", "<C-w>lq:Botglue review 1<CR>a" }) do
      local nvim = play(each[1], each[2], each[3], each[4])
      nvim:type(way)
      nvim:settle()
      equal(nvim:lines(), each[5], vim.inspect(each[4]) .. way)
    end
  end
end)

test("what is typed over a part that is reviewed is all in its place", function()
  local part = { kind = "char", first = { 1, 6 }, last = { 1, 10 } }
  for _, keys in ipairs({ "7|cw", "7|dei", "7|ce" }) do
    local nvim = play(
      { "val = alpha;", "end" },
      part,
      { "beta" },
      { "<C-w>h" .. keys, "g", "am", "ma<Esc>", "<C-w>l" }
    )
    equal(nvim:lua("return vim.api.nvim_buf_get_lines(0, 0, -1, true)"), { "val = beta;", "end" }, keys)
  end
end)

test("a row that is opened in hunks that were taken is not the blank one that was sent", function()
  local rows = { "aa", "", "bb", "cc", "", "dd", "ee" }
  for _, each in ipairs({
    { line(3, 6), { "BB", "CC", "", "dd" }, "4Go", { "aa", "", "BB", "CC", "mine", "", "dd", "ee" } },
    { line(3, 5), { "BB", "CC", "", "" }, "4Go", { "aa", "", "BB", "CC", "mine", "", "", "dd", "ee" } },
    { line(2, 5), { "", "BB", "CC", "", "" }, "6Gi", { "aa", "", "BB", "CC", "", "mine", "dd", "ee" } },
  }) do
    local nvim =
      play(rows, each[1], each[2], { ":%diffput<CR>", "<C-w>h" .. each[3], "mine", "<Esc>", "<C-w>la" })
    equal(nvim:lines(), each[4], vim.inspect(each[2]))
  end
end)

test("a row of an answer that was typed in the buffer for a moment still comes with it", function()
  local steps = { "<C-w>h2Go", "}", "<BS>mine<Esc>", "<C-w>l" }
  local nvim = play({ "a", "b", "c" }, line(1, 3), { "A", "b", "}", "c" }, steps)
  nvim:type("a")
  nvim:settle()
  equal(vim.list_contains(nvim:lines(), "}"), true, vim.inspect(nvim:lines()))
end)

test("what is typed in the buffer stays where its rows were taken over into the answer before", function()
  local rows = { "aa", "bb", "cc", "dd", "ee", "ff" }
  local answer = { "bb", "cc", "DD", "ee" }
  local own, RIGHT, LEFT = "<C-w>h4GA own<Esc>", "<C-w>l", "<C-w>h"
  for _, each in ipairs({
    { { own, RIGHT .. "4Gdo", LEFT .. "4GA more<Esc>" }, { "aa", "bb", "cc", "dd own more", "ee", "ff" } },
    { { own .. "4Gdp", "4GA more<Esc>" }, { "aa", "bb", "cc", "dd own more", "ee", "ff" } },
    { { own, "4Gdp", "4Gomore<Esc>" }, { "aa", "bb", "cc", "dd own", "more", "ee", "ff" } },
    { { own, "4Gdp", "4Gdd" }, { "aa", "bb", "cc", "ee", "ff" } },
    { { LEFT .. "5Gomine<Esc>", "6Gdp", "6Gdd" }, { "aa", "bb", "cc", "DD", "ee", "ff" } },
    { { LEFT .. "5Gomine<Esc>", "6Gdp", "6Gccother<Esc>" }, { "aa", "bb", "cc", "DD", "ee", "other", "ff" } },
    {
      { own, RIGHT .. "4Gccdd own<Esc>", LEFT .. "4GA more<Esc>" },
      { "aa", "bb", "cc", "dd own more", "ee", "ff" },
    },
    -- Taken over and undone, it is a conflict as it was.
    { { own, RIGHT .. "4Gdo", "u", LEFT .. "4GA more<Esc>" }, { "aa", "bb", "cc", "DD", "ee", "ff" }, true },
    {
      { own, RIGHT .. "4Gdo", LEFT .. "2GA far<Esc>", RIGHT .. "u" },
      { "aa", "bb", "cc", "DD", "ee", "ff" },
      true,
    },
    {
      { LEFT .. "2Gomine<Esc>", "3Gdp", "2GA far<Esc>", RIGHT .. "u" },
      { "aa", "bb far", "mine", "cc", "DD", "ee", "ff" },
    },
    { { LEFT .. "2Gomine<Esc>", "3Gdp", RIGHT .. "u" }, { "aa", "bb", "mine", "cc", "DD", "ee", "ff" } },
    { { LEFT .. "2Gomine<Esc>", RIGHT .. "3Gdo", "u" }, { "aa", "bb", "mine", "cc", "DD", "ee", "ff" } },
    {
      { LEFT .. "2Gomine<Esc>", "3Gdp", RIGHT .. "q:Botglue review<CR>", "u" },
      { "aa", "bb", "mine", "cc", "DD", "ee", "ff" },
    },
    -- For a moment it reads as it was sent.
    { { LEFT .. "2Gomine<Esc>", "3Gdp", "3Gdd" }, { "aa", "bb", "cc", "DD", "ee", "ff" } },
    {
      { LEFT .. "2Gomine<Esc>", "3Gdp", "3Gdd", "2Gobetter<Esc>" },
      { "aa", "bb", "better", "cc", "DD", "ee", "ff" },
    },
    {
      { own, RIGHT .. "4Gdo", LEFT .. "4G$daw", "4GA other<Esc>" },
      { "aa", "bb", "cc", "dd other", "ee", "ff" },
    },
    { { own, RIGHT .. "4Gdo", "u", "<C-r>", LEFT .. "A<Esc>" }, { "aa", "bb", "cc", "dd own", "ee", "ff" } },
    -- What was sent, taken over, is no change.
    { { RIGHT .. "4Gdo", LEFT .. "4GA more<Esc>" }, { "aa", "bb", "cc", "dd more", "ee", "ff" } },
  }) do
    for _, way in ipairs({ "<C-w>la", "<C-w>lq:Botglue accept 1<CR>" }) do
      local nvim = play(rows, line(2, 5), answer, each[1])
      nvim:type(way)
      nvim:settle()
      local what = vim.inspect(each[1]) .. way
      equal(nvim:lines(), each[2], what)
      local told = nvim:lua("return vim.fn.execute('messages')"):find("is replaced", 1, true) ~= nil
      equal(told, each[3] or false, what)
    end
  end
end)
