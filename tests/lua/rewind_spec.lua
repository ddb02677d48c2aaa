local child = require("support.child")
local suite = require("support.suite")
local written = require("support.written")
local test, equal, contains = suite.test, suite.equal, suite.contains
local ROWS, with_landed, answer_prompt, request, message_of =
  written.ROWS, written.with_landed, written.answer_prompt, written.request, written.message_of

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
  local nvim = with_landed(nil, nil, EARLIER)
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
  equal(nvim:host("received", "query")[1].session_id, "s1")
  contains(nvim:lua("return asked[1].shown[1]"), "first of all")
  nvim:lua("pick(1)")
  equal(nvim:lua("return asked[2].shown"), { "Keep the text as it is", "Put back the text of that time" })
  nvim:lua("pick(1)")
  answer_prompt(nvim, "another way")
  local sent = request(nvim, 2)
  equal({ sent.prompt, sent.resume }, { "another way", { session_id = "s1", at = "m1" } })
  equal(sent.selection.text, { "fn two() {", "  2", "}" })
end)

test("a rewind puts the text of that time back as one step", function()
  local nvim = with_checkpoints()
  nvim:lua("pick(1)")
  nvim:lua("pick(2)")
  equal(nvim:lua("return vim.api.nvim_buf_get_lines(1, 0, -1, true)"), ROWS)
  answer_prompt(nvim, "another way")
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
  answer_prompt(nvim, "another way")
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
  local nvim = with_landed()
  nvim:lua("require('botglue.host.client').job(1).agent = 'droid'")
  nvim:type("3G")
  contains(message_of(nvim, "rewind"), "droid cannot go back within a session: use :Botglue followup")
  nvim:lua("require('botglue.host.client').job(1).agent = 'claude'")
  nvim:type("3G:Botglue rewind<CR>")
  nvim:eventually("it is said", "return vim.fn.execute('messages'):find('no message to go back to', 1, true)")
end)

--- A child in which a job wrote something in the session of an earlier one, which had this text; rewinds to that, with
--- its text put back.
---@param lines string[]
---@param range table
---@param answer string[]
---@param earlier table as `support.spilled` takes it
local function put_back(lines, range, answer, earlier)
  local nvim = child.with_host(lines)
  local job = vim.tbl_extend("error", earlier, { uuid = "j1", session_id = "s1", checkpoints = { "m1" } })
  nvim:lua("require('support.spilled').write({ ... })", job)
  nvim:run(range)
  nvim:answer(1, answer, { session_id = "s1" })
  nvim:lua("vim.ui.select = function(items, _, callback) callback(items[#items], #items) end")
  nvim:type((earlier.kind == "insert" and "2G" or "") .. ":Botglue rewind<CR>")
  answer_prompt(nvim, "again")
  return nvim, request(nvim, 2).selection
end

test("a rewind to when nothing stood there takes the lines away", function()
  local range = { kind = "insert", first = { 1, 0 } }
  local nvim, sent = put_back({ "a", "b" }, range, { "one", "two" }, { kind = "insert", rows = {} })
  equal(nvim:lines(), { "a", "b" })
  equal({ sent.kind, sent.first_line }, { "insert", 1 })
end)

test("a rewind puts back a part of a line", function()
  local row = "let a = (b + c);"
  local range = { kind = "char", first = { 1, 8 }, last = { 1, 14 } }
  local nvim, sent = put_back(
    { row },
    range,
    { "(d)" },
    { kind = "char", rows = { row }, text = { "(b + c)" }, cols = { 8 } }
  )
  equal(nvim:lines(), { row })
  equal({ sent.kind, sent.text }, { "char", { "(b + c)" } })
  local asked = vim.tbl_map(function(query)
    return query.name
  end, nvim:host("received", "query"))
  equal(asked, { "checkpoints", "prompts" }, "the checkpoint has its text")
end)

--- Goes back to the first message with its text, and gives a prompt nothing to send.
---@param nvim Child
---@param meanwhile string? Lua that runs while the prompt is open
local function drop(nvim, meanwhile)
  nvim:lua("pick(1)")
  nvim:lua("pick(2)")
  equal(nvim:lua("return vim.api.nvim_buf_get_lines(1, 0, -1, true)"), ROWS)
  contains(nvim:screen(), "rewind · claude")
  nvim:lua(meanwhile or "")
  answer_prompt(nvim)
end

test("the text of that time is taken out again where nothing is sent", function()
  local nvim = with_checkpoints()
  drop(nvim)
  equal(nvim:lines(), { "a", "fn two() {", "  2", "}", "e" })
  equal(#nvim:host("received", "run"), 1)
  nvim:type("u")
  equal(nvim:lines(), ROWS, "as one step")
end)

test("it stays where the user has changed it meanwhile, and is found where it has moved", function()
  local nvim = with_checkpoints()
  drop(nvim, "vim.api.nvim_buf_set_lines(1, 2, 3, true, { '  mine' })")
  equal(nvim:lines(), { "a", "fn one() {", "  mine", "}", "e" })
  nvim = with_checkpoints()
  drop(nvim, "vim.api.nvim_buf_set_lines(1, 0, 0, true, { 'x', 'y' })")
  equal(nvim:lines(), { "x", "y", "a", "fn two() {", "  2", "}", "e" })
end)
