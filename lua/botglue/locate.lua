--- Where the marks of a range have come to: their positions, read as a place.
---
--- Where positions can be read in two ways, what stood there before decides, by the rows next to it. Nothing is looked
--- for here, and nothing is marked.

local extent = require("botglue.extent")
local is_collapsed = require("botglue.marks").is_collapsed

local M = {}

local api = vim.api

---@param bufnr integer
---@param row integer
---@return string?
local function get_row(bufnr, row)
  return api.nvim_buf_get_lines(bufnr, row, row + 1, false)[1]
end

--- An insertion goes below its anchor, at a point that lines opened there stay below. Where that is not the row below
--- the anchor any more, a row that reads as it did tells. Where nothing of the anchor's text is left its row may still
--- be there: it is if the row that was next stands below it, and not in its place.
---@param marks botglue.Marks
---@param base botglue.Base?
local function insertion(marks, base)
  local bufnr, point = marks.bufnr, marks:get(marks.ids[1])
  local anchor, below = marks:get(marks.ids[2]), marks:get(marks.ids[3])
  if not point then
    return nil, "range_lost"
  end
  -- Undo may leave marks behind the last row.
  local count = api.nvim_buf_line_count(bufnr)
  local function at(row)
    return { first = math.min(row, count), last = math.min(row, count) }
  end
  -- Anywhere but at the start of its row, the row was joined to the one above.
  local row = math.min(point.col == 0 and point.row or point.row + 1, count)
  if not anchor or not below then
    return at(row)
  end
  local is_left = not is_collapsed(anchor)
  local under = (is_left and anchor.end_row or math.min(anchor.row, anchor.end_row)) + 1
  local in_place = get_row(bufnr, under - 1)
  local has_come_up = base ~= nil and in_place ~= "" and in_place == base.below
  if is_left and under == row then
    return at(row)
  elseif not is_left and not has_come_up and below.row == under and below.col == 0 then
    return at(under)
  end
  for _, neighbour in ipairs({ "above", "below" }) do
    for _, first in ipairs(is_left and { row, under } or { row, under, below.row }) do
      local text = get_row(bufnr, neighbour == "above" and first - 1 or first)
      if not base or (first <= count and text == base[neighbour]) then
        -- The marks are elsewhere: the next edit would take them farther away.
        return at(first), nil, base ~= nil
      end
    end
  end
  if is_left and anchor.end_row < row then
    return at(row)
  end
  return nil, "range_lost"
end

