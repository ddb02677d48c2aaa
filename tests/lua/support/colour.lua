--- What of two colours can be read, and what be told apart. It runs in the child too.

local M = {}

M.READABLE = 3 -- the least contrast of a text with what is behind it
M.VISIBLE = 0.06 -- the least difference of two areas

--- The parts of a colour, from 0 to 1.
---@param colour integer
---@return number[]
local function parts(colour)
  return vim.tbl_map(function(unit)
    return math.floor(colour / unit) % 256 / 255
  end, { 0x10000, 0x100, 1 })
end

---@param colour integer
---@return number
local function luminance(colour)
  local sum = 0
  for i, part in ipairs(parts(colour)) do
    local linear = part <= 0.04045 and part / 12.92 or ((part + 0.055) / 1.055) ^ 2.4
    sum = sum + linear * ({ 0.2126, 0.7152, 0.0722 })[i]
  end
  return sum
end

--- The contrast of two colours, from 1 to 21, as WCAG defines it.
---@param one integer
---@param other integer
---@return number
function M.contrast(one, other)
  local a, b = luminance(one) + 0.05, luminance(other) + 0.05
  return math.max(a, b) / math.min(a, b)
end

--- How much two colours differ, from 0 to 1: by the part that differs most, since two may be equally bright.
---@param one integer
---@param other integer
---@return number
function M.difference(one, other)
  local most, others = 0, parts(other)
  for i, part in ipairs(parts(one)) do
    most = math.max(most, math.abs(part - others[i]))
  end
  return most
end

return M
