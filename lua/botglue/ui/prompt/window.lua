--- The window of the prompt: beside its range for as long as it is open, and as high as its text.

local float = require("botglue.ui.float")
local place = require("botglue.ui.prompt.place")
local quiet = require("botglue.ui.prompt.quiet")

local M = {}

local api = vim.api

---@class botglue.PromptWindow
---@field range botglue.Range
---@field options botglue.Options
---@field title fun(): string, string
---@field float botglue.Float?
---@field place botglue.ScreenSpot? where the range was seen last
---@field side botglue.Side
---@field shown table? where the window is
---@field following boolean? whether it is about to be put where the range is
local Window = {}
Window.__index = Window

--- How many rows its text takes.
---@return integer
function Window:rows()
  return api.nvim_win_text_height(self.float.win, {}).all
end

--- Puts the window where the range is now, as high as its text.
function Window:follow()
  if not self.float or not self.float:is_open() then
    return
  end
  self.place = place.spot(self.range, self.float.origin) or self.place
  if not place.fits(self.place, self.side) then
    self.side = place.side(self.place)
  end
  self.float:title(self.title())
  self.float:resize(place.WIDTH, place.height(self.place, self.side, self:rows()))
  if not vim.deep_equal(self.shown, { self.place, self.side }) then
    self.shown = { self.place, self.side }
    self.float:refresh()
  end
end

--- The same once what is happening is over: jobs have much to tell.
function Window:follow_soon()
  if self.following then
    return
  end
  self.following = true
  vim.schedule(function()
    self.following = false
    self:follow()
  end)
end

--- Opens it, and enters it.
---@param keys botglue.Key[]
---@param on_close fun()
---@return botglue.Float
function Window:open(keys, on_close)
  self.place = place.spot(self.range, api.nvim_get_current_win())
  self.side = place.side(self.place)
  local left, right = self.title()
  self.float = float.open({
    name = "prompt",
    options = self.options,
    width = place.WIDTH,
    height = place.height(self.place, self.side, 1),
    title = { left = left, right = right },
    keys = keys,
    close = false,
    modifiable = true,
    prepare = quiet.apply,
    place = function(width, height)
      return place.config(self.place, self.side, width, height)
    end,
    on_resize = function()
      self.side = place.side(place.spot(self.range, self.float.origin) or self.place)
      self:follow()
    end,
    on_close = on_close,
  })
  local wo = vim.wo[self.float.win][0]
  wo.wrap, wo.linebreak, wo.scrolloff, wo.foldcolumn = true, true, 0, "1"
  wo.winhighlight = (wo.winhighlight .. ",FoldColumn:NormalFloat"):gsub("^,", "")
  vim.bo[self.float.bufnr].filetype = "botglue-prompt"
  quiet.entered(self.float.bufnr)
  return self.float
end

---@param range botglue.Range
---@param options botglue.Options
---@param title fun(): string, string what is at the left of its title, and at the right
---@return botglue.PromptWindow
function M.new(range, options, title)
  return setmetatable({ range = range, options = options, title = title }, Window)
end

return M
