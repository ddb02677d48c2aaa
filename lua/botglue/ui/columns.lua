--- Rows of cells side by side that fit into a window: one column takes what the others leave, and where that is too
--- little some of them are left out. Draws nothing.

local text = require("botglue.text")

local M = {}

local width_of = vim.api.nvim_strwidth

---@class botglue.Column
---@field width integer cells; the least that it has to have, of the one that takes the rest
---@field rest boolean? takes the rest
---@field drop integer? the smaller, the sooner it is left out
---@field right boolean? its cells stand at its right edge
---@field keep_end boolean? of a cell that is too wide the end is kept

---@alias botglue.Cell { [1]: string, [2]: string?, wide: boolean? } a text and its highlight group; `wide`: takes
--- room from the column that has the rest

---@param columns botglue.Column[]
---@param gap integer
local function sum(columns, gap)
  local total = -gap
  for _, column in ipairs(columns) do
    total = total + (column.width > 0 and column.width + gap or 0)
  end
  return total
end

--- How wide each column is in a room; 0: it is left out.
---@param columns botglue.Column[]
---@param room integer
---@param gap integer
---@return botglue.Column[]
function M.fit(columns, room, gap)
  local fitted = vim.deepcopy(columns)
  local order = vim.tbl_filter(function(column)
    return column.drop ~= nil
  end, fitted)
  table.sort(order, function(a, b)
    return a.drop < b.drop
  end)
  for _, column in ipairs(order) do
    if sum(fitted, gap) <= room then
      break
    end
    column.width = 0
  end
  for _, column in ipairs(fitted) do
    if column.rest then
      column.width = math.max(column.width + room - sum(fitted, gap), 1)
    end
  end
  return fitted
end

---@param cell botglue.Cell
---@param width integer
---@param column botglue.Column
---@param cut string
local function fill(cell, width, column, cut)
  local words = text.clean(cell[1])
  words = column.keep_end and text.fit_end(words, width, cut) or text.fit(words, width, cut)
  local blanks = (" "):rep(width - width_of(words))
  return column.right and blanks .. words or words .. blanks
end

--- One row, with a blank before it.
---@param cells botglue.Cell[]
---@param columns botglue.Column[] as `fit` gave them
---@param gap integer
---@param cut string the mark where a text was cut
---@return botglue.Chunks
function M.row(cells, columns, gap, cut)
  local widths, rest, wide = {}, nil, nil
  for i, column in ipairs(columns) do
    widths[i] = column.width
    rest = column.rest and i or rest
    wide = cells[i].wide and column.width > 0 and i or wide
  end
  if rest and wide then
    local wanted = width_of(text.clean(cells[wide][1])) - widths[wide]
    local taken = math.max(math.min(wanted, widths[rest] - 12), 0)
    widths[wide], widths[rest] = widths[wide] + taken, widths[rest] - taken
  end
  local chunks = {}
  for i, column in ipairs(columns) do
    if column.width > 0 then
      chunks[#chunks + 1] = { (" "):rep(#chunks == 0 and 1 or gap) }
      chunks[#chunks + 1] = { fill(cells[i], widths[i], column, cut), cells[i][2] }
    end
  end
  return chunks
end

return M
