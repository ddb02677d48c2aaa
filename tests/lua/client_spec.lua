local child = require("support.child")
local suite = require("support.suite")
local test, equal, script = suite.test, suite.equal, child.script

local VERSION = require("botglue.version")
local PROGRAM = require("support.host").PROGRAM

--- A child with that program as its host, which collects the events.
---@param host string
---@param before string? Lua that runs before the plugin is loaded
local function with(host, before)
  local nvim = child.start(before)
  nvim:lua(
    [[
      _G.events = {}
      vim.api.nvim_create_autocmd("User", { pattern = "Botglue*", callback = function(event)
        table.insert(events, { event.match, event.data.id, event.data.status })
      end })
      require("botglue").setup({ host = ..., status = { outcome = 0 } })
    ]],
    host
  )
  nvim:set_lines({ "a", "b" })
  return nvim
end

--- A child with the real host, whose agents the spec steers, with a job on each of two rows.
local function with_jobs()
  local nvim = child.with_host({ "a", "b" })
  for id = 1, 2 do
    nvim:run(child.line(id, id))
    nvim:runs(id)
  end
  return nvim
end

local function run(nvim)
  return nvim:lua([[
    local id = require("botglue").run({ prompt = "it", range = { kind = "line", first = { 1 }, last = { 1 } } })
    table.insert(events, { "returned", id })
    return id
  ]])
end

--- Runs a job; its id and the pid of the host that this started, asked for before the host can say anything.
local function run_on_new_host(nvim)
  return unpack(nvim:lua([[
    local id = require("botglue").run({ prompt = "it", range = { kind = "line", first = { 1 }, last = { 1 } } })
    return { id, vim.fn.jobpid(require("botglue.host.connection").process.channel) }
  ]]))
end

local function ended(nvim, id)
  return nvim:eventually("job " .. id .. " ends", "return require('botglue').wait(..., 0)", id)
end

--- The job failed with that code, and nothing of it is left.
local function check_failed(nvim, id, code, words)
  local job = ended(nvim, id)
  equal({ job.status, job.error and job.error.code }, { "failed", code })
  for _, word in ipairs(words) do
    suite.contains(job.error.message, word)
  end
  equal(nvim:drawn(), 0)
  equal(nvim:lines(), { "a", "b" })
  equal(nvim:lua("return vim.tbl_count(require('botglue.host.connection').open)"), 0)
end

local function host_pid(nvim)
  return nvim:lua("return vim.fn.jobpid(require('support.host').channel)")
end

local function is_alive(pid)
  return vim.uv.kill(pid, 0) == 0
end

local function dies(pid)
  suite.eventually("process " .. pid .. " is gone", function()
    return not is_alive(pid)
  end)
end

test("a host that is not there: run() returns first, then the job fails once", function()
  local nvim = with("/nowhere/botglue")
  local id = run(nvim)
  check_failed(
    nvim,
    id,
    "host_missing",
    { "run :checkhealth botglue — host missing at ", "/nowhere/botglue", "make install" }
  )
  equal(nvim:lua("return events"), {
    { "BotglueJobStarted", 1, "queued" },
    { "returned", 1 },
    { "BotglueJobFinished", 1, "failed" },
  })
end)

test("a host that ends at once says why", function()
  local nvim = with(script("echo 'no such option' >&2; exit 3"))
  check_failed(nvim, run(nvim), "host_lost", { "exited with code 3", "no such option" })
end)

test("a host that never answers", function()
  local nvim = with(script("exec sleep 60"))
  nvim:lua("require('botglue.host.connection').ready_within = 50")
  local id, pid = run_on_new_host(nvim)
  check_failed(nvim, id, "host_lost", { "did not answer" })
  dies(pid)
end)

test("a host is not given up while a message waits for Enter at the first job", function()
  local nvim = child.with_host({ "a", "b" })
  local file = vim.fn.tempname()
  nvim:lua(
    [[
      local file = ...
      local connection = require("botglue.host.connection")
      connection.ready_within = 1000
      vim.api.nvim_create_user_command("Go", function()
        require("botglue").run({ prompt = "it", range = { kind = "line", first = { 1 }, last = { 1 } } })
        vim.uv.new_timer():start(2 * connection.ready_within, 0, function()
          vim.uv.fs_close(vim.uv.fs_open(file, "w", 384))
        end)
        print("one\ntwo")
      end, {})
    ]],
    file
  )
  nvim:api("input", ":Go<CR>")
  suite.eventually("the message waits for Enter", function()
    return nvim:api("get_mode").blocking
  end)
  suite.eventually("twice the time of a host has passed", function()
    return vim.uv.fs_stat(file)
  end)
  equal(nvim:api("get_mode").blocking, true)
  nvim:type("<CR>")
  nvim:runs(1)
  suite.contains(nvim:messages(), "two")
  equal(nvim:messages():find("did not answer"), nil)
end)

