-- What an answer that lands leaves alone: cursors, views, marks and folds.

local child = require("support.child")
local suite = require("support.suite")
local test, equal = suite.test, suite.equal
local line, with_job = child.line, child.with_job

test("cursors, views and the marks of the last change keep to their text", function()
  local lines = {}
  for i = 1, 100 do
    lines[i] = "line " .. i
  end
  local nvim = child.with_host(lines)
  nvim:run(line(10, 11))
  nvim:type("60GA!<Esc>50Gzt53G3|:split<CR>90Gzb")
  local state = [[
    local windows = {}
    for _, win in ipairs(vim.api.nvim_tabpage_list_wins(0)) do
      windows[#windows + 1] = vim.api.nvim_win_call(win, function()
        local view = vim.fn.winsaveview()
        return { vim.fn.getline("."), view.col, vim.fn.getline(view.topline) }
      end)
    end
    local change = vim.fn.getpos("'[")
    return { windows = windows, change = { vim.fn.getline(change[2]), change[3] }, last = vim.fn.getpos("']")[3] }
  ]]
  local before = nvim:lua(state)
  nvim:answer(1, { "one", "two", "three", "four", "five" })
  nvim:api("command", "redraw")
  equal(nvim:lua(state), before)
  equal(#nvim:lines(), 103)
end)

test("the user's marks stay on rows of which an answer leaves something, and on those beside it", function()
  local function stay(range, answer, expected, edits)
    local nvim = with_job({ "a a", "b b", "c c", "d d", "e e", "f f" }, range)
    for row = 1, 6 do
      nvim:type(("%dG0lm%s"):format(row, ("abcdef"):sub(row, row)))
    end
    nvim:type(expected.inserted .. "Gi<Esc>")
    nvim:answer(1, answer, { edits = edits })
    local marked = nvim:lua([[
      local rows = {}
      for name in ("abcdef"):gmatch(".") do
        local at = vim.fn.getpos("'" .. name)
        rows[#rows + 1] = name .. ":" .. (at[2] > 0 and vim.fn.getline(at[2]) .. ":" .. at[3] or "")
      end
      return { table.concat(rows, " "), vim.fn.getline(vim.fn.getpos("'^")[2]) }
    ]])
    equal(marked, { expected[1], expected[2] })
  end
  local function chars(first, from, last, to)
    return { kind = "char", first = { first, from }, last = { last, to } }
  end
  stay(line(3, 3), { "c x" }, { inserted = 3, "a:a a:2 b:b b:2 c:c x:2 d:d d:2 e:e e:2 f:f f:2", "c x" })
  stay(
    chars(3, 0, 3, 0),
    { "xx" },
    { inserted = 3, "a:a a:2 b:b b:2 c:xx c:2 d:d d:2 e:e e:2 f:f f:2", "xx c" }
  )
  stay(line(3, 3), { "c x" }, { inserted = 4, "a:a a:2 b:b b:2 c:c x:2 d:d d:2 e:e e:2 f:f f:2", "d d" })
  stay(line(3, 4), {}, { inserted = 5, "a:a a:2 b:b b:2 c: d: e:e e:2 f:f f:2", "e e" })
  stay(line(1, 4), {}, { inserted = 5, "a: b: c: d: e:e e:2 f:f f:2", "e e" })
  stay(line(5, 6), {}, { inserted = 4, "a:a a:2 b:b b:2 c:c c:2 d:d d:2 e: f:", "d d" })
  stay(
    line(2, 5),
    { "b b", "e e" },
    { inserted = 5, "a:a a:2 b:b b:2 c: d: e:e e:2 f:f f:2", "e e" },
    { { first = 1, last = 3, lines = {} } }
  )
  stay(
    line(3, 3),
    { "c c", "new" },
    { inserted = 3, "a:a a:2 b:b b:2 c:c c:2 d:d d:2 e:e e:2 f:f f:2", "c c" },
    { { first = 1, last = 1, lines = { "new" } } }
  )
end)

test("folds right beside an answer stay whole", function()
  local function stay(range, answer, expected)
    local nvim = with_job({ "a", "b", "c", "d", "e", "f", "g" }, range)
    nvim:type(":4,6fold<CR>gg")
    nvim:answer(1, answer)
    equal(
      nvim:lua("return vim.fn.getline(vim.fn.foldclosed(...), vim.fn.foldclosedend(...))", expected),
      { "d", "e", "f" }
    )
  end
  stay(line(3, 3), { "c x" }, 5)
  stay(line(2, 3), { "b x" }, 4)
  stay(line(2, 3), {}, 3)
  stay(line(1, 3), {}, 2)
  stay(line(3, 3), { "c", "x" }, 6)
  stay(line(7, 7), { "g x" }, 5)
  stay({ kind = "char", first = { 3, 0 }, last = { 3, 0 } }, { "x", "y" }, 6)
end)

test("rows put in right beside a fold stand outside it", function()
  local function stand(range, answer, expected, edits)
    local nvim = with_job({ "a", "b", "c", "d", "e", "f", "g", "h" }, range)
    nvim:type(":2,3fold<CR>:5,7fold<CR>gg:vnew<CR>" .. (expected.keys or ""))
    nvim:answer(1, answer, { edits = edits })
    nvim:type("<Esc><C-w>l")
    local shown = nvim:lua([[
      local shown, row = {}, 1
      while row <= vim.fn.line("$") do
        local last = vim.fn.foldclosedend(row)
        shown[#shown + 1] = last > 0 and "[" .. table.concat(vim.fn.getline(row, last)) .. "]" or vim.fn.getline(row)
        row = math.max(row, last) + 1
      end
      return table.concat(shown, " ")
    ]])
    equal(shown, expected[1], vim.inspect({ range, expected.keys }))
  end
  local function below(row)
    return { kind = "insert", first = { row } }
  end
  for _, keys in ipairs({ "", "<C-w>l", "<C-w>lG", "<C-w>li" }) do
    stand(below(4), { "x", "y" }, { "a [bc] d x y [efg] h", keys = keys })
    stand(below(3), { "x", "y" }, { "a [bc] x y d [efg] h", keys = keys })
    stand(below(6), { "x", "y" }, { "a [bc] d [efxyg] h", keys = keys })
    stand(below(7), { "x", "y" }, { "a [bc] d [efg] x y h", keys = keys })
    stand(below(1), { "x" }, { "a x [bc] d [efg] h", keys = keys })
    stand(
      line(4, 4),
      { "d", "x" },
      { "a [bc] d x [efg] h", keys = keys },
      { { first = 1, last = 1, lines = { "x" } } }
    )
    stand(
      line(4, 4),
      { "x", "d" },
      { "a [bc] x d [efg] h", keys = keys },
      { { first = 0, last = 0, lines = { "x" } } }
    )
    stand(line(4, 4), { "x", "y", "z" }, { "a [bc] x y z [efg] h", keys = keys })
  end
end)

test("rows put in above a window's first row leave its view alone, and hold any byte", function()
  for _, keys in ipairs({ "", "A!", ":vnew<CR>", ":vnew<CR>i" }) do
    for _, answer in ipairs({ { "a\0b" }, { "x", "y", "z" } }) do
      local lines = {}
      for row = 1, 99 do
        lines[row] = "line " .. row
      end
      local nvim = with_job(lines, { kind = "insert", first = { 5 } })
      nvim:type("30Gzt34G" .. keys)
      nvim:answer(1, answer)
      local view = nvim:lua([[
        local window = vim.fn.bufwinid(1)
        return { vim.fn.line("w0", window), vim.api.nvim_win_get_cursor(window)[1] }
      ]])
      equal(view, { 30 + #answer, 34 + #answer }, keys)
      equal(nvim:api("buf_get_lines", 1, 5, 5 + #answer, true), answer)
    end
  end
end)

test("who types right behind what is replaced goes on behind the answer", function()
  local function goes_on(range, keys, answer, expected, undone)
    local nvim = with_job({ "one two three", "four" }, range)
    nvim:type(keys)
    nvim:answer(1, answer)
    nvim:type("x<BS>y<Esc>")
    equal(nvim:lines(), expected)
    nvim:type("u")
    equal(nvim:lines(), undone)
  end
  local chars = { kind = "char", first = { 1, 4 }, last = { 1, 6 } }
  goes_on(chars, "ggwea", { "second" }, { "one secondy three", "four" }, { "one second three", "four" })
  goes_on(chars, "ggwea", { "two or" }, { "one two ory three", "four" }, { "one two or three", "four" })
  goes_on(
    chars,
    "ggwelR",
    { "", " second" },
    { "one ", " secondythree", "four" },
    { "one ", " second three", "four" }
  )
  goes_on(chars, "ggweli", { "a", "bc" }, { "one a", "bcy three", "four" }, { "one a", "bc three", "four" })
  goes_on(chars, "ggwi", { "second" }, { "one ysecond three", "four" }, { "one second three", "four" })
  local block = { kind = "block", first = { 1, 0 }, last = { 2, 3 } }
  goes_on(block, "GA", { "first ", "fifth" }, { "first two three", "fifthy" }, { "first two three", "fifth" })
  goes_on(
    line(1, 1),
    "ggA",
    { "one two three, four" },
    { "one two three, foury", "four" },
    { "one two three, four", "four" }
  )
  goes_on(
    line(1, 2),
    "GA",
    { "1", "2", "3", "fourth" },
    { "1", "2", "3", "fourthy" },
    { "1", "2", "3", "fourth" }
  )
end)
