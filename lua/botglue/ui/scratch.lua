--- A buffer of ours, for a window of ours: gone with it, and to be written whatever the user has set for new buffers.

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
