-- Hunks that were taken by hand in a review, and stand in a file that another program changed since: in the same
-- Neovim, in a buffer that was wiped out, and in the next Neovim.

local child = require("support.child")
local review = require("support.review")
local suite = require("support.suite")
local test, equal = suite.test, suite.equal
local line = child.line

local LINES = { "a a1", "b b1", "c c1", "d d1", "e e1", "f f1", "g g1" }
local ANSWER = { "b b1", "c c1", "M m1", "d d1", "e e1", "F1 ff", "F2 ff" }
local SAME = { ":silent edit!<CR>" }
local WIPED = { ":silent bwipeout!<CR>", ":execute 'edit' g:path<CR>" }

--- A Neovim with a held answer to rows 2 to 5 of a file.
local function held()
  local nvim = child.with_host(LINES)
  nvim:lua("vim.g.path = vim.fn.tempname() vim.cmd.file(vim.g.path) vim.cmd('silent write')")
  nvim:lua("vim.cmd('set noswapfile hidden autoread')")
  nvim:run(line(2, 5), { review = true })
  nvim:answer(1, ANSWER)
  return nvim
end

--- The next Neovim, on the same file and with what the store has of the answer.
local function next_nvim(nvim)
  local told = nvim:host("received", "draft")
  local other = child.start()
  other:lua("require('support.host').install() vim.cmd('set noswapfile hidden autoread')")
  other:lua("vim.g.path = ... vim.cmd.edit(...)", nvim:lua("return vim.g.path"))
  local rows = vim.list_slice(LINES, 2, 5)
  local answer = review.stored(nvim:lua("return vim.g.path"), {
    last_line = 5,
    base = rows,
    rows = rows,
    cols = { 0, 0, 0, 0 },
    beside = { above = LINES[1], below = LINES[6] },
    lines = ANSWER,
    draft = #told > 0 and told[#told].draft or nil,
    held_for = "review",
  })
  other:host("earlier", answer)
  return other
end

--- The rows of the file's buffer, each by its first word.
local function left(nvim)
  local bufnr = nvim:lua("return vim.fn.bufnr(vim.g.path)")
  local rows = nvim:lua("return vim.api.nvim_buf_get_lines(..., 0, -1, true)", bufnr)
  return table.concat(
    vim.tbl_map(function(row)
      return row:match("%S+") or "-"
    end, rows),
    " "
  )
end

--- The job's landing, and the rows.
local function outcome(nvim)
  return { nvim:job(1).landing, left(nvim) }
end

local SED = ":silent !sed -i '%s' %s<CR>"

for _, change in ipairs({
  { "a blank row in front of it", "s/^F1/\\nF1/", "a b c d e - F1 F2 f g" },
  { "all of it", "s/^F/xF/", "a b c d e xF1 xF2 f g" },
  { "all of it and the rows that there are", "s/^F/\\n\\nxF/", "a b c d e - - xF1 - - xF2 f g" },
  { "rows at both of its ends", "s/^F1/\\nF1/;s/^F2.*/&\\n/", "a b c d e - F1 F2 - f g" },
}) do
  local what, program, rows = unpack(change)
  test("what was taken is not put in once more where another program changes " .. what, function()
    local sed = SED:format(program, "#1")
    local take = { ":Botglue review<CR>", "/F1<CR>dp", "q", ":silent write<CR>" }
    for _, read in ipairs({
      { sed, ":checktime<CR>" },
      { sed, SAME },
      { ":silent bdelete<CR>", sed, ":silent edit #1<CR>" },
    }) do
      local nvim = held()
      nvim:play(take, read, ":Botglue review<CR>", "a")
      equal(outcome(nvim), { "held", rows }, vim.inspect(read))
    end
    local nvim = held()
    nvim:play(take, sed, WIPED, ":Botglue accept<CR>", ":Botglue review<CR>", "a")
    equal(outcome(nvim), { "held", rows }, "wiped out")
    nvim = held()
    nvim:play(take, sed)
    nvim = next_nvim(nvim)
    nvim:play(":Botglue review<CR>", "a", ":Botglue accept<CR>")
    equal(outcome(nvim), { "held", rows }, "the next Neovim")
  end)
end

test(
  "what was taken stays taken in the next Neovim, also with other rows in it and below other ones",
  function()
    for _, edit in ipairs({ "", "ggOown own<Esc>" }) do
      local nvim = held()
      nvim:play(":Botglue review<CR>", "/F1<CR>dp", "q", "/F1<CR>A mine<Esc>", edit, ":silent write<CR>")
      nvim = next_nvim(nvim)
      nvim:play(":Botglue review<CR>", "a")
      equal(outcome(nvim), { "merged", (edit == "" and "" or "own ") .. "a b c M d e F1 F2 f g" })
      local bufnr = nvim:lua("return vim.fn.bufnr(vim.g.path)")
      local rows = nvim:lua("return vim.api.nvim_buf_get_lines(..., 0, -1, true)", bufnr)
      equal(vim.list_contains(rows, "F1 ff mine"), true)
    end
  end
)

