-- Hunks as they are drawn, on the screen of a Neovim without a host.

local drawing = require("support.drawing")
local suite = require("support.suite")
local test, equal = suite.test, suite.equal
local hunk, rows = drawing.hunk, drawing.rows

local HEAD = "◆ claude · it · 1 hunk · keys"

--- What is shown of hunks in a buffer.
local function shown(lines, hunks, setup)
  local nvim = drawing.start(lines)
  nvim:lua(setup or "")
  drawing.draw(nvim, hunks)
  return rows(nvim), nvim
end

test("rows that come are below those that go, an insertion is below the row above it", function()
  equal(shown({ "a", "b", "c" }, { hunk(1, 1, { "B", "BB" }) }), { "a", HEAD, "b", "B", "BB", "c" })
  equal(shown({ "a", "b", "c" }, { hunk(1, 0, { "new" }) }), { "a", HEAD, "new", "b", "c" })
  equal(shown({ "a", "b", "c" }, { hunk(3, 0, { "new" }) }), { "a", "b", "c", HEAD, "new" })
  equal(shown({ "a", "b", "c" }, { hunk(1, 1, {}) }), { "a", HEAD, "b", "c" })
  equal(shown({ "a", "b", "c" }, { hunk(0, 3, {}) }), { HEAD, "a", "b", "c" })
end)

test("what is above the first row is seen", function()
  equal(shown({ "a", "b" }, { hunk(0, 1, { "A" }) }), { HEAD, "a", "A", "b" })
  equal(shown({ "a", "b" }, { hunk(0, 0, { "x", "y" }) }), { HEAD, "x", "y", "a", "b" })
  equal(shown({ "a", "b" }, { hunk(0, 0, { "x" }) }, "vim.cmd.vsplit()")[3]:sub(1, 2), "a ")
end)

test("the row of a buffer without text is no row that goes", function()
  local text, nvim = shown({ "" }, { hunk(0, 1, { "x", "y" }) })
  equal(text, { HEAD, "x", "y" })
  equal(nvim:lua("return #vim.api.nvim_buf_get_extmarks(0, -1, 0, -1, { type = 'highlight' })"), 0)
  equal(shown({ "" }, { hunk(0, 0, { "x", "y" }) }), { HEAD, "x", "y" })
end)

test("without hunks the head line is above the range", function()
  local nvim = drawing.start({ "a", "b" })
  nvim:lua("draw_hunks({}, ':Botglue accept 1')")
  equal(rows(nvim), { "◆ claude · it · 0 hunks · :Botglue accept 1", "a", "b" })
end)

