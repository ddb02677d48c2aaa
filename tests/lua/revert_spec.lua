-- Taking a landed answer back.

local child = require("support.child")
local jobs = require("support.jobs")
local suite = require("support.suite")
local test, equal = suite.test, suite.equal
local with_held, with_landed, decide, landing = jobs.held, jobs.landed, jobs.decide, jobs.landing
local line = child.line

local insert = { kind = "insert", first = { 1 } }
local char = { kind = "char", first = { 2, 1 }, last = { 2, 1 } }
local block = { kind = "block", first = { 2, 0 }, last = { 3, 1 } }

--- What a revert leaves of an answer for some of three rows, after keys. (At random: `tests/it/document` and
--- `tests/it/model`.)
local REVERTS = {
  { line(2, 2), { "TWO", "2" }, "ggOx<Esc>Goy<Esc>", { "x", "one", "two", "three", "y" } },
  { line(1, 3), {}, "", { "one", "two", "three" } },
  { insert, { "new", "er" }, "Goy<Esc>", { "one", "two", "three", "y" } },
  { char, { "W", "W" }, "ggOx<Esc>", { "x", "one", "two", "three" } },
  { block, { "2", "3" }, "GAx<Esc>", { "one", "two", "threex" } },
  -- What was undone needs nothing, what was redone does.
  { line(2, 2), { "TWO", "2" }, "u1GAx<Esc>", { "onex", "two", "three" } },
  { insert, { "new" }, "u", { "one", "two", "three" } },
  { line(2, 2), { "TWO", "2" }, "u<C-r>1GAx<Esc>", { "onex", "two", "three" } },
  { insert, { "new" }, "Goy<Esc>uu<C-r><C-r>GAz<Esc>", { "one", "two", "three", "yz" } },
  {
    { kind = "char", first = { 1, 0 }, last = { 2, 0 } },
    { "one", "t", "a" },
    "u<C-r>",
    { "one", "two", "three" },
  },
  { block, { "2", "3" }, ":undo 0<CR>:later 9<CR>GAz<Esc>", { "one", "two", "threez" } },
}

for _, case in ipairs(REVERTS) do
  local range, answer, keys, expected = unpack(case)
  test(("an answer of %d lines for a %s is taken back after %s"):format(#answer, range.kind, keys), function()
    local nvim = with_landed({ "one", "two", "three" }, range, answer)
    nvim:type(keys)
    local before = nvim:lines()
    decide(nvim, "revert")
    equal({ nvim:lines(), landing(nvim) }, { expected, "reverted" })
    if not vim.deep_equal(before, expected) then
      nvim:type("u")
      equal(nvim:lines(), before, "one step")
    end
  end)
end

test("what was changed since, or is gone, is not reverted", function()
  for keys, words in pairs({
    ["2GAy<Esc>"] = "its lines were changed meanwhile",
    ["u<C-r>2GAy<Esc>"] = "its lines were changed meanwhile",
    ["2Gdd"] = "its place is not known",
  }) do
    local nvim = with_landed({ "one", "two", "three" }, line(2, 2), { "X" })
    nvim:type(keys)
    local before = nvim:lines()
    nvim:type(":Botglue revert 1<CR>")
    suite.contains(nvim:messages(), "botglue: job 1 cannot be reverted: " .. words)
    equal({ nvim:lines(), landing(nvim) }, { before, "applied" })
  end
end)

test("an accepted and a merged answer can be taken back", function()
  for keys, expected in pairs({
    [""] = { "a", "b", "c", "d", "e" },
    ["2GAx<Esc>"] = { "a", "bx", "c", "d", "e" },
  }) do
    local nvim = with_held({ "b", "c", "D" }, keys)
    decide(nvim, "accept")
    decide(nvim, "revert")
    equal({ nvim:lines(), landing(nvim) }, { expected, "reverted" })
  end
end)

test("reverting loads the file that was closed meanwhile", function()
  local nvim = child.with_host({ "a", "b", "c" })
  nvim:lua("_G.file = vim.fn.tempname() vim.cmd('silent saveas ' .. _G.file)")
  nvim:run(line(2, 2))
  nvim:answer(1, { "B" })
  nvim:lua("vim.cmd('silent write | enew | bdelete #')")
  decide(nvim, "revert")
  equal(landing(nvim), "reverted")
  equal(nvim:lua("return vim.fn.getbufline(_G.file, 1, '$')"), { "a", "b", "c" })
end)

test("what landed in a buffer that is gone, and is no file, cannot be taken back", function()
  local nvim = child.with_host({ "start" })
  nvim:type(":new | set buftype=nofile<CR>ione<Esc>")
  nvim:run(line(1, 1))
  nvim:answer(1, { "ONE" })
  nvim:type(":bwipeout!<CR>")
  nvim:type(":Botglue revert 1<CR>")
  suite.contains(nvim:messages(), "botglue: job 1 cannot be reverted: its buffer is gone")
end)
