-- The protocol of `editor.write`: each state of its reply, and what a step is.

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

test("a tick that rose with an unchanged text is stale, too", function()
  local nvim = steps.start({ "a" })
  nvim:lua("vim.cmd.file(vim.fn.tempname())")
  local call = steps.call(nvim, { { { 0, 1, { "A" } } } })
  nvim:lua("vim.cmd('silent write')")
  local reply = steps.send(nvim, call)
  equal(reply, { state = "stale", tick = tick(nvim) })
  call.tick = reply.tick
  equal(steps.states(steps.send(nvim, call)), "written")
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

test("at the ends of the buffer there is no row beside", function()
  local nvim = steps.start({ "a", "b" })
  for _, beside in ipairs({ { above = "z" }, { below = "z" } }) do
    local call = steps.call(nvim, { { { 0, 2, { "A" } } } })
    call.steps[1].edits[1] = vim.tbl_extend("force", call.steps[1].edits[1], beside)
    equal(steps.states(steps.send(nvim, call)), "differs")
  end
  equal(steps.states(steps.write(nvim, { { { 0, 2, { "A" } } } })), "written")
  equal(steps.rows(nvim), { "A" })
end)

test("NULs, carriage returns and bytes that are no UTF-8 are compared and written as they are", function()
  local odd = { "nul\0nul", "cr\r", "\xff\xfe", "\xc3", "half \xe2\x82" }
  local nvim = steps.start(odd)
  local call = steps.call(nvim, { { { 1, 3, { "cr", "\xff\0", "\r" } } } })
  call.steps[1].edits[1].old[2] = "\xff\xff"
  equal(steps.states(steps.send(nvim, call)), "differs")
  equal(steps.rows(nvim), odd)
  steps.written(nvim, { { 1, 3, { "cr", "\xff\0", "\r" } } })
  equal(steps.rows(nvim), { "nul\0nul", "cr", "\xff\0", "\r", "\xc3", "half \xe2\x82" })
  steps.written(nvim, { { 0, 0, { "\0", "\xff" } }, { 5, 6, { "half \xe2\x82\xac" } } })
  equal(steps.rows(nvim), { "\0", "\xff", "nul\0nul", "cr", "\xff\0", "\r", "\xc3", "half €" })
end)

test("a row that begins within a character", function()
  local nvim = steps.start({ "\x80\x80", "\xbfa\x80" })
  steps.written(nvim, { { 0, 1, { "\x80" } }, { 1, 2, { "\xbf", "\x80\x80" } } })
  equal(steps.rows(nvim), { "\x80", "\xbf", "\x80\x80" })
  steps.written(nvim, { { 0, 3, { "\x80\x80\x80" } } })
  equal(steps.rows(nvim), { "\x80\x80\x80" })
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

test("edits of neighbouring rows are one step", function()
  local nvim = steps.start({ "a", "b", "c" })
  steps.written(nvim, { { 0, 1, { "A" } }, { 1, 2, { "B" } }, { 2, 3, {} } })
  equal(steps.rows(nvim), { "A", "B" })
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
  nvim:lua([[
    vim.api.nvim_buf_attach(1, false, { on_lines = function()
      if not vim.g.is_over then vim.bo[1].modifiable = false end
    end })
  ]])
  local call = steps.call(nvim, { { { 0, 1, { "A" } }, { 2, 3, { "C" } } } })
  local reply = steps.send(nvim, call)
  equal({ steps.states(reply), steps.rows(nvim) }, { "error", { "a", "b", "c" } })
  equal(nvim:lua("return vim.bo[1].modifiable"), false)
  nvim:lua("vim.g.is_over, vim.bo[1].modifiable = true, true")
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

test("an empty buffer's lone row is replaced, and what leaves no row leaves it", function()
  local nvim = steps.start({ "" })
  steps.written(nvim, { { 0, 1, { "1", "2" } } })
  equal(steps.rows(nvim), { "1", "2" })
  nvim:type("u")
  equal(steps.rows(nvim), { "" })
  nvim:type("<C-r>")
  steps.written(nvim, { { 0, 2, {} } })
  equal(steps.rows(nvim), { "" })
  steps.written(nvim, { { 0, 1, { "x" } } })
  nvim:type("uu")
  equal(steps.rows(nvim), { "1", "2" })
  steps.written(nvim, { { 0, 1, {} }, { 1, 2, {} } })
  equal(steps.rows(nvim), { "" })
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

test("rows of a block that end before it are filled up", function()
  local nvim = steps.start({ "one", "twelve", "", "a\tb", "x\0" })
  nvim:lua("vim.bo.tabstop = 8")
  steps.written(nvim, {
    { 0, 1, { "one1" }, 8 },
    { 1, 2, { "twelve2" }, 8 },
    { 2, 3, { "" }, 8 },
    { 3, 4, { "a\t4" }, 8 },
    { 4, 5, { "x\0F" }, 4 },
  })
  equal(steps.rows(nvim), { "one     1", "twelve  2", "", "a\t4", "x\0 F" })
  steps.written(nvim, { { 0, 1, { "one     1x" }, 20 }, { 3, 4, { "a\t4y" }, 9 } })
  equal(steps.rows(nvim), { "one     1           x", "twelve  2", "", "a\t4y", "x\0 F" })
end)

test("a hidden buffer is written, with rows put in and taken away", function()
  local nvim = steps.start({ "a", "b", "c" })
  nvim:lua("vim.o.hidden = true; vim.cmd.enew()")
  nvim:set_lines({ "other" })
  nvim:type("ix")
  local reply = steps.write(nvim, { { { 0, 0, { "0" } }, { 1, 2, { "B", "BB" } } }, { { 4, 5, {} } } })
  equal({ steps.states(reply), steps.rows(nvim) }, { "written written", { "0", "a", "B", "BB" } })
  equal({ nvim:lines(), nvim:api("get_mode").mode }, { { "xother" }, "i" })
  nvim:type("<Esc>:buffer 1<CR>u")
  equal(nvim:lines(), { "0", "a", "B", "BB", "c" })
  nvim:type("u")
  equal(nvim:lines(), { "a", "b", "c" })
end)
