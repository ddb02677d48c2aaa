-- What a revert does to an answer that was undone, or undone and redone.

local child = require("support.child")
local decided = require("support.decided")
local suite = require("support.suite")
local test, equal = suite.test, suite.equal
local with_landed, decide, landing = decided.landed, decided.decide, decided.landing
local line = child.line

test("an answer that was undone needs nothing, whatever was typed next to it since", function()
  for _, each in ipairs({
    { line(2, 3), {}, "u1GAx<Esc>" },
    { line(2, 3), {}, "u1GccX<Esc>" },
    { line(2, 3), {}, "u1Gdd" },
    { line(2, 3), {}, "u1Gonew<Esc>" },
    { line(1, 2), {}, "u3GAx<Esc>" },
    { line(4, 5), {}, "u3Gdd" },
    { line(2, 3), { "B" }, "u1GAx<Esc>4GAx<Esc>" },
    { { kind = "insert", first = { 2 } }, { "B" }, "u2GAx<Esc>3Gdd" },
  }) do
    local nvim = with_landed({ "a", "b", "c", "d", "e" }, each[1], each[2])
    nvim:type(each[3])
    local before = nvim:lines()
    decide(nvim, "revert")
    equal({ nvim:lines(), landing(nvim) }, { before, "reverted" }, vim.inspect(each))
  end
end)

test(
  "rows that an answer deleted, that undo brought back and others deleted, are not brought back",
  function()
    for _, each in ipairs({
      { "u2Gdd1GAx<Esc>", { "ax", "c" }, "applied" },
      { "u2Gdd1GAx<Esc>uu", { "a", "b", "c" }, "reverted" },
      { "u<C-r>1GAx<Esc>", { "ax", "b", "c" }, "reverted" },
      { "Goy<Esc>:undo 0<CR>:later 9<CR>u1GAx<Esc>", { "ax", "b", "c" }, "reverted" },
    }) do
      local nvim = with_landed({ "a", "b", "c" }, line(2, 2), {})
      nvim:type(each[1])
      nvim:type(":silent! Botglue revert 1<CR>")
      nvim:settle()
      equal({ nvim:lines(), landing(nvim) }, { each[2], each[3] }, each[1])
    end
  end
)

test("what reads as before an answer, and is not, is not taken for undone", function()
  -- One of three rows that read the same was deleted.
  local lines = { "a", "", "", "", "b" }
  for row = 2, 4 do
    local nvim = with_landed(lines, line(row, row), {})
    decide(nvim, "revert")
    equal({ nvim:lines(), landing(nvim) }, { lines, "reverted" }, row)
  end
end)

test("an answer is taken back where it stood, after undo and redo over several states at once", function()
  local lines = { "", "one", "", "two", "three", "four" }
  for _, each in ipairs({
    { line(4, 4), {} },
    { line(4, 5), { "X" } },
    { { kind = "char", first = { 4, 0 }, last = { 5, 1 } }, { "X", "Y" } },
    { { kind = "block", first = { 4, 0 }, last = { 5, 1 } }, { "X", "Y" } },
    { { kind = "insert", first = { 3 } }, { "X" } },
  }) do
    local nvim = with_landed(lines, each[1], each[2])
    nvim:type(":undo 0<CR>:later 9<CR>")
    decide(nvim, "revert")
    equal({ nvim:lines(), landing(nvim) }, { lines, "reverted" }, vim.inspect(each))
  end
end)

