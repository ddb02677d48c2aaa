--- Draws rows of highlighted texts in a buffer. Writes only those that have changed, so that a list of thousands can be
--- drawn ten times a second.

local text = require("botglue.util.text")

local M = {}

local api = vim.api
local namespace = api.nvim_create_namespace("botglue.float")

---@alias botglue.Chunks [string, string?][] texts with their highlight groups

---@class botglue.Rows
---@field bufnr integer
---@field drawn botglue.Chunks[] the rows that are there
local Rows = {}
Rows.__index = Rows

--- Whether two rows look the same. Often they are the same table, in a list of which only some rows change.
---@param row botglue.Chunks
---@param other botglue.Chunks?
---@return boolean
function M.same(row, other)
  if row == other or not other or #row ~= #other then
    return row == other
  end
  for i, chunk in ipairs(row) do
    if chunk[1] ~= other[i][1] or chunk[2] ~= other[i][2] then
      return false
    end
  end
  return true
end

--- Adds or removes rows where the counts differ, so that the rows after them keep their highlights.
---@param count integer how many rows there are to be
---@param kept integer how many rows at the end stay as they are
function Rows:fit(count, kept)
  local bufnr, more = self.bufnr, count - #self.drawn
  local from, gone = math.min(count, #self.drawn) - kept, math.max(-more, 0)
  local lines, rows = {}, {}
  for i = 1, more do
    lines[i], rows[i] = "", {}
  end
  api.nvim_buf_clear_namespace(bufnr, namespace, from, from + gone)
  api.nvim_buf_set_lines(bufnr, from, #self.drawn == 0 and -1 or from + gone, false, lines)
  local drawn = vim.list_extend(vim.list_slice(self.drawn, 1, from), rows)
  self.drawn = vim.list_extend(drawn, self.drawn, from + gone + 1)
end

--- Puts rows into the buffer in place of as many.
---@param rows botglue.Chunks[]
---@param first integer
---@param last integer
function Rows:write(rows, first, last)
  local bufnr, lines = self.bufnr, {}
  for i = first, last do
    lines[#lines + 1], self.drawn[i] = text.of_chunks(rows[i]), rows[i]
  end
  api.nvim_buf_set_lines(bufnr, first - 1, last, false, lines)
  api.nvim_buf_clear_namespace(bufnr, namespace, first - 1, last)
  for i = first, last do
    local col = 0
    for _, chunk in ipairs(rows[i]) do
      local past_chunk = col + #chunk[1]
      if chunk[2] and past_chunk > col then
        local mark = { end_col = past_chunk, hl_group = chunk[2] }
        api.nvim_buf_set_extmark(bufnr, namespace, i - 1, col, mark)
      end
      col = past_chunk
    end
  end
end

--- Puts rows into the buffer, which can be written to afterwards if it could before.
---@param rows botglue.Chunks[]
---@param first integer? only from this one on are others
---@param last integer? only up to this one
---@return boolean changed
function Rows:draw(rows, first, last)
  first, last = first or 1, last or #rows
  local changed, modifiable = #rows ~= #self.drawn, vim.bo[self.bufnr].modifiable
  if not modifiable then
    vim.bo[self.bufnr].modifiable = true
  end
  if changed then
    local kept, least = 0, math.min(#rows, #self.drawn)
    while kept < least and M.same(rows[#rows - kept], self.drawn[#self.drawn - kept]) do
      kept = kept + 1
    end
    self:fit(#rows, kept)
  end
  local from -- where the rows begin that are to be written at once
  for i = first, last + 1 do
    local differs = i <= last and not M.same(rows[i], self.drawn[i])
    if differs then
      from = from or i
    elseif from then
      self:write(rows, from, i - 1)
      from, changed = nil, true
    end
  end
  if not modifiable then
    vim.bo[self.bufnr].modifiable = false
  end
  return changed
end

--- For an empty buffer.
---@param bufnr integer
---@return botglue.Rows
function M.of(bufnr)
  return setmetatable({ bufnr = bufnr, drawn = {} }, Rows)
end

return M
