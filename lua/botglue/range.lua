--- The place of a job in its buffer, and the only code that writes there.
---
--- A range is one invisible extmark (one a row for a block) with inward gravity, and the text that was there when the
--- job was sent. It says where the range is now, whether its text is still what was sent, and replaces it with the
--- smallest edits, setting the mark anew in the same call. Whether now is a good moment is not asked here.

local M = {}

local api = vim.api
local namespace = api.nvim_create_namespace("botglue.range")

---@class botglue.Range
---@field bufnr integer
---@field kind "line"|"char"|"block"|"insert"
---@field base { rows: string[], text: string[], cols: integer[], anchor: string? } what was sent
---@field column integer? the screen column at which a block begins
---@field marks integer[]
---@field known { [1]: integer, [2]: integer } the last lines it was seen at, from 1
local Range = {}
Range.__index = Range

---@class botglue.Place
---@field first integer the first row, from 0
---@field last integer the last row, included
---@field spans integer[][] for each row its first byte and the one behind its last

---@param bufnr integer
---@param first integer from 0
---@param count integer
---@return string[]
local function get_rows(bufnr, first, count)
  return api.nvim_buf_get_lines(bufnr, first, first + count, false)
end

--- The parts of rows that spans mean.
---@param rows string[]
---@param spans integer[][]
---@return string[] text
local function slice(rows, spans)
  local text = {}
  for i, span in ipairs(spans) do
    text[i] = rows[i]:sub(span[1] + 1, span[2])
  end
  return text
end

