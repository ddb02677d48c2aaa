--- From an answer to the buffer: lands it at a safe moment, merges it with what the user did meanwhile, or holds it and
--- says why. Nothing is guessed: what cannot land as it was meant is held, with the buffer as it was.

local client = require("botglue.client")
local merge = require("botglue.merge")
local moment = require("botglue.moment")
local stands = require("botglue.stands")
local undo_tree = require("botglue.undo_tree")
local write = require("botglue.write")

local M = {}

local api = vim.api

---@class botglue.Verdict
---@field landing string? a landing, "later", or "asked" while a merge decides
---@field held_for string?

--- Writes the lines of an answer at a place, each kind in its own way.
---@param range botglue.Range
---@param place botglue.Extent
---@param lines string[]
---@param edits botglue.Edit[]? for whole rows: what differs from what stands there
---@return botglue.Extent place
---@return string shape what stands there afterwards
local function put(range, place, lines, edits)
  local bufnr, shape = range.bufnr, range.shape
  if shape == "char" then
    return write.chars(bufnr, place, lines), "char"
  elseif shape == "block" then
    return write.block(bufnr, place, lines, range.column), "block"
  elseif shape == "insert" then
    return write.insert(bufnr, place, lines), "line"
  end
  edits = edits or { { first = 0, last = place.last - place.first + 1, lines = lines } }
  local landed = write.rows(bufnr, place, edits)
  return landed, landed.empty and "insert" or "line"
end

--- The other ranges of lines in a buffer, and which of them are at a place.
---@param range botglue.Range
---@param place botglue.Extent
---@return table<botglue.Range, boolean>
local function others_at(range, place)
  local others = {}
  for _, job in pairs(client.connection().jobs) do
    local other = job.range
    if other ~= range and other.bufnr == range.bufnr and other.edges then
      local at = other:place()
      others[other] = at ~= nil
        and at.first == place.first
        and at.last == place.last
        and range.shape == "line"
    end
  end
  return others
end

--- Tells the ranges next to an answer what that brought.
---@param others table<botglue.Range, boolean> whether they were where it was written
---@param range botglue.Range
---@param before botglue.Base
---@param is_back boolean whether it was taken back
local function tell_others(others, range, before, is_back)
  local landed = range.written
  for other, is_met in pairs(others) do
    local place = other:place()
    if place and landed.first <= place.last + 1 and landed.last + 1 >= place.first then
      other.edges:note_answer(range, before.rows, is_met)
      other.arrivals[is_back and "restore" or "disown"](other.arrivals, landed.first, landed.last + 1)
    end
  end
end

--- Writes as one undo step, and follows the text from there.
---@param range botglue.Range
---@param place botglue.Extent
---@param lines string[]
---@param edits botglue.Edit[]?
---@return nil|"later"|"not_modifiable" trouble
function M.write(range, place, lines, edits)
  if not vim.bo[range.bufnr].modifiable then
    return "not_modifiable"
  end
  local before, others, shape = range:read(place), others_at(range, place), nil
  local sent = range.landed and range.before
  local ok, landed = pcall(write.as_one_step, range.bufnr, function()
    local at
    at, shape = put(range, place, lines, edits)
    return at
  end)
  if ok then
    range:settle(landed, shape, before, undo_tree.state(range.bufnr))
    tell_others(others, range, before, sent ~= nil and vim.deep_equal(sent.rows, range.landed.rows))
    local review = client.connection().review
    if review and review.follow and review.job.range ~= range then
      pcall(review.follow) -- it follows again in the next tick, and tells of an error then
    end
    return nil
  end
  return tostring(landed):find("E565", 1, true) and "later" or "not_modifiable"
end

--- Whether an answer is what stands there already.
---@param job botglue.Job
---@param now botglue.Base
---@return boolean
local function is_unchanged(job, now)
  local answer = job.answer
  if job.range.shape == "line" and answer.edits then
    -- A buffer keeps one empty row: nothing is left of it that could be deleted.
    local is_empty = not now.above and not now.below and #now.rows == 1 and now.rows[1] == ""
    return #answer.edits == 0 or (is_empty and #answer.lines == 0)
  end
  return vim.deep_equal(answer.lines, now.text)
end

---@param job botglue.Job
---@param place botglue.Extent
---@param landing "applied"|"merged"
---@param lines string[]
---@param edits botglue.Edit[]?
---@return botglue.Verdict
local function land(job, place, landing, lines, edits)
  local trouble = M.write(job.range, place, lines, edits)
  if trouble == "later" then
    return { landing = "later" }
  end
  return { landing = trouble and "held" or landing, held_for = trouble }
end

---@param job botglue.Job
---@param now string[] the rows as they are
---@return botglue.Verdict
local function ask(job, now)
  local texts = { base = job.range.base.rows, current = now, answer = job.answer.lines }
  merge.ask(job, "land", texts, function(merged, tick)
    M.deliver(job, { clean = merged.clean, lines = merged.lines, edits = merged.edits, tick = tick })
  end)
  return { landing = "asked" }
end

--- Tries once. The check of the text and the write are one call: nothing comes between them.
---@param job botglue.Job
---@param merged { clean: boolean, lines: string[]?, edits: botglue.Edit[]?, tick: integer }?
---@return botglue.Verdict
local function attempt(job, merged)
  local range, answer = job.range, job.answer
  local bufnr = range.bufnr
  if not api.nvim_buf_is_loaded(bufnr) then
    return { landing = "held", held_for = "buffer_gone" }
  elseif answer.held_for then
    return { landing = "held", held_for = answer.held_for }
  elseif not moment.is_safe(bufnr) then
    return { landing = "later" }
  end
  range:meet(answer.lines)
  local place, state, now = range:look()
  if not place then
    return { landing = "held", held_for = state }
  elseif range.kind == "block" and #answer.lines ~= #range.base.text then
    return { landing = "held", held_for = "block_rows" }
  elseif state == "untouched" then
    if is_unchanged(job, now) then
      return { landing = "unchanged" }
    end
    return land(job, place, "applied", answer.lines, answer.edits)
  elseif range.shape ~= "line" then
    return { landing = "held", held_for = "conflict" }
  elseif not merged or merged.tick ~= api.nvim_buf_get_changedtick(bufnr) then
    return ask(job, now.rows)
  elseif not merged.clean then
    return { landing = "held", held_for = "conflict" }
  elseif #merged.edits == 0 then
    return { landing = "unchanged" }
  end
  return land(job, place, "merged", merged.lines, merged.edits)
end

--- Lands the answer of a job now, or at the first safe moment.
---@param job botglue.Job
---@param merged table? what came of a merge
function M.deliver(job, merged)
  if job.status == "done" or job.keeping or client.connection().questions[job.id] then
    return
  end
  local ok, verdict = pcall(attempt, job, merged)
  if not ok then
    -- An answer is held, whatever went wrong.
    require("botglue.notify").note(tostring(verdict))
    verdict = { landing = "held", held_for = "range_lost" }
  end
  if verdict.landing == "later" then
    job:wait_ready(function()
      M.deliver(job)
    end)
  elseif verdict.landing == "held" then
    job:keep(verdict.held_for, client.connection().kept_within)
    stands.landed(job, "held", verdict.held_for)
  elseif verdict.landing ~= "asked" then
    stands.landed(job, verdict.landing)
    job:land(verdict.landing)
  end
end

return M
