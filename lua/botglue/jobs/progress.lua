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
  local function set(value)
    if vim.o.messagesopt ~= value then
      vim.cmd({ cmd = "set", args = { "messagesopt=" .. value }, mods = { noautocmd = true } })
    end
  end
  local shown = vim.o.messagesopt
  set((shown:gsub("progress:c", "progress:")))
  local about = { id = "botglue.jobs", kind = "progress", source = "botglue", title = "botglue" }
  about.status, about.percent = told.status, told.percent
  pcall(vim.api.nvim_echo, { { told.words } }, false, about)
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
