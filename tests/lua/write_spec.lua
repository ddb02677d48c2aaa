--- The call by which the host writes compares the rows, and takes back what it cannot write whole. (What a step keeps:
--- `write_keeps_spec`, `tests/it/writing.rs`. That each is written once, whoever dies: `tests/it/store/deaths.rs`.)

local child = require("support.child")
local suite = require("support.suite")
local test, equal = suite.test, suite.equal

--- A call for buffer 1 as it is now.
---@param nvim Child
---@param steps table[][] the edits of each
local function call_of(nvim, steps)
  local call = { buffer = 1, tick = nvim:api("buf_get_changedtick", 1), steps = {} }
  for job, edits in ipairs(steps) do
    call.steps[job] = { job = job, attempt = 1, edits = edits }
  end
  return call
end

--- Sends a call as the host does, and returns the reply.
local function send(nvim, call)
  return nvim:api("exec_lua", "return require('botglue.apply').write(...)", { call })
end

local function write(nvim, steps)
  return send(nvim, call_of(nvim, steps))
end

--- The states of a reply's steps.
---@return string[]
local function states(reply)
  return vim.tbl_map(function(result)
    return result.state
  end, reply.steps)
end

--- An edit of one row, from 0, that becomes another of the same length.
local function edit(first, old, new, above, below)
  local changes = { { "text", first, 0, first, #old, { new } } }
  return { first = first, old = { old }, above = above, below = below, changes = changes }
end

test("rows that differ, or a row beside them, stop the call; the steps before it stand", function()
  for name, wrong in pairs({
    ["a row"] = { old = { "c " } },
    ["another count"] = { old = { "c", "d" } },
    ["the row above"] = { above = "B" },
    ["the row below"] = { below = "d\r" },
    ["no row above"] = { above = vim.NIL },
    ["no row below"] = { below = vim.NIL },
    ["rows that read so one further up"] = { first = 3, above = vim.NIL },
    ["a place past the end"] = { first = 7 },
    ["an insertion past the end"] = { first = 5, old = {}, below = vim.NIL },
  }) do
    local nvim = child.with_host({ "a", "b", "c", "d" })
    -- The second edit of a step: the first is not written either.
    local second = edit(2, "c", "C", "b", "d")
    for field, value in pairs(wrong) do
      second[field] = value ~= vim.NIL and value or nil
    end
    local reply = write(nvim, {
      { edit(0, "a", "A", nil, "b") },
      { edit(1, "b", "B", "A", "c"), second },
      { edit(3, "d", "D", "C", nil) },
    })
    equal(states(reply), { "written", "differs" }, name)
    equal({ reply.tick, reply.steps[1].to }, { nvim:api("buf_get_changedtick", 1), reply.tick }, name)
    equal(nvim:lines(1), { "A", "b", "c", "d" }, name)
  end
end)

test("a step that fails half-way is taken back whole, and is in no state of the undo tree", function()
  local nvim = child.with_host({ "a", "b", "c" })
  nvim:type("2G~~<Esc>")
  nvim:lua([[
    vim.api.nvim_buf_attach(1, false, { on_lines = function()
      if not vim.g.is_over then vim.g.is_over, vim.bo[1].modifiable = true, false end
    end })
  ]])
  local steps = { { edit(0, "a", "A", nil, "b"), edit(2, "c", "C", "b", nil) } }
  equal({ states(write(nvim, steps)), nvim:lines(1) }, { { "error" }, { "a", "b", "c" } })
  equal(nvim:lua("return vim.bo[1].modifiable"), false)
  nvim:lua("vim.bo[1].modifiable = true")
  local change = nvim:lua("return { vim.fn.line([['.]]), vim.fn.getchangelist(1)[1][2].lnum }")
  equal(change, { 2, 2 }, "the user's change")
  local half = nvim:lua([[
    local tree = vim.fn.undotree()
    for number = 0, tree.seq_last do
      vim.cmd("silent! undo " .. number)
      local rows = vim.api.nvim_buf_get_lines(1, 0, -1, true)
      if vim.tbl_contains(rows, "A") or vim.tbl_contains(rows, "C") then return rows end
    end
    vim.cmd("silent undo " .. tree.seq_cur)
  ]])
  equal(half, vim.NIL)
  equal({ states(write(nvim, steps)), nvim:lines(1) }, { { "written" }, { "A", "b", "C" } })
  nvim:type("u")
  equal(nvim:lines(1), { "a", "b", "c" })
end)

test("a call for another text, or none, writes nothing; one that is made again is written once", function()
  local nvim = child.with_host({ "a", "b", "c" })
  local call = call_of(nvim, { { edit(0, "a", "A", nil, "b") }, { edit(1, "b", "B", "A", "c") } })
  nvim:type("Gix<BS><Esc>")
  equal(send(nvim, call), { state = "stale", tick = nvim:api("buf_get_changedtick", 1) })
  call.buffer = 4711
  equal(send(nvim, call), { state = "gone" })
  call.buffer, call.tick = 1, nvim:api("buf_get_changedtick", 1)
  local first = send(nvim, { buffer = 1, tick = call.tick, steps = { call.steps[1] } })
  local both = send(nvim, call)
  equal(
    { states(both), both.steps[1], nvim:lines(1) },
    { { "written", "written" }, first.steps[1], { "A", "B", "c" } }
  )
  nvim:type("Gox<Esc>v")
  equal(send(nvim, call).steps, both.steps)
  nvim:type("<Esc>:enew!<CR>:bwipeout! 1<CR>")
  equal(send(nvim, call).steps, both.steps)
end)

test("places in another text move no mark, and the reply says which text there is", function()
  local nvim = child.with_job({ "a", "b", "c" }, child.line(2))
  local call = { buffer = 1, tick = nvim:api("buf_get_changedtick", 1) }
  call.places = { { id = 1, kind = "line", first = 0, last = 0 } }
  nvim:type("ggOx<Esc>")
  local places = "return { require('botglue.apply').places(...).tick, require('botglue').job(1).first_line }"
  equal(nvim:lua(places, call), { nvim:api("buf_get_changedtick", 1), 3 })
end)
