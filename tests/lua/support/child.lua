--- A Neovim of its own for a test, driven over RPC: real keys, real modes, a screen of 80×24.

local suite = require("support.suite")

local M = {}

---@class Child
---@field channel integer
local Child = {}
Child.__index = Child

local here = vim.fn.fnamemodify(debug.getinfo(1, "S").source:sub(2), ":p:h:h")
local root = vim.fs.dirname(vim.fs.dirname(here))

function M.program()
  return vim.env.BOTGLUE_TEST_NVIM or vim.v.progpath
end

--- Calls an API function of the child.
function Child:api(name, ...)
  return vim.rpcrequest(self.channel, "nvim_" .. name, ...)
end

local SETTLE = "if package.loaded['support.host'] then require('support.host').settle() end "

-- A key that waits for the host has other keys behind it, and may press some itself.
local IS_SETTLED = [[
  local connection = package.loaded["botglue.host.connection"]
  local is_asking = connection and (connection.deciding_in or connection.asking > 0)
  return _G.settled and not is_asking and vim.fn.getchar(1) == 0
]]

--- Runs a chunk of Lua in the child and returns what it returns, as soon as the host has replied to all that the plugin
--- asked. A child that waits for a key would never answer.
function Child:lua(code, ...)
  local mode = self:api("get_mode")
  if mode.blocking then
    error("the child waits for a key, in mode " .. mode.mode, 2)
  end
  return self:api("exec_lua", SETTLE .. code, { ... })
end

--- Types keys, each string after the one before, as a user does: what one leads to in the next tick is over before the
--- next one.
---@param ... string
function Child:type(...)
  for _, keys in ipairs({ ... }) do
    self:api("input", keys)
    self:settle()
  end
end

--- Waits until what was typed has been read: an event that was queued behind it has run, or a key is waited for.
function Child:settle()
  if self:api("get_mode").blocking then
    return
  end
  local schedule = SETTLE .. "_G.settled = false; vim.schedule(function() _G.settled = true end)"
  self:api("exec_lua", schedule, {})
  suite.eventually("the child is idle", function()
    return self:api("get_mode").blocking or self:api("exec_lua", SETTLE .. IS_SETTLED, {})
  end)
end

--- Waits until Lua in the child gives a true value, and returns it.
---@param name string
---@param code string
function Child:eventually(name, code, ...)
  local arguments = { ... }
  return suite.eventually(name, function()
    local value = self:lua(code, unpack(arguments))
    return value ~= vim.NIL and value
  end)
end

---@param bufnr integer? default: the current buffer
---@return string[]
function Child:lines(bufnr)
  return self:lua("return vim.api.nvim_buf_get_lines(..., 0, -1, true)", bufnr or 0)
end

---@param lines string[]
function Child:set_lines(lines)
  self:api("buf_set_lines", 0, 0, -1, true, lines)
end

--- A request to start a job, by which of all it is, once the host has it.
---@param count integer
function Child:request(count)
  local code = "return #require('support.host').received('run') >= ..."
  self:eventually(("request %d arrives"):format(count), code, count)
  return self:host("received", "run")[count]
end

--- What the agent of a job was told.
---@param id integer
---@return string
function Child:message(id)
  return self:host("message", id)
end

--- Starts a job on a range of the API, and waits until the host has its request.
---@param range table
---@param options table?
function Child:run(range, options)
  local id = self:lua(
    "return require('botglue').run(vim.tbl_extend('force', { prompt = 'it', range = ... }, select(2, ...)))",
    range,
    options or vim.empty_dict()
  )
  self:request(id)
  return id
end

--- Calls a function of the host's support.
function Child:host(name, ...)
  return self:lua("local name = ...; return require('support.host')[name](select(2, ...))", name, ...)
end

--- Waits until the host has said that a job runs: what is told of the job from then on follows that.
---@param id integer
function Child:runs(id)
  self:eventually(("job %d runs"):format(id), "return require('botglue').job(...).status == 'running'", id)
end

--- Has the agent of a job do something: a method of `support.agent`.
function Child:agent(id, what, ...)
  return self:host("steer", id, what, ...)
end

--- Ends a job with an answer, by lines.
function Child:answer(id, lines, more)
  self:host("answer", id, lines, more or vim.empty_dict())
end

function Child:job(id)
  return self:lua("return require('botglue').job(...)", id)
end

--- How a job ended: its status, its landing, and why it is held.
---@return string[]
function Child:outcome(id)
  local job = self:job(id)
  return { job.status, job.landing, job.held_for }
end

