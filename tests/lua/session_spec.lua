local child = require("support.child")
local suite = require("support.suite")
local test, equal, contains = suite.test, suite.equal, suite.contains

local function line(first, last)
  return { kind = "line", first = { first, 0 }, last = { last, 0 } }
end

local ROWS = { "a", "fn one() {", "  1", "}", "e" }

--- A child in which job 1 has written rows 2 to 4.
local function with_landed(more)
  local nvim = child.with_host(ROWS)
  nvim:lua("require('botglue').setup({ host = '/bin/sh', prompt = 'ui' })")
  nvim:run(line(2, 4), { agent = "claude", model = "haiku" })
  nvim:answer(
    1,
    { "fn two() {", "  2", "}" },
    vim.tbl_extend("force", { session_id = "s1", model = "full" }, more or {})
  )
  return nvim
end

--- A prompt that the test answers with `typed`.
local function with_plain_prompt(nvim)
  nvim:lua([[
    require('botglue').setup({ host = '/bin/sh', prompt = 'ui' })
    vim.ui.input = function(_, callback) _G.typed = callback end
  ]])
end

local function request(nvim, n)
  nvim:eventually("the request arrives", "return #require('support.host').received('run') >= ...", n)
  return nvim:host("received", "run")[n]
end

local function message_of(nvim, command)
  nvim:type((":Botglue %s<CR>"):format(command))
  return nvim:messages()
end

test("a follow-up goes on in a fork of the session that wrote the range, on all of it", function()
  local nvim = with_landed()
  nvim:type("ggOtop<Esc>4GAx<Esc>:Botglue followup and now shorter<CR>")
  local sent = request(nvim, 2)
  equal(sent.resume, { session_id = "s1" })
  equal({ sent.prompt, sent.agent.name, sent.agent.model }, { "and now shorter", "claude", "haiku" })
  equal({ sent.selection.first_line, sent.selection.text }, { 3, { "fn two() {", "  2x", "}" } })
  equal(sent.cwd, nvim:host("received", "run")[1].cwd)
  nvim:answer(2, { "two" }, { session_id = "s2" })
  equal(nvim:lines(), { "top", "a", "two", "e" })
  equal({ nvim:job(2).landing, nvim:job(1).landing }, { "applied", "applied" })

  nvim:type("3G:Botglue followup once more<CR>")
  equal(request(nvim, 3).resume, { session_id = "s2" }, "the newest that wrote it")
end)

test("two follow-ups of one session run side by side", function()
  local nvim = with_landed()
  equal(nvim:lua("return require('botglue').followup(1, 'one')"), 2)
  equal(nvim:lua("return require('botglue').followup(1, 'other')"), 3)
  equal(
    { request(nvim, 2).resume, request(nvim, 3).resume },
    { { session_id = "s1" }, { session_id = "s1" } }
  )
end)

