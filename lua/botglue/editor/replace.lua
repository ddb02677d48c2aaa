--- The smallest edits: rows and parts of rows become others, and only what differs is touched, so that marks, folds and
--- the ranges of other jobs stay on the rest. Knows no jobs; whether text may change now is not asked here.

local M = {}

local api = vim.api

local ONE_BY_ONE = 50 -- rows; more are replaced in one piece, which takes less time

---@param bufnr integer
---@param row integer
---@return string
local function get_row(bufnr, row)
  return api.nvim_buf_get_lines(bufnr, row, row + 1, true)[1]
end

--- Whether there is nothing in a buffer but the one empty row that it keeps.
---@param bufnr integer
---@return boolean
function M.is_empty(bufnr)
  return api.nvim_buf_line_count(bufnr) == 1 and get_row(bufnr, 0) == ""
end

--- Changes text. Who listens to a buffer may fail, and Neovim raises their error here when the text is written
--- already: an answer must not stop half-way for it.
---@param bufnr integer
---@param fn fun(...)
local function change(bufnr, fn, ...)
  local tick = api.nvim_buf_get_changedtick(bufnr)
  local ok, err = pcall(fn, bufnr, ...)
  if not ok and api.nvim_buf_get_changedtick(bufnr) == tick then
    error(err, 0)
  end
end

---@param bufnr integer
local function set_text(bufnr, ...)
  change(bufnr, api.nvim_buf_set_text, ...)
end

local locked ---@type fun()? what is about to run with locked marks

--- Runs that; for the command alone.
function M.run_locked()
  locked()
end

--- Puts text into rows that stay as many as they are, and where they are. Neovim before 0.12 takes the user's marks on
--- all rows that are touched away, and where the last insertion was: so they are locked.
---@param bufnr integer
---@param row integer
---@param from integer
---@param end_row integer
---@param to integer
---@param lines string[] as many as there are rows from `row` to `end_row`
function M.text(bufnr, row, from, end_row, to, lines)
  local ok, err
  locked = function()
    ok, err = pcall(set_text, bufnr, row, from, end_row, to, lines)
  end
  local run = "require('botglue.editor.replace').run_locked()"
  api.nvim_cmd({ cmd = "lua", args = { run }, mods = { lockmarks = true } }, {})
  if not ok then
    error(err, 0)
  end
end

---@param bufnr integer
local function set_lines(bufnr, ...)
  change(bufnr, api.nvim_buf_set_lines, ...)
end

--- Whoever types right behind a text stays behind what replaces it: Neovim takes that place for one within.
---@param bufnr integer
---@param row integer where the text begins
---@param col integer
---@param end_row integer
---@param end_col integer
---@return fun(row: integer, col: integer) stay to be called with where it ends afterwards
function M.behind(bufnr, row, col, end_row, end_col)
  local is_empty = row == end_row and col == end_col
  if is_empty or api.nvim_get_current_buf() ~= bufnr or not vim.fn.mode():match("^[iR]") then
    return function() end
  end
  local at = vim.fn.getpos(".")
  local is_there = at[2] == end_row + 1 and at[3] == end_col + 1 and at[4] == 0
  return function(new_row, new_col)
    if is_there then
      api.nvim_win_set_cursor(0, { new_row + 1, new_col })
    end
  end
end

---@param byte integer?
local function is_inside_character(byte)
  return byte ~= nil and byte >= 0x80 and byte < 0xC0
end

--- How many bytes two texts share at their start, in whole characters.
---@param one string
---@param other string
---@return integer
function M.shared_head(one, other)
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
function M.shared_tail(one, other)
  local shorter, tail = math.min(#one, #other), 0
  while tail < shorter and one:byte(#one - tail) == other:byte(#other - tail) do
    tail = tail + 1
  end
  while tail > 0 and is_inside_character(one:byte(#one - tail + 1)) do
    tail = tail - 1
  end
  return tail
end

--- Replaces a part of a row, and of that only what differs: what stands on the rest of it stays there.
---@param bufnr integer
---@param row integer
---@param from integer
---@param to integer
---@param text string
function M.part(bufnr, row, from, to, text)
  local old = get_row(bufnr, row):sub(from + 1, to)
  if old ~= text then
    local head = M.shared_head(old, text)
    local tail = M.shared_tail(old:sub(head + 1), text:sub(head + 1))
    local stay = M.behind(bufnr, row, from, row, to)
    M.text(bufnr, row, from + head, row, to - tail, { text:sub(head + 1, #text - tail) })
    stay(row, from + #text)
  end
end

--- Deletes whole rows. At the end of a buffer there is no row below that could come up; a buffer keeps one empty row.
---@param bufnr integer
---@param first integer
---@param past integer the row behind the last one
local function delete_rows(bufnr, first, past)
  if past < api.nvim_buf_line_count(bufnr) then
    -- A cursor in them goes to the row that comes up, and not to one as far down as it was.
    local cursors = vim.tbl_filter(function(win)
      local row = api.nvim_win_get_cursor(win)[1] - 1
      return row >= first and row < past
    end, vim.fn.win_findbuf(bufnr))
    set_lines(bufnr, first, past, true, {})
    for _, win in ipairs(cursors) do
      api.nvim_win_set_cursor(win, { first + 1, 0 })
    end
  elseif first > 0 then
    set_lines(bufnr, first, past, true, {})
  else
    set_text(bufnr, 0, 0, past - 1, #get_row(bufnr, past - 1), { "" })
  end
end

--- Puts whole rows in above one. For `nvim_buf_set_lines` they are within a fold that begins there. `append()` leaves
--- it as it is; but it does not keep the view of the window that it runs in, and while somebody types anywhere a fold
--- takes a single row beside it in, as one that was typed: so another one comes above that, and goes again.
---@param bufnr integer
---@param row integer
---@param lines string[]
local function insert_rows(bufnr, row, lines)
  local text = vim.tbl_map(function(line)
    return (line:gsub("%z", "\n")) -- which for Vim's functions is a NUL
  end, lines)
  local is_single = #lines == 1 and vim.fn.mode():match("^[iR]") ~= nil
  if is_single then
    table.insert(text, 1, "")
  end
  api.nvim_buf_call(bufnr, function()
    local view = vim.fn.winsaveview()
    local top = view.topline > row + 1 and view.topline + #lines or view.topline
    change(bufnr, function()
      vim.fn.append(row, text)
    end)
    if is_single then
      set_lines(bufnr, row, row + 1, true, {})
    end
    vim.fn.winrestview({ topline = top, topfill = view.topfill, skipcol = view.skipcol })
  end)
end

--- Replaces whole rows; none at all are inserted above `first`.
---@param bufnr integer
---@param first integer
---@param past integer the row behind the last one
---@param lines string[]
function M.rows(bufnr, first, past, lines)
  if #lines == 0 then
    delete_rows(bufnr, first, past)
  elseif #lines == past - first and #lines <= ONE_BY_ONE then
    for i, line in ipairs(lines) do
      local row = first + i - 1
      M.part(bufnr, row, 0, #get_row(bufnr, row), line)
    end
  elseif first == past then
    insert_rows(bufnr, first, lines)
  else
    local to = #get_row(bufnr, past - 1)
    local stay = M.behind(bufnr, first, 0, past - 1, to)
    set_text(bufnr, first, 0, past - 1, to, lines)
    stay(first + #lines - 1, #lines[#lines])
  end
end

--- How many entries two lists share at their start and at their end.
---@param one string[]
---@param other string[]
---@return integer head
---@return integer tail
function M.shared(one, other)
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

return M
