-- What `editor.write` touches of rows, and what stays on the rest of them: marks, extmarks, folds, views, cursors.

local steps = require("support.steps")
local suite = require("support.suite")
local test, equal = suite.test, suite.equal

test("rows are added, taken away and put in between", function()
  local function becomes(edits, expected, rows)
    local nvim = steps.start(rows or { "a", "b", "c" })
    steps.written(nvim, edits)
    equal(steps.rows(nvim), expected, vim.inspect(edits))
    nvim:type("u")
    equal(steps.rows(nvim), rows or { "a", "b", "c" }, "undone")
    nvim:type("<C-r>")
    equal(steps.rows(nvim), expected, "redone")
  end
  becomes({ { 3, 3, { "d", "e" } } }, { "a", "b", "c", "d", "e" })
  becomes({ { 0, 0, { "-" } } }, { "-", "a", "b", "c" })
  becomes({ { 1, 1, { "1", "2" } } }, { "a", "1", "2", "b", "c" })
  becomes({ { 1, 2, {} } }, { "a", "c" })
  becomes({ { 2, 3, {} } }, { "a", "b" })
  becomes({ { 0, 3, {} } }, { "" })
  becomes({ { 0, 2, {} } }, { "c" })
  becomes({ { 1, 3, {} } }, { "a" })
  becomes({ { 1, 1, { "x" } }, { 2, 3, {} } }, { "a", "x", "b" })
  becomes({ { 0, 3, { "x" } } }, { "x" })
  becomes({ { 1, 2, { "b1", "b2", "b3" } } }, { "a", "b1", "b2", "b3", "c" })
  becomes({ { 0, 2, { "f(1)" } } }, { "f(1)", "c" }, { "f(", "1)", "c" })
  becomes({ { 0, 1, { "f(", "1", ")" } } }, { "f(", "1", ")", "c" }, { "f(1)", "c" })
  becomes({ { 0, 1, { "one 2" } } }, { "one 2", "c" }, { "one two", "c" })
  becomes({ { 0, 1, { "one three" } } }, { "one three" }, { "one two three" })
end)

--- Where extmarks of another plugin are after an edit: each is put on a character, by its row and column from 0.
local function extmarks(rows, marks, edit, expected)
  local nvim = steps.start(rows)
  nvim:lua(
    [[
    _G.ns = vim.api.nvim_create_namespace("other")
    for id, at in ipairs(...) do
      vim.api.nvim_buf_set_extmark(0, ns, at[1], at[2], { id = id, end_col = at[3] })
    end
  ]],
    marks
  )
  steps.written(nvim, edit)
  local found = nvim:lua(
    [[
    return vim.tbl_map(function(id)
      local row, col, more = unpack(vim.api.nvim_buf_get_extmark_by_id(0, ns, id, { details = true }))
      return { row, col, more.end_col }
    end, ...)
  ]],
    vim
      .iter(ipairs(marks))
      :map(function(id)
        return id
      end)
      :totable()
  )
  equal(found, expected, vim.inspect(edit))
  nvim:type("u")
  equal(steps.rows(nvim), rows)
end

test("a changed row keeps what stands on the rest of it", function()
  extmarks(
    { "local größe = 1", "b", "c" },
    { { 0, 6, 13 }, { 1, 0 } },
    { { 0, 2, { "local größe = 23", "b!" } } },
    { { 0, 6, 13 }, { 1, 0 } }
  )
end)

