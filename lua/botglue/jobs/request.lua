--- The request of a job: the agent, the prompt, the text and its context.

local config = require("botglue.config")
local context = require("botglue.editor.context")
local buffer_path = require("botglue.util.buffer_path")
local mentions = require("botglue.jobs.mentions")
local program = require("botglue.util.program")
local prompts = require("botglue.jobs.prompts")

local M = {}

---@class botglue.Request
---@field prompt string? none: it is asked for
---@field agent string?
---@field model string?
---@field review boolean?
---@field prewarmed integer? the token of the agent that was started for it
---@field question boolean?
---@field instructions string? the text for the agent in place of the prompt
---@field notes table[]? what else is known of the lines, in the shape of diagnostics
---@field resume { session_id: string, at: string? }? the session that it goes on in, and after which message
---@field cwd string? the directory of that session

---@param options botglue.Options
---@param name string
---@param model string?
---@return table
local function agent_of(options, name, model)
  local agent = config.agent(options, name, "agent")
  local default_model = config.models(options, name)[1]
  return {
    name = name,
    protocol = agent.protocol,
    command = program.command(agent),
    args = agent.args or {},
    env = agent.env or {},
    model = model or default_model or nil,
    mode = agent.mode,
    meta = agent.meta,
    directory = agent.directory,
  }
end

--- The fields that an agent needs when it is started, before it gets a message.
---@param bufnr integer
---@param request botglue.Request
---@param options botglue.Options
---@return table
function M.launch(bufnr, request, options)
  return {
    agent = agent_of(options, request.agent or options.agent, request.model),
    tools = options.tools,
    max_turns = options.max_turns or nil,
    max_cost_usd = options.max_cost_usd or nil,
    trust_project = options.trust_project,
    cwd = request.cwd or context.project(bufnr),
    resume = request.resume,
  }
end

--- A request with what its prompt stands for, and what goes along because the prompt mentions it.
---@param target botglue.Range
---@param request botglue.Request
---@param options botglue.Options
---@return botglue.Request
---@return botglue.Mentioned
function M.compose(target, request, options)
  request = prompts.apply(request, target, options)
  local mentioned = mentions.find(request.instructions or request.prompt, target.bufnr, options)
  return request, mentioned
end

--- Raises an error where a prompt cannot be sent: it names another prompt that is not there, or a buffer.
---@param target botglue.Range
---@param request botglue.Request
---@param options botglue.Options
function M.check(target, request, options)
  M.compose(target, request, options)
end

---@class botglue.Earlier what a new job takes over of an earlier one: of this Neovim, or of the store
---@field prompt string?
---@field agent string
---@field wanted string? the model that was asked for
---@field review boolean? whether its answer is always held
---@field question boolean?
---@field notes table[]? diagnostics and other context of its lines
---@field session_id string?
---@field resume { session_id: string, at: string? }? the session that it continues
---@field cwd string the project's directory

--- The request of a job with the agent of an earlier one, in a session or in a new one.
---@param job botglue.Earlier
---@param resume { session_id: string, at: string? }?
---@return botglue.Request
local function like(job, resume)
  return {
    agent = job.agent,
    model = job.wanted,
    question = job.question,
    resume = resume,
    cwd = resume and job.cwd,
  }
end

--- The request of an earlier job once more.
---@param job botglue.Earlier
---@return botglue.Request
function M.again(job)
  local request = like(job, job.resume)
  request.prompt, request.review, request.notes = job.prompt, job.review, job.notes
  return request
end

--- A request that continues the session of an earlier job; its prompt is the caller's.
---@param job botglue.Earlier
---@param at string? the message after which everything is left out
---@return botglue.Request
function M.continue(job, at)
  return like(job, { session_id = job.session_id, at = at })
end

--- Whether the answer is to be held.
---@param request botglue.Request
---@param options botglue.Options
---@return boolean
function M.is_reviewed(request, options)
  if request.review ~= nil then
    return request.review
  end
  return options.review
end

--- The request that the host gets.
---@param id integer of the job
---@param target botglue.Range
---@param request botglue.Request with what its prompt stands for
---@param mentioned botglue.Mentioned what goes along because its prompt mentions it
---@param options botglue.Options
---@return table
function M.make(id, target, request, mentioned, options)
  local launch = M.launch(target.bufnr, request, options)
  local bufnr = target.bufnr
  local first, last = target:lines()
  local inserted = target.kind == "insert"
  local path = buffer_path(bufnr)
  local before, after = context.around(bufnr, inserted and first or first - 1, last, options.context)
  return vim.tbl_extend("error", launch, {
    id = id,
    prompt = request.prompt,
    instructions = request.instructions,
    buffers = mentioned.buffers,
    question = request.question or false,
    review = M.is_reviewed(request, options),
    prewarmed = request.prewarmed,
    timeout = options.timeout,
    max_parallel = options.max_parallel,
    rules = options.context.rules,
    record = options.record,
    preview = options.status.preview,
    outcome = options.status.outcome,
    tabstop = vim.bo[bufnr].tabstop,
    notify = options.notify,
    path = path,
    name = path == "" and vim.api.nvim_buf_get_name(bufnr) or nil,
    buffer = bufnr,
    tick = vim.api.nvim_buf_get_changedtick(bufnr),
    filetype = vim.bo[bufnr].filetype,
    selection = target:selection(),
    before = before,
    after = after,
    diagnostics = context.notes(
      options.context.diagnostics and not inserted and context.diagnostics(bufnr, first - 1, last - 1) or {},
      vim.list_extend(mentioned.diagnostics, request.notes or {})
    ),
  })
end

return M
