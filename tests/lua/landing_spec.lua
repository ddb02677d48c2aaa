local child = require("support.child")
local suite = require("support.suite")
local test, equal = suite.test, suite.equal
local line, with_job = child.line, child.with_job

test("a linewise answer lands in its range, which has moved down", function()
  local nvim = child.with_host({ "one", "two", "three", "four" })
  nvim:type(":2,3Botglue run change it<CR>")
  nvim:type("ggOabove<Esc>")
  nvim:answer(1, { "TWO", "AND", "THREE" })
  equal(nvim:lines(), { "above", "one", "TWO", "AND", "THREE", "four" })
  local job = nvim:job(1)
  equal({ job.status, job.landing, job.first_line, job.last_line }, { "done", "applied", 3, 5 })
  equal(nvim:host("count", "BotglueJobFinished", 1), 1)
  nvim:type("u")
  equal(nvim:lines(), { "above", "one", "two", "three", "four" })
end)

test("a request while the text is mirrored already, as when a prompt is open", function()
  local nvim = child.with_host({ "f(a, b)", "ab", "cd", "end" })
  nvim:lua([[
    require("botglue.host.client").connect(require("botglue.host.client").options())
    require("botglue.host.attach").want(vim.api.nvim_get_current_buf())
    require("botglue.host.query").ask("mirror", { buffer = vim.api.nvim_get_current_buf() }, function(mirror)
      _G.mirrored = mirror.link
    end)
  ]])
  nvim:eventually("the text is mirrored", "return _G.mirrored == 'sure'")
  nvim:run({ kind = "char", first = { 1, 2 }, last = { 1, 2 } })
  nvim:run({ kind = "block", first = { 2, 0 }, last = { 3, 0 } })
  nvim:run({ kind = "insert", first = { 4 } })
  nvim:type("ggOabove<Esc>")
  nvim:answer(1, { "xyz" })
  nvim:answer(2, { "1", "2" })
  nvim:answer(3, { "new" })
  equal(nvim:lines(), { "above", "f(xyz, b)", "1b", "2d", "end", "new" })
  for id = 1, 3 do
    equal(nvim:outcome(id), { "done", "applied" })
  end
end)

test("answers that are ready together land together, each as a step of its own", function()
  local nvim = child.with_host({ "one", "two", "three", "four", "five" })
  for id = 1, 3 do
    nvim:run(line(2 * id - 1, 2 * id - 1))
  end
  nvim:lua([[
    _G.steps = {}
    local write = require("botglue.editor.write").write
    require("botglue.editor.write").write = function(call, around)
      local reply = write(call, around)
      -- A call that is refused, as in the middle of a selection, has no steps.
      if reply.steps then table.insert(steps, #reply.steps) end
      return reply
    end
  ]])
  nvim:type("v")
  for id, text in ipairs({ "ONE", "THREE", "FIVE" }) do
    nvim:answer(id, { text })
    equal(nvim:job(id).status, "ready")
  end
  nvim:type("<Esc>")
  for id = 1, 3 do
    nvim:eventually("it lands", "return require('botglue').job(...).status == 'done'", id)
  end
  equal(nvim:lines(), { "ONE", "two", "THREE", "four", "FIVE" })
  equal(nvim:lua("return steps"), { 3 })
  nvim:type("u")
  equal(#vim.tbl_filter(function(row)
    return row:match("^%u+$")
  end, nvim:lines()), 2)
  nvim:type("uu")
  equal(nvim:lines(), { "one", "two", "three", "four", "five" })
end)

test("rows are added, taken away and inserted between", function()
  local function land(range, edits, expected)
    local nvim = with_job({ "a", "b", "c" }, range)
    nvim:answer(1, { "?" }, { edits = edits })
    equal(nvim:lines(), expected, vim.inspect(edits))
    equal(nvim:outcome(1), { "done", "applied" })
  end
  land(line(1, 3), { { first = 3, last = 3, lines = { "d", "e" } } }, { "a", "b", "c", "d", "e" })
  land(line(1, 3), { { first = 0, last = 0, lines = { "-" } } }, { "-", "a", "b", "c" })
  land(line(1, 3), { { first = 1, last = 2, lines = {} } }, { "a", "c" })
  land(line(1, 3), { { first = 2, last = 3, lines = {} } }, { "a", "b" })
  land(line(1, 3), { { first = 0, last = 3, lines = {} } }, { "" })
  land(line(1, 2), { { first = 0, last = 2, lines = {} } }, { "c" })
  land(line(2, 3), { { first = 0, last = 2, lines = {} } }, { "a" })
  land(
    line(2, 2),
    { { first = 1, last = 1, lines = { "x" } }, { first = 1, last = 1, lines = {} } },
    { "a", "b", "x", "c" }
  )
end)

