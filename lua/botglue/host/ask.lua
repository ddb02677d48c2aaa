--- Asks the host. Each question gets exactly one reply, even if the host dies or cannot be started. A key, a command
--- or a script waits for its reply for a limited time; nothing else in the plugin waits for the host.

local client = require("botglue.host.client")
local connection = require("botglue.host.connection")
local fail = require("botglue.host.errors").fail
local notify = require("botglue.host.notify")

local M = {}

--- The size of the screen.
---@return table
function M.here()
  return { columns = vim.o.columns, lines = vim.o.lines, cmdheight = vim.o.cmdheight }
end

--- Sends a question; `tests/it/fuzz/messages.rs` lists all of them.
---@param what string
---@param arg table
---@param reply fun(result: table?, err: string?) called once; at once if there is no host
---@return integer? token
function M.send(what, arg, reply)
  local process, err = client.connect()
  if not process then
    reply(nil, err and err.message)
    return
  end
  client.tell_options(process)
  local token = connection.last_question + 1
  connection.last_question = token
  connection.questions[token] = reply
  process:notify("ask", { token = token, what = what, arg = arg, here = M.here() })
  return token
end

--- The host has replied to a question.
---@param answer { token: integer, error: string? }
function M.reply(answer)
  local reply, err = connection.questions[answer.token], answer.error
  connection.questions[answer.token], answer.token = nil, nil
  if reply then
    reply(not err and answer or nil, err)
  end
end

--- Waits, with the event loop running, for something that a script or a key has asked for. Meanwhile text may change
--- within that script or mapping, where a write would else have to wait for its end.
---@param ms integer
---@param condition fun(): boolean
---@param interval integer milliseconds
---@param bufnr integer? the buffer in which a key takes or drops hunks
---@return boolean ok whether nothing raised an error
---@return boolean|string result whether the condition holds, or the error
function M.wait(ms, condition, interval, bufnr)
  local deciding_in = connection.deciding_in
  connection.waiting, connection.deciding_in = connection.waiting + 1, bufnr or deciding_in
  local ok, result = pcall(vim.wait, ms, condition, interval)
  connection.waiting, connection.deciding_in = connection.waiting - 1, deciding_in
  return ok, result
end

--- Asks for something that a command or a key opens, and waits, because keys typed ahead are meant for that window.
--- Raises the host's error. The reply is the last call of its batch, so all that the host draws for it is drawn
--- before. A host that is still starting gets the time for its start in addition.
---@param what string
---@param arg table
---@param opts { within: integer?, keeps_keys: boolean? }? within: milliseconds for the reply, including a start of the
--- host; keeps_keys: keys typed ahead are not meant for a window
---@return table reply
function M.open(what, arg, opts)
  opts = opts or {}
  if connection.applying then
    fail("this runs within a call of the host: use vim.schedule()")
  end
  local reply
  local token = M.send(what, arg, function(result, err)
    reply = { result, err }
  end)
  local is_ready = connection.process and connection.process.ready
  local within = opts.within or connection.asked_within + (is_ready and 0 or connection.ready_within)
  connection.asking = connection.asking + 1
  local ok, raised = pcall(vim.wait, within, function()
    return reply ~= nil
  end, 1)
  connection.asking = connection.asking - 1
  if reply then
    return reply[1] or fail("%s", reply[2])
  end
  connection.questions[token] = nil
  -- Keys typed ahead were meant for the window that did not open: drop them.
  while not opts.keeps_keys and vim.fn.getchar(1) ~= 0 do
    vim.fn.getchar(0)
  end
  fail("%s", ok and "the host does not answer: nothing was done" or raised)
end

--- Asks for something that may change a buffer, for the user or a script, and waits. Within a call of the host it
--- does not wait, because the host waits for that call.
---@param what string
---@param arg table
---@param bufnr integer? the buffer
---@param late fun(result: table?, err: string?)? called with a reply that comes later
---@return table? result
---@return string? err if both are nil there is no reply yet
function M.change(what, arg, bufnr, late)
  local reply, is_waiting = nil, true
  client.call("deciding")
  M.send(what, arg, function(result, err)
    if is_waiting then
      reply = { result, err }
    elseif late then
      late(result, err)
    end
  end)
  if not connection.applying then
    connection.asking = connection.asking + 1
    M.wait(connection.asked_within, function()
      return reply ~= nil
    end, 1, bufnr)
    connection.asking = connection.asking - 1
  end
  is_waiting = false
  if reply then
    return reply[1], reply[2]
  elseif not connection.applying then
    notify.warn("botglue: the host does not answer: your command runs once it does")
  end
end

return M
