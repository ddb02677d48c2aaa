--- Starts the host with the first request, and reports its end. It only sends notifications: nothing here waits for
--- the host, or decides on a job or an answer.

local connection = require("botglue.host.connection")
local errors = require("botglue.host.errors")

local M = {}

local RESTARTS = 3 -- a minute

--- Runs the hooks that other modules have added for an event of the host.
---@param name "started"|"ready"|"deciding"|"lost"|"ending"|"leaving"
function M.call(name, ...)
  for _, hook in ipairs(connection.hooks[name]) do
    errors.guard(hook, ...)
  end
end

--- The options in force: the same table until the user changes them. Warns of options that do not exist.
---@return botglue.Options options callers must not change it
---@return string[] unknown
function M.options()
  local option, last = require("botglue.options"), connection.resolved
  local global = option.global()
  if not last or last.setup ~= connection.setup or not vim.deep_equal(last.global, global) then
    local options, unknown = option.resolve(connection.setup)
    if #unknown > 0 and not (last and vim.deep_equal(last.unknown, unknown)) then
      local words = "botglue: there is no option %s; see :checkhealth botglue"
      require("botglue.host.notify").warn(words:format(table.concat(unknown, ", ")))
    end
    last = { setup = connection.setup, global = vim.deepcopy(global), options = options, unknown = unknown }
    connection.resolved = last
  end
  return last.options, last.unknown
end

--- Whether to start another host at once: only if there are jobs or a prompt, and a limited number of times a minute.
---@return boolean
local function restarts()
  local is_needed = next(connection.jobs) ~= nil or connection.prompt ~= nil
  local now = vim.uv.now()
  connection.restarts = vim.tbl_filter(function(at)
    return now - at < 60000
  end, connection.restarts)
  return is_needed and #connection.restarts < RESTARTS
end

---@param err botglue.JobError
local function lost(err)
  connection.process = nil
  -- While Neovim exits, all jobs have ended already, and Neovim would wait for a host that is started now, which
  -- nothing would end.
  if vim.v.exiting ~= vim.NIL then
    return
  end
  -- The hooks and replies below must not wait for a new host, which has to learn of all jobs first.
  connection.applying = true
  local replies = connection.questions
  connection.questions = {}
  M.call("lost", err)
  for _, reply in pairs(replies) do
    errors.guard(reply, nil, err.message)
  end
  connection.applying = false
  if not connection.process and restarts() then
    table.insert(connection.restarts, vim.uv.now())
    M.connect()
  end
end

--- The host, started if there is none.
---@return botglue.Process? process
---@return botglue.JobError? err
function M.connect()
  if connection.process then
    return connection.process
  end
  local start = require("botglue.host.process").start
  local process, err = start((M.options()), connection.session, connection.ready_within, lost)
  connection.process = process
  if process then
    M.call("started", process)
    vim.api.nvim_create_autocmd({ "ExitPre", "VimLeavePre" }, {
      group = vim.api.nvim_create_augroup("botglue.client", { clear = true }),
      desc = "botglue: end the jobs",
      callback = function(event)
        M.call(event.event == "ExitPre" and "ending" or "leaving")
      end,
    })
  end
  return process, err
end

--- Sends the host a notification; without a host there is nothing to report.
---@param method string
---@param argument table
function M.tell(method, argument)
  if connection.process then
    connection.process:notify(method, argument)
  end
end

--- The user's keys for the `<Plug>` maps, by the map's name: messages name them.
---@return table<string, string>
local function keys()
  local found = vim.empty_dict()
  for _, map in ipairs(vim.api.nvim_get_keymap("n")) do
    local name = map.rhs and map.rhs:match("^<Plug>%(botglue%-(%l+)%)$")
    if name then
      found[name] = vim.fn.keytrans(map.lhsraw)
    end
  end
  return found
end

--- Sends a host the options, if they differ from those that it has, with the user's keys.
---@param process botglue.Process
function M.tell_options(process)
  local options = M.options()
  if process.options ~= options then
    process.options = options
    process:notify("options", vim.tbl_extend("error", options, { keys = keys() }))
  end
end

--- The host's greeting: the first call on a new channel.
---@param hello { version: string, pid: integer }
function M.ready(hello)
  local process = connection.process
  if process and not process.ready then
    M.call("ready", process)
    process:greet(hello)
  end
end

return M
