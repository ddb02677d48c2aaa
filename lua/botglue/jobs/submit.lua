--- Sends the request of a job to the host, with what those want to hear who watch the job by then.

local client = require("botglue.host.client")
local observe = require("botglue.jobs.observe")

local M = {}

---@param job botglue.Job
---@param request table
local function send(job, request)
  request.observe = observe.from_start(job)
  job.process:notify("run", request)
end

--- Sends a job's request in the next tick, together with what those want to hear who watch it by then: whoever
--- registers as soon as the job is there misses nothing. A job that cannot be sent fails then.
---@param job botglue.Job
---@param request table
function M.submit(job, request)
  local process, err = client.connect(job.options)
  if not process then
    vim.schedule(function()
      job:fail(err)
    end)
    return
  end
  job.process, job.request = process, request
  vim.schedule(function()
    if job:is_waiting() and job.process == process then
      send(job, request)
    end
  end)
end

--- Sends a job that a host has not started to the next one, at once: before the store is asked anything.
---@param job botglue.Job
function M.send_again(job)
  local request = job.request
  -- Once: a host that always ends gets no job for ever.
  job.request = nil
  local process, err = client.connect(job.options)
  if process then
    job.process = process
    send(job, request)
  else
    job:fail(err)
  end
end

return M
