--- Tells what happens to a piece of a buffer as a whole: somebody deleted it, or other text was put over it, or over it
--- and what is around it, as a formatter does. What edits inside and beside it mean is none of its business.

local M = {}

---@class botglue.Piece
---@field row integer
---@field col integer
---@field end_row integer
---@field end_col integer
---@field intact boolean whether there is anything left of it

---@class botglue.RowChange
---@field row integer where it begins
---@field old integer how many rows the old text went on for
---@field new integer how many the new one does
---@field first integer the first row that came or went as a whole
---@field gone_past integer the row behind the last one that went, as they were numbered before
---@field past integer the row behind the last one that came

---@alias botglue.Fate "deleted"|"covered"|"replaced"|"reloaded" "replaced": what is around it, too

---@class botglue.Watcher called within a change, when the text is new and the marks have not moved yet: nothing may be
--- written
---@field begin fun(change: botglue.RowChange) a change
---@field cut fun() whole rows are taken away, maybe to be moved
---@field moved fun(row: integer, rows: integer, to: integer) they were moved, as `:move` does, with the marks in them:
---from this row on, to above another one of those that are left
---@field replace fun(edit: botglue.Replacement) it puts text, or nothing, in the place of other text, wherever
---@field piece fun(): botglue.Piece? where the piece is
---@field tell fun(what: botglue.Fate, was_intact: boolean, is_whole: boolean?) of what was deleted, whether that was
---whole rows
---@field undone fun(first: integer, last: integer) an undo or redo is over, which changed something in these rows: the
---marks have moved, but the state of the undo tree is still the one before

---@param row integer
---@param col integer
---@param other_row integer
---@param other_col integer
local function is_behind(row, col, other_row, other_col)
  return row > other_row or (row == other_row and col > other_col)
end

--- What a change means for rows: one of which something is left in front of it stays that row, else the one of which
--- something is left behind it.
---@param row integer
---@param col integer
---@param old integer
---@param new integer
---@return botglue.RowChange
local function row_change(row, col, old, new)
  local first = col > 0 and row + 1 or row
  return { row = row, old = old, new = new, first = first, gone_past = first + old, past = first + new }
end

--- Watches until the returned function is called, or the buffer is unloaded or read again.
---@param bufnr integer a loaded buffer
---@param watcher botglue.Watcher
---@return fun() stop
function M.start(bufnr, watcher)
  local stopped = false
  -- The rows that were put in by the same command: a filter puts its output below its input, which it then deletes.
  local put = nil
  -- The rows that the last change is in. What an undo changes is told piece by piece, within one tick, and each piece
  -- moves those below it.
  local changed = { tick = -1, first = 0, last = 0 }
  local cut = nil -- whole rows that the last change took away

  local function note_change(tick, row, old_rows, new_rows)
    if tick ~= changed.tick then
      changed.tick, changed.first, changed.last = tick, row, row + new_rows
      return
    end
    local last = changed.last < row + old_rows and changed.last or changed.last + new_rows - old_rows
    changed.first, changed.last = math.min(changed.first, row), math.max(last, row + new_rows)
  end

  --- Moving rows is told as two changes in one tick: they are taken away, and put in elsewhere.
  local function note_whole(tick, row, old_rows, new_rows)
    local moved = cut and cut.tick == tick and old_rows == 0 and new_rows == cut.rows and cut or nil
    cut = old_rows > 0 and new_rows == 0 and { tick = tick, row = row, rows = old_rows } or nil
    if cut then
      watcher.cut()
    elseif moved then
      watcher.moved(moved.row, moved.rows, row)
    end
  end

  local function note_insertion(row, rows)
    put = { first = row, past = row + rows }
    local this = put
    vim.schedule(function()
      if put == this then
        put = nil
      end
    end)
  end

  vim.api.nvim_buf_attach(bufnr, false, {
    on_bytes = function(_, _, tick, row, col, _, old_rows, old_col, _, new_rows, new_col)
      if stopped then
        return true
      end
      note_change(tick, row, old_rows, new_rows)
      watcher.begin(row_change(row, col, old_rows, new_rows))
      if col == 0 and old_col == 0 and new_col == 0 then
        note_whole(tick, row, old_rows, new_rows)
      else
        cut = nil
      end
      if old_rows == 0 and old_col == 0 then
        if new_rows > 0 then
          note_insertion(row, new_rows)
        end
        return
      end
      local end_row, end_col = row + old_rows, old_rows == 0 and col + old_col or old_col
      local deletes = new_rows == 0 and new_col == 0
      watcher.replace({ row = row, col = col, end_row = end_row, end_col = end_col, deletes = deletes })
      local at, tell = watcher.piece(), watcher.tell
      if
        not at
        or is_behind(row, col, at.row, at.col)
        or is_behind(at.end_row, at.end_col, end_row, end_col)
      then
        return
      end
      local emptied = vim.api.nvim_buf_line_count(bufnr) == 1
        and vim.api.nvim_buf_get_lines(bufnr, 0, 1, false)[1] == ""
      if emptied or deletes then
        local filtered = put and (put.first == end_row or put.past == row)
        local is_whole = col == 0 and old_col == 0 and not emptied
        tell(filtered and "replaced" or "deleted", at.intact, is_whole)
      elseif row < at.row or is_behind(end_row, end_col, at.end_row + 1, 0) then
        tell("replaced", at.intact)
      else
        tell("covered", at.intact)
      end
    end,
    -- Each undo and redo ends with this.
    on_changedtick = function()
      if stopped then
        return true
      elseif changed.tick >= 0 then
        watcher.undone(changed.first, changed.last)
      end
    end,
    -- An undo of reading it again does the same, but ends no watch and is no event.
    on_reload = function()
      if not stopped then
        watcher.tell("reloaded", true)
      end
    end,
  })
  return function()
    stopped = true
  end
end

return M
