local child = require("support.child")
local suite = require("support.suite")
local test, equal = suite.test, suite.equal

--- Asks, and collects every answer.
local function ask(nvim, name, args)
  nvim:lua(
    [[
      _G.answers = _G.answers or {}
      local name, args = ...
      require("botglue.host.query").ask(name, args, function(result, err)
        table.insert(answers, { result = result, err = err })
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

test("a host that is lost, silent or not there is an answer too, and never at once", function()
  local nvim = child.with_host({ "a" })
  nvim:host("hold", "reply")
  ask(nvim, "held", vim.empty_dict())
  nvim:host("die")
  suite.contains(answers(nvim, 1)[1].err, "signal 9")

  nvim:lua("require('botglue.host.connection').answered_within = 10")
  ask(nvim, "held", vim.empty_dict())
  suite.contains(answers(nvim, 2)[2].err, "does not answer")

  nvim:host("die")
  nvim:lua("require('botglue').setup({ host = '/no/such/host' })")
  ask(nvim, "held", vim.empty_dict())
  equal(nvim:lua("return at_once"), 2)
  suite.contains(answers(nvim, 3)[3].err, "host missing")
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
  ask(nvim, "held", vim.empty_dict())
  nvim:eventually("it says that it works", "return late and pinged")
  nvim:ticks(1)
  equal(nvim:lua("return #answers"), 0)
  nvim:lua("late()")
  equal(answers(nvim, 1)[1].err, nil)
end)
