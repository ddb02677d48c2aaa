local amounts = require("botglue.ui.amounts")
local columns = require("botglue.ui.columns")
local suite = require("support.suite")
local test, equal = suite.test, suite.equal

test("money", function()
  local function money(usd)
    return amounts.money(usd, "–")
  end
  equal({ money(nil), money(0), money(0.0009), money(0.01), money(0.314), money(58.11), money(1204) }, {
    "–",
    "$0.00",
    "<$0.01",
    "$0.01",
    "$0.31",
    "$58.11",
    "$1204.00",
  })
end)

test("tokens", function()
  local got = {}
  for _, count in ipairs({ 0, 999, 1000, 6240, 9949, 9950, 41200, 999499, 999500, 2100000, 970e6, 7e9 }) do
    got[#got + 1] = amounts.tokens(count, "–")
  end
  equal(got, { "0", "999", "1k", "6.2k", "9.9k", "10k", "41k", "999k", "1M", "2.1M", "970M", "7G" })
  equal(amounts.tokens(nil, "-"), "-")
end)

test("durations", function()
  local got = {}
  for _, s in ipairs({ 0, 59.9, 60, 192, 3599, 3600, 7500, 86400, 273600 }) do
    got[#got + 1] = amounts.duration(s * 1000)
  end
  equal(got, { "0s", "59s", "1m00s", "3m12s", "59m59s", "1h00m", "2h05m", "1d00h", "3d04h" })
end)

--- A row of three cells in so many columns, as one text.
local function row(cells, room)
  local fitted = columns.fit({
    { width = 8, keep_end = true, drop = 1 },
    { width = 6, rest = true },
    { width = 5, right = true },
  }, room, 1)
  local parts = {}
  for _, chunk in ipairs(columns.row(cells, fitted, 1, "…")) do
    parts[#parts + 1] = chunk[1]
  end
  return table.concat(parts)
end

test("columns: one takes the rest, a path is cut at its beginning, others at their end", function()
  equal(row({ { "a.rs:1" }, { "split it" }, { "7s" } }, 30), " a.rs:1   split it           7s")
  equal(row({ { "src/config.rs:41" }, { "return errors" }, { "7s" } }, 22), " …g.rs:41 return…    7s")
  equal(
    vim.api.nvim_strwidth(row({ { "src/漢字漢字.rs:1" }, { "漢字漢字漢字" }, { "7s" } }, 22)),
    23
  )
end)

test("columns: what finds no room is left out", function()
  equal(row({ { "a.rs:1" }, { "split this" }, { "7s" } }, 18), " split this      7s")
end)

test("columns: a text that says more takes room from the one that has the rest", function()
  local got = row({ { "a.rs:1" }, { "a long prompt that goes on" }, { "the agent failed", wide = true } }, 44)
  equal(got, " a.rs:1   a long prompt tha… the agent failed")
  got = row({ { "a.rs:1" }, { "a long prompt that goes on" }, { ("x"):rep(50), wide = true } }, 44)
  equal(got, " a.rs:1   a long prom… xxxxxxxxxxxxxxxxxxxxx…")
end)
