--- One job: the public fields as the host told them last, its range, its display, and its events. The host decides what
--- becomes of it; this module takes over what it says. A job does not refer to other jobs.

local client = require("botglue.host.client")
local events = require("botglue.jobs.events")
local fail = require("botglue.host.errors").fail
local handlers = require("botglue.host.handlers")
local notify = require("botglue.host.notify")
local observe = require("botglue.jobs.observe")
local text = require("botglue.util.text")

local M = {}

---@class botglue.Job: botglue.Earlier, botglue.JobFacts
---@field options botglue.Options the options at the time of the request
---@field range botglue.Range
---@field said string? what became of it, once it has ended
---@field transcript string? the file of its raw stream
---@field asked_from botglue.Whereabouts? of a question: where the user was after sending it
---@field took_ms integer? of a held answer: how long its agent ran
---@field tools table<integer, botglue.Tool> the newest ones, by their index
---@field newest_tool integer its index
---@field process botglue.Process? the host that runs it
---@field uuid string? of one that was taken over: its answer's key in the store
---@field edited string[]? its held answer as the user saved it
---@field observers botglue.Observer[]? the user's functions that receive its updates
---@field observed string? which updates the host forwards; nil until the job was sent
---@field deciding "asked"|"pending"|nil a decision of the user was sent; pending: no call waits for the reply
---@field on_close fun(job: botglue.Job)
local Job = {}
Job.__index = Job

local MOST_TOOLS = 100

-- The fields that its table has as they are.
local PUBLIC = vim.split(
  "id status landing held_for held_why path prompt agent model session_id tool text "
    .. "num_turns cost_usd input_tokens output_tokens",
  " "
)

---@class botglue.Patch what the host says of a job
---@field id integer
---@field set table<string, any>? the fields that changed; `vim.NIL`: gone
---@field tools botglue.Tool[]? those that changed
---@field news { verb: string, words: string, level: string }?
---@field is_update boolean? whether the job has an event for it
---@field gone boolean? the host does not know the job any more
---@field unfollowed boolean? it does not follow its range any more

---@param spec table the fields that are known: those of a request, or of a held answer that is taken over
---@return botglue.Job
function M.new(spec)
  local self, now = setmetatable(spec, Job), vim.uv.hrtime()
  self.status = self.status or "queued"
  self.tools, self.newest_tool = {}, 0
  self.started, self.ended = now - (self.took_ms or 0) * 1e6, self.took_ms and now
  return self
end

--- Sends its request in the next tick, with the subscription of the observers that it has by then: who registers as
--- soon as the job is there misses nothing. If it cannot be sent, the job fails then.
---@param request table
function Job:submit(request)
  local process, err = client.connect(self.options)
  self.process = process
  vim.schedule(function()
    if err then
      self:fail(err)
    elseif self:is_open() and self.process == process then
      request.observe = observe.from_start(self)
      client.tell_options(process)
      process:notify("run", request)
    end
  end)
end

--- Whether it has not ended yet.
function Job:is_open()
  return self.status ~= "done" and self.status ~= "failed"
end

--- Whether it has ended, and no decision on its answer is pending.
function Job:is_settled()
  return not self:is_open() and not self.deciding
end

---@return integer
function Job:elapsed_ms()
  return math.floor(((self.ended or vim.uv.hrtime()) - self.started) / 1e6)
end