test("an empty answer deletes the rows, and says where they were", function()
  local nvim = with_job({ "a", "b", "c" }, line(2, 3))
  nvim:answer(1, {})
  equal(nvim:lines(), { "a" })
  local job = nvim:job(1)
  equal({ job.landing, job.first_line, job.last_line }, { "applied", 1, 1 })
end)

test("characters are replaced where they have moved to", function()
  local nvim = with_job({ "x = größe + 1", "y" }, { kind = "char", first = { 1, 4 }, last = { 1, 10 } })
  nvim:type("gg0inew <Esc>A // end<Esc>")
  nvim:answer(1, { "a(", "  b)" })
  equal(nvim:lines(), { "new x = a(", "  b) + 1 // end", "y" })
  local job = nvim:job(1)
  equal({ job.first_line, job.last_line }, { 1, 2 })
end)

test("somebody else's listener that fails leaves no half of an answer", function()
  for _, listener in ipairs({ "on_lines", "on_bytes" }) do
    local nvim = with_job({ "a", "b", "c" }, line(1, 3))
    nvim:lua("vim.api.nvim_buf_attach(0, false, { [...] = function() error('theirs') end })", listener)
    nvim:answer(1, { "A", "b", "C" }, {
      edits = { { first = 0, last = 1, lines = { "A" } }, { first = 2, last = 3, lines = { "C" } } },
    })
    equal(nvim:lines(), { "A", "b", "C" }, listener)
    equal(nvim:outcome(1), { "done", "applied" }, listener)
  end
end)

test("an empty answer takes characters away", function()
  local nvim = with_job({ "one two three" }, { kind = "char", first = { 1, 3 }, last = { 1, 6 } })
  nvim:answer(1, {})
  equal(nvim:lines(), { "one three" })
end)

test("a block is replaced row by row", function()
  local nvim = with_job({ "ab12cd", "ef34gh", "i" }, { kind = "block", first = { 1, 2 }, last = { 3, 0 } })
  equal(nvim:host("received", "run")[1].selection.text, { "ab1", "ef3", "i" })
  nvim = with_job({ "ab12cd", "ef34gh", "i", "jk56" }, { kind = "block", first = { 1, 2 }, last = { 4, 3 } })
  nvim:type("ggOabove<Esc>jIxx<Esc>")
  nvim:answer(1, { "one", "", "three", "4" })
  equal(nvim:lines(), { "above", "xxabonecd", "efgh", "i three", "jk4" })
  equal(nvim:outcome(1), { "done", "applied" })
end)

test("a block behind the ends of its rows begins at its column", function()
  local nvim = child.with_host({ "one", "twelve", "", "a\tb" })
  nvim:type(":set virtualedit=all tabstop=8<CR>gg8l<C-v>3j2l:Botglue run it<CR>")
  local selection = nvim:host("received", "run")[1].selection
  equal({ selection.text, selection.column }, { { "", "", "", "b" }, 8 })
  nvim:answer(1, { "1", "2", "", "4" })
  equal(nvim:lines(), { "one     1", "twelve  2", "", "a\t4" })
  equal(nvim:outcome(1), { "done", "applied" })
  nvim:type("gg020l<C-v>j2l:Botglue run it<CR>")
  nvim:answer(2, { "x", "y" })
  equal(nvim:lines(), { "one     1           x", "twelve  2           y", "", "a\t4" })
  nvim:type(":Botglue revert 2<CR>")
  equal(nvim:lines(), { "one     1", "twelve  2", "", "a\t4" })
end)

test("a row with a NUL that ends before the block is filled up by its cells", function()
  local nvim = child.with_host({ "abcdef", "x\0", "abcdef" })
  nvim:run({ kind = "block", first = { 1, 4 }, last = { 3, 5 } })
  nvim:answer(1, { "E", "F", "G" })
  equal({ nvim:job(1).landing, nvim:lines() }, { "applied", { "abcdE", "x\0 F", "abcdG" } })
end)

test("a row of a block that the answer leaves as it was keeps what was typed there", function()
  for keys, row in pairs({ ["2GAxyz<Esc>"] = "exyz", ["2GAx<Esc>"] = "ex" }) do
    local nvim = with_job({ "abcd", "e", "fghi" }, { kind = "block", first = { 1, 2 }, last = { 3, 3 } })
    nvim:type(keys)
    nvim:answer(1, { "12", "", "34" })
    equal(nvim:outcome(1), { "done", "held", "conflict" }, keys)
    equal(nvim:lines(), { "abcd", row, "fghi" }, keys)
    nvim:play(":Botglue accept 1<CR>", ":Botglue accept 1<CR>")
    equal(nvim:api("buf_get_lines", 1, 0, -1, true), { "ab12", row, "fg34" }, keys)
  end
end)

