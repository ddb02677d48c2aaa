--- The connection to the host, and all jobs of this Neovim by id: the one variable of the plugin that lives on.
---
--- Starts the host with the first request, keeps requests until it says that it is ready, and ends what it ran should
--- it die. Only `rpcnotify` is used: nothing here waits for the host. What a job is, is not known here.

local groups = require("botglue.groups")
local version = require("botglue.version")

local M = {}

local READY_WITHIN = 5000 -- milliseconds
local KEPT_RANGES = 100 -- a buffer's, of jobs that have ended

---@class botglue.Process one run of the host
---@field channel integer
---@field ready boolean
---@field outbox { method: string, argument: table }[] what waits until it is ready
---@field deadline uv.uv_timer_t
---@field stderr string the end of what it printed

---@class botglue.Connection
---@field process botglue.Process?
---@field jobs table<integer, botglue.Job>
---@field open table<integer, botglue.Job> those of `jobs` that have not ended
---@field held table<integer, botglue.Job> those whose answer is held
---@field kept table<integer, botglue.Range[]> by buffer the ranges of jobs that have ended, oldest first
---@field groups table<integer, integer> process groups of running agents, by the job's id
---@field news table[] what jobs have to say in this tick
---@field last_id integer
---@field repeated string? the prompt that `.` sends again
---@field setup table? what `setup()` was given
local connection = { jobs = {}, open = {}, held = {}, kept = {}, groups = {}, news = {}, last_id = 0 }

---@return botglue.Connection
function M.connection()
  return connection
end

---@return botglue.Options options
---@return string[] unknown
function M.options()
  return require("botglue.config").resolve(connection.setup)
end

---@param id integer
---@return botglue.Job?
function M.job(id)
  return connection.jobs[id]
end

---@return integer
function M.next_id()
  connection.last_id = connection.last_id + 1
  return connection.last_id
end

--- The path of the host's binary: the option's, else the plugin's own build, else the one in PATH.
---@param options botglue.Options
---@return string? path
---@return string? missing where it was looked for
function M.binary(options)
  if options.host then
    local host = vim.fs.normalize(options.host)
    return vim.fn.executable(host) == 1 and host or nil, host
  end
  local source = debug.getinfo(1, "S").source:sub(2)
  local root = vim.fn.fnamemodify(source, ":p:h:h:h")
  local own = root .. "/target/release/botglue"
  if vim.fn.executable(own) == 1 then
    return own
  end
  local found = vim.fn.exepath("botglue")
  return found ~= "" and found or nil, own
end

---@return string
function M.log_path()
  return vim.fn.stdpath("log") .. "/botglue.log"
end

