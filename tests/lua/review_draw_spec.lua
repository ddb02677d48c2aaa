-- Hunks as they are drawn, on the screen of a Neovim without a host: what no expected screen of `tests/it/screens` has.

local drawing = require("support.drawing")
local head = require("botglue.ui.review.head")
local suite = require("support.suite")
local test, equal = suite.test, suite.equal
local hunk, rows = drawing.hunk, drawing.rows
local numbered = require("support.running").numbered

local HEAD = "◆ claude · it · 1 hunk · keys"
local x58 = ("x"):rep(58)

--- What is shown of hunks in a buffer.
local function shown(lines, hunks, setup)
  local nvim = drawing.start(lines)
  nvim:lua(setup or "")
  drawing.draw(nvim, hunks)
  return rows(nvim), nvim
end

test(
  "rows that come are below those that go, an insertion below the row above it, each with its sign",
  function()
    local two, number = { hunk(0, 1, { "A", "AA" }) }, "vim.o.number, vim.o.signcolumn = true, 'yes'"
    local placed = "vim.o.signcolumn = 'auto'; vim.fn.sign_define('x', { text = 'x' })"
      .. "; vim.fn.sign_place(1, '', 'x', 1, { lnum = 2 })"
    for _, case in ipairs({
      { "a b c", { hunk(1, 1, { "B", "BB" }) }, { "a", HEAD, "b", "B", "BB", "c" } },
      { "a b c", { hunk(1, 0, { "new" }) }, { "a", HEAD, "new", "b", "c" } },
      { "a b c", { hunk(1, 1, {}) }, { "a", HEAD, "b", "c" } },
      { "a b c", { hunk(0, 3, {}) }, { HEAD, "a", "b", "c" } },
      { "a b", { hunk(0, 1, { "A" }) }, { HEAD, "a", "A", "b" } },
      { "", { hunk(0, 1, { "x", "y" }) }, { HEAD, "x", "y" } },
      { "", { hunk(0, 0, { "x", "y" }) }, { HEAD, "x", "y" } },
      -- A span of a word ends with its row.
      { "short", { hunk(0, 1, { "x" }, { old = { { { 0, 90 }, { 95, 99 } } } }) }, { HEAD, "short", "x" } },
      { "a b", two, { "    " .. HEAD, "  1 a", "  + A", "  + AA", "  2 b" }, "vim.o.number = true" },
      { "a b", two, { "      " .. HEAD, "-   1 a", "+     A", "+     AA", "    2 b" }, number },
      { "a b", two, { HEAD, "a", "A", "AA", "b" }, "vim.o.signcolumn = 'auto'" },
      { "a b", two, { "  " .. HEAD, "- a", "+ A", "+ AA", "x b" }, placed },
      -- Wide characters are not parted at the edge, tabs are blanks, and what cannot be printed is what Neovim shows.
      {
        "a",
        { hunk(0, 1, { x58 .. "y漢", "漢\tx", "a\1b\255" }) },
        { HEAD, "a", x58 .. "y", "漢", "漢      x", "a^Ab<ff>" },
      },
    }) do
      equal(shown(vim.split(case[1], " "), case[2], case[4]), case[3], vim.inspect(case))
    end
  end
)

test("without hunks the head line is above the range", function()
  local nvim = drawing.start({ "a", "b" })
  nvim:lua("draw_hunks({}, ':Botglue accept 1')")
  equal(rows(nvim), { "◆ claude · it · 0 hunks · :Botglue accept 1", "a", "b" })
end)

