-- Hunks that were taken by hand in a review of a file that is written, thrown away and read again.

local child = require("support.child")
local suite = require("support.suite")
local test, equal = suite.test, suite.equal
local line = child.line

test(
  "a hunk that was taken and thrown away by reading the file again, after another one was written",
  function()
    for _, between in ipairs({ {}, { "GAown<Esc>" }, { "q", "2GAown<Esc>", ":Botglue review<CR>", "<C-w>h" } }) do
      local nvim = child.with_host({ "a", "b", "c", "d", "e", "f" })
      nvim:lua("vim.cmd.saveas(vim.fn.tempname()); vim.cmd('set noswapfile')")
      nvim:run(line(2, 5), { review = true })
      nvim:answer(1, { "b", "X", "c", "d", "Y", "e" })
      local keys = { ":Botglue review<CR>", "3Gdp", "<C-w>h:write<CR>", "<C-w>l/Y<CR>dp", "<C-w>h:edit!<CR>" }
      nvim:play(vim.list_extend(keys, between))
      nvim:type("<C-w>la")
      nvim:settle()
      local question = nvim:host("received", "merge")
      local base = question[#question].base
      equal(
        { vim.list_contains(base, "X"), vim.list_contains(base, "Y") },
        { true, false },
        table.concat(between)
      )
    end
  end
)

test("what was taken, through reading the file again and undoing that", function()
  for _, keys in ipairs({
    { ":edit!<CR>", "u", "7Goown<Esc>" },
    { ":write<CR>", ":edit!<CR>", "u", "<C-r>", "7Goown<Esc>" },
    { ":write<CR>", ":edit!<CR>", "2u", "2<C-r>", "7Goown<Esc>" },
    { "2u", "2<C-r>", ":write<CR>", ":edit!<CR>", "7Goown<Esc>" },
    { "7Goown<Esc>", ":write<CR>", ":edit!<CR>", "2u", "2<C-r>" },
    { ":write<CR>", "u", ":edit!<CR>", "7Goown<Esc>" },
    { ":write<CR>", "u", "ggOx<Esc>", ":edit!<CR>", "7Goown<Esc>" },
  }) do
    local nvim = child.with_host({ "a", "b", "c", "d", "e", "f" })
    nvim:lua("vim.cmd.saveas(vim.fn.tempname()); vim.cmd('set noswapfile')")
    nvim:type("GAx<Esc>")
    nvim:run(line(2, 5), { review = true })
    nvim:answer(1, { "b", "X", "c", "d", "e", "E1", "E2" })
    local all = vim.list_extend({ ":Botglue review<CR>", "/E1<CR>dp", "q" }, keys)
    nvim:play(vim.list_extend(all, { ":Botglue accept<CR>" }))
    equal(table.concat(nvim:lines(), " "), "a b X c d e E1 E2 own fx", table.concat(keys))
  end
end)

test("what was taken and changed in the file by another program is not put in once more", function()
  for _, keys in ipairs({ { "q" }, {} }) do
    local nvim = child.with_host({ "a", "b", "c", "d", "e", "f" })
    nvim:lua("vim.cmd.saveas(vim.fn.tempname()); vim.cmd('set noswapfile autoread')")
    nvim:run(line(2, 5), { review = true })
    nvim:answer(1, { "b", "X", "c", "d", "e", "E1", "E2" })
    local all = { ":Botglue review<CR>", "/E1<CR>dp", "<C-w>h:write<CR><C-w>l", keys }
    all[#all + 1] =
      ":lua vim.fn.writefile({ 'a', 'b', 'c', 'd', 'e', 'E1', 'E2x', 'f' }, vim.fn.bufname(1))<CR>"
    all[#all + 1] = ":checktime<CR>"
    all[#all + 1] = ":Botglue accept 1<CR>"
    nvim:play(all)
    equal(nvim:job(1).landing, "held", vim.inspect(keys))
    local lines = nvim:lua("return vim.api.nvim_buf_get_lines(1, 0, -1, true)")
    equal(table.concat(lines, " "), "a b c d e E1 E2x f", vim.inspect(keys))
  end
end)

test("what was taken and thrown away with its buffer was never taken", function()
  local nvim = child.with_host({ "a", "b", "c", "d", "e", "f" })
  nvim:lua("vim.cmd.saveas(vim.fn.tempname()); vim.cmd('set noswapfile hidden')")
  nvim:run(line(2, 5), { review = true })
  nvim:answer(1, { "b", "X", "c", "d", "Y", "e" })
  for _, keys in ipairs({
    ":Botglue review<CR>",
    "/Y<CR>dp",
    "q",
    ":split<CR>",
    ":bdelete!<CR>",
    ":Botglue review<CR>",
    "a",
  }) do
    nvim:type(keys)
    nvim:settle()
  end
  local lines = nvim:lua("return vim.api.nvim_buf_get_lines(1, 0, -1, true)")
  equal(table.concat(lines, " "), "a b X c d Y e f")
end)

test("rows that were taken, typed into where no review sees it, written and read again", function()
  for _, keys in ipairs({
    { "6Goown<Esc>" },
    { "6Go", "o", "w", "n", "<Esc>" },
    { "6GO", "o", "wn<Esc>" },
    -- Next to them.
    { "7Goown<Esc>" },
    { "7Go", "o", "w", "n", "<Esc>" },
    { "8GA", "x", "y", "<Esc>" },
    { "1GA", "x", "y", "<Esc>" },
    { "1GAx<Esc>", "8GAx<Esc>" },
  }) do
    local nvim = child.with_host({ "a", "b", "c", "d", "e", "f" })
    nvim:lua("vim.cmd.saveas(vim.fn.tempname()); vim.cmd('set noswapfile')")
    nvim:run(line(2, 5), { review = true })
    nvim:answer(1, { "b", "X", "c", "d", "e", "E1", "E2" })
    local all = vim.list_extend({ ":Botglue review<CR>", "/E1<CR>dp", "q" }, keys)
    nvim:play(vim.list_extend(all, { ":write<CR>", ":edit!<CR>", ":Botglue accept<CR>" }))
    local question = nvim:host("received", "merge")
    local last = question[#question]
    equal({ last.base[#last.base], last.current[#last.current] }, { "E2", "E2" }, table.concat(keys))
  end
end)

test("what was taken and read again behind the review is put in when the answer is accepted", function()
  local rows = { "the first row of all", "the second of them", "the third one", "the fourth" }
  local nvim = child.with_host(rows)
  nvim:lua("vim.cmd.file(vim.fn.tempname()) vim.cmd('silent write')")
  nvim:run(line(1, 4), { review = true })
  nvim:answer(1, { "the FIRST row of all", rows[2], rows[3], rows[4] })
  for _, keys in ipairs({
    ":Botglue review<CR>1Gdp",
    "q",
    ":edit!<CR>",
    "1GA x<Esc>",
    ":Botglue accept 1<CR>",
  }) do
    nvim:type(keys)
    nvim:settle()
  end
  equal({ nvim:lines()[1], nvim:job(1).landing }, { "the FIRST row of all", "applied" })
end)

test("what was taken, written and read again does not come twice", function()
  for _, between in ipairs({ ":edit!<CR>", ":edit!<CR>1Onew<Esc>", ":%!cat<CR>", ":edit!<CR>:%!cat<CR>" }) do
    local rows = { "one", "two", "three", "four" }
    local nvim = child.with_host(rows)
    nvim:lua("vim.cmd.file(vim.fn.tempname()) vim.cmd('silent write')")
    nvim:run(line(2, 3), { review = true })
    nvim:answer(1, { "two", "and a half", "three", "and more" })
    nvim:play({ ":Botglue review<CR>G-dp", "q", ":write<CR>", between, ":Botglue accept 1<CR>" })
    local lines = nvim:lines()
    if lines[1] == "new" then
      table.remove(lines, 1)
    end
    equal(lines, { "one", "two", "and a half", "three", "and more", "four" }, between)
  end
end)

test("what was taken at the top, changed, written and read again does not come twice", function()
  local nvim = child.with_host({ "one", "two", "three", "four" })
  nvim:lua("vim.cmd.file(vim.fn.tempname()) vim.cmd('silent write')")
  nvim:run(line(1, 3), { review = true })
  nvim:answer(1, { "zero", "one", "TWO", "three", "more" })
  local open = ":Botglue review<CR>zn<C-w>hzn<C-w>l"
  nvim:play({ open, "5Gdp", "<C-w>h4GA!<Esc>", ":write<CR>", ":edit!<CR>", "<C-w>l", "a" })
  equal(nvim:lines(), { "zero", "one", "TWO", "three", "more!", "four" })
end)

test("what was taken and undone in an undo tree that is gone was never taken", function()
  local again = { ":let g:path = expand('%:p')<CR>", ":bdelete!<CR>", ":execute 'edit' g:path<CR>" }
  local unread = { ":set undoreload=0<CR>", ":edit!<CR>" }
  local block = { kind = "block", first = { 2, 0 }, last = { 5, 0 } }
  for _, each in ipairs({
    { line(2, 5), { "b", "X", "c", "d", "Y", "e" }, "/Y<CR>dp", "a b X c d Y e f" },
    -- Rows that it takes away.
    { line(2, 5), { "b", "e", "F" }, "<C-w>h/c<CR>do", "a b e F f" },
    { block, { "B", "c", "d", "E" }, "/E<CR>:.diffput<CR>", "a B c d E f" },
  }) do
    for _, way in ipairs({
      { "u", ":write<CR>", again },
      { "u", ":write<CR>", again, ":Botglue review<CR>", "q" },
      { again },
      { again, ":Botglue review<CR>", "q" },
      { unread },
      { "u", unread, ":Botglue review<CR>", "q" },
    }) do
      local nvim = child.with_host({ "a", "b", "c", "d", "e", "f" })
      nvim:lua("vim.cmd.saveas(vim.fn.tempname()); vim.cmd('set noswapfile hidden')")
      nvim:run(each[1], { review = true })
      nvim:answer(1, each[2])
      local keys = { ":Botglue review<CR>", each[3], "<C-w>lq", way, "GAown<Esc>" }
      for _, key in ipairs(vim.list_extend(keys, { ":Botglue review<CR>", "a" })) do
        nvim:play({ key })
      end
      local lines = nvim:lua("return vim.api.nvim_buf_get_lines(1, 0, -1, true)")
      equal(table.concat(lines, " "), each[4] .. "own", vim.inspect({ each[3], way }))
    end
  end
end)

test("both sides are compared again where the buffer was read again in its window of the review", function()
  for _, unload in ipairs({ ":bdelete!<CR>", ":bunload!<CR>", ":enew!<CR>" }) do
    local path = vim.fn.tempname()
    local nvim = child.with_host({ "a", "b", "c", "d" })
    nvim:lua("vim.cmd.file(...) vim.cmd('silent write')", path)
    nvim:run(line(2, 3), { review = true })
    nvim:answer(1, { "b", "X", "c" })
    nvim:play({ ":Botglue review<CR>", "<C-w>h", unload, ":edit " .. path .. "<CR>" })
    local seen = nvim:lua([[return vim.tbl_map(function(win)
      return { vim.wo[win].diff, vim.wo[win].winbar ~= "" }
    end, vim.api.nvim_tabpage_list_wins(0))]])
    equal(seen, { { true, true }, { true, true } }, unload)
    nvim:type("<C-w>l/X<CR>dp")
    nvim:settle()
    equal(nvim:lua("return vim.api.nvim_buf_get_lines(1, 0, -1, true)"), { "a", "b", "X", "c", "d" }, unload)
  end
end)

test("what was taken, and begins as what is next to the range does, in a file that is read again", function()
  local lines = { "fn main() {", "    run();", "}", "", "fn z() {", "}" }
  local answer = { "fn main(x) {", "    run();", "}", "", "fn e() {", "    one();", "}" }
  local shorter = { "fn main(x) {", "    run();", "}" }
  local once = table.concat(answer, "|") .. "||fn z() {|}"
  local take = { ":Botglue review<CR>", "/fn e<CR>dp" }
  local long =
    vim.list_extend(vim.list_slice(lines, 1, 4), { "fn e() {", "    one();", "}", "", "fn z() {", "}" })
  local delete = { ":Botglue review<CR>", "<C-w>h/fn e<CR>do<C-w>l" }
  for _, each in ipairs({
    { lines, 3, answer, take, { "q", ":write<CR>", "u", ":edit!<CR>" }, once },
    { lines, 3, answer, take, { "q", ":write<CR>", "u", ":bdelete!<CR>", ":edit #<CR>" }, once },
    { lines, 3, answer, take, { "<C-w>h:write<CR>", "u", ":edit!<CR>", "<C-w>lq" }, once },
    -- Changed by a formatter, nobody knows what is left of it.
    { lines, 3, answer, take, { "q", ":write<CR>", ":%!sed 's/one()/one(1)/'<CR>" } },
    {
      lines,
      3,
      answer,
      take,
      { "q", ":write<CR>", ":silent !sed -i 's/one()/one(1)/' %<CR>", ":checktime<CR>" },
    },
    { lines, 3, answer, take, { "q", ":write<CR>", ":silent !sed -i '5,7s/^/  /' %<CR>", ":checktime<CR>" } },
    { lines, 3, answer, take, { "q", ":write<CR>", ":silent !sed -i '4,7s/^/  /' %<CR>", ":checktime<CR>" } },
    -- A row that reads as those below the range, thrown away.
    {
      { "<p>", "one", "<br>", "<br>", "<br>", "two", "</p>" },
      3,
      { "<p class>", "one", "<br>", "<br>" },
      { ":Botglue review<CR>", "G[cdp" },
      { "q", ":edit!<CR>" },
      "<p class>|one|<br>|<br>|<br>|<br>|two|</p>",
    },
    -- A deletion that was taken, and is not in the file.
    { long, 7, shorter, delete, { "q", ":edit!<CR>" }, table.concat(shorter, "|") .. "||fn z() {|}" },
    {
      long,
      7,
      shorter,
      delete,
      { "<C-w>h:edit!<CR>", "<C-w>lq" },
      table.concat(shorter, "|") .. "||fn z() {|}",
    },
  }) do
    for _, way in ipairs({ { ":Botglue review<CR>", "a" }, { ":Botglue accept 1<CR>" } }) do
      local nvim = child.with_host(each[1])
      nvim:lua(
        "vim.cmd.file(vim.fn.tempname()) vim.cmd('silent write') vim.cmd('set noswapfile hidden autoread')"
      )
      nvim:run(line(1, each[2]), { review = true })
      nvim:answer(1, each[3])
      nvim:play({ each[4], each[5], way })
      local left = table.concat(nvim:lua("return vim.api.nvim_buf_get_lines(1, 0, -1, true)"), "|")
      local what = vim.inspect({ each, way })
      if each[6] then
        equal(left, each[6], what)
      else
        equal(nvim:job(1).landing, "held", what)
        equal(select(2, left:gsub("fn e", "")), 1, what)
      end
    end
  end
end)
