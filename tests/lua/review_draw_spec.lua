-- Hunks as they are drawn in windows of several kinds: what no expected screen of `tests/it/screens` has.

local child = require("support.child")
local suite = require("support.suite")
local test, equal = suite.test, suite.equal
local numbered = child.numbered

local HEAD = "◆ claude · it · 1 hunk · do take dp drop ]c next"

--- The rows of the screen, without those that Neovim fills.
---@param nvim Child
---@return string[]
local function rows(nvim)
  local found = vim.list_slice(vim.split(nvim:screen(), "\n"), 1, 15)
  while #found > 0 and (found[#found] == "" or found[#found] == "~") do
    table.remove(found)
  end
  return found
end

--- The review of an answer to all rows of a buffer, in a window of some columns.
---@param lines string[]
---@param answer string[]
---@param setup string? Lua that runs before
---@param columns integer?
---@return Child
local function reviewed(lines, answer, setup, columns)
  local nvim = child.with_host(lines)
  nvim:api("ui_try_resize", columns or 60, 16)
  nvim:lua("vim.o.ruler, vim.o.laststatus = false, 0")
  nvim:lua(setup or "")
  nvim:run(child.line(1, #lines), { review = true })
  nvim:answer(1, answer)
  nvim:type(":Botglue review 1<CR>")
  suite.eventually("the hunks are drawn", function()
    return nvim:screen():find("◆ ", 1, true)
  end)
  return nvim
end

test("rows that come are below those that go, each with its sign", function()
  local number = "vim.o.number, vim.o.signcolumn = true, 'yes'"
  local placed = "vim.o.signcolumn = 'auto'; vim.fn.sign_define('x', { text = 'x' })"
    .. "; vim.fn.sign_place(1, '', 'x', 1, { lnum = 2 })"
  for _, case in ipairs({
    { "a b c", "a B BB c", { HEAD, "a", "b", "B", "BB", "c" } },
    { "a b c", "a c", { HEAD, "a", "b", "c" } },
    { "", "x y", { HEAD, "x", "y" } },
    { "a b", "A AA b", { HEAD, "  1 a", "  + A", "  + AA", "  2 b" }, "vim.o.number = true" },
    { "a b", "A AA b", { HEAD, "    1 a", "    + A", "    + AA", "    2 b" }, number },
    { "a b", "A AA b", { HEAD, "  a", "+ A", "+ AA", "x b" }, placed },
  }) do
    local nvim = reviewed(vim.split(case[1], " "), vim.split(case[2], " "), case[4])
    equal(rows(nvim), case[3], vim.inspect(case))
  end
end)

test("while nothing changes nothing is reported, and nothing drawn", function()
  local nvim = reviewed({ "a", "b", "c" }, { "a", "B", "c" })
  nvim:type("jk")
  local function count()
    return #nvim:host("received", "panes")
  end
  local before = count()
  nvim:ticks(3)
  nvim:type("jk")
  equal(count(), before)
end)

test("only what is near a window is drawn, and the rest as it comes near", function()
  local answer = numbered(2000)
  for i = 2, 2000, 2 do
    answer[i] = "new"
  end
  local nvim = reviewed(numbered(2000), answer)
  local count = nvim:lua("return #vim.api.nvim_buf_get_extmarks(0, -1, 0, -1, {})")
  equal(count > 10 and count < 120, true, tostring(count))
  nvim:type("1000Gzt")
  suite.eventually("what has come near is drawn", function()
    return rows(nvim)[4] == "line 1001"
  end)
end)

test("what is said of a hunk in a closed fold is above the fold", function()
  for _, case in ipairs({
    { "2GzfjG", { "line 1", "line 40" }, "line 1|38 rows go, 0 come|+--|line 4" },
    { "1GzfjG", { "line 40" }, "+--|39 rows go, 0 come|line 3" },
  }) do
    local nvim = reviewed(numbered(40), case[2])
    nvim:type(case[1] .. "gg")
    suite.eventually("it is above the fold", function()
      local shown = table.concat(rows(nvim), "|"):gsub("%+%-%-[^|]*", "+--")
      return vim.startswith(shown, HEAD .. "|" .. case[3])
    end)
  end
end)

test("the head line is in sight wherever the windows are, and goes with the review", function()
  local answer = numbered(40)
  answer[2] = "new"
  local nvim = reviewed(numbered(40), answer)
  nvim:type(":split<CR>Gzt")
  local function heads()
    return vim.tbl_count(vim.tbl_filter(function(row)
      return vim.startswith(row, HEAD)
    end, vim.split(nvim:screen(), "\n")))
  end
  suite.eventually("it is in both windows", function()
    return heads() == 2
  end)
  nvim:type(":Botglue! review<CR>")
  equal({ heads(), nvim:lua("return vim.wo.winbar") }, { 0, "" })
end)

test("the cursor keeps its row of the screen when hunks are drawn above it", function()
  local answer = numbered(60)
  answer[27] = "x\ny\nz"
  local nvim = child.with_host(numbered(60))
  nvim:run(child.line(1, 60), { review = true })
  nvim:answer(1, vim.split(table.concat(answer, "\n"), "\n"))
  local at = "vim.cmd.redraw(); return { vim.fn.screenrow(), vim.fn.getline('.') }"
  nvim:type("30Gzz")
  local before = nvim:lua(at)
  nvim:type(":Botglue review 1<CR>")
  suite.eventually("the hunks are drawn", function()
    return nvim:screen():find("◆ claude", 1, true)
  end)
  equal(nvim:lua(at), before)
  nvim:type(":Botglue! review<CR>")
  nvim:eventually("it ends", "return vim.wo.winbar == ''")
  equal(nvim:lua(at), before)
end)
