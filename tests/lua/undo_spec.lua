local child = require("support.child")
local suite = require("support.suite")
local test, equal = suite.test, suite.equal

local function line(number)
  return { kind = "line", first = { number, 0 }, last = { number, 0 } }
end

--- Checks the buffer after each `u`, then after each `<C-r>`.
local function check_undo(nvim, states)
  equal(nvim:lines(), states[1], "at first")
  for i = 2, #states do
    nvim:type("u")
    equal(nvim:lines(), states[i], ("after undo %d"):format(i - 1))
  end
  for i = #states - 1, 1, -1 do
    nvim:type("<C-r>")
    equal(nvim:lines(), states[i], ("after redo to state %d"):format(i))
  end
end

test("a landing is one step apart from what was typed before and after", function()
  local nvim = child.with_host({ "a", "b", "c" })
  nvim:run(line(2))
  nvim:type("ggAx<Esc>")
  nvim:answer(1, { "B1", "B2" })
  nvim:type("Gox<Esc>")
  check_undo(nvim, {
    { "ax", "B1", "B2", "c", "x" },
    { "ax", "B1", "B2", "c" },
    { "ax", "b", "c" },
    { "a", "b", "c" },
  })
end)

test("answer, typing, answer in one stay in insert mode", function()
  local nvim = child.with_host({ "a", "b", "c" })
  nvim:run(line(1))
  nvim:run(line(3))
  nvim:type("2GAone")
  nvim:answer(1, { "A", "A" })
  nvim:type(" two")
  nvim:answer(2, { "C", "C" })
  nvim:type(" three<Esc>")
  check_undo(nvim, {
    { "A", "A", "bone two three", "C", "C" },
    { "A", "A", "bone two", "C", "C" },
    { "A", "A", "bone two", "c" },
    { "A", "A", "bone", "c" },
    { "a", "bone", "c" },
    { "a", "b", "c" },
  })
end)

test("a backspace over a line end behind a landing is taken back as it was", function()
  for name, case in pairs({
    ["rows came above"] = { answer = { "A", "A" }, before = "3GI", keys = "<BS>x", typed = "bxc" },
    ["rows went above"] = { answer = {}, before = "3GIy", keys = "<BS><BS>x", typed = "bxc" },
    ["the line was typed"] = { answer = { "A" }, before = "3GA<CR>", keys = "<C-h>x", typed = "cx" },
    ["two lines were typed"] = { answer = { "A" }, before = "3GA<CR><CR>", keys = "<BS><BS>x", typed = "cx" },
    ["words and lines go"] = {
      answer = { "A" },
      before = ":iunmap <lt>C-W><CR>3GA<CR>",
      keys = "<C-w>x",
      typed = "cx",
    },
  }) do
    local nvim = child.with_host({ "a", "b", "c", "d" })
    local watching = nvim:lua("return vim.on_key()")
    nvim:run(line(1))
    nvim:type(case.before)
    nvim:answer(1, case.answer)
    local landed = nvim:lines()
    nvim:type(case.keys)
    nvim:type("<Esc>")
    equal(vim.tbl_contains(nvim:lines(), case.typed), true, name .. ": " .. vim.inspect(nvim:lines()))
    nvim:type("u")
    equal(nvim:lines(), landed, name)
    nvim:type("uu<C-r><C-r><C-r>")
    equal(vim.tbl_contains(nvim:lines(), case.typed), true, name .. ": redone")
    equal(nvim:lua("return vim.on_key()"), watching, name .. ": nobody watches the keys any more")
  end
end)

test("two answers in one tick are two steps", function()
  local nvim = child.with_host({ "a", "b" })
  nvim:run(line(1))
  nvim:run(line(2))
  nvim:lua([[
    local host = require("support.host")
    host.answer(1, { "A" })
    host.answer(2, { "B" })
  ]])
  check_undo(nvim, { { "A", "B" }, { "A", "b" }, { "a", "b" } })
end)

test("several edits of one answer are one step", function()
  local nvim = child.with_host({ "a", "b", "c", "d" })
  nvim:run({ kind = "line", first = { 1, 0 }, last = { 4, 0 } })
  nvim:answer(1, { "A", "b", "C", "C", "d" }, {
    edits = { { first = 0, last = 1, lines = { "A" } }, { first = 2, last = 3, lines = { "C", "C" } } },
  })
  check_undo(nvim, { { "A", "b", "C", "C", "d" }, { "a", "b", "c", "d" } })
end)