test("a host that prints something else", function()
  local nvim = with(script("echo Usage: something; exec sleep 60"))
  nvim:lua("require('botglue.host.connection').ready_within = 50")
  check_failed(nvim, run(nvim), "host_lost", {})
end)

test("a host of another version", function()
  -- The versions differ the other way round: what the plugin says of itself is all that a spec can change.
  local nvim = with(PROGRAM, "package.loaded['botglue.version'] = '9.9.9'")
  local id, pid = run_on_new_host(nvim)
  check_failed(nvim, id, "host_version", { "version " .. VERSION, "plugin 9.9.9", "make install" })
  dies(pid)
end)

test("a host that dies ends its jobs, and the next request starts another", function()
  local nvim = with_jobs()
  local pid = host_pid(nvim)
  nvim:host("die")
  check_failed(nvim, 1, "host_lost", { "signal 9" })
  check_failed(nvim, 2, "host_lost", {})
  equal(
    { nvim:host("count", "BotglueJobFinished", 1), nvim:host("count", "BotglueJobFinished", 2) },
    { 1, 1 }
  )
  nvim:run(child.line(1, 1))
  nvim:runs(3)
  equal(host_pid(nvim) ~= pid, true)
end)

test("an answer that is ready outlives its host: it is held", function()
  local nvim = with_jobs()
  nvim:type("v")
  nvim:answer(1, { "A" })
  equal(nvim:job(1).status, "ready")
  nvim:host("die")
  equal({ nvim:job(1).landing, nvim:job(2).status }, { "held", "failed" })
  nvim:type("<Esc>")
  nvim:lua("require('botglue').accept(1)")
  equal(ended(nvim, 1).landing, "applied")
  equal(nvim:lines(), { "A", "b" })
end)

test("what the agents of a host that died have started is ended, also what ignores TERM", function()
  local file = vim.fn.tempname()
  -- Where the kernel ends an agent with its host, it does not end what the agent has started.
  local stubborn = "(trap '' TERM; while :; do sleep 0.05; done)"
  local agent = script(("%s & echo $! > %s.new && mv %s.new %s; wait"):format(stubborn, file, file, file))
  local nvim = with(PROGRAM)
  nvim:lua(
    [[
      local agents = { mine = { protocol = "text", command = { ... } } }
      local host = require("botglue.host.client").options().host
      require("botglue").setup({ host = host, agents = agents, agent = "mine" })
    ]],
    agent
  )
  local id, host = run_on_new_host(nvim)
  suite.eventually("it has started something", function()
    return vim.uv.fs_stat(file)
  end)
  local started = tonumber(vim.fn.readfile(file)[1])
  suite.finally(function()
    vim.uv.kill(started, "sigkill")
  end)
  vim.uv.kill(host, "sigkill")
  ended(nvim, id)
  dies(started)
end)

test("leaving Neovim ends jobs, agents and host", function()
  local nvim = with_jobs()
  local host = host_pid(nvim)
  nvim:runs(2)
  local children = vim.fn.systemlist({ "ps", "-o", "pid=,args=", "--ppid", tostring(host) })
  local agent = vim.iter(children):rev():find(function(line)
    return not line:find(" reap", 1, true)
  end)
  agent = tonumber(agent:match("%d+"))
  nvim:answer(1, { "A" })
  local file = vim.fn.tempname()
  -- It may be gone before it replies.
  pcall(
    nvim.lua,
    nvim,
    [[
      local file = ...
      vim.api.nvim_create_autocmd("VimLeave", { callback = function()
        local ends = vim.tbl_filter(function(event)
          return event.name == "BotglueJobFinished"
        end, require("support.host").events)
        vim.fn.writefile(vim.tbl_map(function(event)
          return event.job.id .. " " .. event.job.status
        end, ends), file)
      end })
    ]],
    file
  )
  vim.rpcnotify(nvim.channel, "nvim_command", "qa!")
  dies(host)
  dies(agent)
  suite.eventually("the events were written", function()
    return vim.fn.filereadable(file) == 1 and #vim.fn.readfile(file) > 0
  end)
  equal(vim.fn.readfile(file), { "1 done", "2 failed" })
end)

test("Neovim ends while an answer is being accepted, and starts no host for it", function()
  local nvim = child.with_host({ "a", "b" })
  nvim:run(child.line(1, 1), { review = true })
  nvim:answer(1, { "A" })
  local pid = nvim:lua("return vim.fn.getpid()")
  nvim:host("hold", "jobs")
  nvim:lua("require('botglue').accept(1)")
  vim.rpcnotify(nvim.channel, "nvim_input", ":qa!<CR>")
  dies(pid)
end)

