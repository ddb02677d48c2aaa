--- Process ids: whether one still names the same process, because the system reuses them.

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

---@param path string
---@return string
local function read(path)
  local file = io.open(path)
  local text = file and file:read("*a") or ""
  if file then
    file:close()
  end
  return vim.trim(text)
end

--- Whether a process may run that the host has named `PID:START:MACHINE:BOOT:NAMESPACE`.
---@param name string
---@return boolean
function M.is_alive(name)
  local pid, start, machine, boot, namespace = unpack(vim.split(name, ":", { plain = true }))
  local here, proc = read("/etc/machine-id"), vim.uv.fs_stat("/proc/self/ns/pid")
  if machine ~= (here ~= "" and here or read("/proc/sys/kernel/hostname")) then
    return namespace ~= nil
  elseif boot ~= read("/proc/sys/kernel/random/boot_id") then
    return false
  end
  return namespace ~= (proc and tostring(proc.ino) or "")
    or start ~= "" and M.started(pid) == start
    or start == "" and vim.uv.kill(tonumber(pid) or 0, 0) == 0
end

return M
