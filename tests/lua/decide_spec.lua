-- What is decided of held answers: accepting and rejecting; and the decisions of a job, one after the other.

local child = require("support.child")
local jobs = require("support.jobs")
local suite = require("support.suite")
local test, equal = suite.test, suite.equal
local with_held, with_landed, decide, landing = jobs.held, jobs.landed, jobs.decide, jobs.landing
local line = child.line

test("accepting a held answer lands it, as one step", function()
  local nvim = with_held({ "b", "C", "d" }, "GoX<Esc>")
  nvim:type(":Botglue accept 1<CR>")
  equal(nvim:lines(), { "a", "b", "C", "d", "e", "X" })
  equal(landing(nvim), "applied")
  equal(nvim:job(1).held_for, nil)
  equal({ nvim:drawn(), nvim:lua("return require('botglue').statusline()") }, { 0, "" })
  equal(nvim:host("count", "BotglueJobFinished", 1), 1)
  nvim:type("u")
  equal(nvim:lines(), { "a", "b", "c", "d", "e", "X" })
end)

test("what stands there already, or was typed meanwhile anyway, is written by no answer", function()
  for _, case in ipairs({
    { line(2, 4), true, "3GccC<Esc>", { "b", "C", "d" } },
    { line(2, 4), false, "3GccC<Esc>", { "b", "C", "d" } },
    { line(2, 4), false, "", { "b", "c", "d" } },
    { { kind = "block", first = { 2, 0 }, last = { 3, 0 } }, false, "", { "b", "c" } },
  }) do
    local range, review, keys, answer = unpack(case)
    local nvim = child.with_host({ "a", "b", "c", "d", "e" })
    nvim:run(range, { review = review })
    nvim:type(keys)
    local tick = nvim:lua("return vim.b.changedtick")
    nvim:answer(1, answer)
    if review then
      decide(nvim, "accept")
    end
    equal({ landing(nvim), nvim:lua("return vim.b.changedtick") }, { "unchanged", tick }, keys)
  end
end)

--- What accepting raises.
local function refused(nvim, id)
  return suite.raises(function()
    decide(nvim, "accept", id)
  end)
end

test("a conflict is accepted once it was shown, as it was shown, as one step", function()
  for _, is_later in ipairs({ false, true }) do
    local nvim = child.with_host({ "a", "b", "c", "d", "e", "f" })
    nvim:run(line(1, 6), { review = is_later })
    nvim:type(is_later and "" or "1GAx<Esc>6GAy<Esc>")
    nvim:answer(1, { "a", "b", "c", "D", "e", "F" })
    equal(nvim:job(1).held_for, is_later and "review" or "conflict")
    if is_later then
      nvim:type("1GAx<Esc>6GAy<Esc>")
    else
      suite.contains(
        refused(nvim),
        "job 1 cannot be accepted: its lines were changed meanwhile: see :Botglue review 1, then accept it again"
      )
    end
    equal({ landing(nvim), nvim:lines() }, { "held", { "ax", "b", "c", "d", "e", "fy" } })
    nvim:type(":Botglue accept 1<CR>")
    nvim:eventually(
      "it is shown",
      "local review = require('botglue.host.connection').review return review and review.drawn > 0"
    )
    equal(landing(nvim), "held")
    suite.contains(nvim:screen(), "2 hunks, 1 ⚠")
    nvim:type(":Botglue accept 1<CR>")
    nvim:eventually("the review ends", "return require('botglue.host.connection').review == nil")
    equal({ landing(nvim), nvim:lines() }, { "merged", { "ax", "b", "c", "D", "e", "F" } })
    nvim:type("u")
    equal(nvim:lines(), { "ax", "b", "c", "d", "e", "fy" })
  end
end)

