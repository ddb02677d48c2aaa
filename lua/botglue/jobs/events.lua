--- The `User` events of a job, each with the job's table as data. An error in a user's autocommand stops no job.
---
--- An event comes one tick later, with the table as it was. So an autocommand may wait or ask the user something, and
--- holds up neither the host, which waits for its call to return, nor any other job.

local connection = require("botglue.host.connection")

local M = {}

local DEEPEST = 5 -- events within the handlers of others; Neovim drops what is nested ten deep

---@class botglue.Telling
---@field depth integer how many handlers are running, each within the one before
---@field queue botglue.Event[] what is to be told, oldest first

---@alias botglue.Event { name: string, data: botglue.JobTable }

---@param telling botglue.Telling
---@param event botglue.Event
local function tell(telling, event)
  telling.depth = telling.depth + 1
  -- Neovim itself shows the error of an autocommand; what is raised here would only be the end of ours.
  pcall(vim.api.nvim_exec_autocmds, "User", { pattern = event.name, modeline = false, data = event.data })
  telling.depth = telling.depth - 1
end

--- Tells the oldest event, if it can be told now.
---@return boolean told
local function tell_oldest()
  local telling = connection.telling
  if #telling.queue == 0 or telling.depth >= DEEPEST then
    return false
  end
  tell(telling, table.remove(telling.queue, 1))
  if telling.depth == DEEPEST - 1 then
    -- What had to wait for this.
    vim.schedule(tell_oldest)
  end
  return true
end

--- Whether there is an autocommand for an event. A job's table is not made for none.
---@param name string
---@return boolean
local function is_heard(name)
  for _, autocmd in ipairs(vim.api.nvim_get_autocmds({ event = "User" })) do
    if autocmd.buflocal or vim.fn.match(name, vim.fn.glob2regpat(autocmd.pattern)) >= 0 then
      return true
    end
  end
  return false
end

--- Tells of something in the next tick, after all that is to be told before.
---@param name string
---@param job botglue.Job
function M.emit(name, job)
  if not is_heard(name) then
    return
  end
  local queue = connection.telling.queue
  queue[#queue + 1] = { name = name, data = job:table() }
  vim.schedule(tell_oldest)
end

--- Tells of a job that was just sent: at once, so that its caller can rely on it.
---@param job botglue.Job
function M.started(job)
  local telling, name = connection.telling, "BotglueJobStarted"
  if telling.depth >= DEEPEST then
    M.emit(name, job)
  elseif is_heard(name) then
    tell(telling, { name = name, data = job:table() })
  end
end

--- Tells all that is to be told.
function M.flush()
  repeat
  until not tell_oldest()
end

return M