---@param marks botglue.Marks
---@param base botglue.Base?
local function block(marks, base)
  local spans, first, left, consecutive = {}, nil, false, true
  for i, id in ipairs(marks.ids) do
    local mark = marks:get(id)
    if not mark then
      return nil, "range_lost"
    end
    first = first or mark.row
    -- Where the block reached nothing there is nothing to keep together: what is typed there only inverts the mark.
    -- What the answer has there may have been taken by hand, and marked since.
    local nothing = base ~= nil and base.text[i] == "" and is_collapsed(mark)
    left = left or not is_collapsed(mark)
    consecutive = consecutive
      and mark.row == first + i - 1
      and (nothing or (mark.end_row == mark.row and mark.end_col >= mark.col))
    spans[i] = { mark.col, nothing and mark.col or mark.end_col }
  end
  if not consecutive then
    return nil, left and "conflict" or "range_lost"
  end
  return { first = first, last = first + #marks.ids - 1, spans = spans }, nil, marks:are_turned()
end

--- The place of text that was put over a mark's in one piece, as `cc` and `:s` do: the mark's ends change places, and
--- what is new stands between them. It is the mark's own place only if the fence is still right below it, or the rows
--- around it are those that were.
---@param marks botglue.Marks
---@param mark botglue.Mark
---@param base botglue.Base
---@return botglue.Extent?
local function replaced(marks, mark, base)
  if mark.row == mark.end_row and mark.col == mark.end_col then
    return nil
  end
  local place = { first = mark.end_row, last = mark.row }
  local are_whole = mark.row > mark.end_row and mark.col == 0
  if marks.shape == "char" and are_whole then
    -- Rows were put there, of which a part can be told only where they read as they did.
    local rows = api.nvim_buf_get_lines(marks.bufnr, mark.end_row, mark.row, false)
    if not vim.deep_equal(rows, base.rows) then
      return nil
    end
    place = extent.at(mark.end_row, base, "char")
  elseif marks.shape == "char" then
    place.from, place.to = mark.end_col, mark.col
  elseif are_whole then
    place.last = mark.row - 1
  end
  if place.last >= api.nvim_buf_line_count(marks.bufnr) then
    return nil
  end
  local now, fence = extent.read(marks.bufnr, place, marks.shape), marks:get(marks.ids[2])
  local is_fenced = marks.shape == "line" and fence and fence.col == 0 and fence.row == place.last + 1
  return (is_fenced or (now.above == base.above and now.below == base.below)) and place or nil
end

--- The last row of lines. Where their last rows were deleted the mark ends in the row that came up from below: the
--- fence below them tells. Where the row below was joined to them, or they were moved away from it, it tells nothing.
--- The end of a mark in an empty row stays behind when a row is put in above that one; there the fence tells, too.
---@param marks botglue.Marks
---@param mark botglue.Mark
---@param base botglue.Base?
---@return integer
local function last_row(marks, mark, base)
  local fence = marks:get(marks.ids[2])
  local last = fence and (fence.col == 0 and fence.row - 1 or fence.row)
  if not last or last < mark.row then
    return mark.end_row
  end
  local was_empty = base and base.rows[#base.rows] == ""
  local stayed_behind = mark.end_col == 0 and (not was_empty or get_row(marks.bufnr, last) == "")
  return stayed_behind and last or math.min(last, mark.end_row)
end

--- Rows at an end of lines that an undo took away and a redo brought back stand beside the marks. They belong to the
--- lines if all of them then read as they did.
---@param bufnr integer
---@param place botglue.Extent of lines that do not read as they did
---@param base botglue.Base
---@return botglue.Extent? place
function M.whole(bufnr, place, base)
  local rows = base.rows
  local missing = #rows - (place.last - place.first + 1)
  if missing <= 0 then
    return nil
  end
  local from = math.max(place.first - missing, 0)
  local around = api.nvim_buf_get_lines(bufnr, from, place.last + 1 + missing, false)
  for first = 0, math.min(place.first - from, #around - #rows) do
    local row = 1
    while row <= #rows and around[first + row] == rows[row] do
      row = row + 1
    end
    if row > #rows then
      return { first = from + first, last = from + first + #rows - 1 }
    end
  end
  return nil
end

--- Where all rows stand as they did and between the rows that were there, in a place that has more: rows were joined
--- over its ends, and split again.
---@param bufnr integer
---@param place botglue.Extent of lines
---@param base botglue.Base
---@return botglue.Extent? place nil where there is none, or more than one
function M.inside(bufnr, place, base)
  local count, found = #base.rows, nil
  local from = math.max(place.first - 1, 0)
  local rows = api.nvim_buf_get_lines(bufnr, from, place.last + 2, false)
  for first = place.first, place.last - count + 1 do
    local i = first - from
    local same = rows[i] == base.above and rows[i + count + 1] == base.below
    for nth = 1, same and count or 0 do
      same = same and rows[i + nth] == base.rows[nth]
    end
    if same and found then
      return nil
    end
    found = same and { first = first, last = first + count - 1 } or found
  end
  return found
end

--- Where rows stand at a row or next to it, as they did and between the rows that were there.
---@param bufnr integer
---@param base botglue.Base of whole rows, or of none
---@param row integer
---@return botglue.Extent? place
function M.between(bufnr, base, row)
  local rows = vim.list_extend({ base.above }, base.rows)
  rows[#rows + 1] = base.below
  local count, lead = #base.rows, base.above and 1 or 0
  local from = math.max(row - count - 1, 0)
  local around = api.nvim_buf_get_lines(bufnr, from, row + count + 3, false)
  local past = api.nvim_buf_line_count(bufnr) - from
  for first = 0, #around - #rows do
    -- Where nothing was above it was the top, and where nothing was below the end.
    local can_be = (base.above or from + first == 0) and (base.below or first + #rows == past)
    local same = 0
    while can_be and same < #rows and around[first + same + 1] == rows[same + 1] do
      same = same + 1
    end
    if can_be and same == #rows then
      local at = from + first + lead
      return { first = at, last = at + math.max(count - 1, 0) }
    end
  end
  return nil
end

--- Where the marks around rows or characters have come to.
---@param marks botglue.Marks
---@param base botglue.Base?
local function text(marks, base)
  local mark = marks:get(marks.ids[1])
  if not mark then
    return nil, "range_lost"
  end
  local turned = marks:are_turned()
  if marks.empty then
    -- Nothing holds the ends of an empty row together: what is put before it moves the start only.
    if not turned then
      mark.end_row, mark.end_col = mark.row, mark.col
    end
  elseif is_collapsed(mark) then
    local place = base and replaced(marks, mark, base)
    return place, not place and "range_lost" or nil, place ~= nil
  end
  if marks.shape == "char" then
    return { first = mark.row, last = mark.end_row, from = mark.col, to = mark.end_col }, nil, turned
  end
  return { first = mark.row, last = last_row(marks, mark, base) }, nil, turned
end

--- Whether there are such rows and bytes: undo and redo may leave marks where there is no text.
---@param bufnr integer
---@param place botglue.Extent
---@return boolean
local function is_there(bufnr, place)
  local function reaches(row, byte)
    return not byte or byte <= #get_row(bufnr, row)
  end
  local spans = vim.iter(ipairs(place.spans or {}))
  return place.last >= place.first
    and place.last < api.nvim_buf_line_count(bufnr)
    and reaches(place.first, place.from)
    and reaches(place.last, place.to)
    and spans:all(function(i, span)
      return reaches(place.first + i - 1, span[2])
    end)
end

--- Where marks have come to; nil and why when they no longer stand around anything.
---@param marks botglue.Marks of a loaded buffer
---@param base botglue.Base? what stood there
---@return botglue.Extent? place
---@return "range_lost"|"conflict"|nil reason
---@return boolean? turned whether they should be set anew: their ends have changed places, or are held
function M.place(marks, base)
  if marks.shape == "insert" then
    return insertion(marks, base)
  end
  local locate = marks.shape == "block" and block or text
  local place, reason, turned = locate(marks, base)
  if place and not is_there(marks.bufnr, place) then
    return nil, "range_lost"
  end
  return place, reason, turned
end

return M
