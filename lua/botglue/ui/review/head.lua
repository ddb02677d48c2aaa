--- The lines above hunks: the job with the keys, that a hunk conflicts, how many rows a tall one deletes.

local connection = require("botglue.host.connection")
local reasons = require("botglue.jobs.reasons")
local signs = require("botglue.util.signs")
local text = require("botglue.util.text")

local M = {}

local LEAST_PROMPT = 8 -- cells
local width_of = vim.api.nvim_strwidth

---@class botglue.Head what the line above the first hunk tells
---@field index integer which of the held answers it is
---@field count integer how many there are
---@field agent string
---@field prompt string
---@field hunks integer
---@field conflicts integer
---@field keys string the keys that are ours
---@field note string? why there are no hunks

---@param head botglue.Head
---@return string
function M.counts(head)
  if head.note then
    return head.note
  end
  local words = head.hunks == 1 and "1 hunk" or ("%d hunks"):format(head.hunks)
  return head.conflicts > 0 and ("%s, %d %s"):format(words, head.conflicts, signs.conflict) or words
end

--- The facts about the answer under review.
---@param job botglue.Job its proposal is known
---@param keys string the keys that are ours
---@return botglue.Head
function M.of(job, keys)
  local index, count, conflicts = 1, 0, 0
  for id in pairs(connection.held) do
    count = count + 1
    index = index + (id < job.id and 1 or 0)
  end
  local proposal = job.proposal
  for _, hunk in ipairs(proposal.hunks) do
    conflicts = conflicts + (hunk.conflict and 1 or 0)
  end
  local is_none = #proposal.hunks == 0
  return {
    index = index,
    count = count,
    agent = job.agent,
    prompt = job.prompt,
    hunks = #proposal.hunks,
    conflicts = conflicts,
    keys = is_none and (":Botglue %s %d"):format(proposal.why and "edit" or "accept", job.id) or keys,
    note = proposal.why and reasons.held(proposal.why),
  }
end

---@param parts [string, string][]
---@return integer cells
local function width_of_all(parts)
  local cells = -width_of(signs.between)
  for _, part in ipairs(parts) do
    cells = cells + width_of(part[1]) + width_of(signs.between)
  end
  return cells
end

--- The line above the first hunk. Where there is less room the prompt is cut and goes first, then the agent, the counts
--- and which answer it is; the keys stay.
---@param head botglue.Head
---@param room integer cells
---@return [string, string][] chunks
function M.line(head, room)
  local sign = { signs.held .. " ", "BotglueHeld" }
  room = room - width_of(sign[1])
  local index = head.count > 1 and { { ("%d of %d"):format(head.index, head.count), "BotglueLabel" } } or {}
  local agent = { head.agent, "BotglueLabel" }
  local counts = { M.counts(head), "BotglueLabel" }
  local keys = { head.keys, "BotglueKey" }
  local parts = { keys }
  for _, more in ipairs({ { keys }, { counts, keys }, { agent, counts, keys } }) do
    more = vim.list_extend(vim.list_slice(index), more)
    parts = width_of_all(more) <= room and more or parts
  end
  local left = room - width_of_all(parts) - width_of(signs.between)
  if vim.list_contains(parts, agent) and left >= LEAST_PROMPT then
    local prompt = text.fit(text.clean(head.prompt), left, signs.cut)
    table.insert(parts, #parts - 1, { prompt, "BotgluePrompt" })
  end
  local chunks = { sign }
  for i, part in ipairs(parts) do
    local words = (i > 1 and signs.between or "") .. part[1]
    chunks[#chunks + 1] = { text.fit(words, room, signs.cut), part[2] }
  end
  return chunks
end

---@param go integer
---@param come integer
local function rows(go, come)
  return ("%d %s, %d %s"):format(
    go,
    go == 1 and "row goes" or "rows go",
    come,
    come == 1 and "comes" or "come"
  )
end

--- The label of a hunk: that it conflicts, and how many rows it deletes, if the window does not show them all.
---@param hunk botglue.Hunk
---@param most integer how many rows can be seen at once
---@param room integer cells
---@return [string, string][][] lines
function M.labels(hunk, most, room)
  local lines = {}
  if hunk.conflict then
    local words = ("%s %s"):format(signs.conflict, hunk.label or "conflict")
    lines[1] = { { text.fit(text.clean(words), room, signs.cut), "BotglueHeld" } }
  end
  if hunk.count > most then
    lines[#lines + 1] = { { text.fit(rows(hunk.count, #hunk.lines), room, signs.cut), "BotglueLabel" } }
  end
  return lines
end

--- The line that stays of a dropped hunk.
---@param hunk botglue.DroppedHunk
---@param room integer cells
---@return [string, string][] chunks
function M.dropped(hunk, room)
  local words = ("dropped: %s%sdp again"):format(rows(hunk.count, hunk.come), signs.between)
  return { { text.fit(words, room, signs.cut), "BotglueLabel" } }
end

return M
