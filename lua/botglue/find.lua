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
---@return integer count
---@return integer? first the row of the first place, from 0
function M.rows(bufnr, rows)
  local lines = vim.api.nvim_buf_get_lines(bufnr, 0, -1, false)
  local count, first, head = 0, nil, rows[1]
  for i = 1, #lines - #rows + 1 do
    if lines[i] == head then
      local offset = 1
      while offset < #rows and lines[i + offset] == rows[offset + 1] do
        offset = offset + 1
      end
      if offset == #rows then
        count, first = count + 1, first or i - 1
      end
    end
  end
  return count, first
end

return M
