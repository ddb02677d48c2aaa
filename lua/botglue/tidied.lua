--- An answer as it would land, out of the text that the agent gave: the host says which rows of that its lines are and
--- what was changed in them, so a long text is sent once.

local M = {}

--- The lines of a tidied answer.
---@param text string
---@param rows { from: integer, count: integer, changed: [integer, string, integer][] }
---@return string[]
function M.lines(text, rows)
  local written, lines = vim.split(text, "\n", { plain = true }), {}
  for i = 1, rows.count do
    lines[i] = written[rows.from + i] or ""
  end
  for _, change in ipairs(rows.changed) do
    local row, beginning, kept = unpack(change)
    lines[row] = beginning .. lines[row]:sub(#lines[row] - kept + 1)
  end
  return lines
end

--- Edits with the lines of the answer that they put in.
---@param edits { first: integer, last: integer, from: integer, count: integer }[]
---@param lines string[]
---@return botglue.Edit[]
function M.edits(edits, lines)
  return vim.tbl_map(function(edit)
    return {
      first = edit.first,
      last = edit.last,
      lines = edit.lines or vim.list_slice(lines, edit.from + 1, edit.from + edit.count),
    }
  end, edits)
end

return M
