--- Makes the lines of an answer from the agent's text. The host sends the text once, and which of its rows land with
--- which changes.

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

return M
