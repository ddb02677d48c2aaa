-- The rows of an answer as cells of the screen, and what is said above hunks: `cells` and `head`.

local cells = require("botglue.ui.review.cells")
local head = require("botglue.ui.review.head")
local suite = require("support.suite")
local test, equal = suite.test, suite.equal

local function pane(more)
  return vim.tbl_extend(
    "force",
    { columns = 20, leftcol = 0, scrolls = false, tabstop = 8, cap = 10 },
    more or {}
  )
end

local function hunk(lines, new)
  return {
    id = "1",
    first = 0,
    count = 0,
    conflict = false,
    lines = lines,
    old = {},
    new = new or {},
  }
end

---@return string
local function text_of(line)
  return vim.iter(line):fold("", function(text, chunk)
    return text .. chunk[1]
  end)
end

--- The texts of the lines, without the blanks at their ends.
local function drawn(one, where)
  return vim.tbl_map(function(line)
    return (text_of(line):gsub(" +$", ""))
  end, cells.rows(one, where or pane()))
end

test("a row is filled to the edge of the window, and wrapped there", function()
  local lines = cells.rows(hunk({ "short", ("x"):rep(45) }), pane())
  equal(vim.tbl_map(text_of, lines), {
    "short" .. (" "):rep(15),
    ("x"):rep(20),
    ("x"):rep(20),
    ("x"):rep(5) .. (" "):rep(15),
  })
end)

test("wide characters are not parted at the edge", function()
  equal(drawn(hunk({ "漢字漢字漢字" }), pane({ columns = 5 })), { "漢字", "漢字", "漢字" })
  equal(drawn(hunk({ "漢" }), pane({ columns = 1 })), { "漢" })
end)

test(
  "tabs become blanks by the column they are at, and what cannot be printed what Neovim shows for it",
  function()
    equal(drawn(hunk({ "\ta\tb" }), pane({ tabstop = 4 })), { "    a   b" })
    equal(drawn(hunk({ "漢\tx" }), pane({ tabstop = 4 })), { "漢  x" })
    equal(drawn(hunk({ "a\1b\0c\255" })), { "a^Ab^@c<ff>" })
    -- The tab is behind a changed word, which ends at column 3.
    equal(drawn(hunk({ "abc\tx" }, { { { 0, 3 } } }), pane({ tabstop = 4 })), { "abc x" })
  end
)

test("changed words are marked, also where a row is wrapped", function()
  local lines = cells.rows(hunk({ "one two three" }, { { { 4, 7 } } }), pane({ columns = 6 }))
  local changed = { "BotglueAdd", "BotglueChange" }
  equal(lines, {
    { { "one ", "BotglueAdd" }, { "tw", changed } },
    { { "o", changed }, { " thre", "BotglueAdd" } },
    { { "e", "BotglueAdd" }, { "     ", "BotglueAdd" } },
  })
end)

test("what is taller than the window is cut, and the rest is counted", function()
  local rows = vim.split(("row\n"):rep(9) .. "row", "\n")
  equal(#drawn(hunk(rows), pane({ cap = 10 })), 10)
  equal(
    drawn(hunk(rows), pane({ cap = 3, columns = 40 })),
    { "row", "row", "… 8 more rows · :Botglue diff" }
  )
  equal(drawn(hunk({ "row", ("x"):rep(99) }), pane({ cap = 2, columns = 40 })), {
    "row",
    "… 1 more row · :Botglue diff",
  })
end)

test(
  "a row that scrolls with the text is one line, as wide as what was scrolled away and the window",
  function()
    local lines = cells.rows(hunk({ ("x"):rep(45), "y" }), pane({ scrolls = true, leftcol = 10 }))
    equal(vim.tbl_map(text_of, lines), { ("x"):rep(45), "y" .. (" "):rep(29) })
  end
)

test("the sign of a row is in the gutter, before its first line", function()
  local gutter = pane({ gutter = { "  ", " " }, columns = 4 })
  equal(drawn(hunk({ "abcdef" }), gutter), { "  +  abcd", "     ef" })
end)

local HEAD = {
  index = 1,
  count = 3,
  agent = "claude",
  prompt = "return errors instead\nof panicking",
  hunks = 2,
  conflicts = 1,
  keys = "do take dp drop ]c next",
}

test(
  "where there is less room the head line loses the prompt first, then agent, counts and number, never keys",
  function()
    local function line(room, more)
      return text_of(head.line(vim.tbl_extend("force", HEAD, more or {}), room))
    end
    local keys = "do take dp drop ]c next"
    equal(
      line(100),
      "◆ 1 of 3 · claude · return errors instead of panicking · 2 hunks, 1 ⚠ · " .. keys
    )
    equal(line(80), "◆ 1 of 3 · claude · return errors inst… · 2 hunks, 1 ⚠ · " .. keys)
    equal(line(60), "◆ 1 of 3 · claude · 2 hunks, 1 ⚠ · " .. keys)
    equal(line(50), "◆ 1 of 3 · 2 hunks, 1 ⚠ · " .. keys)
    equal(line(40), "◆ 1 of 3 · " .. keys)
    equal(line(30), "◆ " .. keys)
    equal(line(60, { count = 1 }), "◆ claude · return … · 2 hunks, 1 ⚠ · " .. keys)
    equal(line(50, { hunks = 1, conflicts = 0 }), "◆ 1 of 3 · 1 hunk · " .. keys)
  end
)

test(
  "above a hunk its conflict is said, and how many rows go where they are more than can be seen",
  function()
    local function labels(more)
      local one = vim.tbl_extend("force", hunk({ "new" }), more)
      return vim.tbl_map(text_of, head.labels(one, 10, 60))
    end
    equal(labels({ count = 10 }), {})
    equal(labels({ count = 40 }), { "40 rows go, 1 comes" })
    local conflict = "conflict: you changed this row, too"
    equal(labels({ count = 40, lines = { "new", "newer" }, conflict = true, label = conflict }), {
      "⚠ " .. conflict,
      "40 rows go, 2 come",
    })
  end
)
