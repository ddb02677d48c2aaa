--- What the base of a merge becomes by what both texts that were made from it have in common. Pure functions of rows.
---
--- A merge begins with it then, so what one side took from the other is no change of either, and what becomes of it
--- later is.

local M = {}

local diff = vim.text and vim.text.diff or vim.diff

---@class botglue.Hunk
---@field [1] integer the first row of the one text, from 1; of no rows the one above
---@field [2] integer how many
---@field [3] integer the first row of the other text
---@field [4] integer how many

---@param row string
local function nul(row)
  return (row:gsub("\n", "\0"))
end

--- Where two texts differ.
---@param one string[]
---@param other string[]
---@return botglue.Hunk[]
local function differences(one, other)
  local function text(rows)
    -- A NUL byte is a line feed within a row.
    return #rows > 0 and table.concat(vim.tbl_map(nul, rows), "\n") .. "\n" or ""
  end
  return diff(text(one), text(other), { result_type = "indices" }) --[[@as botglue.Hunk[] ]]
end

--- The rows of a hunk as a half-open range: those behind `from`, up to `to`.
---@param start integer
---@param count integer
---@return integer from
---@return integer to
local function rows_of(start, count)
  local from = count == 0 and start or start - 1
  return from, from + count
end

--- The rows of a base that stand for rows of a text made from it. Where only part of a change is asked for, all of what
--- it replaced stands for that.
---@param hunks botglue.Hunk[] from the base to the text
---@param from integer
---@param to integer
---@return integer from
---@return integer to
local function origin(hunks, from, to)
  local before, after = 0, 0 -- how many rows the text has more than the base
  local first, past
  for _, hunk in ipairs(hunks) do
    local base_from, base_to = rows_of(hunk[1], hunk[2])
    local text_from, text_to = rows_of(hunk[3], hunk[4])
    local grown = hunk[4] - hunk[2]
    if text_to <= from and text_from < from then
      before = before + grown
    elseif text_from <= from and from < text_to then
      first = base_from
    end
    if text_to <= to then
      after = after + grown
    elseif text_from < to then
      past = base_to
    end
  end
  return first or from - before, past or to - after
end

--- How often each row stands in a text.
---@param rows string[]
---@return table<string, integer>
function M.count(rows)
  local counts = {}
  for _, row in ipairs(rows) do
    counts[row] = (counts[row] or 0) + 1
  end
  return counts
end

--- Whether a base has a row more often than it and both texts had it, or more seldom: the row was moved, and stands for
--- another one.
---@param agreed string[]
---@param ... string[] the base before and both texts
local function is_astray(agreed, ...)
  local now, counts = M.count(agreed), vim.tbl_map(M.count, { ... })
  local rows = vim.tbl_extend("force", unpack(counts)) --[[@as table<string, integer>]]
  return vim.iter(pairs(rows)):any(function(row)
    local least, most = math.huge, 0
    for _, often in ipairs(counts) do
      least, most = math.min(least, often[row] or 0), math.max(most, often[row] or 0)
    end
    local often = now[row] or 0
    return often < least or often > most
  end)
end

