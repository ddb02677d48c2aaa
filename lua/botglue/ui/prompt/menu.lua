--- The popup menu of the prompt, drawn by Neovim's completion. The host says with each character what is in it, so that
--- may be any matches, not only those that begin with the typed text.

local M = {}

local api = vim.api

local MOST_ROWS = 8

---@class botglue.MenuItem
---@field word string what is put at the place where the menu begins
---@field shown string
---@field value string? what becomes the whole text

---@class botglue.MenuOffer
---@field serial integer the change of the text that it is for
---@field at integer the byte, from 0, at which the words begin
---@field items botglue.MenuItem[]

---@class botglue.Menu
---@field bufnr integer
---@field accepted fun(item: botglue.MenuItem) called when one was taken
---@field taken string?
---@field items botglue.MenuItem[]?
---@field saved table<string, any>? options of the user's while the prompt is entered
local Menu = {}
Menu.__index = Menu

---@return boolean
function M.is_open()
  return vim.fn.pumvisible() == 1
end

--- The text and the place of the cursor: what was just taken is not offered again.
---@return string
local function state()
  local cursor = api.nvim_win_get_cursor(0)
  return ("%d:%d:%s"):format(cursor[1], cursor[2], api.nvim_get_current_line())
end

--- Shows what the host offers for the text as it is.
---@param offer botglue.MenuOffer
function Menu:show(offer)
  local here = api.nvim_get_current_buf() == self.bufnr and api.nvim_get_mode().mode:match("^i")
  if not here or self.taken == state() then
    return
  end
  self.taken, self.items = nil, offer.items
  local shown = {}
  for i, item in ipairs(offer.items) do
    shown[i] = { word = item.word, abbr = item.shown, user_data = i, dup = 1, equal = 1, empty = 1 }
  end
  if #shown > 0 or M.is_open() then
    vim.fn.complete(#shown > 0 and offer.at + 1 or api.nvim_win_get_cursor(0)[2] + 1, shown)
  end
end

--- Something was taken, or the menu was left.
function Menu:done()
  local at = tonumber(vim.v.completed_item.user_data) --[[@as integer]]
  local item = self.items and self.items[at]
  if not item or M.is_open() then
    return
  end
  self.items, self.taken = nil, state()
  self.accepted(item)
end

--- Some of how the menu works are global options: they are the user's again outside of the prompt.
function Menu:enter()
  if self.saved then
    return
  end
  local saved = { shortmess = vim.go.shortmess, pumheight = vim.go.pumheight }
  vim.opt.shortmess:append("c")
  if vim.go.pumheight == 0 or vim.go.pumheight > MOST_ROWS then
    vim.go.pumheight = MOST_ROWS
  end
  vim.bo[self.bufnr].completeopt = "menuone,noinsert"
  self.saved = saved
end

function Menu:leave()
  for name, value in pairs(self.saved or {}) do
    vim.go[name] = value
  end
  self.saved = nil
end

---@param bufnr integer
---@param group integer of autocommands
---@param accepted fun(item: botglue.MenuItem)
---@return botglue.Menu
function M.attach(bufnr, group, accepted)
  local self = setmetatable({ bufnr = bufnr, accepted = accepted }, Menu)
  local function on(event, fn)
    api.nvim_create_autocmd(event, {
      group = group,
      buffer = bufnr,
      desc = "botglue: the menu of the prompt",
      callback = function()
        fn(self)
      end,
    })
  end
  on("CompleteDone", self.done)
  on("BufEnter", self.enter)
  on("BufLeave", self.leave)
  self:enter()
  return self
end

return M
