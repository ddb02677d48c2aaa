-- What becomes of an answer whose range was edited, moved or deleted meanwhile. Where a range then is, also after
-- copies and files that are read again, is a matter of `tests/it/document` and `tests/it/model`.

local child = require("support.child")
local suite = require("support.suite")
local test, equal = suite.test, suite.equal
local line, with_job = child.line, child.with_job

local CONFLICT, LOST = { "done", "held", "conflict" }, { "done", "held", "range_lost" }
local APPLIED = { "done", "applied" }

test("what was typed meanwhile decides whether an answer to rows 2 and 3 lands", function()
  for _, case in ipairs({
    -- In the range, and not to be merged.
    { CONFLICT, "2GA -- mine<Esc>", "2G>>", "2Gonew<Esc>", "2Gdd", "3Gdd", "2GJ" },
    { CONFLICT, "2Gccnew<Esc>", "2GVjcnew<Esc>", ":2s/b/bb/<CR>", ":sort!<CR>", "2G2ddu3Gccnew<Esc>" },
    -- All of it is gone, and what came to its place is none of it.
    {
      LOST,
      "2G2dd",
      "ggdG",
      ":%d<CR>",
      "2G2ddOnew<Esc>",
      "2G2ddGJ",
      ":2,3copy $<CR>1GAx<Esc>2G2dd",
    },
  }) do
    for i = 2, #case do
      local nvim = with_job({ "a", "b", "c", "d" }, line(2, 3))
      nvim:type(case[i])
      local before = nvim:lines()
      nvim:answer(1, { "B", "C" })
      equal({ nvim:outcome(1), nvim:lines() }, { case[1], before }, case[i])
    end
  end
  -- Beside it, taken back, or put elsewhere as it is.
  for keys, lines in pairs({
    ["3Gonew<Esc>"] = "a B C new d",
    ["1Gdd"] = "B C d",
    ["2GA -- mine<Esc>u"] = "a B C d",
    ["2Gddu"] = "a B C d",
    [":2,3move 0<CR>"] = "B C a d",
    ["2G2ddGp"] = "a d B C",
    ["2Gyj2ddggP"] = "B C a d",
  }) do
    local nvim = with_job({ "a", "b", "c", "d" }, line(2, 3))
    nvim:type(keys)
    nvim:answer(1, { "B", "C" })
    equal({ nvim:outcome(1), table.concat(nvim:lines(), " ") }, { APPLIED, lines }, keys)
  end
end)

test("blocks, insertions and parts are held where their rows are not known", function()
  local three = { kind = "block", first = { 1, 0 }, last = { 3, 0 } }
  local word = { kind = "char", first = { 1, 2 }, last = { 1, 3 } }
  for _, case in ipairs({
    { "ab cd", { kind = "block", first = { 1, 0 }, last = { 2, 0 } }, "", { "done", "held", "block_rows" } },
    { "ab cd ef", three, "2Gonew<Esc>", LOST, { "1", "2", "3" } },
    { "", { kind = "block", first = { 1, 0 }, last = { 1, 0 } }, "Oabove<Esc>:%delete<CR>", LOST, { "1" } },
    { "a b c", { kind = "insert", first = { 2 } }, ":%delete<CR>ix<Esc>", LOST },
    { "some-words", word, "ggd$ax<Esc>", CONFLICT },
    { "some-words", word, "gg0d4l", CONFLICT },
    { "a  c", { kind = "char", first = { 2, 0 }, last = { 2, 0 } }, "2Gitext<Esc>", CONFLICT },
    { "a  c", { kind = "block", first = { 2, 0 }, last = { 2, 0 } }, "2Gitext<Esc>", CONFLICT },
  }) do
    local nvim = with_job(vim.split(case[1], " "), case[2])
    nvim:type(case[3])
    local before = nvim:lines()
    nvim:answer(1, case[5] or { "x" })
    equal({ nvim:outcome(1), nvim:lines() }, { case[4], before }, vim.inspect(case))
  end
end)

test("a buffer that is gone, or cannot be changed, holds the answer", function()
  for command, reason in pairs({
    ["new | bwipeout! 1"] = "buffer_gone",
    ["new | bdelete! 1"] = "buffer_gone",
    ["new | bunload! 1"] = "buffer_gone",
    ["set nomodifiable"] = "not_modifiable",
  }) do
    local nvim = with_job({ "a", "b" }, line(1, 2))
    nvim:lua("vim.cmd(...)", command)
    nvim:ticks(3)
    nvim:answer(1, { "A" })
    equal(nvim:outcome(1), { "done", "held", reason }, command)
    equal({ nvim:job(1).text, nvim:lua("return vim.v.errmsg") }, { "A", "" })
  end
end)

test("an answer lands in a file that was closed and is open again", function()
  local nvim = child.with_host({ "x" })
  nvim:lua("path = vim.fn.tempname() vim.fn.writefile({ 'one', 'two' }, path) vim.cmd.edit(path)")
  nvim:run(line(2))
  nvim:lua("vim.cmd.enew() vim.cmd.bwipeout({ path, bang = true }) vim.cmd.edit(path)")
  nvim:answer(1, { "TWO" })
  equal({ nvim:outcome(1), nvim:lines() }, { APPLIED, { "one", "TWO" } })
end)

test("an answer lands in a buffer that takes changes again", function()
  for _, again in ipairs({ ":setlocal modifiable<CR>", ":new<CR>:lua vim.bo[1].modifiable = true<CR>" }) do
    local nvim = child.with_host({ "a", "b" })
    nvim:type(":setlocal nomodifiable<CR>")
    nvim:run(line(1, 2))
    nvim:ticks(1)
    nvim:type(again)
    nvim:answer(1, { "A" })
    equal(nvim:outcome(1), APPLIED, again)
  end
end)

test("with review nothing lands by itself", function()
  for setup, command in pairs({
    [""] = ":1Botglue! run it<CR>",
    ["require('botglue').setup({ review = true })"] = ":1Botglue run it<CR>",
  }) do
    local nvim = child.with_host({ "a" })
    nvim:lua(setup)
    nvim:type(command)
    nvim:answer(1, { "A" })
    equal({ nvim:outcome(1), nvim:lines() }, { { "done", "held", "review" }, { "a" } })
  end
end)

test("Neovim does not end without a word where nothing keeps a held answer", function()
  local nvim = child.with_host({ "a", "b" })
  nvim:lua("require('botglue').setup({ data_dir = '/dev/null/none' })")
  nvim:run(line(1), { review = true })
  nvim:answer(1, { "A" })
  equal(nvim:outcome(1), { "done", "held", "review" })
  nvim:api("input", "2G:split<CR>:qa!<CR>")
  nvim:shows("nothing keeps the held answers (job 1)")
  nvim:type("s")
  equal(nvim:lua("return { vim.fn.line('.'), vim.fn.winnr('$') }"), { 2, 2 })
  equal(nvim:outcome(1), { "done", "held", "review" })
end)
