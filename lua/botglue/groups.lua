--- Ends the process groups of agents whose host is no more.

local M = {}

local GRACE = 1000 -- milliseconds between TERM and KILL

---@param groups table<any, integer>
---@param signal "sigterm"|"sigkill"
local function signal_all(groups, signal)
  for _, pgid in pairs(groups) do
    -- 0 and 1 would reach ourselves or everybody.
    if type(pgid) == "number" and pgid > 1 then
      vim.uv.kill(-pgid, signal)
    end
  end
end

--- TERM now, KILL after a grace to whatever is left.
---@param groups table<any, integer>
function M.stop(groups)
  if next(groups) == nil then
    return
  end
  signal_all(groups, "sigterm")
  vim.defer_fn(function()
    signal_all(groups, "sigkill")
  end, GRACE)
end

return M