--- A base with what came into a text that was made from it.
---@param base string[]
---@param before string[] the text
---@param now string[] the same with that
---@return string[] base
local function with_taken(base, before, now)
  local hunks, agreed, row = differences(base, before), {}, 0
  for _, hunk in ipairs(differences(before, now)) do
    local first, past = origin(hunks, rows_of(hunk[1], hunk[2]))
    vim.list_extend(agreed, base, row + 1, first)
    local from, to = rows_of(hunk[3], hunk[4])
    vim.list_extend(agreed, now, from + 1, to)
    row = math.max(row, past)
  end
  return vim.list_extend(agreed, base, row + 1, #base)
end

--- The regions of a base in which one of two texts made from it differs, or both: the rows of the base and of the texts
--- there, each as a half-open range.
---@param hunks botglue.Hunk[][] from the base to each text
---@return { base: integer[], [1]: integer[], [2]: integer[] }[]
local function regions(hunks)
  local found, at, grown = {}, { 1, 1 }, { 0, 0 }
  local function begins(i)
    local hunk = hunks[i][at[i]]
    return hunk and (rows_of(hunk[1], hunk[2])) or math.huge
  end
  while math.min(begins(1), begins(2)) < math.huge do
    local from = math.min(begins(1), begins(2))
    local region, past = { { from + grown[1] }, { from + grown[2] } }, from
    local i = begins(1) <= past and 1 or 2
    while begins(i) <= past do
      local hunk = hunks[i][at[i]]
      local _, to = rows_of(hunk[1], hunk[2])
      past, at[i], grown[i] = math.max(past, to), at[i] + 1, grown[i] + hunk[4] - hunk[2]
      i = begins(1) <= past and 1 or 2
    end
    region.base = { from, past }
    region[1][2], region[2][2] = past + grown[1], past + grown[2]
    table.insert(found, region)
  end
  return found
end

--- How many rows have to be taken away and added to make one text of another.
---@param one string[]
---@param other string[]
---@return integer
local function distance(one, other)
  local rows = 0
  for _, hunk in ipairs(differences(one, other)) do
    rows = rows + hunk[2] + hunk[4]
  end
  return rows
end

--- Whether rows were deleted from a text where another one still has others: that is no taking over, which leaves both
--- the same there.
---@param before string[]
---@param now string[]
---@param other string[]
---@return boolean
local function is_cut(before, now, other)
  local left = differences(now, other)
  return vim.iter(differences(before, now)):any(function(cut)
    return cut[4] == 0
      and vim.iter(left):any(function(hunk)
        local from, to = rows_of(hunk[1], hunk[2])
        return from <= cut[3] and cut[3] <= to
      end)
  end)
end

--- Whether two texts have come nearer to each other by all that was changed in them: rows were taken over from the one
--- into the other, and nothing else was done.
---@param before [string[], string[]]
---@param now [string[], string[]]
---@return boolean
function M.is_taking(before, now)
  local way = distance(before[1], now[1]) + distance(before[2], now[2])
  return way > 0
    and distance(before[1], before[2]) - distance(now[1], now[2]) == way
    and not is_cut(before[1], now[1], now[2])
    and not is_cut(before[2], now[2], now[1])
end

--- A base with what was taken over just now from one of two texts made from it into the other.
---@param base string[]
---@param before [string[], string[]] both texts
---@param now [string[], string[]]
---@return string[] base
function M.taken(base, before, now)
  local agreed = with_taken(with_taken(base, before[1], now[1]), before[2], now[2])
  return is_astray(agreed, base, now[1], now[2]) and base or agreed
end

--- A base with the changes that two texts made from it have in common: where both make the same of the same rows.
---@param base string[]
---@param one string[]
---@param other string[]
---@return string[] base
function M.lines(base, one, other)
  local agreed, row = {}, 0
  for _, region in ipairs(regions({ differences(base, one), differences(base, other) })) do
    vim.list_extend(agreed, base, row + 1, region.base[1])
    local function slice(rows, range)
      return vim.list_slice(rows, range[1] + 1, range[2])
    end
    local ours, theirs = slice(one, region[1]), slice(other, region[2])
    vim.list_extend(agreed, vim.deep_equal(ours, theirs) and ours or slice(base, region.base))
    row = region.base[2]
  end
  vim.list_extend(agreed, base, row + 1, #base)
  return is_astray(agreed, base, one, other) and base or agreed
end

--- Whether rows that a base took from an answer, which has them still, were changed or taken away in a text.
---@param sent string[] what the base was before
---@param base string[]
---@param answer string[]
---@param text string[]
---@return boolean
function M.is_overtaken(sent, base, answer, text)
  local taken, still = {}, M.count(answer)
  for _, hunk in ipairs(differences(sent, base)) do
    for row = hunk[3], hunk[3] + hunk[4] - 1 do
      taken[row] = base[row]:find("%S") ~= nil and still[base[row]] ~= nil
    end
  end
  return vim.iter(differences(base, text)):any(function(hunk)
    for row = hunk[1], hunk[1] + hunk[2] - 1 do
      if taken[row] then
        return true
      end
    end
    return false
  end)
end

--- How many rows a text adds above the first row of what it was made from, and below the last one.
---@param base string[]
---@param text string[]
---@return integer above
---@return integer below
function M.added_at_ends(base, text)
  local above, below = 0, 0
  for _, hunk in ipairs(differences(base, text)) do
    local from, to = rows_of(hunk[3], hunk[4])
    local more = math.max(hunk[4] - hunk[2], 0)
    above = from == 0 and more or above
    below = to == #text and more or below
  end
  return above, below
end

--- What `lines` does, of a block, in which each row stands for itself.
---@param base string[]
---@param one string[]
---@param other string[]
---@return string[] base
function M.block(base, one, other)
  local agreed = {}
  for i, text in ipairs(base) do
    agreed[i] = one[i] == other[i] and one[i] or text
  end
  return agreed
end

return M
