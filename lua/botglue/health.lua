--- `:checkhealth botglue`: checks Neovim, the options, and whether the host starts. The host reports the rest.

local client = require("botglue.host.client")
local host_process = require("botglue.host.process")

local M = {}

local health = vim.health
local REPLY_WITHIN = 10000 -- milliseconds for the host, which asks the agents' programs for their versions

---@param options botglue.Options
local function check_host(options)
  health.start("botglue: host")
  local path, looked = host_process.binary(options)
  if not path then
    health.error("there is no host at " .. looked, host_process.INSTALL)
    return
  end
  local asked = { log_dir = vim.fs.dirname(host_process.log_path()) }
  local started = vim.uv.hrtime()
  local ok, reply = pcall(require("botglue.host.ask").open, "health", asked, { within = REPLY_WITHIN })
  if not ok then
    health.error(("%s: %s"):format(path, reply))
    return
  end
  health.ok(("%s, botglue %s"):format(path, require("botglue.version")))
  health.ok(("the host answers (%d ms, with the agents' versions)"):format((vim.uv.hrtime() - started) / 1e6))
  for _, section in ipairs(reply.sections) do
    health.start(section.title)
    for _, line in ipairs(section.lines) do
      health[line[1]](line[2], line[3] ~= vim.NIL and line[3] or nil)
    end
  end
end

--- Called by `:checkhealth`.
function M.check()
  health.start("botglue: Neovim")
  if vim.fn.has("nvim-0.11") == 1 then
    health.ok("Neovim " .. tostring(vim.version()))
  else
    health.error("Neovim " .. tostring(vim.version()) .. " is too old", "botglue needs 0.11 or newer")
  end
  health.start("botglue: options")
  local ok, options, unknown = pcall(client.options)
  if not ok then
    health.error(tostring(options))
    return
  end
  for _, path in ipairs(unknown) do
    health.warn("there is no option " .. path)
  end
  if #unknown == 0 then
    health.ok("all options are known and of the right type")
  end
  check_host(options)
end

return M
