-- Rows that an answer adds, which a diff shows further down: what is below them begins as they do.

local child = require("support.child")
local review = require("support.review")
local suite = require("support.suite")
local test, equal = suite.test, suite.equal
local line, texts = child.line, review.texts

local LINES = review.CODE

--- These lines with others in place of some.
local function with(first, past, rows)
  local lines = vim.list_extend(vim.list_slice(LINES, 1, first), rows)
  return vim.list_extend(lines, LINES, past + 1)
end

test("some rows of those that are taken by hand do not come twice", function()
  local insertion = { kind = "insert", first = { 7 } }
  local added = { "", "fn z() {", "  one", "}" }
  local changed = vim.list_extend({ "fn a() {", "  ONE", "  two", "}" }, added)
  local undo, redo = "<C-w>hu<C-w>l", "<C-w>h<C-r><C-w>l"
  for _, each in ipairs({
    { insertion, added, with(7, 7, added) },
    { line(4, 7), changed, with(3, 7, changed) },
  }) do
    local range, answer, all = unpack(each)
    for _, taking in ipairs({ ":9diffput<CR>", ":10diffput<CR>", ":9,10diffput<CR>", ":11diffput<CR>" }) do
      for _, way in ipairs({
        { "a" },
        { "q:Botglue review<CR>", "a" },
        { "q:Botglue accept 1<CR>", "a" },
        { undo, "a" },
        { "<C-w>hu<C-r><C-w>l", "a" },
        { undo, redo, "a" },
        { "q:Botglue review<CR>", undo, "a" },
        { "q:Botglue review<CR>", undo, redo, "a" },
        { undo, taking, "a" },
        { undo, "q:Botglue accept 1<CR>" },
        { "11Gdp", "a" },
      }) do
        local told = vim.inspect({ range, taking, way })
        local nvim = child.with_host(LINES)
        nvim:run(range, { review = true })
        nvim:answer(1, answer)
        nvim:type(":Botglue review<CR>" .. taking)
        for _, keys in ipairs(way) do
          nvim:settle()
          equal(texts(nvim)[2], all, told)
          nvim:type(keys)
        end
        nvim:settle()
        equal({ nvim:lines(), nvim:job(1).landing ~= "held" }, { all, true }, told)
      end
    end
  end
end)

test("rows that are taken by hand with a blank one at their end do not leave one more", function()
  local lines = { "fn a() {", "  one", "}", "// B", "fn b() {", "}" }
  local answer = { "// A2", "", "fn z() {", "}" }
  local all = vim.list_extend(vim.list_slice(lines, 1, 3), answer)
  vim.list_extend(all, lines, 4)
  for _, taking in ipairs({ ":4,5diffput<CR>", ":5,6diffput<CR>" }) do
    for _, way in ipairs({ { "a" }, { "q:Botglue review<CR>", "a" }, { "<C-w>hu<C-w>l", "a" } }) do
      local nvim = child.with_host(lines)
      nvim:run({ kind = "insert", first = { 3 } }, { review = true })
      nvim:answer(1, answer)
      nvim:type(":Botglue review<CR>" .. taking)
      for _, keys in ipairs(way) do
        nvim:settle()
        equal(texts(nvim)[2], all, taking)
        nvim:type(keys)
      end
      nvim:settle()
      equal({ nvim:lines(), nvim:job(1).landing ~= "held" }, { all, true }, taking)
    end
  end
end)

test("a block that ends as the row above it does, taken next to a row that the answer changes", function()
  -- From normal mode, and in the middle of typing.
  for _, way in ipairs({ "/N<CR>dp", "<C-w>h3GA<C-o>:diffget<CR><Esc><C-w>l" }) do
    local nvim = child.with_host({ "a", "x", "}", "b" })
    -- Neovim 0.10 takes both changes with one key otherwise.
    nvim:lua("vim.opt.diffopt:append('linematch:40')")
    nvim:run({ kind = "line", first = { 1, 0 }, last = { 3, 0 } }, { review = true })
    nvim:answer(1, { "a", "x2", "}", "N", "}" })
    nvim:play({ ":Botglue review<CR>", way, "a" })
    equal(nvim:host("received", "merge")[1].base, { "a", "x", "}", "N", "}" }, way)
  end
end)

