--- The changes of a buffer that leave marks, folds, windows and cursors where they belong: text within rows, whole rows
--- put in or deleted, a row split or joined with the next. Does not check whether text may change now.

local screen = require("botglue.util.text")

local M = {}

local api = vim.api
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

---@param bufnr integer
---@param row integer
---@return integer bytes
local function length(bufnr, row)
  return #api.nvim_buf_get_lines(bufnr, row, row + 1, true)[1]
end

--- Puts text into rows that stay as many as they are, and where they are. Neovim takes the user's marks on all rows
--- that are touched away, and where the last insertion was: so they are locked.
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

--- Whoever types right behind a text stays behind what replaces it: Neovim takes that place for one within.
---@param bufnr integer
---@param row integer
---@param col integer
---@return fun(row: integer, col: integer) stay to be called with where it is afterwards
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

--- Puts text into rows; who types right behind it, or at the end of the row, goes on behind it.
---@param bufnr integer
---@param row integer
---@param from integer
---@param end_row integer
---@param to integer
---@param lines string[] as many as there are rows from `row` to `end_row`
function M.text(bufnr, row, from, end_row, to, lines)
  local is_part = row ~= end_row or from ~= to or to > 0 and to == length(bufnr, row)
  local stay = is_part and M.behind(bufnr, end_row, to)
  M.set_text(bufnr, row, from, end_row, to, lines)
  if stay then
    stay(end_row, (row == end_row and from or 0) + #lines[#lines])
  end
end

--- Puts text behind a row, which is filled up with spaces to a column of the screen.
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

--- Deletes whole rows, not all of them.
---@param bufnr integer
---@param first integer
---@param past integer the row behind the last one
function M.delete(bufnr, first, past)
  -- A cursor in them goes to the row that comes up, and not to one as far down as it was.
  local cursors = vim.tbl_filter(function(win)
    local row = api.nvim_win_get_cursor(win)[1] - 1
    return past < api.nvim_buf_line_count(bufnr) and row >= first and row < past
  end, vim.fn.win_findbuf(bufnr))
  set_lines(bufnr, first, past, true, {})
  for _, win in ipairs(cursors) do
    api.nvim_win_set_cursor(win, { first + 1, 0 })
  end
end

--- Puts whole rows in above one. For `nvim_buf_set_lines` they are within a fold that begins there. `append()` leaves
--- it as it is; but it does not keep the view of the window that it runs in, and while somebody types anywhere a fold
--- takes a single row beside it in, as one that was typed: so another one comes above that, and goes again.
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

--- Splits a row at a column: extmarks behind it go to the new row, and marks on the row stay. Neovim would take those
--- away. So a row is put in below, which moves what is further down, and its line end is put to where the row parts.
---@param bufnr integer
---@param row integer
---@param column integer
function M.split(bufnr, row, column)
  M.insert(bufnr, row + 1, { "" })
  M.set_text(bufnr, row, column, row, column, { "", "" })
  M.set_text(bufnr, row + 1, length(bufnr, row + 1), row + 2, 0, { "" })
end

--- Joins a row with the one below: the reverse of `split`. A window that begins in the row stays there: Neovim has it
--- begin above it where its line end goes.
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
