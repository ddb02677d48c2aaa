--- The `User` events of a job, each with the job's table as data. An error in a user's autocommand stops no job.
---
--- An event comes one tick later, with the table as it was. So an autocommand may wait or ask the user something, and
--- holds up neither the host, which waits for its call to return, nor any other job.

local connection = require("botglue.host.connection")

local M = {}

local DEEPEST = 5 -- events within the handlers of others; Neovim drops what is nested ten deep

---@class botglue.Telling
---@field depth integer how many handlers are running, each within the one before
---@field queue { name: string, data: botglue.JobTable }[] what is to be told, oldest first

--- Tells the oldest event, if it can be told now.
---@return boolean told
local function tell_oldest()
  local telling = connection.telling
  local event = telling.depth < DEEPEST and table.remove(telling.queue, 1)
  if not event then
    return false
  end
  telling.depth = telling.depth + 1
  -- Neovim itself shows the error of an autocommand; what is raised here would only be the end of ours.
  pcall(vim.api.nvim_exec_autocmds, "User", { pattern = event.name, modeline = false, data = event.data })
  telling.depth = telling.depth - 1
  if telling.depth == DEEPEST - 1 then
    -- What had to wait for this.
    vim.schedule(tell_oldest)
  end
  return true
end

--- Tells of something in the next tick, after all that is to be told before; or `first`, and at once if possible.
---@param name string
---@param job botglue.Job
---@param first boolean?
function M.emit(name, job, first)
  local queue = connection.telling.queue
  table.insert(queue, first and 1 or #queue + 1, { name = name, data = job:table() })
  vim.schedule(tell_oldest)
  if first then
    tell_oldest()
  end
end

--- Tells all that is to be told.
function M.flush()
  repeat
  until not tell_oldest()
end

return M
