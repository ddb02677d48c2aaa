local child = require("support.child")
local suite = require("support.suite")
local test, equal = suite.test, suite.equal
local line = child.line

--- A child with a job on rows 2 to 4 of five.
local function with_job()
  local nvim = child.with_host({ "a", "b", "c", "d", "e" })
  nvim:run(line(2, 4))
  return nvim
end

--- Such a child, in which the host's merges come when the spec lets them.
local function with_late_merges()
  local nvim = with_job()
  nvim:host("hold", "merged")
  return nvim
end

--- The merges that were asked for: what was there, what is there, what should be.
local function asked(nvim)
  return vim.tbl_map(function(question)
    return { question.purpose, question.base, question.current, question.answer }
  end, nvim:host("received", "merge"))
end

test("an edit inside the range is merged with the answer, as one undo step", function()
  local nvim = with_job()
  nvim:type("2GA -- mine<Esc>")
  nvim:answer(1, { "b", "c", "D" }, { edits = { { first = 2, last = 3, lines = { "D" } } } })
  equal(asked(nvim), { { "land", { "b", "c", "d" }, { "b -- mine", "c", "d" }, { "b", "c", "D" } } })
  equal(nvim:lines(), { "a", "b -- mine", "c", "D", "e" })
  equal(nvim:outcome(1), { "done", "merged" })
  local landed = nvim:host("received", "landed")[1]
  equal({ landed.landing, landed.rows }, { "merged", { "b -- mine", "c", "D" } })
  nvim:type("u")
  equal(nvim:lines(), { "a", "b -- mine", "c", "d", "e" })
  nvim:type("u")
  equal(nvim:lines(), { "a", "b", "c", "d", "e" })
end)

test("a merge that leaves nothing to write is no step", function()
  local nvim = with_job()
  nvim:type("4GrD")
  local tick = nvim:lua("return vim.b.changedtick")
  nvim:answer(1, { "b", "c", "D" })
  equal(nvim:outcome(1), { "done", "unchanged" })
  equal(nvim:lua("return vim.b.changedtick"), tick)
end)

test("a conflict is held, and nothing is written", function()
  local nvim = with_job()
  nvim:type("4GrX")
  nvim:answer(1, { "b", "c", "D" })
  equal(nvim:outcome(1), { "done", "held", "conflict" })
  equal(nvim:lines(), { "a", "b", "c", "X", "e" })
end)

test("what is typed while the merge is made starts it over", function()
  local nvim = with_late_merges()
  nvim:type("2GAx")
  nvim:answer(1, { "b", "c", "D" })
  nvim:type("y")
  nvim:host("deliver", "merged")
  equal(nvim:lines(), { "a", "bxy", "c", "d", "e" }, "the reply is out of date")
  equal(nvim:host("count", "BotglueJobFinished", 1), 0)
  equal(asked(nvim)[2][3], { "bxy", "c", "d" })
  nvim:host("deliver", "merged")
  nvim:type("z<Esc>")
  equal(nvim:lines(), { "a", "bxyz", "c", "D", "e" })
  equal(nvim:outcome(1), { "done", "merged" })
end)

test("a reply at a bad moment waits for a good one", function()
  local nvim = with_late_merges()
  nvim:type("4GAx<Esc>G")
  nvim:answer(1, { "B", "c", "d" })
  nvim:type("d")
  nvim:host("deliver", "merged")
  equal(nvim:job(1).status, "ready")
  nvim:type("k")
  nvim:eventually("it is asked once more", "return #require('support.host').received('merge') == 2")
  nvim:host("deliver", "merged")
  equal(nvim:lines(), { "a", "B", "c" })
  equal(asked(nvim)[2][3], { "b", "c" }, "the last row was deleted, with the one below it")
end)

test("a host that is lost over a merge is asked again, and at its second end the answer is held", function()
  local nvim = with_late_merges()
  nvim:type("2GAx<Esc>")
  nvim:answer(1, { "b", "c", "D" })
  nvim:host("die")
  nvim:eventually("the next host is asked", "return #require('support.host').received('merge') == 2")
  nvim:host("deliver", "merged")
  equal(nvim:outcome(1), { "done", "merged" })

  nvim = with_late_merges()
  nvim:type("2GAx<Esc>")
  nvim:answer(1, { "b", "c", "D" })
  nvim:host("die")
  nvim:eventually("the next host is asked", "return #require('support.host').received('merge') == 2")
  nvim:host("die")
  nvim:eventually("the answer is held", "return require('botglue').job(1).landing")
  equal(nvim:outcome(1), { "done", "held", "conflict" })
  equal(nvim:host("count", "BotglueJobFinished", 1), 1)
end)

