local child = require("support.child")
local suite = require("support.suite")
local test, equal, contains = suite.test, suite.equal, suite.contains

--- A child with a list of these rows, each a text; `list` is the list.
local function with_list(texts, details)
  local nvim = child.start()
  nvim:lua(
    [[
      local texts, details = ...
      function _G.rows(of, more)
        return vim.tbl_map(function(text)
          return { id = text, cells = { { text, "" } }, detail = (more or {})[text], actions = {} }
        end, of)
      end
      _G.columns = { { head = "", least = 4, rest = true } }
      _G.list = require("botglue.ui.list").open({
        name = "rows",
        options = require("botglue.host.client").options(),
        size = function(count) return 40, math.min(math.max(count, 2), 8) end,
        keys = {
          { "x", "try", function() _G.tried = list:at_cursor().id end },
          { "<C-q>", "quickfix", "quickfix" },
        },
      })
      list:show({ columns = columns, rows = rows(texts, details) })
      _G.writes = 0
      local set_lines = vim.api.nvim_buf_set_lines
      vim.api.nvim_buf_set_lines = function(bufnr, first, last, ...)
        writes = writes + (bufnr == list.float.bufnr and 1 or 0)
        return set_lines(bufnr, first, last, ...)
      end
    ]],
    texts,
    details or vim.empty_dict()
  )
  return nvim
end

local function shown(nvim)
  return vim.tbl_map(vim.trim, nvim:lua("return vim.api.nvim_buf_get_lines(list.float.bufnr, 0, -1, true)"))
end

test("only rows that are others are laid out and written again, and all where the columns are", function()
  local nvim = with_list({ "a", "b", "c" })
  nvim:lua([[
    local columns = require("botglue.ui.list.columns")
    local row = columns.row
    columns.row = function(...)
      _G.laid = (laid or 0) + 1
      return row(...)
    end
    list:show({ columns = _G.columns, rows = rows({ "z", "a", "b", "c" }) })
  ]])
  equal(nvim:lua("return { laid, writes }"), { 1, 2 }, "room for it, and the row")
  nvim:lua("list:show({ columns = columns, rows = rows({ 'z', 'a', 'b', 'c' }) })")
  equal(nvim:lua("return { laid, writes }"), { 1, 2 })
  nvim:lua("list:update({ { id = 'b', cells = { { 'B', '' } }, actions = {} } })")
  equal({ nvim:lua("return laid"), shown(nvim)[3] }, { 2, "B" })
  nvim:api("ui_try_resize", 30, 24)
  nvim:eventually("all are", "return laid == 6")
end)

test("the detail of the row under the cursor is below the rows, whole, and nothing moves for it", function()
  local words = ("the agent took longer than 300 s "):rep(4)
  local nvim = with_list({ "a", "b", "c" }, { b = words })
  equal(#nvim:api("list_wins"), 2)
  local first = nvim:screen():find("│ a", 1, true)
  nvim:type("j")
  suite.eventually("it is there", function()
    local screen = nvim:screen()
    local text = screen:match("──┤(.-)╰")
    return text and text:gsub("│", ""):gsub("[~%s]+", "") == words:gsub(" ", "")
  end)
  equal(nvim:screen():find("│ a", 1, true), first)
  contains(nvim:screen(), "x try")
  nvim:type("j")
  suite.eventually("it is gone, its room stays", function()
    local screen = nvim:screen()
    return screen:find("──┤", 1, true) and not screen:find("the agent took", 1, true)
  end)
  nvim:type("q")
  equal({ #nvim:api("list_wins"), #nvim:lua("return vim.fn.getbufinfo({ bufloaded = 1 })") }, { 1, 1 })
end)

test("a detail finds room on a small screen", function()
  local nvim = with_list({ "a", "b", "c", "d", "e", "f", "g", "h" }, { a = ("word "):rep(20) })
  nvim:api("ui_try_resize", 44, 10)
  suite.eventually("rows and detail are there", function()
    local screen = nvim:screen()
    return screen:find("│ a", 1, true)
      and screen:find("word word", 1, true)
      and screen:find("q close", 1, true)
  end)
end)

test("<C-q> puts the rows into the quickfix list", function()
  local nvim = with_list({ "a", "b" })
  nvim:lua([[
    list.rows[1].path, list.rows[1].line = "/project/a.rs", 7
    list.rows[2].path, list.rows[2].line = nil, 3
  ]])
  nvim:type("<C-q>")
  local items = nvim:lua([[
    return vim.tbl_map(function(item)
      return { vim.fn.bufname(item.bufnr), item.lnum, item.text, item.valid }
    end, vim.fn.getqflist())
  ]])
  equal(items, { { "/project/a.rs", 7, "a", 1 }, { "", 3, "b", 0 } })
  equal(
    nvim:lua("return { vim.bo.buftype, vim.fn.getqflist({ title = 1 }).title }"),
    { "quickfix", "botglue rows" }
  )
end)
