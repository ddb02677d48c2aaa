--- The death of the host: the next one is started at once, follows the same ranges, and goes on with their answers.

local child = require("support.child")
local decided = require("support.decided")
local stored = require("support.stored")
local suite = require("support.suite")
local test, equal, contains = suite.test, suite.equal, suite.contains
local decide, line = decided.press, child.line

local ROWS = { "one", "two", "three", "four", "five" }

--- How many hosts were started.
local function note_hosts(nvim)
  nvim:lua([[
    _G.hosts = 0
    local jobstart = vim.fn.jobstart
    vim.fn.jobstart = function(command, ...)
      hosts = hosts + (command[2] == "serve" and 1 or 0)
      return jobstart(command, ...)
    end
  ]])
end

local function has_host(nvim)
  return nvim:lua("return require('botglue.host.connection').process ~= nil")
end

--- Waits until there is a host that is ready.
local function ready(nvim)
  nvim:eventually(
    "the next host is ready",
    "local process = require('botglue.host.connection').process; return process and process.ready"
  )
end

--- Kills the host, and waits until the next one mirrors the buffer.
local function restart(nvim)
  nvim:host("die")
  ready(nvim)
  nvim:lua([[
    _G.mirrored = nil
    require("botglue.host.query").ask("mirror", { buffer = 1 }, function(mirror)
      _G.mirrored = mirror and mirror.link == "sure"
    end)
  ]])
  nvim:eventually("the text is mirrored", "return mirrored")
end

--- A child with an answer to a range that is held, or has landed.
local function answered(range, answer, review)
  local nvim = child.with_host(ROWS)
  nvim:run(range, { review = review })
  nvim:answer(1, answer)
  equal(nvim:job(1).landing, review and "held" or "applied")
  return nvim
end

--- The host is killed with the next call that writes, before it has the reply.
local function die_with_write(nvim)
  nvim:lua([[
    local apply, host = require("botglue.apply"), require("support.host")
    local write, channel = apply.write, host.channel
    _G.writes = 0
    apply.write = function(call)
      local reply = write(call)
      writes = writes + 1
      if writes == 1 and reply.state == "done" then
        vim.uv.kill(vim.fn.jobpid(channel), "sigkill")
      end
      return reply
    end
    _G.is_dead = function()
      return host.channel ~= channel
    end
  ]])
end

local PLACES = {
  { line(2, 3), { "TWO", "THREE" }, { "one", "TWO", "THREE", "four", "five" } },
  { { kind = "insert", first = { 2 } }, { "new" }, { "one", "two", "new", "three", "four", "five" } },
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
}

test("an answer that left no lines, and was undone, takes nothing back that was typed there since", function()
  local nvim = answered(line(4, 4), {})
  nvim:type("u4Gcjtyped<Esc>")
  restart(nvim)
  decide(nvim, "revert")
  equal(nvim:lines(), { "one", "two", "three", "typed" })
end)

test("after a restart a held answer is accepted where its range is by then, a landed one reverted", function()
  for _, case in ipairs(PLACES) do
    local range, answer, answered_rows = unpack(case)
    for verb, expected in pairs({ accept = { "applied", answered_rows }, revert = { "reverted", ROWS } }) do
      local nvim = answered(range, answer, verb == "accept")
      nvim:type("ggObefore<Esc>")
      restart(nvim)
      nvim:type("ggOafter<Esc>")
      decide(nvim, verb)
      equal(nvim:lines(), vim.list_extend({ "after", "before" }, expected[2]), verb .. range.kind)
      equal(nvim:job(1).landing, expected[1], verb .. range.kind)
    end
  end
end)

test("what is typed while there is no host moves the ranges; those that are changed have no place", function()
  local nvim = child.with_host(ROWS)
  for id, answer in ipairs({ "ONE", "TWO", "THREE" }) do
    nvim:run(line(id, id), { review = id > 1 })
    nvim:answer(id, { answer })
  end
  nvim:lua([[
    require("support.host").die()
    vim.api.nvim_buf_set_lines(0, 0, 0, true, { "top" })
    vim.api.nvim_buf_set_lines(0, 3, 4, true, { "mine" })
  ]])
  ready(nvim)
  decide(nvim, "accept", 2)
  decide(nvim, "revert", 1)
  equal(nvim:lines(), { "top", "one", "TWO", "mine", "four", "five" })
  nvim:type(":Botglue accept 3<CR>")
  contains(
    nvim:messages(),
    "job 3 cannot be accepted: select lines, then :Botglue accept 3: its place is not known"
  )
  nvim:type(":4Botglue accept 3<CR>")
  equal(nvim:lines(), { "top", "one", "TWO", "THREE", "four", "five" })
end)

