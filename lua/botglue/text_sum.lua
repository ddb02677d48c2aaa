--- What tells the text of a buffer from any other.

local M = {}

---@param bufnr integer a loaded buffer
---@return string
function M.of(bufnr)
  local text = table.concat(vim.api.nvim_buf_get_lines(bufnr, 0, -1, false), "\n")
  -- A NUL byte would make it a blob.
  return vim.fn.sha256((text:gsub("%z", "\n\1")))
end

return M
