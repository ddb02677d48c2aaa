--- Lays out rows of cells: the width of each column, and the chunks of a row. The host makes the cells and says how the
--- columns share the room; only Neovim knows how wide a text is. Draws nothing.

local text = require("botglue.util.text")

local M = {}

local width_of = vim.api.nvim_strwidth

---@class botglue.Layout
---@field columns botglue.Column[]
---@field widths integer[] 0: the column is left out
---@field gap integer cells between two columns
---@field cut string the mark where a text was cut

---@param widths integer[]
---@param gap integer
local function sum(widths, gap)
  local total = -gap
  for _, width in ipairs(widths) do
    total = total + (width > 0 and width + gap or 0)
  end
  return total
end

--- The preferred width of a column.
---@param column botglue.Column
---@param index integer
---@param rows botglue.ListRow[]
---@param room integer
local function wanted(column, index, rows, room)
  if column.rest then
    return column.least
  elseif column.share then
    return math.max(math.floor(room * column.share / 100), column.least)
  end
  local width = math.max(column.least, width_of(column.head))
  for _, row in ipairs(rows) do
    width = math.max(width, width_of(text.clean(row.cells[index][1])))
  end
  return column.most and math.min(width, math.max(math.floor(room * column.most / 100), column.least))
    or width
end

--- Lays out columns for these rows: what finds no room is left out, and one column takes what the others leave.
---@param columns botglue.Column[]
---@param rows botglue.ListRow[]
---@param room integer cells
---@param cut string
---@return botglue.Layout
function M.layout(columns, rows, room, cut)
  local widths, order, gap = {}, {}, room < 60 and 1 or 2
  for i, column in ipairs(columns) do
    widths[i] = wanted(column, i, rows, room)
    order[#order + 1] = column.drop and i or nil
  end
  table.sort(order, function(a, b)
    return columns[a].drop < columns[b].drop
  end)
  for _, i in ipairs(order) do
    if sum(widths, gap) <= room then
      break
    end
    widths[i] = 0
  end
  for i, column in ipairs(columns) do
    if column.rest then
      widths[i] = math.max(widths[i] + room - sum(widths, gap), 1)
    end
  end
  return { columns = columns, widths = widths, gap = gap, cut = cut }
end

---@param words string
---@param index integer
---@param layout botglue.Layout
---@return string
local function fill(words, index, layout)
  local column, width = layout.columns[index], layout.widths[index]
  words = text.clean(words)
  words = column.keep_end and text.fit_end(words, width, layout.cut) or text.fit(words, width, layout.cut)
  local blanks = (" "):rep(width - width_of(words))
  return column.right and blanks .. words or words .. blanks
end

--- One row, with a blank before it.
---@param cells botglue.Cell[]
---@param layout botglue.Layout
---@param before { cells: botglue.Cell[], chunks: botglue.Chunks }? the row that is drawn, in the same layout
---@return botglue.Chunks
function M.row(cells, layout, before)
  local chunks = {}
  for i, width in ipairs(layout.widths) do
    if width > 0 then
      local words, group, at = cells[i][1], cells[i][2], #chunks + 2
      chunks[at - 1] = { (" "):rep(at == 2 and 1 or layout.gap) }
      local is_same = before and before.cells[i][1] == words
      local filled = is_same and before.chunks[at][1] or fill(words, i, layout)
      chunks[at] = { filled, group ~= "" and group or nil }
    end
  end
  return chunks
end

--- The heads of the columns.
---@param layout botglue.Layout
---@return botglue.Chunks
function M.head(layout)
  return M.row(
    vim.tbl_map(function(column)
      return { column.head, "BotglueTitle" }
    end, layout.columns),
    layout
  )
end

return M
