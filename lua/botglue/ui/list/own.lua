--- The actions of a list on a job of this Neovim, by name.

local fail = require("botglue.host.errors").fail
local go = require("botglue.ui.go")

local M = {}

--- Goes to the range of a job as it is now.
---@param job botglue.Job
---@param float botglue.ListOrigin
function M.jump(job, float)
  local range = job.range
  local bufnr = range.bufnr
  if not vim.api.nvim_buf_is_loaded(bufnr) then
    bufnr = go.load(job.path)
  end
  go.show(float, bufnr, range:lines(), go.column(range:place()))
end

---@param job botglue.Job
---@param float botglue.ListOrigin
function M.review(job, float)
  if job.landing ~= "held" and job.landing ~= "answered" then
    fail("job %d is not held", job.id)
  end
  float:close()
  if job.landing == "held" then
    require("botglue.ui.review.held").show(job)
  else
    require("botglue.ui.answer").open(job.id)
  end
end

---@param job botglue.Job
function M.retry(job)
  require("botglue.session.retry").retry(job.id)
end

--- Goes on in the session of a job, at its range, which is shown; asks for the prompt.
---@param job botglue.Job
---@param float botglue.ListOrigin
function M.followup(job, float)
  if job:is_open() then
    fail("job %d has not ended yet: wait for it", job.id)
  end
  require("botglue.session.writer").session("job " .. job.id, job.agent, job.session_id)
  M.jump(job, float)
  require("botglue.session.followup").followup(job.id)
end

---@param job botglue.Job
---@param float botglue.ListOrigin
function M.transcript(job, float)
  require("botglue.ui.open").transcript(job.id)
  float:close()
end

return M
