local child = require("support.child")
local suite = require("support.suite")
local jobs = require("support.jobs")
local test, equal, contains = suite.test, suite.equal, suite.contains

--- What a session has of messages, as jobs of the store: the first is that of another one, which it was forked from.
local EARLIER = {
  {
    uuid = "j1",
    session_id = "s0",
    prompt = "first\nof all",
    first_line = 2,
    rows = { "fn one() {", "  1", "}" },
    checkpoints = { "m1" },
    ended_ms = 2000,
  },
  {
    uuid = "j2",
    session_id = "s1",
    resumed = { session_id = "s0" },
    prompt = "second",
    first_line = 2,
    rows = { "fn two() {", "  2", "}" },
    checkpoints = { "m2" },
    ended_ms = 4000,
  },
}

--- A child in which the choices of `vim.ui.select` are made by the test.
local function with_checkpoints()
  local nvim = jobs.in_session(nil, function(nvim)
    nvim:lua("require('support.journal').write(...)", EARLIER)
  end)
  nvim:lua([[
    _G.asked = {}
    vim.ui.select = function(items, options, callback)
      table.insert(asked, { items = items, shown = vim.tbl_map(options.format_item or tostring, items) })
      _G.pick = function(n) callback(items[n], n and n or nil) end
    end
  ]])
  nvim:type("3G:Botglue rewind<CR>")
  nvim:eventually("the checkpoints are shown", "return #asked == 1")
  return nvim
end

test("a rewind goes on after an earlier message, with the text as it is", function()
  local nvim = with_checkpoints()
  contains(nvim:lua("return asked[1].shown[1]"), "first of all")
  nvim:lua("pick(1)")
  contains(nvim:screen(), "rewind · claude")
  nvim:type("another way<C-s>")
  local sent = nvim:request(2)
  equal({ sent.prompt, sent.resume }, { "another way", { session_id = "s1", at = "m1" } })
  equal(sent.selection.text, { "fn two() {", "  2", "}" })
end)

test("a rewind that is given up leaves everything as it is", function()
  local nvim = with_checkpoints()
  nvim:lua("pick(nil)")
  nvim:type(":Botglue rewind<CR>")
  nvim:eventually("the checkpoints are shown", "return #asked == 2")
  nvim:lua("pick(1)")
  nvim:type("<Esc><Esc>")
  equal({ nvim:lines()[2], #nvim:host("received", "run") }, { "fn two() {", 1 })
end)

test("only an agent that can go back does", function()
  local nvim = child.with_host(jobs.ROWS)
  nvim:run(child.line(2, 4), { agent = "droid" })
  nvim:agent(1, "begin", { session_id = "s1" })
  nvim:agent(1, "print", '{"type":"message","role":"assistant","id":"m","text":"B"}')
  nvim:agent(1, "print", '{"type":"completion","finalText":"B","numTurns":1,"durationMs":1}')
  nvim:agent(1, "exit", 0)
  nvim:host("ended", 1)
  nvim:type("2G")
  contains(jobs.said(nvim, "rewind"), "droid cannot go back within a session: use :Botglue followup")
  nvim = jobs.in_session()
  nvim:type("3G:Botglue rewind<CR>")
  nvim:eventually("it is said", "return vim.fn.execute('messages'):find('no message to go back to', 1, true)")
end)
