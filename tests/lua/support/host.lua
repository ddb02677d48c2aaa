--- The real host for a spec, inside one Neovim: the plugin starts `botglue serve`, and the spec says what its agents
--- print. Notes what the plugin sends and what comes back, and knows what is still to come.

local agent = require("support.agent")
local DEADLINE = require("support.suite").DEADLINE

local M = {
  started = 0, -- hosts
  sent = {},
  events = {},
  agents = {}, -- those that were asked for, by their job
  awaited = {}, -- the questions that the host is to reply to, by their token
}

local root = vim.fn.fnamemodify(debug.getinfo(1, "S").source:sub(2), ":p:h:h:h:h")

--- The host's program, as cargo builds it for tests.
M.PROGRAM = vim.env.BOTGLUE_TEST_HOST or (root .. "/target/debug/botglue")

--- The options with which the agent of a job is one that the spec steers.
---@param id integer
---@return table
local function steered(id)
  local job, options = require("botglue").job(id), vim.deepcopy(M.options)
  if not M.agents[id] then
    local path = vim.fn.stdpath("data") .. "/agent-job-" .. id
    local asked = { protocol = options.agents[job.agent].protocol, model = job.model }
    M.agents[id] = agent.new(path, "session-job-" .. id, asked)
  end
  for _, each in pairs(options.agents) do
    each.command, each.args = M.agents[id]:command(), {}
  end
  return options
end

--- A host is gone, or another one takes its place: nothing is to come from it any more.
---@param channel integer
local function forget(channel)
  if M.channel ~= channel then
    -- The end of a process is told later than the plugin gives it up: what is to come now comes from the next one.
    return
  end
  M.awaited, M.channel = {}, nil
end

--- Makes the plugin use the host, and the host the agents of the spec.
function M.install()
  assert(vim.fn.executable(M.PROGRAM) == 1, "there is no host at " .. M.PROGRAM .. "; run `cargo build`")
  vim.fn.mkdir(vim.fn.stdpath("data"), "p")
  local jobstart, rpcnotify = vim.fn.jobstart, vim.rpcnotify
  M.notify = rpcnotify
  vim.fn.jobstart = function(command, options)
    if command[2] ~= "serve" then
      return jobstart(command, options)
    end
    local on_exit = options.on_exit
    forget(M.channel)
    M.started = M.started + 1
    M.channel = jobstart(
      command,
      vim.tbl_extend("force", options, {
        on_exit = function(channel, ...)
          forget(channel)
          on_exit(channel, ...)
        end,
      })
    )
    return M.channel
  end
  vim.rpcnotify = function(channel, method, argument)
    table.insert(M.sent, { method = method, argument = argument })
    if method == "ask" then
      M.awaited[argument.token] = true
    end
    if method == "options" then
      M.options = argument
    elseif method == "run" then
      rpcnotify(channel, "options", steered(argument.id))
    end
    rpcnotify(channel, method, argument)
    return method == "run" and rpcnotify(channel, "options", M.options)
  end
  local apply = require("botglue.apply")
  local reply = apply.reply
  function apply.reply(argument)
    M.awaited[argument.token] = nil
    reply(argument)
  end
  -- A machine with much to do is no silent host.
  local connection = require("botglue.host.connection")
  connection.asked_within, connection.completed_within = DEADLINE, DEADLINE
  -- Specs see at once whether anything is left of a job.
  vim.g.botglue = {
    host = M.PROGRAM,
    status = { outcome = 0 },
    prewarm = false,
  }
  vim.api.nvim_create_autocmd("User", {
    pattern = "Botglue*",
    callback = function(event)
      table.insert(M.events, { name = event.match, job = event.data })
    end,
  })
end

--- Waits for a condition; fails with its name.
---@param name string
---@param condition fun(): any
local function eventually(name, condition)
  if not vim.wait(DEADLINE, condition, 1) then
    error(("within %d s it was not true that %s"):format(DEADLINE / 1000, name), 3)
  end
end

--- Waits until the host has replied to all that it was asked.
local function replied()
  if next(M.awaited) then
    eventually("the host replies to questions " .. table.concat(vim.tbl_keys(M.awaited), ", "), function()
      return next(M.awaited) == nil
    end)
  end
end

