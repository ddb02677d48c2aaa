--- Opens a file of the host in a window, read-only and without modelines: it may contain an agent's text, in which a
--- modeline would set options.

local M = {}

--- Opens a file in a split, as it is now.
---@param path string
function M.open(path)
  local before = vim.o.modelines
  vim.o.modelines = 0
  local ok, err = pcall(function()
    local loaded = vim.fn.bufloaded(path) == 1
    vim.cmd.split({ path, magic = { file = false }, mods = { keepalt = true } })
    -- For whenever the user reads it again.
    vim.bo.modeline = false
    if loaded then
      -- More may have been written since.
      vim.cmd.edit({ bang = true })
    end
  end)
  vim.o.modelines = before
  if not ok then
    error(err, 0)
  end
  vim.bo.modifiable = false
end

return M
