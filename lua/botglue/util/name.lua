--- What the text of a job is called on the screen: its file, as short as it can be said. A buffer without a file has
--- its own name, or none.

local M = {}

local NONE = "[No Name]"

--- Of a buffer that has no file.
---@param bufnr integer
---@return string
function M.buffer(bufnr)
  -- A window of ours is known by what it is.
  local name = vim.api.nvim_buf_get_name(bufnr):gsub("^botglue://", "")
  return name ~= "" and name or NONE
end

---@param path string "": there is no file
---@param otherwise string? what it is called then
---@return string
function M.of(path, otherwise)
  return path ~= "" and vim.fn.fnamemodify(path, ":~:.") or otherwise or NONE
end

return M
