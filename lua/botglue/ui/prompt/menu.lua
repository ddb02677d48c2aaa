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
---@field at integer the byte, from 0, at which the words begin
---@field items botglue.MenuItem[]

---@class botglue.Menu
---@field items botglue.MenuItem[]
---@field taken string? the text as it was when one was taken

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

--- Shows in the prompt what the host offers for the text as it is.
---@param menu botglue.Menu
---@param offer botglue.MenuOffer
function M.show(menu, offer)
  if not api.nvim_get_mode().mode:match("^i") or menu.taken == state() then
    return
  end
  menu.taken, menu.items = nil, offer.items
  local shown = {}
  for i, item in ipairs(offer.items) do
    shown[i] = { word = item.word, abbr = item.shown, user_data = i, dup = 1, equal = 1, empty = 1 }
  end
  if #shown > 0 or M.is_open() then
    vim.fn.complete(#shown > 0 and offer.at + 1 or api.nvim_win_get_cursor(0)[2] + 1, shown)
  end
end

---@param on fun(event: string, callback: fun(), options: table) for events of the prompt
---@param bufnr integer
---@param accepted fun(item: botglue.MenuItem) called when one was taken
---@return botglue.Menu menu
---@return fun() leave
function M.attach(on, bufnr, accepted)
  local menu, saved = { items = {} }, nil
  on("CompleteDone", function()
    local item = menu.items[tonumber(vim.v.completed_item.user_data)]
    if item and not M.is_open() then
      menu.items, menu.taken = {}, state()
      accepted(item)
    end
  end, { buffer = bufnr })
  -- Some of how the menu works are global options: they are the user's again outside of the prompt.
  local function enter()
    saved = saved or { shortmess = vim.go.shortmess, pumheight = vim.go.pumheight }
    vim.opt.shortmess:append("c")
    vim.go.pumheight = saved.pumheight == 0 and MOST_ROWS or math.min(saved.pumheight, MOST_ROWS)
  end
  local function leave()
    for name, value in pairs(saved or {}) do
      vim.go[name] = value
    end
    saved = nil
  end
  on("BufEnter", enter, { buffer = bufnr })
  on("BufLeave", leave, { buffer = bufnr })
  enter()
  vim.bo[bufnr].completeopt = "menuone,noinsert"
  return menu, leave
end

return M
