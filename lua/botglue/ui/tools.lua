--- The newest tools of a job, each with how it went, in a small window beside its range while the cursor is in that.
---
--- There is one at a time. It takes no focus, covers neither the range nor what is shown below it, and hides other
--- text only where there is no free place. It follows the view's ticks; nothing else of it runs.

local client = require("botglue.client")
local signs_of = require("botglue.ui.signs").of
local text = require("botglue.text")
local windows = require("botglue.ui.windows")

local M = {}

local api = vim.api
local namespace = api.nvim_create_namespace("botglue.tools")

local WIDEST = 44 -- cells
local LEAST = 12
local ZINDEX = 20 -- below completion menus and other people's windows

---@class botglue.ToolList
---@field view botglue.View whose tools they are
---@field bufnr integer
---@field winid integer
---@field width integer it never shrinks
---@field drawn string
---@field at string

--- The lines, and the highlight group of each one's sign.
---@param job botglue.Job
---@return string[] lines
---@return string[] groups
local function lines_of(job, room)
  local signs, rows = signs_of(job.options), job.options.status.rows
  local looks = {
    ok = { signs.landed, "BotglueLanded" },
    error = { signs.failed, "BotglueFailure" },
    denied = { signs.failed, "BotglueFailure" },
    running = { signs.still, "BotglueSpinner" },
    unfinished = { signs.unknown, "BotgluePrompt" },
  }
  local lines, groups = {}, {}
  for i = math.max(#job.tools - rows + 1, 1), #job.tools do
    local tool = job.tools[i]
    local look = looks[tool.status] or looks.unfinished
    local words = text.clean(tool.title or tool.name)
    lines[#lines + 1] = text.fit((" %s %s "):format(look[1], words), room, signs.cut .. " ")
    groups[#groups + 1] = look[2]
  end
  return lines, groups
end

--- Whether the lines of the range leave this much free at the right, each in one row.
---@param window botglue.Window
---@param from integer
---@param to integer
---@param width integer
local function leave_room(window, from, to, width)
  for lnum = from, to do
    local used = windows.width_of(window, lnum)
    if used + width + 1 > windows.columns(window) then
      return false
    end
  end
  return true
end

--- The row of the window, from 0, at which the list goes; nil where there is no place.
---@param window botglue.Window
---@param range { first: integer, last: integer, below: integer } lines, and rows that are shown below them
---@param width integer
---@param height integer
---@return integer?
local function row_for(window, range, width, height)
  local top, bottom = windows.rows(window)
  local start = vim.fn.screenpos(window.winid, range.first, 1).row
  local ending = windows.end_of(window, range.last)
  -- A range that begins above the window, or ends below it, fills it to there.
  local from = start > 0 and start or top
  local to = ending or bottom
  local one_row_a_line = start > 0 and ending and to - from == range.last - range.first
  local row
  if one_row_a_line and height <= to - from + 1 and leave_room(window, range.first, range.last, width) then
    row = from
  elseif from - height >= top then
    row = from - height
  elseif to + range.below + height <= bottom then
    row = to + range.below + 1
  end
  return row and row - window.winrow
end

--- Whether a window of ours is still there.
---@param list botglue.ToolList?
local function is_open(list)
  return list ~= nil and api.nvim_win_is_valid(list.winid)
end

--- Closes the list of a view, if it is its.
---@param view botglue.View
function M.close(view)
  local connection = client.connection()
  local list = connection.tools
  if list and list.view == view then
    connection.tools = nil
    pcall(api.nvim_win_close, list.winid, true)
    pcall(api.nvim_buf_delete, list.bufnr, { force = true })
  end
end

---@param view botglue.View
---@param config table
---@return botglue.ToolList?
local function open(view, config)
  local bufnr = api.nvim_create_buf(false, true)
  vim.bo[bufnr].bufhidden = "wipe"
  local ok, winid = pcall(api.nvim_open_win, bufnr, false, config)
  if not ok then
    -- In the command-line window there can be none.
    api.nvim_buf_delete(bufnr, { force = true })
    return nil
  end
  vim.wo[winid].winhighlight = "NormalFloat:BotglueTools"
  vim.wo[winid].wrap = false
  return { view = view, bufnr = bufnr, winid = winid, width = 0, drawn = "", at = "" }
end

---@param list botglue.ToolList
---@param lines string[]
---@param groups string[]
local function write(list, lines, groups)
  local drawn = table.concat(lines, "\n") .. table.concat(groups)
  if drawn == list.drawn then
    return
  end
  list.drawn = drawn
  api.nvim_buf_set_lines(list.bufnr, 0, -1, false, lines)
  for i, group in ipairs(groups) do
    local length = #lines[i]:match("^ %S+")
    api.nvim_buf_set_extmark(list.bufnr, namespace, i - 1, 0, { end_col = length, hl_group = group })
  end
end

--- The window where the user is, if the cursor is in the range.
---@param view botglue.View
---@param shown botglue.Window[]
---@return botglue.Window?
local function window_of(view, shown)
  local job = view.job
  if job.options.status.rows == 0 or #job.tools == 0 or job.status ~= "running" then
    return nil
  end
  for _, window in ipairs(shown) do
    if window.current then
      local first, last = view:lines()
      local lnum = api.nvim_win_get_cursor(window.winid)[1]
      return lnum >= first and lnum <= last and window or nil
    end
  end
end

--- Opens, moves, fills or closes the list, as the cursor and the tools are now.
---@param view botglue.View
---@param shown botglue.Window[] those that show the buffer
function M.update(view, shown)
  local connection = client.connection()
  local list = connection.tools
  if list and list.view ~= view and is_open(list) then
    return
  end
  local window = window_of(view, shown)
  local room = window and math.min(WIDEST, math.floor(windows.columns(window) * 0.6)) or 0
  if not window or room < LEAST then
    M.close(view)
    return
  end
  local lines, groups = lines_of(view.job, room)
  local width = list and list.width or 0
  for _, line in ipairs(lines) do
    width = math.max(width, api.nvim_strwidth(line))
  end
  local first, last = view:lines()
  local row = row_for(window, { first = first, last = last, below = view.block:height() }, width, #lines)
  if not row then
    M.close(view)
    return
  end
  local config = {
    relative = "win",
    win = window.winid,
    row = row,
    col = window.width - width,
    width = width,
    height = #lines,
    focusable = false,
    style = "minimal",
    zindex = ZINDEX,
  }
  if not is_open(list) then
    config.noautocmd = true
    list = open(view, config)
    connection.tools = list
    config.noautocmd = nil
  end
  if not list then
    return
  end
  list.width = width
  local at = ("%d %d %d %d %d"):format(config.win, row, config.col, width, #lines)
  if at ~= list.at then
    api.nvim_win_set_config(list.winid, config)
    list.at = at
  end
  write(list, lines, groups)
end

return M
