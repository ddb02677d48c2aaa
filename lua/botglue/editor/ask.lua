--- Asks the host and waits for its reply, for a limited time. Nothing else in the plugin waits for the host.

local connection = require("botglue.host.connection")
local moment = require("botglue.editor.moment")
local query = require("botglue.host.query")

local M = {}

--- Milliseconds that a key waits; a host that works takes less than one.
M.KEY = 500

--- Asks. Within a call of the host's it does not wait, because the host does. The host may write to a buffer meanwhile: the user, or a script, has asked for it.
---@param name string
---@param args table
---@param ms integer
---@param bufnr integer? the buffer
---@param late fun(result: table?, err: string?)? called with a reply that comes later
---@return table? result
---@return string? err neither: there is no reply yet
function M.ask(name, args, ms, bufnr, late)
  local reply, is_waiting = nil, true
  query.ask(name, args, function(result, err)
    if is_waiting then
      reply = { result, err }
    elseif late then
      late(result, err)
    end
  end)
  if not connection.applying then
    moment.wait(ms, function()
      return reply ~= nil
    end, 1, bufnr)
  end
  is_waiting = false
  if reply then
    return reply[1], reply[2]
  end
end

return M
