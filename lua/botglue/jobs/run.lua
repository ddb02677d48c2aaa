--- Starts a job on a marked range: gives it an id, and sends the host what only Neovim knows. The host knows the
--- rest: the options, and what the names in a prompt mean.

local client = require("botglue.host.client")
local capture = require("botglue.editor.capture")
local errors = require("botglue.host.errors")
local events = require("botglue.jobs.events")
local cache = require("botglue.jobs.cache")

local M = {}

local api = vim.api

---@class botglue.Request
---@field prompt string? nil: the user is asked for it
---@field text string? the text that the prompt's window begins with
---@field agent string?
---@field model string?
---@field review boolean?
---@field prewarmed integer? the id of the prompt's window for which an agent was started ahead
---@field question boolean?
---@field notes table[]? what else is known of the lines, in the form of diagnostics
---@field resume { session_id: string, at: string? }? the session to continue, and the message after which
---@field cwd string? the directory of that session

--- Resolves a named prompt as far as the plugin needs it: the host resolves it again, and fails the job if a name in
--- it is wrong.
---@param request botglue.Request
---@param options botglue.Options
---@return { text: string, agent: string, model: string?, question: boolean? }
local function meaning(request, options)
  local named = options.prompts[request.prompt:match("^%s*/([%w_-]+)") or ""] or {}
  named = type(named) == "table" and named or { prompt = named }
  local own = named.agent or options.agent
  local agent = request.agent or own
  local known = options.agents[agent] or {}
  return {
    text = (named.prompt or "") .. "\n" .. request.prompt,
    agent = agent,
    model = request.model
      or agent == own and named.model
      or known.model
      or agent == "claude" and options.model
      or nil,
    question = request.question or named.ask,
  }
end

--- Makes the request for the host.
---@param target botglue.Range
---@param request botglue.Request
---@param options botglue.Options
---@return table? message nil if the place of the target is unknown
local function message(target, request, options)
  local bufnr, path, limits = target.bufnr, capture.path(target.bufnr), options.context
  local chosen, first, last = target:selection(), target:lines()
  if not chosen then
    return nil
  end
  local before, after = capture.around(bufnr, target.kind == "insert" and first or first - 1, last, limits)
  local said, project = meaning(request, options).text, capture.project(bufnr)
  return vim.tbl_extend("force", request, {
    cwd = request.cwd or project,
    path = path,
    name = path == "" and api.nvim_buf_get_name(bufnr) or nil,
    buffer = bufnr,
    tick = api.nvim_buf_get_changedtick(bufnr),
    tabstop = vim.bo[bufnr].tabstop,
    filetype = vim.bo[bufnr].filetype,
    selection = chosen,
    before = before,
    after = after,
    diagnostics = capture.diagnostics(bufnr, math.max(first, 1), math.max(last, 1), true),
    mentioned = said:find("@diagnostics", 1, true) and capture.diagnostics(bufnr, 0, math.huge, true) or nil,
    whole = said:find("@diff", 1, true) and api.nvim_buf_get_lines(bufnr, 0, -1, false) or nil,
    quickfix = said:find("@quickfix", 1, true) and capture.quickfix() or nil,
    buffers = said:find("@buffer:", 1, true) and capture.texts(project, said, limits.bytes) or nil,
  })
end

--- Sends the request of a job in the next tick, so that an observer that is added as soon as the job exists misses
--- nothing. If there is no host, the job fails then.
---@param job botglue.Job
---@param sent table
local function submit(job, sent)
  local process, err = client.connect()
  vim.schedule(function()
    if not process then
      job:fail(err --[[@as botglue.JobError]])
    elseif job:is_open() then
      job.observed = #job.observers > 0
      sent.observe = job.observed or nil
      client.tell_options(process)
      process:notify("geometry", require("botglue.host.ask").here())
      process:notify("run", sent)
    end
  end)
end

--- Starts a job on a range as it is now.
---@param target botglue.Range
---@param request botglue.Request
---@return integer id
function M.send(target, request)
  -- Made before the first event, because an autocommand may change or wipe the buffer.
  local bufnr, options = target.bufnr, client.options()
  local sent, means = message(target, request, options), meaning(request, options)
  if not sent then
    target:unmark()
    errors.fail("the place is not known: select the lines")
  end
  local facts = { path = sent.path, prompt = request.prompt, agent = means.agent, model = means.model }
  local job = cache.add(target, facts)
  sent.id = job.id
  submit(job, sent)
  capture.want(bufnr, job)
  job.asked_from = means.question and capture.whereabouts() or nil
  -- Last, because an autocommand may wait for the job, which is sent in the next tick.
  events.emit("BotglueJobStarted", job, true)
  return job.id
end

--- Sends the request of a job that has waited for a limit again, on its range as it is now.
---@param told { id: integer, request: botglue.Request }
function M.recall(told)
  local job = cache.job(told.id)
  local ok, sent = pcall(function()
    return job:load() and message(job.range, told.request, client.options())
  end)
  local lost = ok and "its place is not known: select the lines and start a new job" or sent
  sent = ok and sent or { lost = lost }
  job.started, job.observed = vim.uv.hrtime(), #job.observers > 0
  sent.id, sent.observe = job.id, job.observed or nil
  client.tell("run", sent)
end

return M
