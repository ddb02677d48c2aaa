local child = require("support.child")
local suite = require("support.suite")
local test, equal, contains = suite.test, suite.equal, suite.contains

local demo = vim.fs.dirname(vim.fs.dirname(debug.getinfo(1, "S").source:sub(2))) .. "/demo"

test("what is said first fits into 80 columns, whoever answers", function()
  for _, agent in ipairs({ "claude", "replay", "droid-replay" }) do
    local nvim = child.start()
    nvim:lua("vim.env.BOTGLUE_DEMO_AGENT = ...", agent)
    nvim:lua("dofile(...)", demo .. "/welcome.lua")
    suite.eventually("it is said", function()
      return nvim:api("get_mode").blocking or nvim:screen():find(agent, 1, true)
    end)
    equal(nvim:api("get_mode"), { mode = "n", blocking = false }, agent)
    contains(nvim:screen(), "\\pp")
  end
end)
