--- The descriptions of the agents, which the host sends with its greeting.

local connection = require("botglue.host.connection")

local M = {}

---@class botglue.Shipped what the host knows of an agent
---@field protocol "claude"|"droid"|"text"|"acp"
---@field keeps string what keeps it from writing and running
---@field loads "nothing"|"directory"|"everything" what it loads of a project's own settings: nothing; what is in the
--- directory in which it runs, which is an empty one unless the project is trusted; what its program does
---@field goes_on boolean? whether it can go on in a session; nil: only the agent knows
---@field login string what the user does to log in

--- The description of an agent; a user's agent may have the name of a shipped one and another protocol.
---@param name string its key in the option `agents`
---@param agent botglue.Agent
---@return botglue.Shipped? none before the first greeting
function M.of(name, agent)
  local known = connection.words.agents
  local shipped = known[name]
  return shipped and shipped.protocol == agent.protocol and shipped or known[agent.protocol]
end

return M
