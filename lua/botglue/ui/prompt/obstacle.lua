--- Finds out before a prompt is sent why its job would fail: no usable host, no program, no login.

local connection = require("botglue.host.connection")
local host_process = require("botglue.host.process")
local program = require("botglue.util.program")

local M = {}

--- The job of an agent that ended last, of those that this Neovim has run.
---@param agent string
---@return botglue.Job?
local function last_job(agent)
  local last
  for _, job in pairs(connection.jobs) do
    -- The end of a held one of an earlier session is when it was taken over.
    local is_own = job.agent == agent and job.ended and not job.took_ms
    if is_own and (not last or job.ended > last.ended) then
      last = job
    end
  end
  return last
end

--- Whether the last job of an agent failed because the agent is not logged in. What this Neovim saw is newer than what
--- the store had when the prompt was opened.
---@param agent string
---@param logged_out string[] the agents that have no login according to the store
---@return boolean
local function is_logged_out(agent, logged_out)
  local job = last_job(agent)
  if job then
    return job.error ~= nil and job.error.code == "not_logged_in"
  end
  return vim.tbl_contains(logged_out, agent)
end

--- The advice and the reason in one sentence; nil if no obstacle is known.
---@param name string of the agent
---@param options botglue.Options
---@param logged_out string[] the agents that are not logged in, as the store says
---@return string?
function M.of(name, options, logged_out)
  local path, looked = host_process.binary(options)
  if not path then
    return ("%s: there is no host at %s"):format(host_process.INSTALL, looked)
  end
  local unusable = connection.unusable
  if unusable and unusable.path == path then
    return unusable.why
  end
  local agent = options.agents[name]
  local command = program.command(agent)[1]
  if not program.of(agent) then
    local where = command:find("/", 1, true) and "it cannot be executed" or "it is not in PATH"
    return ("install `%s`, or set agents.%s.command: %s"):format(command, name, where)
  elseif is_logged_out(name, logged_out) then
    -- A user's agent may have the name of a shipped one and another protocol.
    local all = connection.words.agents
    local known = all[name] and all[name].protocol == agent.protocol and all[name] or all[agent.protocol]
    local how = known and known.login or ("log in with `%s`"):format(command)
    return ("%s: the last job of %s was not logged in"):format(how, name)
  end
end

return M
