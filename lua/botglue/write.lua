--- The one place that changes a user's buffer: smallest edits, one undo step of their own, and nothing else moved.
---
--- Whether now is a good moment, and whether the text is what the answer was made for, was asked in the same call.
--- Each function returns the rows that the text covers afterwards, from 0.

local M = {}

local api = vim.api

---@param bufnr integer
---@param row integer
---@return integer bytes
local function length(bufnr, row)
  return #api.nvim_buf_get_lines(bufnr, row, row + 1, true)[1]
end

--- Deletes whole rows. The last rows go with the line end above them; a buffer keeps one empty row.
---@param bufnr integer
---@param first integer
---@param past integer the row behind the last one
local function delete_rows(bufnr, first, past)
  if past < api.nvim_buf_line_count(bufnr) then
    api.nvim_buf_set_text(bufnr, first, 0, past, 0, { "" })
  elseif first > 0 then
    api.nvim_buf_set_text(
      bufnr,
      first - 1,
      length(bufnr, first - 1),
      past - 1,
      length(bufnr, past - 1),
      { "" }
    )
  else
    api.nvim_buf_set_text(bufnr, 0, 0, past - 1, length(bufnr, past - 1), { "" })
  end
end

---@param bufnr integer
---@param first integer
---@param past integer
---@param lines string[]
local function replace_rows(bufnr, first, past, lines)
  if #lines == 0 then
    delete_rows(bufnr, first, past)
  elseif first == past then
    api.nvim_buf_set_lines(bufnr, first, first, true, lines)
  else
    api.nvim_buf_set_text(bufnr, first, 0, past - 1, length(bufnr, past - 1), lines)
  end
end

--- Applies edits to the rows of a place, from the last to the first.
---@param bufnr integer
---@param place botglue.Place
---@param edits botglue.Edit[]
---@return botglue.Place
function M.rows(bufnr, place, edits)
  local count = #place.spans
  for i = #edits, 1, -1 do
    local edit = edits[i]
    replace_rows(bufnr, place.first + edit.first, place.first + edit.last, edit.lines)
    count = count + #edit.lines - (edit.last - edit.first)
  end
  local spans = {}
  for i = 1, count do
    spans[i] = { 0, length(bufnr, place.first + i - 1) }
  end
  return { first = place.first, last = place.first + math.max(count, 1) - 1, spans = spans }
end

---@param bufnr integer
---@param place botglue.Place
---@param lines string[]
---@return botglue.Place
function M.chars(bufnr, place, lines)
  local from, to = place.spans[1][1], place.spans[#place.spans][2]
  lines = #lines == 0 and { "" } or lines
  api.nvim_buf_set_text(bufnr, place.first, from, place.last, to, lines)
  local last = place.first + #lines - 1
  local spans = { { from, #lines == 1 and from + #lines[1] or 0 } }
  for i = 2, #lines do
    spans[i] = { 0, #lines[i] }
  end
  return { first = place.first, last = last, spans = spans }
end

--- Replaces a block row by row. A row too short for the block is filled up with spaces where it gets text.
---@param bufnr integer
---@param place botglue.Place
---@param lines string[] one a row
---@param column integer the screen column at which the block begins
---@return botglue.Place
function M.block(bufnr, place, lines, column)
  local spans = {}
  for i = #place.spans, 1, -1 do
    local from, to = unpack(place.spans[i])
    local row, text = place.first + i - 1, lines[i]
    local old = api.nvim_buf_get_lines(bufnr, row, row + 1, true)[1]
    if from == to and from == #old and text ~= "" then
      local width = api.nvim_buf_call(bufnr, function()
        return vim.fn.strdisplaywidth(old)
      end)
      text = (" "):rep(column - width) .. text
    end
    if old:sub(from + 1, to) ~= text then
      api.nvim_buf_set_text(bufnr, row, from, row, to, { text })
    end
    spans[i] = { from, from + #text }
  end
  return { first = place.first, last = place.last, spans = spans }
end

--- Puts whole lines above a row; the only row of an empty buffer makes room for them.
---@param bufnr integer
---@param place botglue.Place
---@param lines string[]
---@return botglue.Place
function M.insert(bufnr, place, lines)
  local first = place.first
  if api.nvim_buf_line_count(bufnr) == 1 and length(bufnr, 0) == 0 then
    first = 0
    api.nvim_buf_set_text(bufnr, 0, 0, 0, 0, lines)
  else
    api.nvim_buf_set_lines(bufnr, first, first, true, lines)
  end
  local spans = {}
  for i, line in ipairs(lines) do
    spans[i] = { 0, #line }
  end
  return { first = first, last = first + #lines - 1, spans = spans }
end

--- Runs a write as one undo step, apart from what was typed before it and what is typed after it.
---@generic T
---@param bufnr integer
---@param fn fun(): T
---@return T
function M.as_one_step(bufnr, fn)
  local bo = vim.bo[bufnr]
  -- Writing to a read-only buffer warns for a whole second, and may check the file out: it is only text yet.
  local readonly = bo.readonly
  bo.undolevels = bo.undolevels
  bo.readonly = false
  local ok, result = pcall(fn)
  bo.readonly = readonly
  bo.undolevels = bo.undolevels
  if not ok then
    error(result, 0)
  end
  return result
end

return M
