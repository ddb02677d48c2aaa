-- Rows that may be a range's own again: those that came in after some of its own went away.

local child = require("support.child")
local suite = require("support.suite")
local test, equal = suite.test, suite.equal
local line = child.line

test("a row next to the range is none of it, though it reads as one of its own that was deleted", function()
  local below, above = { "a", "b", "end", "end", "c", "z" }, { "a", "end", "end", "b", "c", "z" }
  for _, each in ipairs({
    { below, line(2, 3), "3Gdd", { "b" } },
    { below, line(2, 3), "4Gdd", { "b", "end" } },
    { below, line(2, 3), "3GddP", { "b", "end" } },
    { below, line(2, 3), "3Gddp", { "b" } },
    { { "a", "b", "end", "x", "y", "end", "c" }, line(2, 3), "3G3dd", { "b" } },
    { { "a", "b", "end", "end", "end", "c" }, line(2, 3), "3Gdd", { "b" } },
    { above, line(3, 4), "3Gdd", { "b" } },
    { { "a", "b", "c", "x" }, line(2, 3), "3Goc<CR>d<Esc>|3Gdd", { "b" } },
    { { "a", "b", "c", "x" }, line(2, 3), "2GOq<CR>b<Esc>|4Gdd", { "c" } },
    { above, line(3, 4), "3GddP", { "end", "b" } },
    -- What was there before is others, whoever typed it.
    { { "fn b {", "  x", "}", "fn z {", "}" }, line(1, 3), "3Go}<CR>}<CR>}<Esc>|3Gdd", { "fn b {", "  x" } },
    { { "fn b {", "  x", "}", "z" }, line(1, 3), "3Gyy3p|3G3dd", { "fn b {", "  x" } },
    { { "fn b {", "  x", "}", "z" }, line(1, 3), "3Go}<Esc>|3Gdd|2Gox<Esc>", { "fn b {", "  x" } },
    { below, line(2, 3), "4Goother<Esc>|3Gdd", { "b" } },
    {
      { "def one", "  open", "  close", "end", "z" },
      line(1, 4),
      "4Godef two<CR>  open<CR><C-u>  close<CR><C-u>end<Esc>|3G4dd",
      { "def one", "  open" },
    },
    -- So is what is changed, undone or moved there later.
    { { "x", "a", "}", "}", "}", "z" }, line(2, 3), "3Gdd|3GA;<Esc>|x", { "a" } },
    { { "x", "a", "}", "}", "}", "z" }, line(2, 3), "3Gdd|2Go}<Esc>|u", { "a" } },
    { { "x", "a", "}", "}", "}", "z" }, line(2, 3), "3Gdd|P|u", { "a" } },
    { { "x", "a", "}", "}", "}", "z" }, line(2, 3), "3Gdd|3G>>|3G<<", { "a" } },
    { { "x", "a", "e", "}", "e", "}", "e", "}", "z" }, line(2, 4), "3G2dd|2dd|u", { "a" } },
    { { "x", "a", "e", "}", "e", "}", "e", "}", "z" }, line(2, 4), "3G2dd|2dd|u|u|<C-r>", { "a" } },
    { { "x", "a", "0,", "0,", "0,", "0,", "0,", "z" }, line(2, 4), "3G2dd|2Go0,<Esc>", { "a" } },
    { { "x", "a", "k", "}", "}", "}", "z" }, line(2, 4), "4Gdd|2G3dd|P", {} },
    { { "x", "a", "}", "}", "}", "z" }, line(2, 3), "3Gdd|:3,4!cat<CR>", { "a" } },
    { { "x", "a", "}", "}", "}", "z" }, line(2, 3), "3Gdd|:3,4sort<CR>", { "a" } },
    { { "x", "a", "}", "}", "}", "z" }, line(2, 3), "3Gdd|:3,4d<CR>|P", { "a" } },
    { { "x", "a", "k", "}", "}", "}", "z" }, line(2, 4), "4Gdd|:3,4!cat<CR>", { "a", "k" } },
    { { "x", "a", "k", "}", "y", "z" }, line(2, 4), "4Gdd|4Go}<Esc>|4Gdd", { "a", "k" } },
    { { "x", "a", "k", "}", "~", "}", "z" }, line(2, 4), "4Gdd|:4,5sort<CR>", { "a", "k" } },
    { { "x", "a", "k", "}", "~", "}", "z" }, line(2, 4), "4Gdd|5GddkP", { "a", "k" } },
    -- A row that was typed in it and is gone again was none of those that it had.
    { { "t6", "  t7", "" }, line(2, 3), "2Got<Esc>|2Gyyp|u|u", { "  t7", "" } },
    { { "a", "b", "c", "d" }, line(2, 3), "2Got<Esc>|2Gyyp|2u", { "b", "c" } },
    -- What comes in after that may be its own.
    { { "a", "b", "end", "c" }, line(2, 3), "3Gdd|2Goend<Esc>", { "b", "end" } },
    { { "a", "b", "end", "c" }, line(2, 3), "3Gdd|2Goe|n|d|<Esc>", { "b", "end" } },
    { { "a", "b", "end", "c" }, line(2, 3), ":3,4!cat<CR>", { "b", "end" } },
    { { "a", "b", "end", "c" }, line(2, 3), ":3,4!sort -r<CR>", { "b", "end" } },
    { { "a", "b", "end", "c" }, line(2, 3), "3GJ|u", { "b", "end" } },
    { { "a", "b", "end", "c" }, line(2, 3), "3Gdd|u", { "b", "end" } },
    { { "a", "b", "end", "end", "c" }, line(2, 3), "3Gdd|u|3Gdd|<C-r>|u", { "b", "end" } },
  }) do
    local nvim = child.with_host(each[1])
    nvim:run(each[2])
    nvim:play(vim.split(each[3], "|", { plain = true }))
    equal(
      nvim:lua([[
        local range = require("botglue.client").job(1).range
        local place = range:look()
        return place and range:read(place).rows or {}
      ]]),
      each[4],
      each[3]
    )
  end
end)

