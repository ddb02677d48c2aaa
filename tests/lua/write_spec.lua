local child = require("support.child")
local suite = require("support.suite")
local test, equal = suite.test, suite.equal

test("a changed row keeps what stands on the rest of it", function()
  local nvim = child.with_host({ "local größe = 1", "b", "c" })
  nvim:run({ kind = "line", first = { 1, 0 }, last = { 2, 0 } })
  nvim:lua([[
    _G.ns = vim.api.nvim_create_namespace("other")
    vim.api.nvim_buf_set_extmark(0, ns, 0, 6, { id = 1, end_col = 13 })
    vim.api.nvim_buf_set_extmark(0, ns, 1, 0, { id = 2 })
  ]])
  local edits = { { first = 0, last = 2, lines = { "local größe = 23", "b!" } } }
  nvim:answer(1, { "local größe = 23", "b!" }, { edits = edits })
  equal(nvim:lines(), { "local größe = 23", "b!", "c" })
  local marks = nvim:lua([[
    local mark = vim.api.nvim_buf_get_extmark_by_id(0, ns, 1, { details = true })
    return { mark[1], mark[2], mark[3].end_col, vim.api.nvim_buf_get_extmark_by_id(0, ns, 2, {})[1] }
  ]])
  equal(marks, { 0, 6, 13, 1 })
end)

test("characters are written right whatever they are replaced by, and where they stand is known", function()
  local nvim = child.start()
  local wrong = nvim:lua([[
    local api, write = vim.api, require("botglue.write")
    math.randomseed(7)
    local function rows(count)
      local made = {}
      for i = 1, count do
        made[i] = ({ "a", "b", "", "é", "xy", "xéy" })[math.random(6)]
      end
      return made
    end
    local function join(list)
      return table.concat(list, "\n")
    end
    for _ = 1, 3000 do
      local buffer, new = rows(math.random(5)), rows(math.random(0, 4))
      api.nvim_buf_set_lines(0, 0, -1, false, buffer)
      local first = math.random(#buffer)
      local last = math.random(first, #buffer)
      local function column(row)
        local starts = vim.str_utf_pos(buffer[row])
        starts[#starts + 1] = #buffer[row] + 1
        return starts[math.random(#starts)] - 1
      end
      local from, to = column(first), column(last)
      if first == last and from > to then
        from, to = to, from
      end
      local above, below = vim.list_slice(buffer, 1, first), vim.list_slice(buffer, last)
      above[#above], below[1] = above[#above]:sub(1, from), below[1]:sub(to + 1)
      local place = write.chars(0, { first = first - 1, last = last - 1, from = from, to = to }, new)
      local got = join(api.nvim_buf_get_lines(0, 0, -1, false))
      local there = join(api.nvim_buf_get_text(0, place.first, place.from, place.last, place.to, {}))
      if got ~= join(above) .. join(new) .. join(below) or there ~= join(new) then
        return { buffer, first, from, last, to, new, got, there }
      end
    end
  ]])
  equal(wrong, vim.NIL)
end)

test("a row with a NUL that ends before the block is filled up by its cells", function()
  local nvim = child.with_host({ "abcdef", "x\0", "abcdef" })
  nvim:run({ kind = "block", first = { 1, 4 }, last = { 3, 5 } })
  nvim:answer(1, { "E", "F", "G" })
  equal({ nvim:job(1).landing, nvim:lines() }, { "applied", { "abcdE", "x\0 F", "abcdG" } })
end)
