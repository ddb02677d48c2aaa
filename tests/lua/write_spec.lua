--- The call by which the host writes: each state of its reply, what a step is, and that each is written once.

local steps = require("support.steps")
local suite = require("support.suite")
local test, equal = suite.test, suite.equal

local function tick(nvim, buffer)
  return nvim:api("buf_get_changedtick", buffer or steps.BUFFER)
end

test("a step is written, and the reply has its ticks", function()
  local nvim = steps.start({ "a", "b", "c" })
  local before = tick(nvim)
  local reply = steps.write(nvim, { { { 1, 2, { "B", "+" } } } })
  equal(steps.rows(nvim), { "a", "B", "+", "c" })
  equal(reply, {
    state = "done",
    tick = tick(nvim),
    steps = { { state = "written", from = before, to = tick(nvim) } },
  })
  equal(tick(nvim) > before, true)
end)

test("rows of a step count after the steps before it", function()
  local nvim = steps.start({ "a", "b", "c", "d" })
  local reply = steps.write(nvim, {
    { { 0, 1, { "A", "A" } } },
    { { 2, 3, {} } },
    { { 0, 0, { "top" } }, { 3, 4, { "D" } } },
  })
  equal(steps.rows(nvim), { "top", "A", "A", "c", "D" })
  equal(steps.states(reply), "written written written")
  equal({ reply.steps[1].to, reply.steps[2].to }, { reply.steps[2].from, reply.steps[3].from })
  equal(reply.steps[3].to, reply.tick)
end)

test("a buffer that is not loaded is gone", function()
  local nvim = steps.start({ "a" })
  local call = steps.call(nvim, { { { 0, 1, { "A" } } } })
  call.buffer = 4711
  equal(steps.send(nvim, call), { state = "gone" })
  call.buffer = nvim:lua("return vim.fn.bufadd('unloaded')")
  equal(steps.send(nvim, call), { state = "gone" })
end)

test("another tick is stale, and the reply has it", function()
  local nvim = steps.start({ "a", "b" })
  local call = steps.call(nvim, { { { 0, 1, { "A" } } } })
  nvim:type("GAx<Esc>")
  equal(steps.send(nvim, call), { state = "stale", tick = tick(nvim) })
  equal(steps.rows(nvim), { "a", "bx" })
end)

test("rows that differ, or a row beside them, stop the call; the steps before it stand", function()
  for name, change in pairs({
    ["a row"] = function(edit)
      edit.old = { "c " }
    end,
    ["another count"] = function(edit)
      edit.old = { "c", "d" }
    end,
    ["the row above"] = function(edit)
      edit.above = "B"
    end,
    ["the row below"] = function(edit)
      edit.below = "d\r"
    end,
    ["no row above"] = function(edit)
      edit.above = nil
    end,
    ["no row below"] = function(edit)
      edit.below = nil
    end,
    ["a row of its own that is the one below"] = function(edit)
      edit.old, edit.below = { "c", "d" }, nil
    end,
    ["rows that read so one further up"] = function(edit)
      edit.first, edit.last, edit.above = 3, 4, nil
    end,
    ["a place past the end"] = function(edit)
      edit.first, edit.last = 7, 8
    end,
    ["an insertion past the end"] = function(edit)
      edit.first, edit.last, edit.old, edit.below = 5, 5, {}, nil
    end,
  }) do
    local nvim = steps.start({ "a", "b", "c", "d" })
    local call = steps.call(nvim, {
      { { 0, 1, { "A" } } },
      { { 1, 2, { "B" } }, { 2, 3, { "C" } } },
      { { 3, 4, { "D" } } },
    })
    -- The second edit of a step: the first is not written either.
    change(call.steps[2].edits[2])
    call.steps[2].edits[1].below = "c"
    local reply = steps.send(nvim, call)
    equal(steps.states(reply), "written differs", name)
    equal(reply.tick, tick(nvim), name)
    equal(reply.tick, reply.steps[1].to, name)
    equal(steps.rows(nvim), { "A", "b", "c", "d" }, name)
  end
end)

test("a step that is no edit of rows is an error, and nothing of it is written", function()
  local nvim = steps.start({ "a", "b", "c" })
  local reply = steps.write(nvim, { { { 0, 1, { "A" } }, { 1, 1, { "x\ny" } } } })
  equal({ steps.states(reply), type(reply.steps[1].message) }, { "error", "string" })
  local call = steps.call(nvim, { { { 0, 1, { "A" } }, { 1, 2, { "B" } } } })
  call.steps[1].edits = { call.steps[1].edits[2], call.steps[1].edits[1] }
  equal(steps.states(steps.send(nvim, call)), "error")
  equal(steps.rows(nvim), { "a", "b", "c" })
end)

