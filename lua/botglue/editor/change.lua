--- Changes a buffer and keeps marks, folds, windows and cursors where they belong: replaces text within rows, inserts
--- or deletes whole rows, splits a row or joins it with the next. Does not check whether text may change now.

local screen = require("botglue.util.text")

local M = {}

local api = vim.api
local KEEP = { keepjumps = true } -- keeps the mark of the user's last change, and the change list
local LOCK = { keepjumps = true, lockmarks = true } -- keeps the marks on the touched rows as well

local pending ---@type fun()? the change that is about to be made

--- Makes the pending change; only the `:lua` command of `change` calls it.
function M.run()
  pending()
end

--- Makes a change; all changes of text are made here. A listener of the buffer may fail, and Neovim raises its error
--- here once the text is written: an answer must not stop half-way because of that.
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

---@param bufnr integer
---@param row integer
---@return integer bytes
local function length(bufnr, row)
  return #api.nvim_buf_get_lines(bufnr, row, row + 1, true)[1]
end

--- Replaces text, with marks locked: Neovim would delete the user's marks on all touched rows, and the mark of the
--- last insertion. Over all its calls the caller must keep the number of rows.
---@param bufnr integer
---@param row integer
---@param from integer
---@param end_row integer
---@param to integer
---@param lines string[]
function M.set_text(bufnr, row, from, end_row, to, lines)
  change(bufnr, LOCK, api.nvim_buf_set_text, row, from, end_row, to, lines)
end

---@param bufnr integer
local function set_lines(bufnr, ...)
  change(bufnr, KEEP, api.nvim_buf_set_lines, ...)
end

--- Keeps the cursor right after a text that is replaced while the user types there: Neovim would move it inside.
---@param bufnr integer
---@param row integer
---@param col integer
---@return fun(row: integer, col: integer) stay to be called with the end of the replacement
function M.behind(bufnr, row, col)
  local is_there = false
  if api.nvim_get_current_buf() == bufnr and vim.fn.mode():match("^[iR]") then
    local at = vim.fn.getpos(".")
    is_there = at[2] == row + 1 and at[3] == col + 1 and at[4] == 0
  end
  return function(new_row, new_col)
    if is_there then
      api.nvim_win_set_cursor(0, { new_row + 1, new_col })
    end
  end
end

--- Replaces text within rows; a user who types right after it, or at the end of the row, stays after it.
---@param bufnr integer
---@param row integer
---@param from integer
---@param end_row integer
---@param to integer
---@param lines string[] as many as there are rows from `row` to `end_row`
function M.text(bufnr, row, from, end_row, to, lines)
  local keeps_cursor = row ~= end_row or from ~= to or to > 0 and to == length(bufnr, row)
  local stay = keeps_cursor and M.behind(bufnr, end_row, to)
  M.set_text(bufnr, row, from, end_row, to, lines)
  if stay then
    stay(end_row, (row == end_row and from or 0) + #lines[#lines])
  end
end

--- Appends text to a row at a screen column, with spaces up to there.
---@param bufnr integer
---@param row integer
---@param from integer
---@param text string
---@param column integer
function M.fill(bufnr, row, from, text, column)
  local width = api.nvim_buf_call(bufnr, function()
    return vim.fn.strdisplaywidth(screen.vim(api.nvim_buf_get_lines(bufnr, row, row + 1, true)[1]))
  end)
  M.text(bufnr, row, from, row, from, { (" "):rep(column - width) .. text })
end

--- Deletes whole rows, but never all rows of the buffer.
---@param bufnr integer
---@param first integer
---@param past integer the row after the last one
function M.delete(bufnr, first, past)
  -- A cursor in these rows goes to the row that moves up; Neovim would keep its line number.
  local cursors = vim.tbl_filter(function(win)
    local row = api.nvim_win_get_cursor(win)[1] - 1
    return past < api.nvim_buf_line_count(bufnr) and row >= first and row < past
  end, vim.fn.win_findbuf(bufnr))
  set_lines(bufnr, first, past, true, {})
  for _, win in ipairs(cursors) do
    api.nvim_win_set_cursor(win, { first + 1, 0 })
  end
end

--- Inserts whole rows above a row. `nvim_buf_set_lines` would put them into a fold that begins there. `append()` does
--- not; but it changes the view of its window, and while the user types anywhere, a fold takes in a single row
--- inserted beside it, as if that was typed: so a second row is inserted above that one and deleted again.
---@param bufnr integer
---@param row integer
---@param lines string[]
function M.insert(bufnr, row, lines)
  local text = vim.tbl_map(screen.vim, lines)
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

--- Splits a row at a column: extmarks after it go to the new row, and the user's marks on the row stay, which Neovim
--- would delete. So an empty row is inserted below first, and then its line end is moved to the column.
---@param bufnr integer
---@param row integer
---@param column integer
function M.split(bufnr, row, column)
  M.insert(bufnr, row + 1, { "" })
  M.set_text(bufnr, row, column, row, column, { "", "" })
  M.set_text(bufnr, row + 1, length(bufnr, row + 1), row + 2, 0, { "" })
end

--- Joins a row with the one below: the reverse of `split`. A window whose top line is the row keeps it: Neovim would
--- scroll that window up when the row's line end is deleted.
---@param bufnr integer
---@param row integer
function M.join(bufnr, row)
  local views = {}
  for _, win in ipairs(vim.fn.win_findbuf(bufnr)) do
    local view = api.nvim_win_call(win, vim.fn.winsaveview)
    if view.topline == row + 1 then
      views[win] = { topline = view.topline, topfill = view.topfill, skipcol = view.skipcol }
    end
  end
  M.set_text(bufnr, row, length(bufnr, row), row + 1, 0, { "" })
  local column = length(bufnr, row)
  M.set_text(bufnr, row, column, row, column, { "", "" })
  M.delete(bufnr, row + 1, row + 2)
  for win, view in pairs(views) do
    api.nvim_win_call(win, function()
      vim.fn.winrestview(view)
    end)
  end
end

return M
