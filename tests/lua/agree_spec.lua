-- What the base of a merge becomes by what both sides of a review have in common.

local agree = require("botglue.agree")
local suite = require("support.suite")
local test, equal = suite.test, suite.equal

--- Texts are rows of one word each.
local function rows_of(text)
  return vim.split(text, " ", { trimempty = true })
end

--- What a base becomes by two texts.
local function is(base, one, other, expected)
  local agreed = agree.lines(rows_of(base), rows_of(one), rows_of(other))
  equal(table.concat(agreed, " "), expected, vim.inspect({ base, one, other }))
end

--- What it becomes by what was taken over from one of both into the other, written as "before > now".
local function is_taken(base, one, other, expected)
  local function texts(nth)
    return vim.tbl_map(function(text)
      local parts = vim.split(text, " > ", { plain = true })
      return rows_of(parts[math.min(nth, #parts)])
    end, { one, other })
  end
  local before, now = texts(1), texts(2)
  equal(agree.is_taking(before, now), true, one .. " | " .. other)
  local agreed = agree.taken(rows_of(base), before, now)
  equal(table.concat(agreed, " "), expected, one .. " | " .. other)
end

test("what was taken is in common, and nothing else", function()
  is_taken("a b c", "a b c > a X c", "a X c", "a X c")
  is_taken("a b c", "a b c > a X c", "a X Y c", "a X c")
  is_taken("a b c", "a b c > a c", "a c N", "a c")
  is_taken("a b c", "a b c > a b N c", "M a b N c", "a b N c")
  is_taken("", " > x1 x2", "x1 x2 x3", "x1 x2")
  is_taken("a b", "a b > ", "", "")
  -- Over there from here.
  is_taken("a b c", "a b own c", "a X c > a b c", "a b c")
  is_taken("a b c", "a b own c", "a b c N > a b own c N", "a b own c")
end)

test("where nothing was taken only the same changes are in common", function()
  is("a b c", "a X c", "a X c", "a X c")
  is("a b c", "a X c", "a X Y c", "a b c")
  is("a b c d", "a X c d", "a X c D", "a X c d")
end)

test(
  "a block that ends as the row above it does was taken wherever a change next to it has it seen",
  function()
    is_taken("a x } b", "a x } b > a x } N } b", "a x2 } N } b", "a x } N } b")
    is_taken("a x }", "a x } > a x } N }", "a x2 } N }", "a x } N }")
    is_taken("a x } b", "a x2 } b > a x2 } N } b", "a x } N } b", "a x } N } b")
    is_taken("a x end b", "a x end b > a x end N n end b", "a end N n end b", "a x end N n end b")
  end
)

test("what the user had changed before rows were taken stays the user's", function()
  is_taken("m q x r", "m q nil end x r > m q nil end x z r", "m y nil end q x z r", "m q x z r")
  is_taken("m q x", "m q own x > m q own N x", "m q N x", "m q N x")
  is_taken("m q x", "m q own x > m q N own x", "m q N x", "m q N x")
end)

test("what was taken and is changed since is known by where it stands", function()
  local function is_overtaken(sent, base, answer, text, expected)
    local now = agree.is_overtaken(rows_of(sent), rows_of(base), rows_of(answer), rows_of(text))
    equal(now, expected, base .. " | " .. text)
  end
  is_overtaken("a b c", "a X c", "a X c", "a X c", false)
  is_overtaken("a b c", "a X c", "a X c", "own a X c", false)
  is_overtaken("a b c", "a X c", "a X c", "a X2 c", true)
  is_overtaken("a b c", "a X c", "a X c", "a b c", true)
  -- One that reads the same stands elsewhere.
  is_overtaken("a b c d", "a X c d", "a X c d", "a b c X d", true)
  -- The answer has it no more.
  is_overtaken("a b c", "a X c", "a X2 c", "a X2 c", false)
end)

test("rows that read as some of the other text elsewhere were not taken", function()
  is("m q r", "m q nil end r", "m y nil end q r", "m q r")
  is("m q r", "m q nil end r", "m y nil end q2 r", "m q r")
  is("a x1 x2 b", "a x1 x2 } _ b", "a x1 if z } _ x2 b", "a x1 x2 b")
end)

test("rows are taken over where both texts come nearer to each other by all that was changed", function()
  local function is_taking(before, now)
    return agree.is_taking(vim.tbl_map(rows_of, before), vim.tbl_map(rows_of, now))
  end
  local answer = "a x2 } N } b"
  equal(is_taking({ "a x } b", answer }, { "a x } N } b", answer }), true)
  equal(is_taking({ "a x } b", answer }, { "a x2 } b", answer }), true)
  equal(is_taking({ "a x } b", answer }, { "a x } b", "a x } N } b" }), true)
  equal(is_taking({ "a x } b", answer }, { "a x } b", answer }), false)
  equal(is_taking({ "a x } b", answer }, { "a x } own b", answer }), false)
  equal(is_taking({ "a x } b", answer }, { "a x } N } own b", answer }), false)
  -- Rows that were deleted where the other text has others.
  equal(is_taking({ "a f c d", "a X c d" }, { "a c d", "a X c d" }), false)
  equal(is_taking({ "a f c d", "a X c d" }, { "a f c d", "a c d" }), false)
  equal(is_taking({ "a b own c", "a b N c" }, { "a b own c", "a b c" }), false)
  equal(is_taking({ "a f c d", "a c d" }, { "a c d", "a c d" }), true)
  equal(is_taking({ "a f c d", "a c X" }, { "a c d", "a c X" }), true)
  equal(is_taking({ "m q r", "m y nil end q r" }, { "m q nil end r", "m y nil end q r" }), false)
end)

test("what one side alone has is not", function()
  is("a b c", "a b c", "a X c", "a b c")
  is("a b c", "a X c", "a b c", "a b c")
  is("a b c", "a X c", "a Y c", "a b c")
  is("a b c", "a X b c", "a b Y c", "a b c")
end)

test("a row that was moved stands as often as it did", function()
  is("a b c d e f", "b a c d e f", "X a b c d e F", "a b c d e f")
  is("a b c d", "a c b d", "a b c N", "a b c d")
  is("a b c d e f", "b a c d e f", "b c a d e f", "a b c d e f")
  is("x1 x2", "x2 x1", "x1 x2 x3 x4", "x1 x2")
end)

test("whatever was changed, no row comes to stand more or less often than it did", function()
  local function count(rows, row)
    return #vim.tbl_filter(function(each)
      return each == row
    end, rows)
  end
  math.randomseed(1)
  local function changed(rows)
    local text = vim.deepcopy(rows)
    for _ = 1, math.random(4) do
      local kind, at = math.random(3), math.random(#text + 1)
      if kind == 1 then
        table.insert(text, at, ({ "a", "b", "X", "" })[math.random(4)])
      elseif #text > 0 then
        local row = table.remove(text, math.min(at, #text))
        if kind == 2 then
          table.insert(text, math.random(#text + 1), row)
        end
      end
    end
    return text
  end
  for _ = 1, 2000 do
    local base = {}
    for i = 1, math.random(6) do
      base[i] = ({ "a", "b", "c", "d", "" })[math.random(5)]
    end
    local one, other = changed(base), changed(base)
    local agreed = agree.lines(base, one, other)
    for _, row in ipairs({ "a", "b", "c", "d", "X", "" }) do
      local counts = { count(base, row), count(one, row), count(other, row) }
      table.sort(counts)
      local often, texts = count(agreed, row), vim.inspect({ base, one, other, agreed })
      equal(counts[1] <= often and often <= counts[3], true, texts)
    end
  end
end)

test("rows may hold any byte", function()
  equal(agree.lines({ "a\nb", "c" }, { "a\nb", "X\n" }, { "a\nb", "X\n" }), { "a\nb", "X\n" })
end)

test("each row of a block stands for itself", function()
  equal(agree.block({ "a", "b", "c" }, { "X", "b", "Z" }, { "X", "Y", "c" }), { "X", "b", "c" })
end)
