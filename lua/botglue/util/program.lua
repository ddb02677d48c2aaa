--- Finds programs. Like the host, it searches only absolute entries of PATH: `./bin` and an empty entry would find a
--- program of the project that Neovim is in.

local M = {}

--- The absolute entries of PATH, which is also what a program gets that is started by its path: it may look up others.
---@param path string? nil: Neovim's own
---@return string
function M.search_path(path)
  local entries = vim.split(path or vim.env.PATH or "", ":", { plain = true })
  return table.concat(
    vim.tbl_filter(function(entry)
      return vim.startswith(entry, "/")
    end, entries),
    ":"
  )
end

---@param name string a name or an absolute path
---@param path string? nil: Neovim's own PATH
---@return string? path of a program that can be executed
function M.find(name, path)
  if name:find("/", 1, true) then
    return vim.startswith(name, "/") and vim.fn.executable(name) == 1 and name or nil
  end
  for _, entry in ipairs(vim.split(M.search_path(path), ":", { plain = true, trimempty = true })) do
    local file = entry .. "/" .. name
    if vim.fn.executable(file) == 1 then
      return file
    end
  end
end

return M
