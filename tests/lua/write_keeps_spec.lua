--- What an answer that is written keeps: what is the user's own stays theirs, and marks, folds, views, cursors and
--- extmarks stay with their text. (Undo steps: `undo_spec`.)

local child = require("support.child")
local suite = require("support.suite")
local test, equal = suite.test, suite.equal
local line, numbered, with_job = child.line, child.numbered, child.with_job

local function chars(row, from, to, last)
  return { kind = "char", first = { row, from }, last = { last or row, to } }
end

local function below(row)
  return { kind = "insert", first = { row } }
end

local function block(first, from, last, to)
  return { kind = "block", first = { first, from }, last = { last, to } }
end

--- The user's own, of which each position is said by the text that it is in.
local STATE = [[
  local function text_at(mark)
    local at = vim.fn.getpos(mark)
    return { vim.fn.getline(at[2]), at[3] }
  end
  local function texts(list)
    local found = vim.tbl_map(function(entry)
      return { vim.fn.getline(entry.lnum), entry.col }
    end, list[1])
    return { found, list[2] }
  end
  local windows, modified = {}, {}
  for _, win in ipairs(vim.api.nvim_tabpage_list_wins(0)) do
    windows[#windows + 1] = vim.api.nvim_win_call(win, function()
      local view, fold = vim.fn.winsaveview(), vim.fn.search("^line 70$", "nw")
      return {
        win = win,
        cursor = { vim.fn.getline("."), view.col, view.curswant },
        top = { vim.fn.getline(view.topline), view.topfill, view.skipcol, view.leftcol },
        -- A terminal makes its own while its program starts.
        jumps = vim.bo.buftype ~= "terminal" and texts(vim.fn.getjumplist()) or {},
        fold = vim.fn.getline(vim.fn.foldclosed(fold), vim.fn.foldclosedend(fold)),
      }
    end)
  end
  for _, bufnr in ipairs(vim.api.nvim_list_bufs()) do
    modified[bufnr] = { vim.bo[bufnr].modified, vim.bo[bufnr].readonly, vim.bo[bufnr].undolevels }
  end
  return vim.api.nvim_buf_call(1, function()
    return {
      windows = windows,
      current = { vim.api.nvim_get_current_win(), vim.fn.bufnr("#"), vim.fn.mode() },
      buffers = modified,
      registers = vim.tbl_map(vim.fn.getreg, vim.split('"/.:-01qz', "")),
      search = vim.v.hlsearch,
      operation = { text_at("'["), text_at("']") },
      visual = { text_at("'<"), text_at("'>"), vim.fn.visualmode() },
      last = { text_at("'."), text_at("'^") },
      changes = texts(vim.fn.getchangelist(1)),
      marks = { text_at("'a"), text_at("'b"), text_at("'C") },
      message = { vim.fn.execute("1messages"), vim.v.errmsg },
    }
  end)
]]

local NEW = { "line 10", "line 11", "new" }

--- An answer of `NEW` that is decided by a call of the API.
local function decided(decide, more)
  local way = { line(10, 11), NEW, NEW, decide = "local b = require('botglue'); " .. decide }
  return vim.tbl_extend("force", way, more or { review = true })
end

--- Of each way to write to 100 lines that read "line 1" and so on: the range, the answer, and what lines 10 and
--- following are then.
local WAYS = {
  ["lines that land"] = { line(10, 11), NEW, NEW },
  ["fewer lines"] = { line(10, 12), { "new" }, { "new", "line 13" } },
  ["a line that is parted"] = { line(10), { "line", "new", "10" }, { "line", "new", "10", "line 11" } },
  ["lines that are joined"] = { line(10, 12), { "line 12" }, { "line 12", "line 13" } },
  ["a part of a line"] = { chars(10, 0, 3), { "new", "part" }, { "new", "part 10", "line 11" } },
  ["a block"] = { block(10, 0, 11, 3), { "one", "two" }, { "one 10", "two 11", "line 12" } },
  ["an insertion"] = { below(9), { "new" }, { "new", "line 10" } },
  ["a merge"] = {
    line(10, 11),
    NEW,
    { "line 10 mine", "line 11", "new" },
    keys = ":10s/$/ mine/<CR>",
    landing = "merged",
  },
  ["an answer that is accepted"] = decided("b.accept(1)"),
  ["a hunk that is taken"] = decided("b.accept(1, { hunk = 1, tick = select(2, b.hunks(1)) })"),
  ["an answer that is reverted"] = decided("b.revert(1)", {
    [3] = { "line 10", "line 11", "line 12" },
    landing = "reverted",
  }),
}

