--- What hangs at the ranges of jobs: rows below the last line, texts beside the last ones that are visible, and the
--- colour of the range. The host makes all of it for the places that are reported here; nothing of the user's moves
--- when it is drawn.
---
--- Rows are virtual lines below the range, or below the closed fold with it, as far as they push the cursor not out of
--- the window.

local client = require("botglue.host.client")
local connection = require("botglue.host.connection")
local debounce = require("botglue.util.debounce")
local highlight = require("botglue.ui.highlight")
local windows = require("botglue.ui.windows")

local M = {}

local api = vim.api
local namespace = api.nvim_create_namespace("botglue.status")

local PAUSE = 100 -- milliseconds from a key that changes no window to the next look
local SOON = 10 -- milliseconds from a change to the next look at what else hangs
local FLASH = 200 -- milliseconds
local LEAST = 12 -- cells beside a line
local MOST = 5 -- rows beside a range
local PRIORITY = 100

---@alias botglue.Chunks [string, string?][] texts with their highlight groups

---@class botglue.Hung
---@field job botglue.Job
---@field bufnr integer where it is drawn
---@field rows botglue.Chunks[]
---@field aside botglue.Chunks[]
---@field mark integer that of the rows; those of the texts beside follow
---@field drawn botglue.Chunks[]? the rows that are drawn
---@field seen table what the host knows of its place

---@class botglue.HungPlace
---@field first integer
---@field last integer
---@field user botglue.Window? the current window, if it shows the buffer
---@field window botglue.Window? the one that counts where those that show the range differ
---@field columns integer? of the narrowest of them
---@field fold_end integer? the last line of the closed fold that holds the last one

--- The place of a range; none where nothing is drawn: its place is not known, the buffer is compared with another one,
--- against which rows below a range would shift it, or it is under review, which says whose it is.
---@param hung botglue.Hung
---@param shown botglue.Window[] the windows that show the buffer
---@return botglue.HungPlace?
local function place_of(hung, shown)
  local range, review = hung.job.range, connection.review
  local at = not (review and review.job == hung.job) and range:place()
  if not at then
    return nil
  end
  local first, last = range:lines_of(at)
  last = math.min(math.max(last, 1), api.nvim_buf_line_count(range.bufnr))
  local place = { first = math.min(math.max(first, 1), last), last = last }
  for _, window in ipairs(shown) do
    if window.compared then
      return nil
    end
    place.user = window.current and window or place.user
    -- Or what stands right below it.
    if last >= window.topline - 1 and place.first <= window.botline + 1 then
      place.columns = math.min(place.columns or math.huge, window.columns)
      place.window = (window.current or not place.window) and window or place.window
    end
  end
  place.fold_end = place.window and windows.fold_end(place.window, last)
  return place
end

--- Takes away what is drawn, until it is drawn again.
---@param hung botglue.Hung
local function hide(hung)
  for i = 0, api.nvim_buf_is_valid(hung.bufnr) and MOST or -1 do
    api.nvim_buf_del_extmark(hung.bufnr, namespace, hung.mark + i)
  end
  hung.drawn = nil
end

--- Whether rows below a line may be that many more: above the cursor none while the user types or selects, else as many
--- as the window has room for without scrolling.
---@param window botglue.Window
---@param lnum integer
---@param more integer
---@return boolean
local function may_grow(window, lnum, more)
  local cursor = vim.fn.line(".")
  if more <= 0 or cursor <= lnum or lnum < window.topline then
    return true
  end
  local ending = windows.end_of(window, cursor)
  local is_still = api.nvim_get_mode().mode:find("^[nc]") ~= nil
  return is_still and ending ~= nil and more <= window.bottom - vim.o.scrolloff - ending
end

