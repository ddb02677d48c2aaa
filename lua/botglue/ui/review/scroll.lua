--- Scrolls windows because of virtual lines: keeps the cursor in its screen row when lines are drawn above it, shows
--- the ones above the first line, and makes the hunk visible that the cursor goes to.

local windows = require("botglue.ui.geometry")

local M = {}

local api = vim.api

--- How many screen rows some lines take in the current window, with the virtual lines between them; the virtual lines
--- above the first one count only with `with_fill`.
---@param first integer from 1
---@param last integer
---@param with_fill boolean?
---@return integer
local function height(first, last, with_fill)
  local range = { start_row = first - 1, end_row = last - 1, start_vcol = not with_fill and 0 or nil }
  return api.nvim_win_text_height(0, range).all
end

--- How many virtual lines are above a line in the current window.
---@param line integer
---@return integer
local function fill_above(line)
  return height(line, line, true) - height(line, line)
end

--- The first line of the closed fold that holds a line, or the line itself if it is in none.
---@param line integer
---@return integer
local function fold_start(line)
  local start = vim.fn.foldclosed(line)
  return start > 0 and start or line
end

--- The height of the current window's winbar: 0 or 1.
---@return integer
local function bar()
  return vim.fn.getwininfo(api.nvim_get_current_win())[1].winbar
end

--- How many screen rows are above the cursor's line in the current window, with its winbar.
---@return integer? nil if its topmost line is cut, or below the cursor's
local function rows_above()
  local view = vim.fn.winsaveview()
  local line = fold_start(view.lnum)
  if view.skipcol > 0 or line < view.topline then
    return nil
  end
  return height(view.topline, line) - height(line, line) + view.topfill + bar()
end

--- Scrolls the current window so that this many of its rows are above the cursor's line, if possible. Virtual lines
--- above the first line are visible only by the `topfill` of the view.
---@param rows integer
local function scroll_to(rows)
  local line, last = fold_start(vim.fn.line(".")), vim.fn.line("$")
  if last <= vim.fn.winheight(0) and height(1, last, true) <= vim.fn.winheight(0) then
    -- The whole buffer fits into the window.
    vim.fn.winrestview({ topline = 1, topfill = fill_above(1) })
    return
  end
  local own, top = height(line, line), line
  while top > 1 and height(top, line, true) - own < rows do
    top = fold_start(top - 1)
  end
  local fill = fill_above(top)
  local shown = math.min(math.max(rows - (height(top, line) - own), 0), fill)
  if top == 1 then
    shown = math.min(fill, math.max(vim.fn.winheight(0) - height(1, line), 0))
  end
  vim.fn.winrestview({ topline = top, topfill = shown })
end

--- Draws, and keeps the cursor in its screen row in each window of a buffer.
---@param bufnr integer
---@param draw fun()
function M.keep(bufnr, draw)
  local rows = {}
  for _, win in ipairs(windows.of(bufnr)) do
    rows[win] = api.nvim_win_call(win, rows_above)
  end
  draw()
  for win, above in pairs(rows) do
    api.nvim_win_call(win, function()
      if rows_above() ~= above or vim.fn.line("w0") == 1 then
        scroll_to(math.max(above - bar(), 0))
      end
    end)
  end
end

--- Shows the virtual lines above line 1 in a window whose topmost line is that one.
---@param win integer
function M.show_top(win)
  api.nvim_win_call(win, function()
    if vim.fn.line("w0") == 1 then
      vim.fn.winrestview({ topfill = fill_above(1) })
    end
  end)
end

--- Scrolls the current window so that a hunk under the cursor is visible to its end, if there is room.
---@param past integer the row after the ones that the hunk deletes, from 0
function M.reveal(past)
  vim.cmd("normal! zv")
  local view = vim.fn.winsaveview()
  local last = math.min(math.max(past, 1), api.nvim_buf_line_count(0))
  local below = last < api.nvim_buf_line_count(0) and fill_above(last + 1) or 0
  if height(math.min(view.topline, view.lnum), last) + view.topfill + below > vim.fn.winheight(0) then
    local top = math.max(view.lnum - vim.wo.scrolloff, 1)
    vim.fn.winrestview({ topline = top, topfill = fill_above(top) })
  end
end

return M
