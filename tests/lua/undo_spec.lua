--- Each answer that is written is an undo step of its own. (Random typing around answers: `tests/it/model`.)

local child = require("support.child")
local suite = require("support.suite")
local test, equal = suite.test, suite.equal
local line = child.line

--- Checks the buffer after each `u`, then after each `<C-r>`.
local function check_undo(nvim, states, what)
  equal(nvim:lines(), states[1], what)
  for i = 2, #states do
    nvim:type("u")
    equal(nvim:lines(), states[i], ("%s: after undo %d"):format(what, i - 1))
  end
  for i = #states - 1, 1, -1 do
    nvim:type("<C-r>")
    equal(nvim:lines(), states[i], ("%s: after redo to state %d"):format(what, i))
  end
end

--- What is typed and answered, in this order (an answer is the number of its job and its lines), and the text at the
--- end and after each `u`.
local STORIES = {
  ["answers in the middle of one insertion"] = {
    jobs = { line(1, 1), line(3, 3) },
    { "2GAone", { 1, { "A", "A" } }, " two", { 2, {} }, " three<Esc>" },
    {
      { "A", "A", "bone two three" },
      { "A", "A", "bone two" },
      { "A", "A", "bone two", "c" },
      { "A", "A", "bone", "c" },
      { "a", "bone", "c" },
      { "a", "b", "c" },
    },
  },
  ["answers of which one changes nothing, and one is held"] = {
    jobs = { line(1, 1), line(2, 2) },
    { "2GAx<Esc>", { 1, { "a" } }, { 2, { "B" } } },
    { { "a", "bx", "c" }, { "a", "b", "c" } },
  },
  ["a buffer that keeps none"] = {
    jobs = { line(1, 1) },
    undolevels = -1,
    { { 1, { "A" } } },
    { { "A", "b", "c" }, { "A", "b", "c" } },
  },
  ["what was undone when the answer comes"] = {
    jobs = { line(2, 2) },
    { "ggAx<Esc>u", { 1, { "B" } } },
    { { "a", "B", "c" }, { "a", "b", "c" } },
    branch = { "ax", "b", "c" },
  },
}

for name, story in pairs(STORIES) do
  test("each answer is a step of its own: " .. name, function()
    local nvim = child.with_host({ "a", "b", "c" })
    for _, range in ipairs(story.jobs) do
      nvim:run(range)
    end
    local undolevels = story.undolevels or nvim:lua("return vim.bo.undolevels")
    nvim:lua("vim.bo.undolevels = ...", undolevels)
    for _, event in ipairs(story[1]) do
      if type(event) == "string" then
        nvim:type(event)
      else
        nvim:answer(unpack(event))
      end
    end
    check_undo(nvim, story[2], name)
    equal(nvim:lua("return vim.bo.undolevels"), undolevels)
    if story.branch then
      nvim:type("g-")
      equal(nvim:lines(), story.branch)
    end
  end)
end

test("a backspace over a line end behind a landing is taken back as it was", function()
  for name, case in pairs({
    ["rows came above"] = { answer = { "A", "A" }, before = "3GI", keys = "<BS>x", typed = "bxc" },
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
    nvim:run(line(1, 1))
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

test("U puts no line's old text over another one, and takes back no half of an answer", function()
  for _, case in ipairs({
    { "5GAx", line(2, 2), { "B", "B" }, { "a", "B", "B", "c", "d", "ex", "f" } },
    { "5GAx", line(1, 2), {}, { "c", "d", "ex", "f" } },
    { "2GAx<Esc>G", { kind = "insert", first = { 0 } }, { "A" }, { "A", "a", "bx", "c", "d", "e", "f" } },
    { "2GAx<Esc>", line(1, 1), { "(a,", "a)" }, { "(a,", "a)", "bx", "c", "d", "e", "f" } },
    {
      "2GAx<Esc>",
      { kind = "char", first = { 1, 0 }, last = { 1, 0 } },
      { "", "A" },
      { "", "A", "bx", "c", "d", "e", "f" },
    },
  }) do
    local keys, range, answer, expected = unpack(case)
    local nvim = child.with_host({ "a", "b", "c", "d", "e", "f" })
    nvim:run(range)
    nvim:type(keys)
    nvim:answer(1, answer)
    nvim:type("<Esc>U")
    equal(nvim:lines(), expected)
    equal(nvim:lua("return vim.fn.line('.')"), math.max(range.first[1], 1), "U goes to the answer")
    nvim:type("u")
    equal(nvim:lines(), expected)
  end
end)
