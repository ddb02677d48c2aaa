-- What was copied elsewhere reads as a range does, and is not the range: also where it is the only place that reads so.

local child = require("support.child")
local suite = require("support.suite")
local test, equal = suite.test, suite.equal
local line = child.line

local LINES = {
  "use std::fs;",
  "",
  "fn total() {",
  "  let sum = 0;",
  "  sum",
  "}",
  "",
  "fn report() {",
  "}",
}

local function with_file(lines)
  local nvim = child.with_host({})
  local path = vim.fn.tempname()
  vim.fn.writefile(lines or LINES, path)
  nvim:lua("vim.cmd('silent edit ' .. ...); _G.edited = vim.api.nvim_get_current_buf()", path)
  return nvim
end

--- The lines of the file, whichever window is open.
local function lines_of(nvim)
  return nvim:lua("return vim.api.nvim_buf_get_lines(edited, 0, -1, true)")
end

local function type_all(nvim, pieces)
  nvim:play(pieces)
end

local function joined(...)
  return vim.iter({ ... }):flatten():totable()
end

--- What became of the answer to the range that `'a` is in, if nothing was written.
local function held_for(nvim, answer)
  local before = lines_of(nvim)
  nvim:answer(1, answer or { "NEW" })
  equal(lines_of(nvim), before, "the buffer")
  return nvim:job(1).held_for
end

--- A child with a job on rows 3 to 6, in the first of which there is the mark a.
local function with_job(lines, range)
  local nvim = with_file(lines)
  nvim:run(range or line(3, 6))
  nvim:type("3Gma")
  return nvim
end

--- Whether an answer lands in place of the rows.
local function expect_known(nvim, what)
  local rows = { "fn total() {", "  let sum = 0;", "  sum", "}" }
  nvim:answer(1, { "NEW" })
  equal(nvim:job(1).landing, "applied", what)
  equal(
    vim.iter(lines_of(nvim)):any(function(row)
      return vim.tbl_contains(rows, row) and row ~= "}"
    end),
    false,
    what
  )
end

-- Reads the file again, with something else in it: where that is the same nothing has changed.
local AGAIN = { ":silent w<CR>", ":silent !echo >> %<CR>", ":silent e!<CR>" }

local COPY = {
  "'ayap}p",
  "'ayap{P",
  "'ay3jP",
  "'ayap}2p",
  "'ay3jGo<Esc>p",
  ":'a,'a+3t'a+3<CR>",
  ":'a,'a+3t$<CR>",
  ":'a,'a+3t0<CR>",
}
local ANEW = { "dapOfn new() {}<CR><Esc>", "d3jOfn new() {}<CR><Esc>", "cipfn new() {}<Esc>" }

test("a range that was copied, and later written anew, is not at its copy", function()
  for _, copy in ipairs(COPY) do
    for _, anew in ipairs(ANEW) do
      local nvim = with_job()
      type_all(nvim, { copy, ":1s/$/ \\/\\//<CR>", "'a" .. anew })
      local why = held_for(nvim)
      equal(why == "conflict" or why == "range_lost" or why, true, copy .. anew)
    end
  end
end)

test("a range that was copied, and deleted with the next change, was moved", function()
  for _, keys in ipairs({
    { "'ayap}p", "'adap" },
    { "'ayap{P", "'adap" },
    { ":'a,'a+3t$<CR>", "'ad3j" },
    { ":'a,'a+3t0<CR>", "'ad3j" },
  }) do
    local nvim = with_job()
    type_all(nvim, keys)
    expect_known(nvim, table.concat(keys))
  end
end)

test("what is typed into a copy stays when a held answer is accepted", function()
  for _, anew in ipairs(ANEW) do
    local nvim = with_file()
    nvim:run(line(3, 6), { review = true })
    nvim:answer(1, { "NEW" })
    type_all(nvim, { "3Gyap}p", "3G" .. anew })
    type_all(nvim, { "G?let sum<CR>A // typed<Esc>", ":silent! Botglue accept<CR>" })
    equal(vim.tbl_contains(lines_of(nvim), "  let sum = 0; // typed"), true, anew)
  end
end)

