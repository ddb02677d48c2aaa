--- Looks for rows in a buffer by their text. Pure of jobs and marks: it tells how often they stand there, and where.

local M = {}

local TELLING_ROWS = 2 -- that are not blank
local TELLING_CHARS = 20

--- Whether rows say enough to be known again by their text alone.
---@param rows string[]
---@return boolean
function M.is_telling(rows)
  local filled, chars = 0, 0
  for _, row in ipairs(rows) do
    local words = vim.trim(row)
    filled = filled + (words ~= "" and 1 or 0)
    chars = chars + #words
  end
  return filled >= TELLING_ROWS or chars >= TELLING_CHARS
end

--- Where rows stand in a buffer, one below the other; overlapping places count too.
---@param bufnr integer a loaded buffer
---@param rows string[] at least one
---@param from integer? the first row that is looked at, from 0
---@param past integer? the one behind the last
---@return integer count
---@return integer? first the row of the first place, from 0
function M.rows(bufnr, rows, from, past)
  from = from or 0
  local lines = vim.api.nvim_buf_get_lines(bufnr, from, past or -1, false)
  local count, first, head = 0, nil, rows[1]
  for i = 1, #lines - #rows + 1 do
    if lines[i] == head then
      local offset = 1
      while offset < #rows and lines[i + offset] == rows[offset + 1] do
        offset = offset + 1
      end
      if offset == #rows then
        count, first = count + 1, first or from + i - 1
      end
    end
  end
  return count, first
end

--- Where rows stand, if there is no other place in which they do.
---@param bufnr integer a loaded buffer
---@param rows string[] at least one
---@return integer? first the row, from 0
function M.only(bufnr, rows)
  local count, first = M.rows(bufnr, rows)
  return count == 1 and first or nil
end

--- Where rows stand in a buffer that was read since: in the same lines, else in the only place, if they tell enough.
---@param bufnr integer a loaded buffer
---@param rows string[]
---@param known integer the row at which they were, from 0; -1 where that is not known
---@return integer? first the row, from 0
function M.again(bufnr, rows, known)
  if #rows == 0 then
    return nil
  end
  local there = known >= 0 and vim.api.nvim_buf_get_lines(bufnr, known, known + #rows, false)
  if there and vim.deep_equal(there, rows) then
    return known
  end
  return M.is_telling(rows) and M.only(bufnr, rows) or nil
end

return M
