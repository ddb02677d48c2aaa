--- The window of the prompt: it stays beside its range, and is as high as its text.

local debounce = require("botglue.util.debounce")
local float = require("botglue.ui.float")
local place = require("botglue.ui.place")
local quiet = require("botglue.ui.prompt.quiet")

local M = {}

local api = vim.api

---@class botglue.PromptWindow
---@field range botglue.Range
---@field notice botglue.Notice
---@field title fun(): string, string
---@field float botglue.Float?
---@field place botglue.ScreenSpot? where the range was seen last
---@field side botglue.Side
---@field shown table? where the window is
---@field follow_soon fun() the same as `follow`, once for all events of a tick
local Window = {}
Window.__index = Window

--- Shows the text from its beginning, where there is room for all of it: Neovim leaves it where it was scrolled to
--- while the window was lower.
---@param rows integer that the text takes
function Window:show_whole(rows)
  local win = self.float.win
  if rows > api.nvim_win_get_height(win) then
    return
  end
  api.nvim_win_call(win, function()
    local view = vim.fn.winsaveview()
    if view.topline > 1 or view.skipcol > 0 then
      vim.fn.winrestview({ topline = 1, topfill = 0, skipcol = 0 })
    end
  end)
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
  local said = self.notice:draw(self.float.bufnr, self.float.width - 2)
  local rows = api.nvim_win_text_height(self.float.win, {}).all
  self.float:resize(place.WIDTH, place.height(self.place, self.side, rows, said))
  self:show_whole(rows)
  if not vim.deep_equal(self.shown, { self.place, self.side }) then
    self.shown = { self.place, self.side }
    self.float:refresh()
  end
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
  wo.winhighlight = (wo.winhighlight .. ",FoldColumn:BotglueFloat"):gsub("^,", "")
  vim.bo[self.float.bufnr].filetype = "botglue-prompt"
  quiet.entered(self.float.bufnr)
  return self.float
end

---@param range botglue.Range
---@param notice botglue.Notice what it says below its text
---@param title fun(): string, string what is at the left of its title, and at the right
---@return botglue.PromptWindow
function M.new(range, notice, title)
  local self = setmetatable({ range = range, notice = notice, title = title }, Window)
  self.follow_soon = debounce(function()
    self:follow()
  end)
  return self
end

return M
