--- Calls the user's functions that observe a job. A job owns its observers and drops them when it has ended; the host
--- sends the updates only of a job that has had an observer.
---
--- An observer is called within the host's call, before the update is drawn or stored: a slow one holds up the host.
--- One that raises an error is removed.

local client = require("botglue.host.client")

local M = {}

---@class botglue.Observer
---@field fn fun(update: botglue.Update)
---@field thinking boolean

---@param job botglue.Job
---@param fn fun(update: botglue.Update)
---@return integer? at
---@return botglue.Observer?
local function find(job, fn)
  return vim.iter(ipairs(job.observers)):find(function(_, observer)
    return observer.fn == fn
  end)
end

---@param job botglue.Job
---@param fn fun(update: botglue.Update)
local function remove(job, fn)
  local at = find(job, fn)
  if at then
    table.remove(job.observers, at)
  end
end

--- Adds an observer. If the job has ended already, it gets only the update `finished`, in the next tick.
---@param job botglue.Job
---@param fn fun(update: botglue.Update)
---@param thinking boolean
---@return fun() take_back
function M.add(job, fn, thinking)
  local _, known = find(job, fn)
  if known then
    known.thinking = known.thinking or thinking
  else
    table.insert(job.observers, { fn = fn, thinking = thinking })
  end
  if not job:is_open() then
    vim.schedule(function()
      M.finished(job)
    end)
  elseif job.observed == false then
    job.observed = true
    client.tell("observe", { id = job.id })
  end
  return function()
    remove(job, fn)
  end
end

--- The part of an update that an observer asked for; nil if there is none.
---@param observer botglue.Observer
---@param update table
---@return botglue.Update?
local function heard(observer, update)
  if update.kind == "thinking" and not observer.thinking then
    return nil
  elseif update.kind == "gap" then
    local bytes = update.bytes + (observer.thinking and update.thinking or 0)
    return bytes > 0 and { kind = "gap", bytes = bytes } or nil
  end
  return vim.deepcopy(update)
end

--- Calls the observers of a job with an update, in the order in which they were added.
---@param job botglue.Job
---@param update botglue.Update
function M.tell(job, update)
  for _, observer in ipairs(vim.list_slice(job.observers)) do
    local visible = find(job, observer.fn) and heard(observer, update)
    local ok, err = pcall(visible and observer.fn or function() end, visible)
    if not ok then
      remove(job, observer.fn)
      require("botglue.host.notify").error(
        ("botglue: an observer of job %d failed and was removed: %s"):format(job.id, err)
      )
    end
  end
end

--- The job has ended: calls its observers for the last time.
---@param job botglue.Job
function M.finished(job)
  if #job.observers > 0 then
    M.tell(job, { kind = "finished", job = job:table() })
  end
  job.observers, job.observed = {}, nil
end

return M
