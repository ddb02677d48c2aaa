local child = require("support.child")
local suite = require("support.suite")
local test, equal, script = suite.test, suite.equal, child.script

local here = vim.fn.fnamemodify(debug.getinfo(1, "S").source:sub(2), ":p:h")

--- A host that says it is of that version, and nothing else.
local function silent(version)
  return script(
    ("exec %s --clean --headless -l %s/support/silent_host.lua %s"):format(child.program(), here, version)
  )
end

local VERSION = require("botglue.version")

--- A child with that program as its host, which collects the events.
local function with(host)
  local nvim = child.start()
  nvim:lua(
    [[
      _G.events = {}
      vim.api.nvim_create_autocmd("User", { pattern = "Botglue*", callback = function(event)
        table.insert(events, { event.match, event.data.id, event.data.status })
      end })
      require("botglue").setup({ host = ... })
    ]],
    host
  )
  nvim:set_lines({ "a", "b" })
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
    return { id, vim.fn.jobpid(require("botglue.client").connection().process.channel) }
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
  equal(nvim:lua("return vim.tbl_count(require('botglue.client').connection().open)"), 0)
end

local function host_pid(nvim)
  return nvim:eventually(
    "the host is ready",
    [[
      local process = require("botglue.client").connection().process
      return process and process.ready and vim.fn.jobpid(process.channel)
    ]]
  )
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
  check_failed(nvim, id, "host_missing", { "/nowhere/botglue", "make build" })
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
  nvim:lua("require('botglue.client').connection().ready_within = 50")
  local id, pid = run_on_new_host(nvim)
  check_failed(nvim, id, "host_lost", { "did not answer" })
  dies(pid)
end)