test("requests wait until the host is ready, then go in order", function()
  local nvim = child.with_host({ "a", "b" })
  local sent = nvim:lua([[
    local botglue, host = require("botglue"), require("support.host")
    botglue.run({ prompt = "one" })
    botglue.run({ prompt = "two" })
    _G.at_once = #host.sent
    return at_once
  ]])
  equal(sent, 0)
  nvim:eventually("both arrive", "return #require('support.host').received('run') == 2")
  local prompts = nvim:lua([[
    return vim.tbl_map(function(request) return request.prompt end, require("support.host").received("run"))
  ]])
  equal(prompts, { "one", "two" })
end)

test("a host that was told to end: the jobs that it has not started fail as those that it ran", function()
  local nvim = child.with_host({ "a", "b" })
  nvim:lua("require('botglue').setup({ max_parallel = 1 })")
  nvim:run({ kind = "line", first = { 1 }, last = { 1 } })
  nvim:run({ kind = "line", first = { 2 }, last = { 2 } })
  nvim:eventually("the first one runs", "return require('botglue').job(1).status == 'running'")
  nvim:host("stop")
  for id = 1, 2 do
    equal({ nvim:job(id).status, nvim:job(id).error.code }, { "failed", "host_lost" })
    equal(nvim:host("count", "BotglueJobFinished", id), 1)
  end
end)

test(
  "an answer that a host could not tell is held by the next one, once, also where that dies, too",
  function()
    local nvim = child.with_host({ "local a = 1", "local b = 2" })
    nvim:run({ kind = "line", first = { 2 }, last = { 2 } }, { review = true })
    -- The host ends while it tells the outcome: the answer is in the journal.
    nvim:host("hold", "jobs")
    nvim:agent(1, "answer", "B")
    nvim:host("arrived", "jobs", 1)
    nvim:host("die")
    nvim:host("release", "jobs")
    equal(nvim:job(1).status, "failed")
    nvim:eventually("the next one is told", "return #require('support.host').received('hello') == 1")
    nvim:host("die")
    nvim:eventually("it is held", "return require('botglue').job(2)")
    nvim:settle()
    local held = nvim:job(2)
    equal({ held.landing, held.held_for, held.first_line, held.text }, { "held", "review", 2, "B" })
    suite.contains(nvim:messages(), ":Botglue review 2 shows the answer of job 1, which was stored")
    nvim:lua("require('botglue').accept(2)")
    equal({ nvim:job(2).landing, nvim:lines() }, { "applied", { "local a = 1", "B" } })
    equal(#nvim:lua("return require('botglue').jobs()"), 2)
  end
)

test("updates come at most ten a second, and the last one is not lost", function()
  local nvim = child.with_host({ "a", "b" })
  nvim:run({ kind = "line", first = { 1 }, last = { 1 } })
  nvim:runs(1)
  nvim:lua([[
    _G.updates = {}
    vim.api.nvim_create_autocmd("User", { pattern = "BotglueJobUpdated", callback = function(event)
      table.insert(updates, { at = vim.uv.now(), tool = event.data.tool })
    end })
  ]])
  for i = 1, 20 do
    nvim:agent(1, "call", "Read", { file_path = tostring(i) })
    nvim:ticks(0.1)
  end
  nvim:eventually("the last update comes", "return updates[#updates] and updates[#updates].tool == 'Read 20'")
  local updates = nvim:lua("return updates")
  local took = updates[#updates].at - updates[1].at
  equal((#updates - 1) * 100 <= took + 10, true, ("%d updates in %d ms"):format(#updates, took))
end)

test("an error in a user's autocommand does not stop a job", function()
  local nvim = child.with_host({ "a" })
  -- Room for the error with its traceback, however long the paths in it are: else Neovim asks for Enter within the call
  -- that delivers the answer, and the call never returns.
  nvim:api("ui_try_resize", 400, 60)
  nvim:lua([[
    vim.o.cmdheight = 40
    vim.api.nvim_create_autocmd("User", { pattern = "BotglueJobFinished", callback = function() error("theirs") end })
  ]])
  nvim:run({ kind = "line", first = { 1 }, last = { 1 } })
  nvim:answer(1, { "A" })
  equal(nvim:job(1).status, "done")
  equal(nvim:lines(), { "A" })
  equal(nvim:drawn(), 0)
end)

test("the host is told nothing that it cannot read when Neovim is quit", function()
  local nvim = child.with_job({ "a", "b" }, { kind = "line", first = { 1 }, last = { 1 } })
  nvim:runs(1)
  local path = nvim:lua("return require('botglue.host.process').log_path()")
  pcall(nvim.api, nvim, "command", "qall!")
  local log = suite.eventually("the host has ended", function()
    local log = table.concat(vim.fn.readfile(path), "\n")
    return log:find("the host ends", 1, true) and log
  end)
  equal(log:match("[^\n]*does not know[^\n]*"), nil)
end)
