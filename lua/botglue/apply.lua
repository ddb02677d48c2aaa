--- All that the host calls, by `exec_lua`. Each takes whole states: a call that comes late or twice does no harm.
--- Nothing is returned; the host never waits for a decision of the editor's.

local client = require("botglue.client")
local groups = require("botglue.groups")
local land = require("botglue.land")
local observe = require("botglue.observe")
local tidied = require("botglue.tidied")

local M = {}

local NOT_REVERTED = {
  conflict = "job %d cannot be reverted: its lines were changed since",
  range_lost = "job %d cannot be reverted: its place is not known",
  buffer_gone = "job %d cannot be reverted: its place is not known",
  not_modifiable = "job %d cannot be reverted: its buffer cannot be changed",
}

--- The host is there: the first call on a new channel.
---@param hello { version: string, pid: integer }
function M.ready(hello)
  client.ready(hello)
end

--- The newest state of each job that changed.
---@param states botglue.State[]
function M.frame(states)
  for _, state in ipairs(states) do
    local job = client.job(state.id)
    if job then
      groups.note(client.connection().groups, job, state.pgid)
      job:update(state)
    end
  end
end

--- What jobs say that somebody watches, before a frame or an outcome shows the same.
---@param jobs { id: integer, updates: table[] }[]
function M.observed(jobs)
  for _, said in ipairs(jobs) do
    local job = client.job(said.id)
    if job then
      observe.take(job, said.updates)
    end
  end
end

--- The raw stream of a job is kept in a file.
---@param recording { id: integer, path: string }
function M.recording(recording)
  local job = client.job(recording.id)
  if job then
    job.transcript = recording.path
  end
end

--- A job has its outcome: the only call of its kind for it.
---@param outcome botglue.Outcome
function M.finish(outcome)
  local job = client.job(outcome.id)
  if not job or not job:is_waiting() then
    return
  end
  observe.tools(job, outcome.tools or {})
  job:learn(outcome)
  if outcome.status == "failed" then
    job:fail(outcome.error)
    return
  end
  job.text = outcome.text
  if job.question then
    require("botglue.ask").answered(job)
    return
  end
  local lines = outcome.lines or tidied.lines(outcome.text, outcome.rows)
  job.answer = {
    lines = lines,
    edits = outcome.edits and tidied.edits(outcome.edits, lines),
    held_for = outcome.held_for or job.review and "review" or nil,
  }
  if not job.lands then
    land.deliver(job)
  end
end

--- Writes answers to a buffer. What is drawn at their ranges goes along; a job whose answer has to wait is ready.
---@param call botglue.WriteCall
---@return botglue.WriteReply
function M.write(call)
  local reply = require("botglue.editor.write").write(call)
  for i, step in ipairs(call.steps) do
    local job, result = client.job(step.job), (reply.steps or {})[i]
    if job and result and result.state == "written" then
      local place = step.place
      job.range:mark(place, place.kind)
    elseif job and reply.state == "not_now" and job:is_open() then
      job:wait_ready()
    end
  end
  return reply
end

--- What became of an answer that the host landed, or took back.
---@param told { id: integer, landing: string, held_for: string? }
function M.landed(told)
  local job = client.job(told.id)
  if job and job:is_open() then
    job:land(told.landing, told.held_for)
  elseif job then
    job:decide(told.landing)
  end
end

--- What was written for a job stays as it is.
---@param told { id: integer, why: string }
function M.not_reverted(told)
  local errors = require("botglue.errors")
  errors.guard(errors.fail, NOT_REVERTED[told.why] or NOT_REVERTED.conflict, told.id)
end

--- What came of a merge.
---@param merged { id: integer, purpose: string, tick: integer, clean: boolean }
function M.merged(merged)
  require("botglue.merge").reply(merged)
end

--- An answer that is to be held is on the disk.
---@param kept { id: integer }
function M.kept(kept)
  local job = client.job(kept.id)
  if job then
    job:kept()
  end
end

--- Held answers of Neovims that are gone, which are this one's now.
---@param held { answers: table[]?, error: string? }
function M.held(held)
  require("botglue.adopt").take(held.answers or {}, held.error)
end

--- The process group of an agent that waits for its message; `false` when it is gone.
---@param waiting { token: integer, pgid: integer|false }
function M.prewarmed(waiting)
  groups.note_waiting(client.connection().groups, waiting.token, waiting.pgid)
end

--- The answer to a question to the store.
---@param reply { token: integer, error: string? }
function M.reply(reply)
  require("botglue.query").reply(reply)
end

--- Something that concerns no single job.
---@param warning { message: string }
function M.warn(warning)
  require("botglue.notify").warn("botglue: " .. warning.message)
end

--- Amounts that became known after the outcome.
---@param amounts { id: integer }
function M.amend(amounts)
  local job = client.job(amounts.id)
  if job then
    job:learn(amounts)
    local list = client.connection().list
    if list then
      -- Nobody is told otherwise: the job's last event was told.
      list:changed(amounts.id)
    end
  end
end

return M
