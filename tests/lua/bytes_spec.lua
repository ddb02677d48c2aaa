local bytes = require("botglue.util.bytes")
local suite = require("support.suite")
local test, equal = suite.test, suite.equal

local MARK = "\u{FDD0}"

--- Whether a text is well-formed UTF-8, read one code point after the other.
local function is_utf8(text)
  local at = 1
  while at <= #text do
    local lead = text:byte(at)
    local size = lead < 0x80 and 1
      or lead < 0xC0 and 0
      or lead < 0xE0 and 2
      or lead < 0xF0 and 3
      or lead < 0xF8 and 4
      or 0
    local least = ({ 0, 0x80, 0x800, 0x10000 })[size]
    if not least then
      return false
    end
    local code = size == 1 and lead or lead % 2 ^ (7 - size)
    for i = at + 1, at + size - 1 do
      local byte = text:byte(i) or 0
      if byte < 0x80 or byte > 0xBF then
        return false
      end
      code = code * 64 + byte % 64
    end
    if code < least or code > 0x10FFFF or (code >= 0xD800 and code <= 0xDFFF) then
      return false
    end
    at = at + size
  end
  return true
end

--- A row of random bytes: most are whole characters, and some of those that UTF-8 forbids are so only at their place.
local function random_row()
  local whole = { "", "a", "\0", "é", "€", "😀", MARK, "\u{FFFF}", "\u{D7FF}", "\u{10FFFF}" }
  local broken = {
    "\128",
    "\194",
    "\226\130",
    "\192\128",
    "\224\159\128",
    "\240\143\128\128",
    "\237\160\128",
    "\244\144\128\128",
  }
  local row = {}
  for _ = 1, math.random(0, 6) do
    local parts = math.random(6) == 1 and broken or whole
    row[#row + 1] = math.random(20) == 1 and string.char(math.random(0, 255)) or parts[math.random(#parts)]
  end
  return table.concat(row)
end

test("rows of any bytes are text that gives them back", function()
  math.randomseed(1)
  local rows = {}
  for i = 1, 20000 do
    rows[i] = random_row()
  end
  local texts = bytes.to_text(rows)
  local kept = 0
  for i, text in ipairs(texts) do
    assert(is_utf8(text), vim.inspect(rows[i]))
    if is_utf8(rows[i]) and not vim.startswith(rows[i], MARK) then
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
