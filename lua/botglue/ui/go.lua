--- Goes to a place: in the current window, or from a list in the window from which the list was opened.

local fail = require("botglue.host.errors").fail

local M = {}

local api = vim.api

--- The window for a buffer: the one that was come from, unless that has no file, as a quickfix list or an answer in
--- the review. Then one beside it that shows the buffer already, or has another file.
---@param origin integer
---@param bufnr integer
---@return integer
local function window_for(origin, bufnr)
  local function shows_file(win)
    return vim.bo[api.nvim_win_get_buf(win)].buftype == "" and api.nvim_win_get_config(win).relative == ""
  end
  if api.nvim_win_get_buf(origin) == bufnr or shows_file(origin) then
    return origin
  end
  local files = vim.tbl_filter(shows_file, api.nvim_tabpage_list_wins(api.nvim_win_get_tabpage(origin)))
  local shown = vim.iter(files):find(function(win)
    return api.nvim_win_get_buf(win) == bufnr
  end)
  return shown or files[1] or origin
end

--- Shows a place in the current window; the jump can be taken back with CTRL-O.
---@param bufnr integer
---@param row integer from 1
---@param col integer from 0
function M.to(bufnr, row, col)
  vim.cmd("normal! m'")
  -- Where the window must keep its buffer, or the buffer cannot be left, it is shown beside it.
  if api.nvim_win_get_buf(0) ~= bufnr and not pcall(vim.cmd.buffer, bufnr) then
    vim.cmd.sbuffer(bufnr)
  end
  row = math.max(math.min(row, api.nvim_buf_line_count(bufnr)), 1)
  api.nvim_win_set_cursor(0, { row, col })
  vim.cmd("normal! zv")
end

---@class botglue.ListOrigin what an action is asked for from: a list, which it closes before it shows something else
---@field origin integer the window from which that was opened
---@field opening table?
---@field close fun(self: botglue.ListOrigin)

--- Closes a list, and shows a place in the window from which it was opened.
---@param float botglue.ListOrigin
---@param bufnr integer
---@param row integer from 1
---@param col integer from 0
function M.show(float, bufnr, row, col)
  float:close()
  if api.nvim_win_is_valid(float.origin) then
    api.nvim_set_current_win(window_for(float.origin, bufnr))
  end
  M.to(bufnr, row, col)
end

--- The buffer of a path, read if need be.
---@param path string
---@return integer bufnr
function M.load(path)
  local bufnr = require("botglue.editor.load").file(path)
  return bufnr
    or fail(
      path == "" and "it was in a buffer without a file, which is gone" or "%s is not there any more",
      path
    )
end

return M
