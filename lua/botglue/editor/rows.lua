--- Replaces rows by others, and touches only the bytes that differ: equal rows at both ends, and in the first and the
--- last of the others the equal beginning and end, in whole characters. So marks, folds and other plugins' extmarks
--- stay on the rest. Knows no steps; whether text may change now is not asked here.
---
--- Rows are rewritten one for one; those that are more on one side are put in or deleted whole, before the last one.
--- Neovim moves all marks for rows that come or go whole, and `change.text` locks them where text changes in place.

local change = require("botglue.editor.change")
local screen = require("botglue.util.text")

local M = {}

local api = vim.api

local ONE_BY_ONE = 50 -- rows that differ; more are replaced in one piece, which takes less time

---@param buffer integer
---@param row integer
---@return string
local function get_row(buffer, row)
  return api.nvim_buf_get_lines(buffer, row, row + 1, true)[1]
end

---@param byte integer?
local function is_inside_character(byte)
  return byte ~= nil and byte >= 0x80 and byte < 0xC0
end

--- How many bytes two texts share at their start, in whole characters.
---@param one string
---@param other string
---@return integer
local function shared_head(one, other)
  local shorter, head = math.min(#one, #other), 0
  while head < shorter and one:byte(head + 1) == other:byte(head + 1) do
    head = head + 1
  end
  while head > 0 and (is_inside_character(one:byte(head + 1)) or is_inside_character(other:byte(head + 1))) do
    head = head - 1
  end
  return head
end

--- How many bytes two texts share at their end, in whole characters.
---@param one string
---@param other string
---@return integer
local function shared_tail(one, other)
  local shorter, tail = math.min(#one, #other), 0
  while tail < shorter and one:byte(#one - tail) == other:byte(#other - tail) do
    tail = tail + 1
  end
  while tail > 0 and is_inside_character(one:byte(#one - tail + 1)) do
    tail = tail - 1
  end
  return tail
end

--- How many entries two lists share at their start and at their end.
---@param one string[]
---@param other string[]
---@return integer head
---@return integer tail
local function shared_rows(one, other)
  local shorter = math.min(#one, #other)
  local head, tail = 0, 0
  while head < shorter and one[head + 1] == other[head + 1] do
    head = head + 1
  end
  while tail < shorter - head and one[#one - tail] == other[#other - tail] do
    tail = tail + 1
  end
  return head, tail
end

--- What a row of a block becomes. Where it ends before the block, what comes is behind spaces.
---@param buffer integer
---@param old string
---@param new string
---@param column integer the screen column at which the block begins
---@return string
function M.filled(buffer, old, new, column)
  if old == new or not vim.startswith(new, old) then
    return new
  end
  local width = api.nvim_buf_call(buffer, function()
    return screen.width(old)
  end)
  return old .. (" "):rep(column - width) .. new:sub(#old + 1)
end

--- Who types right behind the bytes that differ goes on behind the new ones, as one who types at the end of the row.
---@param buffer integer
---@param row integer
---@param old string
---@param new string
local function rewrite_row(buffer, row, old, new)
  local head = shared_head(old, new)
  local tail = shared_tail(old:sub(head + 1), new:sub(head + 1))
  local stay = change.behind(buffer, row, head, row, #old - tail)
  local stay_at_end = change.behind(buffer, row, 0, row, #old)
  change.text(buffer, row, head, row, #old - tail, { new:sub(head + 1, #new - tail) })
  stay(row, #new - tail)
  stay_at_end(row, #new)
end

--- Puts text into rows that stay as many as they are.
---@param buffer integer
---@param first integer
---@param new string[]
local function rewrite(buffer, first, new)
  local old = api.nvim_buf_get_lines(buffer, first, first + #new, true)
  local differing = {}
  for i, line in ipairs(new) do
    if line ~= old[i] then
      differing[#differing + 1] = i
    end
  end
  if #differing <= ONE_BY_ONE then
    for _, i in ipairs(differing) do
      rewrite_row(buffer, first + i - 1, old[i], new[i])
    end
    return
  end
  local top, bottom = differing[1], differing[#differing] ---@type integer, integer
  local head = shared_head(old[top], new[top])
  local tail = shared_tail(old[bottom], new[bottom])
  local lines = vim.list_slice(new, top, bottom)
  lines[#lines] = lines[#lines]:sub(1, #lines[#lines] - tail)
  lines[1] = lines[1]:sub(head + 1)
  change.text(buffer, first + top - 1, head, first + bottom - 1, #old[bottom] - tail, lines)
end

--- Parts a row at a column: extmarks behind it go to the new row, and marks on the row stay. Neovim would take those
--- away. So a row is put in below, which moves what is further down, and its line end is put to where the row parts.
---@param buffer integer
---@param row integer
---@param column integer
local function split(buffer, row, column)
  change.insert_rows(buffer, row + 1, { "" })
  change.text(buffer, row, column, row, column, { "", "" })
  change.text(buffer, row + 1, #get_row(buffer, row + 1), row + 2, 0, { "" })
end

--- Notes which windows begin in a row: Neovim has them begin above it where its line end goes.
---@param buffer integer
---@param row integer
---@return fun() restore
local function keep_tops(buffer, row)
  local views = {}
  for _, win in ipairs(vim.fn.win_findbuf(buffer)) do
    local view = api.nvim_win_call(win, vim.fn.winsaveview)
    if view.topline == row + 1 then
      views[win] = { topline = view.topline, topfill = view.topfill, skipcol = view.skipcol }
    end
  end
  return function()
    for win, view in pairs(views) do
      api.nvim_win_call(win, function()
        vim.fn.winrestview(view)
      end)
    end
  end
end

--- Joins a row with the one below: the reverse of `split`.
---@param buffer integer
---@param row integer
local function join(buffer, row)
  local restore = keep_tops(buffer, row)
  change.text(buffer, row, #get_row(buffer, row), row + 1, 0, { "" })
  local column = #get_row(buffer, row)
  change.text(buffer, row, column, row, column, { "", "" })
  change.delete_rows(buffer, row + 1, row + 2)
  restore()
end

--- How many bytes one row shares with the first of some rows at its start, and with the last of them at its end.
---@param row string
---@param rows string[]
---@return integer head
---@return integer tail
local function shared(row, rows)
  local head = shared_head(row, rows[1])
  return head, shared_tail(row:sub(head + 1), rows[#rows])
end

--- Rewrites rows one for one, once those that are more on one side have come or gone below the first `top` of them.
---@param buffer integer
---@param first integer
---@param count integer
---@param new string[]
---@param top integer
local function pair(buffer, first, count, new, top)
  local bottom = math.min(count, #new) - top
  if count < #new then
    change.insert_rows(buffer, first + top, vim.list_slice(new, top + 1, #new - bottom))
  elseif count > #new then
    change.delete_rows(buffer, first + top, first + count - bottom)
  end
  rewrite(buffer, first, new)
end

--- Replaces rows that all differ at both ends of them.
---@param buffer integer
---@param first integer
---@param old string[] at least one
---@param new string[] at least one
local function exchange(buffer, first, old, new)
  local count = #old
  if count > 1 and #new > 1 then
    return pair(buffer, first, count, new, math.min(count, #new) - 1)
  end
  local row = count == 1 and old[1] or new[1]
  local head, tail = shared(row, count == 1 and new or old)
  if count == #new or head == 0 or tail == 0 then
    -- One row goes with the one at the end that it shares text with.
    return pair(buffer, first, count, new, (head > 0 or tail == 0) and 1 or 0)
  elseif count == 1 then
    split(buffer, first, #row - tail)
    return pair(buffer, first, 2, new, 1)
  end
  pair(buffer, first, count, { row:sub(1, #row - tail), row:sub(#row - tail + 1) }, 1)
  join(buffer, first)
end

--- Replaces rows; none at all are put in above `first`. A buffer of which no row is left keeps an empty one.
---@param buffer integer
---@param first integer
---@param last integer exclusive
---@param lines string[]
function M.replace(buffer, first, last, lines)
  local old = api.nvim_buf_get_lines(buffer, first, last, true)
  local head, tail = shared_rows(old, lines)
  local new = vim.list_slice(lines, head + 1, #lines - tail)
  old = vim.list_slice(old, head + 1, #old - tail)
  first = first + head
  if #old > 0 and #new > 0 then
    local stay = change.behind(buffer, first, 0, first + #old - 1, #old[#old])
    exchange(buffer, first, old, new)
    stay(first + #new - 1, #new[#new])
  elseif #new > 0 then
    change.insert_rows(buffer, first, new)
  elseif #old > 0 then
    change.delete_rows(buffer, first, first + #old)
  end
end

return M
