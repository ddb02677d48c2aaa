--- Keeps undo right when an answer lands while the user inserts: what was typed before it and what is typed after it
--- are separate undo steps.
---
--- When a key joins two lines, Neovim saves the line above for undo only where the insertion began: further down it
--- assumes that the insertion typed that line, too. After an answer has landed this is not so, and undo would restore
--- the wrong text. So both lines are saved before such a key.

local change = require("botglue.editor.change")

local M = {}

local api = vim.api
local namespace = api.nvim_create_namespace("botglue.seam")

local JOINING = {}
for _, key in ipairs({ "<BS>", "<C-h>", "<C-w>", "<C-u>" }) do
  JOINING[vim.keycode(key)] = true
end

--- Saves the cursor's line and the one above for undo, by an edit that changes nothing, if the next key joins them.
local function save_both()
  local row, col = unpack(api.nvim_win_get_cursor(0))
  if col > 0 or row == 1 or not vim.o.backspace:find("eol") then
    return
  end
  local above = api.nvim_buf_get_lines(0, row - 2, row - 1, true)[1]
  change.set_text(api.nvim_get_current_buf(), row - 2, #above, row - 1, 0, { "", "" })
end

--- Text was written as a separate undo step: if the user is inserting in that buffer, watches keys until that ends.
---@param bufnr integer
function M.written(bufnr)
  if api.nvim_get_current_buf() ~= bufnr or not vim.fn.mode():match("^[iR]") then
    return
  end
  vim.on_key(function(key)
    if JOINING[key] and api.nvim_get_current_buf() == bufnr and vim.fn.mode():match("^[iR]") then
      pcall(save_both)
    end
  end, namespace)
  api.nvim_create_autocmd("InsertLeave", {
    group = api.nvim_create_augroup("botglue.seam", { clear = true }),
    once = true,
    desc = "botglue: the insertion that an answer landed in is over",
    callback = function()
      vim.on_key(nil, namespace)
    end,
  })
end

return M