test("a host that does not reply holds up nothing for ever", function()
  local nvim = with_late_merges()
  nvim:lua("require('botglue.client').connection().merged_within = 10")
  nvim:type("2GAx<Esc>")
  nvim:answer(1, { "b", "c", "D" })
  nvim:eventually("the answer is held", "return require('botglue').job(1).landing")
  equal(nvim:outcome(1), { "done", "held", "conflict" })
end)

test("characters and blocks that were edited inside are held, and no merge is asked for", function()
  for _, kind in ipairs({ "char", "block" }) do
    local nvim = child.with_host({ "one two", "one two" })
    nvim:run({ kind = kind, first = { 1, 0 }, last = { 2, 2 } })
    nvim:type("ggaX<Esc>")
    nvim:answer(1, { "1", "2" })
    equal(nvim:outcome(1), { "done", "held", "conflict" }, kind)
    equal(asked(nvim), {}, kind)
  end
end)

test("a held answer is told of once it is on the disk", function()
  local nvim = with_job()
  nvim:host("hold", "kept")
  nvim:answer(1, { "B" }, { held_for = "ambiguous" })
  nvim:ticks(2)
  equal(nvim:host("received", "landed"), { { id = 1, landing = "held", held_for = "ambiguous" } })
  equal({ nvim:job(1).landing, nvim:host("count", "BotglueJobFinished", 1) }, { nil, 0 })
  nvim:host("deliver", "kept")
  equal(nvim:outcome(1), { "done", "held", "ambiguous" })
  equal(nvim:host("count", "BotglueJobFinished", 1), 1)
end)

test("a disk that takes long, and a host that is lost, keep no held answer a secret", function()
  for what, code in pairs({
    ["the disk is slow"] = "require('botglue.client').connection().kept_within = 10",
    ["the host is lost"] = "_G.dies = true",
  }) do
    local nvim = with_job()
    nvim:host("hold", "kept")
    nvim:lua(code)
    nvim:answer(1, { "B" }, { held_for = "ambiguous" })
    nvim:lua("if dies then require('support.host').die() end")
    nvim:eventually(what, "return require('botglue').job(1).status == 'done'")
    equal(nvim:outcome(1), { "done", "held", "ambiguous" })
  end
end)

