--- Draws the hunks of a review as marks in a window of its buffer. The host says which marks, for the windows that were
--- reported; which lines are above a closed fold is known here alone.

local M = {}

local api = vim.api

--- Takes away what is drawn.
---@param bufnr integer
---@param pane botglue.ReviewPane
function M.clear(bufnr, pane)
  api.nvim_buf_clear_namespace(bufnr, pane.namespace, 0, -1)
end

---@class botglue.PaintedPane
---@field marks [integer, integer, vim.api.keyset.set_extmark][] row, byte and options
---@field above [integer, integer, boolean, botglue.Chunks[]][] the row that lines are above, the one that they hang on
---where no closed fold has it, and whether above that

--- The row that lines above a row hang on, and whether above it. A closed fold hides what is at its rows.
---@param pane botglue.ReviewPane
---@param row integer
---@param last integer the last row of the buffer
---@param otherwise integer
---@param is_above boolean
---@return integer row
---@return boolean above
local function above_fold(pane, row, last, otherwise, is_above)
  local from, to = unpack(api.nvim_win_call(pane.winid, function()
    return { vim.fn.foldclosed(row + 1), vim.fn.foldclosedend(row + 1) }
  end))
  pane.folds[row] = from
  if from > 1 then
    return from - 2, false
  elseif from == 1 and to <= last then
    return to, true
  end
  return math.max(math.min(otherwise, last), 0), is_above
end

--- Draws what the host says for a window, in place of what was drawn before.
---@param bufnr integer
---@param pane botglue.ReviewPane
---@param painted botglue.PaintedPane
function M.draw(bufnr, pane, painted)
  M.clear(bufnr, pane)
  local last = api.nvim_buf_line_count(bufnr) - 1
  -- The one row of a buffer without text does not go.
  local is_empty = last == 0 and api.nvim_buf_get_lines(bufnr, 0, 1, false)[1] == ""
  local function mark(row, col, opts)
    -- One that undo brought back would be where the text was.
    opts.undo_restore = false
    api.nvim_buf_set_extmark(bufnr, pane.namespace, row, col, opts)
  end
  for _, above in ipairs(painted.above) do
    local row, is_above = above_fold(pane, above[1], last, above[2], above[3])
    -- Of marks at one place those with gravity to the left come first.
    mark(row, 0, {
      virt_lines = above[4],
      virt_lines_above = is_above,
      virt_lines_overflow = "trunc",
      right_gravity = false,
    })
  end
  for _, each in ipairs(painted.marks) do
    local row, col, opts = unpack(each)
    if not is_empty then
      mark(row, col, opts)
    elseif opts.virt_lines then
      opts.virt_lines_above = true
      mark(0, 0, opts)
    end
  end
end

return M
