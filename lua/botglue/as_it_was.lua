--- Where all of a range reads as it did: there or next to where its marks have come to, for undo, and rows that were
--- taken out and put back, leave them elsewhere. Only reads; marks are set anew by whoever asks.

local extent = require("botglue.extent")
local locate = require("botglue.locate")
local recognise = require("botglue.recognise")

local M = {}

local api = vim.api

--- Where the answer stands if the text there is as it was when that was written: undo and redo may have left the marks
--- elsewhere.
---@param range botglue.Range
---@param is_in_state fun(bufnr: integer, change: integer): boolean whether the text is in the state that it led to
---@return botglue.Extent? place
---@return botglue.Base? now
function M.written(range, is_in_state)
  local is_loaded = range.change and api.nvim_buf_is_loaded(range.bufnr)
  if not is_loaded or range.written.last >= api.nvim_buf_line_count(range.bufnr) then
    return nil
  end
  local now = range:read(range.written)
  if vim.deep_equal(now, range.landed) and is_in_state(range.bufnr, range.change) then
    return range.written, now
  end
end

--- Where all rows of lines read as they did, and between the rows that were there, where the marks have more: what is
--- around them was joined with them, and split off again.
---@param range botglue.Range
---@param place botglue.Extent
---@return botglue.Extent? place
local function lines_inside(range, place)
  -- What was taken of an answer in a review, and reads as the rows next to it, makes it more.
  local is_reviewed = range.changes ~= nil
  local inside = not is_reviewed and locate.inside(range.bufnr, place, range:expected()) or nil
  local is_met = inside and range.edges:is_answer_around(inside.first, inside.last, place.first, place.last)
  return not is_met and inside or nil
end

--- Where all rows of lines read as they did, in or next to where the marks have come to: none of them from another
--- answer, and none that stood next to them then and reads as one of theirs that was taken away.
---@param range botglue.Range
---@param place botglue.Extent
---@return botglue.Extent? place
function M.lines(range, place)
  local expected = range:expected()
  if range.shape ~= "line" then
    return nil
  elseif place.last - place.first >= #expected.rows then
    return lines_inside(range, place)
  end
  local whole = locate.whole(range.bufnr, place, expected)
  if not whole or range.edges:is_answer_around(place.first, place.last, whole.first, whole.last) then
    return nil
  end
  local now = range:read(whole)
  local above = vim.list_slice(now.rows, 1, place.first - whole.first)
  local below = vim.list_slice(now.rows, place.last - whole.first + 2)
  local is_known = range.arrivals:can_be(whole.first, place.first)
    and range.arrivals:can_be(place.last + 1, whole.last + 1)
    -- What came in behind others that went away since was put there for itself.
    and (#above == 0 or now.above == expected.above or range.edges:was_beside("above", now.above))
    and (#below == 0 or now.below == expected.below or range.edges:was_beside("below", now.below))
  if range.reloaded or range.replaced then
    -- Nobody saw what came with that.
    is_known = now.above == expected.above and now.below == expected.below
    is_known = is_known and not (range.arrivals.is_short and recognise.has_alike(expected))
  end
  local is_other = not is_known
    or (now.above ~= expected.above and range.edges:stood_beside("above", above, expected))
    or (now.below ~= expected.below and range.edges:stood_beside("below", below, expected))
  return not is_other and whole or nil
end

--- Where a part stands if all rows that it is in read as they did: whatever was typed in them and taken back, and also
--- where they were replaced by the same. A row next to them that reads as one of them may be another: then what is
--- around them has to be the same, too.
---@param range botglue.Range
---@param place botglue.Extent as the marks have it
---@return botglue.Extent? place
function M.part(range, place)
  local expected = range:expected()
  local rows, last = expected.rows, place.first + #expected.rows - 1
  local is_part = range.shape == "char" or range.shape == "block"
  if not is_part or last >= api.nvim_buf_line_count(range.bufnr) then
    return nil
  end
  local there = extent.at(place.first, expected, range.shape)
  local now = range:read(there)
  local is_between = now.above == expected.above and now.below == expected.below
  local is_marked = place.last == last and not recognise.has_alike(expected)
  -- What is missing of them, and is there, came in since.
  local is_own = not range.arrivals.is_short or range.arrivals:has_any(place.first, last + 1)
  return is_own and (is_between or is_marked) and vim.deep_equal(now.rows, rows) and there or nil
end

return M
