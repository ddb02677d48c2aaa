-- Ranges are followed through edits that give their marks a hard time; each of these was found by the model test.

local child = require("support.child")
local suite = require("support.suite")
local test, equal = suite.test, suite.equal
local line = child.line

--- A child that edits a file: an undo of everything leaves its lines.
local function with_file(lines)
  local nvim = child.with_host({})
  local path = vim.fn.tempname()
  vim.fn.writefile(lines, path)
  nvim:lua("vim.cmd('silent edit ' .. ...)", path)
  return nvim
end

local function outcome(nvim, id)
  local job = nvim:job(id or 1)
  return { job.held_for or job.landing, nvim:lines() }
end

--- Accepts a held answer with its conflicts, once they are shown; the rows then.
local function accept_conflict(nvim, id)
  local accept = (":Botglue accept %d<CR>"):format(id)
  nvim:play(accept, accept)
  return nvim:api("buf_get_lines", 1, 0, -1, true)
end

test("an insertion at the end of an emptied buffer that an undo filled again", function()
  local nvim = with_file({ "a" })
  nvim:type(":%delete<CR>")
  nvim:set_lines({})
  nvim:run({ kind = "insert", first = { 1 } })
  nvim:lua("vim.cmd('silent undo 0')")
  nvim:answer(1, { "1" })
  equal(outcome(nvim), { "applied", { "a", "1" } })
end)

test("an empty last row, when the rows behind it are deleted at the end of the buffer", function()
  local nvim = child.with_host({ "a", "b", "", "c" })
  nvim:run(line(4, 4))
  nvim:run(line(2, 3))
  nvim:answer(1, {})
  nvim:answer(2, { "B" })
  equal(outcome(nvim, 2), { "applied", { "a", "B", "" } })
end)

test("a row of a file that was read again is the same after that is undone", function()
  local nvim = with_file({ "x1", "x2", "x3", "x4", "x5" })
  nvim:type(":2delete<CR>:silent edit!<CR>")
  nvim:run({ kind = "block", first = { 3, 0 }, last = { 3, 0 } })
  nvim:type("u")
  nvim:answer(1, { "y" })
  equal(outcome(nvim), { "applied", { "x1", "y3", "x4", "x5" } })
end)

test("rows that one undo replaces and moves down", function()
  local nvim = with_file({ "", "a", "b" })
  nvim:type("dd")
  nvim:set_lines({ "a", "b" })
  nvim:run(line(1, 2))
  nvim:type(":silent undo 0<CR>")
  nvim:answer(1, { "A", "b" })
  equal(outcome(nvim), { "applied", { "", "A", "b" } })
end)

test("characters whose first or last one is replaced", function()
  local function accepted(keys, range, answer, lines)
    local nvim = child.with_host({ "one two", "one two" })
    nvim:run(range)
    nvim:type(keys)
    nvim:answer(1, answer)
    equal(nvim:job(1).held_for, "conflict")
    equal(accept_conflict(nvim, 1), lines, keys)
  end
  local char = { kind = "char", first = { 1, 4 }, last = { 1, 6 } }
  for _, keys in ipairs({
    "gg04lrT",
    "gg04l~",
    "gg$rT",
    "gg$~",
    "gg04lRTw<Esc>",
    "gg04lgUiw",
    ":1s/tw/TW/<CR>",
    ":1s/two/three/<CR>",
  }) do
    accepted(keys, char, { "2" }, { "one 2", "one two" })
  end
  local block = { kind = "block", first = { 1, 4 }, last = { 2, 6 } }
  for _, keys in ipairs({ "gg04l<C-v>jrT", "gg04l<C-v>j$rx", "gg04l<C-v>j~", "gg$~", ":%s/tw/TW/<CR>" }) do
    accepted(keys, block, { "2", "3" }, { "one 2", "one 3" })
  end
end)

test("an insertion between two rows that read the same, after the whole buffer was replaced", function()
  local nvim = child.with_host({ "a", "a" })
  nvim:run({ kind = "insert", first = { 1 } })
  nvim:type("2GAx<Esc>")
  nvim:set_lines({ "a", "ax " })
  nvim:answer(1, { "1" })
  equal(outcome(nvim), { "applied", { "a", "1", "ax " } })
end)

