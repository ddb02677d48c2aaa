-- What is decided of held answers: accepting and rejecting; and the decisions of a job, one after the other.

local child = require("support.child")
local decided = require("support.decided")
local suite = require("support.suite")
local test, equal = suite.test, suite.equal
local with_held, with_landed, decide, landing, told =
  decided.held, decided.landed, decided.decide, decided.landing, decided.told
local line = child.line

local function drawn_and_held(nvim)
  return { nvim:drawn(), nvim:lua("return require('botglue').statusline()") }
end

test("accepting a held answer lands it, as one step", function()
  local nvim = with_held({ "b", "C", "d" }, "GoX<Esc>")
  nvim:type(":Botglue accept 1<CR>")
  equal(nvim:lines(), { "a", "b", "C", "d", "e", "X" })
  equal({ landing(nvim), told(nvim) }, { "applied", { 1, "applied" } })
  equal(nvim:job(1).held_for, nil)
  equal(drawn_and_held(nvim), { 0, "" })
  equal(nvim:host("count", "BotglueJobFinished", 1), 1)
  nvim:type("u")
  equal(nvim:lines(), { "a", "b", "c", "d", "e", "X" })
end)

test("accepting what was typed meanwhile anyway writes nothing", function()
  local nvim = child.with_host({ "one two" })
  nvim:run({ kind = "char", first = { 1, 4 }, last = { 1, 6 } })
  nvim:type("gg5lrW")
  nvim:answer(1, { "tWo" })
  equal(nvim:job(1).held_for, "conflict")
  local tick = nvim:lua("return vim.b.changedtick")
  decide(nvim, "accept")
  equal({ landing(nvim), nvim:lua("return vim.b.changedtick") }, { "unchanged", tick })
end)

test("accepting lines that were typed meanwhile anyway writes nothing", function()
  local nvim = with_held({ "b", "C", "d" })
  nvim:type("3GccC<Esc>")
  local tick = nvim:lua("return vim.b.changedtick")
  decide(nvim, "accept")
  equal({ landing(nvim), nvim:lua("return vim.b.changedtick") }, { "unchanged", tick })
end)

test("accepting merges with what was typed since", function()
  local nvim = with_held({ "b", "c", "D" })
  nvim:type("2GAx<Esc>")
  decide(nvim, "accept")
  equal(nvim:lines(), { "a", "bx", "c", "D", "e" })
  equal(landing(nvim), "merged")
  equal(nvim:host("received", "merge")[1].purpose, "accept")
end)

test("accepting a conflict replaces the range whole, as one step", function()
  local nvim = with_held({ "b", "c", "D" }, "4GAx<Esc>", {})
  equal(nvim:job(1).held_for, "conflict")
  decide(nvim, "accept")
  equal(nvim:lines(), { "a", "b", "c", "D", "e" })
  equal(landing(nvim), "applied")
  suite.contains(nvim:messages(), "job 1 accepted: what you had changed there is replaced, u brings it back")
  nvim:type("u")
  equal(nvim:lines(), { "a", "b", "c", "dx", "e" })
end)

test(
  "accepting an answer to a part of rows merges it by lines; on the same line it replaces what was typed",
  function()
    for _, each in ipairs({
      { "1G$ié<Esc>", { "a onée", "b two", "THREE" }, "merged" },
      { "3G0ié<Esc>", { "a one", "b two", "THREE" }, "applied" },
    }) do
      local nvim = child.with_host({ "a one", "b two", "three" })
      nvim:run({ kind = "char", first = { 1, 2 }, last = { 3, 4 } })
      nvim:type(each[1])
      nvim:answer(1, { "one", "b two", "THREE" })
      equal(nvim:job(1).held_for, "conflict")
      decide(nvim, "accept")
      equal({ nvim:lines(), landing(nvim) }, { each[2], each[3] })
    end
  end
)

