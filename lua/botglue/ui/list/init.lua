--- The window of every list: it draws the rows that the host has made, keeps the cursor on its row, and knows which
--- key means which action. Its opener decides what the rows are and where they come from.

local actions = require("botglue.ui.list.actions")
local columns = require("botglue.ui.list.columns")
local errors = require("botglue.host.errors")
local same = require("botglue.ui.rows").same
local signs = require("botglue.util.signs")
local text = require("botglue.util.text")

local M = {}

local api = vim.api
local fail = errors.fail
local MEASURED = 200 -- rows that say how wide the columns are
local spinner = api.nvim_create_namespace("botglue.list.spinner")

---@class botglue.ListSpec
---@field name string of the list
---@field keys { [1]: string, [2]: string?, [3]: string|fun() }[] a key, its word in the footer, and its action; the
--- action "quickfix" is of all rows
---@field size fun(rows: integer): integer, integer the width and the height that it would like to have
---@field on_close fun()?
---@field on_moved fun()? the cursor has moved

---@class botglue.List
---@field spec botglue.ListSpec
---@field float botglue.Float
---@field columns botglue.Column[]
---@field rows botglue.ListRow[]
---@field index table<string, integer> where each row is, by its id
---@field drawn botglue.Chunks[]
---@field layout botglue.Layout?
---@field laid table<string, { cells: botglue.Cell[], layout: botglue.Layout, chunks: botglue.Chunks }> by their ids
---@field is_ready boolean whether what it is to show is there
---@field asked string? the action that the user asked for before that
local List = {}
List.__index = List

function List:is_open()
  return self.float:is_open()
end

--- The row that the cursor is in.
---@return botglue.ListRow?
function List:at_cursor()
  return self.rows[api.nvim_win_get_cursor(self.float.win)[1]]
end

--- The rows have arrived: runs the action that the user asked for meanwhile.
function List:ready()
  local action = self.asked
  self.is_ready, self.asked = true, nil
  if action then
    errors.guard(self.act, self, action)
  end
end

--- Does something with the job of the row that the cursor is in, once that is known.
---@param action string
function List:act(action)
  if not self.is_ready then
    self.asked = action
    return
  end
  local row = self:at_cursor() or fail("there is no job")
  if action == "quickfix" then
    self:to_quickfix()
  else
    actions.act(action, row, self.float)
  end
end

--- Changes the right part of the title.
---@param words string
function List:head(words)
  self.float:title(self.spec.name, words)
end

--- Shows the detail of the row that the cursor is in, below the rows.
function List:show_detail()
  local row = self:at_cursor()
  local lines = row and row.detail and text.wrap(text.clean(row.detail), self.float.width - 2) or {}
  self.float:detail(vim.tbl_map(function(line)
    return { { " " .. line, "BotglueFailure" } }
  end, lines))
end

--- The chunks of a row; those from before where nothing of it has changed, since a list may have thousands.
---@param row botglue.ListRow
---@return botglue.Chunks
function List:chunks(row)
  local laid = self.laid[row.id]
  if not laid or laid.layout ~= self.layout or not same(row.cells, laid.cells) then
    local before = laid and laid.layout == self.layout and laid or nil
    laid = { cells = row.cells, layout = self.layout, chunks = columns.row(row.cells, self.layout, before) }
    self.laid[row.id] = laid
  end
  return laid.chunks
end

---@param first integer? only from this row on are others
---@param last integer? only up to this one
function List:draw(first, last)
  for i = first or 1, last or #self.rows do
    self.drawn[i] = self:chunks(self.rows[i])
  end
  self.float:draw(self.drawn, first, last)
end

function List:measure()
  local rows = vim.list_slice(self.rows, 1, MEASURED)
  local layout = columns.layout(self.columns, rows, self.float.width - 2, signs.cut)
  if not self.layout or not vim.deep_equal(layout.widths, self.layout.widths) then
    self.layout, self.laid = layout, {}
  end
end