test("extmarks stay on the equal beginning and end of rows that become more or fewer", function()
  extmarks(
    { "foo(a, b)", "next" },
    { { 0, 0, 3 }, { 0, 4 }, { 0, 8 }, { 1, 0 } },
    { { 0, 1, { "foo(a,", "  x,", "  b)" } } },
    { { 0, 0, 3 }, { 0, 4 }, { 2, 3 }, { 3, 0 } }
  )
  extmarks(
    { "foo(", "  a,", "  b)", "next" },
    { { 0, 0, 3 }, { 2, 2 }, { 2, 3 }, { 3, 0 } },
    { { 0, 3, { "foo(a, b)" } } },
    { { 0, 0, 3 }, { 0, 7 }, { 0, 8 }, { 1, 0 } }
  )
  extmarks(
    { "first 1", "2", "3", "4 last", "next" },
    { { 0, 0, 5 }, { 3, 2, 6 }, { 4, 0 } },
    { { 0, 4, { "first", "the last" } } },
    { { 0, 0, 5 }, { 1, 4, 8 }, { 2, 0 } }
  )
  extmarks(
    { "first 1", "4 last", "next" },
    { { 0, 0, 5 }, { 1, 2, 6 }, { 2, 0 } },
    { { 0, 2, { "first", "2", "3", "the last" } } },
    { { 0, 0, 5 }, { 3, 4, 8 }, { 4, 0 } }
  )
  extmarks(
    { "a", "b", "c", "d", "e" },
    { { 0, 0, 1 }, { 2, 0, 1 }, { 3, 0, 1 } },
    { { 1, 2, { "B", "BB" } }, { 4, 5, { "E" } } },
    { { 0, 0, 1 }, { 3, 0, 1 }, { 4, 0, 1 } }
  )
  -- Nothing but the end is shared: the row goes with the last one.
  extmarks({ "x = 1", "n" }, { { 0, 4 } }, { { 0, 1, { "-- why", "y = 1" } } }, { { 1, 4 } })
  -- Equal rows at both ends, whatever the host says of them.
  extmarks(
    { "a", "b", "c", "d" },
    { { 0, 0, 1 }, { 1, 0, 1 }, { 2, 0, 1 }, { 3, 0, 1 } },
    { { 0, 4, { "a", "new", "b", "c", "d" } } },
    { { 0, 0, 1 }, { 2, 0, 1 }, { 3, 0, 1 }, { 4, 0, 1 } }
  )
  -- Many rows at once.
  local many = {}
  for i = 1, 80 do
    many[i] = "row " .. i
  end
  extmarks(
    { "row one", "2", "last row" },
    { { 0, 0, 3 }, { 2, 5, 8 } },
    { { 0, 3, vim.list_extend(many, { "the row" }) } },
    { { 0, 0, 3 }, { 80, 4, 7 } }
  )
end)

