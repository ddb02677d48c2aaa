local amounts = require("botglue.util.amounts")
local suite = require("support.suite")
local test, equal = suite.test, suite.equal

test("money", function()
  local money = amounts.money
  equal({ money(0), money(0.0009), money(0.01), money(0.314), money(58.11), money(1204) }, {
    "$0.00",
    "<$0.01",
    "$0.01",
    "$0.31",
    "$58.11",
    "$1204.00",
  })
end)

test("durations", function()
  local got = {}
  for _, s in ipairs({ 0, 59.9, 60, 192, 3599, 3600, 7500, 86400, 273600 }) do
    got[#got + 1] = amounts.duration(s * 1000)
  end
  equal(got, { "0s", "59s", "1m00s", "3m12s", "59m59s", "1h00m", "2h05m", "1d00h", "3d04h" })
end)
