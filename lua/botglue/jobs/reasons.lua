--- Sentences about a job: its outcome, why its answer is held, why it cannot be accepted or reverted. The host sends
--- their words with its greeting, so they are known before any answer.

local connection = require("botglue.host.connection")

local M = {}

--- The words for a reason; an unknown one is taken as the words themselves.
---@param why string
---@return botglue.Reason
local function of(why)
  return connection.words.reasons[why] or { held = why, fact = why }
end

--- Why an answer is held.
---@param why string
---@return string
function M.held(why)
  return of(why).held
end

--- Why the answer of a job is held.
---@param job botglue.Job|botglue.JobTable
---@return string
function M.held_job(job)
  return job.held_for == "doubtful" and job.held_why or M.held(job.held_for)
end

--- The action that makes accepting possible, and the reason.
---@param why string
---@param id integer the job's
---@return string
function M.advice(why, id)
  local advice = of(why).advice
  return (advice and advice:format(id) .. ": " or "") .. of(why).fact
end

--- The message for a decision that is refused.
---@param id integer
---@param verb "accepted"|"rejected"|"reverted"
---@param why string
---@return string
function M.refusal(id, verb, why)
  local words = verb == "reverted" and (of(why).changed or of(why).fact) or M.advice(why, id)
  return ("job %d cannot be %s: %s"):format(id, verb, words)
end

--- How to see the answer of a held job.
---@param id integer
---@return string
function M.held_hint(id)
  return (":Botglue review %d"):format(id)
end

--- The outcome of an answer that is not held.
---@param landing string
---@return string words
---@return string? why
function M.landed(landing)
  local landed = connection.words.landings[landing] or { words = landing }
  return landed.words, landed.why
end

--- The outcome of a job that has ended.
---@param job botglue.Job|botglue.JobTable
---@return string
function M.ended(job)
  if job.status == "failed" then
    return job.error.message
  elseif job.landing == "held" then
    return "held: " .. M.held_job(job)
  end
  local words, why = M.landed(job.landing)
  return why and words .. ": " .. why or words
end

return M
