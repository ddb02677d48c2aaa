--- The `User` events of a job, each with the job's table as data. An error in somebody's autocommand stays theirs.

local M = {}

local SPACING = 100 * 1e6 -- nanoseconds between two updates of one job

---@param name string
---@param job botglue.Job
function M.emit(name, job)
  -- Neovim itself shows the error of an autocommand; what is raised here would only be the end of ours.
  pcall(vim.api.nvim_exec_autocmds, "User", { pattern = name, modeline = false, data = job:table() })
end

--- Tells of a change now, or with the job's next tick where the last one was told of too short a time ago.
---@param job botglue.Job
function M.update(job)
  local now = vim.uv.hrtime()
  if job.updated and now - job.updated < SPACING then
    job.update_due = true
    return
  end
  job.updated, job.update_due = now, nil
  M.emit("BotglueJobUpdated", job)
end

return M