test("a block, characters, an insertion and a deletion are one step each", function()
  local nvim = child.with_host({ "ab", "cd", "ef" })
  nvim:run({ kind = "block", first = { 1, 0 }, last = { 2, 0 } })
  nvim:run({ kind = "char", first = { 1, 1 }, last = { 2, 0 } })
  nvim:run({ kind = "insert", first = { 3 } })
  nvim:run(line(3))
  nvim:answer(1, { "1", "2" })
  nvim:answer(3, { "new", "lines" })
  nvim:answer(4, {})
  check_undo(nvim, {
    { "1b", "2d", "new", "lines" },
    { "1b", "2d", "ef", "new", "lines" },
    { "1b", "2d", "ef" },
    { "ab", "cd", "ef" },
  })
  equal(nvim:job(2).status ~= "done", true)
end)

test("an answer that changes nothing and one that is held are no step", function()
  local nvim = child.with_host({ "a", "b" })
  nvim:run(line(1))
  nvim:run(line(2))
  nvim:type("2GAx<Esc>")
  local sequence = "return vim.fn.undotree().seq_last"
  local before = nvim:lua(sequence)
  nvim:answer(1, { "a" })
  nvim:answer(2, { "B" })
  equal(nvim:lua(sequence), before)
end)

test("abbreviations, counts and the dot go on over a landing", function()
  local nvim = child.with_host({ "a", "b" })
  nvim:run(line(1))
  nvim:run(line(2))
  nvim:type(":iabbrev teh the<CR>Goteh")
  nvim:answer(1, { "A", "A" })
  nvim:type(" x<Esc>")
  equal(nvim:lines(), { "A", "A", "b", "the x" })
  nvim:type("3ay")
  nvim:answer(2, { "B", "B" })
  nvim:type("z<Esc>o-<Esc>.")
  equal(nvim:lines(), { "A", "A", "B", "B", "the xyzyzyz", "-", "-" })
end)

test("U puts no line's old text over another one, and takes back no half of an answer", function()
  local function untouched(keys, range, answer, expected)
    local nvim = child.with_host({ "a", "b", "c", "d", "e", "f" })
    nvim:run(range)
    nvim:type(keys)
    nvim:answer(1, answer)
    nvim:type("<Esc>U")
    equal(nvim:lines(), expected)
    nvim:type("u")
    equal(nvim:lines(), expected)
  end
  untouched("5GAx", line(2), { "B", "B" }, { "a", "B", "B", "c", "d", "ex", "f" })
  untouched("5GAx<Esc>", line(1), { "A", "A", "A" }, { "A", "A", "A", "b", "c", "d", "ex", "f" })
  untouched("5GAx", { kind = "line", first = { 1 }, last = { 2 } }, {}, { "c", "d", "ex", "f" })
  untouched("5GAx", { kind = "line", first = { 2 }, last = { 4 } }, { "B" }, { "a", "B", "ex", "f" })
  untouched("2GAx<Esc>G", { kind = "insert", first = { 0 } }, { "A" }, { "A", "a", "bx", "c", "d", "e", "f" })
  untouched("2GAx<Esc>", line(1), { "(a,", "a)" }, { "(a,", "a)", "bx", "c", "d", "e", "f" })
  untouched(
    "2GAx<Esc>",
    { kind = "char", first = { 1, 0 }, last = { 1, 0 } },
    { "", "A" },
    { "", "A", "bx", "c", "d", "e", "f" }
  )
end)

test(
  "an insertion that undo took away and redo brought back stays below its line, whatever is copied above",
  function()
    local nvim = child.with_host({ "t1", "t2", "t3", "t4", "t5", "t6" })
    nvim:play("4dd")
    nvim:run({ kind = "insert", first = { 1 } })
    nvim:play(":undo 0<CR>", ":later 9<CR>", ":1,2t0<CR>")
    nvim:answer(1, { "a7" })
    equal(nvim:lines(), { "t5", "t6", "t5", "a7", "t6" })
  end
)

test("what was undone when an answer lands is on another branch of the undo tree", function()
  local nvim = child.with_host({ "a", "b", "c" })
  nvim:run(line(2))
  nvim:play("ggAx<Esc>", "u")
  nvim:answer(1, { "B" })
  nvim:play("<C-r>")
  equal(nvim:lines(), { "a", "B", "c" })
  nvim:play("g-")
  equal(nvim:lines(), { "ax", "b", "c" })
end)
