--- Makes a scratch buffer: wiped with its window, and modifiable whatever the user has set for new buffers.

local M = {}

local api = vim.api

---@return integer bufnr
function M.make()
  local bufnr = api.nvim_create_buf(false, true)
  vim.bo[bufnr].bufhidden = "wipe"
  -- `:set nomodifiable` and `nvim -M` count for new buffers, too.
  vim.bo[bufnr].modifiable = true
  return bufnr
end

return M
