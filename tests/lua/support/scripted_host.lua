--- Stands in for the host inside one Neovim: takes what the plugin sends, and answers as a test says.

local M = {
  sent = {},
  events = {},
  store = {}, -- the held answers of Neovims that are gone
  trouble = nil, -- why they cannot be read
  prompts = nil, -- the earlier ones; without them a test answers by itself
  keeps = true, -- says at once that a held answer is on the disk
  replies = {}, -- what the store answers, or a function that does, by the name of the question; without one, nothing
  merges = {}, -- the replies to come, by the merged rows; without one, they are merged by lines
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
    if method == "landed" and argument.landing == "held" and M.keeps then
      require("botglue.apply").kept({ id = argument.id })
    elseif method == "query" and argument.name == "prompts" and M.prompts then
      local prompts = vim.tbl_map(function(prompt)
        return { prompt = prompt, uses = 1, last_ms = 0 }
      end, M.prompts)
      require("botglue.apply").reply({ token = argument.token, prompts = prompts })
    elseif method == "held" then
      require("botglue.apply").held({ answers = not M.trouble and M.store or nil, error = M.trouble })
    elseif method == "query" and M.replies[argument.name] then
      local reply = M.replies[argument.name]
      reply = type(reply) == "function" and reply(argument) or reply
      require("botglue.query").reply(vim.tbl_extend("force", reply, { token = argument.token }))
    elseif method == "merge" and M.merges then
      M.merge(argument, table.remove(M.merges, 1) or M.three_way(argument))
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

--- What changed from one text to another: the rows replaced, from 0, and those that stand there instead.
---@return table[]
local function changes(base, text)
  local function joined(rows)
    return #rows > 0 and table.concat(rows, "\n") .. "\n" or ""
  end
  return vim.tbl_map(function(hunk)
    local first = hunk[2] == 0 and hunk[1] or hunk[1] - 1
    local from = hunk[4] == 0 and hunk[3] or hunk[3] - 1
    return { first = first, past = first + hunk[2], lines = vim.list_slice(text, from + 1, from + hunk[4]) }
  end, vim.diff(joined(base), joined(text), { result_type = "indices" }))
end

--- What comes of a merge by lines; nil where changes of the two sides touch, and are not the same.
---@param question table
---@return string[]?
function M.three_way(question)
  local both =
    vim.list_extend(changes(question.base, question.current), changes(question.base, question.answer))
  table.sort(both, function(one, other)
    return one.first < other.first or (one.first == other.first and one.past < other.past)
  end)
  local merged, row, last = {}, 0, nil
  for _, change in ipairs(both) do
    if last and not vim.deep_equal(last, change) and change.first <= last.past then
      return nil
    elseif not vim.deep_equal(last, change) then
      vim.list_extend(merged, question.base, row + 1, change.first)
      vim.list_extend(merged, change.lines)
      row, last = change.past, change
    end
  end
  return vim.list_extend(merged, question.base, row + 1, #question.base)
end

--- Replies to a merge: with these rows, or that there is a conflict.
---@param question table
---@param lines string[]?
function M.merge(question, lines)
  lines = lines ~= vim.NIL and lines or nil
  local edits = lines
    and vim.tbl_map(function(change)
      return { first = change.first, last = change.past, lines = change.lines }
    end, changes(question.current, lines))
  require("botglue.apply").merged({
    id = question.id,
    purpose = question.purpose,
    tick = question.tick,
    clean = lines ~= nil,
    lines = lines,
    edits = edits,
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
