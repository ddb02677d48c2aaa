-- Rows that are moved over an end of a range and back again, also where somebody has changed the range elsewhere.

local child = require("support.child")
local suite = require("support.suite")
local test, equal = suite.test, suite.equal
local line = child.line

local LINES = {}
for i = 1, 12 do
  LINES[i] = "line " .. i
end

--- The rows of a range of 4 to 7 after some keys.
local function rows_after(keys, at_once, lines)
  local nvim = child.with_host(lines or LINES)
  nvim:run(line(4, 7))
  nvim:settle()
  if at_once then
    nvim:type(table.concat(keys))
  else
    nvim:play(keys)
  end
  return nvim:lua([[
    local range = require("botglue.client").job(1).range
    local place = range:look()
    return place and vim.api.nvim_buf_get_lines(1, place.first, place.last + 1, true)
  ]])
end

local OWN = { "line 4", "line 5x", "line 6", "line 7" }

test("rows that are moved over an end and back again", function()
  for _, keys in ipairs({
    { "5GAx<Esc>", "7GJ", "u" },
    { "5GAx<Esc>", "7G3J", "u" },
    { "5GAx<Esc>", ":7,8s/\\n/ /<CR>", "u" },
    { "5GAx<Esc>", ":set textwidth=40<CR>", "7Ggqj", "u" },
    { "5GAx<Esc>", "3GJ", "u" },
    { "5GAx<Esc>", "3Gddp", "kddp" },
    { "5GAx<Esc>", "8GddkP", "jddkP" },
    { "5GAx<Esc>", "7Gddp", "kddp" },
    { "5GAx<Esc>", "7GddP" },
    { "5GAx<Esc>", "4GddP" },
    { "5GAx<Esc>", "7G2dd", "P" },
    { "5GAx<Esc>", "3G2dd", "P" },
    { "7Gddp", "kddp", "5GAx<Esc>" },
    { "4GddP", "5GAx<Esc>" },
    { "7GJ", "u", "5GAx<Esc>" },
    { ":%join<CR>", "u", "5GAx<Esc>" },
    { "5GAx<Esc>", ":%join<CR>", "u" },
    { "5GAx<Esc>", "ggOa<CR>b<CR>c<CR>d<CR>e<CR>f<CR>g<CR>h<CR>i<Esc>", ":%join<CR>", "u" },
  }) do
    equal(rows_after(keys), OWN, table.concat(keys))
  end
end)

