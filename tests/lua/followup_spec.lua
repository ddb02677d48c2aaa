local child = require("support.child")
local suite = require("support.suite")
local written = require("support.written")
local test, equal, contains = suite.test, suite.equal, suite.contains
local ROWS, line, with_landed, answer_prompt, message_of =
  written.ROWS, written.line, written.with_landed, written.answer_prompt, written.message_of

test("a follow-up goes on in a fork of the session that wrote the range, on all of it", function()
  local nvim = with_landed()
  nvim:type("ggOtop<Esc>4GAx<Esc>:Botglue followup and now shorter<CR>")
  local sent = nvim:request(2)
  equal(sent.resume, { session_id = "s1" })
  equal({ sent.prompt, sent.agent, sent.model }, { "and now shorter", "claude", "haiku" })
  equal({ sent.selection.first_line, sent.selection.text }, { 3, { "fn two() {", "  2x", "}" } })
  equal(sent.cwd, nvim:host("received", "run")[1].cwd)
  nvim:answer(2, { "two" }, { session_id = "s2" })
  equal(nvim:lines(), { "top", "a", "two", "e" })
  equal({ nvim:job(2).landing, nvim:job(1).landing }, { "applied", "applied" })

  nvim:type("3G:Botglue followup once more<CR>")
  equal(nvim:request(3).resume, { session_id = "s2" }, "the newest that wrote it")
end)

test("two follow-ups of one session run side by side", function()
  local nvim = with_landed()
  equal(nvim:lua("return require('botglue').followup(1, 'one')"), 2)
  equal(nvim:lua("return require('botglue').followup(1, 'other')"), 3)
  equal({ nvim:request(2).resume, nvim:request(3).resume }, { { session_id = "s1" }, { session_id = "s1" } })
end)

