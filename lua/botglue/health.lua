--- `:checkhealth botglue`: what a job needs, each part tried out.

local client = require("botglue.client")
local host = require("botglue.host")
local program = require("botglue.program")
local shipped = require("botglue.shipped")
local version = require("botglue.version")

local M = {}

local health = vim.health
local ANSWER_WITHIN = 10000 -- milliseconds; a CLI of half a gigabyte takes long the first time

--- Asks a program for its version. Others can be asked at the same time.
---@param path string of the program
---@param search string? its PATH
---@return fun(): string?, string? answer the first line that it prints; nil and why when it does not
local function ask_version(path, search)
  local settings = { text = true, timeout = ANSWER_WITHIN, env = { PATH = program.search_path(search) } }
  local ok, running = pcall(vim.system, { path, "--version" }, settings)
  return function()
    if not ok then
      return nil, tostring(running)
    end
    local result = running:wait()
    if result.code ~= 0 then
      local said = vim.trim((result.stderr or "") .. (result.stdout or ""))
      return nil,
        ("exit code %d%s"):format(result.code, said ~= "" and ", " .. vim.split(said, "\n")[1] or "")
    end
    return vim.split(vim.trim(result.stdout), "\n")[1]
  end
end

local function check_neovim()
  health.start("botglue: Neovim")
  if vim.fn.has("nvim-0.10") == 1 then
    health.ok("Neovim " .. tostring(vim.version()))
  else
    health.error("Neovim " .. tostring(vim.version()) .. " is too old", "botglue needs 0.10 or newer")
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
  for _, path in ipairs(unknown) do
    health.warn(("there is no option %s"):format(path))
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

---@param options botglue.Options
local function check_host(options)
  health.start("botglue: host")
  local path, looked = host.binary(options)
  if not path then
    health.error("there is no host at " .. looked, host.INSTALL)
    return
  end
  local said, err = ask_version(path)()
  if not said then
    health.error(("%s does not run: %s"):format(path, err), host.INSTALL)
    return
  end
  if said ~= "botglue " .. version then
    health.error(("%s says %q, the plugin is %s"):format(path, said, version), host.INSTALL)
    return
  end
  health.ok(("%s, %s"):format(path, said))
  check_handshake(options)
end

--- What is known of an agent's login without asking it.
---@param agent botglue.Agent
---@param login botglue.Login
---@return string
local function login_of(agent, login)
  for _, variable in ipairs(login.env) do
    if (agent.env or {})[variable] or vim.env[variable] then
      return variable .. " is set"
    end
  end
  for _, file in ipairs(login.files) do
    if vim.uv.fs_stat(vim.fs.normalize(file)) then
      return file
    end
  end
  return ("none that botglue can see; where a job says that there is none, %s"):format(login.how)
end

--- What keeps an agent from writing, and from what a project's own settings run.
---@param name string
---@param agent botglue.Agent
---@param options botglue.Options
local function check_trust(name, agent, options)
  local known = shipped.of(name, agent)
  local keeps = ("%s: read-only by: %s"):format(name, known.keeps)
  if shipped.is_apart(name, agent, options) then
    keeps = keeps .. "; runs in an empty directory"
  elseif options.trust_project then
    keeps = keeps .. "; loads the project's own settings, as trust_project says"
  end
  health.info(keeps)
  for _, field in ipairs(known.loads ~= "everything" and { "mode", "meta", "directory" } or {}) do
    if agent[field] ~= nil then
      health.warn(
        ("%s: agents.%s.%s is set"):format(name, name, field),
        "what is said above of what keeps it read-only holds without it"
      )
    end
  end
end

---@param options botglue.Options
local function check_agents(options)
  health.start("botglue: agents")
  local names, paths, versions = vim.tbl_keys(options.agents), {}, {}
  table.sort(names)
  for _, name in ipairs(names) do
    local agent = options.agents[name]
    paths[name] = program.of(agent)
    versions[name] = paths[name] and ask_version(paths[name], (agent.env or {}).PATH)
  end
  for _, name in ipairs(names) do
    local agent, path = options.agents[name], paths[name]
    local chosen = name == options.agent
    local title = chosen and name .. " (runs the jobs)" or name
    if not path then
      local report = chosen and health.error or health.info
      report(("%s: %s is not in PATH"):format(title, program.command(agent)[1]))
    else
      local said, err = versions[name]()
      if said then
        health.ok(("%s: %s, %s"):format(title, path, said))
      else
        health.warn(("%s: %s does not tell its version: %s"):format(title, path, err))
      end
      local login = shipped.of(name, agent).login
      if login then
        health.info(("%s: login: %s"):format(name, login_of(agent, login)))
      end
      check_trust(name, agent, options)
    end
  end
end

---@param options botglue.Options
local function check_directories(options)
  health.start("botglue: directories")
  for what, path in pairs({ data = options.data_dir, log = vim.fn.fnamemodify(host.log_path(), ":h") }) do
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
    check_host(options)
    check_agents(options)
    check_directories(options)
  end
end

return M
