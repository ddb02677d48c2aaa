-- The review of a held answer in its buffer, with the real host. What is proposed in which text, and what is written of
-- it, is a matter of `tests/it/model`; how it looks, of `tests/it/screens` and `review_draw_spec`.

local child = require("support.child")
local suite = require("support.suite")
local test, equal, contains = suite.test, suite.equal, suite.contains
local line = child.line

local TWO, FOUR, NEW = "1 1 TWO", "3 1 FOUR", "6 0 new"
local UNCHANGED = "one two three four five six seven"
local TAKEN = "one TWO three four five six seven"
local BOTH = "one TWO three FOUR five six seven"
local ALL = "one TWO three FOUR five six new seven"

--- The hunks that are shown, as `first count lines`.
---@param nvim Child
---@return string[]
local function hunks(nvim)
  return nvim:lua([[
    local review, told = require("botglue.host.connection").review, require("support.host").received("shown")
    local shown, lines = told[#told], {}
    if not review or not shown or shown.id ~= review.job.id or shown.tick ~= vim.b[review.bufnr].changedtick then
      return {}
    end
    for _, hunk in ipairs(require("botglue").hunks(shown.id)) do
      local first, count = hunk.first - 1, hunk.last - hunk.first + 1
      lines[#lines + 1] =
        ("%d %d %s%s"):format(first, count, table.concat(hunk.lines, ","), hunk.conflict and " !" or "")
    end
    return lines
  ]])
end

--- Waits until these hunks are shown.
---@param nvim Child
---@param expected string[]
local function shows(nvim, expected)
  suite.becomes(expected, function()
    return hunks(nvim)
  end, "the hunks that are shown")
end

--- Whether a review is open.
---@param nvim Child
---@return boolean
local function is_open(nvim)
  return nvim:lua("return require('botglue.host.connection').review ~= nil")
end

--- Waits until no review is open any more.
---@param nvim Child
local function ended(nvim)
  suite.eventually("the review ends", function()
    return not is_open(nvim)
  end)
end

local ROWS = { "one", "two", "three", "four", "five", "six", "seven" }

--- A child with the review of held answers for rows of a buffer, each its range and its lines.
---@param rows string[]
---@param ... [table, string[]]
---@return Child
local function open(rows, ...)
  local nvim = child.with_host(rows)
  local answers = { ... }
  for id, each in ipairs(answers) do
    nvim:run(each[1], { review = true })
    nvim:answer(id, each[2])
  end
  nvim:lua("vim.cmd('messages clear')")
  nvim:type(":Botglue review 1<CR>")
  suite.eventually("the review is open", function()
    return #hunks(nvim) > 0
  end)
  return nvim
end

--- Such a child with an answer that changes rows 2 and 4 of seven, and puts one in below row 6.
---@return Child
local function three()
  local nvim =
    open(ROWS, { child.line(1, 7), { "one", "TWO", "three", "FOUR", "five", "six", "new", "seven" } })
  shows(nvim, { "1 1 TWO", "3 1 FOUR", "6 0 new" })
  return nvim
end

local function text(nvim)
  return table.concat(nvim:lines(), " ")
end

test("keys take, drop and go on with hunks: the text then, and the hunks that are left", function()
  for _, case in ipairs({
    { "", UNCHANGED, { TWO, FOUR, NEW } },
    { "2Gdo", TAKEN, { FOUR, NEW } },
    { "2Gdou", UNCHANGED, { TWO, FOUR, NEW } },
    { "2G2do", BOTH, { NEW } },
    { "2Gdo]c.", BOTH, { NEW } },
    { "2GqqdoA;<Esc>]cq@q", "one TWO; three FOUR; five six seven", { NEW } },
    { "6Gdo", "one two three four five six new seven", { TWO, FOUR } },
    { "2Gdp", UNCHANGED, { FOUR, NEW } },
    { "2Gdp2Gdp", UNCHANGED, { TWO, FOUR, NEW } },
    { "2G2dp2Gdp", UNCHANGED, { TWO, NEW } },
    { ":1,4Botglue take<CR>", BOTH, { NEW } },
    { "2GVj:Botglue drop<CR>", UNCHANGED, { FOUR, NEW } },
    -- The hunks follow what the user edits.
    { "ggOtop<Esc>5Gdo", "top one two three FOUR five six seven", { "2 1 TWO", "7 0 new" } },
    { "2GA mine<Esc>", "one two mine three four five six seven", { TWO .. " !", FOUR, NEW } },
    { "2Gdo2GA mine<Esc>", "one TWO mine three four five six seven", { FOUR, NEW } },
  }) do
    local nvim = three()
    nvim:type(case[1])
    shows(nvim, case[3])
    equal(text(nvim), case[2], case[1])
  end
end)

test("a review ends once all is decided, and what was decided says how it landed", function()
  for keys, expected in pairs({
    ["2G3do"] = { "applied", ALL },
    ["2Gdo4Gdp6Gdp"] = { "merged", TAKEN },
    ["2G2do1GAx<Esc>6Gdo"] = { "merged", (ALL:gsub("one", "onex")) },
    ["2G3dp"] = { "rejected", UNCHANGED },
    ["2Gdp\\py"] = { "merged", "one two three FOUR five six new seven" },
    ["2Gdo\\pn"] = { "merged", TAKEN },
    ["\\pn"] = { "rejected", UNCHANGED },
  }) do
    local nvim = three()
    nvim:type(keys)
    ended(nvim)
    equal({ nvim:job(1).landing, text(nvim) }, expected, keys)
    equal(nvim:lua("return #vim.api.nvim_buf_get_extmarks(0, -1, 0, -1, { type = 'virt_lines' })"), 0)
  end
end)

test("a key does nothing to a hunk that was not shown as it is", function()
  local nvim = three()
  nvim:type("2GA mine<Esc>do")
  equal(nvim:lines()[2], "two mine")
  contains(nvim:messages(), "botglue: the text has changed, nothing was done: these are the hunks now")
  nvim:type("do")
  equal(nvim:lines()[2], "TWO", "what is shown by now is taken")
end)

test("d waits for o as long as it takes", function()
  local nvim = three()
  nvim:lua("vim.o.timeoutlen = 1")
  nvim:type("2Gd")
  nvim:type("o")
  equal(nvim:lines()[2], "TWO")
end)

test("]c and [c go to hunks, with counts, open folds, and say where there is none", function()
  local nvim = three()
  for _, case in ipairs({
    { "gg]c", 2 },
    { "2]c", 6 },
    { "3GzfGgg2]c", 4 },
  }) do
    nvim:type(case[1])
    equal(nvim:lua("return { vim.fn.line('.'), vim.fn.foldclosed('.') }"), { case[2], -1 }, case[1])
  end
  nvim:type("G]c")
  contains(nvim:messages(), "botglue: no hunk below")
  nvim:type("1G:Botglue take<CR>")
  contains(nvim:messages(), "botglue: no hunk here: ]c goes to the next one")
end)

test("no editing key is taken: these do in a review what they do elsewhere", function()
  local function typed(keys, with_review)
    local nvim = with_review and three() or child.with_host(ROWS)
    nvim:type("5G" .. keys)
    return { nvim:lines(), nvim:lua("return { vim.fn.getpos('.'), vim.fn.getreg('\"'), vim.fn.mode() }") }
  end
  local editing = "x aword<Esc> qqxq@q dd yyp ddp ddP d2j diw dw. cwnew<Esc> oline<Esc> Oline<Esc> Vjd vod vp "
    .. "/six<CR>n u rx J gvd c2oxx<Esc> yop"
  for keys in editing:gmatch("%S+") do
    equal(typed(keys, true), typed(keys, false), keys)
  end
end)

test("no key is mapped in visual mode, and none is left at the end", function()
  local nvim = three()
  local function maps()
    return nvim:lua([[
      local count = 0
      for _, mode in ipairs({ "n", "o", "x", "s", "i" }) do
        count = count + #vim.api.nvim_buf_get_keymap(0, mode)
      end
      return { count, #vim.api.nvim_buf_get_keymap(0, "x") }
    ]])
  end
  equal(maps(), { 5, 0 })
  nvim:type(":Botglue! review<CR>")
  equal(maps(), { 0, 0 })
end)

test("a key that the user has mapped in the buffer is theirs, before and after", function()
  local nvim = child.with_host(ROWS)
  nvim:run(line(2, 2), { review = true })
  nvim:answer(1, { "TWO" })
  nvim:lua("vim.keymap.set('n', ']c', 'gg', { buffer = 0 }); vim.keymap.set('o', 'o', 'iw', { buffer = 0 })")
  nvim:type(":Botglue review<CR>")
  shows(nvim, { TWO })
  contains(nvim:screen(), "· dp drop")
  nvim:type("G]c")
  equal(nvim:lua("return vim.fn.line('.')"), 1)
  nvim:type("do")
  equal(nvim:lines()[1], "")
  -- What they map meanwhile stays theirs.
  nvim:lua("vim.keymap.set('n', '[c', 'G', { buffer = 0 })")
  nvim:type(":Botglue! review<CR>[c")
  local left = nvim:lua("return { vim.fn.line('.'), vim.fn.maparg('o', 'o'), vim.fn.maparg('p', 'o') }")
  equal(left, { 7, "iw", "" })
end)

test("in a window in diff mode the keys are Neovim's own, and no hunks are drawn", function()
  local nvim = three()
  nvim:type(":Botglue diff<CR><C-w>p")
  suite.eventually("the proposal is there", function()
    return nvim:lua("return vim.wo.diff and #vim.api.nvim_tabpage_list_wins(0) == 2")
  end)
  nvim:eventually("it is drawn", "return vim.fn.diff_hlID(2, 1) ~= 0")
  nvim:type(":Botglue review<CR>")
  contains(nvim:messages(), "botglue: no hunks in diff mode: use :diffoff, or see :Botglue diff 1")
  equal(nvim:lua("return #vim.api.nvim_buf_get_extmarks(1, -1, 0, -1, { type = 'virt_lines' })"), 0)
  nvim:type("gg]cdo")
  equal({ nvim:lines()[2], nvim:lua("return vim.go.operatorfunc") }, { "TWO", "" })
end)

test("keys of the user's own do what the default ones do, and without a review say what to do", function()
  local nvim = three()
  nvim:lua([[
    for key, name in pairs({ n = "next", p = "prev", t = "take", d = "drop" }) do
      vim.keymap.set("n", "g" .. key, ("<Plug>(botglue-hunk-%s)"):format(name))
    end
  ]])
  nvim:type("gggn2gt")
  equal(text(nvim), BOTH)
  nvim:type("Ggpgd")
  ended(nvim)
  equal(nvim:job(1).landing, "merged")
  nvim:type("gt")
  contains(nvim:messages(), "botglue: no review is open in this buffer: see :Botglue review")
  nvim:type(":Botglue! review<CR>")
  contains(nvim:messages(), "botglue: no review is open")
end)

test("the hunks follow while the user types, who goes on typing where they were", function()
  local nvim = three()
  nvim:type("2GA mine")
  shows(nvim, { TWO .. " !", FOUR, NEW })
  nvim:type(" too<CR>below<Esc>")
  equal(vim.list_slice(nvim:lines(), 1, 4), { "one", "two mine too", "below", "three" })
end)

test("a review ends with its buffer, and is there again where that is only hidden or read again", function()
  local nvim = three()
  nvim:type(":set hidden<CR>:enew<CR>:buffer 1<CR>")
  shows(nvim, { TWO, FOUR, NEW })
  nvim:lua("vim.cmd('file ' .. vim.fn.tempname() .. ' | silent write | silent edit!')")
  shows(nvim, { TWO, FOUR, NEW })
  nvim:type("2Gdo")
  equal(nvim:lines()[2], "TWO")
  nvim:type(":enew<CR>:bwipeout! 1<CR>")
  ended(nvim)
  equal(nvim:job(1).landing, "held")
end)

test("one review is open at a time, and the next one is that of the next answer", function()
  local nvim = open({ "a", "b", "c" }, { line(1, 1), { "A" } }, { line(3, 3), { "C" } })
  shows(nvim, { "0 1 A" })
  contains(nvim:screen(), "◆ 1 of 2")
  nvim:type("\\pr")
  shows(nvim, { "2 1 C" })
  contains(nvim:screen(), "◆ 2 of 2")
  nvim:type("\\pr")
  shows(nvim, { "0 1 A" })
  equal(nvim:lua("return vim.fn.line('.')"), 1)
end)

test("what was dropped stays dropped after the review", function()
  local nvim = three()
  nvim:type("2Gdp:Botglue! review<CR>")
  equal(is_open(nvim), false)
  nvim:type(":Botglue review<CR>")
  shows(nvim, { FOUR, NEW })
  contains(nvim:screen(), "dropped: 1 row goes, 1 comes · dp again")
end)

test("where it has no place the answer opens in a window of its own, which says what can be done", function()
  for setup, words in pairs({
    ["2G2dd"] = "its place is not known: select lines, then :Botglue accept 1",
    [":set nomodifiable<CR>"] = "its buffer cannot be changed: set modifiable, then :Botglue accept 1",
  }) do
    local nvim = child.with_host({ "a", "b", "c", "d" })
    nvim:run(line(2, 3), { review = true })
    nvim:answer(1, { "B", "C" })
    nvim:type(setup)
    nvim:settle()
    nvim:type(":Botglue review 1<CR>")
    suite.eventually("the answer is shown", function()
      return nvim:lua("return vim.fn.bufname()"):find("^botglue://answer/")
    end)
    equal(nvim:lines(), { "B", "C" })
    contains(nvim:lua("return vim.wo.winbar"), words)
    equal(is_open(nvim), false)
  end
end)

test("a block opens as text, with what is wanted said on top", function()
  local nvim = child.with_host({ "ab", "cd" })
  nvim:run({ kind = "block", first = { 1, 0 }, last = { 2, 0 } })
  nvim:answer(1, { "x" }, { held_for = "block_rows" })
  nvim:type(":Botglue review 1<CR>")
  contains(nvim:lua("return vim.wo.winbar"), "the block has 2 lines, the answer 1")
  nvim:type("Goy<Esc>:w<CR>:close<CR>:Botglue review 1<CR>")
  shows(nvim, { "0 2 xb,yd" })
end)

test("the blocks of an answer are listed, and <CR> makes one of them the answer", function()
  local nvim = child.with_host({ "a", "b" })
  nvim:run(line(1, 1))
  nvim:answer(1, { "A" }, { text = "Either\n```lua\nfirst\n```\nor\n```\nsecond\nmore\n```\nas you like" })
  equal(nvim:job(1).held_for, "ambiguous")
  nvim:type(":Botglue review 1<CR>")
  suite.eventually("the blocks are listed", function()
    return nvim:lua("return vim.wo.winbar"):find("job 1: 2 blocks", 1, true)
  end)
  equal(nvim:lua("return vim.fn.line('.')"), 3)
  nvim:type("gg<CR>")
  contains(nvim:messages(), "botglue: no block here")
  nvim:type("7G<CR>")
  shows(nvim, { "0 1 second,more" })
  equal(nvim:lines(), { "a", "b" })
  nvim:type("\\py")
  ended(nvim)
  equal(text(nvim), "second more b")
end)

--- Such a child whose review is not open.
local function held()
  local nvim = child.with_host(ROWS)
  nvim:run(line(1, 7), { review = true })
  nvim:answer(1, vim.split(ALL, " "))
  return nvim
end

test("a script gets the hunks, and takes one of them while the text is the same", function()
  local nvim = held()
  local got = nvim:lua([[
    local hunks, tick = require("botglue").hunks(1)
    return { hunks, { is_current = tick == vim.b.changedtick } }
  ]])
  equal(got, {
    {
      { first = 2, last = 2, lines = { "TWO" }, conflict = false },
      { first = 4, last = 4, lines = { "FOUR" }, conflict = false },
      { first = 7, last = 6, lines = { "new" }, conflict = false },
    },
    { is_current = true },
  })
  nvim:lua([[
    local botglue = require("botglue")
    botglue.accept(1, { hunk = 2, tick = select(2, botglue.hunks(1)) })
  ]])
  equal(nvim:lines()[4], "FOUR")
  local function accept(opts)
    return nvim:lua("return { pcall(require('botglue').accept, 1, ...) }", opts)[2]
  end
  contains(accept({ hunk = 1, tick = 1 }), "get the hunks of job 1 again: the text has changed since")
  contains(accept({ hunk = "1", tick = 1 }), "hunk must be the number of a hunk")
  nvim:eventually(
    "there is a newer one",
    "return select(2, require('botglue').hunks(1)) == vim.b.changedtick"
  )
  equal(nvim:lua("return #require('botglue').hunks(1)"), 2)
end)

test("a script that takes a hunk is told of a refusal that comes after its call has returned", function()
  local nvim = held()
  nvim:lua([[
    local pid = vim.fn.jobpid(require("support.host").channel)
    require("botglue.host.connection").asked_within = 100
    vim.uv.kill(pid, "sigstop")
    require("botglue").accept(1, { hunk = 2, tick = 1 })
    vim.uv.kill(pid, "sigcont")
  ]])
  nvim:eventually(
    "the user is told",
    "return vim.fn.execute('messages'):find('get the hunks of job 1 again')"
  )
end)

test("dO takes both where both have changed a row, the user's above, and u brings one back", function()
  local nvim = require("support.jobs").held({ "b", "C", "d" }, "")
  nvim:type("3G:s/c/mine/<CR>:Botglue review 1<CR>")
  nvim:settle()
  contains(nvim:screen(), "conflict: this row was changed, too; dO takes both")
  nvim:type("3GdO")
  nvim:eventually("both are there", "return vim.fn.getline(4) == 'C'")
  equal(nvim:lines(), { "a", "b", "mine", "C", "d", "e" })
  equal(nvim:job(1).landing, "merged")
  nvim:type("u")
  equal(nvim:lines(), { "a", "b", "mine", "d", "e" })
end)
