--- `:Botglue diff`: the proposal of a held answer beside its buffer, and what a landed one replaced.

local child = require("support.child")
local jobs = require("support.jobs")
local suite = require("support.suite")
local test, equal, contains = suite.test, suite.equal, suite.contains
local landed, line = jobs.landed, child.line

local ROWS = { "one", "two", "three", "four", "five" }
local PROPOSED = { "one", "TWO", "three", "FOUR", "five" }
local TWO_HUNKS, ONE_HUNK =
  "job 1, if accepted · 2 hunks · q close", "job 1, if accepted · 1 hunk · q close"

--- A child with a held answer for rows 2 to 4, which changes the first and the last of them.
local function held()
  local nvim = child.with_host(ROWS)
  nvim:run(line(2, 4), { review = true })
  nvim:answer(1, { "TWO", "three", "FOUR" })
  nvim:lua("vim.cmd('messages clear')")
  return nvim
end

--- The windows of the tab page, each with its rows and whether it is in diff mode.
local function windows(nvim)
  return nvim:lua([[
    return vim.tbl_map(function(win)
      local bufnr = vim.api.nvim_win_get_buf(win)
      return { vim.api.nvim_buf_get_lines(bufnr, 0, -1, true), vim.wo[win].diff }
    end, vim.api.nvim_tabpage_list_wins(0))
  ]])
end

--- The title of the proposal; nil where there is none.
local function title(nvim)
  local found = nvim:lua([[
    for _, win in ipairs(vim.api.nvim_tabpage_list_wins(0)) do
      if vim.wo[win].winbar ~= "" then
        return vim.wo[win].winbar
      end
    end
  ]])
  return found ~= vim.NIL and found or nil
end

--- Waits until the proposal has a title and these rows.
local function proposes(nvim, expected_title, rows)
  suite.becomes({ expected_title, { rows, true } }, function()
    return { title(nvim), windows(nvim)[2] }
  end)
end

--- A child with the proposal of a held answer, and the cursor in the buffer.
local function opened()
  local nvim = held()
  nvim:type(":Botglue diff<CR>")
  nvim:type("<C-w>p")
  return nvim
end

test("the proposal is shown beside the buffer, in diff mode, to be read", function()
  local nvim = held()
  equal(nvim:drawn(), 1)
  nvim:type(":Botglue diff 1<CR>")
  proposes(nvim, TWO_HUNKS, PROPOSED)
  equal(windows(nvim)[1], { ROWS, true })
  equal(nvim:lua("return { vim.bo.modifiable, vim.bo.readonly, vim.bo.buftype }"), { false, true, "nofile" })
  equal(nvim:drawn(), 0, "the line below the range would shift the rows")
end)

test("the proposal follows the buffer, and its title counts hunks and conflicts", function()
  local nvim = opened()
  nvim:type("ggOtop<Esc>")
  proposes(nvim, TWO_HUNKS, { "top", "one", "TWO", "three", "FOUR", "five" })
  local conflicts = "job 1, if accepted · 2 hunks · 2 conflicts · q close"
  nvim:type("4GAx<Esc>")
  proposes(nvim, conflicts, { "top", "one", "TWO", "threex", "FOUR", "five" })
  nvim:type("u5GccFOUR<Esc>")
  proposes(nvim, ONE_HUNK, { "top", "one", "TWO", "three", "FOUR", "five" })
  equal(nvim:job(1).landing, "held")
end)

test("an answer that takes rows away, adds some, or fills an empty buffer is proposed whole", function()
  for _, case in ipairs({
    { { "a", "b", "c" }, line(1, 3), {}, { "" } },
    { { "" }, { kind = "insert", first = { 1 } }, { "x", "y" }, { "x", "y" } },
    { { "f(a, b)" }, { kind = "char", first = { 1, 2 }, last = { 1, 2 } }, { "xyz" }, { "f(xyz, b)" } },
  }) do
    local rows, range, answer, expected = unpack(case)
    local nvim = child.with_host(rows)
    nvim:run(range, { review = true })
    nvim:answer(1, answer)
    nvim:type(":Botglue diff<CR>")
    proposes(nvim, ONE_HUNK, expected)
    nvim:type(":Botglue accept 1<CR>")
    equal(nvim:lines(), expected, "what was proposed is what lands")
  end
end)

