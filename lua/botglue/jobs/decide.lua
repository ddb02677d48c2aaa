--- The user's decisions on an answer: accept, reject, revert. The host takes them and says why one is impossible; this
--- module knows what only Neovim does: buffers, and which lines the user chose.

local ask = require("botglue.editor.ask")
local attach = require("botglue.host.attach")
local errors = require("botglue.host.errors")
local proposals = require("botglue.jobs.proposal")
local reasons = require("botglue.jobs.reasons")
local registry = require("botglue.jobs.registry")

local M = {}

local api = vim.api
local fail = errors.fail

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
function M.held_job(id)
  local job = registry.job(id)
  if job.landing ~= "held" then
    fail("job %d is not held", id)
  end
  return job
end

--- Sends a decision to the host and waits for its word, but not for a moment at which it can write. Raises an error if
--- the decision is impossible; one that turns out later to be so is shown.
---@param job botglue.Job
---@param name "accept"|"reject"|"revert"
---@param args table
local function decide(job, name, args)
  if job.deciding then
    fail("wait a moment (in a script: botglue.wait(%d, ms)): job %d has a pending decision", job.id, job.id)
  end
  args.id = job.id
  if job:load() then
    args.buffer = job.range.bufnr
    -- The host may not mirror the buffer yet. If the user chose the lines, the old place of the job is not needed.
    attach.want(args.buffer, not args.range and job or nil)
  end
  local landing = job.landing
  job.deciding = "asked"
  local result, err = ask.change(name, args, args.buffer, function(_, late)
    if late and job.deciding then
      errors.guard(fail, "%s", late)
    end
    job.deciding = not late and job.deciding and "pending" or nil
  end)
  if err and job.landing ~= landing then
    -- The host has died over it, and it was written.
    return
  elseif err then
    job.deciding = nil
    fail("%s", err)
  elseif result and result.why then
    job.deciding = nil
    fail("job %d cannot be rejected: %s", job.id, reasons.advice(result.why, job.id))
  elseif job.deciding then
    job.deciding = "pending"
  end
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
  decide(job, "accept", {
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
  local function check(result, err)
    local why = err or result and (result.stale and "the text has changed" or result.why)
    if why then
      fail("job %d cannot be accepted: %s", job.id, reasons.advice(why, job.id))
    end
  end
  check(proposals.decide(job, "take", { hunks = { hunk.id } }, function(...)
    errors.guard(check, ...)
  end))
end

--- Accepts a held answer: the host merges it with the current text and writes it. Raises an error if it cannot.
---@param id integer
---@param opts botglue.AcceptOptions?
function M.accept(id, opts)
  local job = M.held_job(id)
  if opts and opts.range then
    accept_at(job, opts)
  elseif opts and opts.hunk then
    take_hunk(job, opts)
  else
    decide(job, "accept", { shown = job.shown })
  end
end

--- Rejects a held answer: the buffer stays as it is.
---@param id integer
function M.reject(id)
  local job = M.held_job(id)
  decide(job, "reject", { taken = job.taken })
end

--- Reverts a landed answer, even after later edits around it.
---@param id integer
function M.revert(id)
  decide(registry.job(id), "revert", {})
end

return M