test("rows that are joined over both ends, and split again", function()
  for _, keys in ipairs({
    { "5GJ", "u", "3G6J", "u" },
    { "4G3J", "u", "3G6J", "u", "3G6J", "u" },
    { "5Gdd", "u", "3GV5jJ", "u" },
    { "5Gyyp", "u", "3G6J", "u", "5GddP", "3G6J", "u" },
    { "4GOnew<Esc>", "u", "3G6J", "u", "6Gonew<Esc>", "u", "3G6J", "u" },
    { "5GJ", "u", "3G6J", "u", "<C-r>", "<C-r>", "g-", "g-", "g+", "g-" },
    { "3G6J", ":substitute/ line/\\rline/g<CR>" },
    { "5GJ", "u", "3G6J", ":substitute/ line/\\rline/g<CR>" },
  }) do
    equal(rows_after(keys), { "line 4", "line 5", "line 6", "line 7" }, table.concat(keys))
    if not keys[#keys]:find("substitute") then
      equal(rows_after({ "5GAx<Esc>", keys }), OWN, table.concat(keys))
    end
  end
end)

--- Typed text with time between its keys.
local function one_by_one(keys)
  local command, text = keys:match("^(.*[oO])(.*)<Esc>$")
  local each = { command or keys }
  for key in (text or ""):gmatch(".") do
    each[#each + 1] = key
  end
  each[#each + 1] = text and "<Esc>"
  return each
end

test("rows of the range that are put right next to it", function()
  for keys, rows in pairs({
    ["5GddkP"] = { 5, 4, 6, 7 },
    ["5G2ddkP"] = { 5, 6, 4, 7 },
    ["6GddkkP"] = { 6, 4, 5, 7 },
    ["6Gddp"] = { 4, 5, 7, 6 },
    ["5Gddjp"] = { 4, 6, 7, 5 },
    ["5G2ddp"] = { 4, 7, 5, 6 },
    ["4Gyy7Gp4Gdd"] = { 5, 6, 7, 4 },
    ["4Gddjjp"] = { 5, 6, 7, 4 },
    ["7GddkkkP"] = { 7, 4, 5, 6 },
    ["5GddkPu"] = { 4, 6, 7 },
    ["5GddkPuu"] = { 4, 5, 6, 7 },
    ["5GddkOline 5<Esc>"] = { 5, 4, 6, 7 },
    ["5GddkkP"] = { 4, 6, 7 },
    ["5Gddjjp"] = { 4, 6, 7 },
  }) do
    local expected = {}
    for i, row in ipairs(rows) do
      expected[i] = "line " .. row
    end
    equal(rows_after({ keys }), expected, keys)
    equal(rows_after(one_by_one(keys)), expected, keys .. ", key by key")
    equal(
      rows_after({ "6GAx<Esc>", keys }),
      vim.tbl_map(function(row)
        return row == "line 6" and "line 6x" or row
      end, expected),
      keys .. " of an edited range"
    )
  end
  -- Blank rows that were next to it are none of them.
  local lines = { "a", "", "", "b", "", "", "c", "", "", "d" }
  equal(rows_after({ "5Gdd" }, false, lines), { "b", "", "c" })
end)

test(
  "what another answer puts next to the range is none of it, though it reads as a row that was taken out",
  function()
    for _, keys in ipairs({ {}, { "u", "<C-r>" }, { "GAx<Esc>" } }) do
      local nvim = child.with_host({ "a", "b", "c", "d", "e" })
      nvim:run(line(2, 3))
      nvim:run(line(4, 4))
      nvim:type("3Gdd")
      nvim:settle()
      nvim:answer(2, { "c", "d" })
      nvim:settle()
      nvim:play(keys)
      nvim:answer(1, { "b", "C" })
      equal({ nvim:job(1).landing, nvim:lines()[3] }, { "held", "c" }, table.concat(keys))
    end
  end
)

test(
  "a row of the range that is put back is that row, though another answer brought one that reads the same",
  function()
    for _, keys in ipairs({ { "8Gdd", "P" }, { "8Gddp", ":9move 7<CR>" }, { "8Gdd", "p", "ddkP" } }) do
      local nvim = child.with_host({ "a1", "a2", "b1", "b2", "b3", "b4", "}", "z1", "z2" })
      nvim:run(line(1, 2))
      nvim:run(line(3, 7))
      nvim:answer(1, { "a1", "}", "a2" })
      nvim:settle()
      nvim:play(keys)
      nvim:answer(2, { "b1", "}", "b2", "b3", "b4" })
      nvim:settle()
      equal(table.concat(nvim:lines(), " "), "a1 } a2 b1 } b2 b3 b4 z1 z2", table.concat(keys))
    end
  end
)

test("a row of a range that is put back within what another answer stands around", function()
  for _, keys in ipairs({
    { "6Gdd", "P" },
    { ":6move 7<CR>", ":7move 5<CR>" },
    { "u", "5Gdd", "P" },
    { "2Gdd", "5Gdd", "P" },
  }) do
    local nvim = child.with_host({ "a", "b", "c", "d", "}", "e", "f", "g" })
    nvim:run(line(4, 5))
    nvim:run(line(1, 7))
    local edits = { { first = 1, last = 1, lines = { "}" } } }
    nvim:answer(2, { "a", "}", "b", "c", "d", "}", "e", "f" }, { edits = edits })
    nvim:settle()
    nvim:play(keys)
    nvim:answer(1, { "}", "d" })
    nvim:settle()
    local is_undone = keys[1] == "u" or keys[1] == "2Gdd"
    equal(
      table.concat(nvim:lines(), " "),
      (is_undone and "a " or "a } ") .. "b c } d e f g",
      table.concat(keys)
    )
  end
end)

test("two answers to the same lines that add the same rows at an end", function()
  local changed = { first = 1, last = 2, lines = { "C" } }
  for _, each in ipairs({
    { { "b", "C", "d", "plus" }, { changed, { first = 3, last = 3, lines = { "plus" } } } },
    { { "plus", "b", "C", "d" }, { { first = 0, last = 0, lines = { "plus" } }, changed } },
    { { "b", "C", "d", "", "one", "}" }, { changed, { first = 3, last = 3, lines = { "", "one", "}" } } } },
  }) do
    local nvim = child.with_host({ "a", "b", "c", "d", "e" })
    nvim:run(line(2, 4))
    nvim:run(line(2, 4))
    nvim:answer(2, each[1], { edits = each[2] })
    nvim:settle()
    nvim:answer(1, each[1], { edits = each[2] })
    nvim:settle()
    -- They are the same then, and the merge finds nothing to write.
    equal(nvim:host("received", "merge")[1].current, each[1], table.concat(each[1], "|"))
  end
end)

test("rows that are opened around a range which was the whole text, and was deleted and put back", function()
  local nvim = child.with_host({ "a", "b", "c" })
  nvim:run(line(1, 3))
  nvim:play({ ":%d<CR>", "u", "Go", "after<Esc>", "ggO", "before<Esc>" })
  equal(nvim:lua("return { require('botglue.client').job(1).range:lines() }"), { 2, 4 })
end)

test("what is undone and changed at once", function()
  equal(rows_after({ "7GJu5GAx<Esc>" }, true), OWN)
  equal(rows_after({ "3GJu5GAx<Esc>" }, true), OWN)
end)

test("rows that read like those at its ends are others", function()
  local lines =
    { "a", "if x", "  end", "end", "", "if y", "  end", "end", "", "if z", "  end", "end", "", "b" }
  -- 4 to 7: "end", "", "if y", "  end".
  local own = { "end", "", "if yx", "  end" }
  for _, keys in ipairs({
    { "6GAx<Esc>", "10G4yyGp" },
    { "6GAx<Esc>", "6G4yy9Gp" },
    { "6GAx<Esc>", "8Gyyp" },
    { "6GAx<Esc>", "3GyyP" },
    { "6GAx<Esc>", "8Gdd" },
    { "6GAx<Esc>", "8G2dd" },
    { "6GAx<Esc>", "1Gdd" },
    { "6GAx<Esc>", "3GOnew<Esc>", "9GOnew<Esc>" },
  }) do
    equal(rows_after(keys, false, lines), own, table.concat(keys))
  end
  lines = { "a", "}", "", "fn total", "  sum", "}", "", "fn next", "}", "", "z" }
  own = { "fn total", "  sum", "}", "" }
  for _, keys in ipairs({
    { "4Gyap}p" },
    { "4Gyap}p", ":8s/total/copy/<CR>" },
    { "4Gyap{p" },
    { "4Gyap{p", ":4s/total/copy/<CR>" },
    { ":4,6t7<CR>", ":8s/total/copy/<CR>" },
    { ":4,7t3<CR>", ":4s/total/copy/<CR>" },
  }) do
    equal(rows_after(keys, false, lines), own, table.concat(keys))
  end
  lines = { "<b>", "<tr>" }
  for _, word in ipairs({ "one", "two", "three", "four", "five" }) do
    vim.list_extend(lines, { word, "</tr>", "<tr>" })
  end
  -- 4 to 7: "</tr>", "<tr>", "two", "</tr>".
  equal(rows_after({ "5Gomine<Esc>" }, false, lines), { "</tr>", "<tr>", "mine", "two", "</tr>" })
  lines = { "a" }
  for _, word in ipairs({ "one", "two", "three", "four", "five", "six" }) do
    vim.list_extend(lines, { "{", word, "}" })
  end
  for keys, expected in pairs({
    ["8G3dd"] = { "}", "{", "two", "}" },
    ["5G3dd"] = { "}" },
    ["5G3yy7Gp"] = { "}", "{", "two", "}" },
    ["5Gyyp"] = { "}", "{", "{", "two", "}" },
    ["4G2dd"] = { "two", "}" },
    ["6G2dd"] = { "}", "{" },
  }) do
    equal(rows_after({ keys }, false, lines), expected, keys)
  end
  lines = { "[", "x", "}" }
  for _, word in ipairs({ "one", "two", "three" }) do
    vim.list_extend(lines, { "{", "key", word, "}" })
  end
  -- 4 to 7 is the first of three; copied above itself.
  equal(rows_after({ "4GV3jyP", "10GA own<Esc>" }, false, lines), { "{", "key", "one own", "}" })
  equal(rows_after({ "5GAx<Esc>", "4GOnew<Esc>", "8Gonew<Esc>" }), OWN)
  equal(rows_after({ "5GAx<Esc>", "4G4yy7Gp" }), OWN)
  equal(rows_after({ "5GAx<Esc>", "4GonEw<Esc>" }), { "line 4", "nEw", "line 5x", "line 6", "line 7" })
  equal(rows_after({ "5GAx<Esc>", "7Gdd" }), { "line 4", "line 5x", "line 6" })
  equal(rows_after({ "5GAx<Esc>", "4Gdd" }), { "line 5x", "line 6", "line 7" })
end)

test("a last row that was typed anew stays in the range, whatever is put above it", function()
  for _, each in ipairs({
    { "4GccOWN<Esc>3Gomine<Esc>", 4 },
    { "4GccOWN<Esc>4GOmine<Esc>", 4 },
    { "4GccOWN<Esc>3Gyyp", 4 },
    { "4GSOWN<CR>more<Esc>", 4 },
    { "4G0D3Gomine<Esc>", 4 },
    { "4GccOWN<Esc>4Gomine<Esc>", 3 },
    { "4GccOWN<Esc>5GOmine<Esc>", 3 },
    { "4GccOWN<Esc>4GJ", 3 },
    { "4GccOWN<Esc>4Gdd", 2 },
    { "4GA<CR>mine<Esc>", 3 },
  }) do
    local nvim = child.with_host({ "a", "b", "c", "}", "d", "e" })
    nvim:run(child.line(3, 4))
    nvim:type(each[1])
    local place = nvim:lua([[return require("botglue.client").job(1).range:place()]])
    equal({ place.first, place.last }, { 2, each[2] }, each[1])
  end
end)

test("rows of a range that are moved by a command", function()
  local function moved(command, expected)
    local rows = vim.tbl_map(function(row)
      return "line " .. row
    end, vim.split(expected, " "))
    equal(rows_after({ command .. "<CR>" }), rows, command)
    equal(rows_after({ command .. "<CR>", "u", "<C-r>" }), rows, command)
    equal(rows_after({ "5GAx<Esc>", command .. "<CR>", "u" }), OWN, command)
  end
  moved(":4move5", "5 4 6 7")
  moved(":4move6", "5 6 4 7")
  moved(":4move7", "5 6 7 4")
  moved(":4,5move6", "6 4 5 7")
  moved(":7move3", "7 4 5 6")
  moved(":7move4", "4 7 5 6")
  moved(":5move6", "4 6 5 7")
  -- Out of it.
  moved(":4move2", "5 6 7")
  moved(":4move0", "5 6 7")
  moved(":7move8", "4 5 6")
  moved(":7move$", "4 5 6")
  moved(":6,7move9", "4 5")
  moved(":5move9", "4 6 7")
  -- With others.
  moved(":3,4move6", "5 6 3 4 7")
  moved(":3,4move7", "5 6 7")
  moved(":7,8move3", "4 5 6")
  -- Others, and all of it.
  moved(":8move5", "4 5 8 6 7")
  moved(":1move9", "4 5 6 7")
  moved(":4,7move9", "4 5 6 7")
  moved(":4,7move0", "4 5 6 7")
  moved(":3,8move0", "4 5 6 7")
end)
