local child = require("support.child")
local suite = require("support.suite")
local test, equal, contains = suite.test, suite.equal, suite.contains

local demo = vim.fs.dirname(vim.fs.dirname(debug.getinfo(1, "S").source:sub(2))) .. "/demo"
local check = dofile(demo .. "/check.lua")

local script = {
  jobs = { { name = "load" }, { name = "total" } },
  typing = { { above = "total", lines = { "// typed" } }, { lines = { "", "end" } } },
}
local before = { "use x;", "", "pub fn load() {", "  1", "}", "", "pub fn total() {", "  2", "}" }
local good = { "use x;", "", "LOAD", "", "// typed", "TOTAL", "more", "", "end" }

local function jobs(changed)
  return vim.tbl_deep_extend("force", {
    load = { status = "done", landing = "applied", text = "LOAD" },
    total = { status = "done", landing = "applied", text = "Here:\n```rust\nTOTAL\nmore\n```\n" },
  }, changed or {})
end

test("what is not in its place after the demo is named", function()
  equal(check.complaints(before, good, script, jobs()), {})
  local held = { load = { landing = "held", held_for = "conflict" } }
  local failed = { load = { status = "failed", error = { message = "no login" } } }
  for complaint, case in pairs({
    ["`total` is not in the buffer"] = { { "use x;", "", "LOAD", "", "// typed", "TOTAL", "", "end" } },
    ["wrong place: answers"] = { { "use x;", "", "TOTAL", "more", "", "// typed", "LOAD", "", "end" } },
    ["wrong place: a line too many"] = { vim.list_extend({ "" }, good) },
    ["// typed"] = { { "use x;", "", "LOAD", "", "// tped", "TOTAL", "more", "", "end" } },
    ["held conflict"] = { good, held },
    ["no login"] = { good, failed },
  }) do
    local found = check.complaints(before, case[1], script, jobs(case[2]))
    equal(#found, 1, vim.inspect(found))
    contains(found[1], (complaint:gsub(":.*", "")))
  end
end)

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
