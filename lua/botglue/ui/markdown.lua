--- Highlights a buffer as Markdown.

local M = {}

local api = vim.api

--- Colours a buffer. Not every Neovim has the parser that its own file type asks for, and a user's autocommand may
--- fail: such an error would end in a hit-enter prompt.
---@param bufnr integer
---@param how "parsed"|"by lines" whether it is parsed as a whole, which conceals more, and takes long for a long text
function M.colour(bufnr, how)
  pcall(api.nvim_buf_call, bufnr, function()
    vim.cmd("silent! setlocal filetype=markdown")
  end)
  local is_parsed = how == "parsed" and pcall(vim.treesitter.start, bufnr, "markdown")
  if not is_parsed then
    pcall(vim.treesitter.stop, bufnr)
    if vim.b[bufnr].current_syntax ~= "markdown" then
      vim.bo[bufnr].syntax = "markdown"
    end
  end
end

return M
