-- What is typed in the place of text that was deleted at an end of a part of a row.

local child = require("support.child")
local suite = require("support.suite")
local test, equal = suite.test, suite.equal

local ROWS = { "fn main() {", "    let a = foo(1, 2);", "}" }
local PART = { kind = "char", first = { 2, 16 }, last = { 2, 19 } } -- 1, 2

---@param nvim Child
---@return string
local function part(nvim)
  return nvim:lua([[
    local range = require("botglue.client").job(1).range
    return range:read(range:look()).text[1]
  ]])
end

test("what is typed in the place of the first or last word of a part is part of it", function()
  for _, each in ipairs({
    { "2G$F2cw", "height", "1, height" },
    { "2G$F2s", "height", "1, height" },
    { "2G$F2vc", "height", "1, height" },
    { "2G$F2a<BS>", "height", "1, height" },
    { "2G$F2a<BS><BS>", "height", "1,height" },
    { "2G$F2xi", "height", "1, height" },
    { "2G0f1cw", "width", "width, 2" },
    { "2G0f1s", "width", "width, 2" },
    { "2G0f,i<BS>", "width", "width, 2" },
    { "2G0f1c2l", "w", "w 2" },
    { "2G$F2cw", "3<BS>44", "1, 44" },
  }) do
    for _, is_looked_at in ipairs({ false, true }) do
      local nvim = child.with_host(ROWS)
      nvim:run(PART)
      nvim:type(each[1])
      local last = each[2]:sub(-1)
      for _, key in ipairs({ each[2]:sub(1, -2), last }) do
        nvim:type(key)
        if is_looked_at then
          part(nvim)
        end
      end
      nvim:type("<Esc>")
      equal(part(nvim), each[3], each[1])
      nvim:type("2GA // mine<Esc>2GI/**/<Esc>")
      equal(part(nvim), each[3], each[1] .. ", then beside it")
      nvim:type("2G0f(amine <Esc>2G0f)imore<Esc>")
      equal(part(nvim), each[3], each[1] .. ", then right beside it")
    end
  end
end)

test("a part whose first or last word was retyped and undone is as it was", function()
  for _, keys in ipairs({ "2G$F2cwheight<Esc>u", "2G0f1cwwidth<Esc>u", "2G$F2xu", "2G$F2a<BS>height<Esc>u" }) do
    for _, before in ipairs({ "", "2GA // mine<Esc>" }) do
      local nvim = child.with_host(ROWS)
      nvim:run(PART)
      nvim:type(before .. keys)
      equal(part(nvim), "1, 2", before .. keys)
      nvim:type("2G0f)imore<Esc>")
      equal(part(nvim), "1, 2", before .. keys .. ", then right beside it")
    end
  end
end)

test("an answer takes the place of a retyped word, too, when it is accepted", function()
  local nvim = child.with_host(ROWS)
  nvim:run(PART)
  nvim:type("2G$F2cwheight<Esc>")
  nvim:answer(1, { "x, y" })
  equal(nvim:job(1).held_for, "conflict")
  nvim:type(":Botglue accept 1<CR>")
  nvim:settle()
  equal(nvim:lines()[2], "    let a = foo(x, y);")
end)

test("what is typed in a review over the last word of a part that was taken is shown in its place", function()
  local nvim = child.with_host(ROWS)
  nvim:run(PART, { review = true })
  nvim:answer(1, { "x, y" })
  nvim:type(":Botglue review<CR>zn<C-w>hzn<C-w>ldp<C-w>h2G$Fycw")
  nvim:play({ "h", "eight", "<Esc>", "<C-w>l2G$Fxcw", "width", "<Esc>" })
  local function shown()
    return nvim:lua("return vim.api.nvim_buf_get_lines(0, 1, 2, true)[1]")
  end
  equal(shown(), "    let a = foo(width, y);")
  nvim:type("a")
  nvim:settle()
  equal(shown(), "    let a = foo(width, y);")
end)

test("what is typed in the place of the last characters of a block is part of it", function()
  for _, each in ipairs({
    { "2G3|cwX", { "ab", "eX", "ij" } },
    { "2G3|sYY", { "ab", "eYY", "ij" } },
    { "2G2|sX", { "ab", "Xf", "ij" } },
  }) do
    local nvim = child.with_host({ "1abcz", "1ef gz", "1ijkz" })
    nvim:run({ kind = "block", first = { 1, 1 }, last = { 3, 2 } })
    nvim:type(each[1] .. "<Esc>")
    local text = nvim:lua([[
      local range = require("botglue.client").job(1).range
      local place = range:look()
      return place and range:read(place).text
    ]])
    equal(text, each[2], each[1])
  end
end)

