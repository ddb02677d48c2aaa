--- The windows in which the hunks of a review are drawn: their widths and folds, and the rows that they can show.

local windows = require("botglue.ui.windows")

local M = {}

local api = vim.api
local SIGNS = 500 -- more than hunks are drawn at a time: they are looked at after each key

--- The namespace of the marks in the window with a number.
---@param number integer
---@return integer
function M.namespace(number)
  return api.nvim_create_namespace("botglue.review." .. number)
end

---@param bufnr integer
---@param option string
---@return boolean
local function has_signs(bufnr, option)
  if not option:find("^auto") then
    return option:find("^yes") ~= nil
  end
  local signs = api.nvim_buf_get_extmarks(bufnr, -1, 0, -1, { type = "sign", details = true, limit = SIGNS })
  return vim.iter(signs):any(function(sign)
    return sign[4].sign_hl_group ~= "BotglueDelete"
  end)
end

--- The closed folds in some rows of the current window.
---@param first integer
---@param past integer
---@return { first: integer, last: integer }[]
local function folds(first, past)
  local found, line = {}, first + 1
  while line <= math.min(past, vim.fn.line("$")) do
    local from, to = vim.fn.foldclosed(line), vim.fn.foldclosedend(line)
    if from > 0 then
      found[#found + 1] = { first = from - 1, last = to - 1 }
    end
    line = math.max(line, to) + 1
  end
  return found
end

--- A window in which hunks are drawn: `Pane` in src/ui/review.rs.
---@param win integer
---@return table
local function pane_of(win)
  local info, wo = vim.fn.getwininfo(win)[1], vim.wo[win]
  local view = api.nvim_win_call(win, vim.fn.winsaveview)
  -- That with the head line, whether it is there or not.
  local height = math.max(info.height + info.winbar - 1, 1)
  -- Some heights of the window, so that few scrolls lead to other rows.
  local first = math.max(math.floor((info.topline - 1) / height) - 1, 0) * height
  local past = (math.floor(info.botline / height) + 2) * height
  return {
    win = win,
    width = info.width,
    textoff = info.textoff,
    folds = wo.foldenable and api.nvim_win_call(win, function()
      return folds(first, past)
    end) or {},
    leftcol = wo.wrap and 0 or view.leftcol,
    scrolls = not wo.wrap,
    foldcolumn = tonumber(wo.foldcolumn:match("%d$")) or 0,
    has_signs = wo.statuscolumn == "" and has_signs(info.bufnr, wo.signcolumn),
    tabstop = vim.bo[info.bufnr].tabstop,
    height = height,
    first = first,
    past = past,
  }
end

--- The panes to draw. A window in diff mode shows no hunks.
---@param bufnr integer
---@return table[]
function M.of(bufnr)
  local wins = vim.tbl_filter(function(win)
    return not vim.wo[win].diff
  end, windows.of(bufnr))
  return vim.tbl_map(pane_of, wins)
end

return M
