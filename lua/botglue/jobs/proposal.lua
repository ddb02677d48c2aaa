--- The proposal of a held answer: what its buffer would be if the answer were accepted, as hunks. The host computes it
--- again with each change; here is who follows it, and what the user makes of an answer: hunks taken or dropped, and
--- other text.

local attach = require("botglue.host.attach")
local bytes = require("botglue.util.bytes")
local client = require("botglue.host.client")
local connection = require("botglue.host.connection")
local editor_rows = require("botglue.editor.rows")
local errors = require("botglue.host.errors")
local events = require("botglue.jobs.events")
local query = require("botglue.host.query")

local M = {}

local api = vim.api

local PATIENCE = 500 -- milliseconds that a key waits for what it does
local FIRST = 2000 -- milliseconds that a script waits for the first proposal of an answer

-- What the host leaves out of a hunk that it has sent before.
local SENT_ONCE = { "lines", "label", "old", "new", "column" }

---@class botglue.Proposal
---@field id integer the job
---@field buffer integer
---@field tick integer? the changedtick that it was computed for
---@field taken integer? how many edits of the answer were taken
---@field hunks botglue.Hunk[] ascending
---@field why string? why there is none

--- Sends the host what the user made of an answer.
---@param process botglue.Process?
---@param job botglue.Job
local function send_draft(process, job)
  if not process then
    return
  end
  local function texts(lines)
    return lines and bytes.to_text(lines)
  end
  local draft = {
    lines = texts(job.edited),
    typed = texts(job.typed),
    rows = texts(job.around),
    dropped = job.dropped,
  }
  process:notify("draft", { id = job.id, draft = next(draft) and draft })
end

--- Has what the user made of an answer stored.
---@param job botglue.Job
function M.store(job)
  send_draft(client.connect(job.options), job)
end

---@param job botglue.Job
local function notify_followers(job)
  for _, fn in ipairs(vim.list_slice(job.followers or {})) do
    errors.guard(fn)
  end
end

--- Has the host compute the proposal, and again with each change.
---@param job botglue.Job
local function subscribe(job)
  attach.want(job.range.bufnr, job)
  local args = {
    id = job.id,
    buffer = job.range.bufnr,
    lines = job:lines(),
    dropped = job.dropped,
  }
  query.ask("review", args, function(_, err)
    if err and job.followers then
      job.proposal = { id = job.id, buffer = job.range.bufnr, hunks = {}, why = err }
      notify_followers(job)
    end
  end)
end

--- Follows the proposal of a held answer: `fn` is called with each new one, which is `job.proposal`, and once the
--- answer is decided.
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

--- The proposal is drawn again: what it was drawn for is not known any more.
---@param job botglue.Job
function M.show_again(job)
  if job.proposal then
    notify_followers(job)
  end
end

--- Gives a hunk what the host has sent of it before, and what Neovim alone knows: where a block begins in a row.
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
  hunk.old, hunk.new = hunk.old or {}, hunk.new or {}
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
  local dropped = view.dropped and #view.dropped > 0 and view.dropped or nil
  if not view.why and not vim.deep_equal(dropped, job.dropped) then
    job.dropped = dropped
    M.store(job)
  end
  notify_followers(job)
end

--- The answer was decided: its proposal is followed no more.
---@param job botglue.Job
function M.ended(job)
  local followers = job.followers or {}
  job.followers, job.proposal, job.dropped, job.taken = nil, nil, nil, nil
  for _, fn in ipairs(followers) do
    errors.guard(fn)
  end
end

--- Another host has started: it is told what the last one may not have kept, and computes what is followed.
---@param process botglue.Process
function M.tell_all(process)
  for _, job in pairs(connection.held) do
    if job.edited or job.typed or job.dropped then
      send_draft(process, job)
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

--- The user has written another answer.
---@param job botglue.Job
---@param lines string[]
function M.edit(job, lines)
  job.edited, job.typed, job.shown = lines, nil, nil
  M.store(job)
  if job.followers then
    subscribe(job)
  end
  events.emit("BotglueJobUpdated", job)
end

--- Whether the newest proposal is that of the text as it is.
---@param job botglue.Job
---@return boolean
function M.is_current(job)
  local proposal = job.proposal
  return proposal ~= nil
    and api.nvim_buf_is_loaded(proposal.buffer)
    and (proposal.why ~= nil or proposal.tick == api.nvim_buf_get_changedtick(proposal.buffer))
end

--- Waits in the middle of a key, but not for long. What is written to the buffer meanwhile is what the key is for.
---@param job botglue.Job
---@param condition fun(): boolean
local function wait(job, condition)
  connection.waiting, connection.deciding_in = connection.waiting + 1, job.range.bufnr
  pcall(vim.wait, PATIENCE, condition, 1)
  connection.waiting, connection.deciding_in = connection.waiting - 1, nil
end

--- Makes sure that the proposal is that of the text as it is.
---@param job botglue.Job one that is followed
function M.renew(job)
  if not M.is_current(job) then
    subscribe(job)
    wait(job, function()
      return M.is_current(job)
    end)
  end
end

--- Takes or drops hunks, or brings dropped ones back. What the user does next is meant for the text as it is then: so
--- a key waits for that, but not for long.
---@param job botglue.Job
---@param name "take"|"drop"|"undrop"
---@param args table
---@param callback fun(result: table?, err: string?)
function M.decide(job, name, args, callback)
  local is_over = false
  args.id, args.buffer = job.id, job.range.bufnr
  attach.want(args.buffer, job)
  query.ask(name, args, function(result, err)
    is_over = true
    errors.guard(callback, result, err)
  end)
  wait(job, function()
    return is_over
  end)
end

--- The hunks of a held answer for a script, which waits for the first ones; from then on they are followed.
---@param job botglue.Job
---@return botglue.Proposal
function M.of(job)
  if not job.proposal then
    if not job.followers then
      M.follow(job, function() end)
    end
    connection.waiting = connection.waiting + 1
    pcall(vim.wait, FIRST, function()
      return job.proposal ~= nil
    end, 1)
    connection.waiting = connection.waiting - 1
  end
  return job.proposal or errors.fail("the host has not computed what job %d would change", job.id)
end

return M
