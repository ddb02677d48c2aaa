--- Finds the hunk of a row, and the one before or after it. Pure: hunks and rows in, indexes out. Rows count from 0.

local M = {}

---@class botglue.Hunk what is shown of a proposal as one: rows that go, and rows that come in their place
---@field id string the hash of all that is shown of it
---@field first integer its first row, from 0
---@field count integer how many rows go; 0: it is an insertion above row `first`
---@field conflict boolean
---@field label string? the words of a conflict
---@field column integer? the screen column at which a block begins
---@field lines string[] the rows that come
---@field old botglue.Spans[] the changed bytes of each row that goes
---@field new botglue.Spans[] the same of each that comes

---@class botglue.DroppedHunk
---@field id string
---@field first integer
---@field count integer
---@field come integer how many rows would come

---@alias botglue.Spans { [1]: integer, [2]: integer }[] bytes of a row, from 0, the second one exclusive

--- The row where the cursor is for a hunk: its first one, or for an insertion the one above it.
---@param hunk botglue.Hunk|botglue.DroppedHunk
---@return integer
function M.row(hunk)
  return hunk.count > 0 and hunk.first or math.max(hunk.first - 1, 0)
end

---@param hunks (botglue.Hunk|botglue.DroppedHunk)[]
---@param row integer
---@param is_meant fun(hunk: botglue.Hunk|botglue.DroppedHunk): boolean
---@return integer?
local function find(hunks, row, is_meant)
  for i, hunk in ipairs(hunks) do
    if hunk.first > row + 1 then
      return nil
    elseif is_meant(hunk) then
      return i
    end
  end
end

--- The hunk under the cursor: the one whose rows contain the cursor, else the insertion below its row, else the one
--- above it, as for Vim's own `do`. Where several are at a row, the one that the cursor went to.
---@param hunks (botglue.Hunk|botglue.DroppedHunk)[] ascending
---@param row integer
---@param visited string? the id of the hunk that the cursor went to, while it is there
---@return integer? index
function M.under(hunks, row, visited)
  return visited and find(hunks, row, function(hunk)
    return hunk.id == visited
  end) or find(hunks, row, function(hunk)
    return hunk.first <= row and row < hunk.first + hunk.count
  end) or find(hunks, row, function(hunk)
    return hunk.count == 0 and hunk.first == row + 1
  end) or find(hunks, row, function(hunk)
    return hunk.count == 0 and hunk.first == row
  end)
end

--- The hunk to go to from a row. It counts hunks, not rows: several may be at one row.
---@param hunks botglue.Hunk[] ascending
---@param row integer
---@param step integer how many hunks to go on, or back where it is negative
---@param visited string?
---@return integer? index nil if there is none
function M.step(hunks, row, step, visited)
  local here = M.under(hunks, row, visited)
  local passed = 0
  while hunks[passed + 1] and M.row(hunks[passed + 1]) < row do
    passed = passed + 1
  end
  if step > 0 then
    local from = here or passed
    local to = math.min(from + step, #hunks)
    return to > from and to or nil
  end
  -- Within a hunk the first step back goes to its start.
  local is_within = here and row > M.row(hunks[here])
  local from = is_within and here + 1 or here or passed + 1
  local to = math.max(from + step, 1)
  return to < from and to or nil
end

--- The hunks in some rows: those that share one with them, and the insertions below one of them.
---@param hunks (botglue.Hunk|botglue.DroppedHunk)[] ascending
---@param first integer
---@param past integer the row after the last one
---@return integer[] indexes
function M.within(hunks, first, past)
  local found = {}
  for i, hunk in ipairs(hunks) do
    local row = M.row(hunk)
    if row < past and row + math.max(hunk.count, 1) > first then
      found[#found + 1] = i
    end
  end
  return found
end

return M
