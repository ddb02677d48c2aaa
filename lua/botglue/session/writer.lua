--- Finds the job and the session that wrote a text, for a follow-up or a rewind. It looks at the ranges of this
--- session's jobs first, then at stored jobs whose text the host finds in the buffer.

local argument = require("botglue.util.argument")
local choose = require("botglue.jobs.choose")
local client = require("botglue.host.client")
local config = require("botglue.config")
local errors = require("botglue.host.errors")
local find = require("botglue.host.find")
local user_context = require("botglue.editor.user_context")
local range = require("botglue.editor.range")

local M = {}

local api = vim.api
local fail = errors.fail
local namespace = api.nvim_create_namespace("botglue.writer")

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

--- Raises an error if a job has no usable session, or its agent cannot continue one.
---@param name string of the job, for messages
---@param agent string
---@param session_id string?
local function check_continuable(name, agent, session_id)
  local _, known = M.session(name, agent, session_id)
  if require("botglue.config.shipped").of(agent, known).goes_on == false then
    fail("start a new job: %s was run by %s, this agent cannot go on in a session", name, agent)
  end
end

--- Makes a source of a job of this Neovim.
---@param job botglue.Job
---@return botglue.Source
function M.of_job(job)
  local name = "job " .. job.id
  if job:is_open() then
    fail("%s has not ended yet: wait for it", name)
  end
  check_continuable(name, job.agent, job.session_id)
  return { job = job, target = job:again() }
end

--- Finds which of the store's jobs wrote the row of a mark, which the user's edits move until then.
---@param bufnr integer of a file
---@param row integer from 0
---@param fn fun(found: botglue.Found?, err: string?) without a `job` where none did
function M.find(bufnr, row, fn)
  local path = require("botglue.util.buffer_path")(bufnr)
  local mark = api.nvim_buf_set_extmark(bufnr, namespace, row, 0, {})
  find.ask("wrote", bufnr, function()
    return { path = path, row = api.nvim_buf_get_extmark_by_id(bufnr, namespace, mark, {})[1] or row }
  end, function(found, err)
    if api.nvim_buf_is_valid(bufnr) then
      api.nvim_buf_del_extmark(bufnr, namespace, mark)
    end
    fn(found, err)
  end)
end

---@param bufnr integer
---@param found botglue.Found?
---@param err string?
---@return botglue.Source
local function of_found(bufnr, found, err)
  local job = found and found.job
    or fail("%s", err or "select this text and start a new job: no known job wrote it")
  ---@cast found botglue.Found
  check_continuable("the job that wrote this", job.agent, job.session_id)
  return { job = job, target = range.at(bufnr, found.place, found.place.kind) }
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

--- The job of this Neovim that wrote the text at the cursor, in its buffer or in the window of an answered question.
---@return botglue.Job?
local function job_at_cursor()
  return client.job(vim.w.botglue_answer) or standing(choose.wrote) or standing(choose.answered)
end

--- Lets go of what was found where the user went on before it was: what would open now is in the way.
---@param source botglue.Source
---@param stayed (fun(): boolean)? nil: nobody had to wait
function M.only_for_who_stayed(source, stayed)
  if stayed and not stayed() then
    source.target:unmark()
    fail("try again: you moved on before the store replied, nothing was opened")
  end
end

--- Finds what wrote the text under the cursor.
---@param callback fun(source: botglue.Source, stayed: (fun(): boolean)?) called now, or once the store has replied;
--- then `stayed` says whether the user is still there; its errors are shown
function M.at_cursor(callback)
  local job = job_at_cursor()
  if job then
    callback(M.of_job(job))
    return
  end
  local bufnr = api.nvim_get_current_buf()
  if require("botglue.util.buffer_path")(bufnr) == "" then
    of_found(bufnr)
  end
  local stayed = user_context.asked()
  M.find(bufnr, api.nvim_win_get_cursor(0)[1] - 1, function(found, err)
    callback(of_found(bufnr, found, err), stayed)
  end)
end

return M
