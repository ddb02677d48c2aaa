--- The same request once more, on the range as it is now: also of a job that failed.

local client = require("botglue.client")

local M = {}

---@param id integer
---@param given botglue.Plus? another agent, another model
---@return integer id of the new job
function M.retry(id, given)
  local job = client.job(id) or error(("botglue: there is no job %s"):format(tostring(id)), 0)
  if job:is_open() then
    error(("botglue: job %d has not ended yet: wait for it"):format(id), 0)
  end
  local options = client.options()
  local agent, model = given and given.agent or job.agent, given and given.model
  require("botglue.config").agent(options, agent, "agent")
  if agent ~= job.agent and job.resume then
    error(("botglue: job %d goes on in a session of %s"):format(id, job.agent), 0)
  elseif agent == job.agent then
    model = model or job.wanted
  end
  local target = job:again()
    or error(("botglue: the lines of job %d are gone: select them and start a new job"):format(id), 0)
  return require("botglue.run").send(target, {
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
