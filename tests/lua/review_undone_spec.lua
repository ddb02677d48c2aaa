-- Hunks that were taken by hand in a review, and undone or redone, seen by a review or not.

local child = require("support.child")
local review = require("support.review")
local suite = require("support.suite")
local test, equal = suite.test, suite.equal
local line, LINES = child.line, review.LINES
local in_review, texts = review.open, review.texts

test("a hunk that was taken before many changes, and is undone with all of them", function()
  for _, undo in ipairs({ ":silent earlier 41<CR>", "41u" }) do
    local nvim = in_review({ line(2, 4), { "B", "c", "D" } })
    nvim:type("2Gdp")
    nvim:settle()
    nvim:type("<C-w>hG")
    for _ = 1, 40 do
      nvim:type("ix<Esc>")
      nvim:settle()
    end
    nvim:type(undo)
    nvim:settle()
    equal(texts(nvim), { LINES, { "a", "B", "c", "D", "e" } }, undo)
    nvim:type("<C-w>la")
    nvim:settle()
    equal(nvim:lines(), { "a", "B", "c", "D", "e" }, undo)
  end
end)

test("a hunk that was taken and undone together with what no review has seen", function()
  for _, undo in ipairs({ "2u", ":silent earlier 2<CR>", ":silent undo 1<CR>" }) do
    local nvim = child.with_host(LINES)
    nvim:run(line(2, 4), { review = true })
    nvim:answer(1, { "B", "c", "D" })
    nvim:play({ "GAmine<Esc>", ":Botglue review<CR>", "2Gdp", "<C-w>h" .. undo })
    equal(texts(nvim), { LINES, { "a", "B", "c", "D", "e" } }, undo)
    nvim:type("<C-w>la")
    nvim:settle()
    equal(nvim:lines(), { "a", "B", "c", "D", "e" }, undo)
  end
end)

