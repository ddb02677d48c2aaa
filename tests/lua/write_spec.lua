--- The call by which the host writes: each state of its reply, what a step is, and that each is written once.

local child = require("support.child")
local suite = require("support.suite")
local test, equal = suite.test, suite.equal

local function tick(nvim)
  return nvim:api("buf_get_changedtick", 1)
end

--- An edit: rows from 0, `last` exclusive, and what they become.
---@param rows string[] as they are before its step
local function edit_of(rows, given)
  local first, last, lines = unpack(given)
  local old, changes = vim.list_slice(rows, first + 1, last), {}
  if #old > 0 and #old == #lines then
    changes = { { "text", first, 0, last - 1, #old[#old], lines } }
  else
    changes[1] = #lines > 0 and { "insert", last, lines } or nil
    changes[#changes + 1] = #old > 0 and { "delete", first, last } or nil
  end
  return {
    first = first,
    old = old,
    above = rows[first],
    below = rows[last + 1],
    changes = changes,
  }
end

---@param rows string[]
---@param edits table[] as they are given
---@return string[] rows after the step
local function after(rows, edits)
  rows = vim.list_slice(rows)
  for i = #edits, 1, -1 do
    local first, last, lines = unpack(edits[i])
    local rest = vim.list_slice(rows, last + 1)
    rows = vim.list_extend(vim.list_slice(rows, 1, first), lines)
    vim.list_extend(rows, rest)
  end
  return #rows > 0 and rows or { "" }
end

--- A call for the buffer as it is now. Each step is the list of its edits.
---@param nvim Child
---@param steps table[][]
---@param more { job: integer?, attempt: integer? }? the job of the first step: else the next number
local function call_of(nvim, steps, more)
  more = more or {}
  local job = more.job or (nvim.last_job or 0) + 1
  nvim.last_job = job + #steps - 1
  local rows, call = nvim:lines(1), { buffer = 1, tick = tick(nvim), steps = {} }
  for i, given in ipairs(steps) do
    local edits = {}
    for k, each in ipairs(given) do
      edits[k] = edit_of(rows, each)
    end
    rows = after(rows, given)
    call.steps[i] = { job = job + i - 1, attempt = more.attempt or 1, edits = edits }
  end
  return call
end

--- Sends a call as the host does, and returns the reply.
local function send(nvim, call)
  return nvim:api("exec_lua", "return require('botglue.apply').write(...)", { call })
end

--- Writes: a call for the buffer as it is now.
local function write(nvim, steps, more)
  return send(nvim, call_of(nvim, steps, more))
end

--- The states of a reply's steps, or the state of a reply without any.
---@return string
local function states(reply)
  local found = vim.tbl_map(function(result)
    return result.state
  end, reply.steps or {})
  return reply.state ~= "done" and reply.state or table.concat(found, " ")
end

--- Writes one step, and fails unless it was written.
local function written(nvim, edits, more)
  local reply = write(nvim, { edits }, more)
  if states(reply) ~= "written" then
    error("the step was not written: " .. vim.inspect(reply), 2)
  end
  return reply.steps[1]
end

test("a step is written, and the reply has its ticks", function()
  local nvim = child.with_host({ "a", "b", "c" })
  local before = tick(nvim)
  local reply = write(nvim, { { { 1, 2, { "B", "+" } } } })
  equal(nvim:lines(1), { "a", "B", "+", "c" })
  equal(reply, {
    state = "done",
    tick = tick(nvim),
    steps = { { state = "written", from = before, to = tick(nvim) } },
  })
  equal(tick(nvim) > before, true)
end)

test("rows of a step count after the steps before it", function()
  local nvim = child.with_host({ "a", "b", "c", "d" })
  local reply = write(nvim, {
    { { 0, 1, { "A", "A" } } },
    { { 2, 3, {} } },
    { { 0, 0, { "top" } }, { 3, 4, { "D" } } },
  })
  equal(nvim:lines(1), { "top", "A", "A", "c", "D" })
  equal(states(reply), "written written written")
  equal({ reply.steps[1].to, reply.steps[2].to }, { reply.steps[2].from, reply.steps[3].from })
  equal(reply.steps[3].to, reply.tick)
end)

test("a buffer that is not loaded is gone", function()
  local nvim = child.with_host({ "a" })
  local call = call_of(nvim, { { { 0, 1, { "A" } } } })
  call.buffer = 4711
  equal(send(nvim, call), { state = "gone" })
  call.buffer = nvim:lua("return vim.fn.bufadd('unloaded')")
  equal(send(nvim, call), { state = "gone" })
end)

test("another tick is stale, and the reply has it", function()
  local nvim = child.with_host({ "a", "b" })
  local call = call_of(nvim, { { { 0, 1, { "A" } } } })
  nvim:type("GAx<Esc>")
  equal(send(nvim, call), { state = "stale", tick = tick(nvim) })
  equal(nvim:lines(1), { "a", "bx" })
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
    ["rows that read so one further up"] = function(edit)
      edit.first, edit.above = 3, nil
    end,
    ["a place past the end"] = function(edit)
      edit.first = 7
    end,
    ["an insertion past the end"] = function(edit)
      edit.first, edit.old, edit.below = 5, {}, nil
    end,
  }) do
    local nvim = child.with_host({ "a", "b", "c", "d" })
    local call = call_of(nvim, {
      { { 0, 1, { "A" } } },
      { { 1, 2, { "B" } }, { 2, 3, { "C" } } },
      { { 3, 4, { "D" } } },
    })
    -- The second edit of a step: the first is not written either.
    change(call.steps[2].edits[2])
    call.steps[2].edits[1].below = "c"
    local reply = send(nvim, call)
    equal(states(reply), "written differs", name)
    equal(reply.tick, tick(nvim), name)
    equal(reply.tick, reply.steps[1].to, name)
    equal(nvim:lines(1), { "A", "b", "c", "d" }, name)
  end
end)

test("a change that Neovim refuses is an error, and nothing of its step is written", function()
  local nvim = child.with_host({ "a", "b", "c" })
  local call = call_of(nvim, { { { 0, 1, { "A" } }, { 2, 3, { "C" } } } })
  call.steps[1].edits[1].changes[1][5] = 9
  local reply = send(nvim, call)
  equal({ states(reply), type(reply.steps[1].message) }, { "error", "string" })
  equal(nvim:lines(1), { "a", "b", "c" })
end)

test("a buffer that takes no changes is told of, also where a listener says so between two steps", function()
  local nvim = child.with_host({ "a", "b" })
  nvim:lua("vim.bo.modifiable = false")
  local reply = write(nvim, { { { 0, 1, { "A" } } } })
  equal({ states(reply), reply.tick, nvim:lines(1) }, { "not_modifiable", tick(nvim), { "a", "b" } })
  nvim:lua([[
    vim.bo.modifiable = true
    vim.api.nvim_buf_attach(1, false, { on_lines = function() vim.bo[1].modifiable = false end })
  ]])
  reply = write(nvim, { { { 0, 1, { "A" } } }, { { 1, 2, { "B" } } } })
  equal({ states(reply), nvim:lines(1) }, { "written not_modifiable", { "A", "b" } })
end)

test("a step that fails half-way is taken back whole", function()
  local nvim = child.with_host({ "a", "b", "c" })
  nvim:type("2G~~<Esc>")
  nvim:lua([[
    vim.api.nvim_buf_attach(1, false, { on_lines = function()
      if not vim.g.is_over then vim.g.is_over, vim.bo[1].modifiable = true, false end
    end })
  ]])
  local call = call_of(nvim, { { { 0, 1, { "A" } }, { 2, 3, { "C" } } } })
  local reply = send(nvim, call)
  equal({ states(reply), nvim:lines(1) }, { "error", { "a", "b", "c" } })
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
  equal({ states(send(nvim, call)), nvim:lines(1) }, { "written", { "A", "b", "C" } })
  nvim:type("u")
  equal(nvim:lines(1), { "a", "b", "c" })
  nvim:type("<C-r><C-r>")
  equal(nvim:lines(1), { "A", "b", "C" })
end)

test("a step without edits is written without a change", function()
  local nvim = child.with_host({ "a", "b" })
  local before, sequence = tick(nvim), nvim:lua("return vim.fn.undotree().seq_last")
  local result = written(nvim, {})
  equal({ result.from, result.to, tick(nvim) }, { before, before, before })
  equal(nvim:lua("return vim.fn.undotree().seq_last"), sequence)
end)

test("the same call twice is written once, with the same ticks", function()
  local nvim = child.with_host({ "a", "b", "c" })
  local call = call_of(nvim, { { { 0, 1, { "A" } } }, { { 1, 2, { "B", "B" } } } })
  local reply = send(nvim, call)
  equal(send(nvim, call), reply)
  equal(nvim:lines(1), { "A", "B", "B", "c" })
  -- Also later, whatever was typed since, in the middle of something, and where the buffer is gone.
  nvim:type("Gox<Esc>v")
  equal(send(nvim, call).steps, reply.steps)
  nvim:type("<Esc>:enew!<CR>:bwipeout! 1<CR>")
  equal(send(nvim, call).steps, reply.steps)
end)

test("an attempt more is another step", function()
  local nvim = child.with_host({ "a" })
  written(nvim, { { 0, 1, { "A" } } }, { job = 1 })
  written(nvim, { { 0, 1, { "a" } } }, { job = 1, attempt = 2 })
  equal(nvim:lines(1), { "a" })
end)

test("a call goes on behind the steps that an earlier one wrote", function()
  local nvim = child.with_host({ "a", "b", "c" })
  local call = call_of(nvim, { { { 0, 1, { "A", "A" } } }, { { 2, 3, { "B" } } } })
  local first = send(nvim, { buffer = call.buffer, tick = call.tick, steps = { call.steps[1] } })
  local both = send(nvim, call)
  equal({ states(both), both.steps[1] }, { "written written", first.steps[1] })
  equal(nvim:lines(1), { "A", "A", "B", "c" })
end)

test("where the text has changed since, a call ends behind the steps that an earlier one wrote", function()
  local nvim = child.with_host({ "a", "b", "c" })
  local call = call_of(nvim, { { { 0, 1, { "A" } } }, { { 1, 2, { "B" } } } })
  local first = send(nvim, { buffer = call.buffer, tick = call.tick, steps = { call.steps[1] } })
  nvim:type("GAx<Esc>")
  equal(send(nvim, call), { state = "done", tick = tick(nvim), steps = first.steps })
  nvim:type("v")
  equal(send(nvim, call), { state = "done", tick = tick(nvim), steps = first.steps })
  equal(nvim:lines(1), { "A", "b", "cx" })
end)

test("what was written is remembered until it is stored, also for the next host", function()
  local nvim = child.with_host({ "a", "b" })
  nvim:type(":Botglue jobs<CR>q")
  local call = call_of(nvim, { { { 0, 1, { "A" } } }, { { 1, 2, { "B" } } } }, { job = 7, attempt = 3 })
  local second = { buffer = call.buffer, tick = call.tick, steps = { call.steps[2] } }
  local function stored(step)
    nvim:lua("require('botglue.apply').stored({ steps = { ... } })", step)
  end
  -- The reply is lost with the host that asked.
  send(nvim, call)
  nvim:host("die")
  nvim:type(":Botglue jobs<CR>q")
  stored({ job = 7, attempt = 2 })
  equal(states(send(nvim, call)), "written written")
  equal(nvim:lines(1), { "A", "B" })
  stored({ job = 7, attempt = 3 })
  equal({ states(send(nvim, call)), states(send(nvim, second)) }, { "stale", "written" })
  -- All steps of a job.
  stored({ job = 8 })
  equal(states(send(nvim, second)), "stale")
end)
