--- The words of the line below a range: from a job's state to highlighted chunks that fit. Draws nothing.

local signs_of = require("botglue.ui.signs").of
local text = require("botglue.text")

local M = {}

local LEAST_PROMPT = 16 -- cells, beside a failure
local LEAST_WORDS = 4
local width_of = vim.api.nvim_strwidth

local HELD = {
  review = "its answer waits for review",
  conflict = "you changed these lines meanwhile",
  range_lost = "these lines are gone",
  buffer_gone = "the buffer is gone",
  not_modifiable = "the buffer cannot be changed",
  ambiguous = "the answer has several code blocks",
  block_rows = "the answer has another number of lines",
  raw = "the agent printed this outside its protocol",
}

--- Why an answer is held, in words.
---@param reason string
---@return string
function M.held_reason(reason)
  return HELD[reason] or reason
end

--- How to see the answer of a held job.
---@param id integer
---@return string
function M.held_hint(id)
  return (":Botglue review %d"):format(id)
end

--- A duration as people read it: `7s`, `1m07s`.
---@param ms integer
---@return string
function M.duration(ms)
  local s = math.floor(ms / 1000)
  if s < 60 then
    return s .. "s"
  end
  return ("%dm%02ds"):format(math.floor(s / 60), s % 60)
end

--- What a job that has not ended is doing, or what went wrong in it.
---@param job botglue.Job
---@return string? words
---@return string? group
function M.activity(job, signs)
  local now = vim.uv.hrtime()
  if job.status == "queued" then
    return job.queue_position and ("queued, number %d"):format(job.queue_position) or nil
  elseif job.retry then
    local left = math.ceil((job.retry_at - now) / 1e9)
    local try = ("%s, try %d of %d"):format(job.retry.reason, job.retry.attempt, job.retry.max)
    return left > 0 and ("%s in %ds"):format(try, left) or try
  elseif job.failure and (not job.activity or now - job.failed_at < 3e9) then
    return signs.failed .. " " .. job.failure, "BotglueFailure"
  end
  return job.activity
end

local function fit(words, cells, signs)
  return text.fit(text.clean(words), math.max(cells, LEAST_WORDS), signs.cut)
end

---@param job botglue.Job
---@param room integer
local function held(job, room, signs)
  local words = ("%s held: %s"):format(signs.held, M.held_reason(job.held_for))
  local with_hint = words .. signs.between .. M.held_hint(job.id)
  return width_of(with_hint) <= room and with_hint or fit(words, room, signs)
end

--- The sign of a job that has not ended.
---@param job botglue.Job
---@param frame integer
---@return string
function M.sign(job, frame, signs)
  if job.status == "queued" then
    return signs.queued
  end
  return job.options.status.spinner and signs.spinner[frame % #signs.spinner + 1] or signs.still
end

---@param job botglue.Job
---@param frame integer
---@param room integer
---@return [string, string][]
local function working(job, frame, room, signs)
  local elapsed = signs.between .. M.duration(job:elapsed_ms())
  room = room - 2 - width_of(elapsed)
  local words, group = M.activity(job, signs)
  local share = math.floor(room * 0.6)
  if group then
    -- What went wrong is worth more than what was asked for.
    share = math.max(math.min(share, room - width_of(signs.between .. words)), LEAST_PROMPT)
  end
  local prompt = fit(job.prompt, share, signs)
  local chunks = { { M.sign(job, frame, signs) .. " ", "BotglueSpinner" }, { prompt, "BotgluePrompt" } }
  if words then
    local left = room - width_of(prompt .. signs.between)
    chunks[#chunks + 1] = { signs.between, "BotgluePrompt" }
    chunks[#chunks + 1] = { fit(words, left, signs), group or "BotglueActivity" }
  end
  chunks[#chunks + 1] = { elapsed, "BotgluePrompt" }
  return chunks
end

---@param job botglue.Job
---@param frame integer counts the ticks
---@param width integer columns that there are
---@return [string, string][] chunks
function M.chunks(job, frame, width)
  local signs = signs_of(job.options)
  local indent = (" "):rep(math.min(job.indent, math.floor(width / 2)))
  local room = width - #indent
  local chunks
  if job.status == "ready" then
    chunks = { { fit(signs.ready .. " ready: lands when you have finished", room, signs), "BotglueReady" } }
  elseif job.landing == "held" then
    chunks = { { held(job, room, signs), "BotglueHeld" } }
  else
    chunks = working(job, frame, room, signs)
  end
  table.insert(chunks, 1, { indent, "BotgluePrompt" })
  return chunks
end

---@param chunks [string, string][]
---@return string
function M.text(chunks)
  local parts = {}
  for i, chunk in ipairs(chunks) do
    parts[i] = chunk[1]
  end
  return table.concat(parts)
end

return M
