--- The seam where an answer landed in the middle of an insertion: what was typed before it and what is typed after it
--- are steps of their own.
---
--- Neovim saves the line above for undo only where the insertion began: further down it takes that line for one that
--- was typed too. Behind a seam, and where lines were put in above, that is not so, and a backspace that joins two
--- lines would be taken back wrongly. So both lines are saved before such a key is taken.

local change = require("botglue.editor.change")

local M = {}

local api = vim.api
local namespace = api.nvim_create_namespace("botglue.seam")

local JOINING = {}
for _, key in ipairs({ "<BS>", "<C-h>", "<C-w>", "<C-u>" }) do
  JOINING[vim.keycode(key)] = true
end

--- Saves the cursor's line and the one above, where the next key joins them: an edit that leaves them as they are.
local function save_both()
  local row, col = unpack(api.nvim_win_get_cursor(0))
  if col > 0 or row == 1 or not vim.o.backspace:find("eol") then
    return
  end
  local above = api.nvim_buf_get_lines(0, row - 2, row - 1, true)[1]
  change.set_text(api.nvim_get_current_buf(), row - 2, #above, row - 1, 0, { "", "" })
end

--- Text was written as a step of its own: where the user is inserting there, the keys are watched until that ends.
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
