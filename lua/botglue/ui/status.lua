--- Draws the status of jobs at their ranges: rows below the last line, texts beside the last visible lines, and the
--- colour of the range. The host makes all of it for the places that this module reports; drawing never scrolls the
--- user's window.
---
--- Rows are virtual lines below the range, or below the closed fold that holds it, and only as many as do not push
--- the cursor out of the window.

local client = require("botglue.host.client")
local connection = require("botglue.host.connection")
local debounce = require("botglue.util.debounce")
local highlight = require("botglue.ui.highlight")
local windows = require("botglue.ui.geometry")

local M = {}

local api = vim.api
local namespace = api.nvim_create_namespace("botglue.status")

local KEY_DELAY = 100 -- milliseconds from a cursor move or a text change until all is drawn again
local OTHERS_DELAY = 10 -- milliseconds from a change of one status until the others are drawn again
local FLASH = 200 -- milliseconds
local LEAST = 12 -- cells beside a line
local MOST = 5 -- rows beside a range
local PRIORITY = 100

---@alias botglue.Chunks [string, string?][] texts with their highlight groups

---@class botglue.Hung the status of a job at its range
---@field job botglue.Job
---@field bufnr integer where it is drawn
---@field rows botglue.Chunks[]
---@field aside botglue.Chunks[]
---@field mark integer the id of the rows' extmark; the ids of the texts beside follow
---@field drawn botglue.Chunks[]? the rows that are drawn
---@field seen table the place that was last reported to the host

--- Removes what is drawn, until it is drawn again.
---@param hung botglue.Hung
local function hide(hung)
  for i = 0, api.nvim_buf_is_valid(hung.bufnr) and MOST or -1 do
    api.nvim_buf_del_extmark(hung.bufnr, namespace, hung.mark + i)
  end
  hung.drawn = nil
end

--- Whether rows may be added below a line of the current window. Above the cursor: none while the user types or
--- selects, else as many as fit into the window without scrolling.
---@param lnum integer
---@param more integer how many
---@return boolean
local function may_grow(lnum, more)
  if more <= 0 or vim.fn.line(".") <= lnum or lnum < vim.fn.line("w0") then
    return true
  end
  local is_still = api.nvim_get_mode().mode:find("^[nc]") ~= nil
  return is_still and more <= vim.fn.winheight(0) - vim.fn.winline() - vim.o.scrolloff
end

