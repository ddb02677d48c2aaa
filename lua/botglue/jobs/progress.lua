--- Reports the progress of jobs to the terminal and to plugins by Neovim's progress messages, if it has them. The
--- command line shows none.

local connection = require("botglue.host.connection")

local M = {}

---@param told { words: string, status: "running"|"success"|"failed", percent: integer }
function M.tell(told)
  if vim.fn.exists("##Progress") ~= 1 then
    return
  end
  connection.progress = told.status == "running" and told or nil
  local shown = vim.o.messagesopt
  local function set(value)
    if vim.o.messagesopt ~= value then
      vim.cmd({ cmd = "set", args = { "messagesopt=" .. value }, mods = { noautocmd = true } })
    end
  end
  set((shown:gsub("progress:c", "progress:")))
  pcall(vim.api.nvim_echo, { { told.words } }, false, {
    id = "botglue.jobs",
    kind = "progress",
    source = "botglue",
    title = "botglue",
    status = told.status,
    percent = told.percent,
  })
  set(shown)
end

--- The host or Neovim is gone, and with it the jobs.
function M.stop()
  local told = connection.progress
  if told then
    M.tell({ words = told.words, status = "failed", percent = 100 })
  end
end

return M