test(
  "a part whose row was taken away is known only where the row is put back, whatever reads alike below",
  function()
    local rows = { "def load(f):", "    return data", "", "", "def save(f):" }
    for _, each in ipairs({
      { "2GddP", "applied", { "def load(f):", "    return json.load(f)", "", "", "def save(f):" } },
      { "2GddPu", "held", { "def load(f):", "", "", "def save(f):" } },
      { "2GddO    return None<Esc>", "held", { "def load(f):", "    return None", "", "", "def save(f):" } },
      {
        "2GddP2GA # mine<Esc>",
        "held",
        { "def load(f):", "    return data # mine", "", "", "def save(f):" },
      },
    }) do
      local nvim = child.with_host(rows)
      nvim:run({ kind = "char", first = { 2, 11 }, last = { 2, 14 } })
      nvim:type(each[1])
      nvim:answer(1, { "json.load(f)" })
      equal(nvim:job(1).landing, each[2], each[1])
      equal(nvim:lines(), each[3], each[1])
      if each[2] == "held" then
        nvim:type(":Botglue accept 1<CR>")
        nvim:settle()
        equal(nvim:lua("return vim.api.nvim_buf_get_lines(1, 0, -1, true)"), each[3], each[1] .. ", accepted")
      end
    end
  end
)

test("the end of a part that was retyped, where rows come and go above it, or text before it", function()
  local rows = { "a", "b", "fn main() {", "    let a = foo(1, 2);", "}" }
  local range = { kind = "char", first = { 4, 16 }, last = { 4, 19 } }
  for _, first in ipairs({
    "4G$F2r3",
    "4G$F2cw3<Esc>",
    "4G$F2gR3<Esc>",
    "4G$F2R3<Esc>",
    ":4s/2/3/<CR>",
    "4G$F2xi3<Esc>",
  }) do
    for _, keys in ipairs({
      "ggO<Esc>",
      "ggOb<Esc>",
      "gg2dd",
      ":1move 2<CR>",
      "ggyyP",
      "4G0dw",
      "4G0d4l",
      "3GJ",
      "3GOb<Esc>",
      "4G0iself.<Esc>",
    }) do
      local nvim = child.with_host(rows)
      nvim:run(range)
      nvim:type(first)
      nvim:settle()
      nvim:type(keys)
      equal(part(nvim), "1, 3", first .. keys)
    end
  end
end)

test("the end of lines that were typed over, where rows come above them", function()
  for _, first in ipairs({ "3G$gR3<Esc>", "3G$r3", "3GccB B 3<Esc>" }) do
    for _, keys in ipairs({ "ggO<Esc>", "ggOb<Esc>ggdd", "ggyyPggdd" }) do
      local nvim = child.with_host({ "a", "b", "B B 2", "c" })
      nvim:run(child.line(3, 3))
      nvim:type(first)
      nvim:settle()
      nvim:type(keys)
      equal(part(nvim), "B B 3", first .. keys)
    end
  end
end)

test("a part that was retyped at an end, whose rows are then deleted there and put back by undo", function()
  for first, own in pairs({
    ["2G0wcwQQ<Esc>"] = { "QQ cc dd", "ee ff" },
    ["2G0wRQQ<Esc>"] = { "QQ cc dd", "ee ff" },
    ["3G0wcwQQ<Esc>"] = { "bb cc dd", "ee QQ" },
    ["2G0wcwQQ<Esc>3G0wcwQQ<Esc>"] = { "QQ cc dd", "ee QQ" },
  }) do
    for _, keys in ipairs({ "2G0D", "2G0wD", "2Gdd", "3Gdd", "3G0D", "3G0wD", "2GJ", "1GJ", "3GJ" }) do
      local nvim = child.with_host({ "head", "aa bb cc dd", "ee ff gg hh", "tail" })
      nvim:run({ kind = "char", first = { 2, 3 }, last = { 3, 4 } })
      nvim:play({ first, keys, "u" })
      local now = nvim:lua([[
        local range = require("botglue.client").job(1).range
        return range:read(range:look()).text
      ]])
      equal(now, own, first .. keys)
    end
  end
end)
