--- `:checkhealth botglue`: checks each part that a job needs.

require("botglue.wiring")

local client = require("botglue.host.client")
local host_process = require("botglue.host.process")
local program = require("botglue.util.program")
local agents = require("botglue.host.agents")
local version = require("botglue.version")
local versions = require("botglue.util.versions")

local M = {}

local health = vim.health
local ANSWER_WITHIN = 10000 -- milliseconds for the host, which has a deadline of its own

local function check_neovim()
  health.start("botglue: Neovim")
  if vim.fn.has("nvim-0.11") == 1 then
    health.ok("Neovim " .. tostring(vim.version()))
  else
    health.error("Neovim " .. tostring(vim.version()) .. " is too old", "botglue needs 0.11 or newer")
  end
end

---@return botglue.Options?
local function check_options()
  health.start("botglue: options")
  local ok, options, unknown = pcall(client.options)
  if not ok then
    health.error(tostring(options))
    return nil
  end
  for _, words in ipairs(require("botglue.config").warnings(unknown)) do
    health.warn(words)
  end
  if #unknown == 0 then
    health.ok("all options are known and of the right type")
  end
  return options
end

--- The host answers on its channel, as it does for a job.
---@param options botglue.Options
local function check_handshake(options)
  local started = vim.uv.hrtime()
  local process, err = client.connect(options)
  if process then
    vim.wait(ANSWER_WITHIN, function()
      return process.ready or process.failed
    end, 2)
    err = process.failed
  end
  if err then
    health.error(err.message)
  elseif process and process.ready then
    health.ok(("the host answers (%d ms)"):format((vim.uv.hrtime() - started) / 1e6))
  else
    health.error("the host does not answer", "see :Botglue log")
  end
end

--- The programs that are asked for their versions: the host, and those of the agents. One of the protocol text is not:
--- it may do anything with what it is given.
---@param options botglue.Options
---@return table<string, string> paths of the agents' programs by the agent
---@return table<string, botglue.ProgramVersion> known by path
local function ask_versions(options)
  local own = host_process.binary(options)
  local paths, programs = {}, own and { { path = own } } or {}
  for name, agent in vim.spairs(options.agents) do
    local path = program.of(agent)
    paths[name] = path
    local is_new = path and not vim.iter(programs):any(function(one)
      return one.path == path
    end)
    if is_new and agent.protocol ~= "text" then
      programs[#programs + 1] = { path = path, search = (agent.env or {}).PATH }
    end
  end
  local known = {}
  for i, answer in ipairs(versions.ask(programs)) do
    known[programs[i].path] = answer
  end
  return paths, known
end

---@param options botglue.Options
---@param known table<string, botglue.ProgramVersion>
local function check_host(options, known)
  health.start("botglue: host")
  local path, looked = host_process.binary(options)
  if not path then
    health.error("there is no host at " .. looked, host_process.INSTALL)
    return
  end
  local answer = known[path]
  if not answer.said then
    health.error(("%s does not run: %s"):format(path, answer.err), host_process.INSTALL)
    return
  elseif answer.said ~= "botglue " .. version then
    health.error(("%s says %q, the plugin is %s"):format(path, answer.said, version), host_process.INSTALL)
    return
  end
  health.ok(("%s, %s"):format(path, answer.said))
  check_handshake(options)
end

--- The login of an agent, as far as it can be seen without asking the agent.
---@param agent botglue.Agent
---@param known botglue.Shipped
---@return string
local function login_of(agent, known)
  for _, variable in ipairs(known.login_variables) do
    if (agent.env or {})[variable] or vim.env[variable] then
      return variable .. " is set"
    end
  end
  local file = known.login_file
  if file and vim.uv.fs_stat(vim.fs.normalize(file)) then
    return file
  end
  return ("not found by botglue; if a job fails because of it, %s"):format(known.login)
end

--- Reports what keeps an agent read-only, and whether it loads the project's own settings.
---@param name string
---@param known botglue.Shipped
---@param agent botglue.Agent
---@param options botglue.Options
local function check_trust(name, known, agent, options)
  local keeps = ("%s: read-only by: %s"):format(name, known.keeps)
  if agents.is_apart(known, agent, options) then
    keeps = keeps .. "; runs in an empty directory"
  elseif options.trust_project then
    keeps = keeps .. "; loads the project's own settings, as trust_project says"
  end
  health.info(keeps)
  for _, field in ipairs(known.loads ~= "everything" and { "mode", "meta", "directory" } or {}) do
    if agent[field] ~= nil then
      health.warn(
        ("%s: agents.%s.%s is set"):format(name, name, field),
        "the line above describes the agent without this option"
      )
    end
  end
end

--- The program of an agent and its version.
---@param title string
---@param name string
---@param options botglue.Options
---@param path string
---@param answer botglue.ProgramVersion?
local function check_program(title, name, options, path, answer)
  if options.agents[name].protocol == "text" then
    health.ok(("%s: %s, a program of the protocol text: not started here"):format(title, path))
  elseif answer and answer.said then
    health.ok(("%s: %s, %s"):format(title, path, answer.said))
  else
    health.warn(("%s: %s does not tell its version: %s"):format(title, path, answer and answer.err))
  end
end

---@param options botglue.Options
---@param paths table<string, string>
---@param known table<string, botglue.ProgramVersion>
local function check_agents(options, paths, known)
  health.start("botglue: agents")
  for name, agent in vim.spairs(options.agents) do
    local path, chosen = paths[name], name == options.agent
    local title = chosen and name .. " (runs the jobs)" or name
    if not path then
      local report = chosen and health.error or health.info
      report(("%s: %s is not in PATH"):format(title, program.command(agent)[1]))
    else
      check_program(title, name, options, path, known[path])
      local shipped_agent = agents.of(name, agent)
      if shipped_agent then
        if shipped_agent.login_file or #shipped_agent.login_variables > 0 then
          health.info(("%s: login: %s"):format(name, login_of(agent, shipped_agent)))
        end
        check_trust(name, shipped_agent, agent, options)
      end
    end
  end
end

---@param options botglue.Options
local function check_directories(options)
  health.start("botglue: directories")
  for what, path in pairs({ data = options.data_dir, log = vim.fn.fnamemodify(host_process.log_path(), ":h") }) do
    pcall(vim.fn.mkdir, path, "p")
    if vim.fn.filewritable(path) == 2 then
      health.ok(("%s: %s can be written to"):format(what, path))
    else
      health.error(("%s: %s cannot be written to"):format(what, path))
    end
  end
end

--- Called by `:checkhealth`.
function M.check()
  check_neovim()
  local options = check_options()
  if options then
    local paths, known = ask_versions(options)
    check_host(options, known)
    check_agents(options, paths, known)
    check_directories(options)
  end
end

return M