--- Returns a new table of the job for the API and the events.
---@return botglue.JobTable
function Job:table()
  local first, last = self.range:lines()
  if self.range.kind ~= "insert" then
    -- An empty range at the top of the buffer has line 0; the API reports line 1.
    first, last = math.max(first, 1), math.max(last, 1)
  end
  local told = {
    bufnr = self.range.bufnr,
    kind = self.range.kind,
    first_line = first,
    last_line = last,
    elapsed_ms = self:elapsed_ms(),
    error = vim.deepcopy(self.error),
    tools = {},
  }
  for index = math.max(self.newest_tool - MOST_TOOLS, 0) + 1, self.newest_tool do
    local tool = self.tools[index]
    told.tools[#told.tools + 1] = tool
      and { id = tool.id, name = tool.name, status = tool.status, error = tool.error }
  end
  for _, field in ipairs(PUBLIC) do
    told[field] = self[field]
  end
  told.held_why = self.held_for == "doubtful" and told.held_why or nil
  return told
end

--- Keeps the state of a tool, if it is among the newest.
---@param tool table with its index
---@return table? before its state until now
function Job:learn_tool(tool)
  local before = self.tools[tool.index]
  self.newest_tool = math.max(self.newest_tool, tool.index)
  local oldest = self.newest_tool - MOST_TOOLS + 1
  self.tools[oldest - 1] = nil
  if tool.index >= oldest then
    self.tools[tool.index] = tool
  end
  return before
end

--- Enters a state and notifies its observers, once per state.
---@param state string
function Job:enter(state)
  self.status = state
  if self.entered ~= state then
    self.entered = state
    observe.tell(self, { kind = "state", status = state })
  end
end

--- Takes what the host says.
---@param patch botglue.Patch
function Job:take(patch)
  local set, was_open, was_held = patch.set or {}, self:is_open(), self.landing == "held"
  for field, value in pairs(set) do
    if field ~= "status" then
      self[field] = value ~= vim.NIL and value or nil
    end
  end
  if set.error then
    self.error = { code = set.error.code, message = text.clean(set.error.message) }
  end
  local status = was_open and set.status or nil
  if status and status ~= "done" and status ~= "failed" then
    self:enter(status)
  end
  observe.tools(self, patch.tools or {})
  if status == "done" or status == "failed" then
    self:close(status)
  elseif was_held and set.landing then
    -- It was accepted or rejected.
    self.on_close(self)
    handlers.job_decided(self)
  elseif set.status == "ready" then
    self.tool = nil
  end
  if patch.news then
    local news = patch.news
    notify.add({ id = self.id, verb = news.verb, words = news.words, level = vim.log.levels[news.level] })
  end
  if patch.unfollowed then
    self.range:forget()
  end
  if patch.is_update then
    events.emit("BotglueJobUpdated", self)
  end
end

--- Loads its buffer if it is not loaded and its file can be read.
---@return boolean loaded whether its buffer is loaded
function Job:load()
  if vim.api.nvim_buf_is_loaded(self.range.bufnr) then
    return true
  end
  local bufnr = require("botglue.editor.load").file(self.path)
  if bufnr and bufnr ~= self.range.bufnr then
    self.range:move_to(bufnr)
  end
  return bufnr ~= nil
end

--- Returns a new range at its current place, for another job; loads its file if needed. Raises an error if the place
--- is not known.
---@return botglue.Range
function Job:again()
  return self:load() and self.range:again()
    or fail("select the lines and start a new job: the place of job %d is not known", self.id)
end

--- Whether a buffer is the job's own, or shows the job's file while its own buffer is not loaded.
---@param bufnr integer
---@return boolean
function Job:is_in(bufnr)
  local own = self.range.bufnr
  if own == bufnr then
    return true
  end
  local is_closed = self.path ~= "" and not vim.api.nvim_buf_is_loaded(own)
  return is_closed and require("botglue.util.buffer_path")(bufnr) == self.path
end

--- There is no host to tell what becomes of it.
---@param err { code: string, message: string }
function Job:fail(err)
  if self:is_open() then
    local news = { verb = "failed", words = err.message, level = "ERROR" }
    self:take({
      id = self.id,
      set = { status = "failed", error = err, said = err.message },
      news = self.options.notify ~= "none" and news or nil,
    })
  end
end

---@param how "done"|"failed"
function Job:close(how)
  self.status = how
  self.ended = vim.uv.hrtime()
  self.tool = nil
  self:enter(how)
  observe.finished(self)
  self.on_close(self)
  events.emit("BotglueJobFinished", self)
end

return M
