local child = require("support.child")
local suite = require("support.suite")
local test, equal = suite.test, suite.equal
local line, with_job = child.line, child.with_job

--- What becomes of an answer for rows 2 and 3 of a to d after keys.
local function after(keys, expected, lines)
  local nvim = with_job({ "a", "b", "c", "d" }, line(2, 3))
  nvim:type(keys)
  local before = nvim:lines()
  nvim:answer(1, { "B", "C" })
  equal(nvim:outcome(1), expected, keys)
  equal(nvim:lines(), lines or before, keys)
  return nvim
end

test("a block needs as many rows as it has", function()
  local nvim = with_job({ "ab", "cd" }, { kind = "block", first = { 1, 0 }, last = { 2, 0 } })
  nvim:answer(1, { "x" })
  equal(nvim:outcome(1), { "done", "held", "block_rows" })
  equal(nvim:lines(), { "ab", "cd" })
end)

test("a block is not known where a row was put between its rows", function()
  local nvim = with_job({ "ab", "cd", "ef" }, { kind = "block", first = { 1, 0 }, last = { 3, 0 } })
  nvim:type("2Gonew<Esc>")
  nvim:answer(1, { "1", "2", "3" })
  equal(nvim:outcome(1), { "done", "held", "range_lost" })
  equal(nvim:lines(), { "ab", "cd", "new", "ef" })
end)

test("a block whose rows are gone is held, at the end of the buffer too", function()
  local nvim = with_job({ "" }, { kind = "block", first = { 1, 0 }, last = { 1, 0 } })
  nvim:type("Oabove<Esc>:%delete<CR>")
  nvim:answer(1, { "1" })
  equal(nvim:outcome(1), { "done", "held", "range_lost" })
  equal(nvim:lines(), { "" })
end)

test("an insertion whose surroundings were replaced by other rows is held", function()
  for _, lines in ipairs({ { "x" }, { "x", "y" }, { "x", "y", "z", "1" } }) do
    local nvim = with_job({ "a", "b", "c" }, { kind = "insert", first = { 2 } })
    nvim:set_lines(lines)
    nvim:answer(1, { "1" })
    equal(nvim:outcome(1), { "done", "held", "range_lost" })
    equal(nvim:lines(), lines)
  end
end)

test("an insertion whose surroundings were replaced one for one stays between them", function()
  local nvim = with_job({ "a", "b", "c" }, { kind = "insert", first = { 2 } })
  nvim:set_lines({ "x", "y", "z" })
  nvim:answer(1, { "1" })
  equal(nvim:outcome(1), { "done", "applied" })
  equal(nvim:lines(), { "x", "y", "1", "z" })
end)

test("an edit inside the range that cannot be merged is a conflict, and nothing is written", function()
  local conflict = { "done", "held", "conflict" }
  after("2GA -- mine<Esc>", conflict)
  after("3GA -- mine<Esc>", conflict)
  after("2GIfoo <Esc>", conflict)
  after("2G>>", conflict)
  after("2Gonew<Esc>", conflict)
  after("2Gdd", conflict)
  after("3Gdd", conflict)
  after("2GJ", conflict)
  after("1GJ", conflict)
  after("2Gccnew<Esc>", conflict)
  after("2GVjcnew<Esc>", conflict)
  after(":2s/b/bb/<CR>", conflict)
  after(":sort!<CR>", conflict)
end)

test("an edit beside the range is none, and rows that are put elsewhere take their answer along", function()
  local applied = { "done", "applied" }
  after("2GOnew<Esc>", applied, { "a", "new", "B", "C", "d" })
  after("3Gonew<Esc>", applied, { "a", "B", "C", "new", "d" })
  after("1Gdd", applied, { "B", "C", "d" })
  after("4Gdd", applied, { "a", "B", "C" })
  after("2GI<CR><Esc>", applied, { "a", "", "B", "C", "d" })
  after("3GA<CR>x<Esc>", applied, { "a", "B", "C", "x", "d" })
  after("2GA -- mine<Esc>u", applied, { "a", "B", "C", "d" })
  after("2Gddu", applied, { "a", "B", "C", "d" })
  after(":2,3move 0<CR>", applied, { "B", "C", "a", "d" })
  after("2G2ddGp", applied, { "a", "d", "B", "C" })
  after("2G2ddGpggdd", applied, { "d", "B", "C" })
  after("2Gyj2ddggP", applied, { "B", "C", "a", "d" })
  after(":file other<CR>", applied, { "a", "B", "C", "d" })
end)

