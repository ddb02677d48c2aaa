--- From a selection and a prompt to a job.

local attach = require("botglue.attach")
local config = require("botglue.config")
local connection = require("botglue.connection")
local context = require("botglue.context")
local events = require("botglue.events")
local handlers = require("botglue.handlers")
local here = require("botglue.here")
local job = require("botglue.job")
local name = require("botglue.ui.name")
local notify = require("botglue.notify")
local range = require("botglue.range")
local registry = require("botglue.registry")
local requests = require("botglue.request")
local submit = require("botglue.submit")

local M = {}

--- The leading blanks of the first row, in columns: where the line below the range begins.
---@param target botglue.Range
---@return integer
local function indent_of(target)
  local row = target.base.rows[1] or target.base.above or ""
  return vim.api.nvim_buf_call(target.bufnr, function()
    return vim.fn.strdisplaywidth(row:match("^%s*"))
  end)
end

--- Tells once of options that do not exist; those given to `setup()` it tells of itself.
local function warn_of_unknown_options()
  if connection.warned then
    return
  end
  connection.warned = true
  for _, path in ipairs(config.check(config.global() or {})) do
    notify.warn("botglue: " .. config.unknown(path))
  end
end

--- Starts a job on a range as it is now.
---@param target botglue.Range
---@param wish botglue.Wish
---@param options botglue.Options
---@return integer id
function M.send(target, wish, options)
  local ok, full, mentioned = pcall(requests.compose, target, wish, options)
  if not ok then
    target:unmark()
    error(full, 0)
  end
  wish = full
  local bufnr, id = target.bufnr, registry.next_id()
  -- Made before anybody hears of the job: an autocommand may do what it likes with the buffer.
  local request = requests.make(id, target, wish, mentioned, options)
  local new = job.new({
    id = id,
    range = target,
    path = request.path,
    name = request.path == "" and name.buffer(bufnr) or nil,
    prompt = wish.prompt,
    agent = request.agent.name,
    model = request.agent.model,
    prewarmed = wish.prewarmed,
    review = request.review,
    question = wish.question,
    notes = wish.notes,
    resume = wish.resume,
    cwd = request.cwd,
    wanted = request.agent.model,
    options = options,
    indent = indent_of(target),
    on_close = registry.release,
  })
  registry.register(new)
  new:open()
  submit.submit(new, request)
  attach.want(bufnr, new)
  if new.question then
    here.once_waiting(function(whereabouts)
      new.asked_from = whereabouts
    end)
  end
  -- After it was sent: who hears of it may wait for it.
  events.started(new)
  return id
end

--- What to propose where a prompt is asked for.
---@param pinned botglue.Range
---@param wish botglue.Wish
---@param options botglue.Options
---@return string?
function M.proposal(pinned, wish, options)
  if wish.question or pinned.kind == "insert" or not options.context.diagnostics then
    return nil
  end
  return context.proposal(pinned.bufnr, pinned:lines())
end

---@class botglue.Asking
---@field sent fun(prompt: string)? told of the prompt
---@field again fun()? makes `.` repeat the operator that asks
---@field dropped fun()? called where the prompt is closed and nothing is sent

--- Starts a job on a selection; asks for the prompt first where the wish has none.
---@param selection botglue.Selection
---@param wish botglue.Wish
---@param options botglue.Options
---@param asking botglue.Asking?
---@return integer? id
function M.begin(selection, wish, options, asking)
  warn_of_unknown_options()
  local pinned = range.pin(selection)
  if wish.prompt then
    return M.send(pinned, wish, options)
  end
  M.ask(pinned, wish, options, asking)
end

--- Asks for the prompt of a job, and starts it.
---@param target botglue.Range
---@param wish botglue.Wish
---@param options botglue.Options
---@param asking botglue.Asking?
function M.ask(target, wish, options, asking)
  asking = asking or {}
  local followed = attach.follow_prompt(target)
  handlers.prompt_wanted(target, wish, {
    options = options,
    proposal = M.proposal(target, wish, options),
    again = asking.again,
    dropped = asking.dropped,
  }, function(typed)
    followed()
    if asking.sent then
      asking.sent(typed.prompt)
    end
    M.send(target, typed, options)
  end)
end

return M
