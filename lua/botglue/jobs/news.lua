--- The messages about jobs that the option `notify` asks for. Equal messages of several jobs are one line.

local notify = require("botglue.host.notify")
local reasons = require("botglue.jobs.reasons")

local M = {}

local LEVELS = vim.log.levels

--- Announces the answer to a question if showing it would disturb the user.
---@param job botglue.Job
function M.answered(job)
  if job.options.notify ~= "none" then
    local verb = ("answered, :Botglue answer %d shows it"):format(job.id)
    notify.add({ id = job.id, verb = verb, words = job.prompt, level = LEVELS.INFO })
  end
end

--- Announces the end of a job as the option `notify` says.
---@param job botglue.Job
function M.ended(job)
  local setting = job.options.notify
  local item = { id = job.id }
  if job.status == "failed" then
    item.verb, item.words, item.level = "failed", job.error.message, LEVELS.ERROR
  elseif job.landing == "held" then
    item.verb = ("held, %s shows it"):format(reasons.held_hint(job.id))
    item.words, item.level = reasons.held_job(job), LEVELS.WARN
  elseif setting == "all" and job.landing ~= "answered" then
    item.verb, item.words, item.level = reasons.landed(job.landing), job.prompt, LEVELS.INFO
  end
  if setting == "none" or not item.verb then
    return
  end
  notify.add(item)
end

return M