test(
  "rows that were typed where the answer has none are the user's, though it has the same elsewhere",
  function()
    local lines = { "local M = {}", "function M.q()", "return M" }
    local before = { "2Go  return nil<CR>end<Esc>", ":Botglue review<CR>", "a" }
    local put_back = { "2Go  return nil<CR>end<Esc>", ":Botglue review<CR>", "/M.q<CR>dd", "P", "a" }
    local within = { ":Botglue review<CR>", "<C-w>h2Go  return nil<CR>end<Esc><C-w>l", "a" }
    -- Also where it changes the row next to those.
    for _, row in ipairs({ "function M.q()", "function M.q(x)" }) do
      local answer = { "local M = {}", "function M.y()", "  return nil", "end", row, "return M" }
      for _, keys in ipairs({ before, within, put_back }) do
        local nvim = child.with_host(lines)
        nvim:lua("vim.o.autoindent = false")
        nvim:run({ kind = "line", first = { 1, 0 }, last = { 3, 0 } }, { review = true })
        nvim:answer(1, answer)
        nvim:play(keys)
        equal(nvim:host("received", "merge")[1].base, lines, row .. keys[1])
      end
    end
  end
)

test("rows that were taken by hand before Neovim was left are not put in once more", function()
  local function open(range, lines, answer, draft)
    local nvim = child.start()
    nvim:lua("require('support.host').install()")
    nvim:lua("_G.file = vim.fn.tempname(); vim.fn.writefile(..., file)", lines)
    local stored = review.stored(
      nvim:lua("return file"),
      vim.tbl_extend(
        "force",
        { base = range.rows, lines = answer, held_for = "review", draft = draft },
        range
      )
    )
    nvim:host("earlier", stored)
    nvim:type(":Botglue review<CR>")
    nvim:eventually("the review opens", "return vim.fn.tabpagenr('$') == 2")
    return nvim
  end
  local brace = { first_line = 7, rows = { "}" }, cols = { 0 }, beside = { above = "  two", below = "" } }
  local whole = {
    first_line = 4,
    rows = vim.list_slice(LINES, 4, 7),
    cols = { 0, 0, 0, 0 },
    beside = { above = "// A", below = "" },
  }
  local parts = {
    kind = "char",
    first_line = 4,
    rows = whole.rows,
    cols = { 3, 0, 0, 0 },
    base = { "a() {", "  one", "  two", "}" },
    beside = whole.beside,
  }
  local insertion = {
    kind = "insert",
    first_line = 7,
    rows = {},
    cols = {},
    anchor = "}",
    beside = { above = "}", below = "" },
  }
  local added = { "", "fn z() {", "}" }
  local function behind(rows)
    return vim.list_extend(vim.list_extend({}, rows), added)
  end
  local above = vim.list_extend({ "/// Does it." }, whole.rows)
  above[3] = "  ONE"
  for _, each in ipairs({
    { brace, behind({ "}" }), with(7, 7, added) },
    { brace, behind({ "}" }), with(8, 8, { "fn z() {" }) },
    { whole, behind({ "fn a() {", "  ONE", "  two", "}" }), with(7, 7, added) },
    { whole, behind({ "fn a() {", "  ONE", "  two", "}" }), with(8, 8, { "fn z() {" }) },
    { whole, above, with(3, 3, { "/// Does it." }) },
    { whole, above, with(3, 3, { "/// Does it.", "// own" }) },
    { whole, behind({ "fn a() {", "  ONE", "  two", "}" }), with(7, 7, { "", "// own", "fn z() {", "}" }) },
    { whole, behind({ "fn a() {", "  ONE", "  two", "}" }), with(7, 7, { "// own", "", "fn z() {", "}" }) },
    { insertion, added, with(7, 7, { "", "// own", "fn z() {", "}" }) },
    -- The last row of what was sent is another in the answer, or the first one.
    { whole, behind({ "fn a() {", "  ONE", "  two", "} // a" }), with(7, 7, added) },
    { whole, behind({ "fn a() {", "  ONE", "  two", "} // a" }), with(7, 7, { "fn z() {" }) },
    { whole, { "fn A() {", "  one", "  two", "} // a", "fn z();" }, with(7, 7, { "fn z();" }) },
    { whole, { "/// Does it.", "fn A() {", "  one", "  two", "}" }, with(3, 3, { "/// Does it." }) },
    {
      whole,
      behind({ "fn a() {", "  ONE", "  two", "}", "", "новая" }),
      with(7, 7, { "// own", "новая" }),
    },
    { insertion, added, with(7, 7, added) },
    { insertion, added, with(8, 8, { "fn z() {" }) },
    -- What was taken was changed on the answer's side since.
    {
      whole,
      { "fn a() {", "  ONE", "  two", "}", "fn z();" },
      with(7, 7, { "fn z();" }),
      { lines = { "fn a() {", "  ONE", "  two", "}", "fn z() mine;" } },
    },
    -- Of rows of which the answer takes only part.
    { parts, { "A() {", "  ONE", "  two", "fn y();" }, with(7, 7, { "fn y();" }) },
  }) do
    local range, answer, lines, draft = unpack(each)
    local told = vim.inspect({ answer, lines })
    for _, keys in ipairs({ "a", "q:Botglue accept 1<CR>" }) do
      local nvim = open(range, lines, answer, draft)
      equal(texts(nvim)[2], draft and draft.lines or answer, told)
      nvim:type(keys)
      nvim:settle()
      equal(nvim:job(1).landing, "held", told)
      equal(nvim:lua("return vim.fn.getbufline(vim.fn.bufnr(file), 1, '$')"), lines, told)
    end
  end
  for _, each in ipairs({
    { brace, behind({ "}" }), with(6, 7, behind({ "}" })) },
    { brace, { "  three", "", "fn b() {", "}" }, with(6, 7, { "  three", "", "fn b() {", "}" }) },
    { brace, { "}", "// B" }, with(6, 7, { "}", "// B" }) },
    { whole, above, with(3, 7, above) },
    { parts, { "A() {" }, with(3, 7, { "fn A() {" }) },
    { insertion, added, with(7, 7, added) },
  }) do
    equal(texts(open(each[1], LINES, each[2]))[2], each[3])
  end
end)

