local bytes = require("botglue.util.bytes")
local suite = require("support.suite")
local test, equal = suite.test, suite.equal

local MARK = "\u{FDD0}"

--- A row of random bytes: characters, and bytes that are none.
local function random_row()
  local parts = { "", "a", "\0", "é", "😀", MARK, "\194", "\237\160\128" }
  local row = {}
  for _ = 1, math.random(0, 6) do
    row[#row + 1] = math.random(9) == 1 and string.char(math.random(0, 255)) or parts[math.random(#parts)]
  end
  return table.concat(row)
end

test("rows of any bytes are text that gives them back", function()
  math.randomseed(1)
  local rows = {}
  for i = 1, 20000 do
    rows[i] = random_row()
  end
  local texts, kept = bytes.to_text(rows), 0
  for i, text in ipairs(texts) do
    equal((text:gsub("^" .. MARK, "")):find("[\128-\255]"), nil)
    if not rows[i]:find("[\128-\255]") then
      equal(text, rows[i])
      kept = kept + 1
    end
  end
  assert(kept > 2000 and kept < 18000, kept)
  equal(bytes.from_text(texts), rows)
end)

test("a row that reads as another one's text is another text", function()
  local row = "\255"
  local text = bytes.to_text({ row })[1]
  assert(text ~= bytes.to_text({ text })[1])
  equal(bytes.from_text(bytes.to_text({ text })), { text })
end)
