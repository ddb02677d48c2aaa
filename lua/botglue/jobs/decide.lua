--- The user's decisions on an answer: accept, reject, revert. The host merges and writes. This module checks whether a
--- decision is possible, sends it to the host, and reports why one is refused.

local attach = require("botglue.host.attach")
local client = require("botglue.host.client")
local errors = require("botglue.host.errors")
local proposals = require("botglue.jobs.proposal")
local reasons = require("botglue.jobs.reasons")
local report = require("botglue.jobs.report")

local M = {}

local api = vim.api
local fail = errors.fail

--- Raises the error of a decision that is impossible.
---@param job botglue.Job
---@param done "accepted"|"rejected"|"reverted" what cannot be done with its answer
---@param why string
local function refuse(job, done, why)
  fail("%s", reasons.refusal(job.id, done, why))
end

--- The action for a held answer that cannot be written at its range.
---@param job botglue.Job
---@return string? message nil if it can be written
function M.misplaced(job)
  local why
  if not job:load() then
    why = "buffer_gone"
  elseif job.range.lost then
    why = "range_lost"
  elseif not vim.bo[job.range.bufnr].modifiable then
    why = "not_modifiable"
  elseif job.held_for == "too_large" then
    why = "too_large"
  end
  return why and reasons.advice(why, job.id)
end

---@param id integer
---@return botglue.Job
local function job_of(id)
  local job = require("botglue.jobs.choose").job(id)
  if job.deciding then
    fail("wait a moment (in a script: botglue.wait(%d, ms)): job %d has a pending decision", id, id)
  end
  return job
end

---@param id integer
---@return botglue.Job
function M.held_job(id)
  local job = job_of(id)
  if job.landing ~= "held" then
    fail("job %d is not held", id)
  end
  return job
end

--- Sends a decision to the host, which replies by calling `apply.landed` or `apply.stays`.
---@param job botglue.Job
---@param method "accept"|"revert"
---@param more table
local function ask(job, method, more)
  local process, err = client.connect(job.options)
  if not process then
    fail("%s", err and err.message or "there is no host")
  end
  ---@cast process botglue.Process
  job.deciding = true
  -- The host may not mirror the buffer yet. If the user chose the lines, the old place of the job is not needed.
  attach.want(more.buffer or job.range.bufnr, not more.range and job or nil)
  process:notify(method, vim.tbl_extend("keep", more, { id = job.id, buffer = job.range.bufnr }))
end

---@class botglue.AcceptOptions
---@field hunk integer? the index in `hunks()` of the hunk to take
---@field tick integer? the changedtick that `hunks()` returned
---@field range { [1]: integer, [2]: integer }? the lines that the answer replaces, from 1
---@field bufnr integer? the buffer of these lines; default: the current one

--- Accepts the answer at lines that the user chose.
---@param job botglue.Job
---@param opts botglue.AcceptOptions
local function accept_at(job, opts)
  local bufnr = opts.bufnr or api.nvim_get_current_buf()
  local first, last = unpack(opts.range)
  if first < 1 or last < first or last > api.nvim_buf_line_count(bufnr) then
    fail("the lines %s, %s are not in the buffer", tostring(first), tostring(last))
  elseif not vim.bo[bufnr].modifiable then
    fail("job %d cannot be accepted here: the buffer cannot be changed", job.id)
  end
  if job.range.bufnr ~= bufnr then
    job.range:move_to(bufnr)
  end
  ask(job, "accept", {
    buffer = bufnr,
    lines = job:lines(),
    range = { first = first, last = last },
    tick = api.nvim_buf_get_changedtick(bufnr),
  })
end

--- Takes one hunk that a script got from `hunks()`.
---@param job botglue.Job
---@param opts botglue.AcceptOptions
local function take_hunk(job, opts)
  local proposal = job.proposal
  if not proposal or proposal.tick ~= opts.tick or not proposals.is_current(job) then
    fail("get the hunks of job %d again: the text has changed since", job.id)
  end
  ---@cast proposal botglue.Proposal
  local at = opts.hunk --[[@as integer]]
  local hunk = proposal.hunks[at] or fail("job %d has no hunk %d", job.id, at)
  local why, has_returned
  proposals.decide(job, "take", { hunks = { hunk.id } }, function(result, err)
    why = err or result and (result.stale and "the text has changed" or result.why)
    if why and has_returned then
      refuse(job, "accepted", why)
    end
  end)
  has_returned = true
  if why then
    refuse(job, "accepted", why)
  end
end

--- Whether a held answer conflicts with the user's changes and the conflict was not shown yet.
---@param job botglue.Job
---@return boolean
function M.is_unseen_conflict(job)
  return job.held_for == "conflict" and job.shown == nil
end

--- Accepts a held answer: the host merges it with the current text and writes it. Raises an error if it cannot.
---@param id integer
---@param opts botglue.AcceptOptions?
function M.accept(id, opts)
  local job = M.held_job(id)
  if opts and opts.range then
    accept_at(job, opts)
    return
  elseif opts and opts.hunk then
    take_hunk(job, opts)
    return
  elseif not job:load() then
    refuse(job, "accepted", "buffer_gone")
  elseif job.range.lost then
    refuse(job, "accepted", "range_lost")
  elseif job.range.kind == "block" and #job:lines() ~= #job.range.base.text then
    refuse(job, "accepted", "block_rows")
  elseif M.is_unseen_conflict(job) then
    refuse(job, "accepted", "conflict")
  end
  ask(job, "accept", { lines = job:lines(), shown = job.shown, dropped = job.dropped })
end

--- Rejects a held answer: the buffer stays as it is.
---@param id integer
function M.reject(id)
  local job = M.held_job(id)
  if (job.taken or 0) > 0 then
    -- The taken hunks stay in the buffer, so the answer ends as merged, not as rejected.
    proposals.decide(job, "drop", { all = true }, function(result, err)
      local why = err or result and result.why
      if why then
        refuse(job, "rejected", why)
      elseif result and result.stale then
        -- A new host, which has no record of the taken hunks.
        report.landed(job, "merged")
        job:decide("merged")
      end
    end)
    return
  end
  client.connect(job.options)
  report.landed(job, "rejected")
  job:decide("rejected")
end

--- Reverts a landed answer, even after later edits around it.
---@param id integer
function M.revert(id)
  local job = job_of(id)
  if job.landing ~= "applied" and job.landing ~= "merged" then
    fail("job %d has nothing to revert", id)
  elseif not job:load() then
    refuse(job, "reverted", "buffer_gone")
  elseif job.range.lost then
    refuse(job, "reverted", "range_lost")
  end
  ask(job, "revert", {})
end

--- The host refused a decision: the answer stays held or landed.
---@param job botglue.Job
---@param why string
function M.stays(job, why)
  job.deciding = nil
  local is_held = job.landing == "held"
  if is_held and why == "conflict" then
    job.held_for, job.shown = why, nil
    job:moved()
    if job.proposal then
      proposals.notify_followers(job)
    end
  end
  errors.guard(refuse, job, is_held and "accepted" or "reverted", why)
end

return M
