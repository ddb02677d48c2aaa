--- The connection to the host with all that hangs off it: the one variable of the plugin that lives on.
---
--- Starts the host with the first request, and ends what it ran should it die. Only notifications are sent: nothing
--- here waits for the host. What a job is, and what becomes of an answer, is not known here; which jobs there are is
--- `registry`'s.

local groups = require("botglue.groups")
local host = require("botglue.host")

local M = {}

---@class botglue.Connection
---@field process botglue.Process?
---@field ready_within integer milliseconds that a host has to say that it is there
---@field jobs table<integer, botglue.Job>
---@field open table<integer, botglue.Job> those that have not ended
---@field held table<integer, botglue.Job> those whose answer is held
---@field ended integer[] those that have ended and are not held, in that order
---@field spent number? what the jobs have cost that are not known any more
---@field kept table<integer, botglue.Job[]> by buffer the jobs that have ended and whose ranges are known, oldest first
---@field transcripts table<integer, botglue.TranscriptView> those that are shown, by buffer
---@field queries table<integer, botglue.Query> questions to the store, by their token
---@field last_query integer
---@field answered_within integer milliseconds that the store may take for an answer
---@field held_replies (fun(err: string?))[] who waits for the held answers of Neovims that are gone
---@field review botglue.Review? the one that is open
---@field looks table<string, vim.api.keyset.get_hl_info> the highlight groups as we have defined them
---@field deciding_in integer? the buffer of which a key takes or drops hunks
---@field diff botglue.Diff? the proposal that is shown beside its buffer
---@field ticker botglue.Ticker? of the views that move
---@field tools botglue.ToolList? the one that is open
---@field unsent table[] what became of answers, for the next host
---@field written botglue.WrittenStep[] steps that no host has said to be stored, oldest first
---@field restarts integer[] when hosts were started again by themselves, in milliseconds, the newest last
---@field lost integer[] jobs whose host was gone before it told their outcome, which the store may have
---@field groups botglue.Groups of running agents
---@field kill fun()? ends at once what is being ended
---@field telling botglue.Telling events that are to be told
---@field news table[] what jobs have to say in this tick
---@field last_id integer
---@field last_turn integer of the jobs that the host said wait for others to end
---@field started_turn integer the last of them that waits no more
---@field last_token integer of the agents that were started ahead of their jobs
---@field warned boolean? whether the user knows of unknown options in `vim.g.botglue`
---@field waiting integer how many calls of `wait()` are under way
---@field counted boolean? whether a status line has asked for the counts
---@field leaving boolean? whether Neovim ends
---@field quitting boolean? whether a command is under way that may end it
---@field paste botglue.Paste? the one that is under way, if any
---@field batch botglue.Batch? the jobs of which progress is told
---@field cmdheight integer? what it is again with the next key
---@field repeated string? the prompt that `.` sends again
---@field operator botglue.Operator? the one whose prompt is asked for
---@field prompt botglue.Prompt? the one that is open
---@field models table<string, string[]> by agent, those that it offers
---@field list botglue.JobList? the one that is open
---@field mirrored table<integer, boolean> the buffers that the host mirrors
---@field earlier integer how many held answers of earlier sessions wait in this project
---@field outcomes botglue.Outcomes? the lines of ended jobs, while there are any
---@field asked table<integer, botglue.Range> the ranges of prompts that are being typed, by a number of their own
---@field drafts botglue.PromptDraft[] of closed prompts, oldest first
---@field setup table? what `setup()` was given
---@field resolved { setup: table?, global: table?, options: botglue.Options, unknown: string[] }? the options in force
local connection = {
  waiting = 0,
  ready_within = 5000,
  jobs = {},
  open = {},
  held = {},
  ended = {},
  kept = {},
  transcripts = {},
  queries = {},
  last_query = 0,
  answered_within = 10000,
  held_replies = {},
  unsent = {},
  looks = {},
  written = {},
  lost = {},
  restarts = {},
  drafts = {},
  asked = {},
  earlier = 0,
  mirrored = {},
  models = {},
  groups = {},
  telling = { depth = 0, queue = {} },
  news = {},
  last_id = 0,
  last_token = 0,
  last_turn = 0,
  started_turn = 0,
}