--- Shows these rows, at least one, in place of all others. The cursor stays on its row, and that at its place in the
--- window, unless the window is at its top.
---@param shown botglue.Table
function List:show(shown)
  local win, view = self.float.win, nil
  api.nvim_win_call(win, function()
    view = vim.fn.winsaveview()
  end)
  local before = self.rows[view.lnum]
  self.columns, self.rows, self.index, self.drawn = shown.columns, shown.rows, {}, {}
  for i, row in ipairs(self.rows) do
    self.index[row.id] = i
  end
  self.float:resize(self.spec.size(#self.rows))
  self:measure()
  self:draw()
  local at = before and self.index[before.id]
  if at then
    view.topline = view.topline > 1 and math.max(view.topline + at - view.lnum, 1) or 1
  end
  view.lnum = at or math.min(view.lnum, #self.rows)
  api.nvim_win_call(win, function()
    vim.fn.winrestview(view)
  end)
  self:show_detail()
  self:ready()
end

--- Shows more rows behind those that are shown.
---@param rows botglue.ListRow[]
function List:append(rows)
  local first = #self.rows + 1
  for _, row in ipairs(rows) do
    self.rows[#self.rows + 1] = row
    self.index[row.id] = #self.rows
  end
  self:draw(first)
end

--- Shows rows in place of those with the same ids.
---@param rows botglue.ListRow[]
function List:update(rows)
  local first, last = math.huge, 0
  for _, row in ipairs(rows) do
    local at = self.index[row.id]
    if at then
      self.rows[at] = row
      first, last = math.min(first, at), math.max(last, at)
    end
  end
  self:draw(first, last)
  self:show_detail()
end

---@param words string
---@param group string
function List:put_words(words, group)
  self.rows, self.index, self.drawn = {}, {}, {}
  for i, line in ipairs(text.wrap(text.clean(words), self.float.width - 2)) do
    self.drawn[i] = { { " " .. line, group } }
  end
  self.float:resize(self.spec.size(#self.drawn))
  self.float:draw(self.drawn)
  self:show_detail()
end

--- Says something in place of rows.
---@param words string
---@param group string?
function List:say(words, group)
  self:put_words(words, group or "BotglueLabel")
  self:ready()
end

--- Shows that the rows are on their way.
function List:wait()
  self.is_ready = false
  self:put_words(signs.cut, "BotglueLabel")
end

--- The rows that the window shows.
---@return integer first
---@return integer last
function List:in_sight()
  local win = self.float.win
  return vim.fn.line("w0", win), math.min(vim.fn.line("w$", win), #self.rows)
end

--- Draws the sign of jobs that go on, in the rows that the window shows. The rows stay as they are.
---@param sign string
function List:spin(sign)
  if not self:is_open() then
    return
  end
  local bufnr = self.float.bufnr
  local first, last = self:in_sight()
  api.nvim_buf_clear_namespace(bufnr, spinner, 0, -1)
  local mark = { virt_text = { { sign, "BotglueSpinner" } }, virt_text_pos = "overlay", hl_mode = "combine" }
  for i = first, last do
    if self.rows[i].runs then
      api.nvim_buf_set_extmark(bufnr, spinner, i - 1, 1, mark)
    end
  end
end

--- Puts the rows into the quickfix list, and opens that.
function List:to_quickfix()
  local items = {}
  for i, row in ipairs(self.rows) do
    items[i] = {
      filename = row.path,
      lnum = row.line,
      text = vim.trim((text.of_chunks(self.drawn[i]):gsub("%s+", " "))),
      valid = row.path and 1 or 0,
    }
  end
  self.float:close()
  vim.fn.setqflist({}, " ", { title = "botglue " .. self.spec.name, items = items })
  vim.cmd("botright copen")
end

---@return botglue.Key[]
function List:keys()
  return vim.tbl_map(function(key)
    local action = key[3]
    return {
      key[1],
      key[2],
      type(action) == "function" and action or function()
        self:act(action)
      end,
    }
  end, self.spec.keys)
end

--- Opens the window, with no rows in it.
---@param spec botglue.ListSpec
---@return botglue.List
function M.open(spec)
  local self = setmetatable(
    { spec = spec, columns = {}, rows = {}, index = {}, drawn = {}, laid = {}, is_ready = false },
    List
  )
  local width, height = spec.size(0)
  self.float = require("botglue.ui.float").open({
    name = spec.name,
    width = width,
    height = height,
    title = { left = spec.name },
    keys = self:keys(),
    cursorline = true,
    on_close = spec.on_close,
    on_resize = function(float)
      float:resize(spec.size(#self.rows))
      if #self.rows > 0 then
        self:measure()
        self:draw()
        self:show_detail()
      end
    end,
  })
  api.nvim_create_autocmd("CursorMoved", {
    buffer = self.float.bufnr,
    desc = "botglue: the cursor of the list",
    callback = function()
      self:show_detail()
      if spec.on_moved then
        spec.on_moved()
      end
    end,
  })
  return self
end

return M
