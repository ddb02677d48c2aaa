--- Draws rows of highlighted texts in a buffer, where they are others than before.

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

--- Puts rows into the buffer, which can be written to afterwards if it could before.
---@param rows botglue.Chunks[]
---@return boolean changed
function Rows:draw(rows)
  if vim.deep_equal(rows, self.drawn) then
    return false
  end
  local bufnr, modifiable = self.bufnr, vim.bo[self.bufnr].modifiable
  self.drawn = rows
  vim.bo[bufnr].modifiable = true
  api.nvim_buf_clear_namespace(bufnr, namespace, 0, -1)
  api.nvim_buf_set_lines(bufnr, 0, -1, false, vim.tbl_map(text.of_chunks, rows))
  vim.bo[bufnr].modifiable = modifiable
  for i, chunks in ipairs(rows) do
    local col = 0
    for _, chunk in ipairs(chunks) do
      local past_chunk = col + #chunk[1]
      if chunk[2] and past_chunk > col then
        local mark = { end_col = past_chunk, hl_group = chunk[2] }
        api.nvim_buf_set_extmark(bufnr, namespace, i - 1, col, mark)
      end
      col = past_chunk
    end
  end
  return true
end

--- For an empty buffer.
---@param bufnr integer
---@return botglue.Rows
function M.of(bufnr)
  return setmetatable({ bufnr = bufnr, drawn = {} }, Rows)
end

return M