test("what is typed where nothing was selected is not written over, nor written to", function()
  for _, kind in ipairs({ "char", "block" }) do
    local nvim = with_job({ "a", "", "c" }, { kind = kind, first = { 2, 0 }, last = { 2, 0 } })
    nvim:type("2Gitext<Esc>")
    nvim:answer(1, { "answer" })
    equal(nvim:outcome(1), { "done", "held", "conflict" }, kind)
    equal(nvim:lines(), { "a", "text", "c" }, kind)
  end
end)

--- An answer to an insertion below a row lands there, and the job is where it landed.
local function insert(lines, at, expected, keys)
  local nvim = with_job(lines, { kind = "insert", first = { at } })
  nvim:type(keys or "")
  nvim:answer(1, { "1", "2" })
  equal(nvim:lines(), expected, ("below %d, after %s"):format(at, keys or "nothing"))
  equal(nvim:outcome(1), { "done", "applied" })
  local job = nvim:job(1)
  equal(vim.list_slice(expected, job.first_line, job.last_line), { "1", "2" })
end

test("insertions", function()
  insert({ "a", "b" }, 1, { "a", "1", "2", "b" })
  insert({ "a", "b" }, 0, { "1", "2", "a", "b" })
  insert({ "a", "b" }, 2, { "a", "b", "1", "2" })
  insert({ "a", "b" }, 1, { "x", "a", "1", "2", "b" }, "ggOx<Esc>")
  insert({ "a", "b" }, 1, { "a", "1", "2", "x", "b" }, "ggox<Esc>")
  insert({ "a", "b" }, 1, { "ay", "1", "2", "x", "b" }, "ggAy<Esc>ox<Esc>")
  insert({ "a", "b", "c" }, 1, { "1", "2", "b", "c" }, "ggdd")
  insert({ "a", "b", "c" }, 1, { "a", "1", "2", "c" }, "2Gdd")
  insert({ "a", "b", "c" }, 1, { "a b", "1", "2", "c" }, "ggJ")
  insert({ "a", "", "c" }, 2, { "a", "1", "2", "c" }, "2Gdd")
  insert({ "a", "" }, 2, { "a", "typed", "1", "2" }, "Gityped<Esc>")
  -- Rows put in place of the one below, and the row that it goes below deleted with the first of them.
  local put = ":lua vim.api.nvim_buf_set_lines(0, 1, 2, true, { 'x', 'b' })<CR>"
  insert({ "a", "b", "c" }, 1, { "a", "1", "2", "x", "b", "c" }, put)
  insert({ "a", "b", "c" }, 1, { "1", "2", "b", "c" }, put .. "ggdj")
  insert({ "a", "", "c" }, 1, { "", "1", "2", "", "c" }, "ggD")
end)

test("an insertion into an empty buffer takes the place of its empty row", function()
  insert({ "" }, 1, { "1", "2" })
  insert({ "" }, 0, { "1", "2" })
end)

test("an insertion below a row that the user splits goes below all of it", function()
  insert({ "f(a, b)", "c" }, 1, { "f(a,", "b)", "1", "2", "c" }, "gg0f,a<CR><Esc>")
  -- At its end nothing is split off it: a row is put in, as with `o`.
  insert({ "a", "b" }, 1, { "ay", "1", "2", "x", "b" }, "ggAy<CR>x<Esc>")
  insert({ "a", "b" }, 2, { "a", "bx", "1", "2", "y", "z" }, "GAx<CR>y<Esc>oz<Esc>")
  insert({ "a", "b" }, 1, { "ax", "1", "2", "y", "bz" }, "ggAx<CR>y<Esc>jAz<Esc>")
end)

test("an insertion at an end of the buffer stays there where the row beside it is gone", function()
  insert(
    { "a", "b", "c" },
    0,
    { "1", "2", "x", "y", "z", "c" },
    ":lua vim.api.nvim_buf_set_text(0, 0, 0, 1, 1, { 'x', 'y', 'z' })<CR>"
  )
  insert({ "a", "b", "c" }, 0, { "1", "2", "b", "c" }, ":1delete<CR>")
  insert({ "a", "b", "c" }, 3, { "a", "b", "1", "2" }, ":3delete<CR>")
end)

test("an insertion stays below an empty row that was typed into, where a row is put in above that", function()
  local nvim = with_job({ "", "two", "" }, { kind = "insert", first = { 1 } })
  nvim:type("1GRone<Esc>3GddkP")
  nvim:answer(1, { "new" })
  equal(nvim:lines(), { "", "one", "new", "two" })
end)