test("what was typed since a conflict was shown is shown before it is replaced", function()
  local nvim = with_held({ "b", "c", "D" }, "4GAx<Esc>", {})
  nvim:type(":Botglue review 1<CR>")
  nvim:eventually(
    "it is shown",
    "local review = require('botglue.host.connection').review return review and review.drawn > 0"
  )
  nvim:type("4GAy<Esc>")
  -- In one call: the view may just be drawn again.
  local _, err = unpack(nvim:lua([[
    require("botglue.host.connection").process:notify("shown", { id = 1, tick = 1 })
    return { pcall(require("botglue").accept, 1) }
  ]]))
  equal({ landing(nvim), nvim:lines() }, { "held", { "a", "b", "c", "dxy", "e" } })
  suite.contains(err, "see :Botglue review 1, then accept it again")
  nvim:eventually("it is shown, and accepted", "return (pcall(require('botglue').accept, 1))")
  equal({ landing(nvim), nvim:lines() }, { "applied", { "a", "b", "c", "D", "e" } })
end)

test("an answer whose place is not known is put to lines of the user's choice", function()
  local nvim = with_held({ "B", "C" }, "2G3dd", {})
  equal(nvim:job(1).held_for, "range_lost")
  suite.contains(refused(nvim), "its place is not known: select lines, then :Botglue accept 1")
  nvim:type(":2Botglue accept 1<CR>")
  equal({ landing(nvim), nvim:lines() }, { "applied", { "a", "B", "C" } })
  equal({ nvim:job(1).first_line, nvim:job(1).last_line }, { 2, 3 })
  nvim:type("u")
  equal(nvim:lines(), { "a", "e" })

  -- In another buffer, by the API.
  nvim = with_held({ "B", "C" }, "2G3dd", {})
  nvim:lua([[
    vim.cmd("enew")
    vim.api.nvim_buf_set_lines(0, 0, -1, true, { "x", "y", "z" })
    require("botglue").accept(1, { range = { 1, 2 } })
  ]])
  equal({ landing(nvim), nvim:lines() }, { "applied", { "B", "C", "z" } })
  decide(nvim, "revert")
  equal({ landing(nvim), nvim:lines() }, { "reverted", { "x", "y", "z" } })
end)

test("lines that are not there, and other wrong options, raise an error", function()
  local nvim = with_held({ "B" })
  for words, opts in pairs({
    ["the lines 4, 9 are not in the buffer"] = { range = { 4, 9 } },
    ["the lines 3, 2 are not in the buffer"] = { range = { 3, 2 } },
    ["range must be a list like { 3, 5 }"] = { range = "all" },
    ["bufnr must be the number of a loaded buffer"] = { bufnr = 77, range = { 1, 1 } },
    ["the place of job 1 is known: accept it without a range"] = { range = { 1, 1 } },
  }) do
    local err = suite.raises(function()
      nvim:lua("require('botglue').accept(1, ...)", opts)
    end)
    suite.contains(err, words)
  end
  equal(landing(nvim), "held")
end)

-- How rows are found in a file again is a matter of `src/mirror/tests/files.rs`.
test("an answer is accepted in a file that was read again, or closed, at its rows or not at all", function()
  local others, same = { "{", "2", "}", "b" }, { "{", "1", "}", "a", "{", "2", "}", "b", "new" }
  for _, case in ipairs({
    { "edit!", others, others, "held" },
    { "edit!", same, { "{", "1", "END", "a", "{", "2", "}", "b", "new" }, "applied" },
    { "bdelete", same, { "{", "1", "END", "a", "{", "2", "}", "b", "new" }, "applied" },
  }) do
    local command, text, expected, lands = unpack(case)
    local nvim = child.with_host({})
    nvim:lua([[
      _G.file = vim.fn.tempname()
      vim.fn.writefile({ "{", "1", "}", "a", "{", "2", "}", "b" }, file)
      vim.cmd.edit(file)
    ]])
    nvim:run(line(3), { review = true })
    nvim:answer(1, { "END" })
    nvim:lua("vim.fn.writefile(..., file)", text)
    nvim:type((":%s<CR>:Botglue accept 1<CR>"):format(command))
    local now = nvim:lua("return vim.fn.getbufline(vim.fn.bufnr(file), 1, '$')")
    equal({ now, landing(nvim) }, { expected, lands }, command)
  end
end)

