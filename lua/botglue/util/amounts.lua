--- Money and time where they change too often to ask the host, or the caller may not wait for it: the lines at a
--- range and the status line. As in `src/view/amounts`.

local M = {}

--- `$0.31`; an amount below a cent says so.
---@param usd number
---@return string
function M.money(usd)
  return usd > 0 and usd < 0.01 and "<$0.01" or ("$%.2f"):format(usd)
end

--- `7s`, `3m12s`, `2h05m`, `3d04h`.
---@param ms integer
---@return string
function M.duration(ms)
  local s = math.floor(ms / 1000)
  for _, unit in ipairs({ { 86400, 3600, "%dd%02dh" }, { 3600, 60, "%dh%02dm" }, { 60, 1, "%dm%02ds" } }) do
    if s >= unit[1] then
      return unit[3]:format(math.floor(s / unit[1]), math.floor(s % unit[1] / unit[2]))
    end
  end
  return s .. "s"
end

return M
