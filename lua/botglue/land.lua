--- From an answer to the buffer: lands it at a safe moment, or holds it and says why. Nothing is guessed: what cannot
--- land as it was meant is held, with the buffer as it was.

local client = require("botglue.client")
local moment = require("botglue.moment")
local write = require("botglue.write")

local M = {}

local api = vim.api

---@param job botglue.Job
---@return boolean
local function is_unchanged(job)
  local answer, range = job.answer, job.range
  if range.kind == "insert" then
    return #answer.lines == 0
  elseif range.kind == "line" and answer.edits then
    return #answer.edits == 0
  end
  return vim.deep_equal(answer.lines, range.base.text)
end

---@param job botglue.Job
---@param place botglue.Extent
---@return botglue.Extent
local function apply(job, place)
  local answer, range = job.answer, job.range
  if range.kind == "line" then
    local whole = { first = 0, last = place.last - place.first + 1, lines = answer.lines }
    local edits = answer.edits or { whole }
    return write.rows(range.bufnr, place, edits)
  elseif range.kind == "char" then
    return write.chars(range.bufnr, place, answer.lines)
  elseif range.kind == "block" then
    return write.block(range.bufnr, place, answer.lines, range.column)
  end
  return write.insert(range.bufnr, place, answer.lines)
end

--- Tries once. The check of the text and the write are one call: nothing comes between them.
---@param job botglue.Job
---@return "applied"|"unchanged"|"held"|"later" landing
---@return string? held_for
local function attempt(job)
  local range = job.range
  local bufnr = range.bufnr
  if not api.nvim_buf_is_loaded(bufnr) then
    return "held", "buffer_gone"
  elseif job.answer.held_for then
    return "held", job.answer.held_for
  elseif not moment.is_safe(bufnr) then
    return "later"
  end
  local place, reason = range:untouched()
  if not place then
    return "held", reason
  elseif range.kind == "block" and #job.answer.lines ~= #range.base.text then
    return "held", "block_rows"
  elseif is_unchanged(job) then
    return "unchanged"
  elseif not vim.bo[bufnr].modifiable then
    return "held", "not_modifiable"
  end
  local ok, landed = pcall(write.as_one_step, bufnr, function()
    return apply(job, place)
  end)
  if ok then
    range:mark(landed, range.kind == "insert" and "line" or range.kind)
    return "applied"
  elseif tostring(landed):find("E565", 1, true) then
    return "later"
  end
  return "held", "not_modifiable"
end

--- Lands the answer of a job now, or at the first safe moment.
---@param job botglue.Job
function M.deliver(job)
  if job.status == "done" then
    return
  end
  local landing, held_for = attempt(job)
  if landing == "later" then
    job:wait_ready(function()
      M.deliver(job)
    end)
    return
  end
  job:land(landing, held_for)
  client.landed(job)
end

return M
