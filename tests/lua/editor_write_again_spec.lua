-- `editor.write` writes each step once: the same call again, calls that go on, and what a new host is told.

local steps = require("support.steps")
local suite = require("support.suite")
local test, equal = suite.test, suite.equal

local function tick(nvim)
  return nvim:api("buf_get_changedtick", steps.BUFFER)
end

test("the same call twice is written once, with the same ticks", function()
  local nvim = steps.start({ "a", "b", "c" })
  local call = steps.call(nvim, { { { 0, 1, { "A" } } }, { { 1, 2, { "B", "B" } } } })
  local reply = steps.send(nvim, call)
  equal(steps.send(nvim, call), reply)
  equal(steps.rows(nvim), { "A", "B", "B", "c" })
  -- Also later, whatever was typed since, in the middle of something, and where the buffer is gone.
  nvim:type("Gox<Esc>v")
  equal(steps.send(nvim, call).steps, reply.steps)
  nvim:type("<Esc>:enew!<CR>:bwipeout! 1<CR>")
  equal(steps.send(nvim, call).steps, reply.steps)
end)

test("an attempt more is another step", function()
  local nvim = steps.start({ "a" })
  steps.written(nvim, { { 0, 1, { "A" } } }, { job = 1 })
  steps.written(nvim, { { 0, 1, { "a" } } }, { job = 1, attempt = 2 })
  equal(steps.rows(nvim), { "a" })
end)

test("a call goes on behind the steps that an earlier one wrote", function()
  local nvim = steps.start({ "a", "b", "c" })
  local call = steps.call(nvim, { { { 0, 1, { "A", "A" } } }, { { 2, 3, { "B" } } } })
  local first = steps.send(nvim, { buffer = call.buffer, tick = call.tick, steps = { call.steps[1] } })
  local both = steps.send(nvim, call)
  equal({ steps.states(both), both.steps[1] }, { "written written", first.steps[1] })
  equal(steps.rows(nvim), { "A", "A", "B", "c" })
end)

test("where the text has changed since, a call ends behind the steps that an earlier one wrote", function()
  local nvim = steps.start({ "a", "b", "c" })
  local call = steps.call(nvim, { { { 0, 1, { "A" } } }, { { 1, 2, { "B" } } } })
  local first = steps.send(nvim, { buffer = call.buffer, tick = call.tick, steps = { call.steps[1] } })
  nvim:type("GAx<Esc>")
  equal(steps.send(nvim, call), { state = "done", tick = tick(nvim), steps = first.steps })
  nvim:type("v")
  equal(steps.send(nvim, call), { state = "done", tick = tick(nvim), steps = first.steps })
  equal(steps.rows(nvim), { "A", "b", "cx" })
end)

test("what was written is remembered until it is stored, also by the next host", function()
  local nvim = steps.start({ "a", "b" })
  --- What is remembered of both.
  local function landings()
    return nvim:lua(
      "local w = require('botglue.editor.write'); return { w.landing(7) or '', w.landing(8) or '' }"
    )
  end
  local function stored(list)
    nvim:lua("require('botglue.apply').stored({ steps = ... })", list)
  end
  -- The reply is lost with the host that asked.
  local call = steps.call(nvim, { { { 0, 1, { "A" } } }, { { 1, 2, { "B" } } } }, { job = 7, attempt = 3 })
  call.steps[1].landing, call.steps[2].landing = "applied", "merged"
  nvim:api("exec_lua", "require('botglue.apply').write(...)", { call })
  nvim:host("die")
  nvim:lua("local client = require('botglue.host.client'); client.connect(client.options())")
  equal(landings(), { "applied", "merged" })
  equal(steps.states(steps.send(nvim, call)), "written written")
  equal(steps.rows(nvim), { "A", "B" })
  stored({ { job = 7, attempt = 2 } })
  equal(landings(), { "applied", "merged" })
  stored({ { job = 7, attempt = 3 } })
  equal(landings(), { "", "merged" })
  -- All steps of a job.
  stored({ { job = 8 } })
  equal(landings(), { "", "" })
end)

test("what was not written is not remembered", function()
  local nvim = steps.start({ "a" })
  local call = steps.call(nvim, { { { 0, 1, { "A" } } } })
  call.steps[1].landing, call.steps[1].edits[1].old = "applied", { "b" }
  equal(steps.states(steps.send(nvim, call)), "differs")
  equal(nvim:lua("return require('botglue.editor.write').landing(...)", call.steps[1].job), vim.NIL)
  steps.written(nvim, { { 0, 1, { "A" } } }, { job = call.steps[1].job })
  equal(steps.rows(nvim), { "A" })
end)
