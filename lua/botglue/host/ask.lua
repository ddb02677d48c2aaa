--- Asks the host for what a key or a command of the user wants, and waits for it: what is typed ahead is meant for the
--- window that opens. The reply is the last call of its batch, so all that was drawn for it is there.

local client = require("botglue.host.client")
local connection = require("botglue.host.connection")
local fail = require("botglue.host.errors").fail

local M = {}

--- Where it is asked.
---@return { columns: integer, lines: integer, cmdheight: integer }
function M.here()
  return { columns = vim.o.columns, lines = vim.o.lines, cmdheight = vim.o.cmdheight }
end

--- Asks, and raises the host's error. A host that is being started has the time that one has for that.
---@param what string
---@param arg table
---@param ms integer? how long the reply may take
---@return table reply
function M.ask(what, arg, ms)
  local process, err = client.connect(client.options())
  if not process then
    fail("%s", err and err.message)
  end
  local token, reply = connection.last_query + 1, nil
  local query = { process = process }
  function query.reply(result, message)
    connection.queries[token], reply = nil, { result, message }
  end
  connection.last_query, connection.queries[token], connection.asking = token, query, connection.asking + 1
  process:notify("ask", { token = token, what = what, arg = arg, here = M.here() })
  local within = (ms or connection.asked_within) + (process.ready and 0 or connection.ready_within)
  local ok, raised = pcall(vim.wait, within, function()
    return reply ~= nil
  end, 1)
  connection.queries[token], connection.asking = nil, connection.asking - 1
  if not reply then
    -- What was typed ahead was meant for a window that is not there.
    while vim.fn.getchar(1) ~= 0 do
      vim.fn.getchar(0)
    end
    fail("%s", ok and "the host does not answer: nothing was done" or raised)
  end
  return reply[1] or fail("%s", reply[2])
end

return M