--- Puts the rows below the range.
---@param hung botglue.Hung
---@param last integer its last line
---@param fold_end integer? the last line of the closed fold that holds this one
---@param is_current boolean whether the current window shows the buffer
local function draw_below(hung, last, fold_end, is_current)
  local rows, drawn = hung.rows, hung.drawn
  if is_current and not may_grow(fold_end or last, #rows - #(drawn or {})) then
    if not drawn then
      return
    end
    rows = vim.list_slice(rows, 1, #drawn)
  end
  -- Virtual lines of a line in a closed fold are hidden: so they go above the line after the fold.
  local row = fold_end or last - 1
  if rows ~= drawn or api.nvim_buf_get_extmark_by_id(hung.bufnr, namespace, hung.mark, {})[1] ~= row then
    api.nvim_buf_set_extmark(hung.bufnr, namespace, row, 0, {
      id = hung.mark,
      virt_lines = rows,
      virt_lines_above = fold_end ~= nil,
      priority = PRIORITY,
    })
    hung.drawn = rows
  end
end

--- Shows the texts beside the last visible lines of the range: at the end of a line if they replace rows that are not
--- visible, else at the edge of the window.
---@param hung botglue.Hung
---@param first integer the first visible line
---@param last integer the last one
---@param room integer? the cells beside that line; nil if the rows below the range are visible
local function draw_beside(hung, first, last, room)
  local aside = hung.aside
  for i = 1, MOST do
    local lnum, mark = last - #aside + i, hung.mark + i
    if aside[i] and lnum >= first then
      api.nvim_buf_set_extmark(hung.bufnr, namespace, lnum - 1, 0, {
        id = mark,
        virt_text = aside[i],
        virt_text_pos = not room and "eol_right_align" or room > LEAST and "eol" or "right_align",
        hl_mode = "combine",
        priority = PRIORITY,
      })
    else
      api.nvim_buf_del_extmark(hung.bufnr, namespace, mark)
    end
  end
end

--- Draws a status, and returns where it is visible now. Draws nothing if its place is unknown, in diff mode, where
--- rows would shift one text against the other, or in a review, whose winbar shows the job.
---@param hung botglue.Hung
---@param shown botglue.Window[] the windows that show the buffer
---@return table seen
local function draw(hung, shown)
  local range, review, seen = hung.job.range, connection.review, { id = hung.job.id }
  local at = not (review and review.job == hung.job) and range:place()
  local first, last = range:lines()
  first, last = math.max(first, 1), math.max(last, 1)
  local user, window -- the current window, if it shows the buffer; the window that counts if several show the range
  for _, other in ipairs(shown) do
    at, user = not other.compared and at, other.current and other or user
    -- Or the row right below it.
    if last >= other.topline - 1 and first <= other.botline + 1 then
      seen.columns = math.min(seen.columns or math.huge, other.columns)
      window = (other.current or not window) and other or window
    end
  end
  if not at then
    hide(hung)
    seen.columns = hung.seen.columns
    return seen
  end
  last = math.min(last, api.nvim_buf_line_count(hung.bufnr))
  first = math.min(first, last)
  local fold_end = window and windows.fold_end(window, last)
  draw_below(hung, last, fold_end, user ~= nil)
  if window then
    local top, bottom = math.max(first, window.topline), math.min(last, window.botline)
    local ending = windows.end_of(window, last)
    if bottom >= top and not (hung.drawn and ending and ending < window.bottom) then
      seen.room = math.max(window.columns - vim.fn.virtcol({ bottom, "$" }, false, window.winid), LEAST)
    end
    draw_beside(hung, top, bottom, seen.room)
  end
  local cursor = user and api.nvim_win_get_cursor(user.winid)[1] or 0
  seen.is_here = cursor >= first and cursor <= last
  -- The same for each status that is drawn at one row.
  seen.at = ("%d %d"):format(hung.bufnr, fold_end or last)
  return seen
end

--- Draws each status at its current place, or only some of them.
---@param only table<integer, botglue.Hung>? by job
function M.place(only)
  local shown, told = windows.snapshot(), {}
  for _, hung in vim.spairs(only or connection.hung) do
    local bufnr = hung.job.range.bufnr
    if hung.bufnr ~= bufnr then
      hide(hung)
      hung.bufnr = bufnr
    end
    local seen = draw(hung, shown[bufnr] or {})
    if not vim.deep_equal(seen, hung.seen) then
      hung.seen, told[#told + 1] = seen, seen
    end
  end
  if #told > 0 then
    client.tell("seen", { jobs = told })
  end
end

local place_all = debounce(M.place, OTHERS_DELAY)

--- Follows the windows and the cursor, as long as a status is drawn.
local function watch()
  local function on(events, pause)
    api.nvim_create_autocmd(events, {
      group = api.nvim_create_augroup("botglue.status", { clear = false }),
      desc = "botglue: what hangs at ranges",
      callback = debounce(M.place, pause),
    })
  end
  on({ "WinScrolled", "WinResized", "WinEnter", "BufWinEnter", "TabEnter", "ModeChanged" })
  on({ "CursorMoved", "CursorMovedI", "TextChanged", "TextChangedI" }, KEY_DELAY)
end

---@param hung botglue.Hung
local function drop(hung)
  hide(hung)
  hung.job.range:show()
  connection.hung[hung.job.id] = nil
  if not next(connection.hung) then
    api.nvim_del_augroup_by_name("botglue.status")
  end
end

---@param item table
---@return botglue.Hung?
local function update(item)
  local job, hung = connection.jobs[item.id], connection.hung[item.id]
  if item.gone or not job then
    if hung then
      drop(hung)
    end
    return nil
  elseif not hung then
    if not next(connection.hung) then
      watch()
    end
    local mark = (MOST + 1) * job.id
    hung = { mark = mark, job = job, bufnr = job.range.bufnr, rows = {}, aside = {}, seen = {} }
    connection.hung[item.id] = hung
  end
  hung.rows, hung.aside = item.rows or hung.rows, item.aside or hung.aside
  if item.group ~= nil then
    highlight.define()
    job.range:show(item.group or nil)
  end
  if item.group == "BotglueFlash" then
    vim.defer_fn(function()
      job.range:show()
    end, FLASH)
  end
  return hung
end

--- Applies the host's changes.
---@param items table[] `Hung` in src/ui/status.rs
function M.hang(items)
  local changed, is_all = {}, false
  for _, item in ipairs(items) do
    changed[item.id] = update(item)
    -- This may move what is drawn for other jobs.
    is_all = is_all or item.gone or item.group ~= nil
  end
  M.place(changed)
  if is_all then
    place_all()
  end
end

-- The host is gone: removes each status.
table.insert(connection.hooks.lost, function()
  vim.iter(vim.tbl_values(connection.hung)):each(drop)
end)

return M
