--- The words below the range of a job that has ended: what became of it, named by its prompt. Draws nothing.

local amounts = require("botglue.util.amounts")
local reasons = require("botglue.jobs.reasons")
local text = require("botglue.util.text")

local M = {}

local LEAST_PROMPT = 16 -- cells
local LEAST_WORDS = 32 -- cells; where they have less, the prompt is left out
local width_of = vim.api.nvim_strwidth

--- How to see the answer of a held job.
---@param id integer
---@return string
function M.held_hint(id)
  return (":Botglue review %d"):format(id)
end

---@class botglue.OutcomeWords
---@field sign string
---@field group string
---@field words string
---@field rest string? left out first where there is no room

---@param job botglue.Job
---@param signs table
---@return botglue.OutcomeWords
local function words_of(job, signs)
  if job.landing == "held" then
    local words = "held: " .. reasons.held(job.held_for)
    return { sign = signs.held, group = "BotglueHeld", words = words, rest = M.held_hint(job.id) }
  elseif job.status == "failed" then
    return { sign = signs.failed, group = "BotglueFailure", words = job.error.message }
  end
  local rest = amounts.duration(job:elapsed_ms())
  if (job.cost_usd or 0) > 0 then
    rest = rest .. " " .. amounts.money(job.cost_usd, "")
  end
  if job.landing == "unchanged" then
    local words = "unchanged: the answer equals the text"
    return { sign = signs.unchanged, group = "BotglueActivity", words = words, rest = rest }
  end
  return { sign = signs.landed, group = "BotglueLanded", words = reasons.landed(job.landing), rest = rest }
end

--- What became of a job, where there is this much room.
---@param job botglue.Job
---@param room integer
---@param signs table
---@return [string, string][]
function M.chunks(job, room, signs)
  local said = words_of(job, signs)
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

--- What stands for lines for which there is no place.
---@param count integer
---@return [string, string][]
function M.more(count)
  return { { ("%d more"):format(count), "BotgluePrompt" } }
end

return M