test("a follow-up without a prompt asks for it, and the range goes on moving meanwhile", function()
  local nvim = with_landed()
  with_plain_prompt(nvim)
  nvim:type("3G:Botglue followup<CR>ggOtop<Esc>")
  nvim:lua("typed('now')")
  local sent = request(nvim, 2)
  equal({ sent.prompt, sent.selection.first_line, sent.resume }, { "now", 3, { session_id = "s1" } })
  nvim:type("4G:Botglue followup<CR>")
  nvim:lua("typed(nil)")
  equal(#nvim:host("received", "run"), 2)
end)

test("the prompt of a follow-up leaves it with the agent whose session it is", function()
  local nvim = child.with_host(ROWS)
  local words = nvim:lua([[
    local function after_next(wish)
      local choice = require('botglue.ui.prompt.choice').new(wish, (require('botglue.client').options()))
      choice:next_agent()
      return choice:words()
    end
    return { after_next({ agent = 'claude' }), after_next({ agent = 'claude', resume = { session_id = 's1' } }) }
  ]])
  equal(words, { "droid", "claude" })
end)

test("a follow-up of a question is one", function()
  local nvim = child.with_host(ROWS)
  nvim:lua("require('botglue').ask({ prompt = 'what', range = ... })", line(2, 4))
  request(nvim, 1)
  nvim:answer(1, { "x" }, { session_id = "s1" })
  nvim:type(":Botglue answer<CR>:Botglue followup why<CR>")
  local sent = request(nvim, 2)
  equal({ sent.question, sent.resume.session_id, sent.selection.first_line }, { true, "s1", 2 })
  nvim:type("<Cmd>wincmd t<CR>3G:Botglue followup what for<CR>")
  sent = request(nvim, 3)
  equal({ sent.question, sent.resume.session_id }, { true, "s1" })
end)

test("what a follow-up and a retry cannot be is said in one line", function()
  local nvim = with_landed()
  local function says(code, words)
    contains(
      suite.raises(function()
        nvim:lua(code)
      end),
      words
    )
  end
  says("require('botglue').followup(9, 'x')", "botglue: there is no job 9")
  says("require('botglue').followup(1, ' ')", "botglue: prompt must be some words")
  says("require('botglue').retry(9)", "botglue: there is no job 9")
  nvim:lua(
    "require('botglue').setup({ host = '/bin/sh', agents = { mine = { protocol = 'text', command = { 'cat' } } } })"
  )
  nvim:lua("require('botglue').run({ prompt = 'x', agent = 'mine', range = ... })", line(1, 1))
  says("require('botglue').followup(2, 'x')", "botglue: job 2 has not ended yet")
  says("require('botglue').retry(2)", "botglue: job 2 has not ended yet")
  request(nvim, 2)
  nvim:answer(2, { "A" })
  says("require('botglue').followup(2, 'x')", "botglue: job 2 was run by mine, which keeps no sessions")
  contains(message_of(nvim, "open 2"), "which keeps no sessions")
  nvim:type("3Gdk")
  nvim:lua("vim.api.nvim_buf_set_lines(0, 0, -1, false, { 'x' })")
  says("require('botglue').followup(1, 'x')", "the lines of job 1 are gone")
  says("require('botglue').retry(1)", "the lines of job 1 are gone")
  contains(message_of(nvim, "rewind now"), "rewind takes no argument")
  equal(#nvim:host("received", "run"), 2)
end)

test("without a session there is nothing to go on in", function()
  local nvim = with_landed({ session_id = vim.NIL })
  nvim:lua("require('botglue.client').job(1).session_id = nil")
  nvim:type("3G")
  contains(message_of(nvim, "followup x"), "job 1 has no session to go on in")
end)

test("what wrote a text in an earlier Neovim is known by the text", function()
  local nvim = child.with_host({ "above", "fn two() {", "  2", "}", "below" })
  nvim:lua([[
    vim.api.nvim_buf_set_name(0, '/somewhere/a.rs')
    local rows = { 'fn two() {', '  2', '}' }
    require('support.host').replies.writers = { jobs = {
      { agent = 'claude', session_id = 'newer', project = '/', landed_rows = { 'gone', 'since' } },
      { agent = 'claude', session_id = 's1', project = '/tmp', model = 'opus', landed_rows = rows },
      { agent = 'claude', session_id = 'older', project = '/', landed_rows = rows },
    } }
  ]])
  nvim:type("4G:Botglue followup go on<CR>")
  local sent = request(nvim, 1)
  equal({ sent.resume, sent.cwd, sent.agent.model }, { { session_id = "s1" }, "/tmp", "opus" })
  equal({ sent.selection.first_line, sent.selection.last_line, sent.selection.kind }, { 2, 4, "line" })
  equal(nvim:host("received", "query")[1].path, "/somewhere/a.rs")

  nvim:type("1G:Botglue followup x<CR>")
  nvim:eventually("it is said", "return vim.fn.execute('messages'):find('no known job wrote', 1, true)")
  nvim:lua("vim.api.nvim_buf_set_lines(0, -1, -1, false, { 'fn two() {', '  2', '}' })")
  nvim:lua("vim.cmd.messages('clear')")
  nvim:type("G:Botglue followup x<CR>")
  nvim:eventually("twice is doubt", "return vim.fn.execute('messages'):find('no known job', 1, true)")
  equal(#nvim:host("received", "run"), 1)
end)

test("what is too short to tell is known where it was", function()
  local nvim = child.with_host({ "a", "x = 1", "b" })
  nvim:lua([[
    vim.api.nvim_buf_set_name(0, '/somewhere/a.rs')
    require('support.host').replies.writers = { jobs = {
      { agent = 'claude', session_id = 'moved', project = '/', landed_rows = { 'x = 1' }, landed_first = 3 },
      { agent = 'claude', session_id = 's1', project = '/', landed_rows = { 'x = 1' }, landed_first = 2 },
    } }
  ]])
  nvim:type("2G:Botglue followup go on<CR>")
  equal(request(nvim, 1).resume, { session_id = "s1" })
end)

test("the store is told how a text stands whenever its file is written", function()
  local nvim = with_landed()
  nvim:lua("vim.api.nvim_buf_set_name(0, vim.fn.tempname())")
  local function told()
    return nvim:host("received", "stands")
  end
  nvim:type("ggOtop<Esc>:write<CR>")
  equal(told(), {}, "it is the same")
  nvim:type("4GAx<Esc>:write<CR>:write<CR>")
  equal(told(), {
    { id = 1, landing = "applied", rows = { "fn two() {", "  2x", "}" }, first_line = 3, last_line = 5 },
  })
  nvim:type("u:write<CR>")
  equal(told()[2].rows, { "fn two() {", "  2", "}" })
end)

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
  local nvim = with_landed()
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
  local nvim = with_landed()
  nvim:lua("require('botglue.client').job(1).agent = 'droid'")
  nvim:type("3G")
  contains(message_of(nvim, "rewind"), "droid cannot go back within a session: use :Botglue followup")
  nvim:lua("require('botglue.client').job(1).agent = 'claude'")
  nvim:lua("require('support.host').replies.checkpoints = { checkpoints = {} }")
  nvim:type("3G:Botglue rewind<CR>")
  nvim:eventually("it is said", "return vim.fn.execute('messages'):find('no message to go back to', 1, true)")
end)

test("a retry sends the same on the range as it is now, also of a job that failed", function()
  local nvim = child.with_host(ROWS)
  nvim:run(line(2, 4), { agent = "claude", model = "haiku", review = true })
  nvim:answer(1, {}, { status = "failed", error = { code = "overloaded", message = "later" } })
  nvim:type("ggOtop<Esc>4GAx<Esc>:Botglue retry<CR>")
  local sent = request(nvim, 2)
  equal({ sent.prompt, sent.agent.model, sent.review, sent.resume }, { "it", "haiku", true, nil })
  equal({ sent.selection.first_line, sent.selection.text }, { 3, { "fn one() {", "  1x", "}" } })
  nvim:answer(2, { "B" })
  equal(nvim:job(2).landing, "held")
  equal(nvim:lua("return require('botglue').retry(2)"), 3)
end)

test("a retry of a follow-up goes on from the same session", function()
  local nvim = with_landed()
  nvim:lua("require('botglue').followup(1, 'more')")
  request(nvim, 2)
  nvim:answer(2, { "B" }, { session_id = "s2" })
  nvim:type(":Botglue retry 2<CR>")
  local sent = request(nvim, 3)
  equal({ sent.prompt, sent.resume.session_id, sent.selection.text }, { "more", "s1", { "B" } })
end)

test("a retry of an insertion that failed goes to the same place", function()
  local nvim = child.with_host(ROWS)
  nvim:run({ kind = "insert", first = { 1, 0 } })
  nvim:answer(1, {}, { status = "failed", error = { code = "overloaded", message = "later" } })
  nvim:type("ggOtop<Esc>")
  equal(nvim:lua("return require('botglue').retry(1)"), 2)
  local sent = request(nvim, 2).selection
  equal({ sent.kind, sent.first_line, sent.anchor }, { "insert", 2, "a" })
end)

test("a session opens in a terminal in its directory", function()
  local nvim = with_landed()
  nvim:lua([[
    local job = require('botglue.client').job(1)
    job.cwd = '/tmp'
    local script = vim.fn.tempname()
    vim.fn.writefile({ '#!/bin/sh', 'echo "$PWD $* $MINE [$CLAUDECODE]"' }, script)
    vim.fn.setfperm(script, 'rwx------')
    vim.env.CLAUDECODE = '1'
    require('botglue').setup({
      host = '/bin/sh',
      agents = { claude = { command = { script, 'first' }, args = { '--not' }, env = { MINE = 'mine' } } },
    })
  ]])
  local before = nvim:lua("return vim.api.nvim_get_current_win()")
  nvim:type("3G:Botglue open<CR>")
  nvim:eventually(
    "the program has run",
    "return vim.bo.buftype == 'terminal' and vim.api.nvim_buf_get_lines(0, 0, 1, false)[1] ~= ''"
  )
  equal(nvim:lines()[1], "/tmp first --resume s1 mine []")
  equal(nvim:lua("return { vim.api.nvim_win_is_valid(...), vim.env.CLAUDECODE }", before), { true, "1" })
end)

test("the session of an earlier Neovim opens, too", function()
  local nvim = child.with_host({ "fn two() {", "  2", "}" })
  nvim:lua([[
    vim.api.nvim_buf_set_name(0, '/somewhere/a.rs')
    require('botglue').setup({ host = '/bin/sh', agents = { claude = { command = { 'echo' } } } })
    require('support.host').replies.writers = { jobs = {
      { agent = 'claude', session_id = 's1', project = '/tmp', landed_rows = { 'fn two() {', '  2', '}' } },
    } }
  ]])
  nvim:type(":Botglue open<CR>")
  nvim:eventually(
    "the program has run",
    "return vim.api.nvim_buf_get_lines(0, 0, 1, false)[1] == '--resume s1'"
  )
end)

test("a session that cannot be opened changes nothing", function()
  local nvim = with_landed()
  nvim:lua(
    "require('botglue').setup({ host = '/bin/sh', agents = { claude = { command = { 'no-such' } } } })"
  )
  contains(message_of(nvim, "open"), "there is no program no-such")
  nvim:lua("require('botglue').setup({ host = '/bin/sh', agents = { claude = { command = { 'sh' } } } })")
  nvim:lua("require('botglue.client').job(1).cwd = '/no/such'")
  contains(message_of(nvim, "open 1"), "the directory of the session is gone: /no/such")
  contains(message_of(nvim, "open 7"), "there is no job 7")
  equal(nvim:lua("return #vim.api.nvim_list_wins()"), 1)
end)

test("the raw stream opens in a window that cannot be written", function()
  local nvim = with_landed()
  local path = nvim:lua([[
    local path = vim.fn.tempname() .. '%x'
    vim.fn.writefile({ '{"type":"result"}' }, path)
    require('botglue.apply').recording({ id = 1, path = path })
    return path
  ]])
  nvim:type(":Botglue transcript<CR>")
  equal(nvim:lines(), { '{"type":"result"}' })
  equal(
    nvim:lua("return { vim.bo.filetype, vim.bo.modifiable, #vim.api.nvim_list_wins() }"),
    { "json", false, 2 }
  )
  nvim:lua("vim.fn.writefile({ '{}', '{}' }, ...)", path)
  nvim:type(":Botglue transcript 1<CR>")
  equal(#nvim:lines(), 2)
  nvim:type(":only | quit!<CR>")
end)

test("a transcript that is not there is told of", function()
  local nvim = with_landed()
  contains(message_of(nvim, "transcript"), "no job has a transcript")
  nvim:lua("require('botglue.apply').recording({ id = 1, path = '/no/such' })")
  contains(message_of(nvim, "transcript"), "this transcript is not kept any more")
end)

test("ids complete", function()
  local nvim = with_landed()
  equal(nvim:lua("return vim.fn.getcompletion('Botglue retry ', 'cmdline')"), { "1" })
  equal(nvim:lua("return vim.fn.getcompletion('Botglue open ', 'cmdline')"), { "1" })
  equal(nvim:lua("return vim.fn.getcompletion('Botglue transcript ', 'cmdline')"), {})
end)

test("a retry keeps the kind of a range, and a follow-up takes what stands there now", function()
  local nvim = child.with_host({ "let a = (b + c);", "tail" })
  nvim:run({ kind = "char", first = { 1, 8 }, last = { 1, 14 } })
  nvim:answer(1, { "(d)" }, { session_id = "s1" })
  equal(nvim:lines()[1], "let a = (d);")
  nvim:type("gg0f=aX<Esc>")
  equal(nvim:lua("return require('botglue').retry(1)"), 2)
  local sent = request(nvim, 2).selection
  equal({ sent.kind, sent.text, sent.cols }, { "char", { "(d)" }, { 9 } })
  nvim:answer(2, { "x" }, { session_id = "s2" })
  equal(nvim:lines()[1], "let a =X x;")

  nvim:set_lines({ "ab12", "cd34" })
  nvim:run({ kind = "block", first = { 1, 2 }, last = { 2, 3 } })
  nvim:answer(3, { "5", "6" }, { session_id = "s3" })
  equal(nvim:lua("return require('botglue').followup(3, 'more')"), 4)
  sent = request(nvim, 4).selection
  equal({ sent.kind, sent.text, sent.cols }, { "block", { "5", "6" }, { 2, 2 } })
end)

test("what wrote nothing at all can be followed up where it was", function()
  local nvim = child.with_host(ROWS)
  nvim:run(line(2, 4))
  nvim:answer(
    1,
    {},
    { session_id = "s1", edits = { { first = 0, last = 3, lines = {} } }, text = "```\n```" }
  )
  equal(nvim:lines(), { "a", "e" })
  equal(nvim:lua("return require('botglue').followup(1, 'no, keep it')"), 2)
  local sent = request(nvim, 2).selection
  equal({ sent.kind, sent.first_line }, { "insert", 1 })
end)

test("a range is known again after its file was read again", function()
  local nvim = child.with_host({})
  nvim:lua(
    [[
    local path = vim.fn.tempname()
    vim.fn.writefile(..., path)
    vim.cmd.edit(path)
  ]],
    ROWS
  )
  nvim:run(line(2, 4))
  nvim:answer(1, { "fn two() {", "  2", "}" }, { session_id = "s1" })
  nvim:type(":write | 1s/^/new\\r/ | write | bdelete | edit #<CR>")
  equal(nvim:lua("return require('botglue').followup(1, 'more')"), 2)
  local sent = request(nvim, 2).selection
  equal({ sent.first_line, sent.text }, { 3, { "fn two() {", "  2", "}" } })
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
  local nvim = child.with_host({ "a", "b" })
  nvim:run({ kind = "insert", first = { 1, 0 } })
  nvim:answer(1, { "one", "two" }, { session_id = "s1" })
  nvim:type("2G")
  local sent = put_back(nvim, { rows = {}, kind = "insert" })
  equal(nvim:lines(), { "a", "b" })
  equal({ sent.kind, sent.first_line }, { "insert", 1 })
end)

test("a rewind puts back a part of a line", function()
  local nvim = child.with_host({ "let a = (b + c);" })
  nvim:run({ kind = "char", first = { 1, 8 }, last = { 1, 14 } })
  nvim:answer(1, { "(d)" }, { session_id = "s1" })
  nvim:lua("require('support.host').replies.job = { job = { selection = { text = { '(b + c)' } } } }")
  local sent = put_back(nvim, { rows = { "let a = (b + c);" }, kind = "char" })
  equal(nvim:lines(), { "let a = (b + c);" })
  equal({ sent.kind, sent.text, nvim:host("received", "query")[2].uuid }, { "char", { "(b + c)" }, "j1" })
end)
