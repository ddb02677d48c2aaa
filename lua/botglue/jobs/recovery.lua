--- Handles the jobs when their host has died or Neovim exits. What was written stands, an answer that waited is held,
--- and a job that ran fails; its answer, if that was stored, the next host offers as a held one.

local client = require("botglue.host.client")
local connection = require("botglue.host.connection")
local events = require("botglue.jobs.events")
local notify = require("botglue.host.notify")
local progress = require("botglue.jobs.progress")
local query = require("botglue.host.query")
local registry = require("botglue.jobs.registry")
local write = require("botglue.editor.write")

local M = {}

local RESTARTS = 3 -- a minute

--- Whether to start another host at once: only if a range must be followed, and a limited number of times.
---@return boolean
local function restarts()
  local is_needed = #connection.lost > 0
    or connection.prompt ~= nil
    or vim.iter(registry.all()):any(function(job)
      return job.landing == "held"
        or not job.range.is_forgotten and vim.api.nvim_buf_is_valid(job.range.bufnr)
    end)
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

--- What becomes of an answer without a host: it was written, or it is held. The host has stored one that waited for a
--- moment, and the next one, or the next session, offers it.
---@param job botglue.Job
---@param landing string
local function settle(job, landing)
  local is_open = job:is_open()
  job:take({
    id = job.id,
    set = {
      status = is_open and "done" or nil,
      landing = landing,
      held_for = landing == "held" and "review" or vim.NIL,
      said = landing == "held" and "held: its answer waits for review" or "landed",
    },
    is_update = not is_open,
  })
end

--- Ends the jobs of a host that is gone.
---@param process botglue.Process
---@param err botglue.JobError
local function take_leave(process, err)
  query.fail(process, err.message)
  progress.stop()
  for _, job in ipairs(registry.all()) do
    job.range:keep_rows()
    local written = (write.landings()[job.id] or {}).landing
    if written and written ~= job.landing then
      settle(job, written)
    elseif job.status == "ready" then
      settle(job, "held")
    elseif job:is_open() and job.process == process then
      table.insert(connection.lost, job.id)
      job:fail(err)
    elseif job.deciding == "pending" then
      notify.error(("botglue: decide on job %d again: the host is gone"):format(job.id))
    end
    job.deciding = nil
  end
end

--- A host is gone. What runs on the way does not wait for another one, which has to know of all jobs first.
---@param process botglue.Process
---@param err botglue.JobError
function M.host_lost(process, err)
  connection.applying = true
  local ok, raised = pcall(take_leave, process, err)
  connection.applying = false
  if not ok then
    notify.error(tostring(raised))
  end
  if not connection.process and restarts() then
    client.connect(client.options())
  end
end

--- Tells a new host what the last one has left.
---@param process botglue.Process
function M.introduce(process)
  local hello = { held = {}, ended = {}, lost = connection.lost }
  hello.written = vim.tbl_values(write.landings())
  for _, job in ipairs(registry.all()) do
    if job.landing == "held" then
      table.insert(hello.held, { id = job.id, uuid = job.uuid, is_taken = job.range.before ~= nil })
    elseif not job:is_open() then
      local is_lost = job.error and job.error.code == "session_not_found"
      table.insert(hello.ended, {
        id = job.id,
        agent = job.agent,
        cwd = job.cwd,
        session_id = not is_lost and job.session_id or nil,
        landing = job.landing,
        said = job.said,
        has_transcript = job.transcript ~= nil,
        is_resumed = job.request and job.request.resume ~= nil,
      })
    end
  end
  if #hello.held + #hello.ended + #hello.lost + #hello.written > 0 then
    table.insert(process.outbox, 1, { method = "hello", argument = hello })
  end
end

--- Neovim ends: so do its jobs, each with its event. The host notices by itself, and ends their agents.
function M.leave()
  connection.leaving = true
  local interrupted = {}
  for _, job in ipairs(registry.all()) do
    if job.status == "ready" then
      settle(job, "held")
    elseif job:is_open() then
      table.insert(interrupted, job.id)
      job:fail({ code = "host_lost", message = "ask again: Neovim was left before the answer came" })
    end
  end
  if connection.process and #interrupted > 0 then
    -- The host may see the end of an agent before it knows that Neovim is left.
    connection.process:notify("interrupted", { ids = interrupted })
  end
  -- There is no next tick.
  events.flush()
  progress.stop()
end

return M