test("rows put in above an empty last row belong to the range", function()
  local nvim = with_job({ "a", "b", "", "d" }, line(1, 3))
  nvim:type("2Gonew<Esc>")
  nvim:answer(1, { "A", "b", "", "" })
  equal(nvim:outcome(1), { "done", "merged" })
  equal(nvim:lines(), { "A", "b", "new", "", "d" })
  equal({ nvim:job(1).first_line, nvim:job(1).last_line }, { 1, 4 })
end)

test("an answer for the only row of an empty buffer that deletes it changes nothing", function()
  local nvim = with_job({ "" }, line(1, 1))
  nvim:answer(1, {}, { edits = { { first = 0, last = 1, lines = {} } } })
  equal(nvim:outcome(1), { "done", "unchanged" })
end)

test("an answer that equals the text changes nothing", function()
  local function unchanged(range, answer, more)
    local nvim = with_job({ "one", "two" }, range)
    local tick = nvim:lua("return vim.b.changedtick")
    nvim:answer(1, answer, more)
    equal(nvim:outcome(1), { "done", "unchanged" })
    equal(nvim:lua("return vim.b.changedtick"), tick)
  end
  unchanged(line(1, 2), { "one", "two" }, { edits = {} })
  unchanged(line(1, 2), { "one", "two" })
  unchanged({ kind = "char", first = { 1, 1 }, last = { 2, 0 } }, { "ne", "t" })
  unchanged({ kind = "block", first = { 1, 1 }, last = { 2, 1 } }, { "n", "w" })
end)

test("a read-only buffer is only text: written without the warning", function()
  local nvim = child.with_host({ "a" })
  nvim:lua("vim.cmd('silent file x | set nomodified readonly')")
  nvim:run(line(1, 1))
  nvim:answer(1, { "A" })
  equal(nvim:lines(), { "A" })
  equal(nvim:lua("return vim.bo.readonly"), true)
  equal(nvim:messages():find("W10"), nil)
end)

test("touching ranges do not mix, in whatever order they land", function()
  for _, order in ipairs({ { 1, 2, 3 }, { 3, 2, 1 }, { 2, 1, 3 }, { 2, 3, 1 } }) do
    local nvim = child.with_host({ "a", "b", "c" })
    for i = 1, 3 do
      nvim:run(line(i, i))
    end
    for _, id in ipairs(order) do
      nvim:answer(id, { id .. "x", id .. "y" })
    end
    equal(nvim:lines(), { "1x", "1y", "2x", "2y", "3x", "3y" })
    equal(nvim:job(2).first_line, 3)
  end
end)

test("a range within another one stays where it is when the other one lands", function()
  local nvim = child.with_host({ "a", "b", "c", "d" })
  nvim:run(line(2, 2))
  nvim:run({ kind = "char", first = { 1, 0 }, last = { 4, 0 } })
  nvim:answer(2, { "A", "b", "C", "d" })
  equal(nvim:lines(), { "A", "b", "C", "d" })
  nvim:answer(1, { "B" })
  equal(nvim:lines(), { "A", "B", "C", "d" })
  equal(nvim:job(1).landing, "applied")
end)

test("a range that was replaced by the same text is followed from there", function()
  local nvim = child.with_host({ "a" })
  nvim:run(line(1, 1))
  nvim:set_lines({ "a" })
  nvim:lua("vim.api.nvim_buf_set_lines(0, 0, 0, true, { 'new' })")
  nvim:answer(1, { "A" })
  equal(nvim:lines(), { "new", "A" })
end)

test("an answer that comes twice lands once", function()
  local nvim = with_job({ "a" }, line(1, 1))
  nvim:answer(1, { "A" })
  nvim:answer(1, { "AA" })
  equal(nvim:lines(), { "A" })
  equal(nvim:host("count", "BotglueJobFinished", 1), 1)
end)

test("an answer is held whatever goes wrong when it should land, and can be accepted then", function()
  local nvim = with_job({ "a", "b" }, line(1, 1))
  nvim:lua([[
    local call = require("botglue.editor.write")
    _G.write = call.write
    call.write = function()
      error("a fault", 0)
    end
  ]])
  nvim:answer(1, { "A" })
  equal({ nvim:job(1).landing, nvim:lines() }, { "held", { "a", "b" } })
  nvim:lua([[require("botglue.editor.write").write = write]])
  nvim:type(":Botglue accept 1<CR>")
  equal({ nvim:job(1).landing, nvim:lines() }, { "applied", { "A", "b" } })
end)

test("a hidden buffer gets its answer", function()
  local nvim = with_job({ "a", "b" }, line(2, 2))
  nvim:lua("_G.first = vim.api.nvim_get_current_buf(); vim.o.hidden = true; vim.cmd.enew()")
  nvim:answer(1, { "B" })
  equal(nvim:lua("return vim.api.nvim_buf_get_lines(first, 0, -1, true)"), { "a", "B" })
end)
