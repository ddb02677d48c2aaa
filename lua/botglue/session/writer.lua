--- Finds the job of this Neovim and the session that wrote a text, for a follow-up or a rewind.

local argument = require("botglue.util.argument")
local choose = require("botglue.jobs.choose")
local client = require("botglue.host.client")
local config = require("botglue.config")
local errors = require("botglue.host.errors")

local M = {}

local api = vim.api
local fail = errors.fail

---@class botglue.Source
---@field job botglue.Earlier
---@field target botglue.Range the current range of the text that it wrote

--- Returns the session of a job; raises an error if it has no usable one.
---@param name string of the job, for messages
---@param agent string
---@param session_id string?
---@return string session_id
---@return botglue.Agent agent
function M.session(name, agent, session_id)
  local known = config.agent((client.options()), agent, "agent")
  if known.protocol == "text" then
    fail("start a new job: %s was run by %s, which keeps no sessions", name, agent)
  elseif not session_id then
    fail("start a new job: %s has no session to go on in", name)
  elseif not argument.is_word(session_id) then
    fail("start a new job: the session id of %s is not %s", name, argument.EXPECTED)
  end
  ---@cast session_id string
  return session_id, known
end

--- Makes a source of a job of this Neovim. Raises an error if the job has no usable session, or its agent cannot
--- continue one.
---@param job botglue.Job
---@return botglue.Source
function M.of_job(job)
  local name = "job " .. job.id
  if job:is_open() then
    fail("%s has not ended yet: wait for it", name)
  end
  local _, agent = M.session(name, job.agent, job.session_id)
  local known = require("botglue.host.agents").of(job.agent, agent)
  if known and known.goes_on == false then
    fail("start a new job: %s was run by %s, this agent cannot go on in a session", name, job.agent)
  end
  return { job = job, target = job:again() }
end

--- The job at the cursor whose place is known. A job that has only its last lines is ignored: the text there now may be
--- another one.
---@param choice botglue.JobFilter
---@return botglue.Job?
local function standing(choice)
  local bufnr = api.nvim_get_current_buf()
  return choose.at_cursor(choose.all(function(job)
    return choice(job) and job.range.bufnr == bufnr and job.range:place() ~= nil
  end))
end

--- Finds what wrote the text under the cursor, in its buffer or in the window of an answered question.
---@return botglue.Source
function M.at_cursor()
  local job = client.job(vim.w.botglue_answer)
    or standing(choose.wrote)
    or standing(choose.answered)
    or fail("no job of this Neovim wrote this: use f in :Botglue history")
  return M.of_job(job)
end

return M
