local child = require("support.child")
local suite = require("support.suite")
local test, equal = suite.test, suite.equal
local line, with_job = child.line, child.with_job

local function below(row)
  return { kind = "insert", first = { row } }
end

test("somebody else's listener that fails leaves no half of an answer", function()
  for _, listener in ipairs({ "on_lines", "on_bytes" }) do
    local nvim = with_job({ "a", "b", "c" }, line(1, 3))
    nvim:lua("vim.api.nvim_buf_attach(0, false, { [...] = function() error('theirs') end })", listener)
    nvim:answer(1, { "A", "b", "C" })
    equal(nvim:lines(), { "A", "b", "C" }, listener)
    equal(nvim:outcome(1), { "done", "applied" }, listener)
  end
end)

test("a text that is written anew right behind the request, as a formatter does, is the same", function()
  local nvim = child.with_host({ "one", "second row", "three" })
  for id, change in ipairs({
    "silent %!cat",
    "silent %!cat",
    "lua vim.api.nvim_buf_set_lines(0, 0, -1, true, rows)",
  }) do
    nvim:lua("rows = vim.api.nvim_buf_get_lines(0, 0, -1, true)")
    local run = "require('botglue').run({ prompt = 'it', range = ... }) vim.cmd(select(2, ...))"
    nvim:lua(run, line(2), change)
    nvim:answer(id, { "answer " .. id })
    equal({ nvim:lines(), nvim:outcome(id) }, { { "one", "answer " .. id, "three" }, { "done", "applied" } })
  end
end)

--- What an answer puts in place of a range, after keys: the rows then. (Where ranges are after other edits:
--- `tests/it/document`.)
local LANDINGS = {
  ["characters"] = {
    { "x = größe + 1", "y" },
    { kind = "char", first = { 1, 4 }, last = { 1, 10 } },
    "gg0inew <Esc>A // end<Esc>",
    { "a(", "  b)" },
    { "new x = a(", "  b) + 1 // end", "y" },
  },
  ["a block"] = {
    { "ab12cd", "ef34gh", "i", "jk56" },
    { kind = "block", first = { 1, 2 }, last = { 4, 3 } },
    "ggOabove<Esc>jIxx<Esc>",
    { "one", "", "three", "4" },
    { "above", "xxabonecd", "efgh", "i three", "jk4" },
  },
  ["an insertion"] = { { "a", "b" }, below(1), "ggOx<Esc>joy<Esc>", { "1" }, { "x", "a", "1", "y", "b" } },
  ["an insertion at the top"] = { { "a", "b" }, below(0), "", { "1", "2" }, { "1", "2", "a", "b" } },
  ["an insertion below a row that is split"] = {
    { "f(a, b)", "c" },
    below(1),
    "gg0f,a<CR><Esc>",
    { "1" },
    { "f(a,", "b)", "1", "c" },
  },
  ["an insertion below a row that is gone"] = { { "a", "b" }, below(1), "ggdd", { "1" }, { "1", "b" } },
  ["an insertion into an empty buffer"] = { { "" }, below(1), "", { "1", "2" }, { "1", "2" } },
}

for name, case in pairs(LANDINGS) do
  test("an answer lands where its range has moved to: " .. name, function()
    local lines, range, keys, answer, expected = unpack(case)
    local nvim = with_job(lines, range)
    nvim:type(keys)
    nvim:answer(1, answer)
    equal({ nvim:outcome(1), nvim:lines() }, { { "done", "applied" }, expected })
    local job = nvim:job(1)
    if #answer > 0 and range.kind ~= "line" then
      equal(job.last_line - job.first_line + 1, #answer)
    end
  end)
end

test("a read-only buffer is only text: written without the warning", function()
  local nvim = child.with_host({ "a" })
  nvim:lua("vim.cmd('silent file x | set nomodified readonly')")
  nvim:run(line(1, 1))
  nvim:answer(1, { "A" })
  equal(nvim:lines(), { "A" })
  equal(nvim:lua("return vim.bo.readonly"), true)
  equal(nvim:messages():find("W10"), nil)
end)

test("an answer that cannot be written whole is held, and can be accepted then", function()
  local nvim = with_job({ "a", "b", "c" }, line(1, 3))
  -- A listener of somebody's that is called between the two edits.
  nvim:lua([[
    vim.api.nvim_buf_attach(0, false, { on_lines = function()
      if not vim.g.is_over then
        vim.g.is_over, vim.bo.modifiable = true, false
      end
    end })
  ]])
  nvim:answer(1, { "A", "b", "C" })
  equal({ nvim:job(1).landing, nvim:lines() }, { "held", { "a", "b", "c" } })
  nvim:lua("vim.bo.modifiable = true")
  nvim:type(":Botglue accept 1<CR>")
  equal({ nvim:job(1).landing, nvim:lines() }, { "applied", { "A", "b", "C" } })
end)

test("an answer that would do damage as it is is held, and says how", function()
  local nvim = child.with_host({ "one", "two", "three" })
  nvim:type(":set filetype=python<CR>:1,3Botglue run it<CR>")
  nvim:answer(1, { "@@ -2 +2 @@", "-two", "+TWO" })
  equal({ nvim:outcome(1), nvim:job(1).held_why }, { { "done", "held", "doubtful" }, "the answer is a diff" })
  equal(nvim:lines(), { "one", "two", "three" })
  nvim:type(":Botglue review 1<CR>")
  nvim:shows("◆ claude · the answer is a diff")
  nvim:type(":Botglue accept 1<CR>")
  equal(nvim:lines(), { "one", "TWO", "three" })
end)
