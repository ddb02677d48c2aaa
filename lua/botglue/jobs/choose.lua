--- Finds the job that a command means: the named one, else the one at the cursor, else the only or the newest one.

local client = require("botglue.host.client")
local connection = require("botglue.host.connection")
local fail = require("botglue.host.errors").fail

local M = {}

---@alias botglue.JobFilter fun(job: botglue.Job): boolean

--- A held answer.
---@param job botglue.Job
function M.held(job)
  return job.landing == "held"
end

--- An answer that can be taken back.
---@param job botglue.Job
function M.landed(job)
  return job.landing == "applied" or job.landing == "merged"
end

--- An answer that was written to its buffer, or equals the text there.
---@param job botglue.Job
function M.wrote(job)
  return M.landed(job) or job.landing == "unchanged"
end

--- An answer with two texts to compare.
---@param job botglue.Job
function M.has_texts(job)
  return M.held(job) or M.landed(job)
end

--- An answer to a question.
---@param job botglue.Job
function M.answered(job)
  return job.landing == "answered"
end

--- A job that has ended.
---@param job botglue.Job
function M.ended(job)
  return not job:is_open()
end

--- A job with a session that can be opened.
---@param job botglue.Job
function M.has_session(job)
  -- The CLI names a session even where it has just said that it has none.
  local is_lost = job.error and job.error.code == "session_not_found"
  return M.ended(job) and job.session_id ~= nil and not is_lost
end

--- A job whose agent has been started.
---@param job botglue.Job
function M.has_transcript(job)
  return job.transcript ~= nil
end

--- The jobs that can be meant, oldest first.
---@param choice botglue.JobFilter
---@return botglue.Job[]
function M.all(choice)
  local jobs = {}
  for id = 1, connection.last_id do
    local job = connection.jobs[id]
    if job and choice(job) then
      jobs[#jobs + 1] = job
    end
  end
  return jobs
end

--- The one that is meant by where the cursor is: the one under review there, else the newest one in whose range it is.
---@param jobs botglue.Job[]
---@return botglue.Job?
function M.at_cursor(jobs)
  local review = connection.review
  if review and review.bufnr == vim.api.nvim_get_current_buf() and vim.list_contains(jobs, review.job) then
    return review.job
  end
  local bufnr, line = vim.api.nvim_get_current_buf(), vim.api.nvim_win_get_cursor(0)[1]
  for i = #jobs, 1, -1 do
    local range = jobs[i].range
    local first, last = range:lines()
    if range.bufnr == bufnr and first <= line and line <= last then
      return jobs[i]
    end
  end
end

--- The job with a number.
---@param id any
---@return botglue.Job
function M.job(id)
  return client.job(id) or fail("there is no job %s", tostring(id))
end

---@param words string
---@return integer
local function number(words)
  local id = words:match("^%d+$") and tonumber(words)
  return id or fail("not a job number: %s", words)
end

--- The job that a command's words name, else one of those that can be meant.
---@param words string
---@param choice botglue.JobFilter
---@param none string what is said where there are none
---@param pick fun(jobs: botglue.Job[]): botglue.Job of at least one, oldest first
---@return integer id
local function named_or(words, choice, none, pick)
  if words ~= "" then
    return number(words)
  end
  local jobs = M.all(choice)
  return (#jobs == 0 and fail("%s", none) or pick(jobs)).id
end

--- The job that a command's words name, else the newest one.
---@param words string
---@param choice botglue.JobFilter
---@param what string what there may be none of
---@return integer id
function M.newest(words, choice, what)
  return named_or(words, choice, "no answer " .. what, function(jobs)
    return jobs[#jobs]
  end)
end

--- The job that a command's words name, else the one at the cursor, else the only one.
---@param words string
---@param choice botglue.JobFilter
---@param what string what there may be none of
---@return integer id
function M.one(words, choice, what)
  return named_or(words, choice, "no answer " .. what, function(jobs)
    local ids = vim.tbl_map(function(job)
      return job.id
    end, jobs)
    local job = M.at_cursor(jobs) or #jobs == 1 and jobs[1]
    return job or fail("say which answer: %s", table.concat(ids, ", "))
  end)
end

--- The job that a command's words name, else the one at the cursor, else the newest.
---@param words string
---@param choice botglue.JobFilter
---@param what string what there may be none of
---@return integer id
function M.latest(words, choice, what)
  return named_or(words, choice, "no job " .. what, function(jobs)
    return M.at_cursor(jobs) or jobs[#jobs]
  end)
end

--- The numbers of the jobs that can be meant, for a command's completion.
---@param choice botglue.JobFilter
---@return fun(): string[]
function M.complete(choice)
  return function()
    return vim.tbl_map(function(job)
      return tostring(job.id)
    end, M.all(choice))
  end
end

return M
