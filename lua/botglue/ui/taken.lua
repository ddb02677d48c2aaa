--- Where an answer is on one side of its review, told by the other: around it both sides read the same, so what stands
--- between is the answer in the one and its place in the other. So rows that were put into the buffer by hand, with the
--- keys of diff mode, become part of its place, and do not come twice when it is accepted. A diff replaces whole rows;
--- marks know nothing of what the new ones stand for.

local parts = require("botglue.ui.parts")

local M = {}

--- How many rows of a text there are before a place: as many as there were, or as there are on the other side.
---@param lines string[]
---@param ... string[] what may stand there
---@return integer?
function M.above(lines, ...)
  local most
  for _, rows in ipairs({ ... }) do
    if vim.deep_equal(vim.list_slice(lines, 1, #rows), rows) then
      most = math.max(most or 0, #rows)
    end
  end
  return most
end

--- The row behind a place: what is below it is as it was, or as on the other side.
---@param lines string[]
---@param ... string[] what may stand there
---@return integer?
function M.below(lines, ...)
  local least
  for _, rows in ipairs({ ... }) do
    local past = #lines - #rows
    if past >= 0 and vim.deep_equal(vim.list_slice(lines, past + 1), rows) then
      least = math.min(least or past, past)
    end
  end
  return least
end

--- Whether rows are some of the answer's; within the place that is known, or where none is, they may be others that
--- stood there before.
---@param rows string[]
---@param first integer the row of the first one
---@param place botglue.Extent?
---@param answer string[]
---@param before string[]? without it any
---@return boolean
local function are_known(rows, first, place, answer, before)
  local function set_of(others)
    local set = {}
    for _, row in ipairs(others) do
      set[row] = true
    end
    return set
  end
  local ours, theirs = set_of(answer), set_of(before or {})
  return vim.iter(ipairs(rows)):all(function(i, row)
    local at = first + i - 1
    local is_within = not place or (place.first <= at and at <= place.last)
    return ours[row] or (is_within and (not before or theirs[row])) or false
  end)
end

--- The place of a part of rows where those are others: behind what is before it, and before what is behind it.
---@param known botglue.Beside
---@param rows string[]
---@param first integer
---@return botglue.Extent
local function part_in(known, rows, first)
  local place = { first = first, last = first + #rows - 1 }
  local function behind(row, to)
    return #known.rows[row] - to
  end
  if known.place.spans then
    place.spans = {}
    for i, span in ipairs(known.place.spans) do
      place.spans[i] = { span[1], #rows[i] - behind(i, span[2]) }
    end
  else
    place.from, place.to = known.place.from, #rows[#rows] - behind(#known.rows, known.place.to)
  end
  return place
end

--- Takes rows that were put into the buffer by hand, or given back, for the place of an answer that is part of them:
--- also some of them, as `do` takes with a range.
---@param range botglue.Range
---@param place botglue.Extent?
---@param rows string[]
---@param first integer
---@param answer string[]
---@param beside botglue.Beside
---@return botglue.Extent?
local function take_part(range, place, rows, first, answer, beside)
  local function fits(text)
    return parts.of(text, range, beside.place, beside.rows) ~= nil
  end
  if not are_known(rows, first, place, answer, beside.rows) then
    return place
  elseif fits(rows) then
    place = part_in(beside, rows, first)
    range:mark(place, range.shape)
    return place
  elseif place and fits(range:read(place).rows) and not fits(answer) then
    -- What was typed right beside the part on its side is not part of it.
    return place
  end
  -- What was beside it was replaced with it.
  range.replaced = true
  return nil
end

--- Takes rows for the place of an answer to an insertion: where none are left it is one again.
---@param range botglue.Range
---@param rows string[]
---@param first integer
---@return botglue.Extent?
local function take_inserted(range, rows, first)
  if #rows > 0 then
    range:settle({ first = first, last = first + #rows - 1 }, "line", range.before or range.base)
  elseif range.shape ~= "insert" then
    range:unsettle({ first = first, last = first }, "insert")
  end
  return range:place()
end

--- Takes what stands in the buffer between the rows that are around the answer for its place. Rows that are not the
--- answer's were typed there, and their marks tell whether they belong to it.
---@param range botglue.Range
---@param place botglue.Extent? as the marks have it
---@param rows string[]
---@param first integer
---@param answer string[] the rows of the answer
---@param beside botglue.Beside? of an answer that is part of its rows
---@return botglue.Extent? place
function M.take(range, place, rows, first, answer, beside)
  if beside then
    return take_part(range, place, rows, first, answer, beside)
  end
  local marked = range.shape ~= "insert" and place or nil
  local past = marked and marked.last + 1 or place and place.first
  if place and place.first == first and past == first + #rows then
    return place
  elseif not are_known(rows, first, marked, answer, not marked and range.base.rows or nil) then
    return place
  elseif range.kind == "insert" then
    return take_inserted(range, rows, first)
  elseif #rows == 0 and #answer == 0 then
    -- That is what it answers: nothing is left there to be deleted, whatever is typed.
    range:unsettle({ first = first, last = first }, "insert")
    return range:place()
  elseif #rows == 0 then
    -- All of it is gone, whatever the marks stand around.
    range.replaced = place ~= nil
    return nil
  end
  place = { first = first, last = first + #rows - 1 }
  range:mark(place, "line")
  return place
end

return M
