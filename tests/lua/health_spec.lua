local child = require("support.child")
local suite = require("support.suite")
local test, equal, contains = suite.test, suite.equal, suite.contains
local script = child.script

local VERSION = require("botglue.version")
local HOST = require("support.host").PROGRAM

--- What the report says with these options.
local function report(options)
  local nvim = child.start()
  nvim:lua("require('botglue').setup(...)", options)
  nvim:lua("vim.cmd.checkhealth('botglue')")
  return table.concat(nvim:lines(), "\n"), nvim
end

test("all is well", function()
  local agent = script("echo '2.1.0 (Agent)'")
  local text, nvim = report({ host = HOST, agents = { claude = { command = { agent } } } })
  contains(text, "Neovim " .. tostring(nvim:lua("return tostring(vim.version())")))
  contains(text, "all options are known")
  contains(text, HOST .. ", botglue " .. VERSION)
  contains(text, "the host answers (")
  contains(text, "claude (runs the jobs): " .. agent .. ", 2.1.0 (Agent)")
  contains(text, "droid: droid is not in PATH")
  contains(text, "data: ")
  contains(text, "log: ")
  equal(text:find("ERROR"), nil, text)
end)

test("what is wrong is said of the host, the options and the folder of data", function()
  local silent = script("exit 0")
  for says, options in pairs({
    ["there is no host at /nowhere/botglue"] = { host = "/nowhere/botglue" },
    ["there is no option timeuot"] = { host = "/nowhere", timeuot = 3 },
    [silent .. ": botglue: the host exited with code 0: ask again, or see :Botglue log"] = { host = silent },
    ["data: /dev/null/botglue cannot be written to"] = { host = HOST, data_dir = "/dev/null/botglue" },
  }) do
    contains((report(options)), says)
  end
end)

test("each agent that is installed: its version, its login, and what keeps it read-only", function()
  local program = { script("echo 1.2.3") }
  local text = report({
    host = HOST,
    agent = "codex",
    agents = {
      codex = { command = program, env = { OPENAI_API_KEY = "x" } },
      qwen = { command = program },
      gemini = { command = program, directory = "project" },
      mine = { protocol = "acp", command = program },
      other = { protocol = "text", command = program },
    },
  })
  contains(text, "codex: read-only by: its own sandbox (mode `read-only`)")
  contains(text, "qwen: login: not found by botglue; if a job fails because of it, run `qwen`")
  contains(text, "gemini: agents.gemini.directory is set")
  contains(text, "mine: read-only by: nothing: it is as trusted as a program of the protocol text")
  contains(text, "other: read-only by: nothing")
  equal(text:find("mine: login"), nil)
end)

test("a program is looked for in the absolute entries of PATH alone", function()
  local absent =
    { [HOST] = "claude (runs the jobs): claude is not in PATH", botglue = "there is no host at botglue" }
  for host, words in pairs(absent) do
    local nvim = child.start()
    nvim:lua("require('botglue').setup({ host = ... })", host)
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
    contains(table.concat(nvim:lines(), "\n"), words)
    equal(nvim:lua("return vim.uv.fs_stat('ran') == nil"), true)
  end
end)

test("a program that hangs is waited for two seconds in all, and ended with its children", function()
  local pids = vim.fn.tempname()
  local function hangs()
    return { command = { script(("echo $$ >>%s; sleep 1000 & echo $! >>%s; wait"):format(pids, pids)) } }
  end
  local nvim = child.start()
  nvim:lua("require('botglue').setup(...)", {
    host = HOST,
    agents = {
      claude = hangs(),
      droid = hangs(),
      codex = hangs(),
      qwen = { command = { script("echo 1.2.3") } },
    },
  })
  -- One after the other they would take six seconds.
  local took = nvim:lua([[
    local start = vim.uv.hrtime()
    vim.cmd.checkhealth("botglue")
    return (vim.uv.hrtime() - start) / 1e9
  ]])
  equal(took < 5, true, took .. " s")
  local text = table.concat(nvim:lines(), "\n")
  contains(text, "reports no version: no answer within 2 s")
  contains(text, "1.2.3")
  suite.eventually("what hung is ended", function()
    return vim.iter(vim.fn.readfile(pids)):all(function(pid)
      return vim.uv.fs_stat("/proc/" .. pid) == nil or vim.uv.kill(tonumber(pid), 0) ~= 0
    end)
  end)
  equal(#vim.fn.readfile(pids), 6)
  vim.fn.delete(pids)
end)

test("a version that is printed counts, also where the program goes on", function()
  local program = { script("echo 4.5.6; exec sleep 1000") }
  contains((report({ host = HOST, agents = { claude = { command = program } } })), program[1] .. ", 4.5.6")
end)

test("no program of the protocol text is run", function()
  local ran = vim.fn.tempname()
  local program = { script("touch " .. ran) }
  local text = report({ host = HOST, agents = { mine = { protocol = "text", command = program } } })
  contains(text, "mine: " .. program[1] .. ", of the protocol text: it is not asked for its version")
  equal(vim.uv.fs_stat(ran), nil)
end)

test("a host that it has started hears what happens to buffers, too", function()
  local nvim = child.with_host({ "one" })
  nvim:lua("vim.cmd('silent checkhealth botglue') vim.cmd.tabclose()")
  nvim:run(child.line(1))
  nvim:answer(1, { "ONE" })
  nvim:type(":enew!<CR>:bwipeout! 1<CR>")
  nvim:eventually("the host hears that it is gone", "return #require('support.host').received('wiped') == 1")
end)
