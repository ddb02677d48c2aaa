--- The position of each job that waits for others to end. The host says once that a job waits, and starts jobs in the
--- order in which it said so; the positions follow from that, so nothing is sent again when one starts.

local connection = require("botglue.host.connection")

local M = {}

--- The host says that a job waits.
---@param job botglue.Job
function M.wait(job)
  if not job.turn then
    connection.last_turn = connection.last_turn + 1
    job.turn = connection.last_turn
  end
end

--- A job waits no more.
---@param job botglue.Job
function M.leave(job)
  if job.turn then
    connection.started_turn = math.max(connection.started_turn, job.turn)
    job.turn = nil
  end
end

--- How many jobs start before it, itself included; nil where it does not wait.
---@param job botglue.Job
---@return integer?
function M.position(job)
  return job.turn and job.turn - connection.started_turn
end

return M
