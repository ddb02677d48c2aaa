--- Makes the line below a range: from a job's state to highlighted chunks that fit. Draws nothing.

local amounts = require("botglue.util.amounts")
local connection = require("botglue.host.connection")
local signs = require("botglue.util.signs")
local text = require("botglue.util.text")

local M = {}

local LEAST_PROMPT = 16 -- cells, beside a failure or an outcome
local LEAST_WORDS = 4
local LEAST_OUTCOME = 32 -- cells; where it has less, the prompt is left out
local NARROW = 24 -- cells in which there is room for one thing alone
local TIGHT = 48 -- cells in which there may be room for what went wrong alone
local MOST_INDENT = 24
local width_of = vim.api.nvim_strwidth

--- The activity of a job that has not ended, or its last failure.
---@param job botglue.Job
---@return string? words
---@return string? group
function M.activity(job)
  local now, words = vim.uv.hrtime(), connection.words.states
  if job.status == "queued" then
    -- How many jobs start before it, itself included.
    return job.turn and words.queued:format(job.turn - connection.started_turn) or nil
  elseif job.retry then
    local left = math.ceil((job.retry_at - now) / 1e9)
    local try = words.retry:format(job.retry.reason, job.retry.attempt, job.retry.max)
    return left > 0 and words.retry_in:format(try, left) or try
  elseif job.failure and (not job.activity or now - job.failed_at < 3e9) then
    return signs.failed .. " " .. job.failure, "BotglueFailure"
  end
  return job.activity
end

local function fit(words, cells)
  return text.fit(text.clean(words), math.max(cells, 0), signs.cut)
end

--- The sign of a job that has not ended.
---@param job botglue.Job
---@param frame integer
---@return string
local function sign_of(job, frame)
  if job.status == "queued" then
    return signs.queued
  end
  return signs.spinner[frame % #signs.spinner + 1]
end

---@param job botglue.Job
---@param frame integer
---@param room integer
---@return [string, string][]
local function working(job, frame, room)
  local elapsed = signs.between .. amounts.duration(job:elapsed_ms())
  room = room - 2 - width_of(elapsed)
  local words, group = M.activity(job)
  local spinner = { sign_of(job, frame) .. " ", "BotglueSpinner" }
  -- What went wrong is worth more than what was asked for.
  local is_urgent = group ~= nil or (words ~= nil and job.retry ~= nil)
  local is_tight = is_urgent and room < TIGHT and width_of(signs.between .. words) + LEAST_PROMPT > room
  if room < NARROW or is_tight then
    return {
      spinner,
      { fit(words or job.prompt, room), words and (group or "BotglueActivity") or "BotgluePrompt" },
      { elapsed, "BotgluePrompt" },
    }
  end
  local share = math.floor(room * 0.6)
  if is_urgent then
    share = math.max(math.min(share, room - width_of(signs.between .. words)), LEAST_PROMPT)
  end
  local prompt = fit(job.prompt, share)
  local chunks = { spinner, { prompt, "BotgluePrompt" } }
  local left = words and room - width_of(prompt .. signs.between) or 0
  if left >= LEAST_WORDS then
    chunks[#chunks + 1] = { signs.between, "BotgluePrompt" }
    chunks[#chunks + 1] = { fit(words, left), group or "BotglueActivity" }
  end
  chunks[#chunks + 1] = { elapsed, "BotgluePrompt" }
  return chunks
end

--- How the outcome of a job looks, and what is said behind it where there is room.
---@param job botglue.Job
---@return string sign
---@return string group
---@return string? rest
local function look(job)
  if job.landing == "held" then
    return signs.held, "BotglueHeld", (":Botglue review %d"):format(job.id)
  elseif job.status == "failed" then
    return signs.failed, "BotglueFailure"
  end
  local rest = amounts.duration(job:elapsed_ms())
  if (job.cost_usd or 0) > 0 then
    rest = rest .. " " .. amounts.money(job.cost_usd)
  end
  local is_same = job.landing == "unchanged"
  return is_same and signs.unchanged or signs.landed, is_same and "BotglueActivity" or "BotglueLanded", rest
end

--- The prompt and the outcome of a job.
---@param job botglue.Job
---@param room integer
---@return [string, string][]
local function ended(job, room)
  local sign, group, rest = look(job)
  local words, lead, prompt = text.clean(job.said), sign .. " ", text.clean(job.prompt)
  rest = rest and signs.between .. rest or ""
  local least = math.min(LEAST_PROMPT, width_of(prompt))
  local left = room - width_of(lead .. signs.between .. words .. rest)
  if left < least then
    left, rest = left + width_of(rest), ""
  end
  if left < least and width_of(words) + left - least >= LEAST_OUTCOME then
    words, left = fit(words, width_of(words) + left - least), least
  end
  if left < least then
    return { { fit(lead .. words, room), group } }
  end
  return { { lead, group }, { fit(prompt, left) .. signs.between, "BotgluePrompt" }, { words .. rest, group } }
end

--- The state of a job where there is this much room.
---@param job botglue.Job
---@param frame integer counts the ticks
---@param room integer
---@return [string, string][] chunks
function M.state(job, frame, room)
  if job.status == "ready" then
    local words = signs.ready .. " " .. connection.words.states.ready
    return { { fit(words, room), "BotglueReady" } }
  elseif not job:is_open() then
    return ended(job, room)
  end
  return working(job, frame, room)
end

--- The column of the line: below the text of the range, if that leaves room.
---@param job botglue.Job
---@param width integer
---@return string
local function indent_of(job, width)
  return (" "):rep(math.min(job.indent, math.floor(width / (width < 40 and 5 or 2)), MOST_INDENT))
end

--- The same below the text of the range.
---@param job botglue.Job
---@param frame integer
---@param width integer columns that there are
---@return [string, string][] chunks
function M.chunks(job, frame, width)
  local indent = indent_of(job, width)
  local chunks = M.state(job, frame, width - #indent)
  table.insert(chunks, 1, { indent, "BotgluePrompt" })
  return chunks
end

--- All rows below a range: the state, and the newest lines of code.
---@param job botglue.Job
---@param frame integer
---@param width integer
---@return [string, string][][]
function M.rows(job, frame, width)
  local rows = { M.chunks(job, frame, width) }
  local newest = job.preview or {}
  local indent, tabstop = indent_of(job, width), vim.bo[job.range.bufnr].tabstop
  for i = math.max(#newest - job.options.status.preview, 0) + 1, #newest do
    local words = text.fit(text.expand(newest[i], tabstop), width - #indent - 2, signs.cut)
    local row = indent .. signs.bar .. (words ~= "" and " " .. words or "")
    rows[#rows + 1] = { { row, "BotgluePreview" } }
  end
  return rows
end

return M
