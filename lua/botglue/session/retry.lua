--- Sends the request of an earlier job again, on the current range; also that of a failed job.

local choose = require("botglue.jobs.choose")
local client = require("botglue.host.client")
local fail = require("botglue.host.errors").fail
local requests = require("botglue.jobs.request")

local M = {}

---@param id integer
---@param given botglue.Plus? another agent, another model
---@return integer id of the new job
function M.retry(id, given)
  local job = choose.job(id)
  if job:is_open() then
    fail("job %d has not ended yet: wait for it", id)
  end
  local options, request = client.options(), requests.again(job)
  given = given or {}
  request.agent = given.agent or job.agent
  require("botglue.config").agent(options, request.agent, "agent")
  local is_same = request.agent == job.agent
  if not is_same and job.resume then
    fail("job %d goes on in a session of %s", id, job.agent)
  end
  request.model = given.model or is_same and request.model or nil
  return require("botglue.jobs.run").send(job:again(), request, options)
end

return M