test("a host is not given up while a message waits for Enter at the first job", function()
  local nvim = with(silent(VERSION))
  local file = vim.fn.tempname()
  nvim:lua(
    [[
      local file = ...
      local connection = require("botglue.client").connection()
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
  host_pid(nvim)
  equal(nvim:job(1).status, "queued")
  suite.contains(nvim:messages(), "two")
  equal(nvim:messages():find("did not answer"), nil)
end)

test("a host that prints something else", function()
  local nvim = with(script("echo Usage: something; exec sleep 60"))
  nvim:lua("require('botglue.client').connection().ready_within = 50")
  check_failed(nvim, run(nvim), "host_lost", {})
end)

test("a host of another version", function()
  local nvim = with(silent("9.9.9"))
  local id, pid = run_on_new_host(nvim)
  check_failed(nvim, id, "host_version", { "9.9.9", VERSION, "make build" })
  dies(pid)
end)

test("a host that dies ends its jobs, and the next request starts another", function()
  local nvim = with(silent(VERSION))
  run(nvim)
  run(nvim)
  local pid = host_pid(nvim)
  vim.uv.kill(pid, "sigkill")
  check_failed(nvim, 1, "host_lost", { "signal 9" })
  check_failed(nvim, 2, "host_lost", {})
  local finished = nvim:lua([[
    return vim.tbl_filter(function(event) return event[1] == "BotglueJobFinished" end, events)
  ]])
  equal(finished, { { "BotglueJobFinished", 1, "failed" }, { "BotglueJobFinished", 2, "failed" } })
  run(nvim)
  suite.contains(tostring(host_pid(nvim) ~= pid), "true")
  equal(nvim:job(3).status, "queued")
end)

test("an answer that is ready outlives its host", function()
  local nvim = with(silent(VERSION))
  run(nvim)
  local pid = host_pid(nvim)
  nvim:type("v")
  nvim:lua("require('botglue.apply').finish({ id = 1, status = 'done', text = 'A', lines = { 'A' } })")
  vim.uv.kill(pid, "sigkill")
  nvim:eventually("the host is gone", "return not require('botglue.client').connection().process")
  equal(nvim:job(1).status, "ready")
  nvim:type("<Esc>")
  equal(ended(nvim, 1).landing, "applied")
  equal(nvim:lines(), { "A", "b" })
end)

--- A process group that ignores TERM, as job 1's agent.
local function with_agent(nvim, program)
  local handle, pid = vim.uv.spawn("/bin/sh", { args = { "-c", program }, detached = true }, function() end)
  suite.finally(function()
    pcall(vim.uv.kill, -pid, "sigkill")
    handle:close()
  end)
  nvim:lua("require('botglue.apply').frame({ { id = 1, status = 'running', pgid = ... } })", pid)
  return pid
end

test("the agents of a host that died are ended, those that ignore TERM too", function()
  local nvim = with(silent(VERSION))
  run(nvim)
  local pid = host_pid(nvim)
  local agent = with_agent(nvim, "trap '' TERM; while :; do sleep 0.05; done")
  vim.uv.kill(pid, "sigkill")
  ended(nvim, 1)
  dies(agent)
end)

test("a group that the host says is gone is left alone", function()
  local nvim = with(silent(VERSION))
  run(nvim)
  local pid = host_pid(nvim)
  local agent = with_agent(nvim, "exec sleep 60")
  nvim:lua("require('botglue.apply').frame({ { id = 1, status = 'running', pgid = false } })")
  vim.uv.kill(pid, "sigkill")
  ended(nvim, 1)
  equal(is_alive(agent), true)
end)

test("leaving Neovim ends jobs, agents and host", function()
  local nvim = with(silent(VERSION))
  run(nvim)
  local pid = host_pid(nvim)
  local agent = with_agent(nvim, "exec sleep 60")
  local file = vim.fn.tempname()
  nvim:lua(
    [[
      local file = ...
      vim.api.nvim_create_autocmd("VimLeave", { callback = function()
        vim.fn.writefile({ vim.json.encode(events[#events]), tostring(#events) }, file)
      end })
      vim.schedule(function() vim.cmd("qa!") end)
    ]],
    file
  )
  dies(pid)
  dies(agent)
  suite.eventually("the events were written", function()
    return vim.fn.filereadable(file) == 1
  end)
  equal(vim.fn.readfile(file), { '["BotglueJobFinished",1,"failed"]', "4" })
end)

test("Neovim ends while an answer is being merged, and starts no host for it", function()
  local nvim = with(silent(VERSION))
  run(nvim)
  host_pid(nvim)
  local pid = nvim:lua("return vim.fn.getpid()")
  nvim:lua([[
    local apply = require("botglue.apply")
    apply.finish({ id = 1, status = "done", text = "A", lines = { "A" }, held_for = "review" })
    apply.kept({ id = 1 })
    require("botglue").accept(1)
  ]])
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

--- Starts two jobs, of which the host has started the first, and lets the host end as it was told to.
local function end_in_order()
  local nvim = child.with_host({ "a", "b" })
  nvim:lua("require('botglue').setup({ max_parallel = 1 })")
  nvim:run({ kind = "line", first = { 1 }, last = { 1 } })
  nvim:run({ kind = "line", first = { 2 }, last = { 2 } })
  nvim:eventually("the first one runs", "return require('botglue').job(1).status == 'running'")
  nvim:lua([[
    require("support.host").stop()
  ]])
  return nvim
end

test("a host that was told to end: the next one gets the jobs that it has not started", function()
  local nvim = end_in_order()
  equal(
    { nvim:job(1).status, nvim:job(1).error.code, nvim:job(2).status },
    { "failed", "host_lost", "queued" }
  )
  nvim:eventually("it arrives", "return #require('support.host').received('run') == 3")
  local request = nvim:host("received", "run")[3]
  equal({ request.id, request.selection.rows }, { 2, { "b" } })
  nvim:answer(2, { "B" })
  equal(nvim:lines(), { "a", "B" })
  equal(nvim:host("count", "BotglueJobFinished", 2), 1)
end)

test("a job is not sent to one host after the other for ever", function()
  local nvim = end_in_order()
  nvim:eventually("it arrives", "return #require('support.host').received('run') == 3")
  nvim:host("stop")
  equal({ nvim:job(2).status, nvim:job(2).error.code }, { "failed", "host_lost" })
  equal(nvim:lua("return require('botglue.client').connection().process == nil"), true)
end)

test(
  "answers that a host could not tell are asked of the next one until one has said, and are held",
  function()
    local nvim = child.with_host({ "local a = 1", "local b = 2" })
    local function connect()
      nvim:lua("require('botglue.client').connect((require('botglue.client').options()))")
    end
    nvim:run({ kind = "line", first = { 2 }, last = { 2 } })
    -- The host ends while it tells the outcome: the answer is in the store.
    nvim:lua("require('botglue.apply').finish = function() _G.is_stored = true end")
    nvim:agent(1, "answer", "B")
    nvim:eventually("the answer is stored", "return is_stored")
    nvim:host("die")
    equal(nvim:job(1).status, "failed")
    nvim:host("hold", "reply")
    connect()
    nvim:eventually("it is asked", "return #require('support.host').received('query') == 1")
    nvim:host("die")
    nvim:eventually("it has not said", "return #require('botglue.client').connection().lost == 1")
    nvim:host("release", "reply")
    connect()
    local held = nvim:eventually("it is held", "return require('botglue').job(2)")
    equal({ held.landing, held.held_for, held.first_line, held.text }, { "held", "review", 2, "B" })
    equal(nvim:host("received", "adopted")[1].id, 2)
    suite.contains(nvim:messages(), "the answer of job 1 was stored: it is held, :Botglue review 2 shows it")
    nvim:lua("require('botglue').accept(2)")
    equal({ nvim:job(2).landing, nvim:lines() }, { "applied", { "local a = 1", "B" } })
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
