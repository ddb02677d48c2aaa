--- The windows in which the hunks of a review are drawn: their widths and the rows that they can show.

local windows = require("botglue.ui.windows")

local M = {}

local api = vim.api

---@class botglue.ReviewPane a window in which the hunks are drawn
---@field winid integer
---@field namespace integer
---@field columns integer cells for text
---@field textoff integer
---@field folds table<integer, integer> for rows at which hunks are drawn the first line of the closed fold, or -1
---@field leftcol integer how many are out of sight at the left
---@field scrolls boolean whether virtual lines scroll sideways with the text
---@field fold integer cells of the fold column
---@field has_signs boolean whether there is a sign column
---@field tabstop integer
---@field height integer
---@field first integer the rows to draw, from 0: those that are shown, and as many above and below them
---@field past integer

--- Whether the sign column is there without signs of ours.
---@param win integer
---@param namespaces table<integer, boolean> those that are ours
---@return boolean
local function has_signs(win, namespaces)
  local option = vim.wo[win].signcolumn
  if option:find("^yes") then
    return true
  elseif not option:find("^auto") then
    return false
  end
  local signs =
    api.nvim_buf_get_extmarks(api.nvim_win_get_buf(win), -1, 0, -1, { type = "sign", details = true })
  return vim.iter(signs):any(function(sign)
    return not namespaces[sign[4].ns_id]
  end)
end

---@param win integer
---@param namespace integer
---@param namespaces table<integer, boolean>
---@return botglue.ReviewPane
local function pane_of(win, namespace, namespaces)
  local info = vim.fn.getwininfo(win)[1]
  local view = api.nvim_win_call(win, vim.fn.winsaveview)
  local top, bottom = vim.fn.line("w0", win), vim.fn.line("w$", win)
  return {
    winid = win,
    namespace = namespace,
    columns = math.max(info.width - info.textoff, 1),
    textoff = info.textoff,
    folds = {},
    leftcol = vim.wo[win].wrap and 0 or view.leftcol,
    scrolls = not vim.wo[win].wrap,
    fold = tonumber(vim.wo[win].foldcolumn:match("%d$")) or 0,
    has_signs = vim.wo[win].statuscolumn == "" and has_signs(win, namespaces),
    tabstop = vim.bo[info.bufnr].tabstop,
    height = info.height,
    first = math.max(top - 1 - info.height, 0),
    past = bottom + info.height,
  }
end

--- Whether what was drawn in a window is not what is to be drawn there any more: it was scrolled, its gutter became
--- another, or a fold was opened or closed.
---@param pane botglue.ReviewPane
---@return boolean
function M.is_stale(pane)
  if not api.nvim_win_is_valid(pane.winid) then
    return true
  end
  return api.nvim_win_call(pane.winid, function()
    local leftcol = pane.scrolls and vim.fn.winsaveview().leftcol or pane.leftcol
    for row, start in pairs(pane.folds) do
      if vim.fn.foldclosed(row + 1) ~= start then
        return true
      end
    end
    return vim.fn.line("w0") - 1 < pane.first
      or vim.fn.line("w$") > pane.past
      or leftcol ~= pane.leftcol
      or vim.fn.getwininfo(pane.winid)[1].textoff ~= pane.textoff
  end)
end

--- The panes to draw, each with its own namespace. A window in diff mode shows no hunks.
---@param bufnr integer
---@return botglue.ReviewPane[]
function M.of(bufnr)
  local wins = vim.tbl_filter(function(win)
    return not vim.wo[win].diff
  end, windows.of(bufnr))
  local namespaces, ours = {}, {}
  for i in ipairs(wins) do
    namespaces[i] = api.nvim_create_namespace("botglue.review." .. i)
    ours[namespaces[i]] = true
  end
  local panes = {}
  for i, win in ipairs(wins) do
    panes[i] = pane_of(win, namespaces[i], ours)
    api.nvim__ns_set(namespaces[i], { wins = { win } })
  end
  return panes
end

return M
