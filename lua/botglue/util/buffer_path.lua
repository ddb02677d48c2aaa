--- The file of a buffer, absolute; "" where it has none on this machine.
---@param bufnr integer
---@return string
return function(bufnr)
  local name = vim.api.nvim_buf_get_name(bufnr)
  if name == "" or name:match("^%a[%w+.-]+://") then
    return ""
  end
  return vim.fn.fnamemodify(name, ":p")
end