--- Accepts a held answer with its conflicts, once they are shown; what the file is then.
local function accepted(nvim)
  type_all(nvim, { ":Botglue accept 1<CR>", ":Botglue accept 1<CR>" })
  return lines_of(nvim)
end

--- The lines of a file with one in place of the four from a row on.
local function replaced(lines, row)
  lines = vim.list_slice(lines)
  for _ = 1, 3 do
    table.remove(lines, row)
  end
  lines[row] = "NEW"
  return lines
end

test("a range that was copied and edited, and is read again, is where it was edited", function()
  for _, copy in ipairs(COPY) do
    for _, again in ipairs({ AGAIN, { ":silent %!cat<CR>" } }) do
      local nvim = with_job()
      type_all(nvim, joined(copy, "'aA // mine<Esc>", again))
      local before, what = lines_of(nvim), copy .. table.concat(again)
      equal(held_for(nvim), "conflict", what)
      equal(accepted(nvim), replaced(before, vim.fn.index(before, "fn total() { // mine") + 1), what)
    end
  end
end)

test("a range that was edited, and is read again, is not at a copy put in after the edit", function()
  for _, again in ipairs({ AGAIN, { ":silent %!cat<CR>" } }) do
    local nvim = with_job()
    type_all(nvim, joined("'ay3j", "A // mine<Esc>", "}p", again))
    local before = lines_of(nvim)
    equal(held_for(nvim), "conflict", table.concat(again))
    equal(accepted(nvim), replaced(before, 3), table.concat(again))
  end
end)

test("a held answer is not accepted into a copy, after the file was read again", function()
  for _, copy in ipairs(COPY) do
    local nvim = with_file()
    nvim:run(line(3, 6), { review = true })
    nvim:answer(1, { "NEW" })
    type_all(nvim, joined("3Gma" .. copy, "'aA // mine<Esc>", AGAIN))
    local before = lines_of(nvim)
    type_all(nvim, { ":silent! Botglue accept<CR>" })
    equal({ nvim:job(1).landing, lines_of(nvim) }, { "held", before }, copy)
  end
end)

test(
  "a held answer is not accepted into a range that read the same, after the file was read again",
  function()
    local nvim = with_file({ "one()", "two()", "", "one()", "two()" })
    nvim:run(line(1, 2), { review = true })
    nvim:answer(1, { "NEW" })
    type_all(nvim, joined("1GA // mine<Esc>", AGAIN, ":silent! Botglue accept<CR>"))
    equal(lines_of(nvim), { "one() // mine", "two()", "", "one()", "two()", "" })
  end
)

test(
  "what landed, was copied and edited is not taken back from its copy, after the file was read again",
  function()
    local nvim = with_job()
    nvim:answer(1, { "fn total() {", "  all", "}" })
    equal(nvim:job(1).landing, "applied")
    nvim:settle()
    type_all(nvim, joined("3Gyap}p", ":3s/total/renamed/<CR>", AGAIN))
    local before = lines_of(nvim)
    type_all(nvim, { ":silent! Botglue revert<CR>" })
    equal({ nvim:job(1).landing, lines_of(nvim) }, { "applied", before })
  end
)

