--- Shows a buffer as Markdown: highlights it and conceals its marks. Its text stays as it is.

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

--- Conceals the marks in a window, also where the cursor only passes; in Visual mode the row of the cursor shows the
--- text that would be copied.
---@param win integer
function M.conceal(win)
  local options = vim.wo[win][0]
  options.wrap, options.linebreak, options.breakindent = true, true, true
  options.conceallevel, options.concealcursor = 2, "nc"
end

return M
