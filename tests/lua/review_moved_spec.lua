-- Rows that are moved while an answer waits in its review, and what is taken over there and undone: what the merge
-- begins with has each row as often as it stood there, so that none is gone and none comes twice.

local child = require("support.child")
local suite = require("support.suite")
local test, equal = suite.test, suite.equal

--- The buffer after keys were typed in the review of an answer, one after the other, and it was accepted. A text is
--- rows of one word each.
---@param lines string
---@param range table
---@param answer string
---@param keys string[] from the answer's side
---@param expected string
---@param told boolean? whether it is told that what was changed in the buffer was replaced
local function accept(lines, range, answer, keys, expected, told)
  local nvim = child.with_host(vim.split(lines, " "))
  nvim:run(range, { review = true })
  nvim:answer(1, vim.split(answer, " "))
  nvim:type(":Botglue review<CR>zn<C-w>hzn<C-w>l")
  nvim:play(keys)
  nvim:type("a")
  nvim:settle()
  local is_told = nvim:messages():find("is replaced", 1, true) ~= nil
  equal({ table.concat(nvim:lines(), " "), is_told }, { expected, told or false }, vim.inspect(keys))
end

local function rows(first, last)
  return child.line(first, last)
end

local FOUR, SIX = "a b c d", "a b c d e f"
local AROUND = "top a b c d e f end"

test("rows of the range that are moved in the buffer stand there once", function()
  for _, keys in ipairs({ "4Gddp", "5GddkP", ":4move5<CR>" }) do
    accept(SIX, rows(1, 6), "a N c d e f", { "<C-w>h" .. keys, "<C-w>l" }, "a N c e d f")
  end
  accept(SIX, rows(1, 6), "N b c d e f", { "<C-w>h:3,4move5<CR>", "<C-w>l" }, "N b e c d f")
  accept(AROUND, rows(2, 7), "a b c d e F", { "<C-w>h2Gddp", "<C-w>l" }, "top b a c d e F end")
  accept(AROUND, rows(2, 7), "a b c d e F", { "<C-w>h2GVjd", "jp", "<C-w>l" }, "top c d a b e F end")
  accept(AROUND, rows(2, 5), "a b X c d", { "<C-w>h2Gddp", "<C-w>l", "4Gdd" }, "top b a c d e f end")
end)

test(
  "a row that is moved out of the range past one that reads as its rows do takes that not along",
  function()
    for _, keys in ipairs({ "5Gddp", ":5move6<CR>" }) do
      accept(
        "top a } } c } end",
        rows(2, 5),
        "N a } } c",
        { "<C-w>h" .. keys, "<C-w>l" },
        "top N a } } } c end"
      )
    end
  end
)

test("rows of a part of the text that are moved in the buffer stand there once", function()
  local range = { kind = "char", first = { 1, 1 }, last = { 5, 1 } }
  accept("f(a b c d e) end", range, "(a b c d E)", { "<C-w>h2Gddp", "<C-w>l" }, "f(a c b d E) end")
end)

test("a row that is moved to where the answer adds one makes a conflict", function()
  accept(AROUND, rows(2, 7), "a b X c d e f", { "<C-w>h2Gddp", "<C-w>l" }, "top a b X c d e f end", true)
end)

test("rows that were taken from the answer and moved in the buffer stand there once", function()
  accept(SIX, rows(1, 6), "a M b c d e N", { "2Gdp", "<C-w>h2Gddp", "<C-w>l" }, "a b M c d e N")
  accept(SIX, rows(1, 6), "a M b c d e N", { "2Gdp", "<C-w>h2GddkP", "<C-w>l" }, "M a b c d e N")
  local insertion = { kind = "insert", first = { 1 } }
  local keys = { "/x1<CR>dp", "<C-w>h2Gddp", "<C-w>l/x5<CR>A!<Esc>" }
  accept("a b", insertion, "x1 x2 x3 x4 x5 x6", keys, "a x2 x1 x3 x4 x5! x6 b")
  keys = { "/x1<CR>:.,+1diffput<CR>", "<C-w>hgg/x1<CR>ddp", "<C-w>l" }
  accept("a b", insertion, "x1 x2 x3 x4", keys, "a x1 x2 x3 x4 b", true)
end)

test("own rows that were put into the answer and moved, on either side, stand there once", function()
  local own = { "<C-w>h3Goown<CR>own2<Esc>", "4Gdp", "4Gddp", "<C-w>l" }
  accept(FOUR, rows(1, 4), "a b N c d", own, "a b N c own2 own d")
  own = { "<C-w>h3Goown<CR>own2<CR>own3<Esc>", "4Gdp", "6GddkP", "<C-w>l" }
  accept(FOUR, rows(1, 4), "a b N c d", own, "a b N c own own3 own2 d")
  accept(SIX, rows(1, 6), "a b c d e N", { "<C-w>h1Goown<Esc>", "2Gdp", "<C-w>l2Gddp" }, "a b own c d e N")
  accept(
    SIX,
    rows(1, 6),
    "a b c d e N",
    { "<C-w>h1Goown<Esc>", "2Gdp", "<C-w>l:2move4<CR>" },
    "a b c own d e N"
  )
end)

test("what was taken over and undone, on either side in any order, was never taken", function()
  accept(FOUR, rows(1, 4), "A b c N", { "1GAx<Esc>", "4Gdp", "<C-w>hu", "<C-w>lu" }, "A b c N")
  accept(FOUR, rows(1, 4), "A b c N", { "1GAx<Esc>", "4Gdp", "u", "<C-w>hu", "<C-w>l" }, "A b c N")
  accept(FOUR, rows(1, 4), "a b c N", { "1GAx<Esc>", ":%diffput<CR>", "<C-w>hu", "<C-w>lu" }, "a b c N")
  accept(FOUR, rows(1, 4), "b N M d", { "2GAx<Esc>", ":1,3diffput<CR>", "<C-w>hu", "<C-w>lu" }, "b N M d")
  accept(FOUR, rows(1, 4), "a b c N", { "<C-w>h1Goown<Esc>", "2Gdp", "5Gdo", "u", "<C-w>lu" }, "a own b c N")
  local keys = { "<C-w>h1Goown<Esc>", "2Gdp", "4GAx<Esc>", "4Gdp" }
  vim.list_extend(keys, { "<C-w>lu", "<C-w>hu", "<C-w>lu", "<C-w>h<C-r>", "<C-w>l" })
  accept(SIX, rows(1, 6), "a b c d e N", keys, "a own b cx d e N")
end)

test("a hunk is taken where it stands also in the moment in which another answer landed", function()
  local nvim = child.with_host(vim.split("a b c d e f", " "))
  nvim:run(rows(1, 3), { review = true })
  nvim:answer(1, vim.split("N0 a B c N1", " "))
  nvim:run(rows(4, 6))
  nvim:type(":Botglue review 1<CR>zn<C-w>hzn<C-w>l5G")
  nvim:lua([[
    vim.api.nvim_buf_attach(1, false, { on_lines = function()
      vim.api.nvim_input("dp")
      return true
    end })
  ]])
  nvim:answer(2, vim.split("M0 d E f M1", " "))
  nvim:settle()
  local buffer = table.concat(nvim:api("buf_get_lines", 1, 0, -1, true), " ")
  equal(buffer, "a b c N1 M0 d E f M1")
  nvim:type("a")
  nvim:settle()
  equal(table.concat(nvim:lines(), " "), "N0 a B c N1 M0 d E f M1")
end)
