--- One job: its record, its states and its events. A job owns its range and removes its display however it ends; it
--- does not refer to other jobs.

local client = require("botglue.host.client")
local connection = require("botglue.host.connection")
local events = require("botglue.jobs.events")
local fail = require("botglue.host.errors").fail
local handlers = require("botglue.host.handlers")
local news = require("botglue.jobs.news")
local observe = require("botglue.jobs.observe")
local proposal = require("botglue.jobs.proposal")

local M = {}

---@class botglue.Job: botglue.Earlier, botglue.JobFacts
---@field options botglue.Options the options at the time of the request
---@field range botglue.Range
---@field view botglue.View? its display at the range
---@field name string? of a buffer without a file
---@field transcript string? the file of its raw stream
---@field asked_from botglue.Whereabouts? of a question: where the user was after sending it
---@field took_ms integer? of a held answer: how long its agent ran
---@field indent integer width of the indentation of its range, in cells
---@field batch botglue.Batch? the batch that counts it
---@field updated integer? when the last update event was emitted
---@field update_due boolean? whether an update event is pending
---@field tools botglue.Tool[] the newest ones, by their index
---@field answer { lines: string[], held_for: string? }?
---@field edited string[]? the answer as the user saved it in the edit buffer
---@field typed string[]? what stands in that buffer and is not written
---@field dropped string[][]? the dropped edits, by the host's identifiers
---@field taken integer? the number of taken edits of its answer, as last reported by the host
---@field proposal botglue.Proposal? the newest one, while it has followers
---@field followers (fun())[]? called with each proposal
---@field shown integer? the changedtick for which its proposal was shown last
---@field process botglue.Process? the host that runs it
---@field request table? the request that was sent, until the host has started the job
---@field prewarmed integer? the token of the agent that was started for it while its prompt was typed
---@field turn integer? its position among the jobs that the host queued; nil if it does not wait
---@field observers botglue.Observer[]? the user's functions that receive its updates
---@field observed string? which updates the host forwards; nil until the job was sent
---@field preview string[]? the newest lines of the streamed answer
---@field deciding boolean? a decision of the user was sent, and the host has not replied
---@field on_close fun(job: botglue.Job)
local Job = {}
Job.__index = Job

local MOST_TOOLS = 100

local KNOWN = { "session_id", "model", "cost_usd", "num_turns", "input_tokens", "output_tokens", "held_why" }

---@param spec table the fields known at the request
---@return botglue.Job
function M.new(spec)
  local self = setmetatable(vim.tbl_extend("error", {}, spec), Job)
  self.status = "queued"
  self.tools = {}
  self.started = vim.uv.hrtime()
  return self
end

--- Shows the job at its range.
function Job:open()
  handlers.job_opened(self)
end

--- Sends its request, with the subscription of the observers that it has already.
---@param request table
function Job:send(request)
  request.observe = observe.from_start(self)
  self.process:notify("run", request)
end

--- Sends its request in the next tick: who registers as soon as the job is there misses nothing. If it cannot be sent,
--- the job fails then.
---@param request table
function Job:submit(request)
  local process, err = client.connect(self.options)
  self.process, self.request = process, process and request
  vim.schedule(function()
    if err then
      self:fail(err)
    elseif self:is_waiting() and self.process == process then
      self:send(request)
    end
  end)
end

--- Sends the request that a host has not started to the next one, at once: before the store is asked anything.
function Job:send_again()
  local request, process, err = self.request, client.connect(self.options)
  -- Once: a host that always ends gets no job for ever.
  self.request = nil
  if process then
    self.process = process
    self:send(request)
  else
    self:fail(err)
  end
end

--- The host says whether the job waits for others to end. It says once that one waits, and starts jobs in the order in
--- which it said so; the positions follow from that, so nothing is sent again when one starts.
---@param waits boolean
function Job:queue(waits)
  if waits and not self.turn then
    connection.last_turn = connection.last_turn + 1
    self.turn = connection.last_turn
  elseif self.turn and not waits then
    connection.started_turn = math.max(connection.started_turn, self.turn)
    self.turn = nil
  end
end

--- Makes a job of a held answer from an earlier session or from a host that exited.
---@param spec table the fields that are known
---@param known table what the host knows of it
---@return botglue.Job
function M.recall(spec, known)
  local self = setmetatable(vim.tbl_extend("error", {}, spec), Job)
  self.status, self.landing, self.tools = "done", "held", {}
  self.ended = vim.uv.hrtime()
  self.started = self.ended - self.took_ms * 1e6
  self:learn(known)
  self:open()
  return self
end

--- Whether it has not ended yet.
function Job:is_open()
  return self.status ~= "done" and self.status ~= "failed"
end

