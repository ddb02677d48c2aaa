--- The line below the range of a job that has ended: its prompt and its outcome. Draws nothing.

local amounts = require("botglue.util.amounts")
local reasons = require("botglue.jobs.reasons")
local signs = require("botglue.util.signs")
local text = require("botglue.util.text")

local M = {}

local LEAST_PROMPT = 16 -- cells
local LEAST_WORDS = 32 -- cells; where they have less, the prompt is left out
local width_of = vim.api.nvim_strwidth

---@class botglue.OutcomeWords
---@field sign string
---@field group string
---@field words string
---@field rest string? left out first where there is no room

---@param job botglue.Job
---@return botglue.OutcomeWords
local function words_of(job)
  local words = reasons.ended(job)
  if job.landing == "held" then
    return { sign = signs.held, group = "BotglueHeld", words = words, rest = reasons.held_hint(job.id) }
  elseif job.status == "failed" then
    return { sign = signs.failed, group = "BotglueFailure", words = words }
  end
  local rest = amounts.duration(job:elapsed_ms())
  if (job.cost_usd or 0) > 0 then
    rest = rest .. " " .. amounts.money(job.cost_usd)
  end
  if job.landing == "unchanged" then
    return { sign = signs.unchanged, group = "BotglueActivity", words = words, rest = rest }
  end
  return { sign = signs.landed, group = "BotglueLanded", words = words, rest = rest }
end

--- The outcome of a job, within this many cells.
---@param job botglue.Job
---@param room integer
---@return [string, string][]
function M.chunks(job, room)
  local said = words_of(job)
  local words, lead = text.clean(said.words), said.sign .. " "
  local rest = said.rest and signs.between .. said.rest or ""
  local prompt = text.clean(job.prompt)
  local least = math.min(LEAST_PROMPT, width_of(prompt))
  local between = signs.between
  local left = room - width_of(lead .. between .. words .. rest)
  if left < least then
    left, rest = left + width_of(rest), ""
  end
  if left < least and width_of(words) + left - least >= LEAST_WORDS then
    words, left = text.fit(words, width_of(words) + left - least, signs.cut), least
  end
  if left >= least then
    return {
      { lead, said.group },
      { text.fit(prompt, left, signs.cut) .. between, "BotgluePrompt" },
      { words .. rest, said.group },
    }
  end
  return { { text.fit(lead .. words, math.max(room, 0), signs.cut), said.group } }
end

--- The chunks that replace lines for which there is no room.
---@param count integer
---@return [string, string][]
function M.more(count)
  return { { ("%d more"):format(count), "BotgluePrompt" } }
end

return M