--- Asks a question of which the plugin knows nothing, and waits for the reply.
---@param what string
---@param arg table
local function ask(what, arg)
  M.awaited[0] = true
  local here = require("botglue.host.ask").here()
  if not pcall(M.notify, M.channel, "ask", { token = 0, what = what, arg = arg, here = here }) then
    -- The host has just died.
    M.awaited[0] = nil
  end
  replied()
end

--- Waits until the host has read all that the plugin and Neovim have sent, and knows the text of each buffer.
function M.heard()
  for bufnr in pairs(require("botglue.host.connection").mirrored) do
    if vim.api.nvim_buf_is_loaded(bufnr) then
      ask("mirror", { buffer = bufnr })
    end
  end
  -- A buffer that is not mirrored: answered at once, behind what was sent before.
  ask("mirror", { buffer = 0 })
end

--- What changes with each change of a text, and with all that the plugin sends.
---@return integer
local function news()
  local sum = #M.sent
  for _, bufnr in ipairs(vim.api.nvim_list_bufs()) do
    sum = sum + (vim.api.nvim_buf_is_loaded(bufnr) and vim.api.nvim_buf_get_changedtick(bufnr) or 0)
  end
  return sum
end

--- Waits until the host is ready, if it was started, has read all that it was sent, has replied to all that it was
--- asked, and has said where ranges are in the text as it is.
function M.settle()
  local connection = require("botglue.host.connection")
  local process = connection.process
  if process and not process.ready then
    eventually("the host is ready", function()
      return process.ready or not process.gone
    end)
  end
  replied()
  if process and process.ready and M.channel then
    ask("settled", {})
  end
  local has_ranges = next(connection.jobs)
  if process and process.ready and M.channel and has_ranges and M.news ~= news() then
    M.heard()
    -- What it says of places comes behind its reply.
    M.heard()
    M.news = news()
  end
end

---@param id integer
---@return Agent
function M.agent(id)
  eventually(("the host is asked for job %d"):format(id), function()
    return M.agents[id]
  end)
  return M.agents[id]
end

--- Has the agent of a job do something.
---@param id integer
---@param what string a method of `support.agent`
function M.steer(id, what, ...)
  local steered_agent = M.agent(id)
  return steered_agent[what](steered_agent, ...)
end

--- Waits until a job has ended or is ready, and the host has replied to what followed from that.
---@param id integer
function M.ended(id)
  eventually(("job %d has ended"):format(id), function()
    local status = require("botglue").job(id).status
    return status ~= "queued" and status ~= "running"
  end)
  M.settle()
end

--- An answer by lines, as an agent says it: in a fence where it would else be no answer, and in two where it is not
--- to be clear which one is meant.
---@param lines string[]
---@param ambiguous boolean
---@return string
local function spoken(lines, ambiguous)
  local text = table.concat(lines, "\n")
  local fenced = table.concat(vim.iter({ "```", lines, "```" }):flatten():totable(), "\n")
  if ambiguous then
    return fenced .. "\nor\n" .. fenced
  end
  return vim.trim(text) == "" and fenced or text
end

--- What the agent of a job was told.
---@param id integer
---@return string
function M.message(id)
  local path = M.agent(id).path .. ".message"
  eventually(("the agent of job %d has its message"):format(id), function()
    return vim.uv.fs_stat(path)
  end)
  local message = table.concat(vim.fn.readfile(path), "\n")
  return M.agent(id).is_text and message or vim.json.decode(message).message.content[1].text
end

--- Ends a job with an answer by lines.
---@param id integer
---@param lines string[]
---@param more table?
function M.answer(id, lines, more)
  more = more or {}
  if more.held_for == "raw" then
    M.agent(id):print(table.concat(lines, "\n"))
    M.agent(id):exit(0)
  else
    M.agent(id):answer(more.text or spoken(lines, more.held_for == "ambiguous"), more)
  end
  M.ended(id)
end

--- The host is killed; there may be another one by then.
function M.die()
  local channel = M.channel
  vim.uv.kill(vim.fn.jobpid(channel), "sigkill")
  eventually("the host is gone", function()
    return M.channel ~= channel
  end)
end

--- The host is killed; waits until the next one is ready and knows the texts.
function M.restart()
  M.die()
  eventually("the next host is started", function()
    return M.channel
  end)
  M.settle()
  M.heard()
end

--- The requests of one method that were sent to it.
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

return M
