--- What the user decides of an answer: accept, reject, revert. The same merge as for a landing, and the same write; an
--- error says in one line why it cannot be, and then nothing was changed.

local client = require("botglue.client")
local draft = require("botglue.draft")
local errors = require("botglue.errors")
local land = require("botglue.land")
local merge = require("botglue.merge")
local moment = require("botglue.moment")
local notify = require("botglue.notify")
local recognise = require("botglue.recognise")
local reviewed = require("botglue.reviewed")
local stands = require("botglue.stands")

local M = {}

local api = vim.api
local fail = errors.fail

-- What was typed after the decision was not decided of.
local TYPED = "job %d was not accepted: its lines were changed meanwhile; accept it again"
M.CHANGED = "the answer was changed meanwhile: a accepts it as it is now"

--- Runs a step at the first safe moment.
---@param job botglue.Job
---@param is_safe boolean whether that is now
---@param fn fun()
local function at_safe_moment(job, is_safe, fn)
  if is_safe then
    fn()
    return
  end
  local stop
  job.deciding = true
  stop = moment.watch("decide." .. job.id, function()
    if moment.is_safe(job.range.bufnr) then
      stop()
      job.deciding = nil
      errors.guard(fn)
    end
  end)
end

---@param job botglue.Job
---@param verb string
---@param range botglue.Range
---@return botglue.Extent place
---@return "untouched"|"edited" state
---@return botglue.Base now
local function look(job, verb, range)
  local place, state, now = range:look()
  if not place then
    fail("job %d cannot be %s: its place is not known", job.id, verb)
  elseif not vim.bo[range.bufnr].modifiable then
    fail("job %d cannot be %s: its buffer cannot be changed", job.id, verb)
  end
  return place, state, now
end

--- The review of a job, if it is open.
---@param job botglue.Job
---@return botglue.Review?
local function review_of(job)
  local review = client.connection().review
  return review and review.job == job and review or nil
end

--- What the user made of a held answer so far.
---@param job botglue.Job
---@return botglue.Draft?
local function draft_of(job)
  local review = review_of(job)
  if review then
    return review.side:draft()
  end
  return job.draft
end

--- Whether the user is typing in an answer.
---@param job botglue.Job
---@return boolean
local function is_typed_in(job)
  local review = review_of(job)
  return review ~= nil and review.side:is_typed_in()
end

--- Tells what was decided, and ends its review.
---@param job botglue.Job
---@param landing string
local function settle(job, landing)
  stands.landed(job, landing)
  job:decide(landing)
  local review = review_of(job)
  if review then
    review:decided()
  end
end

--- Writes what was decided, and tells of it.
---@param job botglue.Job
---@param landing string
---@param place botglue.Extent
---@param lines string[]
---@param edits botglue.Edit[]?
local function write(job, landing, place, lines, edits)
  if not edits or #edits > 0 then
    local trouble = land.write(job.range, place, lines, edits)
    if trouble then
      fail("job %d cannot be %s now: its buffer cannot be changed", job.id, landing)
    end
  end
  settle(job, landing)
end

---@class botglue.Change
---@field purpose "accept"|"revert"
---@field verb string for the user: accepted, reverted
---@field base string[] what the other side began with
---@field lines string[] what should stand there instead
---@field landed fun(state: string, edits: botglue.Edit[]): string the landing
---@field on_conflict fun(now: string[])
---@field is_done (fun(): boolean)? whether the user has done that meanwhile
---@field is_meant (fun(): boolean)? whether these lines are still what the user wants
---@field told (fun(lines: string[]): fun(job: botglue.Job)?)? what tells more than that these are written

--- Merges by lines and writes them, over again when the buffer changed meanwhile.
---@param job botglue.Job
---@param change botglue.Change
local function merge_lines(job, change)
  if change.is_done and change.is_done() then
    settle(job, change.landed("edited", {}))
    return
  end
  local _, _, now = look(job, change.verb, job.range)
  local current = job.range:lines_of(now)
  local texts = { base = change.base, current = current, answer = change.lines }
  merge.ask(job, change.purpose, texts, function(merged, tick)
    -- The merge took its time, and the user went on.
    errors.guard(at_safe_moment, job, moment.is_safe(job.range.bufnr), function()
      local place, state = look(job, change.verb, job.range)
      if tick ~= api.nvim_buf_get_changedtick(job.range.bufnr) then
        merge_lines(job, change)
      elseif merged.lost then
        fail("job %d cannot be %s: the host does not answer; see :Botglue log", job.id, change.verb)
      elseif is_typed_in(job) or (change.is_meant and not change.is_meant()) then
        fail(M.CHANGED)
      elseif not merged.clean then
        change.on_conflict(current)
      else
        local told = change.told and change.told(merged.lines)
        write(job, change.landed(state, merged.edits), place, merged.lines, merged.edits)
        if told then
          told(job)
        end
      end
    end)
  end)
