--- Asks programs for their versions, all at once, with a time limit that a working CLI meets.

local program = require("botglue.util.program")

local M = {}

local WITHIN = 2000 -- milliseconds for all of them

---@class botglue.VersionRun
---@field out string
---@field err string
---@field pid integer?
---@field code integer? once it has ended
---@field failure string? why it did not start

---@class botglue.Program
---@field path string
---@field search string? its PATH

---@class botglue.ProgramVersion
---@field said string? the first line that it prints
---@field err string? why it does not tell

---@param one botglue.Program
---@return botglue.VersionRun
local function start(one)
  local run = { out = "", err = "" }
  local function collect(field)
    return function(_, data)
      run[field] = run[field] .. (data or "")
    end
  end
  local settings = {
    text = true,
    -- In a group of its own, which can be ended as a whole.
    detach = true,
    env = { PATH = program.search_path(one.search) },
    stdout = collect("out"),
    stderr = collect("err"),
  }
  local ok, process = pcall(vim.system, { one.path, "--version" }, settings, function(result)
    run.code = result.code
  end)
  if ok then
    run.pid = process.pid
  else
    run.failure = tostring(process)
  end
  return run
end

---@param said string
---@return string? line
local function first_line(said)
  local line = vim.split(vim.trim(said), "\n")[1]
  return line ~= "" and line or nil
end

---@param run botglue.VersionRun
---@return botglue.ProgramVersion
local function version_of(run)
  if run.failure then
    return { err = run.failure }
  elseif run.code == 0 or run.code == nil and first_line(run.out) then
    return { said = first_line(run.out) or "no version" }
  elseif run.code == nil then
    return { err = ("no answer within %d s"):format(WITHIN / 1000) }
  end
  local said = first_line(run.err .. run.out)
  return { err = ("exit code %d%s"):format(run.code, said and ", " .. said or "") }
end

--- The versions of programs, in the same order.
---@param programs botglue.Program[]
---@return botglue.ProgramVersion[]
function M.ask(programs)
  local runs = vim.tbl_map(start, programs)
  vim.wait(WITHIN, function()
    return vim.iter(runs):all(function(run)
      return run.code ~= nil or run.failure ~= nil
    end)
  end, 5)
  for _, run in ipairs(runs) do
    if run.pid and run.code == nil then
      vim.uv.kill(-run.pid, "sigkill")
    end
  end
  return vim.tbl_map(version_of, runs)
end

return M