test("an answer is accepted in the file that its buffer is now", function()
  for _, renamed in ipairs({ "saveas", "file" }) do
    local nvim = child.with_host({})
    nvim:lua([[
      _G.old, _G.new = vim.fn.tempname(), vim.fn.tempname()
      vim.fn.writefile({ "a line that was there", "another one" }, old)
      vim.cmd("edit " .. old)
    ]])
    nvim:run(line(1), { review = true })
    nvim:lua("vim.cmd(... .. ' ' .. new)", renamed)
    nvim:answer(1, { "A" })
    equal({ nvim:job(1).path, nvim:outcome(1) }, { nvim:lua("return new"), { "done", "held", "review" } })
    nvim:type(":write<CR>:bdelete<CR>:Botglue accept 1<CR>")
    equal(nvim:lua("return vim.fn.getbufline(vim.fn.bufnr(new), 1, '$')"), { "A", "another one" })
    equal({ landing(nvim), nvim:lua("return #vim.fn.readfile(old)") }, { "applied", 2 })
  end
end)

test("rejecting leaves the buffer as it is, and nothing of ours in it", function()
  local nvim = with_held({ "B" })
  nvim:type(":Botglue reject<CR>")
  equal({ landing(nvim), nvim:lines() }, { "rejected", { "a", "b", "c", "d", "e" } })
  equal({ nvim:drawn(), nvim:lua("return require('botglue').statusline()") }, { 0, "" })
end)

test("what cannot be decided is one error line", function()
  local nvim = with_held({ "B" })
  local function says(command, words)
    nvim:type((":Botglue %s<CR>"):format(command))
    suite.contains(nvim:messages(), words)
  end
  says("revert 1", "botglue: job 1 has nothing to revert")
  nvim:run(line(5, 5), { review = true })
  nvim:answer(2, { "E" })
  nvim:type("gg")
  says("accept", "botglue: say which answer: 1, 2")
  nvim:type(":5<CR>:Botglue reject<CR>")
  equal({ landing(nvim, 1), landing(nvim, 2) }, { "held", "rejected" })
  says("reject 2", "botglue: job 2 is not held")
  nvim:lua("vim.bo.modifiable = false")
  local unchangeable = "its buffer cannot be changed: set modifiable, then :Botglue accept 1"
  says("accept 1", "botglue: job 1 cannot be accepted: " .. unchangeable)
  equal(landing(nvim), "held")
  suite.contains(refused(nvim, 9), "there is no job 9")
end)

test("where the host dies over a decision the answer is held, and the next host takes it", function()
  local nvim = with_held({ "B" })
  nvim:lua([[
    local host = require("support.host")
    require("botglue.host.connection").asked_within = 50
    vim.uv.kill(vim.fn.jobpid(host.channel), "sigstop")
    require("botglue").accept(1)
    host.die()
  ]])
  equal({ landing(nvim), nvim:lines() }, { "held", { "a", "b", "c", "d", "e" } })
  suite.contains(nvim:messages(), "botglue: the host is gone: decide on job 1 again")
  decide(nvim, "accept")
  equal({ landing(nvim), nvim:lines() }, { "applied", { "a", "B", "e" } })
end)

test("what waits for a safe moment is being decided until then", function()
  local nvim = with_held({ "b", "C", "d" })
  nvim:type("v")
  decide(nvim, "accept")
  equal(nvim:lines(), { "a", "b", "c", "d", "e" })
  local err = suite.raises(function()
    decide(nvim, "reject")
  end)
  suite.contains(
    err,
    "botglue: job 1 has a pending decision: wait a moment (in a script: botglue.wait(1, ms))"
  )
  equal(nvim:lua("return require('botglue').wait(1, 0)"), vim.NIL)
  nvim:type("<Esc>")
  equal(nvim:eventually("it is decided", "return require('botglue').wait(1, 0)").landing, "applied")
  equal(nvim:lines(), { "a", "b", "C", "d", "e" })
end)

test("a buffer that is wiped while its answer is decided is said to be gone, in words", function()
  local words = {
    accept = "job 1 cannot be accepted: its buffer is gone: select lines elsewhere, then :Botglue accept 1",
    revert = "job 1 cannot be reverted: its buffer is gone",
  }
  for verb, said in pairs(words) do
    local nvim = child.with_host({ "a", "b", "c" })
    nvim:run(line(2, 2), { review = verb == "accept" })
    nvim:answer(1, { "B" })
    nvim:type("v")
    decide(nvim, verb)
    nvim:lua("vim.cmd('enew | bwipeout! 1')")
    suite.contains(nvim:messages(), said)
  end
end)

