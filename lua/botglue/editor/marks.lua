--- The display marks of a job's range: extmarks by which its place is drawn. Neovim moves them with the text; the
--- host's document knows the true place and corrects them. Nothing here stores, compares or searches text. Rows count
--- from 0.

local M = {}

local api = vim.api
local namespace = api.nvim_create_namespace("botglue.range")
local highlights = api.nvim_create_namespace("botglue.highlight")

-- Above the syntax, so that the text has the colour that fits the range's background; below diagnostics.
local PRIORITY = 130

---@class botglue.Extent a place in a buffer
---@field first integer the first row; for an insertion the row that it goes above (at the end: the row count)
---@field last integer the last row, included
---@field from integer? the first byte in the first row, for characters
---@field to integer? the end byte in the last row (exclusive), for characters
---@field spans integer[][]? the first byte and the end byte (exclusive) of each row, for a block

---@class botglue.Range
---@field bufnr integer
---@field kind "line"|"char"|"block"|"insert" how it was selected
---@field shape "line"|"char"|"block"|"insert" the current kind of the marked text: "line" for a landed insertion
---@field column integer? the screen column at which a block begins
---@field marks integer[]? the extmarks; nil while its place is unknown
---@field is_empty boolean? whether the marked part had no text when it was marked
---@field shown integer[] the extmarks of the highlighted text
---@field group string? the highlight group of its text
---@field lost boolean? whether its place is lost: the host does not search for it
---@field last_lines integer[] its first and last line when its place was last known, from 1
local Range = {}
Range.__index = Range

--- The pieces of a place that get a mark, each as first row, first byte, last row, end byte (exclusive).
---@param place botglue.Extent
---@param past integer the end byte in the last row, for whole rows
---@return integer[][]
local function pieces(place, past)
  local found = { { place.first, place.from or 0, place.last, place.to or past } }
  for i, span in ipairs(place.spans or {}) do
    local row = place.first + i - 1
    found[i] = { row, span[1], row, span[2] }
  end
  return found
end

--- Removes the marks; the buffer may be gone.
function Range:unmark()
  for space, ids in pairs({ [namespace] = self.marks or {}, [highlights] = self.shown }) do
    for _, id in ipairs(ids) do
      pcall(api.nvim_buf_del_extmark, self.bufnr, space, id)
    end
  end
  self.marks, self.shown = nil, {}
end

--- Replaces the marks with marks around a place in a loaded buffer.
---@param place botglue.Extent
---@param shape "line"|"char"|"block"|"insert"
function Range:mark(place, shape)
  self:unmark()
  self.shape, self.lost, self.marks = shape, nil, {}
  self.is_empty = shape == "char" and place.first == place.last and place.from == place.to
  local last = api.nvim_buf_get_lines(self.bufnr, place.last, place.last + 1, false)[1] or ""
  local past = shape == "line" and #last or 0
  for i, piece in ipairs(pieces(place, past)) do
    -- Gravity inward, so that adjacent ranges do not grow into each other. For an insertion left gravity: a line that
    -- the user opens there ends up below the answer.
    local opts = { end_row = piece[3], end_col = piece[4], right_gravity = true, end_right_gravity = false }
    opts = shape == "insert" and { right_gravity = false } or opts
    self.marks[i] = api.nvim_buf_set_extmark(self.bufnr, namespace, piece[1], piece[2], opts)
  end
  self:show(self.group)
  self:lines()
end

