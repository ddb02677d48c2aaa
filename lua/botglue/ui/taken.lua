--- Where an answer is on one side of its review, told by the other: around it both sides read the same, so what stands
--- between is the answer in the one and its place in the other. So rows that were put into the buffer by hand, with the
--- keys of diff mode, become part of its place, and do not come twice when it is accepted. A diff replaces whole rows;
--- marks know nothing of what the new ones stand for.

local parts = require("botglue.ui.parts")
local replace = require("botglue.replace")

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

--- Where some of the rows that an answer adds were put into the buffer further down: what is below the answer begins as
--- they do, so that a diff may show them behind that many rows.
---@param lines string[] of the buffer
---@param first integer of the place
---@param past integer behind the place
---@param shown string[] the answer's side
---@param answer_first integer
---@param answer_past integer
---@return integer? past behind what was put in
---@return integer? count how many rows below the answer are among the added ones there
function M.slid(lines, first, past, shown, answer_first, answer_past)
  local more = (#lines - past) - (#shown - answer_past)
  if more <= 0 then
    return nil
  end
  local function same(row, other, count)
    local rows = vim.list_slice(lines, row + 1, row + count)
    return vim.deep_equal(rows, vim.list_slice(shown, other + 1, other + count))
  end
  local function is_put(added, count)
    local put, rest = past + count, #shown - answer_past - count
    local is_telling = table.concat(lines, "", put + 1, put + more):find("%S")
    local is_there = false
    for row = added + count, answer_past + count - more do
      is_there = is_there or same(put, row, more)
    end
    return is_telling and is_there and same(put + more, answer_past + count, rest)
  end
  --- How often the last of some rows stands there in a run.
  local function run(rows, from, to)
    local row = to
    while row > from and rows[row] == rows[to] do
      row = row - 1
    end
    return to - row
  end
  for added = answer_first, answer_past - 1 do
    -- All of those in the place have to be in the answer.
    local count = run(lines, first, past) <= run(shown, answer_first, added) and 1 or #lines
    -- What is added comes behind the same row on both sides.
    while lines[past] == shown[added] and same(past, added, count) and same(past, answer_past, count) do
      if is_put(added, count) then
        return past + count + more, count
      end
      count = count + 1
    end
  end
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

--- What stands in a text behind what was before a part, and before what was behind it: as far as that is still there.
---@param text string
---@param head string
---@param tail string
---@return integer from
---@return integer to
local function between(text, head, tail)
  local from = replace.shared_head(head, text)
  return from, #text - replace.shared_tail(tail, text:sub(from + 1))
end

--- The place of a part of rows where those are others: behind what is before it, and before what is behind it.
---@param beside botglue.Beside
---@param rows string[]
---@param first integer
---@param column integer? of a block
---@return botglue.Extent
local function part_in(beside, rows, first, column)
  local place, known = { first = first, last = first + #rows - 1 }, beside.place
  if known.spans then
    place.spans = {}
    for i, span in ipairs(known.spans) do
      local row = beside.rows[i]
      local from, to = between(rows[i], row:sub(1, span[1]), row:sub(span[2] + 1))
      local part = parts.of_row(rows[i], span, row, column)
      place.spans[i] = { part and to - #part or from, to }
    end
  else
    local whole, head = table.concat(rows, "\n"), beside.rows[1]:sub(1, known.from)
    local from, to = between(whole, head, beside.rows[#beside.rows]:sub(known.to + 1))
    place.from, place.to = from, to - (#whole - #rows[#rows])
  end
  return place
end

--- Takes rows that were put into the buffer by hand, or given back, for the place of an answer that is part of them:
--- also some of them, as `do` takes with a range. What was changed beside the part on its side, and put in with it, is
--- part of it from then on.
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
  elseif not fits(rows) then
    if place and fits(range:read(place).rows) and not fits(answer) then
      -- What was typed right beside the part on its side is not part of it.
      return place
    elseif #rows == 0 or fits(answer) or (range.shape == "block" and #rows ~= #beside.rows) then
      -- What was beside it was replaced with it.
      range.replaced = true
      return nil
    end
    range.widened = (range.widened or 0) + 1
  end
  place = part_in(beside, rows, first, range.column)
  range:mark(place, range.shape)
  return place
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

--- How many rows are blank, from one end of them.
---@param rows string[]
---@param from integer
---@param step 1|-1
---@param most integer
---@return integer
local function blank_rows(rows, from, step, most)
  local count = 0
  while count < most and not rows[from + count * step]:find("%S") do
    count = count + 1
  end
  return count
end

--- Leaves out blank rows next to the place that are more than the answer begins or ends with. They say nothing, and
--- somebody may have opened them to type in.
---@param place botglue.Extent
---@param past integer behind the place
---@param rows string[]
---@param first integer
---@param answer string[]
---@return string[] rows
---@return integer first
function M.leave_blank(place, past, rows, first, answer)
  local is_point = past == place.first
  local above = is_point and #rows or math.max(place.first - first, 0)
  local under = is_point and #rows or math.max(first + #rows - past, 0)
  above = math.max(blank_rows(rows, 1, 1, above) - blank_rows(answer, 1, 1, #answer), 0)
  under = math.min(under, #rows - above)
  under = math.max(blank_rows(rows, #rows, -1, under) - blank_rows(answer, #answer, -1, #answer), 0)
  return vim.list_slice(rows, above + 1, #rows - under), first + above
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
  local marked = range.shape ~= "insert" and place or nil
  local past = marked and marked.last + 1 or place and place.first
  if beside then
    return take_part(range, place, rows, first, answer, beside)
  end
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