test("a range whose whole text was replaced is a conflict, and its lines are known", function()
  local function replaced(range, keys)
    local nvim = with_job({ "a", "some words here", "d" }, range)
    nvim:type(keys)
    nvim:answer(1, { "x" })
    equal(nvim:outcome(1), { "done", "held", "conflict" }, keys)
    equal(nvim:job(1).first_line, 2, keys)
  end
  replaced(line(2, 2), "2Gccnew<Esc>")
  replaced(line(2, 2), ":2s/.*/other<CR>")
  replaced({ kind = "char", first = { 2, 5 }, last = { 2, 9 } }, "2Gwciwnew<Esc>")
end)

test("a range that was deleted is lost", function()
  local lost = { "done", "held", "range_lost" }
  after("2G2dd", lost)
  after("ggdG", lost)
  after(":%d<CR>", lost)
end)

test("where the user deleted all of a part the answer is held, and can be put there", function()
  local nvim = with_job({ "some words here" }, { kind = "char", first = { 1, 5 }, last = { 1, 9 } })
  nvim:type("wdiw")
  nvim:answer(1, { "x" })
  equal(nvim:outcome(1), { "done", "held", "conflict" })
  equal(nvim:lines(), { "some  here" })
  nvim:play(":Botglue accept 1<CR>", ":Botglue accept 1<CR>")
  equal(nvim:api("buf_get_lines", 1, 0, -1, true), { "some x here" })
end)

test("rows that are put around the point at which a range was deleted are none of it", function()
  for _, range in ipairs({ line(2, 2), { kind = "char", first = { 2, 0 }, last = { 2, 0 } } }) do
    for _, keys in ipairs({
      ":2move 0<CR>",
      ":1move 2<CR>",
      ":2,3move 0<CR>",
      ":2move 3<CR>",
      ":3move 1<CR>",
      ":4move 1<CR>",
      "2GJ",
      "ggVGgq",
      ":%s/ /\\r/<CR>",
      "1Gyyp",
      ":2move 0<CR>1Gonew<Esc>u",
      "Onew<Esc>",
    }) do
      local nvim = with_job({ "a one", "b", "c two", "d three", "e four" }, range)
      nvim:type("2Gdd")
      nvim:type(keys)
      local typed = nvim:lines()
      nvim:answer(1, { "B" })
      equal(nvim:outcome(1), { "done", "held", "range_lost" }, range.kind .. keys)
      equal(nvim:lines(), typed, keys)
    end
  end
end)

test("a range that is deleted, put back and edited", function()
  for _, keys in ipairs({
    { "P" },
    { "kp" },
    { "2GJ", "u", "u" },
    { "1GJ", "u", "u" },
    { "2GJuu" },
    { ":%join<CR>", "u", "u" },
    { ":2move 0<CR>", "u", "u" },
  }) do
    local nvim = with_job({ "a", "some", "more", "d", "e" }, line(2, 3))
    nvim:type("2G2dd")
    for _, each in ipairs(keys) do
      nvim:type(each)
    end
    nvim:type(":%s/more/mine/<CR>")
    nvim:answer(1, { "B" })
    equal(nvim:outcome(1), { "done", "held", "conflict" }, table.concat(keys))
    equal(nvim:job(1).first_line, 2, table.concat(keys))
  end
end)

test("a range that was edited, is deleted and put back by undo", function()
  for _, keys in ipairs({
    "2Gddu",
    "2Gddu<C-r>u",
    "2Gdd:2move 0<CR>uu",
    "2Gdd:2move 0<CR>:silent earlier 2<CR>",
  }) do
    local nvim = with_job({ "a", "b", "c", "d" }, line(2, 2))
    nvim:type("2GAx<Esc>")
    nvim:type(keys)
    nvim:answer(1, { "B" })
    equal(nvim:outcome(1), { "done", "held", "conflict" }, keys)
    equal(nvim:job(1).first_line, 2, keys)
  end
end)

test("a held answer can be read, and its place is known", function()
  local nvim = after("2GA!<Esc>", { "done", "held", "conflict" })
  local job = nvim:job(1)
  equal({ job.text, job.first_line, job.last_line }, { "B\nC", 2, 3 })
  suite.contains(nvim:screen(), "held: you changed these lines meanwhile")
  suite.contains(nvim:messages(), [[:Botglue review 1 shows it: you changed these lines meanwhile]])
end)

