--- A place in a buffer: its rows and bytes, its lines as people count them, and the text there. Rows count from 0 here.

local M = {}

---@class botglue.Base the text of a place
---@field text string[] the selected part of each row
---@field rows string[] the whole rows
---@field cols integer[] the byte at which each entry of `text` begins
---@field above string? the row above the place, nil at the top
---@field below string? the row below it, nil at the end

---@class botglue.Extent
---@field first integer the first row; for an insertion the row above which it goes, one behind the last at the end
---@field last integer the last row, included
---@field from integer? the first byte in the first row, for characters
---@field to integer? the byte behind the last one in the last row, for characters
---@field spans integer[][]? for each row of a block the first byte and the one behind the last

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

---@param bufnr integer
---@param first integer
---@param past integer
---@return string[]
local function get_rows(bufnr, first, past)
  return vim.api.nvim_buf_get_lines(bufnr, first, past, false)
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
