--- How many jobs there are of each state, and what they cost, for a status line and a title. Asks no host.

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

--- What all jobs of this Neovim have cost so far; nil where no agent told.
---@return number?
function M.spent()
  local spent = connection.spent
  for _, job in pairs(connection.jobs) do
    spent = job.cost_usd and (spent or 0) + job.cost_usd or spent
  end
  return spent
end

return M
