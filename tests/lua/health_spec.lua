local child = require("support.child")
local suite = require("support.suite")
local test, equal, contains = suite.test, suite.equal, suite.contains
local script = child.script

local VERSION = require("botglue.version")

--- What the report says with these options.
local function report(options)
  local nvim = child.start()
  nvim:lua("require('botglue').setup(...)", options)
  nvim:lua("vim.cmd.checkhealth('botglue')")
  return table.concat(nvim:lines(), "\n"), nvim
end

test("all is well", function()
  local host = require("support.host").PROGRAM
  local agent = script("echo '2.1.0 (Agent)'")
  local text, nvim = report({ host = host, agents = { claude = { command = { agent } } } })
  contains(text, "Neovim " .. tostring(nvim:lua("return tostring(vim.version())")))
  contains(text, "all options are known")
  contains(text, host .. ", botglue " .. VERSION)
  contains(text, "the host answers (")
  contains(text, "claude (runs the jobs): " .. agent .. ", 2.1.0 (Agent)")
  contains(text, "droid: droid is not in PATH")
  contains(text, "codex: codex-acp is not in PATH")
  contains(text, "data: ")
  contains(text, "log: ")
  equal(text:find("ERROR"), nil, text)
end)

test("no host", function()
  local text = report({ host = "/nowhere/botglue" })
  contains(text, "there is no host at /nowhere/botglue")
  contains(text, "make install")
end)

test("a host of another version, and one that does not answer", function()
  contains((report({ host = script("echo botglue 0.0.1") })), '"botglue 0.0.1", the plugin is ' .. VERSION)
  local silent = script(('[ "$1" = serve ] || echo "botglue %s"'):format(VERSION))
  contains((report({ host = silent })), "exited with code 0")
end)

test("the agent that runs the jobs is not there", function()
  local text = report({ host = "/nowhere", agents = { claude = { command = { "/nowhere/claude" } } } })
  contains(text, "claude (runs the jobs): /nowhere/claude is not in PATH")
end)

test("each agent that is installed: its version, its login, and what keeps it read-only", function()
  local program = { script("echo 1.2.3") }
  local text = report({
    host = "/nowhere",
    agent = "codex",
    agents = {
      codex = { command = program, env = { OPENAI_API_KEY = "x" } },
      qwen = { command = program },
      gemini = { command = program, directory = "project" },
      mine = { protocol = "acp", command = program },
      other = { protocol = "text", command = program },
    },
  })
  contains(text, "codex (runs the jobs): " .. program[1] .. ", 1.2.3")
  contains(text, "codex: login: OPENAI_API_KEY is set")
  contains(text, "codex: read-only by: its own sandbox (mode `read-only`)")
  contains(text, "runs in an empty directory")
  contains(text, "qwen: login: none that botglue can see; where a job says that there is none, run `qwen`")
  contains(text, "gemini: agents.gemini.directory is set")
  contains(text, "mine: read-only by: nothing: it is as trusted as a program of the protocol text")
  contains(text, "other: read-only by: nothing")
  equal(text:find("mine: login"), nil)
end)

test("a program is looked for in the absolute entries of PATH alone", function()
  local nvim = child.start()
  nvim:lua([[
    local project = vim.fn.tempname()
    vim.fn.mkdir(project .. "/bin", "p")
    vim.cmd.cd(project)
    for _, name in ipairs({ "claude", "botglue" }) do
      vim.fn.writefile({ "#!/bin/sh", "touch " .. project .. "/ran" }, "bin/" .. name)
      vim.fn.setfperm("bin/" .. name, "rwx------")
    end
    vim.env.PATH = "./bin:bin:/usr/bin:/bin"
    vim.cmd.checkhealth("botglue")
    vim.cmd.cd(project)
  ]])
  contains(table.concat(nvim:lines(), "\n"), "claude (runs the jobs): claude is not in PATH")
  equal(nvim:lua("return vim.uv.fs_stat('ran') == nil"), true)
end)

test("options that are not known", function()
  contains((report({ host = "/nowhere", timeuot = 3 })), "there is no option timeuot")
end)

test("a directory that cannot be made", function()
  local text = report({ host = "/nowhere", data_dir = "/dev/null/botglue" })
  contains(text, "data: /dev/null/botglue cannot be written to")
  contains(text, "log: ")
end)
