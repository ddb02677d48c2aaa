--- The spec's end of the agents that the host runs: says what each of them prints, and when and how it ends.
---
--- Each agent is `agent.sh` on a FIFO of its own. It speaks the protocol of the agent that the user asked for, so that
--- all that the host makes of a stream is what it makes of a real one.

local ffi = require("ffi")

ffi.cdef("int mkfifo(const char *path, unsigned int mode);")

local M = {}

local PROGRAM = vim.fn.fnamemodify(debug.getinfo(1, "S").source:sub(2), ":p:h") .. "/agent.sh"

-- What the shipped agents of the protocol ACP call themselves, and those whose sessions are set to a mode.
local CALLED = {
  codex = "@agentclientprotocol/codex-acp",
  gemini = "gemini-cli",
  opencode = "OpenCode",
  qwen = "qwen-code",
  copilot = "Copilot",
}
local HAS_MODE = { gemini = true, opencode = true }

---@class Agent
---@field protocol string
---@field called string? what it says it is, in the protocol ACP
---@field fifo integer
---@field path string
---@field session string
---@field model string
---@field settings integer how much of a session the host sets before it sends the message, in the protocol ACP
---@field begun boolean
---@field calls integer
local Agent = {}
Agent.__index = Agent

--- An agent that the host has not started yet.
---@param path string where its FIFO is to be
---@param session string the session that it says it is in
---@param asked { name: string?, protocol: string, model: string?, mode: string? }
---@return Agent
function M.new(path, session, asked)
  assert(ffi.C.mkfifo(path, 384) == 0, "no FIFO could be made at " .. path)
  return setmetatable({
    protocol = asked.protocol,
    called = CALLED[asked.name],
    path = path,
    -- Open for both, it neither waits for the reader nor fails without one; what is written waits in it.
    fifo = assert(vim.uv.fs_open(path, "r+", 384)),
    session = session,
    model = asked.model or "default",
    settings = #vim.tbl_filter(function(is_set)
      return is_set
    end, { asked.mode ~= nil or HAS_MODE[asked.name] == true, asked.name == "codex", asked.model ~= nil }),
    begun = false,
    calls = 0,
  }, Agent)
end

--- The program to start in place of the agent's own.
---@return string[]
function Agent:command()
  return { "/bin/sh", PROGRAM, self.path }
end

--- Prints a line as it is.
---@param line string
function Agent:print(line)
  assert(vim.uv.fs_write(self.fifo, line .. "\n"))
end

--- A text by lines, in a fence, so that nothing in it is read as talk around it.
---@param lines string[]
---@return string
function M.fenced(lines)
  return table.concat(vim.iter({ "```", lines, "```" }):flatten():totable(), "\n")
end

---@param object table
local function encoded(self, object)
  self:print(vim.json.encode(object))
end

--- Says what an agent says first: its session and its model.
---@param about { session_id: string?, model: string? }?
function Agent:begin(about)
  if self.begun then
    return
  end
  self.begun = true
  self.session = about and about.session_id or self.session
  self.model = about and about.model or self.model
  if self.protocol == "acp" then
    -- The host asks one thing after the other, and numbers what it asks.
    encoded(self, {
      id = 1,
      result = {
        protocolVersion = 1,
        agentInfo = self.called and { name = self.called, version = "99.0.0" },
        agentCapabilities = { sessionCapabilities = { fork = vim.empty_dict() } },
      },
    })
    encoded(self, { id = 2, result = { sessionId = self.session, models = { currentModelId = self.model } } })
    for id = 3, 2 + self.settings do
      encoded(self, { id = id, result = vim.empty_dict() })
    end
  elseif self.protocol ~= "text" then
    encoded(
      self,
      { type = "system", subtype = "init", session_id = self.session, model = self.model, tools = { "Read" } }
    )
  end
end

--- Says a text, whole.
---@param text string
function Agent:say(text)
  self:begin()
  self.messages = (self.messages or 0) + 1
  local id = "message-" .. self.messages
  if self.protocol == "text" then
    self:print(text)
  elseif self.protocol == "acp" then
    local chunk =
      { sessionUpdate = "agent_message_chunk", messageId = id, content = { type = "text", text = text } }
    encoded(self, { method = "session/update", params = { sessionId = self.session, update = chunk } })
  else
    encoded(self, {
      type = "assistant",
      session_id = self.session,
      message = { id = id, model = self.model, content = { { type = "text", text = text } } },
    })
  end
end

--- Thinks aloud, in the protocol of Claude.
---@param text string
function Agent:think(text)
  self:begin()
  encoded(self, {
    type = "assistant",
    session_id = self.session,
    message = { id = "thought", model = self.model, content = { { type = "thinking", thinking = text } } },
  })
end

--- Calls a tool, in the protocol of Claude; returns the id of the call.
---@param name string
---@param input table
---@return string
function Agent:call(name, input)
  self:begin()
  self.calls = self.calls + 1
  local id = "call-" .. self.calls
  encoded(self, {
    type = "assistant",
    session_id = self.session,
    message = {
      id = "message-of-" .. id,
      model = self.model,
      content = { { type = "tool_use", id = id, name = name, input = input } },
    },
  })
  return id
end

--- Says how a call of a tool ended: with an output, or with why it failed.
---@param id string
---@param output string
---@param failed boolean?
function Agent:result(id, output, failed)
  encoded(self, {
    type = "user",
    session_id = self.session,
    message = {
      role = "user",
      content = { { type = "tool_result", tool_use_id = id, content = output, is_error = failed or false } },
    },
  })
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

---@class AgentAmounts
---@field session_id string?
---@field model string?
---@field cost_usd number?
---@field num_turns integer?
---@field input_tokens integer?
---@field output_tokens integer?

--- Says an answer, what it took, and ends.
---@param text string
---@param more AgentAmounts?
function Agent:answer(text, more)
  self:conclude(text, more)
  self:exit(0)
end

--- Says an answer and what it took, and may go on.
---@param text string
---@param more AgentAmounts?
function Agent:conclude(text, more)
  more = more or {}
  self:begin(more)
  self:say(text)
  local usage = more.input_tokens
    and {
      input_tokens = more.input_tokens,
      output_tokens = more.output_tokens,
      cache_read_input_tokens = 0,
      cache_creation_input_tokens = 0,
    }
  if self.protocol == "acp" then
    encoded(self, { id = 3 + self.settings, result = { stopReason = "end_turn" } })
  elseif self.protocol == "claude" then
    encoded(self, {
      type = "result",
      subtype = "success",
      is_error = false,
      result = text,
      session_id = self.session,
      num_turns = more.num_turns or 1,
      duration_ms = 1,
      total_cost_usd = more.cost_usd,
      usage = usage,
    })
  end
end

--- Says that the service refused, with an HTTP status, and ends.
---@param status integer
---@param why string
function Agent:refuse(status, why)
  self:begin()
  encoded(self, {
    type = "result",
    subtype = "success",
    is_error = true,
    api_error_status = status,
    result = ("API Error: %d %s"):format(status, why),
    session_id = self.session,
    num_turns = 1,
    duration_ms = 1,
    total_cost_usd = 0,
  })
  self:exit(1)
end

function Agent:close()
  pcall(vim.uv.fs_close, self.fifo)
end

return M
