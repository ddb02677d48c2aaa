-- Parts of rows that were edited inside, also at an end of the part: their answers are held, the rest of the row stays.

local child = require("support.child")
local suite = require("support.suite")
local test, equal = suite.test, suite.equal

local ROWS = { "fn main() {", "    let a = foo(1, 2);", "}" }
local PART = { kind = "char", first = { 2, 16 }, last = { 2, 19 } } -- 1, 2

--- What is left once the answer to a part that was edited is accepted with its conflict.
---@param nvim Child
---@param answer string[]
---@param what string
---@return string[]
local function accepted(nvim, answer, what)
  local typed = nvim:lines()
  nvim:answer(1, answer)
  equal(nvim:outcome(1), { "done", "held", "conflict" }, what)
  equal(nvim:lines(), typed, what)
  nvim:play(":Botglue accept 1<CR>", ":Botglue accept 1<CR>")
  equal(nvim:job(1).held_for, nil, what)
  return nvim:api("buf_get_lines", 1, 0, -1, true)
end

--- A child with a job on the part, after keys.
---@param ... string
---@return Child
local function after(...)
  local nvim = child.with_job(ROWS, PART)
  nvim:play(...)
  return nvim
end

test("what replaces characters at an end of a part in one change is part of it", function()
  for _, keys in ipairs({ "2G$F2r3", "2G$F2gR3<Esc>", ":2s/2/height/<CR>", "2G0f1r0", ":2s/1/width/<CR>" }) do
    equal(accepted(after(keys), { "x, y" }, keys)[2], "    let a = foo(x, y);", keys)
  end
end)

test("what is typed at an end of a part, once the word there was deleted, stays beside the answer", function()
  for _, each in ipairs({
    { "2G$F2cw", "height<Esc>", "foo(x, yheight);" },
    { "2G$F2s", "height<Esc>", "foo(x, yheight);" },
    { "2G$F2a<BS><BS>", "height<Esc>", "foo(x, yheight);" },
    { "2G$F2cw", "3<BS>44<Esc>", "foo(x, y44);" },
    { "2G0f1cw", "width<Esc>", "foo(widthx, y);" },
    { "2G0f,i<BS>", "width<Esc>", "foo(widthx, y);" },
    { "2G0f1c2l", "w<Esc>", "foo(wx, y);" },
  }) do
    local what = each[1] .. each[2]
    equal(accepted(after(each[1], each[2]), { "x, y" }, what)[2], "    let a = " .. each[3], what)
    what = what .. ", then beside it"
    local row = accepted(after(each[1], each[2], "2GA // mine<Esc>", "2GI/**/<Esc>"), { "x, y" }, what)[2]
    equal(row, "    /**/let a = " .. each[3] .. " // mine", what)
  end
end)

test("what is typed right beside a part is none of it", function()
  for keys, row in pairs({
    ["2G0f)imore<Esc>"] = "    let a = foo(x, ymore);",
    ["2G0f(amine <Esc>"] = "    let a = foo(mine x, y);",
  }) do
    local nvim = after(keys)
    nvim:answer(1, { "x, y" })
    equal({ nvim:job(1).landing, nvim:lines()[2] }, { "applied", row }, keys)
  end
end)

test("a part whose first or last word was retyped and undone is as it was", function()
  for _, keys in ipairs({ "2G$F2cwheight<Esc>u", "2G0f1cwwidth<Esc>u", "2G$F2xu", "2G$F2a<BS>height<Esc>u" }) do
    for before, behind in pairs({ [""] = "", ["2GA // mine<Esc>"] = " // mine" }) do
      local nvim = after(before .. keys, "2G0f)imore<Esc>")
      nvim:answer(1, { "x, y" })
      equal(nvim:job(1).landing, "applied", before .. keys)
      equal(nvim:lines()[2], "    let a = foo(x, ymore);" .. behind, before .. keys)
    end
  end
end)

test("what is typed in the place of characters of a block", function()
  for keys, row in pairs({ ["2G2|rX"] = "12 gz", ["2G3|rX"] = "12 gz", ["2G3|cwX<Esc>"] = "12X gz" }) do
    local nvim = child.with_host({ "1abcz", "1ef gz", "1ijkz" })
    nvim:run({ kind = "block", first = { 1, 1 }, last = { 3, 2 } })
    nvim:type(keys)
    equal(accepted(nvim, { "1", "2", "3" }, keys), { "11cz", row, "13kz" }, keys)
  end
end)

