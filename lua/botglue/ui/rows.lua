--- Rows of highlighted texts in a buffer of ours. Writes only those that are other than before, so that a list of
--- thousands can be drawn ten times a second.

local M = {}

local api = vim.api
local namespace = api.nvim_create_namespace("botglue.float")

---@alias botglue.Chunks [string, string?][] texts with their highlight groups

---@class botglue.Rows
---@field bufnr integer
---@field drawn string[] the rows that are there, each with its highlights
local Rows = {}
Rows.__index = Rows

---@param row botglue.Chunks
---@return string line
---@return string key tells it from any other row
local function flat(row)
  local texts, key = {}, {}
  for _, chunk in ipairs(row) do
    texts[#texts + 1] = chunk[1]
    key[#key + 1] = chunk[1] .. "\1" .. (chunk[2] or "")
  end
  return table.concat(texts), table.concat(key, "\2")
end

--- Puts one row into the buffer, behind those that are drawn or in place of one.
---@param i integer
---@param row botglue.Chunks
---@param line string its text
function Rows:write(i, row, line)
  local bufnr, past = self.bufnr, i <= #self.drawn and i or i == 1 and -1 or i - 1
  api.nvim_buf_set_lines(bufnr, i - 1, past, false, { line })
  api.nvim_buf_clear_namespace(bufnr, namespace, i - 1, i)
  local col = 0
  for _, chunk in ipairs(row) do
    local past_chunk = col + #chunk[1]
    if chunk[2] and past_chunk > col then
      local mark = { end_col = past_chunk, hl_group = chunk[2] }
      api.nvim_buf_set_extmark(bufnr, namespace, i - 1, col, mark)
    end
    col = past_chunk
  end
end

--- Puts rows into the buffer, which can be written to afterwards if it could before.
---@param rows botglue.Chunks[]
---@param first integer? only from this one on are others
---@param last integer? only up to this one
---@return boolean changed
function Rows:draw(rows, first, last)
  local changed, modifiable = #rows ~= #self.drawn, vim.bo[self.bufnr].modifiable
  vim.bo[self.bufnr].modifiable = true
  if #rows < #self.drawn then
    api.nvim_buf_set_lines(self.bufnr, #rows, -1, false, {})
    self.drawn = vim.list_slice(self.drawn, 1, #rows)
  end
  for i = first or 1, last or #rows do
    local line, key = flat(rows[i])
    if self.drawn[i] ~= key then
      changed = true
      self:write(i, rows[i], line)
      self.drawn[i] = key
    end
  end
  vim.bo[self.bufnr].modifiable = modifiable
  return changed
end

--- For an empty buffer.
---@param bufnr integer
---@return botglue.Rows
function M.of(bufnr)
  return setmetatable({ bufnr = bufnr, drawn = {} }, Rows)
end

return M