test("an answer that was undone and redone is taken back after edits around it", function()
  for _, each in ipairs({
    { { kind = "insert", first = { 1 } }, { "NEW", "ER" } },
    { line(2, 2), { "TWO", "2" } },
    { { kind = "char", first = { 2, 1 }, last = { 2, 1 } }, { "W" } },
    { { kind = "block", first = { 2, 0 }, last = { 3, 1 } }, { "2", "3" } },
  }) do
    for _, keys in ipairs({ { "u", "<C-r>" }, { "Gox<Esc>", "u", "u", "<C-r>", "<C-r>" } }) do
      local nvim = with_landed({ "one", "two", "three", "four" }, each[1], each[2])
      nvim:play(vim.list_extend(keys, { "1GA y<Esc>", "GA z<Esc>" }))
      decide(nvim, "revert")
      local expected = { "one y", "two", "three", "four" }
      if #keys > 4 then
        table.insert(expected, "x")
      end
      expected[#expected] = expected[#expected] .. " z"
      equal({ nvim:lines(), landing(nvim) }, { expected, "reverted" }, vim.inspect({ each, keys }))
    end
  end
end)

--- Types keys in their pieces, with the child idle between them, or all at once.
local function type_in(nvim, pieces, at_once)
  if at_once then
    nvim:type(table.concat(pieces))
    return
  end
  for _, keys in ipairs(pieces) do
    nvim:type(keys)
  end
end

test(
  "an answer that was undone and redone is taken back with all of its rows after an edit beside it",
  function()
    local lines = { "1", "2", "3", "4", "5", "6" }
    local above = { first = 0, last = 0, lines = { "// doc" } }
    local below = { first = 4, last = 4, lines = { "end", "END" } }
    for _, each in ipairs({
      { { "// doc", "2", "3", "4", "5" }, { above } },
      { { "2", "3", "4", "5", "end", "END" }, { below } },
      { { "// doc", "2", "3", "4", "5", "end", "END" }, { above, below } },
    }) do
      for _, keys in ipairs({
        { "u", "<C-r>", "/3<CR>", "A own<Esc>" },
        { "u", "<C-r>", "/3<CR>", "dd" },
        { "u", "<C-r>", "u", "<C-r>", "/4<CR>", "O own<Esc>" },
        { "/3<CR>", "A own<Esc>", "u", "u", "<C-r>", "<C-r>" },
        { "Go7<Esc>", "u", "u", "<C-r>", "<C-r>", "/3<CR>", "A own<Esc>" },
        { ":undo 0<CR>", ":later 9<CR>", "/3<CR>", "A own<Esc>" },
      }) do
        for _, at_once in ipairs({ false, true }) do
          local nvim = with_landed(lines, line(2, 5), each[1], each[2])
          type_in(nvim, keys, at_once)
          local expected = vim.tbl_filter(function(row)
            return not vim.tbl_contains({ "// doc", "end", "END" }, row)
          end, nvim:lines())
          decide(nvim, "revert")
          equal(
            { nvim:lines(), landing(nvim) },
            { expected, "reverted" },
            vim.inspect({ each[1], keys, at_once })
          )
        end
      end
    end
  end
)

test(
  "an answer is not taken back where the user changed rows right beside its own, also after undo and redo",
  function()
    local inside = { first = 2, last = 2, lines = { "new" } }
    for _, keys in ipairs({
      "u<C-r>/3<CR>A own<Esc>",
      "u<C-r>/3<CR>dd",
      ":undo 0<CR>:later 9<CR>/4<CR>O own<Esc>",
    }) do
      local nvim = with_landed(
        { "1", "2", "3", "4", "5", "6" },
        line(2, 5),
        { "2", "3", "new", "4", "5" },
        { inside }
      )
      nvim:type(keys)
      local before = nvim:lines()
      nvim:type(":Botglue revert 1<CR>")
      suite.contains(nvim:messages(), "job 1 cannot be reverted: its lines were changed since")
      equal({ nvim:lines(), landing(nvim) }, { before, "applied" }, keys)
    end
  end
)

test("what was retried after an undo, a redo and an edit inside has all rows of the answer", function()
  local edits = { { first = 0, last = 0, lines = { "// doc" } }, { first = 2, last = 2, lines = { "end" } } }
  local nvim = with_landed({ "1", "2", "3", "4" }, line(2, 3), { "// doc", "2", "3", "end" }, edits)
  nvim:play("u", "<C-r>", "3G", "A own<Esc>", ":Botglue retry 1<CR>")
  nvim:eventually("it is sent", "return #require('support.host').received('run') == 2")
  equal(nvim:host("received", "run")[2].selection.text, { "// doc", "2 own", "3", "end" })
end)

test("characters and insertions that were undone and redone are known after an edit at once", function()
  for _, each in ipairs({
    { { kind = "insert", first = { 1 } }, { "NEW", "ER" } },
    { { kind = "char", first = { 2, 1 }, last = { 2, 1 } }, { "W" } },
    { { kind = "block", first = { 2, 0 }, last = { 3, 1 } }, { "2", "3" } },
    { line(2, 2), { "TWO", "2" } },
  }) do
    local nvim = with_landed({ "one", "two", "three", "four" }, each[1], each[2])
    nvim:type("u<C-r>1GA y<Esc>GA z<Esc>")
    decide(nvim, "revert")
    equal(
      { nvim:lines(), landing(nvim) },
      { { "one y", "two", "three", "four z" }, "reverted" },
      vim.inspect(each)
    )
  end
end)
