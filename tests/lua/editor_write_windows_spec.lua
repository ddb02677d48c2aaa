-- Where `editor.write` writes, folds, views and cursors stay with their text, and so does who types there.

local steps = require("support.steps")
local suite = require("support.suite")
local test, equal = suite.test, suite.equal

test("folds right beside an edit stay whole", function()
  local function stay(edit, expected)
    local nvim = steps.start({ "a", "b", "c", "d", "e", "f", "g" })
    nvim:type(":4,6fold<CR>gg")
    steps.written(nvim, { edit })
    equal(
      nvim:lua("return vim.fn.getline(vim.fn.foldclosed(...), vim.fn.foldclosedend(...))", expected),
      { "d", "e", "f" },
      vim.inspect(edit)
    )
  end
  stay({ 2, 3, { "x c", "c y", "z" } }, 6)
  stay({ 6, 7, { "g", "x" } }, 5)
  stay({ 0, 3, { "a", "x", "y", "z" } }, 6)
  stay({ 1, 3, { "bc" } }, 5)
end)

test("a fold stays around rows of which one within becomes more, or some become one", function()
  local function stay(edit, expected)
    local nvim = steps.start({ "1", "2", "3", "f(a, b)", "g(", "c)", "7", "8", "9" })
    nvim:type(":2,8fold<CR>gg")
    steps.written(nvim, { edit })
    equal(
      nvim:lua("return { vim.fn.foldclosed(2), vim.fn.foldclosedend(2) }"),
      { 2, expected },
      vim.inspect(edit)
    )
  end
  stay({ 3, 4, { "f(a,", "b)" } }, 9)
  stay({ 3, 4, { "x", "y", "z" } }, 10)
  stay({ 4, 6, { "g(c)" } }, 7)
  stay({ 3, 6, { "f", "g" } }, 7)
end)

test("cursors, views and the marks of the last change keep to their text", function()
  for _, edit in ipairs({
    { 9, 10, { "line", "10" } },
    { 9, 11, { "line 11" } },
    { 9, 19, {} },
  }) do
    local rows = {}
    for i = 1, 100 do
      rows[i] = "line " .. i
    end
    local nvim = steps.start(rows)
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
    steps.written(nvim, { edit })
    nvim:api("command", "redraw")
    equal(nvim:lua(state), before, vim.inspect(edit))
    equal(#steps.rows(nvim), 100 + #edit[3] - (edit[2] - edit[1]))
  end
end)

test("windows that begin or stand in an edited row stay there", function()
  for _, edit in ipairs({
    { 49, 50, { "line 50!" } },
    { 49, 50, { "line 50", "+", "+" } },
    { 49, 50, { "line", "and 50" } },
    { 49, 50, { "line", "and", "50" } },
    { 49, 50, { "one", "two" } },
    { 49, 51, { "line 50 51" } },
    { 49, 52, { "line 50 52" } },
    { 49, 52, { "one", "two" } },
    { 49, 52, { "one", "two", "three", "four" } },
  }) do
    local rows, grown = {}, #edit[3] - (edit[2] - edit[1])
    for i = 1, 100 do
      rows[i] = "line " .. i
    end
    local nvim = steps.start(rows)
    nvim:type("50Gzt4|:split<CR>50Gzt3|:split<CR>60Gzt")
    steps.written(nvim, { edit })
    nvim:api("command", "redraw")
    local views = nvim:lua([[
      return vim.tbl_map(function(win)
        return vim.api.nvim_win_call(win, function()
          local view = vim.fn.winsaveview()
          return { view.topline, view.lnum }
        end)
      end, vim.api.nvim_tabpage_list_wins(0))
    ]])
    equal(views, { { 60 + grown, 60 + grown }, { 50, 50 }, { 50, 50 } }, vim.inspect(edit))
  end
end)

test("who types right behind what is replaced goes on behind it", function()
  local function goes_on(keys, edits, expected, undone)
    local nvim = steps.start({ "one two three", "four" })
    nvim:type(keys)
    steps.written(nvim, edits)
    nvim:type("x<BS>y<Esc>")
    equal(steps.rows(nvim), expected)
    nvim:type("u")
    equal(steps.rows(nvim), undone)
  end
  goes_on(
    "ggwea",
    { { 0, 1, { "one second three" } } },
    { "one secondy three", "four" },
    { "one second three", "four" }
  )
  goes_on(
    "ggwi",
    { { 0, 1, { "one 2nd three" } } },
    { "one y2nd three", "four" },
    { "one 2nd three", "four" }
  )
  goes_on("ggA", { { 0, 1, { "one, four" } } }, { "one, foury", "four" }, { "one, four", "four" })
  goes_on("ggA", { { 0, 1, { "one", "two" } } }, { "one", "twoy", "four" }, { "one", "two", "four" })
  goes_on(
    "ggA",
    { { 0, 1, { "one", "", "three" } } },
    { "one", "", "threey", "four" },
    { "one", "", "three", "four" }
  )
  goes_on(
    "ggA",
    { { 0, 2, { "one two three, x", "five" } } },
    { "one two three, xy", "five" },
    { "one two three, x", "five" }
  )
  goes_on(
    "GA",
    { { 0, 2, { "1", "2", "3", "fourth" } } },
    { "1", "2", "3", "fourthy" },
    { "1", "2", "3", "fourth" }
  )
  goes_on("GA", { { 0, 2, { "one four" } } }, { "one foury" }, { "one four" })
  goes_on("GA", { { 0, 2, { "1" } } }, { "1y" }, { "1" })
  goes_on("GA", { { 0, 1, { "first" } }, { 1, 2, { "fifth" } } }, { "first", "fifthy" }, { "first", "fifth" })
end)

test("who types within a row that is parted or joined goes on in the same text", function()
  local function goes_on(rows, keys, edit, expected)
    local nvim = steps.start(rows)
    nvim:type(keys)
    steps.written(nvim, { edit })
    nvim:type("x<BS>y<Esc>")
    equal(steps.rows(nvim), expected, keys)
  end
  local one, two = { "foo(a, b)", "n" }, { "foo(a,", "  b)", "n" }
  local part, join = { 0, 1, { "foo(a,", "  b)" } }, { 0, 2, { "foo(a, b)" } }
  goes_on(one, "gg0fai", part, { "foo(ya,", "  b)", "n" })
  goes_on(one, "gg0f)i", part, { "foo(a,", "  by)", "n" })
  goes_on(one, "ggA", part, { "foo(a,", "  b)y", "n" })
  goes_on(two, "gg0fai", join, { "foo(ya, b)", "n" })
  goes_on(two, "2G0f)i", join, { "foo(a, by)", "n" })
  goes_on(two, "2GA", join, { "foo(a, b)y", "n" })
  goes_on(two, "3GI", join, { "foo(a, b)", "yn" })
end)
