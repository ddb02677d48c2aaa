--- Numbers as people read them: money, tokens, time. What is not known is a dash, never a nought.

local M = {}

--- `$0.31`; what is less than a cent is said to be so.
---@param usd number?
---@param unknown string
---@return string
function M.money(usd, unknown)
  if not usd then
    return unknown
  elseif usd > 0 and usd < 0.01 then
    return "<$0.01"
  end
  return ("$%.2f"):format(usd)
end

--- `840`, `6.2k`, `41k`, `2M`.
---@param count integer?
---@param unknown string
---@return string
function M.tokens(count, unknown)
  if not count then
    return unknown
  elseif count < 1000 then
    return tostring(count)
  end
  local value, unit = count / 1e3, "k"
  for _, larger in ipairs({ "M", "G", "T" }) do
    if value >= 999.5 then
      value, unit = value / 1e3, larger
    end
  end
  local short = value < 9.95 and ("%.1f"):format(value):gsub("%.0$", "") or ("%.0f"):format(value)
  return short .. unit
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