end

--- Whether something is being decided of a job: the host was asked, or what it said waits for its moment.
---@param job botglue.Job
---@return boolean
function M.is_under_way(job)
  return job.deciding == true or client.connection().questions[job.id] ~= nil
end

--- Makes sure that a job can be decided: nothing is under way, and nobody types in its answer.
---@param job botglue.Job
function M.check(job)
  if is_typed_in(job) then
    fail("job %d is not decided while you type in its answer: go back to normal mode first", job.id)
  end
  if M.is_under_way(job) then
    fail("job %d is being decided already: wait a moment (a script: botglue.wait(%d, ms))", job.id, job.id)
  end
end

---@param id integer
---@return botglue.Job
local function job_of(id)
  local job = client.job(id)
  if not job then
    fail("there is no job %s", tostring(id))
  end
  M.check(job)
  return job --[[@as botglue.Job]]
end

---@param id integer
---@return botglue.Job
local function held_job(id)
  local job = job_of(id)
  if job.landing ~= "held" then
    fail("job %d is not held", id)
  end
  return job
end

--- The whole answer takes the place of what stands there, whatever it is: still as the smallest edit.
---@param job botglue.Job
---@param lines string[]
---@param current string[]
---@param is_meant (fun(): boolean)?
local function replace_lines(job, lines, current, is_meant)
  merge_lines(job, {
    purpose = "accept",
    verb = "accepted",
    base = current,
    lines = lines,
    landed = function(_, edits)
      return #edits == 0 and "unchanged" or "applied"
    end,
    on_conflict = function()
      fail(TYPED, job.id)
    end,
    is_meant = is_meant,
    told = function()
      return notify.replaced
    end,
  })
end

--- Merges a block, in which each row stands for itself.
---@param base string[]
---@param current string[]
---@param lines string[]
---@return string[]? merged nil where both changed a row
local function merge_by_row(base, current, lines)
  local merged = {}
  for i, line in ipairs(lines) do
    local is_kept = line == base[i] or line == current[i]
    if not is_kept and current[i] ~= base[i] then
      return nil
    end
    merged[i] = is_kept and current[i] or line
  end
  return merged
end

--- Writes an answer without the host: where nothing stands that it could be merged with by lines, and a block.
---@param job botglue.Job
---@param lines string[]
---@param current string[] what stood there when that was decided
---@param is_meant (fun(): boolean)?
local function write_at_once(job, lines, current, is_meant)
  local range = job.range
  at_safe_moment(job, moment.allows_command(range.bufnr), function()
    local place, state, now = look(job, "accepted", range)
    local same = vim.deep_equal(range:lines_of(now), current)
    local merged, is_overtaken = lines, false
    if range.shape == "block" then
      local base = reviewed.base(job, now.text)
      merged = merge_by_row(base, now.text, lines)
      is_overtaken = merged ~= nil and reviewed.is_overtaken(job, base, lines, merged)
    end
    if is_typed_in(job) or (is_meant and not is_meant()) then
      fail(M.CHANGED)
    elseif not same and (range.shape == "char" or not merged) then
      fail(TYPED, job.id)
    end
    local text = merged or lines
    if vim.deep_equal(text, now.text) then
      write(job, "unchanged", place, text, {})
    else
      write(
        job,
        merged and range.shape == "block" and state == "edited" and "merged" or "applied",
        place,
        text
      )
    end
    if not merged then
      notify.replaced(job)
    elseif is_overtaken then
      notify.overtaken(job)
    end
  end)
end

