--- One process of the host: starts it, waits for its greeting, queues what is sent before that, and reports its end
--- once, whatever the cause. It knows nothing of jobs, and its only state is the process that it returns.

local deadline = require("botglue.util.deadline")
local program = require("botglue.util.program")
local version = require("botglue.version")

local M = {}

---@class botglue.Process
---@field channel integer
---@field path string
---@field ready boolean
---@field greeted boolean? whether it was ready once
---@field outbox { method: string, argument: table }[] what waits until it is ready
---@field deadline uv.uv_timer_t
---@field options botglue.Options? those that it was told last
---@field stderr string the end of what it printed
---@field gone fun(err: botglue.JobError)? called once; nil afterwards
---@field failed botglue.JobError? why it is gone
local Process = {}
Process.__index = Process

---@alias botglue.JobError { code: string, message: string }

--- The advice if the host is missing or has another version.
M.INSTALL = "run `make install` in the plugin's directory"

---@param code string
---@param format string
---@return botglue.JobError
local function failure(code, format, ...)
  return { code = code, message = format:format(...) }
end

--- The path of the host's binary: the option's, else the plugin's own build, else the one in PATH.
---@param options botglue.Options
---@return string? path
---@return string looked where it was looked for
function M.binary(options)
  if options.host then
    local given = vim.fs.normalize(options.host)
    return program.find(given), given
  end
  local here = debug.getinfo(1, "S").source:sub(2)
  local own = vim.fn.fnamemodify(here, ":p:h:h:h:h") .. "/target/release/botglue"
  if vim.fn.executable(own) == 1 then
    return own, own
  end
  return program.find("botglue"), own
end

---@return string
function M.log_path()
  return vim.fn.stdpath("log") .. "/botglue.log"
end

--- Ends the process, and tells that it is gone.
---@param err botglue.JobError
function Process:stop(err)
  local gone = self.gone
  if not gone then
    return
  end
  self.gone, self.ready, self.failed = nil, false, err
  deadline.stop(self.deadline)
  pcall(vim.fn.jobstop, self.channel)
  gone(err)
end

---@param code integer
function Process:exited(code)
  local how = code > 128 and ("was ended by signal %d"):format(code - 128)
    or ("exited with code %d"):format(code)
  local said = vim.trim(self.stderr)
  self:stop(
    failure(
      "host_lost",
      "ask again, or see :Botglue log; the host %s%s",
      how,
      said ~= "" and ": " .. said or ""
    )
  )
end

--- Sends a notification, as soon as the host is ready.
---@param method string
---@param argument table
function Process:notify(method, argument)
  if not self.gone then
    return
  elseif not self.ready then
    self.outbox[#self.outbox + 1] = { method = method, argument = argument }
    return
  end
  -- A closed channel raises here; the exit tells why it closed.
  pcall(vim.rpcnotify, self.channel, method, argument)
end

--- The host's greeting: what waited for it goes out, if it is the host that this plugin was made for.
---@param hello { version: string, pid: integer }
function Process:greet(hello)
  if self.ready then
    return
  elseif hello.version ~= version then
    local theirs = tostring(hello.version)
    self:stop(
      failure("host_version", "%s; the host is version %s, the plugin %s", M.INSTALL, theirs, version)
    )
    return
  end
  self.ready, self.greeted = true, true
  deadline.stop(self.deadline)
  local outbox = self.outbox
  self.outbox = {}
  for _, message in ipairs(outbox) do
    self:notify(message.method, message.argument)
  end
end

--- Starts a host.
---@param options botglue.Options
---@param session string this Neovim's name
---@param ready_within integer milliseconds
---@param gone fun(err: botglue.JobError) called once, when the process has ended or cannot be used
---@return botglue.Process? process
---@return botglue.JobError? err why there is none
function M.start(options, session, ready_within, gone)
  local path, looked = M.binary(options)
  if not path then
    return nil,
      failure("host_missing", "run :checkhealth botglue — host missing at %s (%s)", looked, M.INSTALL)
  end
  local self = setmetatable({ path = path, ready = false, outbox = {}, stderr = "", gone = gone }, Process)
  local command =
    { path, "serve", "--log", M.log_path(), "--data-dir", options.data_dir, "--session", session }
  local ok, channel = pcall(vim.fn.jobstart, command, {
    rpc = true,
    on_stderr = function(_, data)
      self.stderr = (self.stderr .. table.concat(data, "\n")):sub(-500)
    end,
    on_exit = function(_, code)
      self:exited(code)
    end,
  })
  if not ok or channel <= 0 then
    return nil, failure("host_missing", "run :checkhealth botglue — host could not be started at %s", path)
  end
  self.channel = channel
  self.deadline = deadline.start(ready_within, function()
    if not self.ready then
      local seconds = ready_within / 1000
      self:stop(failure("host_lost", "%s; the host did not answer within %g s: %s", M.INSTALL, seconds, path))
    end
  end)
  return self
end

return M