--- The place of a block; nil if its rows no longer follow one another.
---@param found integer[][]
---@return botglue.Extent?
local function block(found)
  local first, spans = found[1][1], {}
  for i, at in ipairs(found) do
    if at[1] ~= first + i - 1 or at[3] ~= at[1] or at[4] < at[2] then
      return nil
    end
    spans[i] = { at[2], at[4] }
  end
  return { first = first, last = first + #spans - 1, spans = spans }
end

--- Where the marks are; nil if there are none, or no text is left between them. For lines only the rows count: text
--- typed before or after the marks in the same row belongs to the range.
---@return botglue.Extent?
function Range:place()
  local found = {}
  for i, id in ipairs(api.nvim_buf_is_loaded(self.bufnr) and self.marks or {}) do
    local mark = api.nvim_buf_get_extmark_by_id(self.bufnr, namespace, id, { details = true })
    local details = mark[3] or {}
    found[i] = { mark[1], mark[2], details.end_row or mark[1], details.end_col or mark[2] }
  end
  if #found == 0 or #found[1] == 0 then
    return nil
  elseif self.shape == "block" then
    return block(found)
  end
  local row, col, end_row, end_col = unpack(found[1])
  local count, is_part = api.nvim_buf_line_count(self.bufnr), self.shape == "char"
  local is_point = row == end_row and col == end_col
  if self.shape == "insert" then
    -- Undo may leave a mark below the last row.
    row = math.min(col == 0 and row or row + 1, count)
    return { first = row, last = row }
  end
  local is_turned = end_row < row or is_part and row == end_row and end_col < col
  -- If the marks of lines meet in a row with text, the range's own rows were deleted.
  local is_text = is_part and not self.is_empty
    or not is_part and api.nvim_buf_get_lines(self.bufnr, row, row + 1, false)[1] ~= ""
  if is_turned or is_point and is_text or end_row >= count then
    return nil
  end
  return { first = row, last = end_row, from = is_part and col or nil, to = is_part and end_col or nil }
end

--- Highlights its text with a group from now on; without one, removes the highlight.
---@param group string?
function Range:show(group)
  for _, id in ipairs(self.shown) do
    pcall(api.nvim_buf_del_extmark, self.bufnr, highlights, id)
  end
  self.group, self.shown = group, {}
  local place = group and self.shape ~= "insert" and self:place()
  -- Lines are highlighted up to the edge of the window, which needs an end at the start of the next row.
  local is_line = self.shape == "line"
  for i, piece in ipairs(place and pieces(place, 0) or {}) do
    self.shown[i] = api.nvim_buf_set_extmark(self.bufnr, highlights, piece[1], piece[2], {
      end_row = is_line and piece[3] + 1 or piece[3],
      end_col = piece[4],
      end_right_gravity = false,
      hl_group = group,
      hl_eol = is_line,
      hl_mode = "combine",
      priority = PRIORITY,
    })
  end
end

--- Its lines, from 1; the last known ones if its place is unknown. The line of an insertion is the one that it goes
--- below.
---@return integer first
---@return integer last
function Range:lines()
  local place, by = self:place(), self.shape == "insert" and 0 or 1
  if place then
    self.last_lines = { place.first + by, place.last + by }
  end
  return self.last_lines[1], self.last_lines[2]
end

--- Its text, its lines and the rows beside it, in the form of a request.
---@return table? selection nil if its place is unknown
function Range:selection()
  local place = self:place()
  if not place then
    return nil
  end
  local past = self.shape == "insert" and place.first or place.last + 1
  local rows, text, cols = api.nvim_buf_get_lines(self.bufnr, place.first, past, false), {}, {}
  for i, row in ipairs(rows) do
    local span = place.spans and place.spans[i] or {}
    local from = span[1] or i == 1 and place.from or 0
    local to = span[2] or i == #rows and place.to or #row
    text[i], cols[i] = row:sub(from + 1, to), from
  end
  local first, last = self:lines()
  local beside = vim.empty_dict()
  beside.above = api.nvim_buf_get_lines(self.bufnr, math.max(place.first - 1, 0), place.first, false)[1]
  beside.below = api.nvim_buf_get_lines(self.bufnr, past, past + 1, false)[1]
  return {
    kind = self.shape,
    first_line = first,
    last_line = last,
    text = text,
    rows = rows,
    cols = cols,
    column = self.column,
    beside = beside,
  }
end

--- Returns a new range at its current place, for another job.
---@return botglue.Range? range nil if the place is unknown
function Range:again()
  local place = self:place()
  return place and M.at(self.bufnr, place, self.shape, self.column)
end

--- Moves the range to another buffer that shows its file.
---@param bufnr integer
function Range:move_to(bufnr)
  self:unmark()
  self.bufnr, self.lost = bufnr, nil
end

--- The host has lost its place, or no longer follows it: drops the marks and keeps the last known lines.
function Range:forget()
  self:lines()
  self:unmark()
  self.lost = true
end

--- Marks a place and returns its range.
---@param bufnr integer
---@param place botglue.Extent
---@param shape "line"|"char"|"block"|"insert"
---@param column integer?
---@return botglue.Range
function M.at(bufnr, place, shape, column)
  local self = M.unmarked(bufnr, { kind = shape, column = column })
  self:mark(place, shape)
  return self
end

--- Marks a selection and returns its range.
---@param selection botglue.Selection
---@return botglue.Range
function M.from_selection(selection)
  local kind, spans = selection.kind, selection.spans
  local place = { first = selection.first_line - 1, last = selection.last_line - 1 }
  if kind == "insert" then
    place = { first = selection.first_line, last = selection.first_line }
  elseif kind == "char" then
    place.from, place.to = spans[1][1], spans[#spans][2]
  elseif kind == "block" then
    place.spans = spans
  end
  return M.at(selection.bufnr, place, kind, selection.column)
end

--- Makes a range that has no marks yet.
---@param bufnr integer it need not be loaded
---@param sent { kind: string, first_line: integer?, last_line: integer?, column: integer? } what was selected
---@return botglue.Range
function M.unmarked(bufnr, sent)
  local kind, lines = sent.kind, { sent.first_line, sent.last_line }
  local range =
    { bufnr = bufnr, kind = kind, shape = kind, column = sent.column, shown = {}, last_lines = lines }
  return setmetatable(range, Range)
end

return M