test(
  "a row next to a part's rows is none of those, though it reads as one of them that was deleted",
  function()
    local char = { kind = "char", first = { 2, 4 }, last = { 3, 1 } }
    local block = { kind = "block", first = { 1, 0 }, last = { 2, 0 } }
    local to_end = { kind = "char", first = { 2, 0 }, last = { 5, 0 } }
    for _, each in ipairs({
      { { "x", "foo(a", "bb", "bb", ")" }, char, { "a" }, "3Gdd", { "x", "foo(a", "bb", ")" } },
      { { "a | b", "c | d", "c | d", "e" }, block, { "x", "y" }, "2Gdd", { "a | b", "c | d", "e" } },
      { { "x", "foo(a", "bb", "mid", "bb", ")" }, char, { "a" }, "3G2dd", { "x", "foo(a", "bb", ")" } },
      { { "a | b", "c | d", "mid", "c | d", "e" }, block, { "x", "y" }, "2G2dd", { "a | b", "c | d", "e" } },
      -- They are those where the rows around them are, too.
      { { "x", "foo(a", "bb", "bb", ")" }, char, { "a" }, "3GddP", { "x", "foo(a", "bb", ")" } },
      { { "x", "a", "b", "c", "" }, to_end, { "a" }, ":3,4!cat<CR>", { "x", "a" } },
    }) do
      local nvim = child.with_host(each[1])
      nvim:run(each[2])
      nvim:type(each[4])
      nvim:settle()
      nvim:answer(1, each[3])
      nvim:settle()
      equal(nvim:lines(), each[5], each[4])
    end
  end
)

test("what is typed next to a part's rows is none of those, though it reads as one of them", function()
  local char = { kind = "char", first = { 2, 4 }, last = { 3, 1 } }
  local block = { kind = "block", first = { 1, 0 }, last = { 2, 0 } }
  for _, each in ipairs({
    { { "x", "foo(a", "bb", ")" }, char, { "a" }, { "3Gobb<Esc>", "3Gdd" }, { "x", "foo(a", "bb", ")" } },
    {
      { "a | b", "c | d", "e" },
      block,
      { "x", "y" },
      { "2Goc | d<Esc>", "2Gdd" },
      { "a | b", "c | d", "e" },
    },
  }) do
    local nvim = child.with_host(each[1])
    nvim:run(each[2])
    nvim:play(each[4])
    nvim:answer(1, each[3])
    nvim:settle()
    equal({ nvim:lines(), nvim:job(1).landing }, { each[5], "held" }, each[4][1])
  end
end)

test("a row that is changed next to a part's rows is none of those, though it reads as one", function()
  local nvim = child.with_host({ "x", "foo(a", "foo(a", "foo(a", "foo(a", "z" })
  nvim:run({ kind = "char", first = { 2, 0 }, last = { 3, 4 } })
  nvim:play({ "3Gdd", "A;<Esc>", "x" })
  nvim:answer(1, { "B" })
  nvim:settle()
  equal({ nvim:lines(), nvim:job(1).landing }, { { "x", "foo(a", "foo(a", "foo(a", "z" }, "held" })
end)

test("what another answer brought next to a part's rows is none of those", function()
  local nvim = child.with_host({ "x", "foo(a", "bb", ")" })
  nvim:run({ kind = "char", first = { 2, 4 }, last = { 3, 1 } })
  nvim:run({ kind = "insert", first = { 3 } })
  nvim:answer(2, { "bb" })
  nvim:settle()
  nvim:type("3Gdd")
  nvim:settle()
  nvim:answer(1, { "a" })
  nvim:settle()
  equal({ nvim:lines(), nvim:job(1).landing }, { { "x", "foo(a", "bb", ")" }, "held" })
end)