test("a buffer that takes no changes is told of, also where a listener says so between two steps", function()
  local nvim = steps.start({ "a", "b" })
  nvim:lua("vim.bo.modifiable = false")
  local reply = steps.write(nvim, { { { 0, 1, { "A" } } } })
  equal({ steps.states(reply), reply.tick, steps.rows(nvim) }, { "not_modifiable", tick(nvim), { "a", "b" } })
  nvim:lua([[
    vim.bo.modifiable = true
    vim.api.nvim_buf_attach(1, false, { on_lines = function() vim.bo[1].modifiable = false end })
  ]])
  reply = steps.write(nvim, { { { 0, 1, { "A" } } }, { { 1, 2, { "B" } } } })
  equal({ steps.states(reply), steps.rows(nvim) }, { "written not_modifiable", { "A", "b" } })
end)

test("a step that fails half-way is taken back whole", function()
  local nvim = steps.start({ "a", "b", "c" })
  nvim:type("2G~~<Esc>")
  nvim:lua([[
    vim.api.nvim_buf_attach(1, false, { on_lines = function()
      if not vim.g.is_over then vim.g.is_over, vim.bo[1].modifiable = true, false end
    end })
  ]])
  local call = steps.call(nvim, { { { 0, 1, { "A" } }, { 2, 3, { "C" } } } })
  local reply = steps.send(nvim, call)
  equal({ steps.states(reply), steps.rows(nvim) }, { "error", { "a", "b", "c" } })
  equal(nvim:lua("return vim.bo[1].modifiable"), false)
  nvim:lua("vim.bo[1].modifiable = true")
  equal(
    nvim:lua("return { vim.fn.line([['.]]), vim.fn.getchangelist(1)[1][2].lnum }"),
    { 2, 2 },
    "the user's change"
  )
  local half = nvim:lua([[
    local tree = vim.fn.undotree()
    for number = 0, tree.seq_last do
      vim.cmd("silent! undo " .. number)
      local rows = vim.api.nvim_buf_get_lines(1, 0, -1, true)
      if vim.tbl_contains(rows, "A") or vim.tbl_contains(rows, "C") then return rows end
    end
    vim.cmd("silent undo " .. tree.seq_cur)
  ]])
  equal(half, vim.NIL, "it is in no state of the undo tree")
  call.tick = tick(nvim)
  equal({ steps.states(steps.send(nvim, call)), steps.rows(nvim) }, { "written", { "A", "b", "C" } })
  nvim:type("u")
  equal(steps.rows(nvim), { "a", "b", "c" })
  nvim:type("<C-r><C-r>")
  equal(steps.rows(nvim), { "A", "b", "C" })
end)

test("a step that leaves every row as it reads is written without a change", function()
  for _, edits in ipairs({
    {},
    { { 0, 2, { "a", "b" } } },
    { { 1, 2, { "b" } }, { 2, 2, {} } },
    { { 1, 2, { "b" }, 1 } },
  }) do
    local nvim = steps.start({ "a", "b" })
    local before, sequence = tick(nvim), nvim:lua("return vim.fn.undotree().seq_last")
    local result = steps.written(nvim, edits)
    equal({ result.from, result.to, tick(nvim) }, { before, before, before })
    equal(nvim:lua("return vim.fn.undotree().seq_last"), sequence)
  end
  local nvim = steps.start({ "" })
  local before = tick(nvim)
  steps.written(nvim, { { 0, 1, {} } })
  equal(tick(nvim), before)
end)

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

test("what was written is remembered until it is stored, also for the next host", function()
  local nvim = steps.start({ "a", "b" })
  local call = steps.call(nvim, { { { 0, 1, { "A" } } }, { { 1, 2, { "B" } } } }, { job = 7, attempt = 3 })
  local second = { buffer = call.buffer, tick = call.tick, steps = { call.steps[2] } }
  local function stored(step)
    nvim:lua("require('botglue.apply').stored({ steps = { ... } })", step)
  end
  -- The reply is lost with the host that asked.
  steps.send(nvim, call)
  nvim:host("die")
  nvim:lua("local client = require('botglue.host.client'); client.connect(client.options())")
  stored({ job = 7, attempt = 2 })
  equal(steps.states(steps.send(nvim, call)), "written written")
  equal(steps.rows(nvim), { "A", "B" })
  stored({ job = 7, attempt = 3 })
  equal(
    { steps.states(steps.send(nvim, call)), steps.states(steps.send(nvim, second)) },
    { "stale", "written" }
  )
  -- All steps of a job.
  stored({ job = 8 })
  equal(steps.states(steps.send(nvim, second)), "stale")
end)
