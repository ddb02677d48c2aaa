--- Why something cannot be done with an answer. The host sends the words with its greeting.

local connection = require("botglue.host.connection")

local M = {}

--- The words for a reason; an unknown one is taken as the words themselves.
---@param why string
---@return botglue.Reason
local function of(why)
  return connection.words.reasons[why] or { held = why, fact = why }
end

--- Why an answer is held.
---@param why string
---@return string
function M.held(why)
  return of(why).held
end

--- The action that makes accepting possible, and the reason.
---@param why string
---@param id integer the job's
---@return string
function M.advice(why, id)
  local advice = of(why).advice
  return (advice and advice:format(id) .. ": " or "") .. of(why).fact
end

return M
