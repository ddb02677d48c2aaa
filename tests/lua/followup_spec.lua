local child = require("support.child")
local suite = require("support.suite")
local jobs = require("support.jobs")
local test, equal, contains = suite.test, suite.equal, suite.contains
local ROWS, line, in_session, said = jobs.ROWS, child.line, jobs.in_session, jobs.said

test("a follow-up goes on in a fork of the session that wrote the range, on all of it", function()
  local nvim = in_session()
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

test("a follow-up without a prompt asks for it, and the range goes on moving meanwhile", function()
  local nvim = in_session()
  nvim:type("3G:Botglue followup<CR>")
  nvim:lua("vim.api.nvim_buf_set_lines(1, 0, 0, true, { 'top' })")
  nvim:type("now<C-s>")
  local sent = nvim:request(2)
  equal({ sent.prompt, sent.selection.first_line, sent.resume }, { "now", 3, { session_id = "s1" } })
  nvim:type("4G:Botglue followup<CR>")
  nvim:type("<Esc><Esc>")
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
end)

test("what a follow-up and a retry cannot be is said in one line", function()
  local nvim = in_session()
  local function says(code, words)
    contains(
      suite.raises(function()
        nvim:lua(code)
      end),
      words
    )
  end
  says("require('botglue').followup(1, ' ')", "botglue: prompt must be a text with a word")
  nvim:lua("require('botglue').setup({ agents = { mine = { protocol = 'text', command = { 'cat' } } } })")
  nvim:lua("require('botglue').run({ prompt = 'x', agent = 'mine', range = ... })", line(1, 1))
  says("require('botglue').followup(2, 'x')", "botglue: job 2 has not ended yet")
  nvim:request(2)
  nvim:answer(2, { "A" })
  says(
    "require('botglue').followup(2, 'x')",
    "botglue: job 2 was run by mine, which keeps no sessions: start a new job"
  )
  contains(said(nvim, "open 2"), "which keeps no sessions")
  nvim:type("3Gdk")
  nvim:lua("vim.api.nvim_buf_set_lines(0, 0, -1, false, { 'x' })")
  says("require('botglue').followup(1, 'x')", "the place of job 1 is not known")
  equal(#nvim:host("received", "run"), 2)
end)

test("what wrote nothing at all can be followed up where it was", function()
  local nvim = child.with_host(ROWS)
  nvim:run(line(2, 4))
  nvim:answer(1, {}, { session_id = "s1" })
  equal(nvim:lines(), { "a", "e" })
  equal(nvim:lua("return require('botglue').followup(1, 'no, keep it')"), 2)
  local sent = nvim:request(2).selection
  equal({ sent.kind, sent.first_line }, { "insert", 1 })
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
  nvim:lua([[require("botglue").setup({
    review = true,
    agent = "mine",
    agents = { mine = { protocol = "text", command = { "cat" } } },
  })]])
  nvim:run(child.line(1), { prompt = "in capitals" })
  nvim:answer(1, { "held answer" })
  nvim:type("gg:Botglue followup not like that<CR>")
  for _, part in ipairs({ "in capitals", "held answer", "not like that" }) do
    contains(nvim:message(2), part)
  end
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
