--- Finds the known name that a wrong one may have meant.

local M = {}

--- How many letters are put in, taken away, replaced or swapped with their neighbour to make one word of another.
---@param a string
---@param b string
---@return integer
local function distance(a, b)
  local before
  local last, row = {}, {}
  for j = 0, #b do
    row[j] = j
  end
  for i = 1, #a do
    before, last, row = last, row, { [0] = i }
    for j = 1, #b do
      local same = a:byte(i) == b:byte(j)
      row[j] = math.min(last[j] + 1, row[j - 1] + 1, last[j - 1] + (same and 0 or 1))
      if i > 1 and j > 1 and a:byte(i) == b:byte(j - 1) and a:byte(i - 1) == b:byte(j) then
        row[j] = math.min(row[j], before[j - 2] + 1)
      end
    end
  end
  return row[#b]
end

--- The last part of a path: what a user remembers of it.
---@param path string
---@return string
local function leaf(path)
  return path:match("[^.]+$") or path
end

--- The known path that is nearest to a wrong one: the same name in another group, else the one with the fewest letters
--- to change, where these are at most a third of the name.
---@param wrong string
---@param known string[]
---@return string?
function M.of(wrong, known)
  local paths = vim.list_extend({}, known)
  table.sort(paths)
  for _, path in ipairs(paths) do
    if leaf(path) == leaf(wrong) then
      return path
    end
  end
  local nearest, least = nil, math.max(math.floor(#leaf(wrong) / 3), 1) + 1
  for _, path in ipairs(paths) do
    local far = distance(wrong:lower(), path:lower())
    if far < least then
      nearest, least = path, far
    end
  end
  return nearest
end

return M