--- Where the user may be meanwhile: keys to get there, and keys that go on.
local PLACES = {
  ["normal mode"] = { ":nohlsearch<CR>$", "x" },
  ["insert mode"] = { "A, typed", " on<Esc>" },
  ["replace mode"] = { "Rxyz", "z<Esc>" },
  ["a terminal"] = { ":botright new | terminal cat<CR>i", "" },
  ["another buffer"] = { ":botright new<CR>ityped", " on<Esc>" },
  ["the command-line window"] = { "q:idel", "ete<Esc>" },
  ["a fold"] = { ":65,75fold<CR>70G", "" },
  ["a line that is wrapped"] = {
    ":setlocal textwidth=20 formatoptions+=t<CR>A",
    " some words that are wrapped<Esc>",
  },
  ["a macro"] = { "qqA!", "<Esc>q" },
  ["the change list"] = { "g;g;", "g," },
}

for name, way in pairs(WAYS) do
  for place, keys in pairs(PLACES) do
    test(("%s, with the user in %s, moves nothing of theirs"):format(name, place), function()
      local range, answer, becomes = unpack(way)
      local nvim = child.with_host(numbered(100))
      -- A message says where an answer lands out of sight.
      nvim:lua("require('botglue').setup({ notify = 'none' })")
      nvim:run(range, { review = way.review })
      nvim:type(way.keys or "")
      if way.decide then
        nvim:answer(1, answer)
      end
      nvim:type("5Gma20G3|mb95GmC80GAa<Esc>90GAb<Esc>30Gzt32GyyjVj<Esc>/line 6.<CR>60G3|:split<CR>50Gzt55G4|")
      nvim:type(keys[1])
      local before = nvim:lua(STATE)
      if way.decide then
        nvim:lua(way.decide)
      else
        nvim:answer(1, answer)
      end
      equal(nvim:job(1).landing, way.landing or "applied")
      nvim:api("command", "redraw")
      equal(nvim:lua(STATE), before)
      nvim:type(keys[2])
      equal(vim.list_slice(nvim:lines(1), 10, 9 + #becomes), becomes)
    end)
  end
end

test("marks, the last change and insertion stay on lines of which something is left, and beside", function()
  local rows = { "a a", "b b", "c c", "d d", "e e", "f f" }
  for _, case in ipairs({
    { line(3, 3), { "c x" }, { c = "c x" } },
    -- A line that becomes more is the first of them that has its beginning, or the last that has its end.
    { line(3, 3), { "c c", "new" }, {} },
    { line(3, 3), { "c 1", "2 c" }, { c = "c 1" } },
    { line(3, 3), { "1", "x c" }, { c = "x c" } },
    -- Lines that become fewer, or go.
    { line(2, 3), { "b c" }, { b = "b c", c = "" } },
    { line(2, 5), { "b b", "e e" }, { c = "", d = "" } },
    { line(3, 4), {}, { c = "", d = "" } },
    { line(5, 6), {}, { e = "", f = "" } },
  }) do
    local range, answer, changed = unpack(case)
    for _, name in ipairs({ "c", "e" }) do
      local nvim = child.with_host(rows)
      nvim:type(":global/./execute 'normal! lm' .. getline('.')[0]<CR>")
      nvim:type(("'%slix<BS><Esc>"):format(name))
      nvim:run(range)
      nvim:answer(1, answer)
      local expected = {}
      for _, row in ipairs(rows) do
        local own = row:sub(1, 1)
        expected[own] = { changed[own] or row, changed[own] == "" and 0 or 2 }
      end
      expected["."], expected["^"] = expected[name], expected[name]
      local marked = nvim:lua([[
        local marked = {}
        for name in ("abcdef.^"):gmatch(".") do
          local at = vim.fn.getpos("'" .. name)
          marked[name] = { vim.fn.getline(at[2]), at[3] }
        end
        return marked
      ]])
      equal(marked, expected, vim.inspect({ case, name }))
    end
  end
end)

test("extmarks stay on what is left of their line where lines become more or fewer, and over undo", function()
  for _, case in ipairs({
    { { "local |größe| = 1", "|b" }, { "local |größe| = 23", "|b!" } },
    { { "|foo|(|a, b|)", "|next" }, { "|foo|(|a,", "  x,", "  b|)", "|next" } },
    { { "|foo|(", "  a,", "  |b|)", "|next" }, { "|foo|(a, |b|)", "|next" } },
    { { "|first| 1", "4 |last|", "|next" }, { "|first|", "2", "3", "the |last|", "|next" } },
    { { "|a|", "b", "|c|", "|d|", "e" }, { "|a|", "B", "BB", "|c|", "|d|", "E" } },
  }) do
    local before, after = unpack(case)
    local function plain(rows)
      return vim.tbl_map(function(row)
        return (row:gsub("|", ""))
      end, rows)
    end
    local nvim = with_job(plain(before), line(1, #before))
    nvim:lua(
      [[
      local ns = vim.api.nvim_create_namespace("other")
      for number, row in ipairs(...) do
        local past = 0
        for col in row:gmatch("()|") do
          vim.api.nvim_buf_set_extmark(0, ns, number - 1, col - 1 - past, {})
          past = past + 1
        end
      end
      function _G.marked()
        local rows = vim.api.nvim_buf_get_lines(0, 0, -1, true)
        for _, mark in ipairs(vim.api.nvim_buf_get_extmarks(0, ns, { -1, -1 }, 0, {})) do
          local row = rows[mark[2] + 1]
          rows[mark[2] + 1] = row:sub(1, mark[3]) .. "|" .. row:sub(mark[3] + 1)
        end
        return rows
      end
    ]],
      before
    )
    equal(nvim:lua("return marked()"), before)
    nvim:answer(1, plain(after))
    equal(nvim:lua("return marked()"), after)
    nvim:type("u")
    equal(nvim:lua("return marked()"), before, "undone")
    nvim:type("<C-r>")
    equal(nvim:lua("return marked()"), after, "redone")
  end
end)

--- Lines become others in a buffer of its own of one child for each case, which is alone on the screen at first.
---@param nvim Child
---@param rows string[]
---@param keys string typed before the answer
local function land(nvim, rows, range, keys, answer)
  nvim:type("<Esc>:silent only<CR>:enew!<CR>")
  nvim:set_lines(rows)
  nvim:lua("vim.bo.undolevels = vim.bo.undolevels")
  local id = nvim:run(range)
  nvim:type(keys)
  nvim:answer(id, answer)
  equal(nvim:job(id).landing, "applied")
end

test("folds stay whole, around what is within them and beside what is not", function()
  local rows = { "aa", "bb", "cc", "dd", "ee", "ff", "gg", "hh", "ii", "jj" }
  for _, keys in ipairs({ "", "<C-w>li" }) do
    local nvim = child.with_host({})
    for _, case in ipairs({
      { line(4, 4), { "d!" }, "aa [bbcc] d! [eeffgghhii] jj" },
      { line(4, 4), {}, "aa [bbcc] [eeffgghhii] jj" },
      { line(4, 4), { "x", "y", "z" }, "aa [bbcc] x y z [eeffgghhii] jj" },
      { chars(4, 0, 1), { "x", "y" }, "aa [bbcc] x y [eeffgghhii] jj" },
      { line(1, 1), {}, "[bbcc] dd [eeffgghhii] jj" },
      { line(10, 10), {}, "aa [bbcc] dd [eeffgghhii]" },
      { below(1), { "x" }, "aa x [bbcc] dd [eeffgghhii] jj" },
      { below(3), { "x", "y" }, "aa [bbcc] x y dd [eeffgghhii] jj" },
      { below(9), { "x", "y" }, "aa [bbcc] dd [eeffgghhii] x y jj" },
      { below(6), { "x" }, "aa [bbcc] dd [eeffxgghhii] jj" },
      { line(6, 6), { "x", "y", "z" }, "aa [bbcc] dd [eexyzgghhii] jj" },
      { line(6, 8), { "x", "y" }, "aa [bbcc] dd [eexyii] jj" },
      { line(4, 10), { "dd", "ee", "f!", "gg", "hh", "ii", "jj" }, "aa [bbcc] dd [eef!gghhii] jj" },
    }) do
      local range, answer, expected = unpack(case)
      land(nvim, rows, range, ":2,3fold<CR>:5,9fold<CR>gg:vnew<CR>" .. keys, answer)
      nvim:type("<Esc>:2wincmd w<CR>")
      local shown = nvim:lua([[
        local shown, row = {}, 1
        while row <= vim.fn.line("$") do
          local last = vim.fn.foldclosedend(row)
          shown[#shown + 1] = last > 0 and "[" .. table.concat(vim.fn.getline(row, last)) .. "]" or vim.fn.getline(row)
          row = math.max(row, last) + 1
        end
        return table.concat(shown, " ")
      ]])
      equal(shown, expected, vim.inspect({ keys, range, answer }))
    end
  end
end)

test("windows that begin or stand in lines that become others stay there", function()
  local nvim = child.with_host({})
  for _, case in ipairs({
    { line(50, 50), { "line 50", "+", "+" } },
    { line(50, 50), { "line", "and", "50" } },
    { line(50, 50), { "one", "two" } },
    { line(50, 52), { "line 50 52" } },
    { line(50, 52), { "one", "two", "three", "four" } },
  }) do
    local range, answer = unpack(case)
    land(nvim, numbered(100), range, "50Gzt4|:split<CR>50Gzt3|:split<CR>60Gzt", answer)
    nvim:api("command", "redraw")
    local views = nvim:lua([[
      return vim.tbl_map(function(win)
        return { vim.fn.line("w0", win), vim.fn.line(".", win) }
      end, vim.api.nvim_tabpage_list_wins(0))
    ]])
    local sixtieth = 60 + #answer - (range.last[1] - range.first[1] + 1)
    equal(views, { { sixtieth, sixtieth }, { 50, 50 }, { 50, 50 } }, vim.inspect(case))
  end
end)

test("a cursor in lines that go stands in the one that comes up", function()
  local nvim = with_job(numbered(9), line(3, 6))
  nvim:type("5G")
  nvim:answer(1, {})
  equal(nvim:lua("return vim.fn.getline('.')"), "line 7")
end)

test("who types goes on in the same text, and right behind what is replaced behind what comes", function()
  local nvim = child.with_host({})
  local two, part, call, parted =
    { "one two three", "four" }, chars(1, 4, 6), { "f(a, b)", "n" }, { "f(a,", "  b)", "n" }
  for _, case in ipairs({
    { two, part, "ggwea", { "two or" }, { "one two or| three", "four" } },
    { two, part, "ggweli", { "a", "bc" }, { "one a", "bc| three", "four" } },
    { two, part, "ggwi", { "second" }, { "one |second three", "four" } },
    { two, block(1, 0, 2, 3), "GA", { "first ", "fifth" }, { "first two three", "fifth|" } },
    { two, line(1, 1), "ggwea", { "one second three" }, { "one second| three", "four" } },
    { two, line(1, 1), "ggA", { "one, four" }, { "one, four|", "four" } },
    { two, line(1, 1), "ggA", { "one", "two" }, { "one", "two|", "four" } },
    { two, line(1, 2), "GA", { "1", "2", "3", "fourth" }, { "1", "2", "3", "fourth|" } },
    { two, line(1, 2), "GA", { "one four" }, { "one four|" } },
    -- A line that is parted or joined.
    { call, line(1, 1), "gg0fai", { "f(a,", "  b)" }, { "f(|a,", "  b)", "n" } },
    { call, line(1, 1), "ggA", { "f(a,", "  b)" }, { "f(a,", "  b)|", "n" } },
    { parted, line(1, 2), "gg0fai", { "f(a, b)" }, { "f(|a, b)", "n" } },
    { parted, line(1, 2), "2GA", { "f(a, b)" }, { "f(a, b)|", "n" } },
    { parted, line(1, 2), "3GI", { "f(a, b)" }, { "f(a, b)", "|n" } },
  }) do
    local rows, range, keys, answer, expected = unpack(case)
    local function with(typed)
      return vim.tbl_map(function(row)
        return (row:gsub("|", typed))
      end, expected)
    end
    land(nvim, rows, range, keys, answer)
    nvim:type("x<BS>y<Esc>")
    equal(nvim:lines(), with("y"), vim.inspect(case))
    nvim:type("u")
    equal(nvim:lines(), with(""), vim.inspect(case))
  end
  land(nvim, two, part, "ggwelR", { "", " second" })
  nvim:type("x<BS>y<Esc>")
  equal(nvim:lines(), { "one ", " secondythree", "four" })
end)

test("a saved buffer is modified by what lands in it, no other one is, and undo says so, too", function()
  local nvim = with_job({ "a", "b" }, line(1, 1))
  nvim:run(line(2, 2))
  nvim:lua("vim.cmd.file(vim.fn.tempname()) vim.cmd('silent write | split | enew')")
  local function modified()
    return nvim:lua("return { vim.bo[1].modified, vim.bo.modified }")
  end
  nvim:answer(1, { "a" })
  equal(modified(), { false, false })
  nvim:answer(2, { "B" })
  equal(modified(), { true, false })
  nvim:type(":wincmd w<CR>u")
  equal(modified(), { false, false })
end)
