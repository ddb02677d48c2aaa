--- Decides when views are drawn. One timer moves all views, so that many jobs cost one redraw; it runs only while there
--- are any. Views that change in a tick are drawn together in the next one, because many jobs may end or move in one
--- call of the host. The windows are examined once for all views.

local connection = require("botglue.host.connection")
local debounce = require("botglue.util.debounce")
local windows = require("botglue.ui.windows")

local M = {}

local BEAT = 120 -- milliseconds

---@class botglue.Ticking
---@field tick fun(self: botglue.Ticking, shown: table<integer, botglue.Window[]>)

---@class botglue.Ticker
---@field views table<botglue.Ticking, true>
---@field timer uv.uv_timer_t

---@class botglue.Drawing
---@field views table<botglue.View, true>
---@field once fun() draws them in the next tick

---@param ticker botglue.Ticker
local function beat(ticker)
  local shown = windows.snapshot()
  for _, view in ipairs(vim.tbl_keys(ticker.views)) do
    if ticker.views[view] then
      local ok, err = pcall(view.tick, view, shown)
      if not ok then
        -- One view that fails must not stop the others, and must not fail eight times a second.
        M.remove(view)
        require("botglue.host.notify").error(
          "botglue: the status of a job cannot be drawn: " .. tostring(err)
        )
      end
    end
  end
end

---@return botglue.Ticker
local function start()
  local ticker = { views = {}, timer = assert(vim.uv.new_timer()) }
  local once = debounce(function()
    if connection.ticker == ticker then
      beat(ticker)
    end
  end)
  ticker.timer:start(BEAT, BEAT, once)
  return ticker
end

--- Lets a view move: its `tick` is called with what the windows show.
---@param view botglue.Ticking
function M.add(view)
  connection.ticker = connection.ticker or start()
  connection.ticker.views[view] = true
end

--- Lets it stand still.
---@param view botglue.Ticking
function M.remove(view)
  local ticker = connection.ticker
  if not ticker then
    return
  end
  ticker.views[view] = nil
  if next(ticker.views) == nil then
    connection.ticker = nil
    ticker.timer:stop()
    ticker.timer:close()
  end
end

---@return botglue.Drawing
local function start_drawing()
  local drawing = { views = {} }
  drawing.once = debounce(function()
    local views, shown = drawing.views, windows.snapshot()
    drawing.views = {}
    for view in pairs(views) do
      view:draw(shown)
    end
  end)
  return drawing
end

--- Draws a view in the next tick.
---@param view botglue.View
function M.soon(view)
  connection.drawing = connection.drawing or start_drawing()
  connection.drawing.views[view] = true
  connection.drawing.once()
end

return M
