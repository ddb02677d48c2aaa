--- Places a window that belongs to a range: below its rows on the screen or above them, and elsewhere only if there is
--- no room there. The prompt's window stays on its first side as long as there is room.

local windows = require("botglue.ui.windows")

local M = {}

---@class botglue.ScreenSpot the rows of a range on the screen, from 0
---@field first integer
---@field past integer the row after the last one
---@field col integer where its text begins

--- The place of a range on the screen; nil if no row of it is visible.
---@param range botglue.Range
---@param origin integer
---@return botglue.ScreenSpot?
local function spot_of(range, origin)
  local win = windows.of(range.bufnr, origin)[1]
  local info = win and windows.info(win)
  local first, last = range:lines()
  first, last = math.max(first, 1), math.max(last, 1)
  if not info or last < info.topline or first > info.botline then
    return nil
  end
  -- The rows of a closed fold, and those of a wrapped line above the window, have no position.
  local top = math.max(vim.fn.screenpos(win, math.max(first, info.topline), 1).row, info.winrow)
  local past = windows.end_of(info, math.min(last, info.botline)) or top
  return { first = top - 1, past = math.max(past, top), col = info.wincol - 1 + info.textoff }
end

---@class botglue.Placed a window that belongs to a range
---@field origin integer a window beside it
---@field spot botglue.ScreenSpot? where the range was seen last
---@field side "below"|"above"|"over"|nil the one that it is on, where it stays if it can

--- Where it goes: below its range if it has room there, or more than above; over the end of the range, or in the
--- middle, where neither side has enough.
---@param placed botglue.Placed
---@param range botglue.Range?
---@param width integer cells inside
---@param height integer rows inside, if there is room
---@param least integer rows inside that are enough
---@return table config fields for |nvim_open_win()|
function M.beside(placed, range, width, height, least)
  local spot = range and spot_of(range, placed.origin) or placed.spot
  local tabs = vim.o.showtabline == 2 or vim.o.showtabline == 1 and #vim.api.nvim_list_tabpages() > 1
  local first, status = tabs and 1 or 0, vim.o.laststatus > 0 and 1 or 0
  local past = math.max(vim.o.lines - vim.o.cmdheight - status, 1)
  -- With the border.
  local room = { over = past - first, below = 0, above = 0 }
  if spot then
    room.below, room.above = past - spot.past, spot.first - first
  end
  local best = (room.below >= room.above or room.below >= height + 2) and "below" or "above"
  local side = vim.iter({ placed.side or best, best }):find(function(one)
    return room[one] >= least + 2
  end) or "over"
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
