--- What becomes of the answer to a question: it is shown beside its range, or it is told of where that would be in the
--- way. Nothing of it ever lands by itself.

local choose = require("botglue.jobs.choose")
local fail = require("botglue.host.errors").fail
local user_context = require("botglue.editor.user_context")
local report = require("botglue.jobs.report")

local M = {}

--- Shows an answer that has just come. If the user is busy or an answer is open already, only notifies. If the user has
--- not moved, enters the window; else opens it beside the range if there is room, or notifies.
---@param job botglue.Job
function M.show(job)
  local reply = require("botglue.ui.reply")
  if not user_context.is_idle() or reply.is_open() then
    require("botglue.jobs.news").answered(job)
  elseif not job.asked_from or vim.deep_equal(job.asked_from, user_context.now()) then
    reply.open(job, "enter")
  elseif reply.has_room(job) then
    reply.open(job, "stay")
  else
    require("botglue.jobs.news").answered(job)
  end
end

--- The answer to a question is there.
---@param job botglue.Job
function M.answered(job)
  report.landed(job, "answered")
  job:land("answered")
  vim.schedule(function()
    M.show(job)
  end)
end

--- Opens an answer, or goes to it where it is open.
---@param id integer
function M.open(id)
  local job = choose.job(id)
  if job.landing ~= "answered" then
    fail("job %d has no answer to a question", id)
  end
  require("botglue.ui.reply").open(job, "enter")
end

return M
