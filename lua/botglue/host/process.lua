--- One process of the host: starts it, waits for its greeting, queues messages until then, and reports its end once,
--- whatever the cause. It knows nothing of jobs; all its state is in the process object that it returns.

local version = require("botglue.version")

local M = {}

local STEPS = 10 -- steps in which the time until the greeting is counted

---@class botglue.Process
---@field channel integer
---@field path string
---@field ready boolean
---@field outbox { method: string, argument: table }[] the messages that wait until it is ready
---@field options botglue.Options? the options that it was sent last
---@field stderr string the end of what it printed
---@field gone fun(err: botglue.JobError)? called once; nil afterwards
local Process = {}
Process.__index = Process

---@alias botglue.JobError { code: string, message: string }

--- What the user has to do if the host is missing or has another version.
M.INSTALL = "run `make install` in the plugin's directory"

--- The path of the host's binary: the option's, else the plugin's own build, else one in PATH. As in the host, only
--- absolute entries of PATH count: others would find a program of the current project.
---@param options botglue.Options
---@return string? path
---@return string looked the path or name that was searched for
function M.binary(options)
  local here = debug.getinfo(1, "S").source:sub(2)
  local own = vim.fn.fnamemodify(here, ":p:h:h:h:h") .. "/target/release/botglue"
  local name = options.host and vim.fs.normalize(options.host) or "botglue"
  local files = options.host and {} or { own }
  if name:find("/", 1, true) then
    files = { name }
  else
    for entry in (vim.env.PATH or ""):gmatch("[^:]+") do
      table.insert(files, entry .. "/" .. name)
    end
  end
  local found = vim.iter(files):find(function(file)
    return vim.startswith(file, "/") and vim.fn.executable(file) == 1
  end)
  return found, options.host and name or own
end

---@return string
function M.log_path()
  return vim.fn.stdpath("log") .. "/botglue.log"
end

--- Ends the process, and reports that it is gone.
---@param code string
---@param format string
function Process:stop(code, format, ...)
  local gone = self.gone
  if gone then
    self.gone, self.ready = nil, false
    pcall(vim.fn.jobstop, self.channel)
    gone({ code = code, message = format:format(...) })
  end
end

---@param code integer
function Process:exited(code)
  local how = code > 128 and ("was ended by signal %d"):format(code - 128)
    or ("exited with code %d"):format(code)
  local said = vim.trim(self.stderr)
  said = said ~= "" and "; it says: " .. said or ""
  self:stop("host_lost", "the host %s: ask again, or see :Botglue log%s", how, said)
end

--- Sends a notification as soon as the host is ready.
---@param method string
---@param argument table
function Process:notify(method, argument)
  if self.ready then
    -- A closed channel raises an error here; `exited` reports why it closed.
    pcall(vim.rpcnotify, self.channel, method, argument)
  elseif self.gone then
    table.insert(self.outbox, { method = method, argument = argument })
  end
end

--- The host greets: sends the queued messages if the host has the plugin's version, else ends it.
---@param hello { version: string, pid: integer }
function Process:greet(hello)
  if hello.version ~= version then
    local words = "the host is version %s, the plugin %s: %s"
    self:stop("host_version", words, tostring(hello.version), version, M.INSTALL)
    return
  end
  self.ready = true
  for _, message in ipairs(self.outbox) do
    self:notify(message.method, message.argument)
  end
  self.outbox = {}
end

--- Ends the process if its greeting does not come in time. The time is counted in steps, so that a prompt for Enter,
--- in which the greeting waits for the user, counts as one step however long it takes.
---@param within integer milliseconds
---@param left integer how many steps are left
function Process:expect_greeting(within, left)
  vim.defer_fn(function()
    if self.ready or not self.gone then
      return
    elseif left > 1 then
      return self:expect_greeting(within, left - 1)
    end
    local words = "the host did not answer within %g s: %s; the host is %s"
    self:stop("host_lost", words, within / 1000, M.INSTALL, self.path)
  end, math.ceil(within / STEPS))
end

--- Starts a host.
---@param options botglue.Options
---@param session string this Neovim's name
---@param ready_within integer milliseconds
---@param gone fun(err: botglue.JobError) called once, when it has ended or cannot be used
---@return botglue.Process? process
---@return botglue.JobError? err why there is none
function M.start(options, session, ready_within, gone)
  local path, looked = M.binary(options)
  if not path then
    local words = "host missing: %s, or see :checkhealth botglue; there is none at %s"
    return nil, { code = "host_missing", message = words:format(M.INSTALL, looked) }
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
    local words = "the host cannot be started: see :checkhealth botglue; the host is %s"
    return nil, { code = "host_missing", message = words:format(path) }
  end
  self.channel = channel
  self:expect_greeting(ready_within, STEPS)
  return self
end

return M