test("rows are highlighted to the edge, and the changed words in both", function()
  local one = hunk(1, 2, { "new word" }, { old = { { { 0, 3 } }, {} }, new = { { { 4, 8 } } } })
  local _, nvim = shown({ "a", "old word", "", "d" }, { one })
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

test("a row that is wider than the window scrolls where the text does", function()
  local long = hunk(0, 1, { x58 .. "yyyy" })
  local text, nvim = shown({ "a" .. ("b"):rep(90) }, { long }, "vim.o.wrap = false")
  equal(text[3], x58 .. "yy")
  nvim:type("10zl")
  drawing.draw(nvim, { long })
  equal(rows(nvim)[3], ("x"):rep(48) .. "yyyy")
end)

test("what is taller than the window is cut to it, and counted", function()
  local lines = numbered(40)
  local text = shown(lines, { hunk(0, 0, lines) })
  equal(
    { text[1], text[2], text[13], text[14] },
    { HEAD, "line 1", "… 29 more rows · :Botglue diff", "line 1" }
  )
  text = shown(lines, { hunk(0, 39, { "one" }) })
  equal({ text[1], text[2], text[3] }, { HEAD, "39 rows go, 1 comes", "line 1" })
end)

test("only what is near a window is drawn", function()
  local hunks = {}
  for i = 1, 1000 do
    hunks[i] = hunk(2 * i - 1, 1, { "new" })
  end
  local _, nvim = shown(numbered(2000), hunks)
  local count = nvim:lua("return #vim.api.nvim_buf_get_extmarks(0, -1, 0, -1, {})")
  equal(count > 10 and count < 100, true, tostring(count))
end)

test("windows of several widths and options show it each in its own way", function()
  local nvim = drawing.start({ "a", "b" }, 61)
  nvim:lua("vim.cmd.vsplit(); vim.wo.number = true")
  drawing.draw(nvim, { hunk(1, 1, { ("x"):rep(40) }) })
  local text = rows(nvim)
  equal(text[4], "  + " .. ("x"):rep(26) .. "│" .. ("x"):rep(30))
  equal(text[5], "    " .. ("x"):rep(14) .. (" "):rep(12) .. "│" .. ("x"):rep(10))
end)

test("what is said of a hunk in a closed fold is above the fold", function()
  for _, case in ipairs({
    { "a b c d", "2GzfjG", hunk(2, 1, { "C" }), "a|" .. HEAD .. "|+--|d" },
    { "a b c", "1GzfjG", hunk(0, 1, { "A" }), "+--|" .. HEAD .. "|c" },
  }) do
    local nvim = drawing.start(vim.split(case[1], " "))
    nvim:type(case[2])
    drawing.draw(nvim, { case[3] })
    equal((table.concat(rows(nvim), "|"):gsub("%+%-%-[^|]*", "+--")), case[4])
  end
end)

test(
  "the cursor keeps its row of the screen when hunks are drawn above it, as far as there is room",
  function()
    local nvim = drawing.start(numbered(60))
    local AT = "vim.cmd.redraw(); return { vim.fn.winline(), vim.fn.getline('.') }"
    nvim:type("30Gzz")
    local before = nvim:lua(AT)
    for _, hunks in ipairs({ { hunk(26, 1, { "x", "y", "z" }) }, {} }) do
      drawing.draw(nvim, hunks)
      equal(nvim:lua(AT), before)
    end
  end
)

test(
  "where there is less room the head line loses prompt, agent, counts and number, never the keys",
  function()
    local keys = "do take dp drop ]c next"
    local function line(room, more)
      local about = { index = 1, count = 3, agent = "claude", hunks = 2, conflicts = 1, keys = keys }
      about.prompt = "return errors instead\nof panicking"
      return vim
        .iter(head.line(vim.tbl_extend("force", about, more or {}), room))
        :fold("", function(text, chunk)
          return text .. chunk[1]
        end)
    end
    equal(
      line(100),
      "◆ 1 of 3 · claude · return errors instead of panicking · 2 hunks, 1 ⚠ · " .. keys
    )
    equal(line(80), "◆ 1 of 3 · claude · return errors inst… · 2 hunks, 1 ⚠ · " .. keys)
    equal(line(60), "◆ 1 of 3 · claude · 2 hunks, 1 ⚠ · " .. keys)
    equal(line(50), "◆ 1 of 3 · 2 hunks, 1 ⚠ · " .. keys)
    equal(line(40), "◆ 1 of 3 · " .. keys)
    equal(line(30), "◆ " .. keys)
    equal(line(50, { hunks = 1, conflicts = 0 }), "◆ 1 of 3 · 1 hunk · " .. keys)
  end
)
