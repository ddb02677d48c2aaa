--- The `User` events of a job, each with the job's table as data. An error in a user's autocommand stops no job.
---
--- An event is sent one tick later, with the table as it was. So an autocommand may wait or ask the user something:
--- it delays neither the host, which waits for its call to return, nor any other job.

local connection = require("botglue.host.connection")

local M = {}

local MAX_DEPTH = 5 -- events within the handlers of others; Neovim drops events that are nested ten deep

---@class botglue.Telling
---@field depth integer how many handlers are running, each within the one before
---@field queue { name: string, data: botglue.JobTable }[] the events to send, oldest first

--- Sends the oldest event, if that is possible now.
---@return boolean is_sent
local function send_oldest()
  local telling = connection.telling
  local event = telling.depth < MAX_DEPTH and table.remove(telling.queue, 1)
  if not event then
    return false
  end
  telling.depth = telling.depth + 1
  -- Neovim shows the error of an autocommand itself, and raises it here as well, where it would only stop this call.
  pcall(vim.api.nvim_exec_autocmds, "User", { pattern = event.name, modeline = false, data = event.data })
  telling.depth = telling.depth - 1
  if telling.depth == MAX_DEPTH - 1 then
    -- An event may have waited for this handler to end.
    vim.schedule(send_oldest)
  end
  return true
end

--- Sends an event in the next tick, after the queued ones; with `first` at once and before them, if possible.
---@param name string
---@param job botglue.Job
---@param first boolean?
function M.emit(name, job, first)
  local queue = connection.telling.queue
  table.insert(queue, first and 1 or #queue + 1, { name = name, data = job:table() })
  vim.schedule(send_oldest)
  if first then
    send_oldest()
  end
end

--- Sends all queued events.
function M.flush()
  repeat
  until not send_oldest()
end

return M
