--- Handles the jobs when their host has died or Neovim exits: each ends with its outcome, is sent again, or its answer
--- is handed to the next host.

local attach = require("botglue.host.attach")
local client = require("botglue.host.client")
local connection = require("botglue.host.connection")
local events = require("botglue.jobs.events")
local groups = require("botglue.host.groups")
local notify = require("botglue.host.notify")
local progress = require("botglue.jobs.progress")
local query = require("botglue.host.query")
local registry = require("botglue.jobs.registry")
local report = require("botglue.jobs.report")
local write = require("botglue.editor.write")

local M = {}

--- Hands an answer that a host had announced, and had not landed, to the next one.
---@param process botglue.Process
---@param job botglue.Job
local function resume(process, job)
  local sent = attach.sent(job)
  sent.lines, sent.held_for = job.answer.lines, job.answer.held_for
  job.process = process
  process:notify("resume", sent)
end

--- Cancels the decision that a dead host was working on, unless it was written.
---@param job botglue.Job
local function undecide(job)
  local landing = write.landing(job.id)
  -- It may be the landing that is to be reverted, if the host has not confirmed yet that it is stored.
  if landing and landing ~= job.landing then
    job:decide(landing)
    report.landed(job, landing)
  else
    job.deciding = nil
    notify.error(("botglue: decide on job %d again: the host is gone"):format(job.id))
  end
end

local RESTARTS = 3 -- a minute

--- Whether to start another host at once: only if a range must be followed, and a limited number of times.
---@return boolean
local function restarts()
  local is_needed = next(connection.open) or next(connection.held) or next(connection.kept)
  local now = vim.uv.now()
  local recent = vim.tbl_filter(function(at)
    return now - at < 60000
  end, connection.restarts)
  connection.restarts = recent
  if not is_needed or #recent >= RESTARTS then
    return false
  end
  table.insert(recent, now)
  return true
end

--- A host is gone. The jobs that it ran fail. What it had not started, because it was told to end, the next host runs;
--- an answer that it had announced the next host lands.
---@param process botglue.Process
---@param err botglue.JobError
function M.host_lost(process, err)
  for _, job in pairs(connection.jobs) do
    job.range:keep_rows()
  end
  connection.kill = groups.stop(connection.groups)
  connection.groups = {}
  local again, answered = {}, {}
  for _, job in ipairs(registry.open_jobs()) do
    if not job:is_waiting() then
      answered[#answered + 1] = job
    elseif job.process == process then
      if process.in_order and job.request then
        again[#again + 1] = job
      else
        table.insert(connection.lost, job.id)
        job:fail(err)
      end
    end
  end
  query.fail(process, err.message)
  for _, job in ipairs(again) do
    job:send_again()
  end
  for _, job in pairs(connection.jobs) do
    if job.deciding then
      undecide(job)
    end
  end
  local another = connection.process or restarts() and client.connect(client.options()) or nil
  for _, job in ipairs(answered) do
    local landing = write.landing(job.id)
    if another and not landing then
      resume(another, job)
    else
      local held_for = not landing and "range_lost" or nil
      report.landed(job, landing or "held", held_for)
      job:land(landing or "held", held_for)
    end
  end
end

--- Neovim ends: so do its jobs, each with its event, and their agents. The host notices by itself.
function M.leave()
  connection.leaving = true
  local interrupted = {}
  for _, job in ipairs(registry.open_jobs()) do
    if job:is_waiting() then
      interrupted[#interrupted + 1] = job.id
    end
  end
  if connection.process and #interrupted > 0 then
    -- The host may see the end of an agent before it knows that Neovim is left.
    connection.process:notify("interrupted", { ids = interrupted })
  end
  groups.stop(connection.groups)
  if connection.kill then
    connection.kill()
  end
  for _, job in ipairs(registry.open_jobs()) do
    if job:is_waiting() then
      job:fail({ code = "host_lost", message = "ask again: Neovim was left before the answer came" })
    else
      report.landed(job, "held", "review")
      job:land("held", "review")
    end
  end
  -- There is no next tick.
  events.flush()
  progress.flush()
end

return M
