--- Takes the parts that belong to an answer out of whole rows, where it takes only part of them: characters and blocks.
---
--- Pure text: what stands before and behind a part must be what stands there in the buffer, else nobody can tell what
--- the user meant.

local screen = require("botglue.text")

local M = {}

--- What is between the start and the end of a row.
---@param line string
---@param head string
---@param tail string
---@return string?
local function between(line, head, tail)
  local fits = #line >= #head + #tail and vim.startswith(line, head) and vim.endswith(line, tail)
  return fits and line:sub(#head + 1, #line - #tail) or nil
end

---@param lines string[]
---@param place botglue.Extent
---@param rows string[]
---@return string[]?
local function chars(lines, place, rows)
  if #lines == 0 then
    return nil -- the ends of the rows beside it are gone too
  end
  local head, tail = rows[1]:sub(1, place.from), rows[#rows]:sub(place.to + 1)
  local whole = between(table.concat(lines, "\n"), head, tail)
  return whole and vim.split(whole, "\n", { plain = true })
end

--- The part of a block in one row. One that ends before the block is filled up with spaces, which are no part of it.
---@param line string
---@param span integer[]
---@param row string that stands in the buffer there
---@param column integer the screen column at which the block begins
---@return string?
function M.of_row(line, span, row, column)
  local part = between(line, row:sub(1, span[1]), row:sub(span[2] + 1))
  local fill = span[1] == #row and column - screen.width(row) or 0
  if not part or part:sub(1, fill):find("[^ ]") then
    return nil
  end
  return part:sub(math.max(fill, 0) + 1)
end

---@param lines string[]
---@param place botglue.Extent
---@param rows string[]
---@param column integer
---@return string[]?
local function block(lines, place, rows, column)
  local taken = {}
  for i, row in ipairs(rows) do
    taken[i] = lines[i] and M.of_row(lines[i], place.spans[i], row, column)
    if not taken[i] then
      return nil
    end
  end
  return #lines == #rows and taken or nil
end

--- What is next to a part: the row above, what is before it and behind it in its rows, of a block in each of them, and
--- the row below.
---@param place botglue.Extent
---@param rows string[] that stand in the buffer there
---@param above string? none at the top
---@param below string? none at the end
---@return string[]
function M.beside(place, rows, above, below)
  local beside = { above or "" }
  for i, span in ipairs(place.spans or {}) do
    vim.list_extend(beside, { rows[i]:sub(1, span[1]), rows[i]:sub(span[2] + 1) })
  end
  if not place.spans then
    vim.list_extend(beside, { rows[1]:sub(1, place.from), rows[#rows]:sub(place.to + 1) })
  end
  return vim.list_extend(beside, { below or "" })
end

--- The answer in rows that hold it together with what is beside it.
---@param lines string[]
---@param range botglue.Range
---@param place botglue.Extent
---@param rows string[] that stand in the buffer there
---@return string[]? nil where what is beside it is not what stands in the buffer
function M.of(lines, range, place, rows)
  if range.shape == "block" then
    return block(lines, place, rows, range.column)
  end
  return chars(lines, place, rows)
end

return M
