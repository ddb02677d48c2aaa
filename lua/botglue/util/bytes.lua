--- Rows of any bytes as the host and the store have them: those take only UTF-8, and a file may hold anything.

local M = {}

local MARK = "\239\183\144" -- U+FDD0, which is no character: what follows are bytes in base64

--- Whether a row is ASCII. Of 20,000 rows a pattern takes ten times as long to tell.
---@param row string
---@return boolean
local function is_ascii(row)
  for i = 1, #row do
    if row:byte(i) > 127 then
      return false
    end
  end
  return true
end

--- A row of any bytes as text. Other rows are other text.
---@param row string
---@return string
local function to_text(row)
  return is_ascii(row) and row or MARK .. vim.base64.encode(row)
end

---@param text string
---@return string
local function from_text(text)
  return vim.startswith(text, MARK) and vim.base64.decode(text:sub(#MARK + 1)) or text
end

--- Rows of any bytes as text. Other rows are other text.
---@param rows string[]
---@return string[]
function M.to_text(rows)
  return vim.tbl_map(to_text, rows)
end

--- The rows that texts stand for.
---@param texts string[]
---@return string[]
function M.from_text(texts)
  return vim.tbl_map(from_text, texts)
end

return M
