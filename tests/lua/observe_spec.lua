local child = require("support.child")
local suite = require("support.suite")
local test, equal, contains = suite.test, suite.equal, suite.contains

--- A child in which a job runs on the first of two lines.
local function running()
  local nvim = child.with_host({ "one", "two" })
  nvim:lua([[
    _G.told = {}
    --- Notes in short what a function is told.
    function _G.watcher(name)
      return function(update)
        local word = update.status or update.text or update.reason
        word = word or update.tool and update.tool.name .. " " .. update.tool.status
        word = word or update.job and update.job.status
        table.insert(told, ("%s %s %s"):format(name, update.kind, word))
      end
    end
  ]])
  nvim:run(child.line(1))
  nvim:runs(1)
  return nvim
end

local function on(nvim, name, opts)
  nvim:lua(
    "local name, opts = ...; _G.back = require('botglue').on(1, watcher(name), opts)",
    name,
    opts or vim.empty_dict()
  )
  nvim:host("heard")
end

local function told(nvim)
  local said = nvim:lua("local said = told; _G.told = {}; return said")
  return said
end

--- Has the agent write, think or call a tool, and waits until so many updates more were told.
---@param what string a method of `support.agent`
---@param count integer
local function agent(nvim, count, what, ...)
  local before = nvim:lua("return #told")
  nvim:agent(1, what, ...)
  nvim:eventually(("%d updates are told"):format(count), "return #told >= ...", before + count)
end

test("the updates have the fields of the contract", function()
  local nvim = running()
  nvim:lua("require('botglue').on(1, function(update) table.insert(told, update) end)")
  nvim:host("heard")
  agent(nvim, 1, "say", "a")
  agent(nvim, 1, "call", "Read", { file_path = "x" })
  agent(nvim, 1, "result", "call-1", "no such file", true)
  agent(nvim, 1, "retry", 1, 10, 5)
  equal(told(nvim), {
    { kind = "text", text = "a" },
    { kind = "tool", tool = { id = "call-1", name = "Read", status = "running" } },
    { kind = "tool", tool = { id = "call-1", name = "Read", status = "error", error = "no such file" } },
    { kind = "retry", attempt = 1, max = 10, delay_ms = 5, reason = "overloaded" },
  })
  nvim:agent(1, "exit", 3)
  nvim:host("ended", 1)
  local said = told(nvim)
  equal({ said[1], said[2].kind }, { { kind = "state", status = "failed" }, "finished" })
  equal({ said[2].job.id, said[2].job.error.code }, { 1, "exited" })
end)

test("thinking is for those that ask for it", function()
  local nvim = running()
  on(nvim, "a")
  on(nvim, "b", { thinking = true })
  on(nvim, "c", { thinking = false })
  equal(nvim:host("received", "observe"), { { id = 1 } })
  agent(nvim, 1, "think", "hm")
  agent(nvim, 3, "say", "x")
  equal(told(nvim), { "b thinking hm", "a text x", "b text x", "c text x" })
end)

test("one function registered twice counts once", function()
  local nvim = running()
  nvim:lua([[
    local fn = watcher("a")
    require("botglue").on(1, fn)
    require("botglue").on(1, fn, { thinking = true })
  ]])
  nvim:host("heard")
  agent(nvim, 1, "say", "x")
  agent(nvim, 1, "think", "hm")
  equal(told(nvim), { "a text x", "a thinking hm" })
end)

test("taking it back ends it, also from within", function()
  local nvim = running()
  on(nvim, "a")
  nvim:lua([[
    local back
    back = require("botglue").on(1, function(update)
      table.insert(told, "b " .. update.kind)
      back()
    end)
  ]])
  on(nvim, "c")
  agent(nvim, 3, "say", "x")
  equal(told(nvim), { "a text x", "b text", "c text x" }, "those that stay miss nothing")
  nvim:lua("back(); back()")
  agent(nvim, 1, "say", "y")
  equal(told(nvim), { "a text \ny" })
end)

