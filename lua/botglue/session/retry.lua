--- The same request once more, on the range as it is now: also of a job that failed.

local choose = require("botglue.jobs.choose")
local client = require("botglue.host.client")
local fail = require("botglue.host.errors").fail

local M = {}

---@param id integer
---@param given botglue.Plus? another agent, another model
---@return integer id of the new job
function M.retry(id, given)
  local job = choose.job(id)
  if job:is_open() then
    fail("job %d has not ended yet: wait for it", id)
  end
  local options = client.options()
  local agent, model = given and given.agent or job.agent, given and given.model
  require("botglue.config").agent(options, agent, "agent")
  if agent ~= job.agent and job.resume then
    fail("job %d goes on in a session of %s", id, job.agent)
  elseif agent == job.agent then
    model = model or job.wanted
  end
  local target = job:again()
    or fail("select the lines and start a new job: the place of job %d is not known", id)
  return require("botglue.jobs.run").send(target, {
    prompt = job.prompt,
    agent = agent,
    model = model,
    review = job.review,
    question = job.question,
    notes = job.notes,
    resume = job.resume,
    cwd = job.resume and job.cwd or nil,
  }, options)
end

return M
