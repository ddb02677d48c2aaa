--- The ends of marks that look inward, while an edit replaces the text up to them: such marks fall together or change
--- places there, and what is new stands outside of them. Marks that look outward are set at those ends for this one
--- edit; they hold what is new until the range is marked anew. Functions of a buffer only.

local M = {}

local api = vim.api

---@class botglue.Ends marks at the two ends of a mark, in place of its own
---@field head integer?
---@field tail integer?
---@field above integer? in place of the head: the end of what was put over the first rows and what is above them
---@field inward boolean? whether they look inward again
---@field cut "open"|"typed"|nil text was deleted up to an end: what is typed there next takes its place

---@class botglue.Replacement
---@field row integer
---@field col integer
---@field end_row integer
---@field end_col integer
---@field deletes boolean? nothing is put there

---@param bufnr integer
---@param namespace integer
---@param id integer?
---@return integer? row
---@return integer? col
local function where(bufnr, namespace, id)
  local at = id and api.nvim_buf_get_extmark_by_id(bufnr, namespace, id, {}) or {}
  return at[1], at[2]
end

--- Sets a mark in place of an old one: Neovim does not change the gravity of one that is there.
---@param old integer?
---@param right boolean whether it goes along with what is put in at its place
---@return integer
local function set(bufnr, namespace, old, row, col, right)
  if old then
    api.nvim_buf_del_extmark(bufnr, namespace, old)
  end
  -- The text has changed already, the marks have not moved yet: the place may not be there any more.
  return api.nvim_buf_set_extmark(bufnr, namespace, row, col, { right_gravity = right, strict = false })
end

--- Puts a mark's ends where the marks in their place are.
---@param bufnr integer
---@param namespace integer
---@param mark botglue.Mark
---@param ends botglue.Ends?
---@param shape string
---@return botglue.Mark
function M.apply(bufnr, namespace, mark, ends, shape)
  if not ends then
    return mark
  end
  local row, col = where(bufnr, namespace, ends.head)
  local end_row, end_col = where(bufnr, namespace, ends.tail)
  local above, behind = where(bufnr, namespace, ends.above)
  if above and not row then
    -- Whole rows are others' then.
    local is_whole = behind == #(api.nvim_buf_get_lines(bufnr, above, above + 1, false)[1] or "")
    row, col = is_whole and above + 1 or above, is_whole and 0 or behind
  end
  if shape == "line" and end_row and end_col == 0 and end_row > (row or mark.row) then
    end_row, end_col = end_row - 1, math.huge
  end
  return {
    row = row or mark.row,
    col = col or mark.col,
    end_row = end_row or mark.end_row,
    end_col = end_col or mark.end_col,
  }
end

--- An edit is about to replace text of a mark, or all of it: to be called before the marks move.
---@param bufnr integer
---@param namespace integer
---@param mark botglue.Mark with its ends applied
---@param ends botglue.Ends?
---@param shape string
---@param edit botglue.Replacement
---@return botglue.Ends?
function M.hold(bufnr, namespace, mark, ends, shape, edit)
  local row, col, end_row, end_col = mark.row, mark.col, mark.end_row, mark.end_col
  if row > end_row or (row == end_row and col >= end_col and shape ~= "line") then
    return ends
  end
  local at_end = edit.end_row == end_row and edit.end_col == end_col
  if shape == "line" then
    -- Whole rows, whichever way the ends stand within one.
    local last_col = row == end_row and math.max(col, end_col) or end_col
    col = 0
    -- Whole rows up to an empty last one end where that begins, and do not reach it.
    local are_above = edit.col == 0 and edit.end_col == 0 and edit.row < edit.end_row
    at_end = (edit.end_row == end_row and edit.end_col >= last_col and not are_above)
      or (edit.end_row == end_row + 1 and edit.end_col == 0)
  end
  local is_over_first = edit.row < row
    and edit.end_row < end_row
    and (edit.end_row > row or (edit.end_row == row and edit.end_col > 0))
  if shape == "line" and edit.col == 0 and is_over_first then
    ends = ends or {}
    ends.inward = nil
    if ends.head then
      api.nvim_buf_del_extmark(bufnr, namespace, ends.head)
      ends.head = nil
    end
    ends.above = set(bufnr, namespace, ends.above, edit.end_row, edit.end_col, true)
    return ends
  end
  local at_head = edit.row == row and edit.col == col
  local is_inside = (edit.row > row or (edit.row == row and edit.col >= col))
    and (at_end or edit.end_row < end_row or (edit.end_row == end_row and edit.end_col <= end_col))
  if not is_inside or not (at_head or at_end) then
    return ends
  elseif edit.deletes and (shape == "line" or (at_head and at_end)) then
    return ends
  end
  ends = ends or {}
  ends.inward = nil
  ends.cut = edit.deletes and (ends.cut or "open") or nil
  if at_head then
    ends.head = set(bufnr, namespace, ends.head, edit.row, edit.col, false)
  end
  if at_end then
    ends.tail = set(bufnr, namespace, ends.tail, edit.end_row, edit.end_col, true)
  end
  return ends
end

--- Whether any of them is in some rows.
---@param bufnr integer
---@param namespace integer
---@param ends botglue.Ends
---@param first integer
---@param last integer
---@return boolean
function M.is_in(bufnr, namespace, ends, first, last)
  return vim.iter({ "head", "tail", "above" }):any(function(name)
    local row = where(bufnr, namespace, ends[name])
    return row ~= nil and first <= row and row <= last
  end)
end

--- Another edit begins next to them, or the last one is over: from now on they look inward, too. What is typed where
--- text was deleted comes key by key, and what comes otherwise has nothing to do with that.
---
--- Within an edit the text is new already and they are where the old one had them, so a row may be too short for that:
--- better before.
---@param bufnr integer
---@param namespace integer
---@param ends botglue.Ends
---@param is_typing boolean whether the user is typing there
---@return botglue.Ends? ends
function M.turn(bufnr, namespace, ends, is_typing)
  if ends.cut and is_typing then
    ends.cut = "typed"
    return ends
  end
  for _, name in ipairs({ "head", "tail", "above" }) do
    local row, col = where(bufnr, namespace, ends[name])
    if row and ends.cut == "open" then
      api.nvim_buf_del_extmark(bufnr, namespace, ends[name])
      ends[name] = nil
    elseif row and not ends.inward then
      ends[name] = set(bufnr, namespace, ends[name], row, col, name ~= "tail")
    end
  end
  local is_dropped = ends.cut == "open"
  ends.cut, ends.inward = nil, true
  return not is_dropped and ends or nil
end

return M
