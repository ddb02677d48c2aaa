--- Tells the host what became of an answer where Neovim alone knows: it was rejected, or shown, or a host that is gone
--- had written it. Where no host can be started the next one is told.

local client = require("botglue.host.client")
local connection = require("botglue.host.connection")

local M = {}

---@param job botglue.Job
---@param landing string
---@param held_for string?
function M.landed(job, landing, held_for)
  local message = { id = job.id, landing = landing, held_for = held_for }
  local process = connection.process or not connection.leaving and client.connect(job.options)
  if process then
    process:tell(message)
  else
    table.insert(connection.unsent, message)
  end
end

return M