test(
  "a part whose row was deleted is known only where the row is put back, whatever reads alike below",
  function()
    local rows = { "def load(f):", "    return data", "", "", "def save(f):" }
    for _, each in ipairs({
      { "2GddP", "applied", { "def load(f):", "    return json.load(f)", "", "", "def save(f):" } },
      {
        "2GddP2GA # mine<Esc>",
        "applied",
        { "def load(f):", "    return json.load(f) # mine", "", "", "def save(f):" },
      },
      { "2GddPu", "held", { "def load(f):", "", "", "def save(f):" } },
      { "2GddO    return None<Esc>", "held", { "def load(f):", "    return None", "", "", "def save(f):" } },
    }) do
      local nvim = child.with_host(rows)
      nvim:run({ kind = "char", first = { 2, 11 }, last = { 2, 14 } })
      nvim:type(each[1])
      nvim:answer(1, { "json.load(f)" })
      equal(nvim:job(1).landing, each[2], each[1])
      equal(nvim:lines(), each[3], each[1])
      if each[2] == "held" then
        nvim:type(":Botglue accept 1<CR>")
        equal(nvim:job(1).held_for, "range_lost", each[1])
        equal(nvim:lines(), each[3], each[1] .. ", accepted")
      end
    end
  end
)

test("a part that was edited, where rows come and go above it, or text before it", function()
  local rows = { "a", "b", "fn main() {", "    let a = foo(1, 2);", "}" }
  local range = { kind = "char", first = { 4, 16 }, last = { 4, 19 } }
  for _, first in ipairs({ "4G$F2r3", ":4s/2/3/<CR>" }) do
    for _, keys in ipairs({
      "ggO<Esc>",
      "ggOb<Esc>",
      "gg2dd",
      ":1move 2<CR>",
      "ggyyP",
      "4G0dw",
      "4G0d4l",
      "3GOb<Esc>",
      "4G0iself.<Esc>",
    }) do
      local nvim = child.with_job(rows, range)
      nvim:play(first, keys)
      local expected = table.concat(nvim:lines(), "\n"):gsub("1, 3", "X")
      equal(table.concat(accepted(nvim, { "X" }, first .. keys), "\n"), expected, first .. keys)
    end
    local nvim = child.with_job(rows, range)
    nvim:play(first, "3GJ")
    nvim:answer(1, { "X" })
    equal(nvim:outcome(1), { "done", "held", "range_lost" }, "a row that was joined upwards is another one")
  end
end)

test("lines that were typed over, where rows come above them", function()
  for _, first in ipairs({ "3G$gR3<Esc>", "3G$r3", "3GccB B 3<Esc>" }) do
    for keys, above in pairs({ ["ggO<Esc>"] = 3, ["ggOb<Esc>ggdd"] = 2, ["ggyyPggdd"] = 2 }) do
      local nvim = child.with_job({ "a", "b", "B B 2", "c" }, child.line(3, 3))
      nvim:play(first, keys)
      local expected = nvim:lines()
      expected[above + 1] = "X"
      equal(accepted(nvim, { "X" }, first .. keys), expected, first .. keys)
    end
  end
end)

test("a part that was edited, whose rows are then deleted there and put back by undo", function()
  for first, own in pairs({
    ["2G0wRQQ<Esc>"] = { "aa X", "Y gg hh" },
    ["2G0wcwQQ<Esc>"] = { "aa QQX", "Y gg hh" },
    ["3G0wcwQQ<Esc>"] = { "aa X", "YQQ gg hh" },
    ["2G0wcwQQ<Esc>3G0wcwQQ<Esc>"] = { "aa QQX", "YQQ gg hh" },
  }) do
    for _, keys in ipairs({ "2G0D", "2G0wD", "2Gdd", "3Gdd", "3G0D", "3G0wD", "2GJ", "1GJ", "3GJ" }) do
      local nvim = child.with_host({ "head", "aa bb cc dd", "ee ff gg hh", "tail" })
      nvim:run({ kind = "char", first = { 2, 3 }, last = { 3, 4 } })
      nvim:play(first, keys, "u")
      equal(accepted(nvim, { "X", "Y" }, first .. keys), { "head", own[1], own[2], "tail" }, first .. keys)
    end
  end
end)
