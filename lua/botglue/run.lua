--- From a selection and a prompt to a job: makes the request that the host gets.

local client = require("botglue.client")
local config = require("botglue.config")
local context = require("botglue.context")
local job = require("botglue.job")

local M = {}

---@param options botglue.Options
---@param name string
---@param model string?
---@return table
local function agent_of(options, name, model)
  local agent = config.agent(options, name, "agent")
  local wanted = model or agent.model or (name == "claude" and options.model)
  return {
    name = name,
    protocol = agent.protocol,
    command = agent.command,
    args = agent.args or {},
    env = agent.env or {},
    model = wanted or nil,
  }
end

--- The leading blanks of the first row, in columns: where the line below the range begins.
---@param range botglue.Range
---@return integer
local function indent_of(range)
  local row = range.base.rows[1] or range.base.above or ""
  return vim.api.nvim_buf_call(range.bufnr, function()
    return vim.fn.strdisplaywidth(row:match("^%s*"))
  end)
end

---@class botglue.Wish
---@field prompt string
---@field agent string?
---@field model string?
---@field review boolean?

--- Starts a job on a range as it is now.
---@param range botglue.Range
---@param wish botglue.Wish
---@param options botglue.Options
---@return integer id
function M.start(range, wish, options)
  local name = wish.agent or options.agent
  local agent = agent_of(options, name, wish.model)
  local review = options.review
  if wish.review ~= nil then
    review = wish.review
  end
  local bufnr, base = range.bufnr, range.base
  local first, last = range:lines()
  local inserted = range.kind == "insert"
  local before, after = context.around(bufnr, inserted and first or first - 1, last, options.context)
  local path = context.path(bufnr)
  local id = client.next_id()
  local new = job.new({
    id = id,
    range = range,
    path = path,
    prompt = wish.prompt,
    agent = name,
    model = agent.model,
    review = review,
    options = options,
    indent = indent_of(range),
    on_close = client.release,
  })
  range:sent()
  client.register(new)
  client.submit(new, {
    id = id,
    prompt = wish.prompt,
    question = false,
    review = review,
    agent = agent,
    tools = options.tools,
    timeout = options.timeout,
    max_turns = options.max_turns or nil,
    max_parallel = options.max_parallel,
    trust_project = options.trust_project,
    rules = options.context.rules,
    record = options.record,
    tidy = options.tidy,
    cwd = context.project(bufnr),
    path = path,
    filetype = vim.bo[bufnr].filetype,
    selection = {
      kind = range.kind,
      first_line = first,
      last_line = last,
      text = base.text,
      rows = base.rows,
      cols = base.cols,
      anchor = inserted and base.above or nil,
    },
    before = before,
    after = after,
    diagnostics = options.context.diagnostics
        and not inserted
        and context.diagnostics(bufnr, first - 1, last - 1)
      or {},
  })
  return id
end

return M