---@param rows string[]
---@return integer[][]
local function whole(rows)
  return vim.tbl_map(function(row)
    return { 0, #row }
  end, rows)
end

--- Marks the place; the old marks go.
---@param place botglue.Place
function Range:mark(place)
  self:unmark()
  local function set(row, col, end_row, end_col)
    self.marks[#self.marks + 1] = api.nvim_buf_set_extmark(self.bufnr, namespace, row, col, {
      end_row = end_row,
      end_col = end_col,
      right_gravity = true,
      end_right_gravity = false,
      strict = true,
      hl_group = self.highlighted and "BotglueRange" or nil,
      hl_eol = self.kind == "line",
      hl_mode = "combine",
      priority = 50,
    })
  end
  self.known = { place.first + 1, place.last + 1 }
  if self.kind == "insert" then
    self.marks[1] = api.nvim_buf_set_extmark(self.bufnr, namespace, place.first, 0, { right_gravity = false })
    self.known = { place.first, place.first }
  elseif self.kind == "block" then
    for i, span in ipairs(place.spans) do
      local row = place.first + i - 1
      set(row, span[1], row, span[2])
    end
  elseif #place.spans > 0 then
    set(place.first, place.spans[1][1], place.last, place.spans[#place.spans][2])
  end
end

--- Takes the marks away; nothing of the range is left in the buffer.
function Range:unmark()
  if api.nvim_buf_is_valid(self.bufnr) then
    for _, id in ipairs(self.marks) do
      api.nvim_buf_del_extmark(self.bufnr, namespace, id)
    end
  end
  self.marks = {}
end

--- Shows the range's text in `BotglueRange` from now on, or no longer.
---@param how "on"|"off"
function Range:highlight(how)
  self.highlighted = how == "on"
  local place = self:place()
  if place then
    self:mark(place)
  end
end

---@param id integer
---@return integer? row
---@return integer? col
---@return integer? end_row
---@return integer? end_col
function Range:position(id)
  local mark = api.nvim_buf_get_extmark_by_id(self.bufnr, namespace, id, { details = true })
  if #mark == 0 then
    return nil
  end
  return mark[1], mark[2], mark[3].end_row or mark[1], mark[3].end_col or mark[2]
end

--- Where the range is now; nil and why where it is no more.
---@return botglue.Place? place
---@return "range_lost"|"conflict"|nil reason
function Range:place()
  if self.kind == "block" then
    return self:block_place()
  end
  local row, col, end_row, end_col = self:position(self.marks[1] or -1)
  if not row then
    return nil, "range_lost"
  end
  if self.kind == "insert" then
    -- The mark stands at the start of the row below; anywhere else in a row, that row was joined to the one above.
    local below = col == 0 and row or row + 1
    return { first = below, last = below, spans = {} }
  end
  local empty = #self.base.text == 1 and self.base.text[1] == ""
  if empty then
    -- An empty row has no room between the marks: text put before it inverts them, and only the start moves along.
    end_row, end_col = row, self.kind == "char" and col or end_col
  elseif end_row < row or (end_row == row and end_col <= col) then
    return nil, "range_lost"
  end
  if end_row >= api.nvim_buf_line_count(self.bufnr) then
    return nil, "range_lost"
  end
  local rows = get_rows(self.bufnr, row, end_row - row + 1)
  local spans = whole(rows)
  if self.kind == "char" then
    spans[1][1], spans[#spans][2] = col, end_col
  end
  return { first = row, last = end_row, spans = spans }
end

---@return botglue.Place? place
---@return "range_lost"|"conflict"|nil reason
function Range:block_place()
  local spans, first, left = {}, nil, 0
  for i, id in ipairs(self.marks) do
    local row, col, end_row, end_col = self:position(id)
    if not row then
      return nil, "range_lost"
    end
    first = first or row
    if row == end_row and col < end_col then
      left = left + 1
    end
    if row ~= first + i - 1 or end_row ~= row or end_col < col then
      return nil, (i > 1 and left == 0) and "range_lost" or "conflict"
    end
    spans[i] = { col, end_col }
  end
  if not first then
    return nil, "range_lost"
  end
  return { first = first, last = first + #spans - 1, spans = spans }
end

--- The text at a place, one entry a row, and the whole rows.
---@param place botglue.Place
---@return string[] text
---@return string[] rows
function Range:read(place)
  local rows = get_rows(self.bufnr, place.first, #place.spans)
  return slice(rows, place.spans), rows
end

--- Takes the text as it is now for what was sent.
---@return boolean there whether the range still exists
function Range:rebase()
  local place = self:place()
  if not place then
    return false
  end
  local text, rows = self:read(place)
  local cols = vim.tbl_map(function(span)
    return span[1]
  end, place.spans)
  local anchor = self.kind == "insert" and get_rows(self.bufnr, math.max(place.first - 1, 0), 1)[1] or nil
  self.base = { rows = rows, text = text, cols = cols, anchor = anchor }
  return true
end

--- Where the range is, if its text is what was sent.
---@return botglue.Place? place
---@return "range_lost"|"conflict"|nil reason
function Range:untouched()
  local place, reason = self:place()
  if not place then
    return nil, reason
  end
  if not vim.deep_equal(self:read(place), self.base.text) then
    return nil, "conflict"
  end
  return place
end

--- The lines that it covers now, from 1; those it was last seen at when it is lost.
---@return integer first
---@return integer last
function Range:lines()
  local place = api.nvim_buf_is_loaded(self.bufnr) and self:place()
  if place then
    local inserted = self.kind == "insert"
    self.known = inserted and { place.first, place.first } or { place.first + 1, place.last + 1 }
  end
  return self.known[1], self.known[2]
end

--- Marks a selection.
---@param selection botglue.Selection
---@return botglue.Range
function M.pin(selection)
  local self = setmetatable({
    bufnr = selection.bufnr,
    kind = selection.kind,
    column = selection.column,
    marks = {},
    known = { selection.first_line, selection.last_line },
    base = { rows = {}, text = {}, cols = {} },
  }, Range)
  local first, last = selection.first_line - 1, selection.last_line - 1
  if selection.kind == "insert" then
    first, last = selection.first_line, selection.last_line
  end
  local place = { first = first, last = last, spans = selection.spans }
  self:mark(place)
  local text, rows = self:read(place)
  self.base.text, self.base.rows = text, rows
  self:rebase()
  return self
end

return M