test("who registers as soon as the job is there is known to the host before the job is", function()
  local nvim = running()
  nvim:lua([[
    local id = require("botglue").run({ prompt = "p", range = { kind = "line", first = { 2 }, last = { 2 } } })
    require("botglue").on(id, watcher("a"), { thinking = true })
  ]])
  nvim:eventually("both are sent", "return #require('support.host').received('run') == 2")
  local requests = nvim:host("received", "run")
  equal({ requests[1].observe, requests[2].observe }, { nil, true })
  equal(nvim:host("received", "observe"), {})
end)

test("a question to the host within its own call is refused at once", function()
  local nvim = running()
  nvim:lua([[require('botglue').on(1, function()
    table.insert(told, select(2, pcall(require('botglue').hunks, 1)))
  end)]])
  agent(nvim, 1, "say", "x")
  equal(told(nvim), { "botglue: this runs within a call of the host: use vim.schedule()" })
end)

test("an error of a function is told once and ends it, and the others and the job go on", function()
  local nvim = running()
  nvim:lua("require('botglue').on(1, function() table.insert(told, 'called') error('oh\\nno') end)")
  on(nvim, "a")
  agent(nvim, 2, "say", "x")
  agent(nvim, 1, "say", "y")
  equal(told(nvim), { "called", "a text x", "a text \ny" })
  contains(nvim:messages(), "botglue: an observer of job 1 failed and was removed: ")
  equal(select(2, nvim:messages():gsub("observer of job 1", "")), 1)
  nvim:answer(1, { "ONE" })
  equal(nvim:lines(), { "ONE", "two" })
end)

test("it is told before the job's own view draws the same", function()
  local nvim = running()
  nvim:lua([[
    require("botglue").on(1, function(update)
      local ns = vim.api.nvim_create_namespace("botglue.status")
      local is_drawn = #vim.api.nvim_buf_get_extmarks(0, ns, 0, -1, {}) > 0
      table.insert(told, update.kind .. " " .. (is_drawn and "drawn" or "gone"))
    end)
  ]])
  nvim:host("heard")
  nvim:answer(1, { "ONE" })
  equal(told(nvim), { "text drawn", "state drawn", "finished drawn" })
  equal(nvim:drawn(), 0)
end)

test("a job that has ended tells that alone, in the next tick", function()
  local nvim = running()
  nvim:answer(1, { "ONE" })
  equal(nvim:lua("require('botglue').on(1, watcher('a')); return told"), {})
  nvim:eventually("it is told", "return #told > 0")
  equal(told(nvim), { "a finished done" })
  nvim:lua("require('botglue').on(1, watcher('b'))()")
  nvim:settle()
  equal(told(nvim), {}, "it was taken back before")
end)

test("on every way out it is told last that the job has finished", function()
  for _, way in ipairs({
    "require('support.host').answer(1, { 'ONE' })",
    "require('support.host').answer(1, { 'ONE' }, { held_for = 'ambiguous' })",
    "require('support.host').steer(1, 'exit', 3); require('support.host').ended(1)",
    "require('support.host').die()",
    "vim.cmd('bwipeout! 1'); require('support.host').answer(1, { 'ONE' })",
  }) do
    local nvim = running()
    on(nvim, "a")
    nvim:lua(way)
    local said = told(nvim)
    contains(said[#said], "a finished ")
  end
end)

test("what is wrong raises one clear error", function()
  local nvim = running()
  local function wrong(arguments, expected)
    equal(nvim:lua(("return select(2, pcall(require('botglue').on, %s))"):format(arguments)), expected)
  end
  wrong("9, print", "botglue: there is no job 9")
  wrong("'1', print", "botglue: there is no job 1")
  wrong("1", "botglue: fn must be a function, got nil")
  wrong("1, print, true", "botglue: opts must be a table like { thinking = true }, got true")
  contains(
    nvim:lua("return select(2, pcall(require('botglue').on, 1, print, { thinking = 1 }))"),
    "botglue: opts must be a table like { thinking = true }"
  )
end)
