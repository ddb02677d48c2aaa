--- Queries to the host: its store, its mirrors and its views. Each query gets exactly one reply, also if the host dies,
--- is silent or cannot be started; nothing here waits for it.

local client = require("botglue.host.client")
local connection = require("botglue.host.connection")
local deadline = require("botglue.util.deadline")

local M = {}

local SILENT = "the host does not answer; see :Botglue log"

---@class botglue.Query
---@field process botglue.Process? the host that was asked
---@field reply fun(result: table?, err: string?)

--- The token of a question whose reply is expected.
---@param process botglue.Process?
---@param reply fun(result: table?, err: string?) called once
---@return integer token
---@return botglue.Query query
function M.expect(process, reply)
  local token = connection.last_query + 1
  connection.last_query = token
  local query = { process = process }
  function query.reply(result, err)
    if connection.queries[token] == query then
      connection.queries[token] = nil
      reply(result, err)
    end
  end
  connection.queries[token] = query
  return token, query
end

--- Asks. What can be asked, and what comes back, is in `types`.
---@param name string
---@param args table
---@param callback fun(result: table?, err: string?) called once, never before this returns
function M.ask(name, args, callback)
  local patience
  local token, query = M.expect(nil, function(result, err)
    deadline.stop(patience)
    vim.schedule(function()
      callback(result, err)
    end)
  end)
  local function wait()
    patience = deadline.start(connection.answered_within, function()
      if name == "ping" then
        query.reply(nil, SILENT)
        return
      end
      -- It may be at work. Any reply, also that it knows no such question, tells that it is.
      M.ask("ping", {}, function(_, err)
        if connection.queries[token] ~= query then
          return
        elseif err ~= SILENT then
          wait()
        else
          query.reply(nil, SILENT)
        end
      end)
    end)
  end
  wait()
  local process, err = client.connect(client.options())
  query.process = process
  if not process then
    query.reply(nil, err and err.message or "there is no host")
  elseif process.gone then
    process:notify("query", vim.tbl_extend("error", { token = token, name = name }, args))
  else
    query.reply(nil, process.failed and process.failed.message or "the host is gone")
  end
end

--- A host is gone: it answers no more.
---@param process botglue.Process
---@param err string
function M.fail(process, err)
  for _, query in pairs(vim.tbl_extend("error", {}, connection.queries)) do
    if query.process == process then
      query.reply(nil, err)
    end
  end
end

--- The host's answer.
---@param answer { token: integer, error: string? }
function M.reply(answer)
  local query = connection.queries[answer.token]
  if not query then
    return
  elseif answer.error then
    query.reply(nil, answer.error)
  else
    answer.token = nil
    query.reply(answer)
  end
end

return M