test("q closes the proposal, and so does the end of either window", function()
  for name, keys in pairs({ proposal = "q", side = ":close<CR>", buffer = "<C-w>p:close<CR>" }) do
    local nvim = held()
    local buffers = nvim:lua("return #vim.api.nvim_list_bufs()")
    if name == "buffer" then
      nvim:type(":split<CR>")
    end
    nvim:type(":Botglue diff<CR>")
    nvim:type(keys)
    nvim:settle()
    equal(windows(nvim), { { ROWS, false } }, name)
    equal(nvim:drawn(), 1, name)
    equal(nvim:lua("return #vim.api.nvim_list_bufs()"), buffers, name)
    equal(nvim:job(1).landing, "held", name)
    nvim:type("Gox<Esc>")
    equal(vim.trim(nvim:messages()), "", name)
  end
end)

test("a window that the user compares stays compared", function()
  local nvim = held()
  nvim:type(":vnew<CR>:windo diffthis<CR>:Botglue diff 1<CR>q")
  equal(windows(nvim), { { { "" }, true }, { ROWS, true } })
end)

test("the proposal is closed once its answer is decided", function()
  for what, expected in pairs({ accept = PROPOSED, reject = ROWS }) do
    local nvim = held()
    nvim:type(":Botglue diff<CR>")
    nvim:type((":Botglue %s<CR>"):format(what))
    suite.eventually("it is closed", function()
      return #windows(nvim) == 1
    end)
    equal(windows(nvim), { { expected, false } }, what)
    equal(nvim:drawn(), 0, what)
  end
end)

test("a buffer that is in no window gets one, which goes with the proposal", function()
  local nvim = held()
  nvim:type(":enew<CR>")
  nvim:type(":Botglue diff 1<CR>")
  suite.eventually("it is shown", function()
    return title(nvim) == TWO_HUNKS
  end)
  equal(windows(nvim), { { ROWS, true }, { PROPOSED, true }, { { "" }, false } })
  nvim:type("q")
  equal(windows(nvim), { { { "" }, false } })
end)

test("the proposal is that of the answer as it was edited, and of the file as it was read again", function()
  local nvim = held()
  nvim:lua("vim.cmd.file(vim.fn.tempname()); vim.cmd('silent write')")
  nvim:type(":Botglue diff<CR>")
  nvim:type(":Botglue edit<CR>")
  nvim:type("ccTOO<Esc>:write<CR>:close<CR>")
  nvim:lua("vim.fn.writefile({ 'top', 'one', 'two', 'three', 'four', 'five' }, vim.api.nvim_buf_get_name(1))")
  nvim:lua("vim.api.nvim_buf_call(1, function() vim.cmd('silent edit!') end)")
  suite.eventually("it is shown", function()
    return vim.deep_equal(windows(nvim)[2], { { "top", "one", "TOO", "three", "FOUR", "five" }, true })
  end)
  equal(title(nvim), TWO_HUNKS)
end)

test("where its place is lost the title of the proposal says so, and it comes back with the place", function()
  local nvim = opened()
  nvim:type("2G3dd")
  suite.eventually("the title says so", function()
    return title(nvim) == "its place is not known"
  end)
  nvim:type(":Botglue diff 1<CR>")
  contains(nvim:messages(), "botglue: the place of job 1 is not known: see :Botglue edit 1")
  nvim:type("u")
  proposes(nvim, TWO_HUNKS, PROPOSED)
end)

test("of a landed answer what was there before is shown beside it, in a tab page of its own", function()
  local nvim = landed({ "a", "b", "c", "d", "e" }, line(2, 4), { "B", "C" })
  nvim:type("ggOtop<Esc>3GAx<Esc>")
  nvim:type(":Botglue diff<CR>")
  equal(nvim:lua("return #vim.api.nvim_list_tabpages()"), 2)
  equal(windows(nvim), { { { "b", "c", "d" }, true }, { { "B", "C" }, true } })
  local names = nvim:lua("return vim.tbl_map(vim.fn.bufname, vim.fn.tabpagebuflist())")
  equal(names, { "botglue://diff/job 1/before", "botglue://diff/job 1/after" })
  contains(nvim:screen(), "what stood there")
  contains(nvim:screen(), "the answer · q close")
  nvim:type("q")
  equal(nvim:lua("return #vim.api.nvim_list_tabpages()"), 1)
  equal(nvim:lines(), { "top", "a", "Bx", "C", "e" })
end)

test("where there is nothing to compare, one line says so", function()
  local nvim = child.with_host({ "a" })
  local function says(command, expected)
    nvim:lua("vim.cmd('messages clear')")
    nvim:type((":Botglue %s<CR>"):format(command))
    equal(vim.trim(nvim:messages()), "botglue: " .. expected)
    equal(#windows(nvim), 1)
  end
  nvim:run(line(1, 1))
  says("diff 1", "job 1 has nothing to compare")
  nvim:answer(1, { "A" })
  nvim:lua("require('botglue').revert(1)")
  says("diff 1", "job 1 has nothing to compare")
end)
