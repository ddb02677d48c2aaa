--- The window of the prompt: it stays beside its range, and is as high as its text and what the host says below that.
--- It opens at once, with a border of its own; the host draws another one.

local errors = require("botglue.host.errors")
local highlight = require("botglue.ui.highlight")
local own = require("botglue.ui.own")
local place = require("botglue.ui.place")
local quiet = require("botglue.ui.prompt.quiet")
local signs = require("botglue.util.signs")

local M = {}

local api = vim.api
local below = api.nvim_create_namespace("botglue.prompt.below")

---@class botglue.PromptWindow: botglue.OwnWindow
---@field range botglue.Range
---@field origin integer the window with text from which it was opened
---@field width integer cells inside
---@field height integer rows that it would like to have inside
---@field title botglue.Chunks the border above
---@field footer botglue.Chunks the border below
---@field said botglue.Chunks[] the rows below the text
---@field place botglue.ScreenSpot? where the range was seen last
---@field side botglue.Side
---@field config table what Neovim was told last
---@field on_close fun()
local Window = {}
Window.__index = Window

---@return boolean
function Window:is_open()
  return not self.closed and api.nvim_win_is_valid(self.win) and api.nvim_win_get_buf(self.win) == self.bufnr
end

--- The place, the size and the border.
---@return table config
function Window:wanted()
  self.width = math.max(math.min(place.WIDTH, vim.o.columns - 2), 1)
  local height = math.max(math.min(self.height, vim.o.lines - vim.o.cmdheight - 2), 1)
  return vim.tbl_extend("error", place.config(self.place, self.side, self.width, height), {
    width = self.width,
    height = height,
    border = signs.border,
    title = self.title,
    footer = self.footer,
  })
end

--- Shows the text from its beginning, where there is room for all of it: Neovim leaves it where it was scrolled to
--- while the window was lower.
---@param rows integer that the text takes
function Window:show_whole(rows)
  if rows > api.nvim_win_get_height(self.win) then
    return
  end
  api.nvim_win_call(self.win, function()
    local at = vim.fn.winsaveview()
    if at.topline > 1 or at.skipcol > 0 then
      vim.fn.winrestview({ topline = 1, topfill = 0, skipcol = 0 })
    end
  end)
end

--- Puts the window where the range is now, as high as its text.
function Window:follow()
  if not self:is_open() then
    return
  end
  self.place = place.spot(self.range, self.origin) or self.place
  if not place.fits(self.place, self.side) then
    self.side = place.side(self.place)
  end
  api.nvim_buf_clear_namespace(self.bufnr, below, 0, -1)
  if #self.said > 0 then
    -- It goes along with the end of the text, where a row is typed below.
    local last = api.nvim_buf_line_count(self.bufnr) - 1
    local text = api.nvim_buf_get_lines(self.bufnr, last, last + 1, false)[1]
    api.nvim_buf_set_extmark(self.bufnr, below, last, #text, { virt_lines = self.said })
  end
  local rows = api.nvim_win_text_height(self.win, {}).all
  self.height = place.height(self.place, self.side, rows, #self.said)
  local config = self:wanted()
  if not vim.deep_equal(config, self.config) then
    self.config = config
    api.nvim_win_set_config(self.win, config)
  end
  self:show_whole(rows)
end

--- Draws what the host says.
---@param title botglue.Chunks
---@param footer botglue.Chunks
---@param said botglue.Chunks[]
function Window:draw(title, footer, said)
  self.title, self.footer, self.said = title, footer, said
  self:follow()
end

--- Closes it, and goes back to where it was opened from.
function Window:close()
  if self.closed then
    return
  end
  self.closed = true
  own.close(self)
  self.on_close()
end

--- Starts insert mode at the end of the row.
function Window:start_typing()
  vim.cmd.startinsert({ bang = true })
  if api.nvim_get_mode().mode == "t" then
    -- Terminal mode ends later and ignores `:startinsert`; start insert mode afterwards.
    vim.schedule(function()
      if api.nvim_get_current_win() == self.win and api.nvim_get_mode().mode == "n" then
        vim.cmd.startinsert({ bang = true })
      end
    end)
  end
end

--- Opens it, and enters it.
---@param range botglue.Range
---@param on_close fun() called once, when it is gone
---@return botglue.PromptWindow
function M.open(range, on_close)
  errors.no_window_in_cmdwin()
  highlight.define()
  local spot = place.spot(range, api.nvim_get_current_win())
  local self = setmetatable({
    range = range,
    before = api.nvim_get_current_win(),
    origin = own.origin(),
    height = 1,
    title = { { " botglue ", "BotglueTitle" } },
    footer = { { " <C-s>", "BotglueKey" }, { " send ", "BotglueLabel" } },
    said = {},
    place = spot,
    side = place.side(spot),
    on_close = on_close,
  }, Window)
  self.height = place.height(self.place, self.side, 1)
  local bufnr = require("botglue.ui.scratch").make()
  self.bufnr = bufnr
  pcall(api.nvim_buf_set_name, bufnr, "botglue://prompt")
  quiet.apply(bufnr)
  self.config = self:wanted()
  local config = vim.tbl_extend("error", self.config, { style = "minimal" })
  own.open(self, true, api.nvim_open_win, bufnr, false, config)
  local wo = vim.wo[self.win][0]
  for _, name in ipairs({ "cursorline", "foldenable", "list", "spell" }) do
    wo[name] = false
  end
  wo.wrap, wo.linebreak, wo.scrolloff, wo.foldcolumn, wo.winfixbuf = true, true, 0, "1", true
  own.colour(self.win)
  vim.bo[bufnr].filetype = "botglue-prompt"
  quiet.entered(bufnr)
  own.watch(self, "the prompt", function()
    self.side = place.side(place.spot(self.range, self.origin) or self.place)
    self:follow()
  end)
  return self
end

return M
