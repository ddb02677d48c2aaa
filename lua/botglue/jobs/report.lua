--- Tells the host the result of an answer that the plugin decided. A message is kept until a host confirms that it is
--- stored, and sent to the next host again; a repeated one is harmless.

local client = require("botglue.host.client")
local connection = require("botglue.host.connection")
local write = require("botglue.editor.write")

local M = {}

---@param job botglue.Job
---@param landing string
---@param held_for string?
function M.landed(job, landing, held_for)
  local message = { id = job.id, landing = landing, held_for = held_for }
  table.insert(connection.unconfirmed, message)
  if connection.process then
    connection.process:notify("landed", message)
  elseif not connection.leaving then
    -- A new host gets all messages.
    client.connect(job.options)
  end
end

--- A new host has started: tells it each result that may not be stored, also of steps that the last one wrote.
---@param process botglue.Process
function M.tell_all(process)
  local messages = connection.unconfirmed
  for _, written in ipairs(write.landings()) do
    local job = connection.jobs[written.id]
    local is_told = vim.iter(messages):any(function(message)
      return message.id == written.id and message.landing == written.landing
    end)
    messages[#messages + 1] = job and job.landing == written.landing and not is_told and written or nil
  end
  for _, message in ipairs(messages) do
    process:notify("landed", message)
  end
end

--- The host has stored the oldest message of a job.
---@param id integer
function M.stored(id)
  for i, message in ipairs(connection.unconfirmed) do
    if message.id == id then
      table.remove(connection.unconfirmed, i)
      return
    end
  end
end

return M
