--- Processes by their number, and whether one is still the one that it was: numbers are used again.

local M = {}

--- When a process started, in the kernel's ticks since boot: nil where it has been reaped, and elsewhere than on Linux.
---@param pid integer|string
---@return string?
function M.started(pid)
  local file = io.open(("/proc/%s/stat"):format(pid))
  if not file then
    return nil
  end
  local stat = file:read("*a") or ""
  file:close()
  -- The second field, the command in parentheses, may hold anything. This is the 22nd.
  return vim.split(stat:match("^.*%) (.*)$") or "", " ", { plain = true })[20]
end

--- Whether a process runs that the host has named `PID:START`.
---@param name string
---@return boolean
function M.is_alive(name)
  local pid, start = name:match("^(%d+):(.*)$")
  if not pid then
    return false
  elseif start ~= "" then
    return M.started(pid) == start
  end
  return vim.uv.kill(tonumber(pid), 0) == 0
end

return M
