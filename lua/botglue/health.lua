--- `:checkhealth botglue`: what a job needs, each part tried out.

local client = require("botglue.client")
local host = require("botglue.host")
local program = require("botglue.program")
local version = require("botglue.version")

local M = {}

local health = vim.health
local ANSWER_WITHIN = 5000 -- milliseconds

--- The first line that a program prints when asked for its version; nil and why when it does not.
---@param path string of the program
---@param search string? its PATH
---@return string? line
---@return string? err
local function version_of(path, search)
  local settings = { text = true, timeout = ANSWER_WITHIN, env = { PATH = program.search_path(search) } }
  local ok, running = pcall(vim.system, { path, "--version" }, settings)
  if not ok then
    return nil, tostring(running)
  end
  local result = running:wait()
  if result.code ~= 0 then
    local said = vim.trim((result.stderr or "") .. (result.stdout or ""))
    return nil, ("exit code %d%s"):format(result.code, said ~= "" and ", " .. vim.split(said, "\n")[1] or "")
  end
  return vim.split(vim.trim(result.stdout), "\n")[1]
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
    health.error("there is no host at " .. looked, "run `make build` in the plugin's directory")
    return
  end
  local said, err = version_of(path)
  if not said then
    health.error(("%s does not run: %s"):format(path, err), "run `make build` in the plugin's directory")
    return
  end
  if said ~= "botglue " .. version then
    health.error(
      ("%s says %q, the plugin is %s"):format(path, said, version),
      "run `make build` in the plugin's directory"
    )
    return
  end
  health.ok(("%s, %s"):format(path, said))
  check_handshake(options)
end

---@param options botglue.Options
local function check_agents(options)
  health.start("botglue: agents")
  local names = vim.tbl_keys(options.agents)
  table.sort(names)
  for _, name in ipairs(names) do
    local agent = options.agents[name]
    local command = require("botglue.run").command(agent)[1]
    local path = program.find(command, (agent.env or {}).PATH)
    local chosen = name == options.agent
    local title = chosen and name .. " (runs the jobs)" or name
    if not path then
      local report = chosen and health.error or health.info
      report(("%s: %s is not in PATH"):format(title, command))
    else
      local said, err = version_of(path, (agent.env or {}).PATH)
      if said then
        health.ok(("%s: %s, %s"):format(title, path, said))
      else
        health.warn(("%s: %s does not tell its version: %s"):format(title, path, err))
      end
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
