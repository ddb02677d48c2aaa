--- From a selection and a prompt to a job: makes the request that the host gets.

local client = require("botglue.client")
local config = require("botglue.config")
local context = require("botglue.context")
local job = require("botglue.job")
local range = require("botglue.range")
local registry = require("botglue.registry")

local M = {}

---@param options botglue.Options
---@param name string
---@param model string?
---@return table
local function agent_of(options, name, model)
  local agent = config.agent(options, name, "agent")
  local wanted = model or config.models(options, name)[1]
  return {
    name = name,
    protocol = agent.protocol,
    command = require("botglue.program").command(agent),
    args = agent.args or {},
    env = agent.env or {},
    model = wanted or nil,
    mode = agent.mode,
    meta = agent.meta,
    directory = agent.directory,
  }
end

--- The leading blanks of the first row, in columns: where the line below the range begins.
---@param target botglue.Range
---@return integer
local function indent_of(target)
  local row = target.base.rows[1] or target.base.above or ""
  return vim.api.nvim_buf_call(target.bufnr, function()
    return vim.fn.strdisplaywidth(row:match("^%s*"))
  end)
end

---@class botglue.Wish
---@field prompt string? none: it is asked for
---@field agent string?
---@field model string?
---@field review boolean?
---@field prewarmed integer? the token of the agent that was started for it
---@field question boolean?
---@field instructions string? what the agent is told in the place of the prompt
---@field notes table[]? what else is known of the lines, in the shape of diagnostics
---@field resume { session_id: string, at: string? }? the session that it goes on in, and after which message
---@field cwd string? the directory of that session

--- Tells once of options that do not exist; those given to `setup()` it tells of itself.
local function warn_of_unknown_options()
  local connection = client.connection()
  if connection.warned then
    return
  end
  connection.warned = true
  for _, path in ipairs(config.check(config.global() or {})) do
    require("botglue.notify").warn("botglue: " .. config.unknown(path))
  end
end

--- What is decided when an agent is started, before there is anything to tell it.
---@param bufnr integer
---@param wish botglue.Wish
---@param options botglue.Options
---@return table
function M.launch(bufnr, wish, options)
  return {
    agent = agent_of(options, wish.agent or options.agent, wish.model),
    tools = options.tools,
    max_turns = options.max_turns or nil,
    max_cost_usd = options.max_cost_usd or nil,
    trust_project = options.trust_project,
    cwd = wish.cwd or context.project(bufnr),
    resume = wish.resume,
  }
end

--- A wish with what its prompt stands for, and what goes along because the prompt mentions it.
---@param target botglue.Range
---@param wish botglue.Wish
---@param options botglue.Options
---@return botglue.Wish
---@return botglue.Mentioned
local function composed(target, wish, options)
  wish = require("botglue.prompts").apply(wish, target, options)
  local mentioned = require("botglue.mentions").find(wish.instructions or wish.prompt, target.bufnr, options)
  return wish, mentioned
end

--- Raises an error where a prompt cannot be sent: it names another prompt that is not there, or a buffer.
---@param target botglue.Range
---@param wish botglue.Wish
---@param options botglue.Options
function M.check(target, wish, options)
  composed(target, wish, options)
end

--- Starts a job on a range as it is now.
---@param target botglue.Range
---@param wish botglue.Wish
---@param options botglue.Options
---@return integer id
function M.send(target, wish, options)
  local ok, full, mentioned = pcall(composed, target, wish, options)
  if not ok then
    target:unmark()
    error(full, 0)
  end
  wish = full
  local launch = M.launch(target.bufnr, wish, options)
  local review = options.review
  if wish.review ~= nil then
    review = wish.review
  end
  local bufnr, base = target.bufnr, target.base
  local first, last = target:lines()
  local inserted = target.kind == "insert"
  local before, after = context.around(bufnr, inserted and first or first - 1, last, options.context)
  local path = context.path(bufnr)
  local id = registry.next_id()
  -- Made before anybody hears of the job: an autocommand may do what it likes with the buffer.
  local request = vim.tbl_extend("error", launch, {
    id = id,
    prompt = wish.prompt,
    instructions = wish.instructions,
    buffers = mentioned.buffers,
    question = wish.question or false,
    review = review,
    prewarmed = wish.prewarmed,
    timeout = options.timeout,
    max_parallel = options.max_parallel,
    rules = options.context.rules,
    record = options.record,
    preview = options.status.preview,
    tidy = options.tidy,
    path = path,
    buffer = bufnr,
    tick = vim.api.nvim_buf_get_changedtick(bufnr),
    filetype = vim.bo[bufnr].filetype,
    selection = {
      kind = target.kind,
      first_line = first,
      last_line = last,
      text = base.text,
      rows = base.rows,
      cols = base.cols,
      column = target.column,
      anchor = inserted and base.above or nil,
      beside = vim.tbl_extend("error", vim.empty_dict(), { above = base.above, below = base.below }),
    },
    before = before,
    after = after,
    files = launch.agent.protocol == "text" and require("botglue.mentioned_files").files(
      wish.instructions or wish.prompt,
      launch.cwd,
      options.context.bytes
    ) or nil,
    diagnostics = context.notes(
      options.context.diagnostics and not inserted and context.diagnostics(bufnr, first - 1, last - 1) or {},
      vim.list_extend(mentioned.diagnostics, wish.notes or {})
    ),
  })
  local new = job.new({
    id = id,
    range = target,
    path = path,
    name = path == "" and require("botglue.ui.name").buffer(bufnr) or nil,
    prompt = wish.prompt,
    agent = launch.agent.name,
    model = launch.agent.model,
    prewarmed = wish.prewarmed,
    review = review,
    question = wish.question,
    notes = wish.notes,
    resume = wish.resume,
    cwd = launch.cwd,
    wanted = launch.agent.model,
    options = options,
    indent = indent_of(target),
    on_close = registry.release,
  })
  registry.register(new)
  new:open()
  client.submit(new, request)
  require("botglue.attach").want(bufnr, new)
  if new.question then
    require("botglue.ask").asked(new)
  end
  -- After it was sent: who hears of it may wait for it.
  require("botglue.events").started(new)
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
  local followed = require("botglue.attach").follow_prompt(target)
  require("botglue.ui.prompt").ask(target, wish, {
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
