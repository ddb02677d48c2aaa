--- The process groups of running agents. Ends them if their host has died.
---
--- A group's number is its leader's process id. Once the leader has been reaped and the group is empty, the number may
--- be given to a stranger: such a group is never signalled.

local started = require("botglue.util.pid").started

local M = {}

local GRACE = 1000 -- milliseconds between TERM and KILL
local LOOK = 50 -- milliseconds between two looks at what is left

---@class botglue.Group
---@field pgid integer
---@field started string? when its leader started, where the system tells

---@alias botglue.Groups table<any, botglue.Group> by the job's id, or by the name of one that waits for its message

--- The key of a prewarmed agent's group until a job takes it over.
---@param token integer
---@return string
local function waiting(token)
  return "prewarmed " .. token
end

---@param pgid integer|false|nil
---@return botglue.Group?
local function group_of(pgid)
  return pgid and { pgid = pgid, started = started(pgid) } or nil
end

--- Notes the group of a job's agent, `false` when it is gone.
---@param groups botglue.Groups
---@param job botglue.Job
---@param pgid integer|false|nil nil: nothing new
function M.note(groups, job, pgid)
  local waited = job.prewarmed and groups[waiting(job.prewarmed)]
  if waited and (pgid == false or waited.pgid == pgid) then
    groups[waiting(job.prewarmed)] = nil
  end
  if pgid ~= nil then
    groups[job.id] = group_of(pgid)
  end
end

--- Notes the group of an agent that waits for its message, `false` when it is gone.
---@param groups botglue.Groups
---@param token integer
---@param pgid integer|false
function M.note_waiting(groups, token, pgid)
  groups[waiting(token)] = group_of(pgid)
end

--- Sends a signal to a group; false where nothing of it is left.
---@param group botglue.Group
---@param signal string|integer
---@return boolean
local function send_to(group, signal)
  local pgid = group.pgid
  -- 0 and 1 would reach ourselves, or everybody.
  if type(pgid) ~= "number" or pgid <= 1 then
    return false
  end
  local leader = started(pgid)
  if leader and group.started and leader ~= group.started then
    return false
  end
  return vim.uv.kill(-pgid, signal) == 0
end

--- Sends TERM now, and KILL to the groups that are left after a grace period. An empty group is forgotten.
---@param groups botglue.Groups
---@return fun()? kill sends KILL at once; nil when there is nothing to end
function M.stop(groups)
  local left = vim.tbl_values(groups)
  local function send(name)
    left = vim.tbl_filter(function(group)
      return send_to(group, name)
    end, left)
  end
  send("sigterm")
  if #left == 0 then
    return nil
  end
  local timer = assert(vim.uv.new_timer())
  local looks = GRACE / LOOK
  timer:start(LOOK, LOOK, function()
    looks = looks - 1
    send(looks > 0 and 0 or "sigkill")
    if looks <= 0 or #left == 0 then
      timer:close()
    end
  end)
  return function()
    if not timer:is_closing() then
      timer:close()
      send("sigkill")
    end
  end
end

return M
