--- The popup menu of the prompt, drawn by Neovim's completion. The host says with each character what is in it, so that
--- may be any matches, not only those that begin with the typed text.

local M = {}

local api = vim.api

local MOST_ROWS = 8

---@return boolean
function M.is_open()
  return vim.fn.pumvisible() == 1
end

--- Shows in the prompt what the host offers for the text as it is.
---@param offer { at: integer, items: table[] } the byte, from 0, at which the words begin, and |complete-items|
function M.show(offer)
  local has_items = #offer.items > 0
  if api.nvim_get_mode().mode:match("^i") and (has_items or M.is_open()) then
    vim.fn.complete(has_items and offer.at + 1 or api.nvim_win_get_cursor(0)[2] + 1, offer.items)
  end
end

---@param on fun(event: string, callback: fun(), options: table) for events of the prompt
---@param bufnr integer
---@param accepted fun(text: string?) called when an item was taken, with what becomes the whole text
---@return fun() leave
function M.attach(on, bufnr, accepted)
  local saved
  on("CompleteDone", function()
    local taken = vim.v.completed_item.user_data
    if type(taken) == "table" and not M.is_open() then
      accepted(taken.text)
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
  return leave
end

return M
