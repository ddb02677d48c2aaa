--- Places a window that belongs to a range: below its rows on the screen or above them, and over them only if there is
--- no other room. The prompt's window stays on its first side as long as there is room.

local windows = require("botglue.ui.windows")

local M = {}

local api = vim.api

M.WIDTH = 74 -- cells inside, where the screen has them
local LEAST, MOST = 3, 10 -- rows inside

--- The rows of the screen that may be drawn on, from 0; `past` is the one after the last.
---@return integer first
---@return integer past
local function screen()
  local tabs = vim.o.showtabline == 2 or vim.o.showtabline == 1 and #api.nvim_list_tabpages() > 1
  local status = vim.o.laststatus > 0 and 1 or 0
  return tabs and 1 or 0, math.max(vim.o.lines - vim.o.cmdheight - status, 1)
end

---@class botglue.ScreenSpot the rows of a range on the screen, from 0
---@field first integer
---@field past integer the row after the last one
---@field col integer where its text begins

--- The place of a range on the screen; nil if no row of it is visible.
---@param range botglue.Range
---@param origin integer
---@return botglue.ScreenSpot?
function M.spot(range, origin)
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

---@alias botglue.Side "below"|"above"|"over"

--- How many rows there are for the window on a side, border included.
---@param spot botglue.ScreenSpot?
---@param side botglue.Side
---@return integer
function M.room(spot, side)
  local first, past = screen()
  if spot and side == "below" then
    return past - spot.past
  elseif spot and side == "above" then
    return spot.first - first
  end
  return past - first
end

--- On which side there is room: the one that it is on, else below, if there is not much less than above.
---@param spot botglue.ScreenSpot?
---@param side botglue.Side? the one that it is on
---@return botglue.Side
function M.side(spot, side)
  local below, above = M.room(spot, "below"), M.room(spot, "above")
  local best = (below >= above or below >= LEAST + 4) and "below" or "above"
  for _, one in ipairs({ side or best, best }) do
    -- One row of text at least.
    if spot and M.room(spot, one) >= 3 then
      return one
    end
  end
  return "over"
end

--- How many rows there are inside on a side.
---@param spot botglue.ScreenSpot?
---@param side botglue.Side
---@param wanted integer
---@param said integer? rows of it below the text
---@return integer
function M.height(spot, side, wanted, said)
  local most = math.min(MOST + (said or 0), M.room(spot, side) - 2)
  return math.max(math.min(math.max(wanted, LEAST), most), 1)
end

--- Fields for |nvim_open_win()|.
---@param spot botglue.ScreenSpot?
---@param side botglue.Side
---@param width integer cells inside
---@param height integer
---@return table
function M.config(spot, side, width, height)
  local first, past = screen()
  local row, col = past - height - 2, math.floor((vim.o.columns - width - 2) / 2)
  if spot then
    col = spot.col
    if side == "below" then
      row = spot.past
    elseif side == "above" then
      row = spot.first - height - 2
    end
  else
    row = math.floor((first + past - height - 2) / 2)
  end
  return {
    relative = "editor",
    row = math.max(row, first),
    col = math.max(math.min(col, vim.o.columns - width - 2), 0),
  }
end

return M
