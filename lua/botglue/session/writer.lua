--- Which job wrote a text, and in which session: what a follow-up and a rewind go on from. While the buffer lives the
--- ranges of its jobs tell; after a restart the store and the text do, where the host finds that in the buffer.

local argument = require("botglue.util.argument")
local attach = require("botglue.host.attach")
local choose = require("botglue.jobs.choose")
local client = require("botglue.host.client")
local config = require("botglue.config")
local errors = require("botglue.host.errors")
local user_context = require("botglue.editor.user_context")
local query = require("botglue.host.query")
local range = require("botglue.editor.range")
local stored_job = require("botglue.session.stored_job")

local M = {}

local api = vim.api
local fail = errors.fail
local namespace = api.nvim_create_namespace("botglue.writer")

---@class botglue.Source
---@field agent string
---@field model string?
---@field session_id string
---@field cwd string where the session is at home
---@field question boolean?
---@field target botglue.Range what it wrote, as it is now

--- The session of a job. An error says why there is none to go on in.
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

--- The session of a job to go on in: an error where its agent cannot.
---@param name string of the job, for messages
---@param agent string
---@param session_id string?
---@return string session_id
local function session_to_go_on(name, agent, session_id)
  local id, known = M.session(name, agent, session_id)
  if require("botglue.config.shipped").of(agent, known).goes_on == false then
    fail("start a new job: %s was run by %s, this agent cannot go on in a session", name, agent)
  end
  return id
end

--- A job of this Neovim as what to go on from.
---@param job botglue.Job
---@return botglue.Source
function M.of_job(job)
  local name = "job " .. job.id
  if job:is_open() then
    fail("%s has not ended yet: wait for it", name)
  end
  local session_id = session_to_go_on(name, job.agent, job.session_id)
  local target = job:again()
    or fail("select the lines and start a new job: the place of %s is not known", name)
  return {
    agent = job.agent,
    model = job.wanted,
    session_id = session_id,
    cwd = job.cwd,
    question = job.question,
    target = target,
  }
end

--- Finds which of the store's jobs wrote a row.
---@param bufnr integer
---@param entries table[] newest first
---@param row fun(): integer the row, from 0, as it is by then
---@param fn fun(entry: table?, place: table?, err: string?)
function M.find(bufnr, entries, row, fn)
  local texts = vim.tbl_map(function(entry)
    return stored_job.lines(entry.landed_rows, entry.landed_first)
  end, entries)
  if #texts == 0 then
    fn()
    return
  end
  attach.find(bufnr, texts, function(places, err)
    local at = row()
    for i, place in ipairs(places or {}) do
      if place.kind and place.first <= at and at <= place.last then
        fn(entries[i], place)
        return
      end
    end
    fn(nil, nil, err)
  end)
end

---@param bufnr integer
---@param entry table?
---@param place table?
---@param err string?
---@return botglue.Source
local function of_entry(bufnr, entry, place, err)
  if not entry or not place then
    fail("%s", err or "select this text and start a new job: no known job wrote it")
  end
  ---@cast entry table
  ---@cast place table
  return {
    agent = entry.agent,
    model = entry.model,
    session_id = session_to_go_on("the job that wrote this", entry.agent, entry.session_id),
    cwd = entry.project,
    target = range.at(bufnr, place, place.kind),
  }
end

--- The job under the cursor, of those whose place is known: one that remembers only where it was wrote nothing of what
--- is there now.
---@param choice botglue.JobFilter
---@return botglue.Job?
local function standing(choice)
  local bufnr = api.nvim_get_current_buf()
  return choose.at_cursor(choose.all(function(job)
    return choice(job) and job.range.bufnr == bufnr and job.range:place() ~= nil
  end))
end

--- The job of this Neovim that wrote the text under the cursor: also where that is the answer to a question, in its
--- own window.
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
    fail("nothing was opened: you went on before the store had answered")
  end
end

--- Finds what wrote the text under the cursor.
---@param callback fun(source: botglue.Source, stayed: (fun(): boolean)?) called now, or once the store has answered,
--- with whether the user is still there; its errors are told
function M.at_cursor(callback)
  local job = job_at_cursor()
  if job then
    callback(M.of_job(job))
    return
  end
  local bufnr = api.nvim_get_current_buf()
  local path = require("botglue.util.buffer_path")(bufnr)
  if path == "" then
    of_entry(bufnr)
  end
  -- The user goes on meanwhile: what was under the cursor moves.
  local mark = api.nvim_buf_set_extmark(bufnr, namespace, api.nvim_win_get_cursor(0)[1] - 1, 0, {})
  local function row()
    local at = api.nvim_buf_get_extmark_by_id(bufnr, namespace, mark, {})[1]
    api.nvim_buf_del_extmark(bufnr, namespace, mark)
    return at
  end
  local stayed = user_context.asked()
  query.ask("writers", { path = path, limit = 50 }, function(result, err)
    errors.guard(function()
      if not api.nvim_buf_is_loaded(bufnr) then
        return
      end
      M.find(bufnr, (result or fail("%s", err)).jobs, row, function(entry, place, trouble)
        callback(of_entry(bufnr, entry, place, trouble), stayed)
      end)
    end)
  end)
end

return M
