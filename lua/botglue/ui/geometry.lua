--- Finds and measures windows: which ones show a buffer, and where its rows are on the screen. Opens a window for a
--- buffer that none shows, and computes the place of the plugin's windows beside a range.

local M = {}

local api = vim.api

---@class botglue.Window: vim.fn.getwininfo.ret.item
---@field current boolean whether the user is in it
---@field columns integer the columns for text
---@field bottom integer the last screen row for text
---@field compared boolean whether it is in diff mode

--- Measures a window.
---@param win integer
---@return botglue.Window
function M.info(win)
  local info = vim.fn.getwininfo(win)[1] --[[@as botglue.Window]]
  info.current = win == api.nvim_get_current_win()
  info.compared = vim.wo[win].diff
  info.columns, info.bottom = info.width - info.textoff, info.winrow + info.winbar + info.height - 1
  return info
end

--- The windows of the tab page, by buffer.
---@return table<integer, botglue.Window[]>
function M.snapshot()
  local found = {}
  for _, info in ipairs(vim.tbl_map(M.info, api.nvim_tabpage_list_wins(0))) do
    found[info.bufnr] = vim.list_extend(found[info.bufnr] or {}, { info })
  end
  return found
end

--- The windows that show a buffer.
---@param bufnr integer
---@param first integer? a window that comes first, also from another tab page
---@return integer[]
function M.of(bufnr, first)
  return vim.tbl_filter(function(win)
    return api.nvim_win_is_valid(win) and api.nvim_win_get_buf(win) == bufnr
  end, vim.list_extend({ first }, api.nvim_tabpage_list_wins(0)))
end

--- The first window that shows the buffer and does not float: the current, the previous, or another of the tab page.
---@param bufnr integer? default: any buffer
---@return integer?
function M.plain(bufnr)
  local all = { api.nvim_get_current_win(), vim.fn.win_getid(vim.fn.winnr("#")) }
  for _, win in ipairs(vim.list_extend(all, api.nvim_tabpage_list_wins(0))) do
    local is_plain = win ~= 0 and api.nvim_win_get_config(win).relative == ""
    if is_plain and (not bufnr or api.nvim_win_get_buf(win) == bufnr) then
      return win
    end
  end
end

--- The window in which to show a buffer: `other` if that shows a file, else a window that shows the buffer already,
--- or any one with a file.
---@param other integer
---@param bufnr integer
---@return integer
function M.for_file(other, bufnr)
  local function shows_file(win)
    return vim.bo[api.nvim_win_get_buf(win)].buftype == "" and api.nvim_win_get_config(win).relative == ""
  end
  if api.nvim_win_get_buf(other) == bufnr or shows_file(other) then
    return other
  end
  local all = vim.list_extend(M.of(bufnr), api.nvim_tabpage_list_wins(0))
  return vim.tbl_filter(shows_file, all)[1] or other
end

--- The window that shows a buffer; opens one if there is none.
---@param bufnr integer
---@return integer win
---@return boolean is_new
function M.find_or_open(bufnr)
  local win = M.plain(bufnr)
  if win then
    return win, false
  end
  vim.cmd("topleft split")
  api.nvim_win_set_buf(0, bufnr)
  return api.nvim_get_current_win(), true
end

--- Whether a confirm or input prompt interrupts typing at the end of a row: `nvim_win_call` would then move the
--- cursor back by one.
---@return boolean
function M.is_typing_interrupted()
  local col = api.nvim_win_get_cursor(0)[2]
  return api.nvim_get_mode().mode:find("^[cr]") ~= nil and col > 0 and col >= #api.nvim_get_current_line()
end

--- Calls a function in a window.
---@generic T
---@param window botglue.Window
---@param fn fun(): T
---@return T? nil where it cannot be called now
local function within(window, fn)
  if window.current then
    return fn()
  elseif not M.is_typing_interrupted() then
    return api.nvim_win_call(window.winid, fn)
  end
end

--- The screen row on which a line ends; nil if that is not visible.
---@param window botglue.Window
---@param lnum integer
---@return integer?
function M.end_of(window, lnum)
  if lnum < window.topline or lnum > window.botline then
    return nil
  end
  local view = within(window, vim.fn.winsaveview) or { topfill = 0, skipcol = 0 }
  local rows = { start_row = window.topline - 1, start_vcol = view.skipcol, end_row = lnum - 1 }
  return window.winrow + window.winbar + view.topfill + api.nvim_win_text_height(window.winid, rows).all - 1
end

--- The last line of the closed fold that holds a line; nil if there is none.
---@param window botglue.Window
---@param lnum integer
---@return integer?
function M.fold_end(window, lnum)
  local last = within(window, function()
    return vim.fn.foldclosedend(lnum)
  end)
  return last and last > 0 and last or nil
end

---@class botglue.ScreenSpot the rows of a range on the screen, from 0
---@field first integer
---@field past integer the row after the last one
---@field col integer where its text begins

--- The place of a range on the screen; nil if no row of it is visible.
---@param range botglue.Range
---@param origin integer
---@return botglue.ScreenSpot?
local function spot_of(range, origin)
  local win = M.of(range.bufnr, origin)[1]
  local info = win and M.info(win)
  local first, last = range:lines()
  first, last = math.max(first, 1), math.max(last, 1)
  if not info or last < info.topline or first > info.botline then
    return nil
  end
  -- Rows in a closed fold, and rows of a wrapped line above the window, have no position on the screen.
  local top = math.max(vim.fn.screenpos(win, math.max(first, info.topline), 1).row, info.winrow)
  local past = M.end_of(info, math.min(last, info.botline)) or top
  return { first = top - 1, past = math.max(past, top), col = info.wincol - 1 + info.textoff }
end

---@class botglue.Placed a window that belongs to a range
---@field origin integer a window beside it
---@field spot botglue.ScreenSpot? where the range was last visible
---@field side "below"|"above"|"over"|nil its side of the range, which it keeps if possible

--- The place of a window: below its range if there is room, or more than above; at the bottom of the screen, over the
--- range, if neither side has enough; in the middle of the screen if the range was never visible.
---@param placed botglue.Placed
---@param range botglue.Range?
---@param width integer cells inside
---@param height integer rows inside, if there is room
---@param least integer rows inside that are enough
---@return table config fields for |nvim_open_win()|
function M.beside(placed, range, width, height, least)
  local spot = range and spot_of(range, placed.origin) or placed.spot
  local tabs = vim.o.showtabline == 2 or vim.o.showtabline == 1 and #api.nvim_list_tabpages() > 1
  local first, status = tabs and 1 or 0, vim.o.laststatus > 0 and 1 or 0
  local past = math.max(vim.o.lines - vim.o.cmdheight - status, 1)
  -- Rows on each side, for the window with its border.
  local room = { over = past - first, below = 0, above = 0 }
  if spot then
    room.below, room.above = past - spot.past, spot.first - first
  end
  local best = (room.below >= room.above or room.below >= height + 2) and "below" or "above"
  local side = placed.side and room[placed.side] >= least + 2 and placed.side or best
  side = room[side] >= least + 2 and side or "over"
  placed.spot, placed.side = spot, side
  height = math.max(math.min(height, room[side] - 2), 1)
  local row, col = math.floor((first + past - height - 2) / 2), math.floor((vim.o.columns - width - 2) / 2)
  if spot then
    local rows = { below = spot.past, above = spot.first - height - 2, over = past - height - 2 }
    row, col = rows[side], spot.col
  end
  return {
    relative = "editor",
    row = math.max(row, first),
    col = math.max(math.min(col, vim.o.columns - width - 2), 0),
    width = width,
    height = height,
  }
end

return M