--- What is on the screen, as one text.
---@return string
function Child:screen()
  return self:lua([[
    vim.cmd.redraw()
    local rows = {}
    for row = 1, vim.o.lines do
      local cells = {}
      for column = 1, vim.o.columns do
        cells[column] = vim.fn.screenstring(row, column)
      end
      rows[row] = table.concat(cells):gsub("%s+$", "")
    end
    return table.concat(rows, "\n")
  ]])
end

--- Waits until a text is on the screen.
---@param text string
function Child:shows(text)
  suite.eventually("the screen has " .. text, function()
    return self:screen():find(text, 1, true)
  end)
end

---@return string
function Child:messages()
  return self:lua("return vim.fn.execute('messages')")
end

--- How many things of ours are drawn in all buffers.
---@return integer
function Child:drawn()
  return self:lua([[
    local count = 0
    for _, name in ipairs({ "botglue.status", "botglue.highlight" }) do
      local namespace = vim.api.nvim_create_namespace(name)
      for _, bufnr in ipairs(vim.api.nvim_list_bufs()) do
        count = count + #vim.api.nvim_buf_get_extmarks(bufnr, namespace, 0, -1, {})
      end
    end
    return count
  ]])
end

--- Waits until the status lines have ticked some times.
---@param count integer
function Child:ticks(count)
  self:lua("_G.ticks_from = vim.uv.now()")
  self:eventually("time passes", "return vim.uv.now() - ticks_from > ...", count * 120)
end

--- A program: a shell script that is gone after the test.
---@param text string
---@return string path
function M.script(text)
  local path = vim.fn.tempname()
  vim.fn.writefile(vim.split("#!/bin/sh\n" .. text, "\n"), path)
  vim.uv.fs_chmod(path, tonumber("700", 8))
  suite.finally(function()
    vim.fn.delete(path)
  end)
  return path
end

--- Starts a child that ends with the test.
---@param before string? Lua that runs before the plugin is loaded
---@return Child
function M.start(before)
  local directory = vim.fn.tempname()
  vim.fn.mkdir(directory .. "/home", "p")
  -- The default agent is installed; what runs is the agent of the spec.
  vim.fn.mkdir(directory .. "/bin", "p")
  vim.fn.writefile({ "#!/bin/sh", "exit 1" }, directory .. "/bin/claude")
  vim.uv.fs_chmod(directory .. "/bin/claude", tonumber("700", 8))
  local channel = vim.fn.jobstart({ M.program(), "--embed", "--clean", "-n", "-i", "NONE" }, {
    rpc = true,
    clear_env = true,
    env = {
      PATH = directory .. "/bin:" .. vim.env.PATH,
      HOME = directory .. "/home",
      TERM = "xterm-256color",
      LANG = "C.UTF-8",
      BOTGLUE_TEST_HOST = vim.env.BOTGLUE_TEST_HOST,
      TMPDIR = vim.env.TMPDIR,
      XDG_DATA_HOME = directory .. "/data",
      XDG_STATE_HOME = directory .. "/state",
      XDG_CACHE_HOME = directory .. "/cache",
    },
  })
  assert(channel > 0, "the child Neovim does not start")
  local self = setmetatable({ channel = channel }, Child)
  suite.finally(function()
    pcall(vim.fn.jobstop, channel)
    vim.fn.delete(directory, "rf")
  end)
  self:api("ui_attach", 80, 24, { rgb = true })
  self:lua(
    [[
      local root, here = ...
      vim.opt.runtimepath:prepend(root)
      package.path = here .. "/?.lua;" .. package.path
    ]],
    root,
    here
  )
  self:lua(before or "")
  self:lua("vim.cmd.runtime('plugin/botglue.lua')")
  return self
end

--- A child with the real host, whose agents the spec steers.
---@param lines string[]
---@return Child
function M.with_host(lines)
  local self = M.start()
  self:lua("require('support.host').install()")
  self:set_lines(lines)
  -- The filling of the buffer is no change of the user's.
  self:lua("vim.bo.undolevels = vim.bo.undolevels")
  return self
end

--- Such a child with a job on a range of the API.
---@param lines string[]
---@param range table
---@param options table?
---@return Child
function M.with_job(lines, range, options)
  local self = M.with_host(lines)
  self:run(range, options)
  return self
end

---@param count integer
---@return string[] lines that read "line 1" and so on
function M.numbered(count)
  local lines = {}
  for i = 1, count do
    lines[i] = "line " .. i
  end
  return lines
end

--- Whole lines, as the API takes them.
---@param first integer
---@param last integer? default: the first
---@return table range
function M.line(first, last)
  return { kind = "line", first = { first, 0 }, last = { last or first, 0 } }
end

return M
