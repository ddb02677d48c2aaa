local child = require("support.child")
local suite = require("support.suite")
local test, equal = suite.test, suite.equal
local line = child.line

--- A child with an answer for rows 2 to 4 of five that is held.
local function with_held(answer, keys, more)
  local nvim = child.with_host({ "a", "b", "c", "d", "e" })
  nvim:run(line(2, 4))
  nvim:type(keys or "")
  nvim:answer(1, answer, more or { held_for = "review" })
  equal(nvim:job(1).landing, "held")
  return nvim
end

local function decide(nvim, what, id)
  nvim:lua("local what, id = ...; require('botglue')[what](id)", what, id or 1)
end

local function landing(nvim, id)
  return nvim:job(id or 1).landing
end

--- What the host was told last of a job.
local function told(nvim)
  local all = nvim:host("received", "landed")
  return { all[#all].id, all[#all].landing }
end

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
  nvim:lua("require('support.host').merges = { { 'bx', 'c', 'D' } }")
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
  nvim:type("u")
  equal(nvim:lines(), { "a", "b", "c", "dx", "e" })
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
    nvim:run(range)
    nvim:type(keys)
    nvim:answer(1, answer, { held_for = "review" })
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
    nvim:run(range)
    nvim:answer(1, { "END" }, { held_for = "review" })
    nvim:lua("vim.fn.writefile(..., file)", content)
    nvim:type((":%s<CR>:Botglue accept 1<CR>"):format(command))
    equal({ nvim:lua("return vim.fn.getbufline(vim.fn.bufnr(file), 1, '$')"), landing(nvim) }, expected)
  end
  local insertion = { kind = "insert", first = { 3 } }
  local others, same = { "{", "2", "}", "b" }, { "{", "1", "}", "a", "{", "2", "}", "b", "new" }
  for _, command in ipairs({ "edit!", "bdelete" }) do
    accept(line(3, 3), others, command, { others, "held" })
    accept(insertion, others, command, { others, "held" })
    accept(line(3, 3), same, command, { { "{", "1", "END", "a", "{", "2", "}", "b", "new" }, "applied" })
    accept(insertion, same, command, { { "{", "1", "}", "END", "a", "{", "2", "}", "b", "new" }, "applied" })
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
    nvim:run(line(1, 1))
    if held == "at once" then
      nvim:answer(1, { "A" }, { held_for = "review" })
    end
    nvim:lua(("vim.cmd(%s)"):format(after))
    if held == "after it" then
      nvim:answer(1, { "A" }, { held_for = "review" })
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
  nvim:run(line(5, 5))
  nvim:answer(2, { "E" }, { held_for = "review" })
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
  nvim:lua("require('support.host').merges = nil")
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

--- A child in which an answer landed.
local function with_landed(lines, range, answer, edits)
  local nvim = child.with_host(lines)
  nvim:run(range)
  nvim:answer(1, answer, { edits = edits })
  equal(landing(nvim), "applied")
  return nvim
end

test("reverting takes a landed answer back, after edits around it, as one step", function()
  local function revert(range, answer, keys, expected)
    local nvim = with_landed({ "one", "two", "three" }, range, answer)
    nvim:type(keys)
    local before = nvim:lines()
    decide(nvim, "revert")
    equal(nvim:lines(), expected, vim.inspect(range))
    equal({ landing(nvim), told(nvim) }, { "reverted", { 1, "reverted" } })
    nvim:type("u")
    equal(nvim:lines(), before, "one step")
  end
  revert(line(2, 2), { "TWO", "2" }, "ggOx<Esc>Goy<Esc>", { "x", "one", "two", "three", "y" })
  revert(line(2, 3), {}, "ggOx<Esc>", { "x", "one", "two", "three" })
  revert(line(1, 1), {}, "Goy<Esc>", { "one", "two", "three", "y" })
  revert(line(1, 3), {}, "", { "one", "two", "three" })
  revert({ kind = "insert", first = { 1 } }, { "new", "er" }, "Goy<Esc>", { "one", "two", "three", "y" })
  revert({ kind = "char", first = { 2, 1 }, last = { 2, 1 } }, { "W", "W" }, "ggOx<Esc>", {
    "x",
    "one",
    "two",
    "three",
  })
  revert({ kind = "block", first = { 2, 0 }, last = { 3, 1 } }, { "2", "3" }, "GAx<Esc>", {
    "one",
    "two",
    "threex",
  })
end)

test("reverting takes back all of an answer that was undone and redone", function()
  local function revert(answer, edits)
    local nvim = child.with_host({ "one", "two", "three" })
    nvim:run(line(2, 2))
    nvim:answer(1, answer, { edits = edits })
    nvim:type("u")
    equal(nvim:lines(), { "one", "two", "three" })
    nvim:type("<C-r>")
    decide(nvim, "revert")
    equal(nvim:host("received", "merge")[1].current, answer)
    equal({ nvim:lines(), landing(nvim) }, { { "one", "two", "three" }, "reverted" })
  end
  local above, below = { first = 0, last = 0, lines = { "1" } }, { first = 1, last = 1, lines = { "2", "3" } }
  revert({ "1", "two" }, { above })
  revert({ "two", "2", "3" }, { below })
  revert({ "1", "two", "2", "3" }, { above, below })
end)

test("reverting is a merge with the roles changed", function()
  local nvim = with_landed({ "a", "b", "c", "d" }, line(1, 4), { "a", "B", "c", "d" })
  nvim:type("GAx<Esc>")
  nvim:lua("require('support.host').merges = { { 'a', 'b', 'c', 'dx' } }")
  decide(nvim, "revert")
  local asked = nvim:host("received", "merge")[1]
  equal(
    { asked.purpose, asked.base, asked.current, asked.answer },
    { "revert", { "a", "B", "c", "d" }, { "a", "B", "c", "dx" }, { "a", "b", "c", "d" } }
  )
  equal({ nvim:lines(), landing(nvim) }, { { "a", "b", "c", "dx" }, "reverted" })
end)

test("what is being decided is waited for before the next decision", function()
  local nvim = with_landed({ "a", "b" }, line(1, 1), { "A" })
  nvim:lua("require('support.host').merges = nil")
  decide(nvim, "revert")
  equal(nvim:lines(), { "A", "b" })
  local err = suite.raises(function()
    decide(nvim, "revert")
  end)
  suite.contains(err, "botglue: job 1 is being decided already: wait a moment")
  local settled = nvim:lua([[
    vim.schedule(function()
      local host = require("support.host")
      host.merge(host.received("merge")[1], { "a" })
    end)
    return require("botglue").wait(1, 5000)
  ]])
  equal({ nvim:lines(), settled.landing }, { { "a", "b" }, "reverted" })
end)

test("what is typed after an answer was accepted is not replaced by it", function()
  local nvim = child.with_host({ "a", "b", "c" })
  nvim:run(line(2, 2))
  nvim:answer(1, { "B" }, { held_for = "review" })
  nvim:lua("require('support.host').merges = nil")
  decide(nvim, "accept")
  nvim:type("2GA typed<Esc>")
  for nth = 1, 2 do
    nvim:host("merge", nvim:host("received", "merge")[nth])
  end
  equal({ landing(nvim), nvim:lines() }, { "held", { "a", "b typed", "c" } })
  suite.contains(nvim:messages(), "botglue: job 1 was not accepted: its lines were changed meanwhile")
  nvim:lua("require('support.host').merges = {}")
  decide(nvim, "accept")
  equal({ landing(nvim), nvim:lines() }, { "applied", { "a", "B", "c" } })
end)

test("what waits for a safe moment is being decided until then", function()
  local nvim = with_held({ "b", "C", "d" })
  nvim:lua("require('support.host').merges = nil")
  decide(nvim, "accept")
  nvim:type("v")
  nvim:lua("local host = require('support.host'); host.merge(host.received('merge')[1], { 'b', 'C', 'd' })")
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

test("an answer is taken back where its text stands, after all around it was replaced", function()
  local TEXT = { "{", "one()", "two()", "}" }
  local function revert(answer, change, expected, landed)
    local nvim = with_landed(TEXT, line(2, 2), answer)
    nvim:settle()
    nvim:lua(change)
    nvim:settle()
    nvim:type(":Botglue revert 1<CR>")
    equal({ nvim:lines(), landing(nvim) }, { expected, landed }, change)
  end
  local long = { "first_one()", "second_one()" }
  local put = "vim.api.nvim_buf_set_lines(0, 0, -1, true, { %s })"
  local formatted = [["-- new", "{", "first_one()", "second_one()", "two()", "}"]]
  local back = { "-- new", "{", "one()", "two()", "}" }
  revert(long, put:format(formatted), back, "reverted")
  revert(long, "vim.cmd([[silent %!sed '1i -- new']])", back, "reverted")
  local read_again = [[
    _G.file = vim.fn.tempname()
    vim.cmd("silent saveas " .. file)
    vim.fn.writefile({ %s }, file)
    vim.cmd("silent %s")
  ]]
  revert(long, read_again:format(formatted, "edit!"), back, "reverted")
  revert(long, read_again:format(formatted, "bdelete | edit #"), back, "reverted")
  revert({ "two()" }, put:format([["{", "two()", "}"]]), { "{", "two()", "}" }, "applied")
  revert({ "two()", "}" }, put:format([["two()", "}"]]), { "two()", "}" }, "applied")
end)

test("what was changed since, or is gone, is not reverted", function()
  local function refused(range, keys, words)
    local nvim = with_landed({ "one", "two", "three" }, range, { "X" })
    nvim:type(keys)
    local before = nvim:lines()
    nvim:type(":Botglue revert 1<CR>")
    suite.contains(nvim:messages(), "botglue: job 1 cannot be reverted: " .. words)
    equal({ nvim:lines(), landing(nvim) }, { before, "applied" })
  end
  refused(line(2, 2), "2GAy<Esc>", "its lines were changed since")
  refused({ kind = "char", first = { 2, 0 }, last = { 2, 2 } }, "2G0rY", "its text was changed since")
  refused(line(2, 2), "2Gdd", "its place is not known")
end)

test("an accepted and a merged answer can be taken back, an undone one needs nothing", function()
  local nvim = with_held({ "B" })
  decide(nvim, "accept")
  equal(nvim:lines(), { "a", "B", "e" })
  decide(nvim, "revert")
  equal({ nvim:lines(), landing(nvim) }, { { "a", "b", "c", "d", "e" }, "reverted" })
  nvim:run(line(5, 5))
  nvim:answer(2, { "E" })
  nvim:type("u")
  local tick = nvim:lua("return vim.b.changedtick")
  decide(nvim, "revert", 2)
  equal({ landing(nvim, 2), nvim:lua("return vim.b.changedtick") }, { "reverted", tick })
end)

test("what was accepted in a review can be taken back", function()
  for _, each in ipairs({
    { { "" }, { kind = "insert", first = { 1 } } },
    { { "one" }, { kind = "insert", first = { 1 } } },
    { { "one" }, { kind = "char", first = { 1, 1 }, last = { 1, 1 } } },
    { { "one" }, line(1, 1) },
  }) do
    local nvim = child.with_host(each[1])
    nvim:run(each[2])
    nvim:answer(1, { "B", "C" }, { held_for = "review" })
    nvim:type(":Botglue review<CR>")
    nvim:type("a")
    equal(landing(nvim), "applied")
    nvim:settle()
    nvim:type(":Botglue revert 1<CR>")
    equal({ nvim:lines(), landing(nvim) }, { each[1], "reverted" }, vim.inspect(each))
  end
end)

test("what was undone is not put in once more", function()
  local function revert(range, answer, edits)
    local nvim = with_landed({ "one", "two", "three", "four" }, range, answer, edits)
    local landed = nvim:lines()
    nvim:type("u")
    local tick = nvim:lua("return vim.b.changedtick")
    nvim:type(":Botglue revert 1<CR>")
    equal(nvim:lines(), { "one", "two", "three", "four" }, vim.inspect(answer))
    equal({ landing(nvim), nvim:lua("return vim.b.changedtick") }, { "reverted", tick })
    equal(nvim:messages():find("botglue", 1, true), nil)
    nvim:type("<C-r>")
    equal(nvim:lines(), landed)
  end
  local first_goes, last_goes =
    { { first = 0, last = 1, lines = {} } }, { { first = 1, last = 2, lines = {} } }
  revert(line(2, 3), { "three" }, first_goes)
  revert(line(2, 3), { "two" }, last_goes)
  revert(line(1, 2), { "two" }, first_goes)
  revert(line(3, 4), { "three" }, last_goes)
  revert(line(2, 3), {})
  revert(line(1, 4), {})
  revert({ kind = "insert", first = { 2 } }, { "new" })
  revert({ kind = "insert", first = { 4 } }, { "new", "er" })
  revert({ kind = "char", first = { 2, 0 }, last = { 3, 1 } }, { "TWO", "", "TH" })
  revert({ kind = "char", first = { 2, 1 }, last = { 3, 2 } }, { "" })
  revert({ kind = "char", first = { 2, 1 }, last = { 4, 2 } }, { "X", "Y", "Z", "A", "B" })
  revert({ kind = "block", first = { 2, 0 }, last = { 3, 1 } }, { "T", "HREE" })
end)

test(
  "one of two rows that read the same, which an answer took away and undo brought back, stays one",
  function()
    for row = 2, 3 do
      local nvim = with_landed({ "p", "", "", "q" }, line(row, row), {})
      nvim:type("u:Botglue revert 1<CR>")
      equal({ landing(nvim), nvim:lines() }, { "reverted", { "p", "", "", "q" } })
      nvim = with_landed({ "p", "", "", "q" }, line(row, row), {})
      nvim:type(":Botglue revert 1<CR>")
      equal({ landing(nvim), nvim:lines() }, { "reverted", { "p", "", "", "q" } })
    end
  end
)

test(
  "characters that an answer deleted come back where they were, whatever was typed there and taken back",
  function()
    local nvim = with_landed({ "u21" }, { kind = "char", first = { 1, 0 }, last = { 1, 0 } }, { "" })
    nvim:type("ggRab<BS><BS><Esc>")
    equal(nvim:lines(), { "21" })
    nvim:type(":Botglue revert 1<CR>")
    equal(nvim:lines(), { "u21" })
  end
)

test("an answer whose first rows read as what it was written over is not taken for undone", function()
  local char = { kind = "char", first = { 1, 0 }, last = { 2, 0 } }
  local nvim = with_landed({ "t1", "t2", "t3" }, char, { "t1", "t", "a" })
  nvim:type("u<C-r>:Botglue revert 1<CR>")
  equal({ landing(nvim), nvim:lines() }, { "applied", { "t1", "t", "a2", "t3" } })
  suite.contains(nvim:messages(), "its text was changed since")
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

test("reverting loads the file that was closed meanwhile", function()
  local nvim = child.with_host({ "a", "b", "c" })
  nvim:lua("_G.file = vim.fn.tempname() vim.cmd('silent saveas ' .. _G.file)")
  nvim:run(line(2, 2))
  nvim:answer(1, { "B" })
  nvim:lua("vim.cmd('silent write | enew | bdelete #')")
  decide(nvim, "revert")
  equal(landing(nvim), "reverted")
  equal(nvim:lua("return vim.fn.getbufline(_G.file, 1, '$')"), { "a", "b", "c" })
end)

test("a hundred landed jobs of a buffer keep a mark, the oldest give way", function()
  local nvim = child.with_host({ "a" })
  for id = 1, 102 do
    nvim:lua("require('botglue').run({ prompt = 'x', range = ... })", line(1, 1))
    nvim:answer(id, { "row " .. id })
  end
  local marks = [[
    local ns = vim.api.nvim_create_namespace("botglue.range")
    return #vim.api.nvim_buf_get_extmarks(0, ns, 0, -1, {})
  ]]
  equal(nvim:lua(marks), 200, "two for each")
  nvim:type(":Botglue revert 1<CR>")
  suite.contains(nvim:messages(), "botglue: job 1 cannot be reverted: its place is not known")
  decide(nvim, "revert", 102)
  equal(nvim:lines(), { "row 101" })
end)
