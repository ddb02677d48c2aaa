local child = require("support.child")
local suite = require("support.suite")
local test, equal = suite.test, suite.equal

--- Asks, and collects every answer.
local function ask(nvim, name, args)
  nvim:api(
    "exec_lua",
    [[
      _G.answers = _G.answers or {}
      local name, args = ...
      require("botglue.host.query").ask(name, args, function(result, err)
        table.insert(answers, { result = result, err = err })
      end)
      _G.at_once = #answers
    ]],
    { name, args }
  )
end

local function answers(nvim, count)
  return nvim:eventually("it is answered", "return #answers >= ... and answers", count)
end

test("a host that is lost or not there is an answer too, and never at once", function()
  local nvim = child.with_host({ "a" })
  nvim:type(":Botglue jobs<CR>q")
  nvim:lua("vim.uv.kill(vim.fn.jobpid(require('support.host').channel), 'sigstop')")
  ask(nvim, "info", vim.empty_dict())
  nvim:api("exec_lua", "require('support.host').die()", {})
  suite.contains(answers(nvim, 1)[1].err, "signal 9")

  nvim:lua("require('botglue').setup({ host = '/no/such/host' })")
  ask(nvim, "info", vim.empty_dict())
  equal(nvim:lua("return at_once"), 1)
  suite.contains(answers(nvim, 2)[2].err, "host missing")
end)
