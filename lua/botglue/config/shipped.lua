--- The shipped agents. The host knows how to start and read each one, and sends their descriptions with its greeting:
--- see `host/agents`.

local M = {}

--- The defaults of the option `agents`.
---@return table<string, botglue.Agent>
function M.options()
  local function agent(protocol, program)
    return { protocol = protocol, command = { program }, args = {}, env = {} }
  end
  return {
    claude = agent("claude", "claude"),
    droid = agent("droid", "droid"),
    codex = agent("acp", "codex-acp"),
    gemini = agent("acp", "gemini"),
    opencode = agent("acp", "opencode"),
    qwen = agent("acp", "qwen"),
    copilot = agent("acp", "copilot"),
  }
end

return M
