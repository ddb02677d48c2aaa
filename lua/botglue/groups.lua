--- The process groups of running agents: which there are, and how those are ended whose host is no more.

local M = {}

local GRACE = 1000 -- milliseconds between TERM and KILL

---@alias botglue.Groups table<any, integer> by the job's id, or by the name of one that waits for its message

--- What the group of an agent is known by until a job takes it over.
---@param token integer
---@return string
local function waiting(token)
  return "prewarmed " .. token
end

--- Notes the group of a job's agent, `false` when it is gone.
---@param groups botglue.Groups
---@param job botglue.Job
---@param pgid integer|false|nil nil: nothing new
function M.note(groups, job, pgid)
  local waited = job.prewarmed and waiting(job.prewarmed)
  if waited and (pgid == false or groups[waited] == pgid) then
    groups[waited] = nil
  end
  if pgid ~= nil then
    groups[job.id] = pgid or nil
  end
end

--- Notes the group of an agent that waits for its message, `false` when it is gone.
---@param groups botglue.Groups
---@param token integer
---@param pgid integer|false
function M.note_waiting(groups, token, pgid)
  groups[waiting(token)] = pgid or nil
end

---@param groups botglue.Groups
---@param signal "sigterm"|"sigkill"
local function signal_all(groups, signal)
  for _, pgid in pairs(groups) do
    -- 0 and 1 would reach ourselves, or everybody.
    if type(pgid) == "number" and pgid > 1 then
      vim.uv.kill(-pgid, signal)
    end
  end
end

--- TERM now, and KILL after a grace to whatever is left.
---@param groups botglue.Groups
---@return fun()? kill sends KILL at once; nil when there is nothing to end
function M.stop(groups)
  if next(groups) == nil then
    return nil
  end
  signal_all(groups, "sigterm")
  local killed = false
  local function kill()
    if not killed then
      killed = true
      signal_all(groups, "sigkill")
    end
  end
  vim.defer_fn(kill, GRACE)
  return kill
end

return M
