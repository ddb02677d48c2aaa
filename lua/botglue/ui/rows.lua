--- Rows of highlighted texts in a buffer of ours. Writes only those that are other than before, so that a list of
--- thousands can be drawn ten times a second.

local M = {}

local api = vim.api
local namespace = api.nvim_create_namespace("botglue.float")

---@alias botglue.Chunks [string, string?][] texts with their highlight groups

---@class botglue.Rows
---@field bufnr integer
---@field drawn string[] the rows that are there, each with its highlights
---@field flat table<botglue.Chunks, { line: string, key: string }> what was made of rows, as long as they are known
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

--- Makes room for rows that come, or takes away rows that go, so that those behind them keep their highlights.
---@param count integer how many rows there are to be
---@param kept integer how many rows at the end stay as they are
function Rows:fit(count, kept)
  local bufnr, more = self.bufnr, count - #self.drawn
  local from, gone = math.min(count, #self.drawn) - kept, math.max(-more, 0)
  local blank = {}
  for i = 1, more do
    blank[i] = ""
  end
  api.nvim_buf_clear_namespace(bufnr, namespace, from, from + gone)
  api.nvim_buf_set_lines(bufnr, from, #self.drawn == 0 and -1 or from + gone, false, blank)
  local drawn = vim.list_extend(vim.list_slice(self.drawn, 1, from), blank)
  self.drawn = vim.list_extend(drawn, self.drawn, from + gone + 1)
end

--- Puts one row into the buffer in place of one.
---@param i integer
---@param row botglue.Chunks
---@param line string its text
function Rows:write(i, row, line)
  local bufnr, col = self.bufnr, 0
  api.nvim_buf_set_lines(bufnr, i - 1, i, false, { line })
  api.nvim_buf_clear_namespace(bufnr, namespace, i - 1, i)
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
  first, last = first or 1, last or #rows
  local lines, keys = {}, {}
  for i = first, last do
    local known = self.flat[rows[i]]
    if not known then
      local line, key = flat(rows[i])
      known = { line = line, key = key }
      self.flat[rows[i]] = known
    end
    lines[i], keys[i] = known.line, known.key
  end
  local changed, modifiable = #rows ~= #self.drawn, vim.bo[self.bufnr].modifiable
  vim.bo[self.bufnr].modifiable = true
  if changed then
    local kept, least = 0, math.min(#rows, #self.drawn)
    while kept < least and keys[#rows - kept] == self.drawn[#self.drawn - kept] do
      kept = kept + 1
    end
    self:fit(#rows, kept)
  end
  for i = first, last do
    if self.drawn[i] ~= keys[i] then
      changed = true
      self:write(i, rows[i], lines[i])
      self.drawn[i] = keys[i]
    end
  end
  vim.bo[self.bufnr].modifiable = modifiable
  return changed
end

--- For an empty buffer.
---@param bufnr integer
---@return botglue.Rows
function M.of(bufnr)
  return setmetatable({ bufnr = bufnr, drawn = {}, flat = setmetatable({}, { __mode = "k" }) }, Rows)
end

return M
