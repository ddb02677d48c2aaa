--- Opens a job's session in a terminal for the user. Nothing here closes the window.

local fail = require("botglue.host.errors").fail

local M = {}

--- Runs a program in a terminal in a split.
---@param terminal { command: string[], cwd: string, env: table<string, string> }
function M.open(terminal)
  require("botglue.host.errors").no_window_in_cmdwin()
  vim.cmd.new()
  -- With it the Claude CLI takes itself for one inside another.
  local inside = vim.env.CLAUDECODE
  vim.env.CLAUDECODE = nil
  local settings = { cwd = terminal.cwd, env = terminal.env, term = true }
  local ok, result = pcall(vim.fn.jobstart, terminal.command, settings)
  vim.env.CLAUDECODE = inside
  if not ok or result <= 0 then
    vim.api.nvim_buf_delete(0, { force = true })
    fail("%s cannot be started: %s", terminal.command[1], ok and "see :checkhealth botglue" or result)
  end
  vim.cmd.startinsert()
end

return M
