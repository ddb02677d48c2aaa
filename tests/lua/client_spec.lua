local child = require("support.child")
local suite = require("support.suite")
local test, equal = suite.test, suite.equal

local VERSION = require("botglue.version")
local PROGRAM = require("support.host").PROGRAM

local function dies(pid)
  suite.eventually("process " .. pid .. " is gone", function()
    return vim.uv.kill(pid, 0) ~= 0
  end)
end

--- Hosts that are of no use: what is run, as which code their job fails, words of why, and after how many milliseconds
--- they are given up where that is not as long as always.
local HOSTS = {
  ["is not there"] = {
    code = "host_missing",
    says = { "host missing: run `make install`", "see :checkhealth botglue", "/nowhere/botglue" },
  },
  ["ends at once"] = {
    run = "echo 'no such option' >&2; exit 3",
    code = "host_lost",
    says = { "exited with code 3", "no such option" },
  },
  ["never answers"] = { run = "exec sleep 60", within = 50, code = "host_lost", says = { "did not answer" } },
  ["has another version"] = {
    run = ('exec %s "$@"'):format(PROGRAM),
    -- The versions differ the other way round: what the plugin says of itself is all that a spec can change.
    before = "package.loaded['botglue.version'] = '9.9.9'",
    code = "host_version",
    says = { "version " .. VERSION, "plugin 9.9.9", "make install" },
  },
}

for name, host in pairs(HOSTS) do
  test("a host that " .. name .. ": run() returns first, the job fails once, nothing is left", function()
    local nvim = child.start(host.before)
    nvim:set_lines({ "a", "b" })
    local pid = nvim:lua(
      [[
        local program, within = ...
        _G.events = {}
        vim.api.nvim_create_autocmd("User", { pattern = "Botglue*", callback = function(event)
          table.insert(events, { event.match, event.data.id, event.data.status })
        end })
        local jobstart, channel = vim.fn.jobstart, 0
        vim.fn.jobstart = function(...)
          channel = jobstart(...)
          return channel
        end
        require("botglue").setup({ host = program, status = { outcome = 0 } })
        local connection = require("botglue.host.connection")
        connection.ready_within = within or connection.ready_within
        local id = require("botglue").run({ prompt = "it", range = { kind = "line", first = { 1 }, last = { 1 } } })
        table.insert(events, { "returned", id })
        return channel > 0 and vim.fn.jobpid(channel)
      ]],
      host.run and child.script(host.run) or "/nowhere/botglue",
      host.within
    )
    local job = nvim:eventually("the job ends", "return require('botglue').wait(1, 0)")
    equal(
      { job.status, job.error.code, nvim:drawn(), nvim:lines() },
      { "failed", host.code, 0, { "a", "b" } }
    )
    for _, word in ipairs(host.says) do
      suite.contains(job.error.message, word)
    end
    equal(nvim:lua("return events"), {
      { "BotglueJobStarted", 1, "queued" },
      { "returned", 1 },
      { "BotglueJobFinished", 1, "failed" },
    })
    equal(pid ~= false, host.run ~= nil)
    if pid then
      dies(pid)
    end
  end)
end

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

test("leaving Neovim ends its jobs, each once", function()
  local nvim, file = child.with_host({ "a", "b" }), vim.fn.tempname()
  for id = 1, 2 do
    nvim:run(child.line(id, id))
  end
  nvim:answer(1, { "A" })
  nvim:lua(
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
  nvim:lua([[
    require("botglue.host.connection").asked_within = 50
    vim.uv.kill(vim.fn.jobpid(require("support.host").channel), "sigstop")
    require("botglue").accept(1)
  ]])
  vim.rpcnotify(nvim.channel, "nvim_input", ":qa!<CR>")
  dies(pid)
end)

test("updates come at most ten a second, and the last one is not lost", function()
  local nvim = child.with_host({ "a", "b" })
  nvim:run(child.line(1))
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
  nvim:run(child.line(1))
  nvim:answer(1, { "A" })
  equal(nvim:job(1).status, "done")
  equal(nvim:lines(), { "A" })
  equal(nvim:drawn(), 0)
end)

test("a question where there is no host is answered with why", function()
  local nvim = child.with_host({ "a" })
  nvim:lua("require('botglue').setup({ host = '/no/such/host' })")
  nvim:lua("require('botglue.host.ask').send('info', {}, function(_, err) _G.said = err end)")
  suite.contains(nvim:eventually("it is answered", "return said"), "host missing")
end)
