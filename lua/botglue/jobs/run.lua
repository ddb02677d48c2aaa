--- Starts a job from a selection and a prompt: marks the range, gives the number, and sends what only Neovim knows. The
--- host knows the rest: the options, and what a prompt stands for.

local client = require("botglue.host.client")
local capture = require("botglue.editor.capture")
local errors = require("botglue.host.errors")
local events = require("botglue.jobs.events")
local observe = require("botglue.jobs.observe")
local cache = require("botglue.jobs.cache")

local M = {}

local api = vim.api

---@class botglue.Request
---@field prompt string? none: it is asked for
---@field text string? with what the prompt begins
---@field agent string?
---@field model string?
---@field review boolean?
---@field prewarmed integer? the prompt for which an agent was started
---@field question boolean?
---@field notes table[]? what else is known of the lines, in the shape of diagnostics
---@field resume { session_id: string, at: string? }? the session that it goes on in, and after which message
---@field cwd string? the directory of that session

--- What a prompt stands for, as far as it is needed here: the host reads it again, and has the job fail where a name in
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

--- The request that the host gets.
---@param target botglue.Range
---@param request botglue.Request
---@param options botglue.Options
---@return table? message nil where the place of the target is not known
local function message(target, request, options)
  local bufnr, path, limits = target.bufnr, capture.path(target.bufnr), options.context
  local chosen, first, last = target:selection(), target:lines()
  if not chosen then
    return nil
  end
  local before, after = capture.around(bufnr, target.kind == "insert" and first or first - 1, last, limits)
  local said, project = meaning(request, options).text, capture.project(bufnr)
  local function mentions(what)
    return said:find(what, 1, true) ~= nil
  end
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
    mentioned = mentions("@diagnostics") and capture.diagnostics(bufnr, 0, math.huge, true) or nil,
    whole = mentions("@diff") and api.nvim_buf_get_lines(bufnr, 0, -1, false) or nil,
    quickfix = mentions("@quickfix") and capture.quickfix() or nil,
    buffers = mentions("@buffer:") and capture.texts(project, said, limits.bytes) or nil,
  })
end

--- Sends the request of a job in the next tick, with the subscription of the observers that it has by then: who
--- registers as soon as the job is there misses nothing. If it cannot be sent, the job fails then.
---@param job botglue.Job
---@param sent table
local function submit(job, sent)
  local process, err = client.connect()
  vim.schedule(function()
    if not process then
      job:fail(err --[[@as botglue.JobError]])
    elseif job:is_open() then
      sent.observe = observe.from_start(job)
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
  -- Made before the first event: an autocommand may change or wipe the buffer.
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
  -- After it was sent, because an autocommand may wait for the job.
  events.emit("BotglueJobStarted", job, true)
  return job.id
end

--- Sends the request of a job that has waited for a limit once more, on its range as it is now.
---@param told { id: integer, request: botglue.Request }
function M.recall(told)
  local job = cache.job(told.id)
  local ok, sent = pcall(function()
    return job:load() and message(job.range, told.request, client.options())
  end)
  local lost = ok and "its place is not known: select the lines and start a new job" or sent
  sent = ok and sent or { lost = lost }
  job.started, sent.id, sent.observe = vim.uv.hrtime(), job.id, observe.from_start(job)
  client.tell("run", sent)
end

return M