---@return botglue.Connection
function M.connection()
  return connection
end

--- The options in force. All who ask get the same table until others are given: each job keeps it.
---@return botglue.Options options never to be changed
---@return string[] unknown
function M.options()
  local config, last = require("botglue.config"), connection.resolved
  local global = config.global()
  if not last or last.setup ~= connection.setup or not vim.deep_equal(last.global, global) then
    local options, unknown = config.resolve(connection.setup)
    last = { setup = connection.setup, global = vim.deepcopy(global), options = options, unknown = unknown }
    connection.resolved = last
  end
  return last.options, last.unknown
end

---@param id integer
---@return botglue.Job?
function M.job(id)
  return connection.jobs[id]
end

---@return integer
function M.next_token()
  connection.last_token = connection.last_token + 1
  return connection.last_token
end

--- The jobs that have not ended, oldest first.
---@return botglue.Job[]
local function open_jobs()
  local jobs = vim.tbl_values(connection.open)
  table.sort(jobs, function(a, b)
    return a.id < b.id
  end)
  return jobs
end

--- Sends a job's request, with what those want to hear who watch it by now.
---@param job botglue.Job
---@param request table
local function send(job, request)
  request.observe = require("botglue.observe").from_start(job)
  job.process:notify("run", request)
end

--- Sends a job that a host has not started to the next one, at once: before the store is asked anything.
---@param job botglue.Job
local function send_again(job)
  local request = job.request
  -- Once: a host that always ends gets no job for ever.
  job.request = nil
  local process, err = M.connect(job.options)
  if process then
    job.process = process
    send(job, request)
  else
    job:fail(err)
  end
end

--- Hands an answer that a host had told of, and not settled, to the next one: what it had written of it is known here.
---@param process botglue.Process
---@param job botglue.Job
local function resume(process, job)
  local landing = require("botglue.editor.write").landing(job.id)
  if landing then
    process:tell({ id = job.id, landing = landing })
    job:land(landing)
    return
  end
  local sent = require("botglue.attach").sent(job)
  sent.lines, sent.held_for = job.answer.lines, job.answer.held_for
  job.process = process
  process:notify("resume", sent)
end

--- A host is gone, and what the user decided of an answer with it, unless it was written.
---@param job botglue.Job
local function undecide(job)
  local landing = require("botglue.editor.write").landing(job.id)
  -- It may be the landing that is to be reverted, of which it is not known yet that it is stored.
  if landing and landing ~= job.landing then
    job:decide(landing)
    require("botglue.report").landed(job, landing)
  else
    job.deciding = nil
    require("botglue.notify").error(("botglue: decide on job %d again: the host is gone"):format(job.id))
  end
end

local RESTARTS = 3 -- a minute

--- Whether another host is started by itself: where a range is to be followed, and not for ever.
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

