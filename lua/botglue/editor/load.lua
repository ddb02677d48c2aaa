--- Loads a file into a buffer without showing it.

local M = {}

local api = vim.api

--- Whether another Neovim has a swap file for the buffer's file: the buffer's own is then not the first, `.swp`.
---@param bufnr integer
---@return boolean
local function has_other_swap(bufnr)
  local own = vim.fn.swapname(bufnr)
  local first = own:gsub("%.sw%l$", ".swp")
  local name = vim.fs.basename(api.nvim_buf_get_name(bufnr))
  return first ~= own and vim.fs.basename(vim.fn.swapinfo(first).fname or "") == name
end

--- If the file has a swap file of another Neovim, running or crashed, `bufload()` does not ask: it fills the screen
--- with a warning and reads the file anyway. So the buffer becomes read-only and one line says so, unless 'shortmess'
--- has `A`: then the user does not want to hear of swap files.
---@param bufnr integer
local function read(bufnr)
  local flags = vim.o.shortmess
  if flags:find("A", 1, true) then
    pcall(vim.fn.bufload, bufnr)
    return
  end
  vim.o.shortmess = flags .. "A"
  pcall(vim.fn.bufload, bufnr)
  vim.o.shortmess = flags
  if api.nvim_buf_is_loaded(bufnr) and has_other_swap(bufnr) then
    vim.bo[bufnr].readonly = true
    local name = vim.fs.basename(api.nvim_buf_get_name(bufnr))
    -- In the next tick, because the caller draws over a line that is shown now.
    vim.schedule(function()
      require("botglue.host.notify").warn(
        ("botglue: %s is read-only: it has a swap file, see E325"):format(name)
      )
    end)
  end
end

--- Loads a file, unless a buffer has it loaded already, and lists its buffer.
---@param path string
---@return integer? bufnr nil where there is no file
function M.file(path)
  if path == "" or (vim.uv.fs_stat(path) or { type = "directory" }).type == "directory" then
    return nil
  end
  local bufnr = vim.fn.bufadd(path)
  if not api.nvim_buf_is_loaded(bufnr) then
    read(bufnr)
  end
  vim.bo[bufnr].buflisted = true
  return bufnr
end

return M
