--- Lists the newest tools of a job and their results in a small window beside its range while the cursor is in it.
---
--- There is one such window at a time. It takes no focus, covers neither the range nor the rows below it, and hides
--- other text only if there is no free place. It has no timer of its own.

local connection = require("botglue.host.connection")
local text = require("botglue.util.text")
local windows = require("botglue.ui.windows")

local M = {}

local api = vim.api
local namespace = api.nvim_create_namespace("botglue.tools")

local ENOUGH = 3 -- rows beside the range, rather than all of them somewhere else
local ZINDEX = 20 -- below completion menus and other people's windows

---@class botglue.ToolList
---@field hung botglue.Hung whose tools they are
---@field bufnr integer
---@field winid integer
---@field width integer it never shrinks
---@field drawn botglue.Chunks[] its rows
---@field at string

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

---@class botglue.OnScreen rows of the screen
---@field from integer
---@field to integer
---@field below integer how many of ours are shown below it
---@field is_free (fun(width: integer): boolean)? whether there is room at its right; none: it has no row for each line

--- The screen row for a list of this height; nil if there is no room.
---@param window botglue.Window
---@param range botglue.OnScreen
---@param width integer
---@param height integer
---@return integer? row
---@return integer? height it may be less, beside the range
local function row_for(window, range, width, height)
  local top, bottom = windows.rows(window)
  local beside = math.min(height, range.to - range.from + 1)
  if range.is_free and beside >= math.min(height, ENOUGH) and range.is_free(width) then
    return range.from, beside
  elseif range.from - height >= top then
    return range.from - height, height
  elseif range.to + range.below + height <= bottom then
    return range.to + range.below + 1, height
  end
end

--- The place of the range on the screen.
---@param hung botglue.Hung
---@param place botglue.HungPlace
---@param window botglue.Window
---@return botglue.OnScreen
local function on_screen(hung, place, window)
  local first, last = place.first, place.last
  local top, bottom = windows.rows(window)
  local start = vim.fn.screenpos(window.winid, first, 1).row
  local ending = windows.end_of(window, last)
  -- A range that begins above the window, or ends below it, fills it to there.
  local range = { from = start > 0 and start or top, to = ending or bottom, below = hung.block:height() }
  if start > 0 and ending and ending - start == last - first then
    range.is_free = function(width)
      return leave_room(window, first, last, width)
    end
  end
  return range
end

--- Whether a window of ours is still there.
---@param list botglue.ToolList?
local function is_open(list)
  return list ~= nil and api.nvim_win_is_valid(list.winid)
end

--- Closes the list of a job, if it is its.
---@param hung botglue.Hung
function M.close(hung)
  local list = connection.tools
  if list and list.hung == hung then
    connection.tools = nil
    pcall(api.nvim_win_close, list.winid, true)
    pcall(api.nvim_buf_delete, list.bufnr, { force = true })
  end
end

---@param hung botglue.Hung
---@param config table
---@return botglue.ToolList?
local function open(hung, config)
  local bufnr = require("botglue.ui.scratch").make()
  local ok, winid = pcall(api.nvim_open_win, bufnr, false, config)
  if not ok then
    -- In the command-line window there can be none.
    pcall(api.nvim_buf_delete, bufnr, { force = true })
    return nil
  end
  vim.wo[winid].winhighlight = "NormalFloat:BotglueTools"
  vim.wo[winid].wrap = false
  return { hung = hung, bufnr = bufnr, winid = winid, drawn = {}, width = 0, at = "" }
end

--- The window where the user is, if the cursor is in the range.
---@param hung botglue.Hung
---@param place botglue.HungPlace
---@return botglue.Window?
local function window_of(hung, place)
  for _, window in ipairs(#hung.tools > 0 and not hung.ended and place.shown or {}) do
    if window.current then
      local lnum = api.nvim_win_get_cursor(window.winid)[1]
      return lnum >= place.first and lnum <= place.last and window or nil
    end
  end
end

--- Draws rows, where they are others than before.
---@param list botglue.ToolList
---@param rows botglue.Chunks[]
---@return boolean changed
local function fill(list, rows)
  if vim.deep_equal(rows, list.drawn) then
    return false
  end
  list.drawn = rows
  api.nvim_buf_clear_namespace(list.bufnr, namespace, 0, -1)
  api.nvim_buf_set_lines(list.bufnr, 0, -1, false, vim.tbl_map(text.of_chunks, rows))
  for i, chunks in ipairs(rows) do
    local overlay = { virt_text = chunks, virt_text_pos = "overlay" }
    api.nvim_buf_set_extmark(list.bufnr, namespace, i - 1, 0, overlay)
  end
  return true
end

--- Opens, moves, fills or closes the list, as the cursor and the tools are now.
---@param hung botglue.Hung
---@param place botglue.HungPlace
function M.update(hung, place)
  local list = connection.tools
  if list and list.hung ~= hung and is_open(list) then
    return
  end
  local window = window_of(hung, place)
  if not window then
    M.close(hung)
    return
  end
  local lines = hung.tools
  local width = list and list.width or 0
  for _, line in ipairs(lines) do
    width = math.max(width, api.nvim_strwidth(text.of_chunks(line)))
  end
  local range, row, height = on_screen(hung, place, window), nil, nil
  for wanted = #lines, 1, -1 do
    row, height = row_for(window, range, width, wanted)
    if row then
      break
    end
  end
  if not row then
    M.close(hung)
    return
  end
  local config = {
    relative = "win",
    win = window.winid,
    row = row - window.winrow,
    col = window.width - width,
    width = width,
    height = height,
    focusable = false,
    style = "minimal",
    zindex = ZINDEX,
  }
  if not is_open(list) then
    config.noautocmd = true
    list = open(hung, config)
    connection.tools = list
    config.noautocmd = nil
  end
  if not list then
    return
  end
  list.width = width
  local at = ("%d %d %d %d %d"):format(config.win, config.row, config.col, width, height)
  if at ~= list.at then
    api.nvim_win_set_config(list.winid, config)
    list.at = at
  end
  -- The newest ones, if there is no room for all.
  if fill(list, vim.list_slice(lines, #lines - height + 1)) then
    -- Rows that come or go above the cursor would scroll the window.
    api.nvim_win_set_cursor(list.winid, { 1, 0 })
  end
end

return M
