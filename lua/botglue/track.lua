--- Keeps the marks of a range where its text is. What a change of the buffer means for them is told while it happens,
--- at its end, or once it is over: they are set anew where they went astray, and where they tell nothing any more that
--- is noted, and the next look at the range finds out.

local as_it_was = require("botglue.as_it_was")
local extent = require("botglue.extent")
local recognise = require("botglue.recognise")
local soon = require("botglue.soon")
local undo_tree = require("botglue.undo_tree")

local M = {}

local api = vim.api

local NEAR = 2 -- rows from a range to a change that may have brought rows of it back

--- A range that was taken away as whole rows is about to see a change.
---@param range botglue.Range
local function see_gone(range)
  local tick = api.nvim_buf_get_changedtick(range.bufnr)
  if range.gone and range.gone.tick ~= tick then
    range.gone.tick, range.gone.flat = tick, range:marked() == nil
  end
end

--- Marks lines anew where some of them were moved: their marks went along. Rows that were moved out of them are no more
--- theirs, and rows that were moved past some of them still are.
---@param range botglue.Range
---@param row integer
---@param rows integer
---@param to integer
local function see_moved(range, row, rows, to)
  if range.gone and range.gone.since == api.nvim_buf_get_changedtick(range.bufnr) then
    -- They were taken away to be put there.
    range.deleted, range.gone = false, nil
  end
  local place = range.cut and extent.moved(range.cut, row, rows, to)
  range.cut = nil
  if not place or not range.edges or range.deleted or range.reloaded or range.replaced then
    return
  end
  -- By an undo they may stand as they did.
  local first, last = range.edges:see(place.first, place.last, range.arrivals, true)
  place = first and { first = first, last = last } or place
  if not vim.deep_equal(range:place(), place) then
    range:mark(place, "line")
  end
end

--- Marks lines anew where they stand as they were seen before: rows were moved over their ends and back again.
---@param range botglue.Range
---@param is_undone boolean whether by undo or redo
local function see_edges(range, is_undone)
  local is_doubted = range.deleted or range.reloaded or range.replaced
  local place = range.edges and not is_doubted and range:place()
  local first, last
  if place then
    first, last = range.edges:see(place.first, place.last, range.arrivals, is_undone)
  end
  if first then
    range:mark({ first = first, last = last }, "line")
  elseif place and not is_undone and range:is_expected(range:read(place)) then
    range.arrivals:clear()
  end
end

--- The same once what is happening to the buffer is over.
---@param range botglue.Range
local function see_edges_soon(range)
  range.sees_edges = range.sees_edges or soon.once(function()
    see_edges(range, false)
  end)
  range.sees_edges()
end

--- Sees what was put in, once what is happening to the buffer is over: it may be a copy.
---@param range botglue.Range
local function see_copy_soon(range)
  range.sees_copy = range.sees_copy
    or soon.once(function()
      if range.marks and api.nvim_buf_is_loaded(range.bufnr) then
        recognise.see_copy(range)
      end
    end)
  range.sees_copy()
end

--- Marks a range anew where an undo or a redo has brought back what is expected, and left the marks elsewhere. At
--- once, for the next edit may hide it.
---@param range botglue.Range
---@param first integer the rows in which that changed something
---@param last integer
local function see_undone(range, first, last)
  range.arrivals:come_to(undo_tree.coming(range.bufnr))
  local at, written = range.marks:outline(), range.change and range.written
  local is_at_marks = at and first <= at.end_row + 1 and last >= at.row
  if not is_at_marks and not (written and first <= written.last + 1 and last >= written.first) then
    return
  end
  if range.gone and range.gone.flat and range:marked() then
    range.gone = nil
  end
  local place, _, turned = range:place()
  local found = not vim.deep_equal(place, written) and as_it_was.written(range, undo_tree.is_redoing) or nil
  if not found and place and not (range.reloaded or range.replaced) then
    local same = range:is_expected(range:read(place))
    found = not same and as_it_was.lines(range, place)
      or (same and (turned or range.deleted) and place)
      or nil
  end
  if found then
    range.deleted = false
    range:mark(found, range.shape)
  else
    see_edges(range, true)
  end