test("the same in a long range, and a row of it that is joined and split again", function()
  local rows = { "top" }
  for i = 1, 1100 do
    rows[#rows + 1] = tostring(i)
  end
  vim.list_extend(rows, { "}", "z", "y" })
  for keys, expected in pairs({
    ["1102Go}<Esc>|1102Gdd"] = { "1100", 1101 },
    ["1102GJ|u"] = { "}", 1102 },
    ["1102Gdd|P"] = { "}", 1102 },
  }) do
    local nvim = child.with_host(rows)
    nvim:run(line(2, 1102))
    nvim:play(vim.split(keys, "|", { plain = true }))
    local last = nvim:lua([[
      local range = require("botglue.client").job(1).range
      local place = range:look()
      return { vim.fn.getline(place.last + 1), place.last + 1 }
    ]])
    equal(last, expected, keys)
  end
end)

test("a range that was deleted with what was next to it is not its twin, which stands there then", function()
  local lines = { "top", "if (a) {", "  free(a);", "}", "", "if (a) {", "  free(a);", "}", "", "end" }
  local counts = { "top", "  count += 1;", "  count += 1;", "  count += 1;", "end" }
  for _, each in ipairs({
    { lines, line(2, 4), { "2G4dd" } },
    { lines, line(2, 4), { "2GV2jd", "dd" } },
    { lines, line(2, 4), { "2Gdd", "dd", "dd", "dd" } },
    { lines, line(6, 8), { "5G4dd" } },
    { counts, line(2, 2), { "2Gdd" } },
    { counts, { kind = "char", first = { 2, 2 }, last = { 2, 6 } }, { "2Gdd" } },
  }) do
    for _, review in ipairs({ false, true }) do
      local nvim = child.with_host(each[1])
      nvim:run(each[2], { review = review })
      nvim:play(each[3])
      local left = nvim:lines()
      nvim:answer(1, { "NEW" })
      nvim:settle()
      nvim:type(":silent! Botglue accept 1<CR>")
      nvim:settle()
      local lines_now = nvim:lua("return vim.api.nvim_buf_get_lines(1, 0, -1, true)")
      equal({ lines_now, nvim:job(1).landing }, { left, "held" }, vim.inspect(each[3]))
    end
  end
end)

test(
  "a range that lost a row, in a file that is read again, is not known by the same one below it",
  function()
    local lines = { "mod m {", "  fn b() {", "    x", "    y", "  }", "  }", "", "}" }
    local spaced = { "mod m {", "  fn b() {", "    x", "    y", "  }", "", "  }", "}" }
    local same, other = ":write|edit<CR>", ":silent write|silent !echo >> %<CR>:silent edit!<CR>"
    for _, each in ipairs({
      -- Where the file has the same nothing has changed.
      { lines, "5Gdd", same, true },
      { spaced, "5G2dd", same, true },
      { lines, "1GOtop<Esc>", same, true },
      { lines, "5Gdd", other, false },
      { spaced, "5G2dd", other, false },
      { lines, "1GOtop<Esc>", other, true },
    }) do
      local nvim = child.with_host(each[1])
      nvim:lua("vim.cmd.file(vim.fn.tempname()) vim.cmd('silent write')")
      nvim:run(line(2, 5), { review = true })
      nvim:answer(1, { "  fn b() {", "    X", "    y" })
      nvim:play({ each[2], each[3], ":silent! Botglue accept 1<CR>" })
      local left = nvim:lua("return vim.api.nvim_buf_get_lines(1, 0, -1, true)")
      equal(
        { vim.list_contains(left, "  }"), nvim:job(1).landing ~= "held" },
        { true, each[4] },
        vim.inspect(each)
      )
    end
  end
)

test("a range that was deleted is not its twin where the same file is read again", function()
  local lines = { "top", "if (a) {", "  free(a);", "}", "", "if (a) {", "  free(a);", "}", "", "end" }
  for _, keys in ipairs({ ":write|edit<CR>", "2G3ddP", "2GddP" }) do
    local nvim = child.with_host(lines)
    nvim:lua("vim.cmd.file(vim.fn.tempname()) vim.cmd('silent write')")
    nvim:run(line(2, 4))
    nvim:type("2G4dd")
    nvim:settle()
    nvim:type(keys)
    nvim:settle()
    nvim:answer(1, { "NEW" })
    nvim:settle()
    equal(vim.list_contains(nvim:lines(), "NEW"), false, keys)
  end
end)

test(
  "what another answer brought next to a range that lost a row is not that row, undone and redone too",
  function()
    for _, keys in ipairs({ {}, { "u", "<C-r>" }, { ":earlier 1<CR>", ":later 1<CR>" } }) do
      local nvim = child.with_host({ "x", "a", "k", "}", "y", "z" })
      nvim:run(line(2, 4))
      nvim:run(line(5, 5))
      nvim:type("4Gdd")
      nvim:settle()
      nvim:answer(2, { "}", "y" })
      nvim:settle()
      nvim:play(keys)
      nvim:answer(1, { "A", "k" })
      nvim:settle()
      equal(table.concat(nvim:lines(), " "), "x A k } y z", vim.inspect(keys))
    end
  end
)
