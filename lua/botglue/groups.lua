--- Ends the process groups of agents whose host is no more.

local M = {}

local GRACE = 1000 -- milliseconds between TERM and KILL

---@param groups table<any, integer>
---@param signal "sigterm"|"sigkill"
local function signal_all(groups, signal)
  for _, pgid in pairs(groups) do
    -- 0 and 1 would reach ourselves, or everybody.
    if type(pgid) == "number" and pgid > 1 then
      vim.uv.kill(-pgid, signal)
    end
  end
end

--- TERM now, and KILL after a grace to whatever is left.
---@param groups table<any, integer>
---@return fun()? kill sends KILL at once; nil when there is nothing to end
function M.stop(groups)
  if next(groups) == nil then
    return nil
  end
  signal_all(groups, "sigterm")
  local killed = false
  local function kill()
    if not killed then
      killed = true
      signal_all(groups, "sigkill")
    end
  end
  vim.defer_fn(kill, GRACE)
  return kill
end

return M