test("each row of a block is merged for itself", function()
  for _, each in ipairs({
    { "2G$r9", { "= 2", "= 3", "= 4", "= 5" }, { "a = 2", "b = 3", "c = 4", "d = 5" }, "applied" },
    { "2G$r9", { "= 2", "= 2", "= 4", "= 5" }, { "a = 2", "b = 9", "c = 4", "d = 5" }, "merged" },
    { "3G$r4", { "= 2", "= 3", "= 4", "= 5" }, { "a = 2", "b = 3", "c = 4", "d = 5" }, "merged" },
  }) do
    local nvim = child.with_host({ "a = 1", "b = 2", "c = 3", "d = 4" })
    nvim:run({ kind = "block", first = { 1, 2 }, last = { 4, 4 } })
    nvim:type(each[1])
    nvim:answer(1, each[2])
    equal(nvim:job(1).held_for, "conflict")
    decide(nvim, "accept")
    equal({ nvim:lines(), landing(nvim) }, { each[3], each[4] })
  end
end)

test("accepting what stands there already writes nothing", function()
  local nvim = with_held({ "b", "c", "d" })
  local tick = nvim:lua("return vim.b.changedtick")
  decide(nvim, "accept")
  equal({ landing(nvim), nvim:lua("return vim.b.changedtick") }, { "unchanged", tick })
end)