test("rows that go are highlighted to the edge, and the changed words in both", function()
  local one = hunk(1, 2, { "new word" }, { old = { { { 0, 3 } }, {} }, new = { { { 4, 8 } } } })
  local _, nvim = shown({ "a", "old word", "", "d" }, { one })
  local function marks(kind)
    return nvim:lua(
      [[
        local found = {}
        for _, mark in ipairs(vim.api.nvim_buf_get_extmarks(0, -1, 0, -1, { type = "highlight", details = true })) do
          local more = mark[4]
          if more.hl_group == ... then
            found[#found + 1] = { mark[2], mark[3], more.end_row, more.end_col, more.hl_eol or false }
          end
        end
        return found
      ]],
      kind
    )
  end
  equal(marks("BotglueDelete"), { { 1, 0, 3, 0, true } })
  equal(marks("BotglueChange"), { { 1, 0, 1, 3, false } })
  local function attributes(row, column)
    return nvim:lua("vim.cmd.redraw(); return vim.fn.screenattr(...)", row, column)
  end
  -- The head line is the second row; then the two that go, and the one that comes.
  equal(attributes(3, 1) ~= attributes(3, 6), true, "a changed word that goes")
  equal(attributes(3, 6), attributes(4, 1), "a row that goes, and an empty one")
  equal(attributes(4, 60), attributes(4, 1), "to the edge")
  equal(attributes(5, 1) ~= attributes(5, 6), true, "a changed word that comes")
  equal(attributes(5, 60), attributes(5, 1), "to the edge")
  equal(attributes(6, 1) ~= attributes(4, 1), true, "a row that stays")
end)

test("words are marked as far as the row goes", function()
  local one = hunk(0, 1, { "x" }, { old = { { { 0, 90 }, { 95, 99 } } } })
  equal(#shown({ "short" }, { one }), 3)
end)

test("a hunk that conflicts says so above it", function()
  local one = hunk(2, 1, { "C" }, { conflict = true, label = "conflict: you changed this row, too" })
  equal(shown({ "a", "b", "c" }, { hunk(0, 1, { "A" }), one }), {
    (HEAD:gsub("1 hunk", "2 hunks")),
    "a",
    "A",
    "b",
    "⚠ conflict: you changed this row, too",
    "c",
    "C",
  })
end)

test("the sign of a row is in the gutter: beside the text, or in the sign column", function()
  local lines, hunks = { "a", "b" }, { hunk(0, 1, { "A", "AA" }) }
  local text = shown(lines, hunks, "vim.o.number = true")
  equal(text, { "    " .. HEAD, "  1 a", "  + A", "  + AA", "  2 b" })
  text = shown(lines, hunks, "vim.o.number, vim.o.signcolumn = true, 'yes'")
  equal(text, {
    "      " .. HEAD,
    "-   1 a",
    "+     A",
    "+     AA",
    "    2 b",
  })
  equal(shown(lines, hunks, "vim.o.signcolumn = 'auto'"), { HEAD, "a", "A", "AA", "b" })
  text = shown(
    lines,
    hunks,
    "vim.o.signcolumn = 'auto'; vim.fn.sign_define('x', { text = 'x' })"
      .. "; vim.fn.sign_place(1, '', 'x', 1, { lnum = 2 })"
  )
  equal(text, { "  " .. HEAD, "- a", "+ A", "+ AA", "x b" })
end)

test("a row that is wider than the window is wrapped, and scrolls where the text does", function()
  local long = ("x"):rep(58) .. "yyyy"
  local text = shown({ "a" }, { hunk(0, 1, { long }) }, "vim.o.wrap = true")
  equal(text, { HEAD, "a", ("x"):rep(58) .. "yy", "yy" })
  local nvim
  text, nvim = shown({ "a" .. ("b"):rep(90) }, { hunk(0, 1, { long }) }, "vim.o.wrap = false")
  equal(text[3], ("x"):rep(58) .. "yy")
  nvim:type("10zl")
  drawing.draw(nvim, { hunk(0, 1, { long }) })
  equal(rows(nvim)[3], ("x"):rep(48) .. "yyyy")
end)

test("what is taller than the window is cut to it, and counted", function()
  local lines = {}
  for i = 1, 40 do
    lines[i] = "row " .. i
  end
  local text = shown(lines, { hunk(0, 0, lines) })
  equal(
    { text[1], text[2], text[13], text[14] },
    { HEAD, "row 1", "… 29 more rows · :Botglue diff", "row 1" }
  )
  text = shown(lines, { hunk(0, 39, { "one" }) })
  equal({ text[1], text[2], text[3] }, { HEAD, "39 rows go, 1 comes", "row 1" })
end)

test("only what is near a window is drawn", function()
  local lines, hunks = {}, {}
  for i = 1, 2000 do
    lines[i] = "row " .. i
    hunks[i] = i % 2 == 0 and hunk(i - 1, 1, { "new" }) or nil
  end
  hunks = vim.iter(vim.tbl_values(hunks)):totable()
  table.sort(hunks, function(a, b)
    return a.first < b.first
  end)
  local _, nvim = shown(lines, hunks)
  local count = nvim:lua("return #vim.api.nvim_buf_get_extmarks(0, -1, 0, -1, {})")
  equal(count > 10 and count < 100, true, tostring(count))
end)

test("windows of several widths and options show it each in its own way", function()
  local long = ("x"):rep(40)
  local nvim = drawing.start({ "a", "b" }, 61)
  nvim:lua("vim.cmd.vsplit(); vim.wo.number = true")
  drawing.draw(nvim, { hunk(1, 1, { long }) })
  local text = rows(nvim)
  equal(text[4], "  + " .. ("x"):rep(26) .. "│" .. ("x"):rep(30))
  equal(text[5], "    " .. ("x"):rep(14) .. (" "):rep(12) .. "│" .. ("x"):rep(10))
end)

test("a window in diff mode shows no hunks", function()
  local nvim = drawing.start({ "a", "b" }, 61)
  nvim:lua("vim.wo.diff = true")
  drawing.draw(nvim, { hunk(1, 1, { "B" }) })
  equal(nvim:lua("return #vim.api.nvim_buf_get_extmarks(0, -1, 0, -1, {})"), 0)
end)

test("what is said of a hunk in a closed fold is above the fold", function()
  local nvim = drawing.start({ "a", "b", "c", "d" })
  nvim:type("2GzfjG")
  drawing.draw(nvim, { hunk(2, 1, { "C" }) })
  local text = rows(nvim)
  equal({ text[1], text[2], text[3]:sub(1, 3), text[4] }, { "a", HEAD, "+--", "d" })
  nvim = drawing.start({ "a", "b", "c" })
  nvim:type("1GzfjG")
  drawing.draw(nvim, { hunk(0, 1, { "A" }) })
  text = rows(nvim)
  equal({ text[1]:sub(1, 3), text[2], text[3] }, { "+--", HEAD, "c" })
end)

test(
  "the cursor keeps its row of the screen when hunks are drawn above it, as far as there is room",
  function()
    local lines = {}
    for i = 1, 60 do
      lines[i] = "row " .. i
    end
    local nvim = drawing.start(lines)
    nvim:type("30Gzz")
    local before = nvim:lua("return { vim.fn.winline(), vim.fn.getline('.') }")
    drawing.draw(nvim, { hunk(26, 1, { "x", "y", "z" }) })
    equal(nvim:lua("vim.cmd.redraw(); return { vim.fn.winline(), vim.fn.getline('.') }"), before)
    drawing.draw(nvim, {})
    equal(nvim:lua("vim.cmd.redraw(); return { vim.fn.winline(), vim.fn.getline('.') }"), before)
  end
)
