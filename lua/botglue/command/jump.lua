--- `<Plug>(botglue-next)` and `<Plug>(botglue-prev)`: go to the next or previous held or landed answer, in the current
--- buffer first, then in the others.

local choose = require("botglue.jobs.choose")
local errors = require("botglue.host.errors")
local go = require("botglue.ui.go")

local M = {}

local api = vim.api

---@class botglue.Stop
---@field bufnr integer
---@field row integer from 1
---@field col integer from 0

--- The places to stop at, by buffer and row.
---@return botglue.Stop[]
local function stops()
  local found = {}
  for _, job in ipairs(choose.all(choose.has_texts)) do
    local bufnr, place = job.range.bufnr, job.range:place()
    if place and api.nvim_buf_is_loaded(bufnr) then
      local row = math.max(job.range:lines(), 1)
      local line = api.nvim_buf_get_lines(bufnr, row - 1, row, false)[1] or ""
      -- The cursor cannot be behind the last character.
      local col = math.min(go.column(place), math.max(#line - 1, 0))
      found[#found + 1] = { bufnr = bufnr, row = row, col = col }
    end
  end
  table.sort(found, function(a, b)
    if a.bufnr ~= b.bufnr then
      return a.bufnr < b.bufnr
    end
    return a.row < b.row or a.row == b.row and a.col < b.col
  end)
  return found
end

--- How many of the places are before the cursor, and how many are so or at it.
---@param found botglue.Stop[]
---@return integer before
---@return integer reached
local function count_to_cursor(found)
  local bufnr, cursor = api.nvim_get_current_buf(), api.nvim_win_get_cursor(0)
  local before, reached = 0, 0
  for _, stop in ipairs(found) do
    local is_here = stop.bufnr == bufnr
    local is_in_row = is_here and stop.row == cursor[1]
    local is_above = stop.bufnr < bufnr or is_here and stop.row < cursor[1]
    if is_above or is_in_row and stop.col < cursor[2] then
      before = before + 1
    end
    if is_above or is_in_row and stop.col <= cursor[2] then
      reached = reached + 1
    end
  end
  return before, reached
end

--- Goes so many answers on, or back where `by` is negative; from the last one to the first.
---@param by integer
function M.go(by)
  errors.guard(function()
    local found = stops()
    if #found == 0 then
      errors.fail("no answer is held or has landed in an open buffer")
    end
    local before, reached = count_to_cursor(found)
    local index = by > 0 and reached + by or before + 1 + by
    local stop = found[(index - 1) % #found + 1]
    go.to(stop.bufnr, stop.row, stop.col)
  end)
end

return M