test("rows that were typed stay the user's where another hunk is taken", function()
  local lines = { "local M = {}", "function M.q()", "M.x = 1", "return M" }
  local answer = {
    "local M = {}",
    "function M.y()",
    "  return nil",
    "end",
    "function M.q()",
    "M.x = 1",
    "M.z = 2",
    "return M",
  }
  local nvim = child.with_host(lines)
  nvim:lua("vim.o.autoindent = false")
  nvim:run({ kind = "line", first = { 1, 0 }, last = { 4, 0 } }, { review = true })
  nvim:answer(1, answer)
  nvim:play({ "2Go  return nil<CR>end<Esc>", ":Botglue review<CR>", "/M.z<CR>dp", "a" })
  local base = nvim:host("received", "merge")[1].base
  equal(base, { "local M = {}", "function M.q()", "M.x = 1", "M.z = 2", "return M" })
end)

test(
  "a deletion that a diff shows at the row below the range, taken by hand, is that of the answer",
  function()
    for _, each in ipairs({
      { { "fn a {", "  b", "}", "}", "}", "z" }, { "fn a {", "  b", "}" }, "fn a {|  b|}|}|z" },
      { { "fn a {", "  b", "}", "}", "}", "z" }, { "fn a(x) {", "  b", "}" }, "fn a(x) {|  b|}|}|z" },
    }) do
      for _, way in ipairs({ { "a" }, { "q", ":Botglue accept<CR>" }, { "q", ":Botglue review<CR>", "a" } }) do
        local nvim = child.with_host(each[1])
        nvim:run(line(1, 4), { review = true })
        nvim:answer(1, each[2])
        nvim:play(vim.list_extend({ ":Botglue review<CR>", "G[cdp" }, way))
        local left = table.concat(nvim:lua("return vim.api.nvim_buf_get_lines(1, 0, -1, true)"), "|")
        equal(left, each[3], vim.inspect({ each, way }))
      end
    end
  end
)