test("what was taken is known to be in the file however that was written", function()
  for _, write in ipairs({
    { ":diffput|silent wall<CR>", "q" },
    { ":autocmd TextChanged * silent wall<CR>", "<C-w>h6Gdo", "<C-w>lq", ":autocmd! TextChanged<CR>" },
    { "dp", "q", ":silent noautocmd write<CR>", ":silent bdelete<CR>" },
    { "dp", "<C-w>h:silent noautocmd write<CR>", "<C-w>lq", ":silent bdelete<CR>" },
  }) do
    local nvim = held()
    nvim:play(":Botglue review<CR>", "/F1<CR>", write, SED:format("s/^F/xF/", "#1"))
    nvim:play(":execute 'silent edit' g:path<CR>", ":checktime<CR>", ":Botglue review<CR>", "a")
    equal(outcome(nvim), { "held", "a b c d e xF1 xF2 f g" }, vim.inspect(write))
  end
end)

test("what was taken and undone before the file was written was never taken there", function()
  local nvim = held()
  nvim:play(":Botglue review<CR>", "/F1<CR>dp", "q", ":silent write<CR>", "u", ":silent write<CR>")
  local told = nvim:host("received", "draft")
  equal(told[#told], { id = 1 })
  nvim = next_nvim(nvim)
  nvim:play(":Botglue review<CR>", "a")
  equal(outcome(nvim), { "applied", "a b c M d e F1 F2 f g" })
end)

test("an earlier text of the file is known again, with what was taken then", function()
  local nvim = held()
  nvim:lua("vim.fn.writefile(vim.fn.readfile(vim.g.path), vim.g.path .. '.old')")
  nvim:play(":Botglue review<CR>", "/F1<CR>dp", "q", ":silent write<CR>", ":silent !cp %.old %<CR>", SAME)
  nvim:play(":Botglue review<CR>", "a")
  equal(outcome(nvim), { "applied", "a b c M d e F1 F2 f g" })
end)

test("what was taken is where it was, though another program added rows above it", function()
  local nvim = held()
  local sed = SED:format("1s/^/x\\nx\\nx\\nx\\nx\\nx\\nx\\nx\\nx\\n/", "%")
  nvim:play(":Botglue review<CR>", "/F1<CR>dp", "q", ":silent write<CR>", sed, SAME)
  nvim:play(":Botglue review<CR>", "a")
  equal(outcome(nvim), { "merged", ("x "):rep(9) .. "a b c M d e F1 F2 f g" })
end)

test("a file that was written somewhere else, or in part, tells nothing of what was taken", function()
  local nvim = held()
  nvim:play(
    ":Botglue review<CR>",
    "/F1<CR>dp",
    "q",
    ":silent write! %.copy<CR>",
    ":silent 1,3write! %.part<CR>"
  )
  equal(#nvim:host("received", "draft"), 0)
  nvim:play(":silent bwipeout!<CR>", ":execute 'edit' g:path<CR>", ":Botglue review<CR>", "a")
  equal(outcome(nvim), { "applied", "a b c M d e F1 F2 f g" })
end)

test("of a part and of an insertion nobody knows in the next Neovim what of it stands in the file", function()
  for _, each in ipairs({
    { { kind = "char", first = { 2, 2 }, last = { 2, 3 } }, { "x1", "y1", "z1" }, "/y1<CR>:.diffput<CR>" },
    { { kind = "insert", first = { 2 } }, { "x1", "y1", "z1" }, "/y1<CR>:.diffput<CR>" },
  }) do
    local nvim = child.with_host(LINES)
    nvim:lua("vim.g.path = vim.fn.tempname() vim.cmd.file(vim.g.path) vim.cmd('silent write')")
    nvim:run(each[1], { review = true })
    nvim:answer(1, each[2])
    nvim:play(":Botglue review<CR>", each[3], "q", ":silent write<CR>")
    local told = nvim:host("received", "draft")
    equal(told[#told].draft.disk_rows, {}, each[1].kind)
    local there = left(nvim)
    nvim:play(":silent !sed -i 's/y1/Y1/' #1<CR>", WIPED, ":Botglue review<CR>", "a")
    equal(outcome(nvim), { "held", (there:gsub("y1", "Y1")) }, each[1].kind)
  end
end)

test(
  "what stands next to the range in a recovered text, and was written, is known to be in the file",
  function()
    local nvim = held()
    nvim:play(":Botglue review<CR>", "/F1<CR>dp", "q")
    nvim = next_nvim(nvim)
    nvim:lua("vim.api.nvim_buf_set_lines(0, 5, 5, true, { 'F1 ff', 'F2 ff' })")
    nvim:play(
      ":Botglue review<CR>",
      "q",
      ":silent write<CR>",
      SED:format("s/^F/xF/", "%"),
      ":silent edit!<CR>"
    )
    nvim:play(":Botglue review<CR>", "a")
    equal(outcome(nvim), { "held", "a b c d e xF1 xF2 f g" })
    nvim = next_nvim(nvim)
    nvim:play(":Botglue review<CR>", "a")
    equal(outcome(nvim), { "held", "a b c d e xF1 xF2 f g" }, "the next Neovim")
  end
)

test("what was taken and written without a word is known in a file that is read again at once", function()
  for _, read in ipairs({ { ":checktime<CR>" }, SAME }) do
    local nvim = held()
    nvim:play(":Botglue review<CR>", "/F1<CR>dp", "<C-w>h:silent noautocmd write<CR>", "<C-w>l")
    nvim:play(SED:format("s/^F/xF/", "#1"), "<C-w>h", read, "<C-w>la", "q", ":Botglue accept 1<CR>")
    equal(outcome(nvim), { "held", "a b c d e xF1 xF2 f g" }, vim.inspect(read))
  end
end)

test("what was taken of a part is not put in once more where another program changes it", function()
  for _, each in ipairs({ { "/gamma<CR>dp" }, { "/gamma<CR>:.diffput<CR>" }, { "/beta<CR>:.diffput<CR>" } }) do
    for _, read in ipairs({ ":checktime<CR>", ":silent edit!<CR>", WIPED }) do
      local nvim = child.with_host({ "r1", "let x = call(alpha, tail);", "r3", "r4" })
      nvim:lua("vim.g.path = vim.fn.tempname() vim.cmd.file(vim.g.path) vim.cmd('silent write')")
      nvim:lua("vim.cmd('set noswapfile hidden autoread')")
      nvim:run({ kind = "char", first = { 2, 13 }, last = { 2, 17 } }, { review = true })
      nvim:answer(1, { "beta,", "  gamma" })
      nvim:play(":Botglue review<CR>", each, "q", ":silent write<CR>")
      nvim:play(SED:format("s/gamma/GAMMA/;s/beta/BETA/", "%"), read, ":Botglue review<CR>", "a")
      equal(nvim:job(1).landing, "held", vim.inspect({ each, read }))
      local lines = nvim:lua("return vim.api.nvim_buf_get_lines(vim.fn.bufnr(vim.g.path), 0, -1, true)")
      equal(table.concat(lines, "|"):find("gamma") or table.concat(lines, "|"):find("beta"), nil)
    end
  end
end)

test("rows that the user changed while the job ran are found in the next Neovim", function()
  local nvim = held()
  nvim:play("2GA mine<Esc>", ":silent write<CR>")
  local told = nvim:host("received", "draft")
  equal(told[#told].draft, { disk_rows = { "b b1 mine", "c c1", "d d1", "e e1" } })
  nvim = next_nvim(nvim)
  nvim:play(":Botglue review<CR>", "a")
  equal(outcome(nvim), { "merged", "a b c M d e F1 F2 f g" })
  local bufnr = nvim:lua("return vim.fn.bufnr(vim.g.path)")
  equal(nvim:lua("return vim.api.nvim_buf_get_lines(..., 1, 2, true)", bufnr), { "b b1 mine" })
  nvim = held()
  nvim:play("2GA mine<Esc>", ":silent write<CR>", "u", ":silent write<CR>")
  told = nvim:host("received", "draft")
  equal(told[#told], { id = 1 })
end)

test("a range whose rows another program changed is not found by the next change of the file", function()
  local nvim = held()
  nvim:play(":Botglue review<CR>", "<C-w>h", SED:format("s/^c/new\\nc/", "%"), SAME)
  nvim:play(SED:format("s/^g/xg/", "%"), SAME, "<C-w>la")
  equal(outcome(nvim), { "held", "a b new c d e f xg" })
  equal(
    review.texts(nvim)[2],
    { LINES[1], unpack(vim.list_extend(vim.deepcopy(ANSWER), { LINES[6], LINES[7] })) }
  )
end)

test("what was taken where nobody knew the place, and undone, leaves that as it was", function()
  local nvim = held()
  nvim:play(":Botglue review<CR>", "<C-w>h", SED:format("s/^c/xc/;s/^e/xe/", "%"), SAME, "<C-w>l")
  nvim:play(":%diffput<CR>")
  equal(left(nvim), "a b c M d e F1 F2 f g")
  nvim:play("<C-w>hu<C-w>l", "a")
  equal(outcome(nvim), { "held", "a b xc d xe f g" })
end)
