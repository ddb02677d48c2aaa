--- Where text stands: the rows and bytes of a range, and the extmarks that carry them through edits.
---
--- Functions of a buffer only; what belongs to which job is `range`'s. Rows count from 0 here.

local ends = require("botglue.ends")

local M = {}

local api = vim.api

---@class botglue.Extent
---@field first integer the first row; for an insertion the row above which it goes, one behind the last at the end
---@field last integer the last row, included
---@field from integer? the first byte in the first row, for characters
---@field to integer? the byte behind the last one in the last row, for characters
---@field spans integer[][]? for each row of a block the first byte and the one behind the last
---@field empty boolean? whether nothing is left of its rows: it is the point at `first` now

---@param bufnr integer
---@param first integer
---@param past integer
---@return string[]
local function get_rows(bufnr, first, past)
  return api.nvim_buf_get_lines(bufnr, first, past, false)
end

---@param selection botglue.Selection
---@return botglue.Extent
function M.of(selection)
  local first, last, spans = selection.first_line - 1, selection.last_line - 1, selection.spans
  if selection.kind == "insert" then
    return { first = selection.first_line, last = selection.first_line }
  elseif selection.kind == "char" then
    return { first = first, last = last, from = spans[1][1], to = spans[#spans][2] }
  elseif selection.kind == "block" then
    return { first = first, last = last, spans = spans }
  end
  return { first = first, last = last }
end

--- The lines of a place as people count them. An insertion is at the line that it goes below.
---@param place botglue.Extent
---@param shape string
---@return integer first
---@return integer last
function M.lines(place, shape)
  if shape == "insert" then
    return place.first, place.first
  end
  return place.first + 1, place.last + 1
end

---@param bufnr integer
---@param namespace integer
---@param row integer
---@param col integer
---@param end_row integer
---@param end_col integer
---@return integer id
local function inward(bufnr, namespace, row, col, end_row, end_col)
  return api.nvim_buf_set_extmark(bufnr, namespace, row, col, {
    end_row = end_row,
    end_col = end_col,
    right_gravity = true,
    end_right_gravity = false,
  })
end

--- A mark around a whole row, for the line that an insertion goes below.
local function around_row(bufnr, namespace, row)
  local text = get_rows(bufnr, row, row + 1)[1]
  return inward(bufnr, namespace, row, 0, row, #text)
end

--- Sets the marks that carry a place.
---@param bufnr integer
---@param namespace integer
---@param place botglue.Extent
---@param shape string
---@return integer[] marks
function M.mark(bufnr, namespace, place, shape)
  local first, last = place.first, place.last
  if shape == "insert" then
    -- Left gravity: lines opened below the anchor stay below the answer.
    local point = api.nvim_buf_set_extmark(bufnr, namespace, first, 0, { right_gravity = false })
    return first > 0 and { point, around_row(bufnr, namespace, first - 1) } or { point }
  elseif shape == "char" then
    return { inward(bufnr, namespace, first, place.from, last, place.to) }
  elseif shape == "block" then
    local marks = {}
    for i, span in ipairs(place.spans) do
      marks[i] = inward(bufnr, namespace, first + i - 1, span[1], first + i - 1, span[2])
    end
    return marks
  end
  return {
    inward(bufnr, namespace, first, 0, last, #get_rows(bufnr, last, last + 1)[1]),
    api.nvim_buf_set_extmark(bufnr, namespace, last + 1, 0, { right_gravity = false }),
  }
end

---@class botglue.Mark
---@field row integer
---@field col integer
---@field end_row integer
---@field end_col integer

--- Where a mark is; `held` are the marks in place of its ends.
---@param held table<integer, botglue.Ends>?
---@return botglue.Mark?
local function get_mark(bufnr, namespace, id, shape, held)
  local mark = api.nvim_buf_get_extmark_by_id(bufnr, namespace, id, { details = true })
  if #mark == 0 then
    return nil
  end
  local details = mark[3]
  return ends.apply(bufnr, namespace, {
    row = mark[1],
    col = mark[2],
    end_row = details.end_row or mark[1],
    end_col = details.end_col or mark[2],
  }, held and held[id], shape)
end

--- An edit is about to replace text of a place: where it reaches the ends of its marks they are held.
---@param bufnr integer
---@param namespace integer
---@param marks integer[]
---@param shape "line"|"char"|"block"|"insert"
---@param held table<integer, botglue.Ends>
---@param edit botglue.Replacement
---@return boolean any whether an end was reached
function M.hold(bufnr, namespace, marks, shape, held, edit)
  if shape == "insert" then
    return false
  end
  for _, id in ipairs(shape == "line" and { marks[1] } or marks) do
    local mark = get_mark(bufnr, namespace, id, shape, held)
    held[id] = mark and ends.hold(bufnr, namespace, mark, held[id], shape, edit)
  end
  return next(held) ~= nil
end

--- Whether nothing is left between the two ends of a mark.
---@param mark botglue.Mark
local function is_collapsed(mark)
  return mark.end_row < mark.row or (mark.end_row == mark.row and mark.end_col <= mark.col)
end

--- The outermost positions of marks, whichever end stands where, and whether anything is between them.
---@param bufnr integer
---@param namespace integer
---@param marks integer[]
---@param shape string
---@param held table<integer, botglue.Ends>
---@return botglue.Piece?
function M.outline(bufnr, namespace, marks, shape, held)
  if shape == "insert" and #marks == 1 then
    return nil -- above the first line: that is always there
  end
  local outline = nil
  local function is_before(row, col, other_row, other_col)
    return row < other_row or (row == other_row and col < other_col)
  end
  for _, id in ipairs(shape == "line" and { marks[1] } or marks) do
    local mark = get_mark(bufnr, namespace, id, shape, held)
    for _, at in ipairs(mark and { { mark.row, mark.col }, { mark.end_row, mark.end_col } } or {}) do
      outline = outline
        or { row = at[1], col = at[2], end_row = at[1], end_col = at[2], intact = not is_collapsed(mark) }
      if is_before(at[1], at[2], outline.row, outline.col) then
        outline.row, outline.col = at[1], at[2]
      end
      if is_before(outline.end_row, outline.end_col, at[1], at[2]) then
        outline.end_row, outline.end_col = at[1], at[2]
      end
    end
  end
  return outline
end

--- The point of an insertion is right while the row above is the anchor, or a row next to it is the one that was.
local function locate_insertion(bufnr, namespace, marks, base)
  local point = get_mark(bufnr, namespace, marks[1])
  local anchor = marks[2] and get_mark(bufnr, namespace, marks[2])
  if not point then
    return nil, "range_lost"
  end
  -- Anywhere but at the start of its row, the row was joined to the one above. A point may be left behind the last row.
  local row = math.min(point.col == 0 and point.row or point.row + 1, api.nvim_buf_line_count(bufnr))
  local place = { first = row, last = row }
  if anchor and not is_collapsed(anchor) and anchor.end_row + 1 == row then
    return place
  end
  local above = row > 0 and get_rows(bufnr, row - 1, row)[1] or nil
  if base and above ~= base.above and get_rows(bufnr, row, row + 1)[1] ~= base.below then
    return nil, "range_lost"
  end
  return place
end

local function locate_block(bufnr, namespace, marks, base, held)
  local spans, first, left, consecutive = {}, nil, false, true
  for i, id in ipairs(marks) do
    local mark = get_mark(bufnr, namespace, id, "block", held)
    if not mark then
      return nil, "range_lost"
    end
    first = first or mark.row
    -- Where the block reached nothing there is nothing to keep together: what is typed there only inverts the mark.
    local nothing = base ~= nil and base.text[i] == ""
    left = left or not is_collapsed(mark)
    consecutive = consecutive
      and mark.row == first + i - 1
      and (nothing or (mark.end_row == mark.row and mark.end_col >= mark.col))
    spans[i] = { mark.col, nothing and mark.col or mark.end_col }
  end
  if not consecutive or first + #marks > api.nvim_buf_line_count(bufnr) then
    return nil, left and "conflict" or "range_lost"
  end
  return { first = first, last = first + #marks - 1, spans = spans }, nil, next(held) ~= nil
end

--- The place of text that was put over a mark's in one piece, as `cc` and `:s` do: the mark's ends change places, and
--- what is new stands between them. It is the mark's own place only if the rows around it are those that were.
---@param bufnr integer
---@param mark botglue.Mark
---@param shape "line"|"char"
---@param base botglue.Base
---@return botglue.Extent?
local function replaced(bufnr, mark, shape, base)
  if mark.row == mark.end_row and mark.col == mark.end_col then
    return nil
  end
  local place = { first = mark.end_row, last = mark.row }
  if shape == "char" then
    place.from, place.to = mark.end_col, mark.col
  elseif mark.row > mark.end_row and mark.col == 0 then
    place.last = mark.row - 1
  end
  if place.last >= api.nvim_buf_line_count(bufnr) then
    return nil
  end
  local now = M.read(bufnr, place, shape)
  return now.above == base.above and now.below == base.below and place or nil
end

--- The last row of lines. Where their last rows were deleted the mark ends in the row that came up from below: the
--- fence below them tells. Where the row below was joined to them, or they were moved away from it, it tells nothing.
--- The end of a mark in an empty row stays behind when a row is put in above that one; there the fence tells, too.
---@param bufnr integer
---@param mark botglue.Mark
---@param fence botglue.Mark?
---@param base botglue.Base? what stood there
---@return integer
local function last_row(bufnr, mark, fence, base)
  local last = fence and (fence.col == 0 and fence.row - 1 or fence.row)
  if not last or last < mark.row then
    return mark.end_row
  end
  local was_empty = base and base.rows[#base.rows] == ""
  local stayed_behind = was_empty and mark.end_col == 0 and get_rows(bufnr, last, last + 1)[1] == ""
  return stayed_behind and last or math.min(last, mark.end_row)
end

--- Where marks have come to; nil and why when they no longer stand around anything.
---@param bufnr integer a loaded buffer
---@param namespace integer
---@param marks integer[]
---@param shape string
---@param base botglue.Base? what stood there
---@param held table<integer, botglue.Ends> what stands for the ends of marks
---@return botglue.Extent? place
---@return "range_lost"|"conflict"|nil reason
---@return boolean? turned whether the marks should be set anew: their ends have changed places, or are held
function M.locate(bufnr, namespace, marks, shape, base, held)
  if shape == "insert" then
    return locate_insertion(bufnr, namespace, marks, base)
  elseif shape == "block" then
    return locate_block(bufnr, namespace, marks, base, held)
  end
  local mark = get_mark(bufnr, namespace, marks[1], shape, held)
  if not mark then
    return nil, "range_lost"
  end
  local turned = next(held) ~= nil
  local was_empty = base and #base.text == 1 and base.text[1] == ""
  if was_empty then
    -- Nothing holds the ends of an empty row together: what is put before it moves the start only.
    if not turned then
      mark.end_row, mark.end_col = mark.row, mark.col
    end
  elseif is_collapsed(mark) then
    local place = base and replaced(bufnr, mark, shape, base)
    return place, not place and "range_lost" or nil, place ~= nil
  end
  local last = shape == "line" and last_row(bufnr, mark, get_mark(bufnr, namespace, marks[2]), base)
    or mark.end_row
  if last >= api.nvim_buf_line_count(bufnr) then
    return nil, "range_lost"
  elseif shape == "char" then
    return { first = mark.row, last = last, from = mark.col, to = mark.end_col }, nil, turned
  end
  return { first = mark.row, last = last }, nil, turned
end

--- The place of text that stands at a row as it stood where it was read.
---@param first integer
---@param base botglue.Base
---@param shape string
---@return botglue.Extent
function M.at(first, base, shape)
  local place = { first = first, last = first + #base.rows - 1 }
  local spans = {}
  for i, text in ipairs(base.text) do
    spans[i] = { base.cols[i], base.cols[i] + #text }
  end
  if shape == "char" then
    place.from, place.to = spans[1][1], spans[#spans][2]
  elseif shape == "block" then
    place.spans = spans
  end
  return place
end

--- For each row of a place the bytes that belong to it.
---@param place botglue.Extent
---@param shape string
---@param rows string[]
---@return integer[][]
local function spans_of(place, shape, rows)
  if shape == "block" then
    return place.spans
  end
  local spans = {}
  for i, row in ipairs(rows) do
    spans[i] = { 0, #row }
  end
  if shape == "char" then
    spans[1][1], spans[#spans][2] = place.from, place.to
  end
  return spans
end

--- The text of a place and the rows next to it.
---@param bufnr integer
---@param place botglue.Extent
---@param shape string
---@return botglue.Base
function M.read(bufnr, place, shape)
  local past = shape == "insert" and place.first or place.last + 1
  local rows = get_rows(bufnr, place.first, past)
  local text, cols = {}, {}
  for i, span in ipairs(spans_of(place, shape, rows)) do
    text[i], cols[i] = rows[i]:sub(span[1] + 1, span[2]), span[1]
  end
  return {
    text = text,
    rows = rows,
    cols = cols,
    above = place.first > 0 and get_rows(bufnr, place.first - 1, place.first)[1] or nil,
    below = get_rows(bufnr, past, past + 1)[1],
  }
end

return M
