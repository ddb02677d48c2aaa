--- Knows whether a paste is under way that comes piece by piece, as a long one does from a terminal: Neovim joins each
--- piece to the undo step of the one before it, and whatever is written between two of them as well.

local M = {}

local PAUSE = 5000 -- milliseconds to the next piece at most: a terminal that is gone ends nothing

---@class botglue.Paste
---@field at integer? when the last piece came, while there are more to come

--- Watches for pastes from now on: `vim.paste` is where all of them come through.
---@return botglue.Paste
function M.watch()
  local state, paste = {}, vim.paste ---@type botglue.Paste, fun(lines: string[], phase: integer): boolean
  vim.paste = function(lines, phase)
    state.at = nil -- should it fail
    local goes_on = paste(lines, phase)
    state.at = goes_on and (phase == 1 or phase == 2) and vim.uv.now() or nil
    return goes_on
  end
  return state
end

---@param state botglue.Paste?
---@return boolean
function M.is_under_way(state)
  return state ~= nil and state.at ~= nil and vim.uv.now() - state.at < PAUSE
end

return M
