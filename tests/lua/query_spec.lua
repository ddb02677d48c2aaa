local child = require("support.child")
local stored = require("support.stored")
local suite = require("support.suite")
local test, equal = suite.test, suite.equal

--- Asks, and collects every answer.
local function ask(nvim, name, args)
  nvim:lua(
    [[
      _G.answers = _G.answers or {}
      local name, args = ...
      require("botglue.host.query").ask(name, args, function(result, err)
        table.insert(answers, { result = result, err = err, fast = vim.in_fast_event() })
      end)
      _G.at_once = #answers
    ]],
    name,
    args
  )
end

local function answers(nvim, count)
  return nvim:eventually("it is answered", "return #answers >= ... and answers", count)
end

local function asked(nvim)
  nvim:eventually("the host is asked", "return #require('support.host').received('query') > 0")
  return nvim:host("received", "query")
end

local function open_queries(nvim)
  return nvim:lua("return vim.tbl_count(require('botglue.host.connection').queries)")
end

test("a question is answered once, with what the host says", function()
  local nvim = child.with_host({ "a" })
  ask(nvim, "history", { limit = 2 })
  local question = asked(nvim)[1]
  equal({ question.name, question.limit }, { "history", 2 })
  equal(answers(nvim, 1), { { result = { jobs = {}, more = false }, fast = false } })
  nvim:ticks(1)
  equal(#answers(nvim, 1), 1)
  equal(open_queries(nvim), 0)
end)

test("answers find their questions in any order, and an error is one", function()
  local nvim = child.with_host({ "a" })
  nvim:host("hold", "reply")
  ask(nvim, "prompts", vim.empty_dict())
  ask(nvim, "job", { id = 7 })
  nvim:host("deliver", "reply", 2)
  nvim:host("deliver", "reply")
  local got = answers(nvim, 2)
  equal({ got[1].err, got[1].result, got[2].err, got[2].result }, {
    "the store has no such job",
    nil,
    nil,
    { prompts = {}, logged_out = {} },
  })
end)

test("a host that is lost, silent or not there is an answer too, and never at once", function()
  local nvim = child.with_host({ "a" })
  nvim:host("hold", "reply")
  ask(nvim, "prompts", vim.empty_dict())
  asked(nvim)
  nvim:host("die")
  suite.contains(answers(nvim, 1)[1].err, "signal 9")

  nvim:lua("require('botglue.host.connection').answered_within = 10")
  ask(nvim, "prompts", vim.empty_dict())
  suite.contains(answers(nvim, 2)[2].err, "does not answer")

  nvim:host("die")
  nvim:lua("require('botglue').setup({ host = '/no/such/host' })")
  ask(nvim, "prompts", vim.empty_dict())
  equal(nvim:lua("return at_once"), 2)
  suite.contains(answers(nvim, 3)[3].err, "host missing")
  equal(open_queries(nvim), 0)
end)

test("a host that works may take its time", function()
  local nvim = child.with_host({ "a" })
  nvim:lua([[
    local connection, query = require("botglue.host.connection"), require("botglue.host.query")
    local ask, reply = query.ask, query.reply
    connection.answered_within = 10
    query.ask = function(name, ...)
      if name == "ping" then
        connection.answered_within = 60000
      else
        _G.token = connection.last_query + 1
      end
      return ask(name, ...)
    end
    query.reply = function(answer)
      if answer.token == token then
        _G.late = function() reply(answer) end
      else
        reply(answer)
        _G.pinged = true
      end
    end
  ]])
  ask(nvim, "prompts", vim.empty_dict())
  nvim:eventually("it says that it works", "return late and pinged")
  nvim:ticks(1)
  equal(nvim:lua("return #answers"), 0)
  nvim:lua("late()")
  equal(answers(nvim, 1)[1].result, { prompts = {}, logged_out = {} })
end)

test("held answers that come late are held, and that the host is silent is told", function()
  local nvim = child.with_host({ "a" })
  nvim:host("earlier", { held_for = "review" })
  nvim:lua("require('botglue.host.connection').answered_within = 10")
  nvim:host("hold", "reply")
  nvim:lua([[
    local function tell(_, err) _G.told = { err } end
    require("botglue.host.query").ask("held", {}, tell, { is_patient = true })
  ]])
  nvim:eventually("it is told", "return vim.fn.execute('messages'):find('the host does not answer', 1, true)")
  equal(nvim:lua("return told"), vim.NIL)
  nvim:host("release", "reply")
  nvim:eventually("it is over", "return told")
  equal({ nvim:lua("return told"), nvim:outcome(1) }, { {}, { "done", "held", "review" } })
end)

--- What the store has of the newest job: what became of it, its lines then, and their rows.
local function kept(nvim)
  local job = stored.newest(nvim)
  return { job.landing, job.held_for, job.landed_first, job.landed_last, job.landed_rows }
end

test("the store has where an answer landed and what its rows are", function()
  local nvim = child.with_host({ "a", "b", "c", "d" })
  local id = nvim:run(child.line(2, 3))
  nvim:type("ggOtop<Esc>")
  nvim:answer(id, { "B", "C", "D" })
  equal(kept(nvim), { "applied", nil, 3, 5, { "B", "C", "D" } })
end)

test("of a part of a line the store has the whole rows, of a held answer none", function()
  local nvim = child.with_host({ "one two three" })
  nvim:run({ kind = "char", first = { 1, 4 }, last = { 1, 6 } })
  nvim:answer(1, { "2" })
  equal(kept(nvim), { "applied", nil, 1, 1, { "one 2 three" } })
  nvim:run(child.line(1, 1), { review = true })
  nvim:answer(2, { "x" })
  equal(kept(nvim), { "held", "review", nil, nil, nil })
end)