test("a follow-up without a prompt asks for it, and the range goes on moving meanwhile", function()
  local nvim = with_landed()
  nvim:type("3G:Botglue followup<CR>")
  nvim:lua("vim.api.nvim_buf_set_lines(1, 0, 0, true, { 'top' })")
  answer_prompt(nvim, "now")
  local sent = nvim:request(2)
  equal({ sent.prompt, sent.selection.first_line, sent.resume }, { "now", 3, { session_id = "s1" } })
  nvim:type("4G:Botglue followup<CR>")
  answer_prompt(nvim)
  equal(#nvim:host("received", "run"), 2)
end)

test("a follow-up of a question is one", function()
  local nvim = child.with_host(ROWS)
  nvim:lua("require('botglue').ask({ prompt = 'what', range = ... })", line(2, 4))
  nvim:request(1)
  nvim:answer(1, { "x" }, { session_id = "s1" })
  nvim:type(":Botglue answer<CR>:Botglue followup why<CR>")
  local sent = nvim:request(2)
  equal({ sent.question, sent.resume.session_id, sent.selection.first_line }, { true, "s1", 2 })
  nvim:type("<Cmd>wincmd t<CR>3G:Botglue followup what for<CR>")
  sent = nvim:request(3)
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
  nvim:lua("require('botglue').setup({ agents = { mine = { protocol = 'text', command = { 'cat' } } } })")
  nvim:lua("require('botglue').run({ prompt = 'x', agent = 'mine', range = ... })", line(1, 1))
  says("require('botglue').followup(2, 'x')", "botglue: job 2 has not ended yet")
  says("require('botglue').retry(2)", "botglue: job 2 has not ended yet")
  nvim:request(2)
  nvim:answer(2, { "A" })
  says(
    "require('botglue').followup(2, 'x')",
    "botglue: start a new job: job 2 was run by mine, which keeps no sessions"
  )
  contains(message_of(nvim, "open 2"), "which keeps no sessions")
  nvim:type("3Gdk")
  nvim:lua("vim.api.nvim_buf_set_lines(0, 0, -1, false, { 'x' })")
  says("require('botglue').followup(1, 'x')", "the place of job 1 is not known")
  says("require('botglue').retry(1)", "the place of job 1 is not known")
  contains(message_of(nvim, "rewind now"), "rewind takes no argument")
  equal(#nvim:host("received", "run"), 2)
end)

test("an agent that cannot go on in a session says so before anything is asked or sent", function()
  local nvim = child.with_host(ROWS)
  nvim:run(line(2, 4), { agent = "gemini" })
  nvim:answer(1, { "B" }, { session_id = "s1" })
  nvim:type("2G")
  for _, command in ipairs({ "followup", "followup more", "rewind" }) do
    contains(
      message_of(nvim, command),
      "start a new job: job 1 was run by gemini, this agent cannot go on in a session"
    )
  end
  equal(#nvim:host("received", "run"), 1)
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
  local sent = nvim:request(2).selection
  equal({ sent.kind, sent.first_line }, { "insert", 1 })
end)

--- A child in which an answer landed in a file.
local function with_file()
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
  return nvim
end

test("after a file was read again, a job is known where its rows are, and nowhere else", function()
  local nvim = with_file()
  local function is_unknown(rows)
    for _, row in ipairs(rows) do
      nvim:lua("vim.cmd.messages('clear')")
      nvim:type(row .. "G:Botglue followup x<CR>")
      contains(nvim:messages(), "no job of this Neovim wrote this")
    end
  end
  -- The text before the answer, which is taken back so.
  nvim:type(":edit!<CR>")
  equal(nvim:lines(), ROWS)
  is_unknown({ 1, 5 })
  nvim:type("3G:Botglue followup x<CR>")
  equal(nvim:request(2).selection.text, { "fn one() {", "  1", "}" })
  nvim:lua("vim.fn.writefile({ 'other = 0', 'third = 0', 'e' }, vim.fn.expand('%'))")
  nvim:type(":edit!<CR>")
  is_unknown({ 1, 2, 3 })
end)

test("what follows up a held answer is held in its place, and where it fails nothing changes", function()
  local nvim = child.with_host({ "a", "b" })
  nvim:lua("require('botglue').setup({ review = true })")
  nvim:run(child.line(1))
  nvim:answer(1, { "A" })
  nvim:lua("require('botglue').setup({ review = false })")
  nvim:type("gg:Botglue followup not like that<CR>")
  equal(nvim:request(2).resume.session_id, "session-job-1")
  nvim:agent(2, "exit", 1)
  nvim:host("ended", 2)
  equal({ nvim:job(1).landing, nvim:job(2).status }, { "held", "failed" })
  nvim:lua("return require('botglue').followup(1, 'but so')")
  nvim:answer(3, { "AA" })
  nvim:eventually("the old one is rejected", "return require('botglue').job(1).landing == 'rejected'")
  equal({ nvim:job(3).landing, nvim:job(3).held_for, nvim:lines() }, { "held", "review", { "a", "b" } })
end)

test("an agent without sessions is told what was said, where its held answer is to be another", function()
  local nvim = child.with_host({ "a", "b" })
  nvim:lua("require('botglue').setup({ agent = 'gemini', review = true })")
  nvim:run(child.line(1), { prompt = "in capitals" })
  nvim:answer(1, { "held answer" })
  nvim:type("gg:Botglue followup not like that<CR>")
  nvim:agent(2, "begin")
  nvim:eventually(
    "all of it is sent",
    [[
      local path = require("botglue.host.client").job(2).transcript
      local sent = path and table.concat(vim.fn.readfile(path)) or ""
      return vim.iter({ ... }):all(function(part) return sent:find(part, 1, true) end)
    ]],
    "in capitals",
    "held answer",
    "not like that"
  )
end)

test("what follows up a failed job is its prompt with the words added", function()
  local nvim = child.with_host({ "a", "b" })
  nvim:run(child.line(1), { prompt = "do it" })
  nvim:agent(1, "exit", 1)
  nvim:host("ended", 1)
  nvim:type("gg:Botglue followup but well<CR>")
  equal({ nvim:request(2).prompt, nvim:request(2).resume }, { "do it\nbut well" })
  nvim:agent(2, "exit", 1)
  nvim:host("ended", 2)
  nvim:type("gg\\pf")
  nvim:shows("but well")
  nvim:type("at last<C-s>")
  equal(nvim:request(3).prompt, "do it\nbut well\nat last")
end)

test("a job is sent again once its prompt was changed", function()
  local nvim = child.with_host({ "a", "b" })
  nvim:run(child.line(1), { prompt = "do it" })
  nvim:answer(1, { "A" })
  nvim:type(":Botglue jobs<CR>")
  nvim:shows("do it")
  nvim:type("e")
  nvim:eventually("the prompt is there", "return vim.bo.filetype == 'botglue-prompt'")
  nvim:type("<End> again<C-s>")
  equal(nvim:request(2).prompt, "do it again")
end)
