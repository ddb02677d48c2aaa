--- The number of jobs in each state, and their cost, for a status line and a title. Never asks the host.

local connection = require("botglue.host.connection")

local M = {}

--- A job waits while the host says that others have to end first.
---@return { running: integer, queued: integer, held: integer }
function M.of()
  local counts = { running = 0, queued = 0, held = vim.tbl_count(connection.held) + connection.earlier }
  for _, job in pairs(connection.open) do
    local state = job.turn and "queued" or "running"
    counts[state] = counts[state] + 1
  end
  return counts
end

--- The cost of all jobs of this Neovim so far; nil if no agent has reported any.
---@return number?
function M.spent()
  local spent = connection.spent
  for _, job in pairs(connection.jobs) do
    spent = job.cost_usd and (spent or 0) + job.cost_usd or spent
  end
  return spent
end

return M
