--- Colours as numbers (`0xrrggbb`): how they mix, and how well one is read or seen on another. Knows no groups.

local M = {}

M.READABLE = 3 -- the least contrast of a text with what is behind it
M.VISIBLE = 0.06 -- the least difference of two areas

--- The three parts of a colour, from 0 to 1.
---@param colour integer
---@return number[]
local function parts(colour)
  return vim.tbl_map(function(unit)
    return math.floor(colour / unit) % 256 / 255
  end, { 0x10000, 0x100, 1 })
end

--- Mixes two colours.
---@param one integer
---@param other integer
---@param share number how much there is of the first one
---@return integer
function M.mix(one, other, share)
  local mixed, behind = 0, parts(other)
  for i, part in ipairs(parts(one)) do
    mixed = mixed * 256 + math.floor((part * share + behind[i] * (1 - share)) * 255 + 0.5)
  end
  return mixed
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

--- How much two areas differ, from 0 to 1: by the part that differs most, since two colours may be equally bright.
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

--- The least contrast of a text on several backgrounds.
---@param colour integer
---@param backgrounds integer[]
---@return number
function M.least_contrast(colour, backgrounds)
  local least = math.huge
  for _, background in ipairs(backgrounds) do
    least = math.min(least, M.contrast(colour, background))
  end
  return least
end

--- A colour that is read on each of the backgrounds: the given one, lightened or darkened as far as needed.
---@param colour integer
---@param backgrounds integer[]
---@return integer
function M.readable(colour, backgrounds)
  local best, best_contrast = colour, M.least_contrast(colour, backgrounds)
  for step = 1, 20 do
    for _, extreme in ipairs({ 0xffffff, 0x000000 }) do
      if best_contrast >= M.READABLE then
        return best
      end
      local mixed = M.mix(colour, extreme, 1 - step / 20)
      local reached = M.least_contrast(mixed, backgrounds)
      if reached > best_contrast then
        best, best_contrast = mixed, reached
      end
    end
  end
  return best
end

--- A background with just so much of a colour that it is told from all the others.
---@param colour integer
---@param background integer
---@param others integer[]
---@return integer
function M.tint(colour, background, others)
  local mixed = background
  for step = 4, 40 do
    mixed = M.mix(colour, background, step / 40)
    local is_seen = vim.iter(others):all(function(other)
      return M.difference(mixed, other) >= M.VISIBLE
    end)
    if is_seen then
      break
    end
  end
  return mixed
end

return M
