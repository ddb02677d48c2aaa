--- Stands in for the host inside one Neovim: takes what the plugin sends, and answers as a test says.

local M = { sent = {}, events = {} }

--- Takes the place of the host's process.
function M.install()
  local jobstart = vim.fn.jobstart
  vim.fn.jobstart = function(command, options)
    if command[2] ~= "serve" then
      return jobstart(command, options)
    end
    vim.schedule(function()
      require("botglue.apply").ready({ version = require("botglue.version"), pid = 1 })
    end)
    return 9999
  end
  vim.rpcnotify = function(_, method, argument)
    table.insert(M.sent, { method = method, argument = argument })
  end
  require("botglue").setup({ host = "/bin/sh" })
  vim.api.nvim_create_autocmd("User", {
    pattern = "Botglue*",
    callback = function(event)
      table.insert(M.events, { name = event.match, job = event.data })
    end,
  })
end

--- The requests of one method that arrived.
---@param method string
---@return table[]
function M.received(method)
  local found = {}
  for _, message in ipairs(M.sent) do
    if message.method == method then
      found[#found + 1] = message.argument
    end
  end
  return found
end

--- How often an event came for a job.
---@param name string
---@param id integer
---@return integer
function M.count(name, id)
  local count = 0
  for _, event in ipairs(M.events) do
    if event.name == name and event.job.id == id then
      count = count + 1
    end
  end
  return count
end

--- Ends a job with an answer by lines.
---@param id integer
---@param lines string[]
---@param more table?
function M.answer(id, lines, more)
  require("botglue.apply").finish(vim.tbl_extend("force", {
    id = id,
    status = "done",
    text = table.concat(lines, "\n"),
    lines = lines,
  }, more or {}))
end

return M