test("that a long answer has landed is told before its rows", function()
  local nvim = with_job()
  local row = ("long "):rep(10000)
  nvim:answer(1, { row })
  equal(nvim:host("received", "landed")[1].rows, nil)
  equal(nvim:host("received", "landed")[1].landing, "applied")
  local stands = nvim:host("received", "stands")[1]
  equal({ stands.landing, #stands.rows, #stands.rows[1] }, { "applied", 1, #row })
end)

test("what a host was told just before it died, the next one is told again", function()
  local nvim = with_job()
  nvim:answer(1, { "B" })
  equal(#nvim:host("received", "landed"), 1)
  nvim:host("die")
  nvim:run(line(1, 1))
  local landed = nvim:host("received", "landed")
  equal({ #landed, landed[2] }, { 2, landed[1] })
end)

test("what a host could not be told any more, a new one is", function()
  for _, starts in ipairs({ true, false }) do
    local nvim = with_job()
    nvim:type("v")
    nvim:answer(1, { "B" })
    nvim:host("die")
    equal(nvim:job(1).status, "ready", "the answer is here, the host is not needed for it")
    if not starts then
      nvim:lua("_G.jobstart = vim.fn.jobstart; vim.fn.jobstart = function() return 0 end")
    end
    nvim:type("<Esc>")
    nvim:eventually("the answer lands", "return require('botglue').job(1).status == 'done'")
    if not starts then
      nvim:lua("vim.fn.jobstart = _G.jobstart")
      nvim:run(line(1, 1))
    end
    nvim:eventually("it is told", "return #require('support.host').received('landed') > 0")
    local landed = nvim:host("received", "landed")
    equal({ #landed, landed[1].id, landed[1].landing, landed[1].rows }, { 1, 1, "applied", { "B" } })
  end
end)

--- What becomes of an answer for rows 2 and 3 after Lua in the child.
local function replaced(name, lines, code, expected, after)
  local nvim = child.with_host(lines)
  nvim:lua("_G.file = vim.fn.tempname(); vim.cmd('silent write ' .. file)")
  nvim:run(line(2, 3))
  nvim:settle()
  nvim:lua(code)
  nvim:settle()
  nvim:answer(1, { "NEW" })
  equal(nvim:outcome(1), expected, name)
  equal(nvim:lines(), after, name)
end

test("rows that come up from below when the last ones are deleted do not belong to the range", function()
  local function current(keys, expected, lines)
    local nvim = child.with_host(lines or { "a", "b", "c", "d", "e", "f" })
    nvim:run(line(2, 4))
    nvim:type(keys)
    nvim:answer(1, { "x" })
    equal(asked(nvim)[1][3], expected, keys)
  end
  current("4Gdd", { "b", "c" })
  current("4G2dd", { "b", "c" })
  current("4G3dd", { "b", "c" })
  current("4GD", { "b", "c", "" })
  current("4GDix<Esc>", { "b", "c", "x" })
  current("4Gdd", { "b", "c" }, { "a", "b", "c", "d", "" })
  current("4GD", { "b", "c", "" }, { "a", "b", "c", "d", "" })
  current("2GAx<Esc>4Gix<Esc>", { "bx", "c", "x" }, { "a", "b", "c", "", "e" })
  current("4Gdd", { "b", "c" }, { "a", "b", "c", "", "e" })
  current("1G2dd", { "c", "d" })
  current("4GrX", { "b", "c", "X" })
  current("4GJ", { "b", "c", "d e" })
  current(":2,4move $<CR>GrX", { "b", "c", "X" })
  current(":2,4move 0<CR>1GrX", { "X", "c", "d" })
  current("4Gddu4GrX", { "b", "c", "X" })
end)

local applied = { "done", "applied" }
local lost = { "done", "held", "range_lost" }

test("a range whose surroundings were replaced is found again by its text", function()
  local lines, after = { "{", "one()", "two()", "}" }, { "-- new", "{", "NEW", "}" }
  local set = [[vim.api.nvim_buf_set_lines(0, 0, -1, true, { "-- new", "{", "one()", "two()", "}" })]]
  replaced("set_lines", lines, set, applied, after)
  replaced("set_lines, and back", lines, set .. " vim.cmd.undo()", applied, { "{", "NEW", "}" })
  replaced("set_lines twice", lines, set .. " vim.cmd('1delete') " .. set, applied, after)
  replaced(
    "set_text",
    lines,
    [[vim.api.nvim_buf_set_text(0, 0, 0, 3, 1, { "-- new", "{", "one()", "two()", "}" })]],
    applied,
    after
  )
  replaced("a filter", lines, [[vim.cmd("silent %!sed '1i -- new'")]], applied, after)
  replaced("a part of the buffer", lines, [[vim.cmd("silent 1,3!cat")]], applied, { "{", "NEW", "}" })
  replaced(
    "read again",
    lines,
    [[vim.fn.writefile({ "-- new", "{", "one()", "two()", "}" }, file) vim.cmd("edit!")]],
    applied,
    after
  )
  replaced(
    "read again twice, the text back the second time",
    lines,
    [[
      vim.fn.writefile({ "x", "y" }, file) vim.cmd("edit!")
      vim.fn.writefile({ "-- new", "{", "one()", "two()", "}" }, file) vim.cmd("edit!")
    ]],
    applied,
    after
  )
end)

test(
  "an insertion whose surroundings were replaced is found again by the lines that it goes between",
  function()
    local function replaced_around(after, new, expected, lines)
      local nvim = child.with_host({ "{", "one()", "two()", "}" })
      nvim:run({ kind = "insert", first = { after } })
      nvim:settle()
      nvim:lua("vim.api.nvim_buf_set_lines(0, 0, -1, true, ...)", new)
      nvim:settle()
      nvim:answer(1, { "NEW" })
      equal({ nvim:outcome(1), nvim:lines() }, { expected, lines })
    end
    local formatted, apart = { "-- new", "{", "one()", "two()", "}" }, { "one()", "-- new", "two()", "}" }
    replaced_around(2, formatted, applied, { "-- new", "{", "one()", "NEW", "two()", "}" })
    replaced_around(2, apart, lost, apart)
    replaced_around(4, formatted, lost, formatted)
    local twice = { "x", "one()", "two()", "one()", "two()" }
    replaced_around(2, twice, lost, twice)
  end
)

test("it is not found where there is any doubt", function()
  local set = "vim.api.nvim_buf_set_lines(0, 0, -1, true, { %s })"
  local function doubt(name, lines, new)
    local quoted = table.concat(vim.tbl_map(vim.inspect, new), ", ")
    replaced(name, lines, set:format(quoted), lost, new)
  end
  doubt("it stood twice", { "{", "one()", "two()", "one()", "two()" }, { "-- new", "one()", "two()" })
  doubt("it stands twice", { "{", "one()", "two()", "}" }, { "one()", "two()", "one()", "two()" })
  doubt("it is no more", { "{", "one()", "two()", "}" }, { "{", "one()", "", "two()", "}" })
  doubt("it says too little", { "{", "}", "", "x" }, { "-- new", "{", "}", "", "x" })
end)

test("what the user deleted is never looked for", function()
  local lines = { "{", "one()", "two()", "}" }
  replaced("moved by hand", lines, [[vim.cmd("normal! 2G2ddGp")]], lost, { "{", "}", "one()", "two()" })
  replaced(
    "copied, then deleted",
    lines,
    [[vim.cmd("2,3copy $") vim.cmd("2,3delete")]],
    lost,
    { "{", "}", "one()", "two()" }
  )
  replaced(
    "deleted, then the rest formatted",
    lines,
    [[
      vim.cmd("2,3delete")
      vim.api.nvim_buf_set_lines(0, 0, -1, true, { "{", "}", "one()", "two()" })
    ]],
    lost,
    { "{", "}", "one()", "two()" }
  )
  replaced("put back", lines, [[vim.cmd("normal! 2G2ddu")]], applied, { "{", "NEW", "}" })
  replaced("joined, and taken back", lines, [[vim.cmd("1,4join | undo")]], applied, { "{", "NEW", "}" })
  replaced(
    "joined, and taken back below another line",
    lines,
    [[vim.cmd("1,4join | undo | 1s/{/[/")]],
    lost,
    { "[", "one()", "two()", "}" }
  )
end)

test("a short row that is put back between its neighbours is known again", function()
  local LINES = { "{", "one", "}", "{", "two", "}" }
  local ranges = {
    { kind = "line", first = { 2 }, last = { 2 } },
    { kind = "char", first = { 2, 0 }, last = { 2, 1 } },
    { kind = "insert", first = { 2 } },
  }
  local answered = {
    { "{", "NEW", "}", "{", "two", "}" },
    { "{", "NEWe", "}", "{", "two", "}" },
    { "{", "one", "NEW", "}", "{", "two", "}" },
  }
  local function put_back(keys, lines, is_known, after)
    for i, range in ipairs(ranges) do
      local nvim = child.with_host(lines or LINES)
      nvim:run(range)
      nvim:settle()
      nvim:type(keys)
      nvim:settle()
      local now = nvim:lines()
      nvim:answer(1, { "NEW" })
      local what = { nvim:outcome(1), nvim:lines() }
      equal(what, is_known and { applied, after or answered[i] } or { lost, now }, keys .. " " .. range.kind)
    end
  end
  put_back("2Gddu", nil, true)
  put_back("2GddP", nil, true)
  put_back("2GJu", nil, true)
  put_back("1G3Ju", nil, true)
  put_back("1G3JuddP", nil, true)
  -- Nothing tells which of them it is, or that it is the same.
  table.remove(ranges)
  put_back("2Gddjp", nil, false)
  put_back("2GddP1GrX", nil, false)
  put_back("2GddGp", nil, false)
  put_back("2Gdd", { "{", "one", "}", "{", "one", "}" }, false)
end)

test("a part of a row is found again with its row", function()
  local nvim = child.with_host({ "local value = one", "return value" })
  nvim:run({ kind = "char", first = { 1, 14 }, last = { 1, 16 } })
  nvim:settle()
  nvim:lua([[vim.api.nvim_buf_set_lines(0, 0, -1, true, { "-- new", "local value = one", "return value" })]])
  nvim:settle()
  nvim:answer(1, { "two" })
  equal(nvim:outcome(1), lost, "one row of 17 characters says too little")

  nvim = child.with_host({ "local long_value = one", "return value" })
  nvim:run({ kind = "char", first = { 1, 19 }, last = { 1, 21 } })
  nvim:settle()
  nvim:lua(
    [[vim.api.nvim_buf_set_lines(0, 0, -1, true, { "-- new", "local long_value = one", "return value" })]]
  )
  nvim:settle()
  equal(nvim:job(1).first_line, 2, "it is marked there")
  nvim:answer(1, { "two" })
  equal(nvim:outcome(1), applied)
  equal(nvim:lines(), { "-- new", "local long_value = two", "return value" })
end)

test("rows of any bytes are merged, though the host takes only UTF-8", function()
  local nvim = with_late_merges()
  nvim:lua("vim.api.nvim_buf_set_lines(0, 1, 2, true, { 'caf\\233 \\239\\183\\144' })")
  nvim:answer(1, { "b", "c", "D" })
  local question = nvim:host("received", "merge")[1]
  local row = question.current[1]
  equal({ vim.startswith(row, "\239\183\144"), row:find("\233") }, { true })
  equal({ question.base, question.answer }, { { "b", "c", "d" }, { "b", "c", "D" } })
  nvim:host("deliver", "merged")
  equal(nvim:lines(), { "a", "caf\233 \239\183\144", "c", "D", "e" })
  equal(nvim:outcome(1), { "done", "merged" })
end)
