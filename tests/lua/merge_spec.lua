local child = require("support.child")
local suite = require("support.suite")
local test, equal = suite.test, suite.equal
local line = child.line

--- A child with a job on rows 2 to 4 of five.
local function with_job(options)
  return child.with_job({ "a", "b", "c", "d", "e" }, line(2, 4), options)
end

test("an edit inside the range is merged with the answer, as one undo step", function()
  for keys, merged in pairs({
    ["2GA -- mine<Esc>"] = { "a", "b -- mine", "c", "D", "e" },
    ["2GImine <Esc>"] = { "a", "mine b", "c", "D", "e" },
    ["2Gobetween<Esc>"] = { "a", "b", "between", "c", "D", "e" },
    ["2Gdd"] = { "a", "c", "D", "e" },
  }) do
    local nvim = with_job()
    nvim:type(keys)
    local before = nvim:lines()
    nvim:answer(1, { "b", "c", "D" })
    equal({ nvim:outcome(1), nvim:lines() }, { { "done", "merged" }, merged }, keys)
    nvim:type("u")
    equal(nvim:lines(), before, keys)
    nvim:type("u")
    equal(nvim:lines(), { "a", "b", "c", "d", "e" }, keys)
  end
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

test("what is typed while the answer is decided has it decided again", function()
  local nvim = with_job()
  nvim:lua([[
    local call, write = require("botglue.editor.write"), require("botglue.editor.write").write
    _G.states = {}
    call.write = function(steps, around)
      if #states == 0 then
        vim.api.nvim_buf_set_text(0, 1, 1, 1, 1, { "x" })
      end
      local reply = write(steps, around)
      table.insert(states, reply.state)
      return reply
    end
  ]])
  nvim:answer(1, { "b", "c", "D" })
  equal(nvim:lines(), { "a", "bx", "c", "D", "e" })
  equal(nvim:outcome(1), { "done", "merged" })
  equal(nvim:lua("return states"), { "stale", "done" })
end)

test("what is typed until the moment is safe is in the merge", function()
  local nvim = with_job()
  nvim:type("4GAx<Esc>Gd")
  nvim:answer(1, { "B", "c", "d" })
  equal(nvim:job(1).status, "ready")
  nvim:type("k")
  nvim:eventually("the answer lands", "return require('botglue').job(1).status == 'done'")
  equal(nvim:lines(), { "a", "B", "c" }, "the last row was deleted, with the one below it")
  equal(nvim:outcome(1), { "done", "merged" })
end)

test("a decision that no host can be told is refused, and the next one takes it", function()
  local nvim = with_job({ review = true })
  nvim:answer(1, { "B" })
  nvim:lua("_G.jobstart = vim.fn.jobstart; vim.fn.jobstart = function() return 0 end")
  nvim:host("die")
  local refused = nvim:lua("return { pcall(require('botglue').reject, 1) }")
  suite.contains(refused[2], "host could not be started")
  equal(nvim:job(1).landing, "held")
  nvim:lua("vim.fn.jobstart = _G.jobstart")
  nvim:lua("require('botglue').reject(1)")
  equal(nvim:job(1).landing, "rejected")
end)

test("characters and blocks that were edited inside are held", function()
  for _, kind in ipairs({ "char", "block" }) do
    local nvim = child.with_host({ "one two", "one two" })
    nvim:run({ kind = kind, first = { 1, 0 }, last = { 2, 2 } })
    nvim:type("ggaX<Esc>")
    nvim:answer(1, { "1", "2" })
    equal(nvim:outcome(1), { "done", "held", "conflict" }, kind)
    equal(nvim:lines(), { "oXne two", "one two" }, kind)
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
  local function replaces(keys, expected, lines)
    local nvim = child.with_host(lines or { "a", "b", "c", "d", "e", "f" })
    nvim:run(line(2, 4))
    nvim:type(keys)
    nvim:answer(1, { "NEW" })
    equal(nvim:outcome(1), { "done", "held", "conflict" }, keys)
    nvim:play(":Botglue accept 1<CR>", ":Botglue accept 1<CR>")
    equal(nvim:api("buf_get_lines", 1, 0, -1, true), expected, keys)
  end
  replaces("4Gdd", { "a", "NEW", "e", "f" })
  replaces("4G2dd", { "a", "NEW", "f" })
  replaces("4G3dd", { "a", "NEW" })
  replaces("4GD", { "a", "NEW", "e", "f" })
  replaces("4GDix<Esc>", { "a", "NEW", "e", "f" })
  replaces("4Gdd", { "a", "NEW", "" }, { "a", "b", "c", "d", "" })
  replaces("4GD", { "a", "NEW", "" }, { "a", "b", "c", "d", "" })
  replaces("2GAx<Esc>4Gix<Esc>", { "a", "NEW", "x", "e" }, { "a", "b", "c", "", "e" })
  replaces("4Gdd", { "a", "NEW", "e" }, { "a", "b", "c", "", "e" })
  replaces("1G2dd", { "NEW", "e", "f" })
  replaces("4GrX", { "a", "NEW", "e", "f" })
  replaces("4GJ", { "a", "NEW", "f" })
  replaces(":2,4move $<CR>GrX", { "a", "e", "f", "NEW" })
  replaces(":2,4move 0<CR>1GrX", { "NEW", "a", "e", "f" })
  replaces("4Gddu4GrX", { "a", "NEW", "e", "f" })
end)

local applied = { "done", "applied" }
local lost = { "done", "held", "range_lost" }

test("a range is the same rows after all around it was replaced", function()
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
  "an insertion is between the same rows, or below the one above it, after all around it was replaced",
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
    replaced_around(2, apart, applied, { "one()", "NEW", "-- new", "two()", "}" })
    replaced_around(4, formatted, applied, { "-- new", "{", "one()", "two()", "}", "NEW" })
    local twice = { "x", "one()", "two()", "one()", "two()" }
    replaced_around(2, twice, lost, twice)
  end
)

test("a range is not taken for other rows that read the same", function()
  local set = "vim.api.nvim_buf_set_lines(0, 0, -1, true, { %s })"
  local function becomes(name, lines, new, expected, after)
    local quoted = table.concat(vim.tbl_map(vim.inspect, new), ", ")
    replaced(name, lines, set:format(quoted), expected or lost, after or new)
  end
  becomes("it stood twice", { "{", "one()", "two()", "one()", "two()" }, { "-- new", "one()", "two()" })
  becomes("it stands twice", { "{", "one()", "two()", "}" }, { "one()", "two()", "one()", "two()" })
  becomes(
    "a row came between",
    { "{", "one()", "two()", "}" },
    { "{", "one()", "", "two()", "}" },
    { "done", "held", "conflict" }
  )
  becomes(
    "its rows go with their neighbours",
    { "{", "}", "", "x" },
    { "-- new", "{", "}", "", "x" },
    applied,
    { "-- new", "{", "NEW", "", "x" }
  )
end)

test("rows that the user deleted are the same rows where they are put back, and copies are not", function()
  local lines = { "{", "one()", "two()", "}" }
  replaced("moved by hand", lines, [[vim.cmd("normal! 2G2ddGp")]], applied, { "{", "}", "NEW" })
  replaced(
    "copied, and deleted with the next change: moved",
    lines,
    [[vim.cmd("2,3copy $") vim.cmd("2,3delete")]],
    applied,
    { "{", "}", "NEW" }
  )
  replaced(
    "copied, and deleted later",
    lines,
    [[vim.cmd("2,3copy $") vim.cmd("1s/$/ x/") vim.cmd("2,3delete")]],
    lost,
    { "{ x", "}", "one()", "two()" }
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
    applied,
    { "[", "NEW", "}" }
  )
end)

test("a short row that is put back is known again where no other row reads so", function()
  local LINES = { "{", "one", "}", "{", "two", "}" }
  local RANGES = {
    { kind = "line", first = { 2 }, last = { 2 } },
    { kind = "char", first = { 2, 0 }, last = { 2, 1 } },
    { kind = "insert", first = { 2 } },
  }
  --- What the answer to each of the ranges leaves; nothing where the range is lost.
  local function put_back(keys, expected, lines)
    for i, range in ipairs(RANGES) do
      local nvim = child.with_job(lines or LINES, range)
      nvim:play(keys)
      local now = nvim:lines()
      nvim:answer(1, { "NEW" })
      equal(
        { nvim:outcome(1), nvim:lines() },
        expected[i] and { applied, expected[i] } or { lost, now },
        keys .. " " .. range.kind
      )
    end
  end
  local answered = {
    { "{", "NEW", "}", "{", "two", "}" },
    { "{", "NEWe", "}", "{", "two", "}" },
    { "{", "one", "NEW", "}", "{", "two", "}" },
  }
  put_back("2Gddu", answered)
  put_back("2GddP", answered)
  put_back("2GJu", answered)
  put_back("1G3Ju", answered)
  put_back("1G3JuddP", answered)
  put_back("2GddP1GrX", {
    { "X", "NEW", "}", "{", "two", "}" },
    { "X", "NEWe", "}", "{", "two", "}" },
    { "X", "one", "NEW", "}", "{", "two", "}" },
  })
  -- A row takes its answer along. An insertion was between two rows, and these are apart.
  put_back("2Gddjp", { { "{", "}", "{", "NEW", "two", "}" }, { "{", "}", "{", "NEWe", "two", "}" } })
  put_back("2GddGp", { { "{", "}", "{", "two", "}", "NEW" }, { "{", "}", "{", "two", "}", "NEWe" } })
  -- Nothing tells which of two rows that read the same it is.
  table.remove(RANGES)
  put_back("2Gdd", {}, { "{", "one", "}", "{", "one", "}" })
  put_back("2GddP", {}, { "{", "one", "}", "{", "one", "}" })
end)

test("a part of a row goes along with its row after all around it was replaced", function()
  local nvim = child.with_job({ "local value = one", "return value" }, {
    kind = "char",
    first = { 1, 14 },
    last = { 1, 16 },
  })
  nvim:set_lines({ "-- new", "local value = one", "return value" })
  equal(nvim:job(1).first_line, 2, "it is marked there")
  nvim:answer(1, { "two" })
  equal(nvim:outcome(1), applied)
  equal(nvim:lines(), { "-- new", "local value = two", "return value" })
end)

test("rows of any bytes are merged", function()
  local nvim = with_job()
  nvim:lua("vim.api.nvim_buf_set_lines(0, 1, 2, true, { 'caf\\233 \\239\\183\\144' })")
  nvim:answer(1, { "b", "c", "D" })
  equal(nvim:lines(), { "a", "caf\233 \239\183\144", "c", "D", "e" })
  equal(nvim:outcome(1), { "done", "merged" })
end)
