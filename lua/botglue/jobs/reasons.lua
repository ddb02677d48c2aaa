--- The words for what became of an answer: that it has landed, why it is held, why it is not accepted or taken back.

local M = {}

---@class botglue.Reason
---@field held string? why an answer is held
---@field fact string? why something cannot be done with it
---@field advice string? what to do, so that it can be accepted; with the job's number
---@field changed string? the fact where an answer is to be taken back

---@type table<string, botglue.Reason>
local REASONS = {
  review = { held = "its answer waits for review" },
  ambiguous = { held = "the answer has several code blocks" },
  raw = { held = "the agent printed this outside its protocol" },
  stale = { fact = "the text was changed meanwhile", advice = "accept it again" },
  conflict = {
    held = "you changed these lines meanwhile",
    fact = "it conflicts with what you changed",
    advice = "see :Botglue review %d, then accept it again",
    changed = "its lines were changed since",
  },
  range_lost = { fact = "its place is not known", advice = "select lines, then :Botglue accept %d" },
  buffer_gone = {
    held = "its buffer was closed",
    fact = "its buffer is gone",
    advice = "select lines elsewhere, then :Botglue accept %d",
  },
  not_modifiable = { held = "the buffer cannot be changed", fact = "its buffer cannot be changed" },
  block_rows = {
    held = "the answer has another number of lines",
    fact = "it has another number of lines than the block",
    advice = "see :Botglue edit %d",
  },
  too_large = {
    held = "the buffer is too large to be followed, and its text was changed",
    fact = "its buffer is too large to be followed",
    advice = "select lines, then :Botglue accept %d",
  },
}

local LANDED = { applied = "landed", merged = "landed, merged with your changes" }

--- What became of an answer that is not held.
---@param landing string
---@return string
function M.landed(landing)
  return LANDED[landing] or landing
end

---@param why string the host's reason; where it is none, it is the words themselves
---@return botglue.Reason
local function of(why)
  return REASONS[why] or { fact = why }
end

--- Why an answer is held.
---@param why string
---@return string
function M.held(why)
  return of(why).held or of(why).fact
end

--- Why something cannot be done with an answer.
---@param why string
---@return string
function M.fact(why)
  return of(why).fact or of(why).held
end

--- What to do, so that an answer can be accepted, and why.
---@param why string
---@param id integer the job's
---@return string
function M.advice(why, id)
  local advice = of(why).advice
  return (advice and advice:format(id) .. ": " or "") .. M.fact(why)
end

--- Why something that the user decided of a job is not done.
---@param id integer
---@param verb "accepted"|"rejected"|"reverted"
---@param why string
---@return string
function M.refusal(id, verb, why)
  local words = verb == "reverted" and (of(why).changed or M.fact(why)) or M.advice(why, id)
  return ("job %d cannot be %s: %s"):format(id, verb, words)
end

return M
