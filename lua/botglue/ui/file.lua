--- Opens a file of the host in a window, read-only and without modelines: it may contain an agent's text, in which a
--- modeline would set options.

local M = {}

--- Closes the window. The last one is left empty: the text is not the user's, and may go.
local function close()
  if not pcall(vim.cmd.close) then
    vim.cmd.enew()
  end
end

--- Shows what an agent has printed.
---@param path string
function M.transcript(path)
  M.open(path)
  local bo = vim.bo
  bo.filetype, bo.swapfile, bo.buflisted, bo.bufhidden, bo.readonly = "json", false, false, "wipe", true
  vim.keymap.set("n", "q", close, { buffer = true, nowait = true, desc = "botglue: close" })
end

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