test("an insertion and parts of rows are not at copies of their rows", function()
  for kind, each in pairs({
    insert = { { first = { 4 } }, { "XXXXXXXXXXXX", "XXXXXXXXXXXXXX", "  1", "  2", "  3", "XXXXX" } },
    char = { { first = { 3, 3 }, last = { 4, 4 } }, { "XXXXXXXXXXXX1", "2", "3XXXXXXXXXXXXXX", "XXXXX" } },
    block = { { first = { 3, 0 }, last = { 5, 1 } }, { "1XXXXXXXXXXXX", "2XXXXXXXXXXXXXX", "3XXXXX" } },
  }) do
    for _, again in ipairs({ AGAIN, { ":silent %!cat<CR>" } }) do
      local nvim = with_job(nil, vim.tbl_extend("error", { kind = kind }, each[1]))
      type_all(nvim, joined("'ay3jGo<Esc>p", ":3,5s/./X/g<CR>", again))
      nvim:answer(1, { "1", "2", "3" })
      local what = kind .. table.concat(again)
      equal(nvim:job(1).held_for or nvim:job(1).landing, kind == "insert" and "applied" or "conflict", what)
      local copy = { "}", "", "fn report() {", "}", "", "fn total() {", "  let sum = 0;", "  sum", "}" }
      local expected = joined("use std::fs;", "", each[2], copy, again == AGAIN and "" or {})
      equal(kind == "insert" and lines_of(nvim) or accepted(nvim), expected, what)
    end
  end
end)

test("what is moved, put back, filtered, or undone is no copy", function()
  for _, keys in ipairs({
    { "'adap", "P" },
    { "'adapP" },
    { "'ad3ju" },
    { "'adap", "P", "'adap", "P", ":silent %!cat<CR>" },
    { "'adap", "p", "u", "u", ":silent %!cat<CR>" },
    { ":3,6m$<CR>", ":silent %!cat<CR>" },
    { ":3,6m$<CR>", ":6,9m2<CR>", ":silent w<CR>", ":silent e!<CR>" },
    { ":3,6m$ | 6,9m2<CR>", ":silent %!cat<CR>" },
    { ":silent %!cat<CR>", ":silent %!cat<CR>", ":silent %!cat<CR>" },
    { ":silent 2,7!cat<CR>", ":silent %!cat<CR>" },
    { ":silent %!cat<CR>", "u", ":silent %!cat<CR>", "<C-r>", ":silent %!cat<CR>" },
    { ":%join<CR>", "u", ":silent %!cat<CR>" },
    { ":%delete<CR>", "u", ":silent %!cat<CR>" },
    { ":5m3<CR>", ":5m3<CR>", ":silent %!cat<CR>" },
    { ":silent w<CR>", ":silent e!<CR>", "ggOx<Esc>", ":silent %!cat<CR>" },
  }) do
    local nvim = with_job()
    type_all(nvim, keys)
    expect_known(nvim, table.concat(keys))
  end
end)

test("a row with no word in it that is put back elsewhere is another one", function()
  local nvim = with_job()
  type_all(nvim, { "6Gddp", "kddp", ":silent %!cat<CR>" })
  equal(held_for(nvim), "conflict")
  equal(accepted(nvim), { "use std::fs;", "", "NEW", "}", "", "fn report() {", "}" })
end)

test(
  "a range that was copied and edited is what it was where the file that is read again has the same",
  function()
    for _, again in ipairs({ ":silent w<CR>:silent e!<CR>", ":silent w<CR>:silent bd<CR>:silent e #<CR>" }) do
      for _, copy in ipairs(COPY) do
        local nvim = with_file()
        nvim:run(line(3, 6), { review = true })
        nvim:answer(1, { "fn total() {", "  let sum = 0;", "  SUM", "}" })
        type_all(nvim, joined("3Gma" .. copy, "'aA // mine<Esc>", again))
        local before = lines_of(nvim)
        type_all(nvim, { ":silent! Botglue accept<CR>" })
        local own = vim.fn.index(before, "fn total() { // mine")
        before[own + 3] = "  SUM"
        equal({ nvim:job(1).landing, lines_of(nvim) }, { "merged", before }, copy .. again)
      end
    end
  end
)

test("a file with any bytes is read again", function()
  local nvim = with_file({ "one", "nul \n byte", "latin \233", "two" })
  nvim:run(line(1, 1), { review = true })
  nvim:answer(1, { "ONE" })
  type_all(nvim, { ":silent e!<CR>", ":silent! Botglue accept<CR>" })
  equal({ nvim:job(1).landing, lines_of(nvim)[1] }, { "applied", "ONE" })
  equal(nvim:lua("return vim.v.errmsg"), "")
end)