test("a row that was taken and moved where no review sees it, undone and redone at once", function()
  local answer = vim.split("b B1 c d D1 e f g G1 h i I1 j k", " ")
  for _, way in ipairs({ { "3u", "3<C-r>" }, { ":silent earlier 3<CR>", ":silent later 3<CR>" } }) do
    local nvim = child.with_host(vim.split("a b c d e f g h i j k l", " "))
    nvim:run(line(2, 11), { review = true })
    nvim:answer(1, answer)
    nvim:play({ ":Botglue review<CR>", "/D1<CR>", "dp", "q", "/D1<CR>", "dd", "jp" })
    local moved = nvim:lines()
    nvim:play(way)
    equal(nvim:lines(), moved)
    nvim:type(":Botglue accept<CR>")
    nvim:settle()
    local question = nvim:host("received", "merge")
    equal(vim.list_contains(question[#question].base, "D1"), true, table.concat(way))
  end
end)

test("rows that are typed above what was taken where no review sees it, undone and redone", function()
  local typed = { "ggO", "one", "<CR>", "two", "<Esc>" }
  local function after(range, answer, hunk, keys)
    local nvim = in_review({ range, answer })
    nvim:play({ hunk .. "dp", "q", keys, ":Botglue accept<CR>" })
    local question = nvim:host("received", "merge")
    return nvim:lines(), question[#question] and question[#question].base
  end
  local insertion = { kind = "insert", first = { 3 } }
  for _, way in ipairs({ { "2u", "2<C-r>" }, { ":silent earlier 2<CR>", ":silent later 2<CR>" } }) do
    local lines = after(insertion, { "n1", "n2" }, "/n1<CR>", { typed, way })
    equal(lines, { "one", "two", "a", "b", "c", "n1", "n2", "d", "e" }, table.concat(way))
  end
  for _, way in ipairs({ { "g-", "g+" }, { "2g-", "2g+" } }) do
    local lines = after(insertion, { "n1", "n2" }, "/n1<CR>", { "u", typed, way })
    equal(lines, { "one", "two", "a", "b", "c", "n1", "n2", "d", "e" }, table.concat(way))
    local _, base = after(line(2, 4), { "b", "B1", "c", "D1", "d" }, "/D1<CR>", { "u", typed, way })
    equal(base, { "b", "c", "d" }, table.concat(way))
    _, base = after(line(2, 4), { "b2", "d" }, "/b2<CR>", { "u", typed, way })
    equal(base, { "b", "c", "d" }, table.concat(way))
  end
end)

test(
  "an insertion that was taken and typed into where no review sees it, undone and redone at once",
  function()
    for _, way in ipairs({ { "2u", "2<C-r>" }, { ":silent earlier 2<CR>", ":silent later 2<CR>" } }) do
      local nvim = in_review({ { kind = "insert", first = { 3 } }, { "n1", "n2", "n3" } })
      nvim:play({ "4Gdp", "q", "5Goown<Esc>", way[1], way[2] })
      nvim:type(":Botglue accept<CR>")
      nvim:settle()
      equal(nvim:lines(), { "a", "b", "c", "n1", "n2", "own", "n3", "d", "e" }, table.concat(way))
    end
  end
)

test("a state in which something was taken, come to by one jump and left by another", function()
  local nvim = child.with_host({ "aaaa", "b", "c", "d", "e", "f" })
  nvim:run(line(2, 5), { review = true })
  nvim:answer(1, { "b", "X", "c", "d", "Y", "e" })
  local keys = { ":Botglue review<CR>", "/Y<CR>dp", "q", "u", "gg0" }
  for _ = 1, 36 do
    keys[#keys + 1] = "rx"
    keys[#keys + 1] = "ry"
  end
  nvim:play(vim.list_extend(keys, { ":undo 2<CR>", ":undo 74<CR>", ":Botglue accept<CR>" }))
  equal(table.concat(nvim:lines(), " "), "yaaa b X c d Y e f")
end)

test("undo and redo of a taken hunk at once leave the answer where it is", function()
  local nvim = in_review({ line(3, 3), { "c", "X1", "X2" } })
  nvim:play({ "<C-w>hgg]cdo", "/c<CR>omine<Esc>", "uu<C-r><C-r><C-w>la" })
  equal(
    { nvim:lines(), nvim:job(1).landing },
    { { "a", "b", "c", "mine", "X1", "X2", "d", "e" }, "unchanged" }
  )
end)

test("what was taken and undone behind the review is put in when the answer is accepted", function()
  local nvim = in_review({ { kind = "insert", first = { 2 } }, { "X1", "X2" } })
  nvim:play({ "/X1<CR>dp", "q", "u", "2GoY<Esc>", ":Botglue review<CR>", "a" })
  equal(nvim:lines(), { "a", "b", "X1", "X2", "Y", "c", "d", "e" })
  nvim:type("u")
  equal(nvim:lines(), { "a", "b", "Y", "c", "d", "e" })
end)

test(
  "nothing is accepted that the answer's side did not show, where undo there took away what the buffer has",
  function()
    for _, edit in ipairs({ "zn", "7GA own<Esc>", "7Goown<Esc>", "8Gdd" }) do
      for _, way in ipairs({ { "a" }, { "q", ":Botglue accept 1<CR>" } }) do
        local nvim = child.with_host({ "a", "b", "c", "d", "e", "f", "g", "h" })
        nvim:run(line(2, 6), { review = true })
        nvim:answer(1, { "b", "c", "D1", "d", "e", "f", "F1", "F2" })
        nvim:play(":Botglue review<CR>", "/F1<CR>", "Vjd", "<C-w>hzn6Gp", edit, "<C-w>l", "u", "u", way)
        equal(nvim:job(1).landing, "held", vim.inspect({ edit, way }))
        local lines = review.texts(nvim)
        nvim:play("a")
        equal(nvim:lines(), lines[2], vim.inspect({ edit, way }))
      end
    end
  end
)

test(
  "rows that were cut from the answer, and put into the buffer, are the answer's once all is undone",
  function()
    local function cut(more, way)
      local nvim = child.with_host({ "a", "b", "c", "d", "e", "f", "g", "h" })
      nvim:run(line(2, 6), { review = true })
      nvim:answer(1, { "b", "c", "D1", "d", "e", "f", "F1", "F2" })
      nvim:play(":Botglue review<CR>", more, "<C-w>hzn6Gp", "<C-w>l", "u", "u", way)
      nvim:play(":Botglue review 1<CR>", "a")
      return table.concat(nvim:lua("return vim.api.nvim_buf_get_lines(1, 0, -1, true)"), " ")
    end
    for _, way in ipairs({
      { "q", "u" },
      { "<C-w>hu", "<C-w>l", "q" },
      { "q", "u", ":Botglue accept 1<CR>", "q" },
    }) do
      equal(cut({ "/F1<CR>Vjd" }, way), "a b c D1 d e f F1 F2 g h", vim.inspect(way))
      equal(cut({ "/F2<CR>otyped<Esc>", "dd" }, way), "a b c D1 d e f F1 F2 typed g h", vim.inspect(way))
    end
  end
)

test("an undo in the answer that finds less text around it than there was then", function()
  local nvim = in_review({ { kind = "insert", first = { 3 } }, { "X", "Y" } })
  -- The first undo takes all that the buffer had.
  nvim:play("<C-w>h", "u", "<C-w>l", "<C-w>h", "1GI-<Esc>", "<C-w>l", "3Gdo", "1Gdp", "u")
  equal(texts(nvim), { { "-" }, { "-", "X", "Y" } })
  equal(nvim:messages():find("Error", 1, true), nil)
  nvim:play("a")
  equal({ nvim:lines(), nvim:job(1).landing }, { { "-", "X", "Y" }, "applied" })
end)

test("a hunk that one command takes from the buffer again, and reads the answer's side again", function()
  for _, keys in ipairs({ ":silent windo edit!<CR>", ":undo | wincmd l | edit!<CR>" }) do
    local nvim = in_review({ line(2, 4), { "b", "X", "c", "d", "Y" } })
    nvim:play("<C-w>h:execute 'silent saveas' tempname()<CR>", "<C-w>l")
    nvim:play("/X<CR>Ax<Esc>dp", keys:find("undo") and "<C-w>h" or "", keys)
    nvim:lua("vim.api.nvim_set_current_win(vim.api.nvim_tabpage_list_wins(0)[2])")
    local shown = { "a", "b", "Xx", "c", "d", "Y", "e" }
    equal(texts(nvim), { LINES, shown }, keys)
    nvim:play("a")
    equal({ nvim:lines(), nvim:job(1).landing }, { shown, "applied" }, keys)
  end
end)