test("an answer whose rows were changed before a restart, or since, is not reverted", function()
  for _, is_before in ipairs({ true, false }) do
    local nvim = answered(line(2, 3), { "TWO", "THREE" }, false)
    nvim:type(is_before and "2GA, typed<Esc>" or "")
    restart(nvim)
    nvim:type(is_before and "" or "2GA, typed<Esc>")
    decide(nvim, "revert")
    contains(nvim:messages(), "job 1 cannot be reverted: its lines were changed since")
    equal(nvim:lines(), { "one", "TWO, typed", "THREE", "four", "five" })
    equal(nvim:job(1).landing, "applied")
  end
end)

test("a conflict is shown by the next host, and accepted as it is shown", function()
  for _, is_before in ipairs({ true, false }) do
    local nvim = answered(line(2, 3), { "TWO", "THREE" }, true)
    nvim:type(is_before and "2GA, typed<Esc>" or "")
    restart(nvim)
    nvim:type(is_before and "ggOtop<Esc>" or "2GA, typed<Esc>ggOtop<Esc>")
    nvim:type(":Botglue diff<CR>")
    suite.eventually("the conflict is shown", function()
      return nvim:screen():find("1 conflict", 1, true)
    end)
    decide(nvim, "accept")
    equal(
      nvim:lua("return vim.api.nvim_buf_get_lines(1, 0, -1, true)"),
      { "top", "one", "TWO", "THREE", "four", "five" }
    )
  end
end)

test("an edit inside a range before a restart is merged after it", function()
  local nvim = answered(line(2, 4), { "TWO", "three", "four" }, true)
  nvim:type("4GA, typed<Esc>")
  restart(nvim)
  decide(nvim, "accept")
  equal(nvim:lines(), { "one", "TWO", "three", "four, typed", "five" })
  equal(nvim:job(1).landing, "merged")
end)

test(
  "an answer that waits for a safe moment is held after its host's death, and lands as it is accepted",
  function()
    for _, case in ipairs(PLACES) do
      local range, answer, expected = unpack(case)
      local nvim = child.with_host(ROWS)
      nvim:run(range)
      nvim:type("v")
      nvim:answer(1, answer)
      equal({ nvim:job(1).status, nvim:lines() }, { "ready", ROWS }, range.kind)
      restart(nvim)
      equal({ nvim:outcome(1), nvim:lines() }, { { "done", "held", "review" }, ROWS }, range.kind)
      nvim:type("<Esc>")
      decide(nvim, "accept")
      equal({ nvim:outcome(1), nvim:lines() }, { { "done", "applied" }, expected }, range.kind)
      equal(nvim:host("count", "BotglueJobFinished", 1), 1)
      equal(stored.newest(nvim).landing, "applied")
      nvim:type("u")
      equal(nvim:lines(), ROWS, range.kind)
    end
  end
)

test("an answer that waited is merged with what was typed before and since, where it can be", function()
  local nvim = child.with_host(ROWS)
  nvim:run(line(2, 4))
  nvim:type("4GA, typed<Esc>v")
  nvim:answer(1, { "TWO", "three", "four" })
  restart(nvim)
  nvim:type("<Esc>4GA, since<Esc>")
  decide(nvim, "accept")
  equal(
    { nvim:outcome(1), nvim:lines() },
    { { "done", "merged" }, { "one", "TWO", "three", "four, typed, since", "five" } }
  )
end)

