--- Starts a job from a selection and a prompt.

local attach = require("botglue.host.attach")
local config = require("botglue.config")
local connection = require("botglue.host.connection")
local context = require("botglue.editor.context")
local errors = require("botglue.host.errors")
local events = require("botglue.jobs.events")
local handlers = require("botglue.host.handlers")
local user_context = require("botglue.editor.user_context")
local job = require("botglue.jobs.job")
local notify = require("botglue.host.notify")
local range = require("botglue.editor.range")
local registry = require("botglue.jobs.registry")
local requests = require("botglue.jobs.request")

local M = {}

--- Tells once of options that do not exist; those given to `setup()` it tells of itself.
local function warn_of_unknown_options()
  if connection.warned then
    return
  end
  connection.warned = true
  local warning = config.warning(config.check(config.global() or {}))
  if warning then
    notify.warn("botglue: " .. warning)
  end
end

--- Starts a job on a range as it is now.
---@param target botglue.Range
---@param request botglue.Request
---@param options botglue.Options
---@return integer id
function M.send(target, request, options)
  local ok, full, mentioned = pcall(requests.compose, target, request, options)
  if not ok then
    target:unmark()
    error(full, 0)
  end
  request = full
  local bufnr, id = target.bufnr, registry.next_id()
  -- Made before the first event: an autocommand may change or wipe the buffer.
  local message = requests.make(id, target, request, mentioned, options)
  local new = job.new({
    id = id,
    range = target,
    path = message.path,
    prompt = request.prompt,
    agent = message.agent.name,
    model = message.agent.model,
    review = message.review,
    question = request.question,
    notes = request.notes,
    resume = request.resume,
    cwd = message.cwd,
    wanted = message.agent.model,
    options = options,
    on_close = registry.release,
  })
  registry.register(new)
  new:submit(message)
  attach.want(bufnr, new)
  if new.question then
    user_context.once_waiting(function(whereabouts)
      new.asked_from = new.asked_from or whereabouts
    end)
  end
  -- After it was sent, because an autocommand may wait for the job.
  events.started(new)
  return id
end

---@class botglue.Asking
---@field sent fun(prompt: string)? told of the prompt
---@field set_repeat fun()? makes `.` repeat the operator that asks

--- Starts a job on a selection; asks for the prompt first where the request has none.
---@param selection botglue.Selection
---@param request botglue.Request
---@param options botglue.Options
---@param asking botglue.Asking?
---@return integer? id
function M.begin(selection, request, options, asking)
  return M.start(range.from_selection(selection), request, options, asking)
end

--- The same on a range that is marked already.
---@param target botglue.Range
---@param request botglue.Request
---@param options botglue.Options
---@param asking botglue.Asking?
---@return integer? id
function M.start(target, request, options, asking)
  warn_of_unknown_options()
  if request.prompt then
    target:rebase()
    return M.send(target, request, options)
  end
  M.ask(target, request, options, asking)
end

---@class botglue.Again a job that goes on from an earlier one of this Neovim, as the host says
---@field id integer
---@field agent string?
---@field model string?
---@field prompt string?

--- Sends the request of a job again, or goes on in its session, on its range as it is now.
---@param reply { retry: botglue.Again?, followup: botglue.Again? }
---@return integer? id
function M.again(reply)
  local wanted = reply.retry or reply.followup --[[@as botglue.Again]]
  local earlier = registry.job(wanted.id)
  if earlier:is_open() then
    errors.fail("job %d has not ended yet: wait for it", earlier.id)
  end
  local request = reply.retry and requests.again(earlier) or requests.continue(earlier)
  -- A model is its agent's own.
  local is_same = not wanted.agent or wanted.agent == earlier.agent
  request.model = wanted.model or is_same and request.model or nil
  request.agent, request.prompt = wanted.agent or earlier.agent, wanted.prompt or request.prompt
  return M.start(earlier:again(), request, (require("botglue.host.client").options()))
end

--- Asks for the prompt of a job, and starts it.
---@param target botglue.Range
---@param request botglue.Request
---@param options botglue.Options
---@param asking botglue.Asking?
function M.ask(target, request, options, asking)
  asking = asking or {}
  local stop = attach.follow_prompt(target)
  local has_proposal = not request.question and target.kind ~= "insert" and options.context.diagnostics
  handlers.prompt_wanted(target, request, {
    options = options,
    proposal = has_proposal and context.proposal(target.bufnr, target:lines()) or nil,
    set_repeat = asking.set_repeat,
    on_cancel = stop,
  }, function(typed)
    stop()
    if asking.sent then
      asking.sent(typed.prompt)
    end
    M.send(target, typed, options)
  end)
end

return M