--- Puts the rows below the range.
---@param hung botglue.Hung
---@param place botglue.HungPlace
local function draw_below(hung, place)
  local fold_end, rows, drawn = place.fold_end, hung.rows, hung.drawn
  local lnum = fold_end or place.last
  if place.user and not may_grow(place.user, lnum, #rows - #(drawn or {})) then
    if not drawn then
      return
    end
    rows = vim.list_slice(rows, 1, #drawn)
  end
  -- What hangs on a line in a fold is folded away with it.
  local row = fold_end or lnum - 1
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

--- Shows the texts beside the last visible lines of the range: in place of rows that are not seen at the end of the
--- line, else at the edge of the window.
---@param hung botglue.Hung
---@param place botglue.HungPlace
---@return integer? room in cells, in place of rows that are not seen
local function draw_beside(hung, place)
  local window, aside, room, pos = place.window, hung.aside, nil, "eol_right_align"
  local last = window and math.min(place.last, window.botline) or 0
  local first = window and math.max(place.first, window.topline) or 1
  local ending = window and windows.end_of(window, place.last)
  if window and last >= first and not (hung.drawn and ending and ending < window.bottom) then
    room = math.max(window.columns - vim.fn.virtcol({ last, "$" }, false, window.winid), LEAST)
    pos = room > LEAST and "eol" or "right_align"
  end
  for i = 1, MOST do
    local lnum, mark = last - #aside + i, hung.mark + i
    if aside[i] and lnum >= first then
      api.nvim_buf_set_extmark(hung.bufnr, namespace, lnum - 1, 0, {
        id = mark,
        virt_text = aside[i],
        virt_text_pos = pos,
        hl_mode = "combine",
        priority = PRIORITY,
      })
    else
      api.nvim_buf_del_extmark(hung.bufnr, namespace, mark)
    end
  end
  return room
end

--- Draws it, and returns where it is seen now.
---@param hung botglue.Hung
---@param shown botglue.Window[]
---@return table seen
local function draw(hung, shown)
  local place = place_of(hung, shown)
  if not place then
    hide(hung)
    return { id = hung.job.id, columns = hung.seen.columns }
  end
  draw_below(hung, place)
  local cursor = place.user and api.nvim_win_get_cursor(place.user.winid)[1] or 0
  return {
    id = hung.job.id,
    columns = place.columns,
    room = draw_beside(hung, place),
    is_here = cursor >= place.first and cursor <= place.last,
    -- What hangs on one row has the same.
    at = ("%d %d"):format(hung.bufnr, place.fold_end or place.last),
  }
end

--- Draws everything where it belongs now, or only some of it.
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

local place_all = debounce(M.place, SOON)

--- Follows the windows and the cursor, as long as anything hangs.
local function watch()
  local function on(events, pause)
    api.nvim_create_autocmd(events, {
      group = api.nvim_create_augroup("botglue.status", { clear = false }),
      desc = "botglue: what hangs at ranges",
      callback = debounce(M.place, pause),
    })
  end
  on({ "WinScrolled", "WinResized", "WinEnter", "BufWinEnter", "TabEnter", "ModeChanged" })
  on({ "CursorMoved", "CursorMovedI", "TextChanged", "TextChangedI" }, PAUSE)
end

---@param id integer
---@param hung botglue.Hung
local function drop(id, hung)
  hide(hung)
  hung.job.range:show()
  connection.hung[id] = nil
  if not next(connection.hung) then
    api.nvim_del_augroup_by_name("botglue.status")
  end
end

---@param item table
---@return botglue.Hung?
local function take(item)
  local job, hung = connection.jobs[item.id], connection.hung[item.id]
  if item.gone or not job then
    if hung then
      drop(item.id, hung)
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

--- Takes what changes.
---@param items table[] `Hung` in src/ui/status.rs
function M.hang(items)
  local changed, is_all = {}, false
  for _, item in ipairs(items) do
    changed[item.id] = take(item)
    -- Other things may be seen elsewhere by that.
    is_all = is_all or item.gone or item.group ~= nil
  end
  M.place(changed)
  if is_all then
    place_all()
  end
end

-- The host is gone: nothing hangs any more.
table.insert(connection.hooks.lost, function()
  for id, hung in pairs(vim.tbl_extend("error", {}, connection.hung)) do
    drop(id, hung)
  end
end)

return M