test("what a host wrote before it died is not written once more", function()
  for _, case in ipairs(PLACES) do
    local range, answer, expected = unpack(case)
    local nvim = child.with_host(ROWS)
    nvim:run(range)
    die_with_write(nvim)
    nvim:agent(1, "answer", table.concat(answer, "\n"))
    nvim:eventually("the host has died", "return is_dead()")
    ready(nvim)
    nvim:eventually("it has ended", "return require('botglue').job(1).status == 'done'")
    equal({ nvim:outcome(1), nvim:lines() }, { { "done", "applied" }, expected }, range.kind)
    equal(nvim:host("count", "BotglueJobFinished", 1), 1)
    nvim:host("heard")
    local kept = stored.newest(nvim)
    equal({ kept.landing, kept.held_for }, { "applied", nil }, range.kind)
    equal(nvim:lua("return #require('botglue.host.connection').written"), 0, "the next host has stored it")
    decide(nvim, "revert")
    equal(nvim:lines(), ROWS, range.kind)
    equal(stored.newest(nvim).landing, "reverted")
  end
end)

test("a decision that a host wrote before it died is made", function()
  for what, expected in pairs({
    accept = { "applied", { "one", "TWO", "THREE", "four", "five" } },
    revert = { "reverted", ROWS },
  }) do
    local nvim = answered(line(2, 3), { "TWO", "THREE" }, what == "accept")
    die_with_write(nvim)
    nvim:api("exec_lua", "require('botglue')[...](1)", { what })
    nvim:eventually("the host has died", "return is_dead()")
    ready(nvim)
    equal({ nvim:job(1).landing, nvim:lines() }, expected, what)
    equal(nvim:job(1).held_for, nil)
    nvim:host("heard")
    equal(stored.newest(nvim).landing, expected[1])
  end
end)

test("a decision of which the host has not heard before it dies is to be taken again", function()
  local nvim = answered(line(2, 2), { "TWO" }, true)
  nvim:lua([[
    local host = require("support.host")
    require("botglue.host.connection").asked_within = 100
    vim.uv.kill(vim.fn.jobpid(host.channel), "sigstop")
    require("botglue").reject(1)
    host.die()
  ]])
  ready(nvim)
  equal(nvim:job(1).landing, "held")
  contains(nvim:messages(), "decide on job 1 again: the host is gone")
  decide(nvim, "reject")
  equal(nvim:job(1).landing, "rejected")
end)

test("a host that dies is started again where a range is open, held or to be reverted, else not", function()
  local nvim = child.with_host(ROWS)
  nvim:lua("local client = require('botglue.host.client'); client.connect(client.options())")
  ready(nvim)
  nvim:host("die")
  equal(has_host(nvim), false)

  for _, review in ipairs({ true, false }) do
    nvim = answered(line(2, 2), { "TWO" }, review)
    restart(nvim)
    equal(nvim:messages():find("the host is gone", 1, true), nil)
  end

  nvim = child.with_host(ROWS)
  nvim:run(line(2, 2))
  nvim:type("v")
  nvim:answer(1, { "TWO" })
  restart(nvim)
end)

test("a host is started again three times a minute at most, and then with what is asked next", function()
  local nvim = answered(line(2, 3), { "TWO", "THREE" }, true)
  note_hosts(nvim)
  for count = 1, 3 do
    restart(nvim)
    equal(nvim:lua("return hosts"), count)
  end
  nvim:host("die")
  equal({ has_host(nvim), nvim:lua("return hosts") }, { false, 3 })
  equal(nvim:job(1).landing, "held")
  nvim:type("ggOtop<Esc>")
  decide(nvim, "accept")
  equal(
    { nvim:job(1).landing, nvim:lines() },
    { "applied", { "top", "one", "TWO", "THREE", "four", "five" } }
  )
  equal(nvim:lua("return hosts"), 4)
  -- A minute later.
  nvim:lua("local restarts = require('botglue.host.connection').restarts; restarts[1] = restarts[1] - 60001")
  restart(nvim)
  equal(nvim:lua("return hosts"), 5)
end)