--- A host is gone: so is what it ran, and each job that it owed an outcome. What it was not told the next one is, what
--- it has not started because it was told to end the next one runs, and an answer that it has told of the next one
--- lands.
---@param process botglue.Process
---@param err botglue.JobError
local function lost(process, err)
  if connection.process == process then
    connection.process = nil
  end
  if connection.leaving or vim.v.exiting ~= vim.NIL then
    -- All is told and ended already, or, where an autocommand ends Neovim, there is no event of its end. A host that is
    -- started now is one that Neovim waits for, and nobody ends.
    return
  end
  for _, job in pairs(connection.jobs) do
    job.range:keep_rows()
  end
  connection.kill = groups.stop(connection.groups)
  connection.groups = {}
  -- What it was told last it may have taken to its grave; hearing it twice does no harm.
  vim.list_extend(connection.unsent, process.told)
  for _, message in ipairs(process.outbox) do
    if message.method == "landed" then
      table.insert(connection.unsent, message.argument)
    end
  end
  local again, answered = {}, {}
  for _, job in ipairs(open_jobs()) do
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
  for _, query in pairs(vim.tbl_extend("error", {}, connection.queries)) do
    if query.process == process then
      query.reply(nil, err.message)
    end
  end
  require("botglue.adopt").answered(err.message)
  for _, job in ipairs(again) do
    send_again(job)
  end
  for _, job in pairs(connection.jobs) do
    if job.deciding then
      undecide(job)
    end
  end
  for _, landed in ipairs(require("botglue.editor.write").landings()) do
    local job = connection.jobs[landed.id]
    if job and job.landing == landed.landing then
      table.insert(connection.unsent, landed)
    end
  end
  local another = connection.process or restarts() and M.connect(M.options()) or nil
  for _, job in ipairs(answered) do
    if another then
      resume(another, job)
    else
      require("botglue.report").landed(job, "held", "range_lost")
      job:land("held", "range_lost")
    end
  end
end

--- A command that may end Neovim begins: files are written, questions are asked. It has not once Neovim waits for a
--- key again that is no reply.
local function quit()
  connection.quitting = true
  vim.api.nvim_create_autocmd("SafeState", {
    group = vim.api.nvim_create_augroup("botglue.client.quit", { clear = true }),
    desc = "botglue: answers may land again",
    callback = function()
      local is_asking = vim.api.nvim_get_mode().mode:find("^r") ~= nil
      connection.quitting = is_asking or nil
      return not is_asking
    end,
  })
end

--- Neovim ends: so do its jobs, each with its event, and their agents. The host notices by itself.
local function leave()
  require("botglue.ui.prompt.draft").tell_all()
  connection.leaving = true
  local interrupted = {}
  for _, job in ipairs(open_jobs()) do
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
  for _, job in ipairs(open_jobs()) do
    if job:is_waiting() then
      job:fail({ code = "host_lost", message = "ask again: Neovim was left before the answer came" })
    else
      require("botglue.report").landed(job, "held", "review")
      job:land("held", "review")
    end
  end
  -- There is no next tick.
  require("botglue.events").flush()
  require("botglue.progress").flush()
end

--- The host, started if there is none.
---@param options botglue.Options
---@return botglue.Process? process
---@return botglue.JobError? err
function M.connect(options)
  if connection.process then
    return connection.process
  end
  local process, err
  process, err = host.start(options, connection.ready_within, function(why)
    lost(process, why)
  end)
  connection.process = process
  if process then
    local unsent = connection.unsent
    connection.unsent = {}
    for _, message in ipairs(unsent) do
      process:tell(message)
    end
    require("botglue.attach").want_again()
    require("botglue.adopt").recover()
    require("botglue.proposal").tell_all(process)
    require("botglue.ui.prompt.draft").tell_all()
    connection.paste = connection.paste or require("botglue.paste").watch()
    local group = vim.api.nvim_create_augroup("botglue.client", { clear = true })
    vim.api.nvim_create_autocmd(
      "VimLeavePre",
      { group = group, desc = "botglue: end the jobs", callback = leave }
    )
    vim.api.nvim_create_autocmd("QuitPre", {
      group = group,
      desc = "botglue: land nothing in a file that was written already",
      callback = quit,
    })
  end
  return process, err
end

--- Sends a job's request in the next tick, together with what those want to hear who watch it by then: whoever
--- registers as soon as the job is there misses nothing. A job that cannot be sent fails then.
---@param job botglue.Job
---@param request table
function M.submit(job, request)
  local process, err = M.connect(job.options)
  if not process then
    vim.schedule(function()
      job:fail(err)
    end)
    return
  end
  job.process, job.request = process, request
  vim.schedule(function()
    if job:is_waiting() and job.process == process then
      send(job, request)
    end
  end)
end

--- The host's greeting.
---@param hello { version: string, pid: integer }
function M.ready(hello)
  if connection.process then
    connection.process:greet(hello)
  end
end

return M
