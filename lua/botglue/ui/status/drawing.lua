--- Views to draw in the next tick: all of them with one look at the windows. Many jobs may end, or move, in one call of
--- the host.

local connection = require("botglue.host.connection")
local debounce = require("botglue.util.debounce")
local windows = require("botglue.ui.windows")

local M = {}

---@class botglue.Drawing
---@field views table<botglue.View, true>
---@field once fun() draws them in the next tick

---@return botglue.Drawing
local function start()
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
  connection.drawing = connection.drawing or start()
  connection.drawing.views[view] = true
  connection.drawing.once()
end

return M