test("an answer that is ready is held where no other host can be started", function()
  local nvim = child.with_host(ROWS)
  nvim:run(line(2, 2))
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

test("a host that dies as it takes a hunk leaves what is held and was written as it is", function()
  local nvim = child.with_host(ROWS)
  nvim:run(line(1, 5), { review = true })
  nvim:answer(1, { "ONE", "two", "three", "four", "FIVE" })
  nvim:run(line(3, 3), { review = true })
  nvim:answer(2, { "THREE" })
  nvim:type(":Botglue review 1<CR>")
  nvim:eventually(
    "it is shown",
    "local job = require('botglue.host.client').job(1); return job.proposal and #job.proposal.hunks == 2"
  )
  die_with_write(nvim)
  nvim:type("gg")
  nvim:api("input", "do")
  suite.eventually("the host has died", function()
    return nvim:api("exec_lua", "return is_dead()", {})
  end)
  ready(nvim)
  nvim:host("heard")
  decide(nvim, "accept", 2)
  equal(
    nvim:lua("return vim.api.nvim_buf_get_lines(1, 0, -1, true)"),
    { "ONE", "two", "THREE", "four", "five" }
  )
end)

test("an answer that a job is being made of when the host dies is that job's", function()
  local nvim = child.with_host(ROWS)
  nvim:run(line(2, 3))
  nvim:lua([[
    local apply, host = require("botglue.apply"), require("support.host")
    local channel, write, hold = host.channel, apply.write, apply.hold
    _G.state = "first"
    apply.write = function(call)
      if state == "first" then
        _G.state = "second"
        vim.uv.kill(vim.fn.jobpid(channel), "sigkill")
        error("gone")
      end
      return write(call)
    end
    apply.hold = function(told)
      local ids = hold(told)
      if state == "second" and #ids > 0 then
        _G.state = "third"
        vim.uv.kill(vim.fn.jobpid(host.channel), "sigkill")
      end
      return ids
    end
  ]])
  nvim:agent(1, "answer", "TWO\nTHREE")
  nvim:eventually("both have died", "return state == 'third'")
  ready(nvim)
  nvim:host("heard")
  equal(nvim:outcome(2), { "done", "held", "review" })
  decide(nvim, "accept", 2)
  equal(nvim:lines(), { "one", "TWO", "THREE", "four", "five" })
end)

test("what the user made of an answer and the host has not read is told to the next one", function()
  local nvim = answered(line(2, 3), { "TWO", "THREE" }, true)
  nvim:type(":Botglue edit 1<CR>")
  nvim:lua([[
    local host = require("support.host")
    vim.uv.kill(vim.fn.jobpid(host.channel), "sigstop")
    vim.api.nvim_buf_set_lines(0, 0, -1, false, { "MINE" })
    vim.cmd.write()
    host.die()
  ]])
  ready(nvim)
  nvim:host("heard")
  decide(nvim, "accept")
  equal(nvim:lua("return vim.api.nvim_buf_get_lines(1, 0, -1, true)"), { "one", "MINE", "four", "five" })
end)

test("an observer that asks again as its host has died comes after what that has left", function()
  local nvim = child.with_host(ROWS)
  nvim:run(line(1, 1))
  nvim:run(line(4, 4))
  nvim:type("v")
  nvim:answer(2, { "FOUR" })
  nvim:lua([[
    require("botglue").on(1, function(update)
      if update.kind == "finished" then require("botglue").retry(1) end
    end)
  ]])
  nvim:host("die")
  ready(nvim)
  nvim:type("<Esc>")
  nvim:host("heard")
  equal(nvim:outcome(2), { "done", "held", "review" })
  decide(nvim, "accept", 2)
  equal(nvim:lines(), { "one", "two", "three", "FOUR", "five" })
  equal(
    nvim:lua("return require('botglue.host.connection').lost"),
    {},
    "a job without an answer is forgotten"
  )
end)

test("an answer that was written has all of its fields after its host's death", function()
  local nvim = child.with_host(ROWS)
  nvim:run(line(2, 3))
  die_with_write(nvim)
  nvim:agent(
    1,
    "answer",
    "TWO\nTHREE",
    { cost_usd = 0.5, num_turns = 2, input_tokens = 3, output_tokens = 4 }
  )
  nvim:eventually("the host has died", "return is_dead()")
  ready(nvim)
  nvim:eventually("it has ended", "return require('botglue').job(1).status == 'done'")
  local job = nvim:job(1)
  equal(
    { job.landing, job.text, job.cost_usd, job.num_turns, job.session_id },
    { "applied", "TWO\nTHREE", 0.5, 2, "session-job-1" }
  )
end)
