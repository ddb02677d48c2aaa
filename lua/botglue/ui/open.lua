--- Asks the host for its windows, with what only the plugin knows of the jobs.

local ask = require("botglue.editor.ask")
local choose = require("botglue.jobs.choose")
local errors = require("botglue.host.errors")

local M = {}

--- Opens a window; the user is in it when this returns.
---@param what string
---@param arg table
function M.window(what, arg)
  errors.no_window_in_cmdwin()
  ask.open(what, arg)
end

--- When today began.
---@return integer milliseconds
local function midnight()
  local now = os.date("*t") --[[@as { year: integer, month: integer, day: integer }]]
  return os.time({ year = now.year, month = now.month, day = now.day, hour = 0 }) * 1000
end

--- What the jobs cost; by session for the job at the cursor, else for the newest of this Neovim.
function M.info()
  local project = require("botglue.editor.context").project(vim.api.nvim_get_current_buf())
  local jobs = choose.all(function(job)
    return job.session_id ~= nil
  end)
  local job = choose.at_cursor(jobs) or jobs[#jobs] or {}
  M.window("info", {
    project = project,
    title = vim.fn.fnamemodify(project, ":t"),
    agent = job.agent,
    session_id = job.session_id,
    today_ms = midnight(),
  })
end

--- What a job did, as a conversation.
---@param id integer
---@param raw boolean? the stream as it was printed
function M.transcript(id, raw)
  local job = choose.job(id)
  if not job.transcript and not job.options.record then
    errors.fail("job %d kept no transcript: the option record is off", id)
  end
  local agent = job.options.agents[job.agent]
  M.window("transcript", {
    id = id,
    raw = raw,
    path = agent and job.transcript,
    protocol = agent and agent.protocol,
    agent = job.agent,
    cwd = job.cwd,
    prompt = job.prompt,
    over = not job:is_open(),
    error = job.error and job.error.message,
  })
end

return M
