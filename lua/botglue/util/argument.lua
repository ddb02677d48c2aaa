--- The rule for text from outside that becomes an argument of an agent: an id from the store, the name of a model or of
--- a tool. The host has the same rule, and the last word.

local M = {}

--- The rule in words, for messages.
M.EXPECTED = "one word that does not begin with -"

--- Whether an agent takes it for one argument, and never for an option.
---@param text any
---@return boolean
function M.is_word(text)
  return type(text) == "string" and text ~= "" and not text:find("^%-") and not text:find("[%s%c]")
end

return M
