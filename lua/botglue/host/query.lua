--- Questions to the host. Each gets exactly one reply, also if the host dies or cannot be started; nothing here waits
--- for it.

local client = require("botglue.host.client")
local connection = require("botglue.host.connection")

local M = {}

---@class botglue.Query
---@field process botglue.Process the host that was asked
---@field reply fun(result: table?, err: string?)

--- The token of a question whose reply is expected.
---@param process botglue.Process
---@param reply fun(result: table?, err: string?) called once
---@return integer token
function M.expect(process, reply)
  local token = connection.last_query + 1
  connection.last_query = token
  connection.queries[token] = { process = process, reply = reply }
  return token
end

--- Asks. What can be asked is in `tests/it/fuzz/messages.rs`.
---@param name string
---@param args table
---@param callback fun(result: table?, err: string?) called once, never before this returns
function M.ask(name, args, callback)
  local process, err = client.connect()
  local reply = vim.schedule_wrap(callback)
  if process then
    local token = M.expect(process, reply)
    process:notify("query", vim.tbl_extend("error", { token = token, name = name }, args))
  else
    reply(nil, err and err.message)
  end
end

--- The host's answer.
---@param answer { token: integer, error: string? }
function M.reply(answer)
  local query, err = connection.queries[answer.token], answer.error
  connection.queries[answer.token], answer.token = nil, nil
  if query then
    query.reply(not err and answer or nil, err)
  end
end

--- A host is gone: it answers no more.
---@param process botglue.Process
---@param err string
function M.fail(process, err)
  for token, query in pairs(connection.queries) do
    if query.process == process then
      M.reply({ token = token, error = err })
    end
  end
end

return M
