--- A scripted peer in place of the host, inside one Neovim: takes what the plugin sends, and replies as a spec says. It
--- knows no texts. It is for messages that a real host does not send at a spec's word: one within a call of the user's,
--- an error of the store, figures of months.

local M = {
  sent = {},
  events = {},
  trouble = nil, -- why the held answers of Neovims that are gone cannot be read
  replies = {}, -- what the store answers, or a function that does, by the name of the question; without one, nothing
}

--- Takes the place of the host's process.
function M.install()
  package.loaded["support.host"] = M
  local jobstart = vim.fn.jobstart
  vim.fn.jobstart = function(command, options)
    if command[2] ~= "serve" then
      return jobstart(command, options)
    end
    M.exit = options.on_exit
    vim.schedule(function()
      require("botglue.apply").ready({ version = require("botglue.version"), pid = 1 })
    end)
    return 9999
  end
  vim.rpcnotify = function(_, method, argument)
    table.insert(M.sent, { method = method, argument = argument })
    if method == "landed" and argument.landing == "held" then
      require("botglue.apply").kept({ id = argument.id })
    elseif method == "held" then
      require("botglue.apply").held({ answers = not M.trouble and {} or nil, error = M.trouble })
    elseif method == "query" and M.replies[argument.name] then
      local reply = M.replies[argument.name]
      reply = type(reply) == "function" and reply(argument) or reply
      require("botglue.query").reply(vim.tbl_extend("force", reply, { token = argument.token }))
    end
  end
  vim.g.botglue = { host = "/bin/sh" }
  vim.api.nvim_create_autocmd("User", {
    pattern = "Botglue*",
    callback = function(event)
      table.insert(M.events, { name = event.match, job = event.data })
    end,
  })
end

--- Nothing is ever under way here.
function M.settle() end

--- The host is killed.
function M.die()
  M.exit(9999, 137)
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
