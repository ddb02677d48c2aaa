--- The death of the host: the next one is started at once, and follows the same ranges. (What becomes of an answer,
--- whenever a host dies: `tests/it/store`, `tests/it/holding`, `tests/it/model`.)

local child = require("support.child")
local jobs = require("support.jobs")
local suite = require("support.suite")
local test, equal, contains = suite.test, suite.equal, suite.contains
local decide, line = jobs.decide, child.line

local ROWS = { "one", "two", "three", "four", "five" }

local function has_host(nvim)
  return nvim:lua("return require('support.host').channel ~= nil")
end

local function hosts(nvim)
  return nvim:lua("return require('support.host').started")
end

--- A child with an answer to a range that is held.
local function held(range, answer)
  local nvim = child.with_job(ROWS, range, { review = true })
  nvim:answer(1, answer)
  equal(nvim:job(1).landing, "held")
  return nvim
end

test("after a restart a held answer is accepted where its range is by then", function()
  for _, case in ipairs({
    { line(2, 3), { "TWO", "THREE" }, { "one", "TWO", "THREE", "four", "five" } },
    {
      { kind = "char", first = { 3, 2 }, last = { 3, 4 } },
      { "REE" },
      { "one", "two", "thREE", "four", "five" },
    },
    {
      { kind = "block", first = { 2, 0 }, last = { 3, 0 } },
      { "1", "2" },
      { "one", "1wo", "2hree", "four", "five" },
    },
  }) do
    local range, answer, answered_rows = unpack(case)
    local nvim = held(range, answer)
    nvim:type("ggObefore<Esc>")
    nvim:host("restart")
    nvim:type("ggOafter<Esc>")
    decide(nvim, "accept")
    equal(nvim:lines(), vim.list_extend({ "after", "before" }, answered_rows), range.kind)
    equal(nvim:job(1).landing, "applied", range.kind)
  end
end)

test("after a restart a landed answer is taken back with u, and its job goes on in its session", function()
  local nvim = child.with_job(ROWS, line(2, 3))
  nvim:answer(1, { "TWO" }, { session_id = "s1" })
  nvim:host("die")
  nvim:type("ggOtop<Esc>")
  contains(
    suite.raises(function()
      nvim:lua("require('botglue').revert(1)")
    end),
    "job 1 landed before its host ended: take it back with u"
  )
  nvim:lua("return require('botglue').followup(1, 'more')")
  local sent = nvim:request(2)
  equal(
    { sent.resume, sent.selection.first_line, sent.selection.text },
    { { session_id = "s1" }, 3, { "TWO" } }
  )
end)

test("what is typed while there is no host moves the ranges; those that are changed have no place", function()
  local nvim = child.with_host(ROWS)
  for id, answer in ipairs({ "ONE", "TWO", "THREE" }) do
    nvim:run(line(id, id), { review = true })
    nvim:answer(id, { answer })
  end
  nvim:lua([[
    require("support.host").die()
    vim.api.nvim_buf_set_lines(0, 0, 0, true, { "top" })
    vim.api.nvim_buf_set_lines(0, 3, 4, true, { "mine" })
  ]])
  decide(nvim, "accept", 2)
  equal(nvim:lines(), { "top", "one", "TWO", "mine", "four", "five" })
  nvim:type(":Botglue accept 3<CR>")
  contains(
    nvim:messages(),
    "job 3 cannot be accepted: its place is not known: select lines, then :Botglue accept 3"
  )
  nvim:type(":4Botglue accept 3<CR>")
  equal(nvim:lines(), { "top", "one", "TWO", "THREE", "four", "five" })
end)

test("a host that dies is started again where a job was open or an answer is held, else not", function()
  local nvim = child.with_host(ROWS)
  nvim:type(":Botglue jobs<CR>q")
  nvim:host("die")
  equal({ has_host(nvim), hosts(nvim) }, { false, 1 })
  nvim = held(line(2, 2), { "TWO" })
  nvim:host("restart")
  equal(nvim:messages():find("the host is gone", 1, true), nil)
  nvim = child.with_job(ROWS, line(2, 2))
  nvim:type("v")
  nvim:answer(1, { "TWO" })
  nvim:host("restart")
end)

test("a host is started again three times a minute at most, and then with what is asked next", function()
  local nvim = held(line(2, 3), { "TWO", "THREE" })
  for count = 2, 4 do
    nvim:host("restart")
    equal(hosts(nvim), count)
  end
  nvim:host("die")
  equal({ has_host(nvim), hosts(nvim), nvim:job(1).landing }, { false, 4, "held" })
  nvim:type("ggOtop<Esc>")
  decide(nvim, "accept")
  equal(
    { nvim:job(1).landing, nvim:lines(), hosts(nvim) },
    { "applied", { "top", "one", "TWO", "THREE", "four", "five" }, 5 }
  )
end)

test("an answer that is ready is held where no other host can be started", function()
  local nvim = child.with_job(ROWS, line(2, 2))
  nvim:type("v")
  nvim:answer(1, { "TWO" })
  nvim:lua("require('botglue').setup({ host = '/nowhere/botglue' })")
  nvim:host("die")
  equal({ nvim:outcome(1), nvim:lines() }, { { "done", "held", "review" }, ROWS })
  nvim:type("<Esc>")
  nvim:lua("require('botglue').setup({})")
  decide(nvim, "accept")
  equal({ nvim:job(1).landing, nvim:lines() }, { "applied", { "one", "TWO", "three", "four", "five" } })
end)

test("an answer that was written as its host died has all of its fields", function()
  local nvim = child.with_job(ROWS, line(2, 3))
  nvim:lua([[
    local channel = require("support.host").channel
    vim.api.nvim_buf_attach(0, false, { on_lines = function()
      vim.uv.kill(vim.fn.jobpid(channel), "sigkill")
      return true
    end })
  ]])
  nvim:agent(1, "answer", "TWO\nTHREE", { cost_usd = 0.5, num_turns = 2 })
  nvim:eventually("it has ended", "return require('botglue').job(1).status == 'done'")
  equal(hosts(nvim), 2)
  local job = nvim:job(1)
  equal(
    { job.landing, job.text, job.cost_usd, job.num_turns, job.session_id },
    { "applied", "TWO\nTHREE", 0.5, 2, "session-job-1" }
  )
end)
