--- The file of a buffer, absolute and without links; where it has none on this machine "", or its `name`.
---@param bufnr integer
---@param or_name boolean?
---@return string
return function(bufnr, or_name)
  local name = vim.api.nvim_buf_get_name(bufnr)
  if name == "" or name:match("^%a[%w+.-]+://") then
    return or_name and name or ""
  end
  return vim.fn.resolve(vim.fn.fnamemodify(name, ":p"))
end
