--- Asks the host and waits for its reply, for a limited time. Nothing else in the plugin waits for the host.

local client = require("botglue.host.client")
local connection = require("botglue.host.connection")
local fail = require("botglue.host.errors").fail
local moment = require("botglue.editor.moment")
local notify = require("botglue.host.notify")
local query = require("botglue.host.query")

local M = {}

local SILENT = "the host does not answer: nothing was done"

--- Where it is asked.
---@return { columns: integer, lines: integer, cmdheight: integer }
function M.here()
  return { columns = vim.o.columns, lines = vim.o.lines, cmdheight = vim.o.cmdheight }
end

--- Asks for what a command or a key of the user opens, and raises the host's error: what is typed ahead is meant for
--- the window. The reply is the last call of its batch, so all that was drawn for it is there. A host that is being
--- started has the time that one has for that.
---@param what string
---@param arg table
---@param opts { within: integer?, keeps_keys: boolean? }? within: milliseconds that the reply may take, a start of the
--- host with it; keeps_keys: what is typed ahead is not meant for a window
---@return table reply
function M.open(what, arg, opts)
  opts = opts or {}
  if connection.applying then
    fail("the host waits for what runs this: use vim.schedule()")
  end
  local process, err = client.connect()
  if not process then
    fail("%s", err and err.message)
  end
  ---@cast process botglue.Process
  client.tell_options(process)
  local reply
  local token = query.expect(process, function(result, message)
    reply = { result, message }
  end)
  connection.asking = connection.asking + 1
  process:notify("ask", { token = token, what = what, arg = arg, here = M.here() })
  local within = opts.within or connection.asked_within + (process.ready and 0 or connection.ready_within)
  local ok, raised = pcall(vim.wait, within, function()
    return reply ~= nil
  end, 1)
  connection.queries[token], connection.asking = nil, connection.asking - 1
  notify.resume()
  if not reply then
    -- What was typed ahead was meant for a window that is not there.
    while not opts.keeps_keys and vim.fn.getchar(1) ~= 0 do
      vim.fn.getchar(0)
    end
    fail("%s", ok and SILENT or raised)
  end
  return reply[1] or fail("%s", reply[2])
end

--- Asks for something that may change a buffer: the user, or a script, has asked for it. Within a call of the host's it
--- does not wait, because the host does.
---@param name string
---@param args table
---@param bufnr integer? the buffer
---@param late fun(result: table?, err: string?)? called with a reply that comes later
---@return table? result
---@return string? err neither: there is no reply yet
function M.change(name, args, bufnr, late)
  local reply, is_waiting = nil, true
  query.ask(name, args, function(result, err)
    if is_waiting then
      reply = { result, err }
    elseif late then
      late(result, err)
    end
  end)
  if not connection.applying then
    connection.asking = connection.asking + 1
    moment.wait(connection.asked_within, function()
      return reply ~= nil
    end, 1, bufnr)
    connection.asking = connection.asking - 1
    notify.resume()
  end
  is_waiting = false
  if reply then
    return reply[1], reply[2]
  elseif not connection.applying then
    notify.warn("botglue: the host does not answer: this is done once it does")
  end
end

return M
