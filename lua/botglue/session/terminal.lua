--- Opens a job's session in a terminal for the user. Nothing here closes the window.

local ask = require("botglue.editor.ask")
local choose = require("botglue.jobs.choose")
local client = require("botglue.host.client")
local fail = require("botglue.host.errors").fail
local writer = require("botglue.session.writer")

local M = {}

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
  require("botglue.host.errors").no_window_in_cmdwin()
  local found = ask.open("terminal", {
    name = job.agent,
    agent = {
      protocol = agent.protocol,
      command = agent.command,
      env = agent.env or vim.empty_dict(),
      directory = agent.directory,
    },
    session_id = session_id,
    cwd = job.cwd,
    trust_project = options.trust_project,
    data_dir = options.data_dir,
  })
  local env = vim.tbl_extend("force", agent.env or {}, { PATH = found.path })
  vim.cmd.new()
  run(found.command, { cwd = found.cwd, env = env })
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
