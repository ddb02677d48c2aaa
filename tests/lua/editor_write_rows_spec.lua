-- What `editor.write` touches of rows, and what stays on the rest of them: extmarks and marks.

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
    local api, apply = vim.api, require("botglue.apply")
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
      local reply = apply.write(call)
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
  -- A row that becomes more: it is the first of them that has its beginning, or the last that has its end.
  stay({ { 2, 3, { "c 1", "2 c" } } }, { "a:a a:2 b:b b:2 c:c 1:2 d:d d:2 e:e e:2 f:f f:2", "c 1" }, 3)
  stay({ { 2, 3, { "1", "x c" } } }, { "a:a a:2 b:b b:2 c:x c:2 d:d d:2 e:e e:2 f:f f:2", "x c" }, 3)
  stay({ { 2, 3, { "1", "2", "3" } } }, { "a:a a:2 b:b b:2 c:1:2 d:d d:2 e:e e:2 f:f f:2", "1" }, 3)
  -- Rows that become fewer.
  stay({ { 1, 3, { "b c" } } }, { "a:a a:2 b:b c:2 c: d:d d:2 e:e e:2 f:f f:2", "b c" }, 2)
  stay({ { 1, 5, { "b 1", "2 e" } } }, { "a:a a:2 b:b 1:2 c: d: e:2 e:2 f:f f:2", "2 e" }, 5)
  stay({ { 1, 3, { "b 1", "2", "3 c" } } }, { "a:a a:2 b:b 1:2 c:3 c:2 d:d d:2 e:e e:2 f:f f:2", "3 c" }, 3)
end)