test("an insertion below an empty row that was copied above, after the whole buffer was replaced", function()
  local nvim = child.with_host({ "", "a" })
  nvim:run({ kind = "insert", first = { 1 } })
  nvim:type("1G:copy 0<CR>")
  nvim:set_lines({ "", " ", "a" })
  nvim:answer(1, { "1" })
  equal(outcome(nvim), { "applied", { "", " ", "1", "a" } })
end)

test("an empty row that was typed into after undo went and came by it in leaps", function()
  local nvim = child.with_host({ "    t1 t2", "t3", "t4 t5" })
  nvim:type("2GdwI<BS>x<Esc>:silent %d<CR>Gp1G$:silent m$<CR>")
  local last = #nvim:lines()
  nvim:run({ kind = "char", first = { last, 0 }, last = { last, 0 } })
  nvim:type(":silent undo 0<CR>:silent later 9<CR>2G<C-v>jAmine<Esc>")
  local typed = nvim:lines()
  nvim:answer(1, { "", "a", "b" })
  equal(outcome(nvim), { "conflict", typed })
end)

test("whole rows that are replaced above an empty last one leave that to the range", function()
  local nvim = child.with_host({ "a", "b", "", "c" })
  nvim:run({ kind = "line", first = { 1, 0 }, last = { 3, 0 } })
  nvim:lua("vim.api.nvim_buf_set_lines(0, 1, 2, true, { 'B' })")
  nvim:eventually(
    "the host has told where the range is",
    "local job = require('botglue').job(1) return job.first_line == 1 and job.last_line == 3"
  )
  nvim:answer(1, { "a", "C" })
  equal(outcome(nvim), { "conflict", { "a", "B", "", "c" } })
end)

test("a job is at its rows where they, or the row above, are replaced one for one", function()
  for code, place in pairs({
    ["0, 1, true, { 'One' }"] = { 2, 3 },
    ["1, 2, true, { 'Two' }"] = { 2, 3 },
    ["2, 3, true, { 'Three' }"] = { 2, 3 },
    ["1, 3, true, { 'Two', 'Three' }"] = { 2, 3 },
    ["0, -1, true, { 'One', 'Two', 'Three', 'Four' }"] = { 2, 3 },
    ["1, 2, true, { 'Two', 'new' }"] = { 2, 4 },
  }) do
    for _, range in ipairs({ line(2, 3), { kind = "char", first = { 2, 0 }, last = { 3, 0 } } }) do
      local nvim = child.with_job({ "one", "two", "three", "four" }, range)
      nvim:lua(("vim.api.nvim_buf_set_lines(0, %s)"):format(code))
      equal({ nvim:job(1).first_line, nvim:job(1).last_line }, place, range.kind .. ": " .. code)
    end
  end
  local nvim = child.with_job({ "one", "two", "three" }, { kind = "insert", first = { 2 } })
  nvim:lua("vim.api.nvim_buf_set_lines(0, 1, 2, true, { 'Two' })")
  equal({ nvim:job(1).first_line, nvim:job(1).last_line }, { 2, 2 }, "an insertion")
end)

test("a row that was emptied and filled again, below which another answer has landed", function()
  local nvim = child.with_host({ "t" })
  nvim:run({ kind = "line", first = { 1, 0 }, last = { 1, 0 } })
  nvim:run({ kind = "line", first = { 1, 0 }, last = { 1, 0 } })
  nvim:answer(1, { "t", "u" }, { edits = { { first = 1, last = 1, lines = { "u" } } } })
  nvim:type("ggxp")
  nvim:answer(2, { "T" })
  equal(outcome(nvim, 2), { "applied", { "T", "u" } })
end)

test("an insertion below a row that was changed, above one that reads as it did", function()
  local nvim = child.with_host({ "", "", "a" })
  nvim:run({ kind = "insert", first = { 1 } })
  nvim:type(":1s/$/ x/<CR>")
  nvim:answer(1, { "1" })
  equal(outcome(nvim), { "applied", { " x", "1", "", "a" } })
end)

