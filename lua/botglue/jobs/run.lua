--- Starts a job from a selection and a prompt: marks the range, gives the number, and sends what only Neovim knows. The
--- host knows the rest: the options, and what a prompt stands for.

local ask = require("botglue.host.ask")
local client = require("botglue.host.client")
local connection = require("botglue.host.connection")
local capture = require("botglue.editor.capture")
local errors = require("botglue.host.errors")
local events = require("botglue.jobs.events")
local handlers = require("botglue.host.handlers")
local observe = require("botglue.jobs.observe")
local range = require("botglue.editor.marks")
local registry = require("botglue.jobs.registry")

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

---@class botglue.Composed what a prompt stands for and mentions
---@field agent string
---@field model string?
---@field question boolean?
---@field buffers { [1]: string, [2]: integer }[]? by their names in the prompt; none where the host was not asked
---@field bytes integer? the most that their texts have
---@field diff boolean? what has changed in the buffer is wanted

--- What a prompt stands for. Raises an error where it names another prompt that is not there, or a buffer. Where the
--- host cannot be asked, as in a call of its own, the job fails with that.
---@param target botglue.Range
---@param request botglue.Request
---@param options botglue.Options
---@return botglue.Composed
function M.compose(target, request, options)
  -- What makes a prompt more than its words.
  local is_special = request.prompt:find("^%s*/") or request.prompt:find("@buffer:", 1, true)
  if is_special and not connection.applying and client.connect() then
    local about = {
      prompt = request.prompt,
      agent = request.agent,
      model = request.model,
      question = request.question,
      buffers = capture.buffers(capture.project(target.bufnr)),
    }
    return ask.open("compose", about, { keeps_keys = true }) --[[@as botglue.Composed]]
  end
  local agent = request.agent or options.agent
  local known = options.agents[agent] or {}
  local model = request.model or known.model or agent == "claude" and options.model or nil
  return { agent = agent, model = model, question = request.question }
end

--- The request that the host gets.
---@param id integer of the job
---@param target botglue.Range
---@param request botglue.Request
---@param composed botglue.Composed
---@param limits { lines: integer, bytes: integer }
---@return table? message nil where the place of the target is not known
local function message(id, target, request, composed, limits)
  local bufnr, path = target.bufnr, capture.path(target.bufnr)
  local chosen, first, last = target:selection(), target:lines()
  if not chosen then
    return nil
  end
  local before, after = capture.around(bufnr, target.kind == "insert" and first or first - 1, last, limits)
  local function may_want(mention)
    return request.prompt:find("^%s*/") or request.prompt:find(mention, 1, true)
  end
  return vim.tbl_extend("force", request, {
    id = id,
    cwd = request.cwd or capture.project(bufnr),
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
    mentioned = may_want("@diagnostics") and capture.diagnostics(bufnr, 0, math.huge, true) or nil,
    whole = (composed.diff or request.prompt:find("@diff", 1, true))
        and api.nvim_buf_get_lines(bufnr, 0, -1, false)
      or nil,
    quickfix = may_want("@quickfix") and capture.quickfix() or nil,
    buffers = vim.tbl_map(function(named)
      return capture.text(named[1], named[2], composed.bytes)
    end, composed.buffers or {}),
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
      process:notify("run", sent)
    end
  end)
end

--- Starts a job on a range as it is now.
---@param target botglue.Range
---@param request botglue.Request
---@param options botglue.Options
---@param composed botglue.Composed? what its prompt stands for, where that is known
---@return integer id
function M.send(target, request, options, composed)
  if not composed then
    local ok, result = pcall(M.compose, target, request, options)
    if not ok then
      target:unmark()
      error(result, 0)
    end
    composed = result
  end
  -- Made before the first event: an autocommand may change or wipe the buffer.
  local id, bufnr = registry.next_id(), target.bufnr
  local sent = message(id, target, request, composed, options.context)
  if not sent then
    target:unmark()
    errors.fail("the place is not known: select the lines")
  end
  local job = registry.add({
    id = id,
    range = target,
    path = sent.path,
    prompt = request.prompt,
    agent = composed.agent,
    model = composed.model,
  })
  submit(job, sent)
  capture.want(bufnr, job)
  if composed.question then
    capture.once_waiting(function(whereabouts)
      job.asked_from = job.asked_from or whereabouts
    end)
  end
  -- After it was sent, because an autocommand may wait for the job.
  events.emit("BotglueJobStarted", job, true)
  return id
end

--- Sends the request of a job that has waited for a limit once more, on its range as it is now.
---@param told { id: integer, request: botglue.Request, composed: botglue.Composed }
function M.recall(told)
  local job = registry.job(told.id)
  local ok, sent = pcall(function()
    return job:load() and message(job.id, job.range, told.request, told.composed, client.options().context)
  end)
  local lost = ok and "the place of the answer is not known: select the lines and start a new job" or sent
  sent = ok and sent or { id = job.id, lost = lost }
  job.started, sent.observe = vim.uv.hrtime(), observe.from_start(job)
  client.tell("run", sent)
end

---@class botglue.Asking
---@field sent fun(prompt: string)? told of the prompt
---@field set_repeat fun()? makes `.` repeat the operator that asks

--- Starts a job on a selection; asks for the prompt first where the request has none.
---@param selection botglue.Selection
---@param request botglue.Request
---@param asking botglue.Asking?
---@return integer? id
function M.begin(selection, request, asking)
  return M.start(range.from_selection(selection), request, asking)
end

--- The same on a range that is marked already.
---@param target botglue.Range
---@param request botglue.Request
---@param asking botglue.Asking?
---@return integer? id
function M.start(target, request, asking)
  if request.prompt then
    return M.send(target, request, (client.options()))
  end
  M.ask(target, request, asking)
end

--- Starts a job as the host says, at the range of an earlier one as it is now.
---@param again { id: integer, request: botglue.Request }
---@return integer? id
function M.again(again)
  return M.start(registry.job(again.id):again(), again.request)
end

--- Asks the host for a job that asks the same as another one, or goes on in its session, and starts it.
---@param action "retry"|"followup"
---@param id integer
---@param prompt string?
---@return integer? id of the new job, or of the same one where that has waited for a limit
function M.ask_again(action, id, prompt)
  registry.job(id)
  local keeps_keys = action == "retry" or prompt ~= nil
  local reply = ask.open("again", { action = action, id = id, prompt = prompt }, { keeps_keys = keeps_keys })
  if not reply.again then
    return id
  end
  return M.again(reply.again)
end

--- Asks for the prompt of a job, and starts it.
---@param target botglue.Range
---@param request botglue.Request
---@param asking botglue.Asking?
function M.ask(target, request, asking)
  local options = client.options()
  asking = asking or {}
  local has_proposal = not request.question and target.kind ~= "insert" and options.context.diagnostics
  handlers.prompt_wanted(target, request, {
    options = options,
    proposal = has_proposal and capture.proposal(target.bufnr, target:lines()) or nil,
    set_repeat = asking.set_repeat,
  }, function(typed, composed)
    if asking.sent then
      asking.sent(typed.prompt)
    end
    M.send(target, typed, options, composed)
  end)
end

return M
