--- The spec's end of the agents that the host runs: says what each of them prints, and when and how it ends.
---
--- Each agent is `agent.sh` on a FIFO of its own. It speaks the protocol of Claude, or prints plain text where the
--- agent that the user asked for does. (What the host makes of other protocols: `tests/it/parse.rs`.)

local ffi = require("ffi")

ffi.cdef("int mkfifo(const char *path, unsigned int mode);")

local M = {}

local PROGRAM = vim.fn.fnamemodify(debug.getinfo(1, "S").source:sub(2), ":p:h") .. "/agent.sh"

---@class Agent
---@field is_text boolean
---@field fifo integer
---@field path string
---@field session string
---@field model string
---@field begun boolean
---@field calls integer of tools
---@field messages integer
local Agent = {}
Agent.__index = Agent

--- An agent that the host has not started yet.
---@param path string where its FIFO is to be
---@param session string the session that it says it is in
---@param asked { protocol: string, model: string? }
---@return Agent
function M.new(path, session, asked)
  assert(ffi.C.mkfifo(path, 384) == 0, "no FIFO could be made at " .. path)
  return setmetatable({
    is_text = asked.protocol == "text",
    path = path,
    -- Open for both, it neither waits for the reader nor fails without one; what is written waits in it.
    fifo = assert(vim.uv.fs_open(path, "r+", 384)),
    session = session,
    model = asked.model or "default",
    begun = false,
    calls = 0,
    messages = 0,
  }, Agent)
end

--- The program to start in place of the agent's own.
---@return string[]
function Agent:command()
  return { "/bin/sh", PROGRAM, self.path, self.is_text and "text" or "claude" }
end

--- Prints a line as it is.
---@param line string
function Agent:print(line)
  assert(vim.uv.fs_write(self.fifo, line .. "\n"))
end

---@param object table
local function encoded(self, object)
  object.session_id = self.session
  self:print(vim.json.encode(object))
end

--- Says one block of a message.
---@param block table
local function says(self, block)
  self:begin()
  self.messages = self.messages + 1
  local message = { id = "message-" .. self.messages, model = self.model, content = { block } }
  encoded(self, { type = "assistant", message = message })
end

--- Says what an agent says first: its session and its model.
---@param about { session_id: string?, model: string? }?
function Agent:begin(about)
  if self.begun or self.is_text then
    return
  end
  self.begun = true
  self.session = about and about.session_id or self.session
  self.model = about and about.model or self.model
  encoded(self, { type = "system", subtype = "init", model = self.model, tools = { "Read" } })
end

--- Says a text, whole.
---@param text string
function Agent:say(text)
  if self.is_text then
    self:print(text)
  else
    says(self, { type = "text", text = text })
  end
end

--- Thinks aloud.
---@param text string
function Agent:think(text)
  says(self, { type = "thinking", thinking = text })
end

--- Calls a tool; returns the id of the call.
---@param name string
---@param input table
---@return string
function Agent:call(name, input)
  self.calls = self.calls + 1
  local id = "call-" .. self.calls
  says(self, { type = "tool_use", id = id, name = name, input = input })
  return id
end

--- Says how a call of a tool ended: with an output, or with why it failed.
---@param id string
---@param output string
---@param failed boolean?
function Agent:result(id, output, failed)
  local result = { type = "tool_result", tool_use_id = id, content = output, is_error = failed or false }
  encoded(self, { type = "user", message = { role = "user", content = { result } } })
end

--- Says that it tries again, since the service is overloaded.
---@param attempt integer
---@param max integer
---@param delay_ms integer
function Agent:retry(attempt, max, delay_ms)
  self:begin()
  encoded(self, {
    type = "system",
    subtype = "api_retry",
    attempt = attempt,
    max_retries = max,
    retry_delay_ms = delay_ms,
    error_status = 529,
    error = "overloaded",
  })
end

--- Ends it.
---@param code integer
function Agent:exit(code)
  self:print("exit " .. code)
end

---@param more table
local function result(self, more)
  local common = { type = "result", subtype = "success", is_error = false, num_turns = 1, duration_ms = 1 }
  encoded(self, vim.tbl_extend("force", common, more))
end

--- Says an answer and what it took, and may go on.
---@param text string
---@param more table? its session and model, and the amounts
function Agent:conclude(text, more)
  more = more or {}
  self:begin(more)
  self:say(text)
  if not self.is_text then
    result(self, {
      result = text,
      num_turns = more.num_turns,
      total_cost_usd = more.cost_usd,
      usage = more.input_tokens and {
        input_tokens = more.input_tokens,
        output_tokens = more.output_tokens,
        cache_read_input_tokens = 0,
        cache_creation_input_tokens = 0,
      },
    })
  end
end

--- Says an answer and what it took, and ends.
---@param text string
---@param more table? its session and model, and the amounts
function Agent:answer(text, more)
  self:conclude(text, more)
  self:exit(0)
end

--- Says that the service refused, with an HTTP status, and ends.
---@param status integer
---@param why string
---@param cost_usd number?
function Agent:refuse(status, why, cost_usd)
  self:begin()
  local words = ("API Error: %d %s"):format(status, why)
  result(self, { is_error = true, api_error_status = status, result = words, total_cost_usd = cost_usd or 0 })
  self:exit(1)
end

return M