--- Whether the host has not sent its outcome yet.
function Job:is_waiting()
  return self:is_open() and not self.answer
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
  local tools = {}
  for i, tool in ipairs(self.tools) do
    tools[i] = { id = tool.id, name = tool.name, status = tool.status, error = tool.error }
  end
  return {
    id = self.id,
    status = self.status,
    landing = self.landing,
    held_for = self.held_for,
    held_why = self.held_for == "doubtful" and self.held_why or nil,
    bufnr = self.range.bufnr,
    path = self.path,
    kind = self.range.kind,
    first_line = first,
    last_line = last,
    prompt = self.prompt,
    agent = self.agent,
    model = self.model,
    session_id = self.session_id,
    tool = self.tool,
    tools = tools,
    text = self.text,
    elapsed_ms = self:elapsed_ms(),
    num_turns = self.num_turns,
    cost_usd = self.cost_usd,
    input_tokens = self.input_tokens,
    output_tokens = self.output_tokens,
    error = self.error and { code = self.error.code, message = self.error.message } or nil,
  }
end

--- Copies session, model, amounts and tools from the host's state.
---@param known table
function Job:learn(known)
  for _, field in ipairs(KNOWN) do
    if known[field] ~= nil then
      self[field] = known[field]
    end
  end
  for _, tool in ipairs(known.tools or {}) do
    self:learn_tool(tool)
  end
end

--- Keeps the state of a tool, if it is among the newest.
---@param tool table with its index
---@return table? before its state until now
function Job:learn_tool(tool)
  local tools = self.tools
  local at = #tools
  while at > 0 and tools[at].index > tool.index do
    at = at - 1
  end
  local before = at > 0 and tools[at].index == tool.index and tools[at] or nil
  if before then
    tools[at] = tool
  else
    table.insert(tools, at + 1, tool)
    if #tools > MOST_TOOLS then
      table.remove(tools, 1)
    end
  end
  return before
end

--- The fields whose change emits an update event, as one string.
---@return string
function Job:update_key()
  local attempt = self.retry and self.retry.attempt
  return table.concat(
    vim.tbl_map(tostring, { self.status, self.tool or "", attempt or "", self.session_id or "" }),
    "\n"
  )
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

--- Applies a newer state from the host.
---@param state botglue.State
function Job:update(state)
  -- The shown preview stays until the host sends another one.
  self.preview = #(state.preview or {}) > 0 and state.preview or self.preview
  if state.preview and not state.tools then
    -- A state with a preview and no tools contains nothing else.
    return
  end
  local before = self:update_key()
  if self:is_waiting() then
    self:queue(state.status == "queued")
    self:enter(state.status or self.status)
    if self.status ~= "queued" then
      self.request = nil
    end
    observe.tools(self, state.tools or {})
  end
  self:learn(state)
  if not self:is_waiting() then
    return
  end
  self.activity = state.activity
  self.tool = state.tool
  if state.failure ~= self.failure then
    self.failure, self.failed_at = state.failure, vim.uv.hrtime()
  end
  self.retry = state.retry
  self.retry_at = state.retry and vim.uv.hrtime() + state.retry.delay_ms * 1e6 or nil
  if self:update_key() ~= before or #(state.tools or {}) > 0 then
    events.update(self)
  end
end

--- The answer has arrived, but the buffer may not be written now.
function Job:wait_ready()
  if self.status == "ready" then
    return
  end
  self:enter("ready")
  self.tool = nil
  self.view:draw()
  events.update(self)
end

--- Ends: the answer landed, changed nothing or is held.
---@param landing string
---@param held_for string?
function Job:land(landing, held_for)
  self.landing, self.held_for = landing, held_for
  self:close("done")
end

--- The user accepted or rejected a held answer, or reverted a landed one.
---@param landing string
function Job:decide(landing)
  local was_held = self.landing == "held"
  self.landing, self.held_for, self.deciding = landing, nil, nil
  if self.view then
    self.view:close()
  end
  if was_held then
    self.view, self.answer, self.edited, self.typed = nil, nil, nil, nil
    self.on_close(self)
    proposal.ended(self)
  end
  events.emit("BotglueJobUpdated", self)
end

--- The host has moved the marks of its range, or has lost its place.
function Job:moved()
  if self.view then
    self.view:moved()
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

--- The lines of its answer: as saved in the edit buffer, else as tidied by the host, else the agent's text.
---@return string[]
function Job:lines()
  if self.edited then
    return self.edited
  end
  local answer = self.answer
  local is_untidied = answer.held_for == "ambiguous" or answer.held_for == "raw"
  if is_untidied and #answer.lines == 0 then
    return vim.split(vim.trim(self.text or ""), "\n", { plain = true })
  end
  return answer.lines
end

--- Ends without an answer.
---@param err { code: string, message: string }
function Job:fail(err)
  if self:is_open() then
    self.error = { code = err.code, message = require("botglue.util.text").clean(err.message) }
    self:close("failed")
  end
end

---@param how "done"|"failed"
function Job:close(how)
  self.status = how
  self:queue(false)
  self.ended = vim.uv.hrtime()
  self.tool, self.activity, self.retry, self.failure, self.preview = nil, nil, nil, nil, nil
  self.request = nil
  self:enter(how)
  observe.finished(self)
  self.view:finish()
  if self.landing ~= "held" then
    self.answer = nil
  end
  self.on_close(self)
  news.ended(self)
  events.emit("BotglueJobFinished", self)
  handlers.obstacle_changed()
end

return M