test("characters, blocks and insertions are accepted in their place", function()
  local function accept(range, keys, answer, expected)
    local nvim = child.with_host({ "one two", "one two" })
    nvim:run(range, { review = true })
    nvim:type(keys)
    nvim:answer(1, answer)
    decide(nvim, "accept")
    equal({ nvim:lines(), landing(nvim) }, { expected, "applied" })
    nvim:type("u")
    equal(#nvim:lines(), 2)
  end
  accept({ kind = "char", first = { 1, 4 }, last = { 1, 6 } }, "ggAx<Esc>", { "2" }, { "one 2x", "one two" })
  accept({ kind = "char", first = { 1, 4 }, last = { 1, 6 } }, "gg$i-<Esc>", { "2" }, { "one 2", "one two" })
  accept({ kind = "block", first = { 1, 0 }, last = { 2, 2 } }, "", { "1", "2" }, { "1 two", "2 two" })
  accept({ kind = "insert", first = { 1 } }, "", { "new" }, { "one two", "new", "one two" })
end)

test(
  "a block that does not fit, and an answer whose place is not known, open the review and change nothing",
  function()
    local nvim = child.with_host({ "ab", "cd" })
    nvim:run({ kind = "block", first = { 1, 0 }, last = { 2, 0 } })
    nvim:answer(1, { "x" }, { held_for = "block_rows" })
    decide(nvim, "accept")
    equal({ landing(nvim), nvim:lua("return vim.fn.tabpagenr('$')") }, { "held", 2 })
    equal(nvim:lua("return vim.api.nvim_buf_get_lines(1, 0, -1, true)"), { "ab", "cd" })

    nvim = with_held({ "B" }, "2G3dd", {})
    equal(nvim:job(1).held_for, "range_lost")
    decide(nvim, "accept")
    equal({ landing(nvim), nvim:lua("return vim.fn.tabpagenr('$')") }, { "held", 2 })
    equal(nvim:lua("return vim.api.nvim_buf_get_lines(1, 0, -1, true)"), { "a", "e" })
  end
)

test("a row that says little is not taken for another one that reads alike", function()
  local function accept(range, content, command, expected)
    local nvim = child.start()
    nvim:lua("require('support.host').install()")
    nvim:lua([[
      _G.file = vim.fn.tempname()
      vim.fn.writefile({ "{", "1", "}", "a", "{", "2", "}", "b" }, file)
      vim.cmd.edit(file)
    ]])
    nvim:run(range, { review = true })
    nvim:answer(1, { "END" })
    nvim:lua("vim.fn.writefile(..., file)", content)
    nvim:type((":%s<CR>:Botglue accept 1<CR>"):format(command))
    equal({ nvim:lua("return vim.fn.getbufline(vim.fn.bufnr(file), 1, '$')"), landing(nvim) }, expected)
  end
  local insertion = { kind = "insert", first = { 3 } }
  local others, same = { "{", "2", "}", "b" }, { "{", "1", "}", "a", "{", "2", "}", "b", "new" }
  local moved = { "new", "{", "1", "}", "a", "{", "2", "}", "b" }
  local twice = { "new", "{", "1", "}", "a", "{", "2", "}", "a" }
  for _, command in ipairs({ "edit!", "bdelete" }) do
    accept(line(3, 3), others, command, { others, "held" })
    accept(insertion, others, command, { others, "held" })
    accept(line(3, 3), same, command, { { "{", "1", "END", "a", "{", "2", "}", "b", "new" }, "applied" })
    accept(insertion, same, command, { { "{", "1", "}", "END", "a", "{", "2", "}", "b", "new" }, "applied" })
    -- The rows that it goes between stand elsewhere, once: in both together.
    accept(insertion, moved, command, { { "new", "{", "1", "}", "END", "a", "{", "2", "}", "b" }, "applied" })
    accept(insertion, twice, command, { twice, "held" })
  end
end)

test("an answer is accepted in the file that its buffer is now", function()
  local function renamed(before, held, after)
    local nvim = child.start()
    nvim:lua("require('support.host').install()")
    nvim:lua([[
      _G.old, _G.new = vim.fn.tempname(), vim.fn.tempname()
      vim.fn.writefile({ "a line that was there", "another one" }, old)
    ]])
    nvim:lua(("vim.cmd(%s)"):format(before))
    nvim:run(line(1, 1), { review = true })
    if held == "at once" then
      nvim:answer(1, { "A" })
    end
    nvim:lua(("vim.cmd(%s)"):format(after))
    if held == "after it" then
      nvim:answer(1, { "A" })
    end
    local new = nvim:lua("return new")
    local said = nvim:host("received", held == "at once" and "stands" or "landed")[1]
    equal({ said.landing, said.held_for, said.path, nvim:job(1).path }, { "held", "review", new, new })
    nvim:type(":write<CR>:bdelete<CR>:Botglue accept 1<CR>")
    equal(nvim:lua("return vim.fn.getbufline(vim.fn.bufnr(new), 1, '$')"), { "A", "another one" })
    equal({ landing(nvim), nvim:lua("return #vim.fn.readfile(old)") }, { "applied", 2 })
  end
  for _, held in ipairs({ "at once", "after it" }) do
    renamed("'edit ' .. old", held, "'saveas ' .. new")
    renamed("'edit ' .. old", held, "'file ' .. new")
    renamed("'read ' .. old .. ' | 1delete'", held, "'write ' .. new")
  end
end)

test("rejecting leaves the buffer as it is, and nothing of ours in it", function()
  local nvim = with_held({ "B" })
  nvim:type(":Botglue reject<CR>")
  equal(nvim:lines(), { "a", "b", "c", "d", "e" })
  equal({ landing(nvim), told(nvim) }, { "rejected", { 1, "rejected" } })
  equal(drawn_and_held(nvim), { 0, "" })
end)

test("what cannot be decided is one error line", function()
  local nvim = with_held({ "B" })
  local function says(command, words)
    nvim:type((":Botglue %s<CR>"):format(command))
    suite.contains(nvim:messages(), words)
  end
  says("accept 7", "botglue: there is no job 7")
  says("accept x", "botglue: x is no number of a job")
  says("revert", "botglue: no answer has landed")
  says("revert 1", "botglue: job 1 has nothing to revert")
  nvim:run(line(5, 5), { review = true })
  nvim:answer(2, { "E" })
  nvim:type("gg")
  says("accept", "botglue: say which answer: 1, 2")
  nvim:type(":5<CR>:Botglue reject<CR>")
  equal({ landing(nvim, 1), landing(nvim, 2) }, { "held", "rejected" })
  says("reject 2", "botglue: job 2 is not held")
  nvim:lua("vim.bo.modifiable = false")
  says("accept 1", "botglue: job 1 cannot be accepted: its buffer cannot be changed")
  equal(landing(nvim), "held")
  suite.contains(
    suite.raises(function()
      decide(nvim, "accept", 9)
    end),
    "there is no job 9"
  )
end)

test("with no host to merge nothing is accepted", function()
  local nvim = with_held({ "B" })
  nvim:host("hold", "merged")
  decide(nvim, "accept")
  nvim:host("die")
  nvim:eventually("the next host is asked", "return #require('support.host').received('merge') == 2")
  nvim:host("die")
  nvim:eventually(
    "the user is told",
    "return vim.fn.execute('messages'):find('job 1 cannot be accepted: the host does not answer', 1, true)"
  )
  equal({ landing(nvim), nvim:lines() }, { "held", { "a", "b", "c", "d", "e" } })
end)

test("numbers are completed: held ones, and those that landed", function()
  local nvim = with_held({ "B" })
  nvim:run(line(1, 1))
  nvim:answer(2, { "A" })
  local function complete(typed)
    return nvim:lua("return vim.fn.getcompletion(..., 'cmdline')", "Botglue " .. typed)
  end
  equal(complete("accept "), { "1" })
  equal(complete("reject 2"), {})
  equal(complete("review "), { "1" })
  equal(complete("revert "), { "2" })
  equal(complete("re"), { "reject", "retry", "revert", "review", "rewind" })
end)

test("what is being decided is waited for before the next decision", function()
  local nvim = with_landed({ "a", "b" }, line(1, 1), { "A" })
  nvim:host("hold", "merged")
  decide(nvim, "revert")
  equal(nvim:lines(), { "A", "b" })
  local err = suite.raises(function()
    decide(nvim, "revert")
  end)
  suite.contains(err, "botglue: job 1 is being decided already: wait a moment")
  local settled = nvim:lua([[
    vim.schedule(function()
      require("support.host").deliver("merged")
    end)
    return require("botglue").wait(1, 5000)
  ]])
  equal({ nvim:lines(), settled.landing }, { { "a", "b" }, "reverted" })
end)

test("what is typed after an answer was accepted is not replaced by it", function()
  local nvim = child.with_host({ "a", "b", "c" })
  nvim:run(line(2, 2), { review = true })
  nvim:answer(1, { "B" })
  nvim:host("hold", "merged")
  decide(nvim, "accept")
  nvim:type("2GA typed<Esc>")
  for _ = 1, 2 do
    nvim:host("deliver", "merged")
  end
  equal({ landing(nvim), nvim:lines() }, { "held", { "a", "b typed", "c" } })
  suite.contains(nvim:messages(), "botglue: job 1 was not accepted: its lines were changed meanwhile")
  nvim:host("release", "merged")
  decide(nvim, "accept")
  equal({ landing(nvim), nvim:lines() }, { "applied", { "a", "B", "c" } })
end)

test("a buffer that is wiped while its answer is decided is said to be gone, in words", function()
  for _, verb in ipairs({ "accept", "revert" }) do
    local nvim = child.with_host({ "a", "b", "c" })
    nvim:run(line(2, 2), { review = verb == "accept" })
    nvim:answer(1, { "B" })
    nvim:host("hold", "merged")
    decide(nvim, verb)
    nvim:type(":enew! | bwipeout! 1<CR>")
    nvim:host("deliver", "merged")
    local words = ("botglue: job 1 cannot be %sed: its place is not known"):format(verb)
    suite.contains(nvim:messages(), words)
  end
end)

test("what waits for a safe moment is being decided until then", function()
  local nvim = with_held({ "b", "C", "d" })
  nvim:host("hold", "merged")
  decide(nvim, "accept")
  nvim:type("v")
  nvim:host("deliver", "merged")
  equal(nvim:lines(), { "a", "b", "c", "d", "e" })
  local err = suite.raises(function()
    decide(nvim, "reject")
  end)
  suite.contains(err, "botglue: job 1 is being decided already: wait a moment")
  equal(nvim:lua("return require('botglue').wait(1, 0)"), vim.NIL)
  nvim:type("<Esc>")
  equal(nvim:eventually("it is decided", "return require('botglue').wait(1, 0)").landing, "applied")
  equal(nvim:lines(), { "a", "b", "C", "d", "e" })
end)

test("what is decided of a part waits while something is selected or an operator is pending", function()
  local char = { kind = "char", first = { 1, 4 }, last = { 1, 6 } }
  for _, each in ipairs({
    { char, "onoremap", "0d<F5>w", "reverted", { "one two three" } },
    { char, "xnoremap", "0viw<F5>d", "reverted", { " two three" } },
    { char, "xnoremap", "0wviw<F5>d", "applied", { "one  three" } },
    { { kind = "insert", first = { 0 } }, "xnoremap", "Gviw<F5>d", "reverted", { " two three" } },
  }) do
    local range, map, keys, becomes, lines = unpack(each)
    local nvim = with_landed({ "one two three" }, range, { "1" })
    nvim:lua(("vim.cmd([[%s <F5> <Cmd>Botglue revert<CR>]])"):format(map))
    nvim:type(keys)
    nvim:settle()
    equal({ landing(nvim), nvim:lines() }, { becomes, lines }, keys)
  end
end)

test("a row beside the range that came into it and went again is none of it", function()
  for _, keys in ipairs({ { "1Gddp", "kddp" }, { "5GddP", "ddp" }, { "4GJ", "u" } }) do
    for _, comes in ipairs({ "before", "after" }) do
      local nvim = child.with_host({ "a", "b", "c", "d", "e" })
      nvim:run(line(2, 4), { review = comes == "before" })
      if comes == "before" then
        nvim:answer(1, { "B", "c", "D" })
      end
      nvim:play(keys)
      equal(nvim:lines(), { "a", "b", "c", "d", "e" })
      if comes == "before" then
        decide(nvim, "accept")
      else
        nvim:answer(1, { "B", "c", "D" })
      end
      equal({ nvim:lines(), landing(nvim) }, { { "a", "B", "c", "D", "e" }, "applied" }, keys[1] .. comes)
    end
  end
end)

test("held answers that add other rows at the same end of the same lines are both put in", function()
  for _, each in ipairs({
    { { "b", "c", "E1", "E2" }, { "b", "c", "F1" }, "a b c F1 E1 E2 d" },
    { { "E1", "E2", "b", "c" }, { "F1", "b", "c" }, "a E1 E2 F1 b c d" },
    { { "E1", "b", "c", "E2" }, { "F1", "b", "c", "F2" }, "a E1 F1 b c F2 E2 d" },
    { { "b", "c", "", "fn e {", "}" }, { "b", "c", "", "fn f {", "}" }, "a b c  fn f { }  fn e { } d" },
    -- The same rows stand there once.
    { { "b", "c", "E1" }, { "b", "c", "E1" }, "a b c E1 d" },
  }) do
    for _, ways in ipairs({
      { ":Botglue accept 1<CR>", ":Botglue accept 2<CR>" },
      { ":Botglue review 1<CR>", "a", "a" },
      { ":Botglue accept 1<CR>", ":Botglue review 2<CR>", "a" },
    }) do
      local nvim = child.with_host({ "a", "b", "c", "d" })
      for id = 1, 2 do
        nvim:run(line(2, 3), { review = true })
        nvim:answer(id, each[id])
      end
      nvim:play(ways)
      local what = vim.inspect({ each, ways })
      equal(table.concat(nvim:lines(), " "), each[3], what)
      equal(nvim:lua("return vim.fn.execute('messages')"):find("is replaced", 1, true), nil, what)
    end
  end
end)