--- Ends a host and all jobs that it owed an outcome. Called once for each host, by whatever tells of its end first.
---@param process botglue.Process
---@param err { code: string, message: string }
local function lost(process, err)
  if process.gone then
    return
  end
  process.gone = true
  process.deadline:stop()
  if not process.deadline:is_closing() then
    process.deadline:close()
  end
  if connection.process == process then
    connection.process = nil
  end
  pcall(vim.fn.jobstop, process.channel)
  local running = {}
  for _, job in pairs(connection.open) do
    if job.process == process and job:is_waiting() then
      running[#running + 1] = job
    end
  end
  groups.stop(connection.groups)
  connection.groups = {}
  table.sort(running, function(a, b)
    return a.id < b.id
  end)
  for _, job in ipairs(running) do
    job:fail(err)
  end
end

---@param process botglue.Process
---@param code integer
local function on_exit(process, code)
  local said = process.stderr ~= "" and ": " .. vim.trim(process.stderr) or ""
  local how = code > 128 and ("was ended by signal %d"):format(code - 128)
    or ("exited with code %d"):format(code)
  lost(process, {
    code = "host_lost",
    message = ("The host %s%s; the next request starts a new one, see :Botglue log."):format(how, said),
  })
end

---@param options botglue.Options
---@return botglue.Process? process
---@return { code: string, message: string }? err
local function start(options)
  local path, missing = M.binary(options)
  if not path then
    return nil,
      {
        code = "host_missing",
        message = ("There is no host at %s; run `make build` in the plugin's directory."):format(missing),
      }
  end
  vim.fn.mkdir(vim.fn.stdpath("log"), "p")
  local process = { ready = false, outbox = {}, stderr = "", deadline = assert(vim.uv.new_timer()) }
  local ok, channel = pcall(
    vim.fn.jobstart,
    { path, "serve", "--log", M.log_path(), "--data-dir", options.data_dir },
    {
      rpc = true,
      on_stderr = function(_, data)
        process.stderr = (process.stderr .. table.concat(data, "\n")):sub(-500)
      end,
      on_exit = function(_, code)
        on_exit(process, code)
      end,
    }
  )
  if not ok or channel <= 0 then
    return nil,
      {
        code = "host_missing",
        message = ("The host %s could not be started; run `make build` in the plugin's directory."):format(
          path
        ),
      }
  end
  process.channel = channel
  process.deadline:start(
    READY_WITHIN,
    0,
    vim.schedule_wrap(function()
      if not process.ready then
        lost(process, {
          code = "host_lost",
          message = ("The host %s did not answer within %d s; see :Botglue log, or run `make build`."):format(
            path,
            READY_WITHIN / 1000
          ),
        })
      end
    end)
  )
  return process
end

---@param process botglue.Process
---@param method string
---@param argument table
local function notify(process, method, argument)
  if not process.ready then
    process.outbox[#process.outbox + 1] = { method = method, argument = argument }
    return
  end
  -- A closed channel raises here; `on_exit` tells why it closed.
  pcall(vim.rpcnotify, process.channel, method, argument)
end

--- Adds a job to those of this Neovim.
---@param job botglue.Job
function M.register(job)
  connection.jobs[job.id] = job
  connection.open[job.id] = job
end

--- A job has ended. Its range is still marked, invisibly, so that its lines stay current; the oldest give way.
---@param job botglue.Job
function M.release(job)
  connection.open[job.id] = nil
  if job.landing == "held" then
    connection.held[job.id] = job
    return
  end
  local bufnr = job.range.bufnr
  local kept = vim.api.nvim_buf_is_valid(bufnr) and connection.kept[bufnr] or {}
  kept[#kept + 1] = job.range
  if #kept > KEPT_RANGES then
    table.remove(kept, 1):unmark()
  end
  connection.kept[bufnr] = vim.api.nvim_buf_is_valid(bufnr) and kept or nil
end

--- Sends a job's request, starting the host if there is none. A job that cannot be sent fails in the next tick.
---@param job botglue.Job
---@param request table
function M.submit(job, request)
  local err
  if not connection.process then
    connection.process, err = start(job.options)
  end
  local process = connection.process
  if not process then
    vim.schedule(function()
      job:fail(err)
    end)
    return
  end
  job.process = process
  notify(process, "run", request)
end

--- Tells the host what became of an answer.
---@param job botglue.Job
function M.landed(job)
  if job.process and not job.process.gone then
    notify(job.process, "landed", { id = job.id, landing = job.landing, held_for = job.held_for })
  end
end

--- The host said that it is there.
---@param hello { version: string, pid: integer }
function M.ready(hello)
  local process = connection.process
  if not process or process.ready then
    return
  end
  if hello.version ~= version then
    lost(process, {
      code = "host_version",
      message = ("The host is version %s, the plugin %s; run `make build` in the plugin's directory."):format(
        tostring(hello.version),
        version
      ),
    })
    return
  end
  process.ready = true
  process.deadline:stop()
  local outbox = process.outbox
  process.outbox = {}
  for _, message in ipairs(outbox) do
    notify(process, message.method, message.argument)
  end
end

--- Remembers the process group of a job's agent; `false` when it is gone.
---@param id integer
---@param pgid integer|false|nil nil: nothing new
function M.note_group(id, pgid)
  if pgid then
    connection.groups[id] = pgid
  elseif pgid == false then
    connection.groups[id] = nil
  end
end

return M
