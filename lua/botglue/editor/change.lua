--- The changes of a buffer that leave marks, folds, windows and cursors where they belong: text within rows, whole rows
--- put in, whole rows deleted. Does not check whether text may change now.

local M = {}

local api = vim.api

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

local KEEP = { keepjumps = true } -- where the user's last change was, and the list of the changes before it
local LOCK = { keepjumps = true, lockmarks = true } -- and the marks on the rows that are touched

local pending ---@type fun()? the change that is about to be made

--- Makes it; for the command alone.
function M.run()
  pending()
end

--- Changes text; all changes are made here. Who listens to a buffer may fail, and Neovim raises their error here when
--- the text is written already: an answer must not stop half-way for it.
---@param bufnr integer
---@param mods table<string, true>
---@param fn fun(...)
local function change(bufnr, mods, fn, ...)
  local tick, arguments = api.nvim_buf_get_changedtick(bufnr), { ... }
  local ok, err
  pending = function()
    ok, err = pcall(fn, bufnr, unpack(arguments))
  end
  api.nvim_cmd({ cmd = "lua", args = { "require('botglue.editor.change').run()" }, mods = mods }, {})
  if not ok and api.nvim_buf_get_changedtick(bufnr) == tick then
    error(err, 0)
  end
end

--- Puts text into rows that stay as many as they are, and where they are. Neovim takes the user's marks on all rows
--- that are touched away, and where the last insertion was: so they are locked.
---@param bufnr integer
---@param row integer
---@param from integer
---@param end_row integer
---@param to integer
---@param lines string[] as many as there are rows from `row` to `end_row`
function M.text(bufnr, row, from, end_row, to, lines)
  change(bufnr, LOCK, api.nvim_buf_set_text, row, from, end_row, to, lines)
end

---@param bufnr integer
local function set_lines(bufnr, ...)
  change(bufnr, KEEP, api.nvim_buf_set_lines, ...)
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

--- Deletes whole rows. At the end of a buffer there is no row below that could come up; a buffer keeps one empty row.
---@param bufnr integer
---@param first integer
---@param past integer the row behind the last one
function M.delete_rows(bufnr, first, past)
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
    change(bufnr, KEEP, api.nvim_buf_set_text, 0, 0, past - 1, #get_row(bufnr, past - 1), { "" })
  end
end

--- Puts whole rows in above one. For `nvim_buf_set_lines` they are within a fold that begins there. `append()` leaves
--- it as it is; but it does not keep the view of the window that it runs in, and while somebody types anywhere a fold
--- takes a single row beside it in, as one that was typed: so another one comes above that, and goes again.
---@param bufnr integer
---@param row integer
---@param lines string[]
function M.insert_rows(bufnr, row, lines)
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
    change(bufnr, KEEP, function()
      vim.fn.append(row, text)
    end)
    if is_single then
      set_lines(bufnr, row, row + 1, true, {})
    end
    vim.fn.winrestview({ topline = top, topfill = view.topfill, skipcol = view.skipcol })
  end)
end

return M
