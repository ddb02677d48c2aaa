--- The proposal of a held answer, as hunks. The host recomputes it after each change. This module owns its followers,
--- and sends taken and dropped hunks, and the user's edits of the answer, to the host.

local ask = require("botglue.editor.ask")
local attach = require("botglue.host.attach")
local client = require("botglue.host.client")
local connection = require("botglue.host.connection")
local editor_rows = require("botglue.editor.rows")
local errors = require("botglue.host.errors")
local moment = require("botglue.editor.moment")
local query = require("botglue.host.query")

local M = {}

local api = vim.api

local SCRIPT_TIMEOUT = 2000 -- milliseconds that a script waits for the first proposal

-- The fields that the host omits from a hunk that it has sent before.
local SENT_ONCE = { "lines", "column" }

---@class botglue.Hunk what is shown of a proposal as one: rows that go, and rows that come in their place
---@field id string the hash of all that is shown of it
---@field first integer its first row, from 0
---@field count integer how many rows go; 0: it is an insertion above row `first`
---@field conflict boolean
---@field column integer? the screen column at which a block begins
---@field lines string[] the rows that come

---@class botglue.Proposal
---@field id integer the job
---@field buffer integer
---@field tick integer? the changedtick that it was computed for
---@field taken integer? how many edits of the answer were taken
---@field hunks botglue.Hunk[] ascending
---@field why string? why there is no proposal

--- Has those who follow the proposal draw it, also once more after its tick was discarded.
---@param job botglue.Job
function M.notify_followers(job)
  for _, fn in ipairs(vim.list_slice(job.followers or {})) do
    errors.guard(fn)
  end
end

--- Asks the host to compute the proposal now and after each change.
---@param job botglue.Job
local function subscribe(job)
  attach.want(job.range.bufnr, job)
  query.ask("review", { id = job.id, buffer = job.range.bufnr }, function(_, err)
    if err and job.followers then
      job.proposal = { id = job.id, buffer = job.range.bufnr, hunks = {}, why = err }
      M.notify_followers(job)
    end
  end)
end

--- Subscribes to the proposal of a held answer: `fn` runs after each new `job.proposal`, and once after the decision.
---@param job botglue.Job
---@param fn fun()
---@return fun() stop
function M.follow(job, fn)
  local is_first = not job.followers
  job.followers = job.followers or {}
  table.insert(job.followers, fn)
  if is_first then
    subscribe(job)
  elseif job.proposal then
    vim.schedule(fn)
  end
  return function()
    local left = vim.tbl_filter(function(other)
      return other ~= fn
    end, job.followers or {})
    if #left > 0 or not job.followers then
      job.followers = #left > 0 and left or nil
      return
    end
    job.followers, job.proposal = nil, nil
    local process = connection.process
    if process then
      process:notify("review_end", { id = job.id, buffer = job.range.bufnr })
    end
  end
end

--- Completes a hunk: with the fields that the host sent earlier, or, in a block, with padding that depends on display
--- columns, which only Neovim knows.
---@param hunk botglue.Hunk
---@param before botglue.Hunk?
---@param buffer integer
local function complete(hunk, before, buffer)
  if before and not hunk.lines then
    for _, field in ipairs(SENT_ONCE) do
      hunk[field] = before[field]
    end
    return
  end
  if hunk.column then
    local rows = api.nvim_buf_get_lines(buffer, hunk.first, hunk.first + hunk.count, false)
    for i, row in ipairs(rows) do
      local line = hunk.lines[i]
      hunk.lines[i] = line and editor_rows.filled(buffer, row, line, hunk.column)
    end
  end
end

--- The host has computed a proposal.
---@param view table
function M.receive(view)
  local job = client.job(view.id)
  if not job or job.landing ~= "held" then
    return
  end
  local before = {}
  for _, hunk in ipairs(job.proposal and job.proposal.hunks or {}) do
    before[hunk.id] = hunk
  end
  view.hunks = view.hunks or {}
  for _, hunk in ipairs(view.hunks) do
    complete(hunk, before[hunk.id], view.buffer)
  end
  job.proposal, job.taken = view, view.taken or job.taken
  M.notify_followers(job)
end

--- The user has decided: removes the proposal and notifies its followers a last time.
---@param job botglue.Job
function M.ended(job)
  local followers = job.followers or {}
  job.followers, job.proposal, job.taken = nil, nil, nil
  for _, fn in ipairs(followers) do
    errors.guard(fn)
  end
end

--- Tells a host what the user made of an answer in its own buffer.
---@param process botglue.Process?
---@param job botglue.Job
---@param lines string[]?
---@param is_saved boolean
local function tell(process, job, lines, is_saved)
  if process then
    process:notify("edit", { id = job.id, lines = lines, is_saved = is_saved })
  end
end

--- A new host has started: tells it what the last one may not have read, and subscribes again.
---@param process botglue.Process
function M.follow_again(process)
  for _, job in pairs(connection.held) do
    if job.saved then
      tell(process, job, job.saved, true)
    end
    if job.typed then
      tell(process, job, job.typed, false)
    end
    if job.followers then
      vim.schedule(function()
        if job.followers then
          subscribe(job)
        end
      end)
    end
  end
end

--- The user has saved a held answer as they edited it, or typed in it, or what they typed is gone.
---@param job botglue.Job
---@param lines string[]? none: nothing is typed
---@param is_saved boolean
function M.edit(job, lines, is_saved)
  tell(client.connect(job.options), job, lines, is_saved)
  job.typed = not is_saved and lines or nil
  if is_saved then
    job.saved = lines
    -- The host says so, too, with the next call.
    job.review_as, job.shown = "hunks", nil
    if job.followers then
      subscribe(job)
    end
  end
end

--- Whether the newest proposal was computed for the current text.
---@param job botglue.Job
---@return boolean
function M.is_current(job)
  local proposal = job.proposal
  return proposal ~= nil
    and api.nvim_buf_is_loaded(proposal.buffer)
    and (proposal.why ~= nil or proposal.tick == api.nvim_buf_get_changedtick(proposal.buffer))
end

--- Takes or drops hunks, or restores dropped ones. The next key of the user expects the new text, so this call waits
--- for the host, for a limited time.
---@param job botglue.Job
---@param name "take"|"drop"|"undrop"
---@param args table
---@param late fun(result: table?, err: string?)? called with a reply that comes later
---@return table? result
---@return string? err
function M.decide(job, name, args, late)
  args.id, args.buffer = job.id, job.range.bufnr
  attach.want(args.buffer, job)
  return ask.change(name, args, args.buffer, late)
end

--- Returns the proposal of a held answer to a script. The first call subscribes and waits for the host.
---@param job botglue.Job
---@return botglue.Proposal
function M.wait_for_first(job)
  if not job.proposal then
    if not job.followers then
      M.follow(job, function() end)
    end
    moment.wait(SCRIPT_TIMEOUT, function()
      return job.proposal ~= nil
    end, 1)
  end
  return job.proposal or errors.fail("try again: the host has not computed the hunks of job %d yet", job.id)
end

return M