--- Writes an answer at the place of its job: merged with what stands there where that can be, else instead of it.
---@param job botglue.Job its place is known
---@param lines string[]? the answer as the user changed it in the review
---@param is_meant (fun(): boolean)? whether it is still as the user changed it
---@param is_alone boolean? whether what other answers put next to its lines stays next to them
function M.write(job, lines, is_meant, is_alone)
  local range = job.range
  lines = lines or M.lines(job)
  local unmet = not is_alone and range:meet(lines)
  local _, _, now = look(job, "accepted", range)
  client.connect(job.options)
  local current = range:lines_of(now)
  local base = reviewed.base(job, current)
  if range.shape == "block" and #lines ~= #current then
    fail("job %d cannot be accepted: it has %d lines, the block %d", job.id, #lines, #current)
  end
  local is_merged = range.shape == "line" or (range.shape == "char" and not vim.deep_equal(base, current))
  if not is_merged then
    write_at_once(job, lines, current, is_meant)
    return
  end
  merge_lines(job, {
    purpose = "accept",
    verb = "accepted",
    base = base,
    lines = lines,
    landed = function(at, edits)
      if range.landed then
        return "merged"
      end
      return #edits == 0 and "unchanged" or at == "edited" and "merged" or "applied"
    end,
    on_conflict = function(at_merge)
      if not vim.deep_equal(at_merge, current) then
        fail(TYPED, job.id)
      elseif unmet then
        -- Both are wanted, one next to the other.
        range:mark(unmet, "line")
        M.write(job, lines, is_meant, true)
        return
      end
      replace_lines(job, lines, current, is_meant)
    end,
    is_meant = is_meant,
    told = function(merged)
      return reviewed.is_overtaken(job, base, lines, merged) and notify.overtaken or nil
    end,
  })
end

--- The answer of a held job by lines, as the agent gave it.
---@param job botglue.Job
---@return string[]
function M.answer(job)
  local answer = job.answer
  local untidied = answer.held_for == "ambiguous" or answer.held_for == "raw"
  if untidied and #answer.lines == 0 then
    return vim.split(vim.trim(job.text or ""), "\n", { plain = true })
  end
  return answer.lines
end

--- The answer of a held job by lines, as the user left it in the review.
---@param job botglue.Job
---@return string[]
function M.lines(job)
  return job.draft and job.draft.lines or M.answer(job)
end

--- Accepts a held answer, as its review has it where that is open. Where its place is not known beyond doubt, or text
--- around it was changed there, the review opens instead, and nothing changes.
---@param id integer
function M.accept(id)
  local job = held_job(id)
  local why, review = job.held_for, review_of(job)
  if review then
    review:accept()
    return
  end
  local fits = job.range.kind ~= "block" or #M.lines(job) == #job.range.base.text
  if
    why == "range_lost"
    or why == "buffer_gone"
    or not fits
    or job.taken
    or job.stale
    or not job:recall()
  then
    require("botglue.ui.review").open(id)
    return
  elseif draft.has_more(job.draft) then
    if require("botglue.ui.review").open(id).side.known then
      fail(draft.AROUND)
    end
  end
  local accepted = job.draft
  M.write(job, nil, function()
    return vim.deep_equal(draft_of(job), accepted)
  end)
end

--- Ends a held answer all of which the user took by hand: nothing is left to write.
---@param job botglue.Job
function M.taken(job)
  client.connect(job.options)
  settle(job, "unchanged")
end

--- Rejects a held answer: the buffer stays as it is.
---@param id integer
function M.reject(id)
  local job = held_job(id)
  client.connect(job.options)
  settle(job, "rejected")
end

--- Whether what stood there before an answer stands there again: the user undid it.
---@param range botglue.Range that has landed
---@return boolean
local function is_undone(range)
  if recognise.undone(range) then
    return true
  end
  local place, state, now = range:look()
  if range:is_in() == false then
    -- It may stand there all the same: as the file had it that was read again, or put back by hand.
    local landed = range.landed
    local is_there = state == "untouched" and now and landed
    return not is_there or now.above ~= landed.above or now.below ~= landed.below
  end
  return place ~= nil and state == "edited" and vim.deep_equal(range:read(place), range.before)
end

--- Takes a landed answer back, also after later edits around it.
---@param id integer
function M.revert(id)
  local job = job_of(id)
  local range = job.range
  if job.landing ~= "applied" and job.landing ~= "merged" then
    fail("job %d has nothing to revert", id)
  end
  if job.lands then
    client.connect(job.options):notify("revert", { id = id })
    return
  end
  if job:load() then
    range:home()
  end
  client.connect(job.options)
  local function is_done()
    return is_undone(range)
  end
  if is_done() then
    settle(job, "reverted")
    return
  end
  look(job, "reverted", range)
  if range.shape == "line" then
    merge_lines(job, {
      is_done = is_done,
      purpose = "revert",
      verb = "reverted",
      base = range.landed.rows,
      lines = range.before.rows,
      landed = function()
        return "reverted"
      end,
      on_conflict = function()
        fail("job %d cannot be reverted: its lines were changed since", id)
      end,
    })
    return
  end
  at_safe_moment(job, moment.allows_command(range.bufnr), function()
    local place, state = look(job, "reverted", range)
    if state ~= "untouched" then
      fail("job %d cannot be reverted: its text was changed since", id)
    end
    write(job, "reverted", place, range.shape == "insert" and range.before.rows or range.before.text)
  end)
end

return M
