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

local function complaint(after, changed)
  local found = check.complaints(before, after, script, jobs(changed))
  equal(#found, 1, vim.inspect(found))
  return found[1]
end

test("all in its place", function()
  equal(check.complaints(before, good, script, jobs()), {})
end)

test("an answer that is not there", function()
  contains(
    complaint({ "use x;", "", "LOAD", "", "// typed", "TOTAL", "", "end" }),
    "`total` is not in the buffer"
  )
end)

test("answers that changed places", function()
  contains(complaint({ "use x;", "", "TOTAL", "more", "", "// typed", "LOAD", "", "end" }), "wrong place")
end)

test("a missing character", function()
  contains(complaint({ "use x;", "", "LOAD", "", "// tped", "TOTAL", "more", "", "end" }), "// typed")
end)

test("one line too many", function()
  contains(complaint(vim.list_extend({ "" }, good)), "wrong place")
end)

test("an answer that is held, and a job that failed", function()
  contains(complaint(good, { load = { landing = "held", held_for = "conflict" } }), "held conflict")
  contains(complaint(good, { load = { status = "failed", error = { message = "no login" } } }), "no login")
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