end

--- Notes what became of it as a whole.
---@param range botglue.Range
---@param what botglue.Fate|"held"
---@param was_intact boolean?
---@param is_whole boolean?
local function note_fate(range, what, was_intact, is_whole)
  if what == "deleted" then
    range.deleted, range.replaced = true, false
    local tick = api.nvim_buf_get_changedtick(range.bufnr)
    local is_gone = is_whole and (range.shape == "line" or range.shape == "char")
    range.gone = range.gone or (is_gone and { since = tick, tick = tick, flat = true }) or nil
    return
  elseif what == "reloaded" then
    range.reloaded, range.reads = true, (range.reads or 0) + 1
    range.arrivals:forget()
    if range.changes then
      range.changes()
    end
  elseif what == "replaced" and (was_intact or not range.deleted) then
    range.deleted, range.replaced = false, true
    range.arrivals:forget(true)
    range.changed = range.edges ~= nil and not range.edges:read_last(range:expected().rows)
  elseif what == "replaced" then
    return
  end
  range:look_soon()
end

--- Notes what undo may come back to, once what is happening to the buffer is over.
---@param range botglue.Range
local function note_state_soon(range)
  range.notes_state = range.notes_state
    or soon.once(function()
      if api.nvim_buf_is_loaded(range.bufnr) then
        range.arrivals:note_state(undo_tree.state(range.bufnr))
      end
    end)
  range.notes_state()
end

--- The last row of a range within a change, above the first one where nothing is left of it: what stands behind lines
--- tells where their last one went away.
---@param range botglue.Range
---@param at botglue.Piece
---@return integer
local function last_row(range, at)
  local fence = range.shape == "line" and range.marks:get(range.marks.ids[2])
  local last = fence and (fence.col == 0 and fence.row - 1 or fence.row) or at.end_row
  return math.min(last, at.end_row)
end

--- Notes which rows go away in a range, and which come in there or next to it.
---@param range botglue.Range
---@param change botglue.RowChange
local function note_rows(range, change)
  local at = range.marks:outline()
  local is_near = not at or (change.row <= at.end_row + NEAR and change.row + change.old >= at.row - NEAR)
  range.arrivals:note(change, at and { row = at.row, end_row = last_row(range, at) }, is_near)
  if range.arrivals.is_short or (is_near and change.old + change.new > 0) then
    note_state_soon(range)
  end
end

--- Notes a change, within it.
---@param range botglue.Range
---@param change botglue.RowChange
local function note_change(range, change)
  local row, old, new = change.row, change.old, change.new
  see_gone(range)
  note_rows(range, change)
  if range.changes then
    range.changes()
  end
  if range.edges and range.edges:note_change(row, old, new) then
    see_edges_soon(range)
  end
  if recognise.note_change(range, row, old, new) then
    if range.deleted then
      -- It may be put back, and be changed then.
      range:look_soon()
    end
    see_copy_soon(range)
  end
end

--- Notes a change of a buffer in which nobody knows where the range is: undo may bring that back.
---@param range botglue.Range
local function note_lost(range)
  if range.changes then
    range.changes()
  end
end

--- Watches a range for what makes its marks worthless: other text over it and its surroundings.
---@param range botglue.Range
function M.start(range)
  range.arrivals:note_state(undo_tree.state(range.bufnr))
  local function unless_lost(fn)
    return function(...)
      if range.lost then
        note_lost(range)
      else
        fn(...)
      end
    end
  end
  range.marks:watch({
    begin = unless_lost(function(change)
      note_change(range, change)
    end),
    tell = function(what, was_intact, is_whole)
      if not range.lost or what == "reloaded" then
        note_fate(range, what, was_intact, is_whole)
      end
    end,
    undone = unless_lost(function(first, last)
      see_undone(range, first, last)
    end),
    cut = unless_lost(function()
      range.cut = range.shape == "line" and range:place() or nil
    end),
    moved = unless_lost(function(row, rows, to)
      see_moved(range, row, rows, to)
    end),
  })
end

return M