test("what is decided of a part waits while something is selected or an operator is pending", function()
  local char = { kind = "char", first = { 1, 4 }, last = { 1, 6 } }
  for _, each in ipairs({
    { "onoremap", "0d<F5>w", "reverted", { "one two three" } },
    { "xnoremap", "0viw<F5>d", "reverted", { " two three" } },
    { "xnoremap", "0wviw<F5>d", "applied", { "one  three" } },
  }) do
    local map, keys, becomes, lines = unpack(each)
    local nvim = with_landed({ "one two three" }, char, { "1" })
    nvim:lua(("vim.cmd([[%s <F5> <Cmd>Botglue revert<CR>]])"):format(map))
    nvim:type(keys)
    equal({ landing(nvim), nvim:lines() }, { becomes, lines }, keys)
  end
end)

test("a script waits for a decision whose postponement is told late", function()
  local nvim = with_held({ "B" })
  nvim:type("v")
  equal(
    nvim:lua([[
      local host, connection = require("support.host"), require("botglue.host.connection")
      connection.asked_within = 50
      vim.uv.kill(vim.fn.jobpid(host.channel), "sigstop")
      require("botglue").accept(1)
      vim.uv.kill(vim.fn.jobpid(host.channel), "sigcont")
      local job = require("botglue.host.connection").jobs[1]
      vim.wait(20000, function() return job.deciding == "pending" and next(host.awaited) == nil end, 1)
      return { job.deciding, require("botglue").wait(1, 200) == nil }
    ]]),
    { "pending", true }
  )
end)

test("a job is rejected before its answer is there, where it waits or runs", function()
  local nvim = child.with_host({ "a", "b", "c" })
  nvim:lua("require('botglue').setup({ max_parallel = 1 })")
  nvim:run(child.line(1))
  nvim:run(child.line(2))
  nvim:run(child.line(3))
  nvim:runs(1)
  nvim:type("2G:Botglue reject<CR>1G:Botglue reject<CR>")
  equal({ nvim:job(2).status, nvim:job(2).landing, nvim:job(2).text }, { "done", "rejected", nil })
  equal({ nvim:job(1).status, nvim:host("count", "BotglueJobFinished", 2) }, { "running", 1 })
  nvim:type(":Botglue reject 1<CR>")
  suite.contains(nvim:messages(), "job 1 will be rejected when it ends")
  nvim:answer(1, { "A" })
  nvim:eventually("it is over", "return require('botglue').job(1).status == 'done'")
  equal(
    { nvim:job(1).landing, nvim:job(1).text, nvim:host("count", "BotglueJobFinished", 1) },
    { "rejected", "A", 1 }
  )
  nvim:answer(3, { "C" })
  nvim:settle()
  equal(nvim:lines(), { "a", "b", "C" })
end)

test("held answers in lines are accepted, each one undo step, but for conflicts", function()
  local nvim = child.with_host({ "a", "b", "c", "d", "e" })
  nvim:lua("require('botglue').setup({ review = true })")
  for at, answer in ipairs({ "A", "B", "C" }) do
    nvim:run(child.line(at * 2 - 1))
    nvim:answer(at, { answer })
  end
  nvim:type(":2Botglue accept<CR>")
  suite.contains(nvim:messages(), "no answer is held in these lines")
  nvim:type("3GAx<Esc>:%Botglue accept<CR>")
  nvim:eventually("two have landed", "return require('botglue').job(3).landing == 'applied'")
  nvim:settle()
  equal(nvim:lines(), { "A", "b", "cx", "d", "C" })
  equal({ nvim:job(2).landing, nvim:job(2).held_for }, { "held", "conflict" })
  suite.contains(nvim:messages(), "1 of 3 answers stay held, :Botglue review shows why")
  nvim:type("u")
  equal(#vim.tbl_filter(function(row)
    return row:find("%u")
  end, nvim:lines()), 1)
  nvim:type(":4,5Botglue accept<CR>")
  suite.contains(nvim:messages(), "no answer is held in these lines")
  nvim:type(":%Botglue reject<CR>")
  nvim:eventually("it is rejected", "return require('botglue').job(2).landing == 'rejected'")
end)