test("an insertion below a row that was emptied together with a new one", function()
  local nvim = child.with_host({ "a1", "b", "c" })
  nvim:run({ kind = "insert", first = { 1 } })
  nvim:type("1Gox<BS><BS><BS><BS>")
  equal(nvim:lines(), { "", "b", "c" })
  nvim:answer(1, { "1" })
  equal(outcome(nvim), { "applied", { "", "1", "b", "c" } })
end)

test("rows of which another answer replaced the first ones, and what is above them", function()
  local nvim = child.with_host({ "1", "2", "3", "4", "5", "6", "7", "8", "9" })
  nvim:run(line(2, 6))
  nvim:run(line(4, 8))
  nvim:answer(1, { "A", "B", "C" })
  nvim:answer(2, { "4", "5", "6", "G", "H" })
  equal(outcome(nvim, 2), { "conflict", { "1", "A", "B", "C", "7", "8", "9" } })
  equal(accept_conflict(nvim, 2), { "1", "A", "B", "C", "G", "H", "9" })
  nvim:play("uu")
  equal(nvim:api("buf_get_lines", 1, 0, -1, true), { "1", "2", "3", "4", "5", "6", "7", "8", "9" })
end)

test("rows that begin with a blank one, below rows that become others", function()
  local nvim = child.with_host({ "a", "b", "", "4", "5" })
  nvim:run(line(3, 5))
  nvim:lua("vim.api.nvim_buf_set_lines(0, 1, 2, true, { 'x', 'y' })")
  nvim:type("GAz<Esc>")
  nvim:settle()
  equal({ nvim:job(1).first_line, nvim:job(1).last_line }, { 4, 6 })
end)

--- What an answer is put in place of after these keys, with the child idle between them or all at once: the rows that
--- are left of the text as it is then.
local function expect_place(nvim, pieces, at_once, place)
  if at_once then
    nvim:type(table.concat(pieces))
  else
    nvim:play(pieces)
  end
  local expected, what = nvim:lines(), vim.inspect({ pieces, at_once })
  nvim:answer(1, { "X" })
  equal(nvim:job(1).held_for, "conflict", what)
  for _ = place[1] + 1, place[2] do
    table.remove(expected, place[1])
  end
  expected[place[1]] = "X"
  equal(accept_conflict(nvim, 1), expected, what)
end

test("a row joined to those of a job, and taken from them by undo, is not theirs after an edit", function()
  for _, keys in ipairs({
    { "5GJ", "u" },
    { "5G3J", "u" },
    { ":5,6j<CR>", "u" },
    { "5GJ", "x", "u", "u" },
    { "4GJ", "J", "u", "u" },
    { "5GJ", "u", "<C-r>", "u" },
    { "1GJ", "u" },
    { "5GgJ", "u" },
  }) do
    for _, at_once in ipairs({ false, true }) do
      local nvim = child.with_host({ "1", "2", "3", "4", "5", "6", "7", "8" })
      nvim:run(line(2, 5))
      expect_place(nvim, vim.list_extend(vim.list_slice(keys), { "3GA own<Esc>" }), at_once, { 2, 5 })
    end
  end
end)

test("rows of a job that were undone and redone are still its own after an edit", function()
  for _, each in ipairs({
    { "Gob1<CR>b2<Esc>", line(3, 5), "3G", { 3, 5 } },
    { "3GOb1<CR>b2<Esc>", line(3, 5), "5G", { 3, 5 } },
    { "2Gob1<CR>b2<Esc>", line(2, 5), "2G", { 2, 5 } },
    { "2Gob1<CR>b2<Esc>", line(3, 4), "3G", { 3, 4 } },
  }) do
    for _, at_once in ipairs({ false, true }) do
      local nvim = child.with_host({ "a", "b", "c" })
      nvim:type(each[1])
      nvim:run(each[2])
      expect_place(nvim, { "u", "<C-r>", each[3], "A own<Esc>" }, at_once, each[4])
    end
  end
end)
