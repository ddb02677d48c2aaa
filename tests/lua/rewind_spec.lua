local child = require("support.child")
local suite = require("support.suite")
local written = require("support.written")
local test, equal, contains = suite.test, suite.equal, suite.contains
local ROWS, with_landed, with_plain_prompt, request, message_of =
  written.ROWS, written.with_landed, written.with_plain_prompt, written.request, written.message_of

local CHECKPOINTS = {
  {
    uuid = "m1",
    session_id = "s0",
    job = "j1",
    prompt = "first\nof all",
    at_ms = 0,
    rows = { "fn one() {", "  1", "}" },
    kind = "line",
  },
  {
    uuid = "m2",
    session_id = "s1",
    job = "j2",
    prompt = "second",
    at_ms = 0,
    rows = { "fn two() {", "  2", "}" },
    kind = "line",
  },
}

--- A child in which the choices of `vim.ui.select` are made by the test.
local function with_checkpoints()
  local nvim = with_landed(nil, nil, child.with_scripted_host)
  nvim:lua(
    [[
      require('support.host').replies.checkpoints = { checkpoints = ... }
      _G.asked = {}
      vim.ui.select = function(items, options, callback)
        table.insert(asked, { items = items, shown = vim.tbl_map(options.format_item or tostring, items) })
        _G.pick = function(n) callback(items[n], n and n or nil) end
      end
    ]],
    CHECKPOINTS
  )
  with_plain_prompt(nvim)
  nvim:type("3G:Botglue rewind<CR>")
  nvim:eventually("the checkpoints are shown", "return #asked == 1")
  return nvim
end

test("a rewind goes on after an earlier message, with the text as it is", function()
  local nvim = with_checkpoints()
  equal(nvim:host("received", "query")[1].session_id, "s1")
  contains(nvim:lua("return asked[1].shown[1]"), "first of all")
  nvim:lua("pick(1)")
  equal(nvim:lua("return asked[2].shown"), { "Keep the text as it is", "Put back the text of that time" })
  nvim:lua("pick(1)")
  nvim:lua("typed('another way')")
  local sent = request(nvim, 2)
  equal({ sent.prompt, sent.resume }, { "another way", { session_id = "s1", at = "m1" } })
  equal(sent.selection.text, { "fn two() {", "  2", "}" })
end)

test("a rewind puts the text of that time back as one step", function()
  local nvim = with_checkpoints()
  nvim:lua("pick(1)")
  nvim:lua("pick(2)")
  equal(nvim:lines(), ROWS)
  nvim:lua("typed('another way')")
  local sent = request(nvim, 2)
  equal({ sent.selection.first_line, sent.selection.text }, { 2, { "fn one() {", "  1", "}" } })
  nvim:answer(2, { "three" }, { session_id = "s2" })
  equal(nvim:lines(), { "a", "three", "e" })
  nvim:type("uu")
  equal(nvim:lines(), { "a", "fn two() {", "  2", "}", "e" })
end)

test("a rewind to a time with the same text asks nothing more", function()
  local nvim = with_checkpoints()
  nvim:lua("pick(2)")
  equal(nvim:lua("return #asked"), 1)
  nvim:lua("typed('another way')")
  equal(request(nvim, 2).resume, { session_id = "s1", at = "m2" })
end)

test("a rewind that is given up leaves everything as it is", function()
  local nvim = with_checkpoints()
  nvim:lua("pick(nil)")
  nvim:type(":Botglue rewind<CR>")
  nvim:eventually("the checkpoints are shown", "return #asked == 2")
  nvim:lua("pick(1)")
  nvim:lua("pick(nil)")
  equal({ nvim:lines()[2], #nvim:host("received", "run") }, { "fn two() {", 1 })
end)

test("only an agent that can go back does", function()
  local nvim = with_landed(nil, nil, child.with_scripted_host)
  nvim:lua("require('botglue.client').job(1).agent = 'droid'")
  nvim:type("3G")
  contains(message_of(nvim, "rewind"), "droid cannot go back within a session: use :Botglue followup")
  nvim:lua("require('botglue.client').job(1).agent = 'claude'")
  nvim:lua("require('support.host').replies.checkpoints = { checkpoints = {} }")
  nvim:type("3G:Botglue rewind<CR>")
  nvim:eventually("it is said", "return vim.fn.execute('messages'):find('no message to go back to', 1, true)")
end)

--- A rewind of what a job wrote, to one checkpoint, with its text put back.
local function put_back(nvim, checkpoint)
  nvim:lua(
    [[
      require('support.host').replies.checkpoints = { checkpoints = { ... } }
      vim.ui.select = function(items, _, callback) callback(items[#items], #items) end
    ]],
    vim.tbl_extend(
      "force",
      { uuid = "m1", session_id = "s1", job = "j1", prompt = "x", at_ms = 0 },
      checkpoint
    )
  )
  with_plain_prompt(nvim)
  nvim:type(":Botglue rewind<CR>")
  nvim:eventually("the prompt is there", "return typed ~= nil")
  nvim:lua("typed('again')")
  return request(nvim, 2).selection
end

test("a rewind to when nothing stood there takes the lines away", function()
  local nvim = child.with_scripted_host({ "a", "b" })
  nvim:run({ kind = "insert", first = { 1, 0 } })
  nvim:answer(1, { "one", "two" }, { session_id = "s1" })
  nvim:type("2G")
  local sent = put_back(nvim, { rows = {}, kind = "insert" })
  equal(nvim:lines(), { "a", "b" })
  equal({ sent.kind, sent.first_line }, { "insert", 1 })
end)

test("a rewind puts back a part of a line", function()
  local nvim = child.with_scripted_host({ "let a = (b + c);" })
  nvim:run({ kind = "char", first = { 1, 8 }, last = { 1, 14 } })
  nvim:answer(1, { "(d)" }, { session_id = "s1" })
  nvim:lua("require('support.host').replies.job = { job = { selection = { text = { '(b + c)' } } } }")
  local sent = put_back(nvim, { rows = { "let a = (b + c);" }, kind = "char" })
  equal(nvim:lines(), { "let a = (b + c);" })
  equal({ sent.kind, sent.text, nvim:host("received", "query")[2].uuid }, { "char", { "(b + c)" }, "j1" })
end)