test("a buffer that is gone holds the answer", function()
  for _, command in ipairs({ "bwipeout!", "bdelete!", "bunload!" }) do
    local nvim = with_job({ "a", "b" }, line(1, 2))
    nvim:lua("vim.cmd.new(); vim.cmd('1' .. ...)", command)
    nvim:ticks(3)
    nvim:answer(1, { "A" })
    equal(nvim:outcome(1), { "done", "held", "buffer_gone" }, command)
    equal(nvim:job(1).text, "A")
    equal(nvim:lua("return vim.v.errmsg"), "")
  end
end)

test("a buffer that cannot be changed holds the answer", function()
  local nvim = with_job({ "a", "b" }, line(1, 2))
  nvim:lua("vim.bo.modifiable = false")
  nvim:answer(1, { "A" })
  equal(nvim:outcome(1), { "done", "held", "not_modifiable" })
  equal(nvim:lines(), { "a", "b" })
end)

test(
  "an answer lands in a buffer that took no changes as its job was started, and takes them again",
  function()
    for _, again in ipairs({ ":setlocal modifiable<CR>", ":new<CR>:lua vim.bo[1].modifiable = true<CR>" }) do
      local nvim = child.with_host({ "a", "b" })
      nvim:type(":setlocal nomodifiable<CR>")
      nvim:run(line(1, 2))
      nvim:ticks(1)
      nvim:type(again)
      nvim:answer(1, { "A" })
      equal(nvim:outcome(1), { "done", "applied" }, again)
    end
  end
)

test("with review nothing lands by itself", function()
  local function held(nvim)
    nvim:answer(1, { "A" })
    equal(nvim:outcome(1), { "done", "held", "review" })
    equal(nvim:lines(), { "a" })
  end
  local nvim = child.with_host({ "a" })
  nvim:type(":1Botglue! run it<CR>")
  equal(nvim:host("received", "run")[1].review, true)
  held(nvim)
  held(with_job({ "a" }, line(1, 1), { review = true }))
  nvim = child.with_host({ "a" })
  nvim:lua("require('botglue').setup({ review = true })")
  nvim:type(":1Botglue run it<CR>")
  held(nvim)
end)

test("what the host holds is held, with its reason", function()
  local nvim = with_job({ "a" }, line(1, 1))
  nvim:answer(1, { "both" }, { held_for = "ambiguous" })
  equal(nvim:outcome(1), { "done", "held", "ambiguous" })
  equal({ nvim:job(1).text, nvim:lines() }, { "```\nboth\n```\nor\n```\nboth\n```", { "a" } })
end)

test("a failed job leaves the buffer and the screen as they were", function()
  local nvim = with_job({ "a", "b" }, line(1, 2))
  suite.contains(nvim:screen(), "it")
  nvim:agent(1, "refuse", 400, "Too\nlong.")
  nvim:host("ended", 1)
  local job = nvim:job(1)
  equal({ job.status, job.error.code }, { "failed", "api_error" })
  suite.contains(job.error.message, "400 Too long")
  equal(nvim:drawn(), 0)
  suite.contains(nvim:messages(), "job 1 failed: " .. job.error.message)
  equal(nvim:host("count", "BotglueJobFinished", 1), 1)
end)

test("of two jobs on one range the second finds it changed", function()
  local nvim = with_job({ "a" }, line(1, 1))
  nvim:run(line(1, 1))
  nvim:answer(2, { "second" })
  nvim:answer(1, { "first" })
  equal(nvim:lines(), { "second" })
  equal(nvim:outcome(1), { "done", "held", "conflict" })
end)

test("a file read again: the same rows take the answer, others do not", function()
  local function reloaded(content, expected, lines)
    local nvim = child.start()
    nvim:lua("require('support.host').install()")
    nvim:lua([[
      _G.file = vim.fn.tempname()
      vim.fn.writefile({ "{", "}", "{", "}" }, file)
      vim.cmd.edit(file)
    ]])
    nvim:run(line(2, 2))
    nvim:lua("vim.fn.writefile(..., file); vim.cmd('edit!')", content)
    nvim:ticks(2)
    nvim:answer(1, { "// end", "}" })
    equal(nvim:outcome(1), expected)
    equal(nvim:lines(), lines)
  end
  reloaded({ "{", "}", "{", "}" }, { "done", "applied" }, { "{", "// end", "}", "{", "}" })
  reloaded({ "", "}", "{", "}" }, { "done", "applied" }, { "", "// end", "}", "{", "}" })
  reloaded({ "x", "y" }, { "done", "held", "range_lost" }, { "x", "y" })
end)
