--- Opens a job's session in a terminal for the user. Nothing here closes the window.

local choose = require("botglue.jobs.choose")
local client = require("botglue.host.client")
local fail = require("botglue.host.errors").fail
local program = require("botglue.util.program")
local agents = require("botglue.host.agents")
local writer = require("botglue.session.writer")

local M = {}

---@param known botglue.Shipped
---@param agent botglue.Agent
---@param cwd string the project's directory
---@param options botglue.Options
---@return string
local function directory(known, agent, cwd, options)
  if not agents.is_apart(known, agent, options) then
    return cwd
  end
  -- Where the host runs it: in a project that is not trusted it would run what that says.
  return require("botglue.util.empty_directory").find(options.data_dir)
    or fail("see :help botglue-security: there is no empty directory for it at %s", options.data_dir)
end

--- The command that opens a session of an agent.
---@param name string
---@param known botglue.Shipped
---@param agent botglue.Agent
---@param session_id string
---@return string[]
local function command_of(name, known, agent, session_id)
  local open = known.open
    or fail("%s has no command of its own that botglue knows to open a session with", name)
  local command = open.program and { open.program } or program.command(agent)
  return vim.list_extend(command, { open.flag, session_id })
end

--- Runs a program in a terminal in the current, empty buffer.
---@param command string[]
---@param settings { cwd: string, env: table<string, string> }
local function run(command, settings)
  -- With it the Claude CLI takes itself for one inside another.
  local inside = vim.env.CLAUDECODE
  vim.env.CLAUDECODE = nil
  local ok, result = pcall(vim.fn.jobstart, command, vim.tbl_extend("error", settings, { term = true }))
  vim.env.CLAUDECODE = inside
  if not ok or result <= 0 then
    vim.api.nvim_buf_delete(0, { force = true })
    fail("%s cannot be started: %s", command[1], ok and "see :checkhealth botglue" or result)
  end
end

--- Opens a session in a split.
---@param job { agent: string, session_id: string?, cwd: string }
---@param name string of the job, for messages
function M.open_session(job, name)
  local options = client.options()
  local session_id, agent = writer.session(name, job.agent, job.session_id)
  local known = agents.of(job.agent, agent) or fail("the host does not work: see :checkhealth botglue")
  local command = command_of(job.agent, known, agent, session_id)
  local cwd = directory(known, agent, job.cwd, options)
  local env = vim.tbl_extend("force", {}, agent.env or {})
  -- Before the terminal is in the project's directory.
  local path = program.find(command[1], env.PATH)
    or fail("install %s, or set agents.%s.command: there is no such program", command[1], job.agent)
  command[1], env.PATH = path, program.search_path(env.PATH)
  if vim.fn.isdirectory(cwd) == 0 then
    fail("the directory of the session is gone: %s", cwd)
  end
  require("botglue.host.errors").no_window_in_cmdwin()
  vim.cmd.new()
  run(command, { cwd = cwd, env = env })
  vim.cmd.startinsert()
end

--- `:Botglue open [id]`: opens the session of a job of this Neovim.
---@param id integer
function M.open(id)
  local job = choose.job(id)
  if job:is_open() then
    fail("job %d still works in its session: wait for it", id)
  end
  M.open_session(job, "job " .. id)
end

return M
