--- The rows of the windows whose content the host makes: replaces rows in a buffer, draws their highlights when they
--- become visible, and folds them.

local connection = require("botglue.host.connection")

local M = {}

local api = vim.api
local highlights = api.nvim_create_namespace("botglue.view")
local marks = api.nvim_create_namespace("botglue.view.marks")

--- A text, its highlights (from, to, group, from, to, group …), and extras; or the text alone.
---@alias botglue.ViewRow string|[string, any[], { marks: [integer, table][], fold: [string, string]?, id: string? }?]
---@alias botglue.ViewSplice [integer, integer, botglue.ViewRow[]] the first row, how many are removed, the new rows

--- Replaces rows, and sets the extmarks of the new ones. Highlights are drawn when a row becomes visible.
---@param view botglue.HostWindow
---@param splices botglue.ViewSplice[]
function M.splice(view, splices)
  local bufnr = view.bufnr
  vim.bo[bufnr].modifiable = true
  for _, splice in ipairs(splices) do
    local at, gone, rows, lines = splice[1], splice[2], splice[3], {}
    -- An empty buffer has one row, which is replaced.
    local last = #view.rows == 0 and -1 or at + gone
    if #rows ~= gone then
      local kept = vim.list_slice(view.rows, at + gone + 1)
      view.rows = vim.list_extend(vim.list_extend(vim.list_slice(view.rows, 1, at), rows), kept)
    end
    for i, row in ipairs(rows) do
      lines[i], view.rows[at + i] = row[1] or row, row
    end
    api.nvim_buf_clear_namespace(bufnr, marks, at, last)
    api.nvim_buf_set_lines(bufnr, at, last, false, lines)
    for i, row in ipairs(rows) do
      for _, mark in ipairs(row[3] and row[3].marks or {}) do
        api.nvim_buf_set_extmark(bufnr, marks, at + i - 1, mark[1], mark[2])
      end
    end
  end
  vim.bo[bufnr].modifiable = false
end

--- The fold of a row of the current buffer.
---@param row integer
---@return [string, string]? fold its level, and the text of a fold that begins there
local function fold_at(row)
  local view = connection.shown[api.nvim_get_current_buf()]
  local extra = view and view.rows[row] and view.rows[row][3]
  return extra and extra.fold
end

--- The value of 'foldexpr' for a row.
---@return string
function M.fold()
  return (fold_at(vim.v.lnum) or { "0" })[1]
end

--- The text of a closed fold.
---@return string
function M.fold_text()
  return (fold_at(vim.v.foldstart) or { "", "" })[2]
end

api.nvim_set_decoration_provider(highlights, {
  on_win = function(_, _, bufnr)
    return connection.shown[bufnr] ~= nil
  end,
  on_line = function(_, _, bufnr, row)
    local drawn = (connection.shown[bufnr].rows[row + 1] or "")[2] or {}
    for i = 1, #drawn, 3 do
      local mark = { end_col = drawn[i + 1], hl_group = drawn[i + 2], ephemeral = true }
      api.nvim_buf_set_extmark(bufnr, highlights, row, drawn[i], mark)
    end
  end,
})

return M