test("many rows that become as many others keep the ends of them, and the user's marks", function()
  for _, count in ipairs({ 50, 51, 120 }) do
    local old, new = {}, {}
    for i = 1, count do
      old[i], new[i] = ("row %d."):format(i), ("row-%d!."):format(i)
    end
    extmarks(
      vim.list_extend({ "above" }, old),
      { { 0, 0, 5 }, { 1, 0, 3 }, { count, #old[count] - 1, #old[count] } },
      { { 0, count + 1, vim.list_extend({ "above" }, new) } },
      { { 0, 0, 5 }, { 1, 0, 3 }, { count, #new[count] - 1, #new[count] } }
    )
    local nvim = steps.start(old)
    nvim:type("20Gma")
    steps.written(nvim, { { 0, count, new } })
    equal(steps.rows(nvim), new)
    equal(nvim:api("buf_get_mark", 0, "a"), { 20, 0 })
  end
end)

test("edits touch only the rows that differ, and never a part of a character", function()
  local nvim = steps.start({ "a", "b", "größe", "d", "e" })
  nvim:lua([[
    _G.changes = {}
    vim.api.nvim_buf_attach(0, false, { on_bytes = function(_, _, _, row, col, _, old_row, old_col, old_bytes)
      if old_bytes > 0 then table.insert(changes, { row, col, old_row, old_col }) end
    end })
  ]])
  steps.written(nvim, { { 0, 5, { "a", "B", "gräße", "d", "e" } } })
  equal(steps.rows(nvim), { "a", "B", "gräße", "d", "e" })
  equal(nvim:lua("return changes"), { { 1, 0, 0, 1 }, { 2, 2, 0, 2 } })
end)

test("rows become others whatever they are, and those beside them keep their marks", function()
  local nvim = steps.start({ "" })
  local wrong = nvim:lua([[
    local api, write = vim.api, require("botglue.editor.write")
    local ns = api.nvim_create_namespace("other")
    math.randomseed(7)
    local function rows(count)
      local made = {}
      for i = 1, count do
        made[i] = ({ "a", "b", "", "é", "xy", "xéy", "x\0y", "x\xc3", "ayb", "\x80\x80" })[math.random(10)]
      end
      return made
    end
    for job = 1, 3000 do
      local buffer = rows(math.random(6))
      api.nvim_buf_set_lines(0, 0, -1, false, buffer)
      local expected, edits, first = {}, {}, 0
      while first <= #buffer and math.random(3) > 1 do
        first = math.random(first, #buffer)
        local last = math.random(first, #buffer)
        edits[#edits + 1] = {
          first = first,
          last = last,
          old = vim.list_slice(buffer, first + 1, last),
          above = buffer[first],
          below = buffer[last + 1],
          lines = rows(math.random(0, 4)),
        }
        first = last + 1
      end
      local past, marks = 0, {}
      local function stay(last)
        for row = past, last - 1 do
          local name = ("abcdef"):sub(row + 1, row + 1)
          api.nvim_buf_set_extmark(0, ns, row, 0, { id = row + 1 })
          api.nvim_buf_set_mark(0, name, row + 1, 0, {})
          marks[#marks + 1] = { id = row + 1, name = name, row = #expected }
          expected[#expected + 1] = buffer[row + 1]
        end
      end
      for _, edit in ipairs(edits) do
        stay(edit.first)
        vim.list_extend(expected, edit.lines)
        past = edit.last
      end
      stay(#buffer)
      expected = #expected > 0 and expected or { "" }
      local call = { buffer = 1, tick = vim.b.changedtick, steps = { { job = job, attempt = 1, edits = edits } } }
      local reply = write.write(call)
      local got = api.nvim_buf_get_lines(0, 0, -1, false)
      if reply.state ~= "done" or reply.steps[1].state ~= "written" or not vim.deep_equal(got, expected) then
        return { buffer, edits, reply, got }
      end
      for _, mark in ipairs(marks) do
        local at = api.nvim_buf_get_extmark_by_id(0, ns, mark.id, {})
        if at[1] ~= mark.row or at[2] ~= 0 or api.nvim_buf_get_mark(0, mark.name)[1] ~= mark.row + 1 then
          return { buffer, edits, mark, at, api.nvim_buf_get_mark(0, mark.name) }
        end
      end
    end
  ]])
  equal(wrong, vim.NIL)
end)

test("the user's marks stay on rows of which something is left, and on those beside them", function()
  local function stay(edits, expected, insertion)
    local rows = { "a a", "b b", "c c", "d d", "e e", "f f" }
    local nvim = steps.start(rows)
    for row = 1, 6 do
      nvim:type(("%dG0lm%s"):format(row, ("abcdef"):sub(row, row)))
    end
    nvim:type(insertion .. "Gi<Esc>")
    steps.written(nvim, edits)
    local marked = nvim:lua([[
      local rows = {}
      for name in ("abcdef"):gmatch(".") do
        local at = vim.fn.getpos("'" .. name)
        rows[#rows + 1] = name .. ":" .. (at[2] > 0 and vim.fn.getline(at[2]) .. ":" .. at[3] or "")
      end
      return { table.concat(rows, " "), vim.fn.getline(vim.fn.getpos("'^")[2]) }
    ]])
    equal(marked, expected, vim.inspect(edits))
  end
  stay({ { 2, 3, { "c x" } } }, { "a:a a:2 b:b b:2 c:c x:2 d:d d:2 e:e e:2 f:f f:2", "c x" }, 3)
  stay({ { 2, 3, { "xx c" } } }, { "a:a a:2 b:b b:2 c:xx c:2 d:d d:2 e:e e:2 f:f f:2", "xx c" }, 3)
  stay({ { 2, 3, { "c x" } } }, { "a:a a:2 b:b b:2 c:c x:2 d:d d:2 e:e e:2 f:f f:2", "d d" }, 4)
  stay({ { 2, 4, {} } }, { "a:a a:2 b:b b:2 c: d: e:e e:2 f:f f:2", "e e" }, 5)
  stay({ { 0, 4, {} } }, { "a: b: c: d: e:e e:2 f:f f:2", "e e" }, 5)
  stay({ { 4, 6, {} } }, { "a:a a:2 b:b b:2 c:c c:2 d:d d:2 e: f:", "d d" }, 4)
  stay({ { 1, 5, { "b b", "e e" } } }, { "a:a a:2 b:b b:2 c: d: e:e e:2 f:f f:2", "e e" }, 5)
  stay({ { 2, 3, { "c c", "new" } } }, { "a:a a:2 b:b b:2 c:c c:2 d:d d:2 e:e e:2 f:f f:2", "c c" }, 3)
  -- A row that becomes more: it is the first of them that has its beginning, or the last that has its end.
  stay({ { 2, 3, { "c 1", "2 c" } } }, { "a:a a:2 b:b b:2 c:c 1:2 d:d d:2 e:e e:2 f:f f:2", "c 1" }, 3)
  stay({ { 2, 3, { "1", "x c" } } }, { "a:a a:2 b:b b:2 c:x c:2 d:d d:2 e:e e:2 f:f f:2", "x c" }, 3)
  stay({ { 2, 3, { "1", "2", "3" } } }, { "a:a a:2 b:b b:2 c:1:2 d:d d:2 e:e e:2 f:f f:2", "1" }, 3)
  -- Rows that become fewer.
  stay({ { 1, 3, { "b c" } } }, { "a:a a:2 b:b c:2 c: d:d d:2 e:e e:2 f:f f:2", "b c" }, 2)
  stay({ { 1, 5, { "b 1", "2 e" } } }, { "a:a a:2 b:b 1:2 c: d: e:2 e:2 f:f f:2", "2 e" }, 5)
  stay({ { 1, 3, { "b 1", "2", "3 c" } } }, { "a:a a:2 b:b 1:2 c:3 c:2 d:d d:2 e:e e:2 f:f f:2", "3 c" }, 3)
end)

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
  stay({ 2, 3, { "c x" } }, 5)
  stay({ 1, 3, { "b x" } }, 4)
  stay({ 1, 3, {} }, 3)
  stay({ 0, 3, {} }, 2)
  stay({ 2, 3, { "c", "x" } }, 6)
  stay({ 6, 7, { "g x" } }, 5)
  stay({ 2, 3, { "x", "y" } }, 6)
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

test("rows put in right beside a fold stand outside it", function()
  local function stand(keys, edit, expected)
    local nvim = steps.start({ "a", "b", "c", "d", "e", "f", "g", "h" })
    nvim:type(":2,3fold<CR>:5,7fold<CR>gg:vnew<CR>" .. keys)
    steps.written(nvim, { edit })
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
    equal(shown, expected, vim.inspect({ edit, keys }))
  end
  for _, keys in ipairs({ "", "<C-w>l", "<C-w>lG", "<C-w>li" }) do
    stand(keys, { 4, 4, { "x", "y" } }, "a [bc] d x y [efg] h")
    stand(keys, { 3, 3, { "x", "y" } }, "a [bc] x y d [efg] h")
    stand(keys, { 6, 6, { "x", "y" } }, "a [bc] d [efxyg] h")
    stand(keys, { 7, 7, { "x", "y" } }, "a [bc] d [efg] x y h")
    stand(keys, { 1, 1, { "x" } }, "a x [bc] d [efg] h")
    stand(keys, { 3, 4, { "d", "x" } }, "a [bc] d x [efg] h")
    stand(keys, { 3, 4, { "x", "d" } }, "a [bc] x d [efg] h")
    stand(keys, { 3, 4, { "x", "y", "z" } }, "a [bc] x y z [efg] h")
  end
end)

test("rows put in above a window's first row leave its view alone, and hold any byte", function()
  for _, keys in ipairs({ "", "A!", ":vnew<CR>", ":vnew<CR>i" }) do
    for _, new in ipairs({ { "a\0b" }, { "x", "y", "z" } }) do
      local rows = {}
      for row = 1, 99 do
        rows[row] = "line " .. row
      end
      local nvim = steps.start(rows)
      nvim:type("30Gzt34G" .. keys)
      steps.written(nvim, { { 5, 5, new } })
      local view = nvim:lua([[
        local window = vim.fn.bufwinid(1)
        return { vim.fn.line("w0", window), vim.api.nvim_win_get_cursor(window)[1] }
      ]])
      equal(view, { 30 + #new, 34 + #new }, keys)
      equal(nvim:api("buf_get_lines", 1, 5, 5 + #new, true), new)
    end
  end
end)

test("cursors, views and the marks of the last change keep to their text", function()
  for _, edit in ipairs({
    { 9, 11, { "one", "two", "three", "four", "five" } },
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
