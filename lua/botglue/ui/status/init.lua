--- What hangs at the ranges of jobs: rows below the last one, a text beside it where those are out of sight, the newest
--- tools, and the colour of the range. The host makes all of it, for the width that this module reports; here it gets
--- its place among the user's windows.

local block = require("botglue.ui.status.block")
local client = require("botglue.host.client")
local connection = require("botglue.host.connection")
local debounce = require("botglue.util.debounce")
local highlight = require("botglue.ui.highlight")
local tools = require("botglue.ui.status.tools")
local windows = require("botglue.ui.windows")

local M = {}

local api = vim.api
local PAUSE = 100 -- milliseconds from a key that changes no window to the next look
local MOST = 3 -- lines of ended jobs below one row; then a line says how many more there are

---@alias botglue.Chunks [string, string?][] texts with their highlight groups

---@class botglue.Hung
---@field job botglue.Job
---@field block botglue.Block
---@field rows botglue.Chunks[]
---@field aside botglue.Chunks|false|nil
---@field tools botglue.Chunks[]
---@field ended boolean
---@field waits boolean whether the host wants to know when the cursor is in the range
---@field unhighlight fun()
---@field told string what the host knows of where it is seen

---@class botglue.HungItem what is to change
---@field id integer of the job
---@field gone boolean?
---@field rows botglue.Chunks[]?
---@field aside botglue.Chunks|false|nil
---@field tools botglue.Chunks[]?
---@field ended boolean?
---@field flash boolean? what is in the place of the range is highlighted for a moment
---@field waits boolean?

local function nothing() end

--- The first and the last line of a range, clipped to the buffer.
---@param range botglue.Range
---@return integer first
---@return integer last
local function lines_of(range)
  local first, last = range:lines()
  local count = api.nvim_buf_line_count(range.bufnr)
  last = math.min(math.max(last, 1), count)
  return math.min(math.max(first, 1), last), last
end

---@class botglue.HungPlace where something hangs
---@field first integer
---@field last integer
---@field shown botglue.Window[] the windows that show the buffer
---@field columns integer? of the narrowest one that shows the range
---@field main botglue.Window? the one that counts where they differ

--- The place of a range; none where nothing is drawn: its place is not known, the buffer is beside its proposal, where
--- rows below a range would shift it against that, or the answer is under review, which says whose it is.
---@param hung botglue.Hung
---@param shown table<integer, botglue.Window[]>
---@return botglue.HungPlace?
local function place_of(hung, shown)
  local range = hung.job.range
  local review = connection.review
  if not api.nvim_buf_is_loaded(range.bufnr) or not range:place() then
    return nil
  elseif connection.compared == range.bufnr or review and review.job == hung.job then
    return nil
  end
  local first, last = lines_of(range)
  local place = { first = first, last = last, shown = shown[range.bufnr] or {} }
  for _, window in ipairs(place.shown) do
    -- Or what stands right below it.
    if last >= window.topline - 1 and first <= window.botline + 1 then
      place.columns = math.min(place.columns or math.huge, windows.columns(window))
      place.main = (window.current or not place.main) and window or place.main
    end
  end
  return place
end

--- Takes away what is drawn, until it is drawn again.
---@param hung botglue.Hung
local function hide(hung)
  tools.close(hung)
  hung.block:clear()
end

--- The line beside which a text stands because the rows below are not seen.
---@param hung botglue.Hung
---@param place botglue.HungPlace
---@return integer?
local function line_beside(hung, place)
  local window = place.main
  if not window or hung.block:is_seen(place.last, window) then
    return nil
  end
  local lnum = math.min(place.last, window.botline)
  return lnum >= math.max(place.first, window.topline) and lnum or nil
end

--- Draws it, and returns what the host does not know of where it is seen.
---@param hung botglue.Hung
---@param place botglue.HungPlace
---@param rows botglue.Chunks[]
---@return { id: integer, columns: integer?, room: integer?, visited: boolean? }?
local function draw(hung, place, rows)
  -- The first time it is drawn all the same, so that its height is there before it is seen.
  if place.columns or hung.ended or not hung.block.mark then
    hung.block:below(place.last, rows, place.shown, place.main)
  end
  local lnum = line_beside(hung, place)
  local room = lnum and block.room(place.main, lnum)
  hung.block:beside(lnum, place.main, hung.aside or nil)
  tools.update(hung, place)
  local visited = nil
  if hung.waits and api.nvim_get_current_buf() == hung.job.range.bufnr then
    local at = api.nvim_win_get_cursor(0)[1]
    visited = at >= place.first and at <= place.last or nil
  end
  local told = ("%s %s"):format(place.columns or "-", room or "-")
  if told == hung.told and not visited then
    return nil
  end
  hung.told = told
  return { id = hung.job.id, columns = place.columns, room = room, visited = visited }
end

--- The rows of jobs that have ended, of which several hang on one row: Neovim does not order the virtual lines of
--- several marks, so the newest draws them all.
---@param places table<botglue.Hung, botglue.HungPlace>
---@return table<botglue.Hung, botglue.Chunks[]>
local function stacked(places)
  local stacks, rows = {}, {}
  for hung, place in pairs(places) do
    if hung.ended then
      local at = block.anchor(place.last, place.main)
      local key = ("%d %d %s"):format(hung.job.range.bufnr, at.row, at.above)
      stacks[key] = stacks[key] or {}
      table.insert(stacks[key], hung)
    end
  end
  for _, stack in pairs(stacks) do
    table.sort(stack, function(a, b)
      return a.job.id > b.job.id
    end)
    local all = {}
    for i, hung in ipairs(stack) do
      all[i], rows[hung] = hung.rows[1], {}
    end
    if #all > MOST then
      all = vim.list_slice(all, 1, MOST)
      all[MOST + 1] = { { ("%d more"):format(#stack - MOST), "BotgluePrompt" } }
    end
    rows[stack[1]] = all
  end
  return rows
end

--- Draws everything where it belongs now, or only some of it.
---@param only table<integer, botglue.Hung>? by job, of jobs that go on
function M.place(only)
  local shown, places, seen, all = windows.snapshot(), {}, {}, only or connection.hung
  for _, hung in pairs(all) do
    local bufnr = hung.job.range.bufnr
    if hung.block.bufnr ~= bufnr then
      hide(hung)
      hung.block = block.new(bufnr)
    end
    places[hung] = place_of(hung, shown)
  end
  local rows = stacked(places)
  for _, hung in vim.spairs(all) do
    local place = places[hung]
    if place then
      seen[#seen + 1] = draw(hung, place, rows[hung] or hung.rows)
    else
      hide(hung)
    end
  end
  if #seen > 0 and connection.process then
    connection.process:notify("seen", { jobs = seen })
  end
end

--- Follows the windows and the cursor, as long as anything hangs.
local function watch()
  local now, soon = debounce(M.place), debounce(M.place, PAUSE)
  local group = api.nvim_create_augroup("botglue.status", { clear = true })
  local function on(events, callback)
    api.nvim_create_autocmd(
      events,
      { group = group, desc = "botglue: what hangs at ranges", callback = callback }
    )
  end
  on({ "WinScrolled", "WinResized", "WinEnter", "BufWinEnter", "TabEnter", "ModeChanged" }, now)
  on({ "CursorMoved", "CursorMovedI", "TextChanged", "TextChangedI" }, soon)
end

---@param id integer
---@param hung botglue.Hung
local function drop(id, hung)
  hide(hung)
  hung.unhighlight()
  connection.hung[id] = nil
  if not next(connection.hung) then
    api.nvim_del_augroup_by_name("botglue.status")
  end
end

---@param item botglue.HungItem
---@return botglue.Hung? hung none where other things may hang elsewhere by that
local function take(item)
  local job, hung = client.job(item.id), connection.hung[item.id]
  if item.gone or not job then
    if hung then
      drop(item.id, hung)
    end
    return nil
  end
  if not hung then
    if not next(connection.hung) then
      watch()
    end
    hung = {
      job = job,
      block = block.new(job.range.bufnr),
      rows = {},
      tools = {},
      told = "",
      unhighlight = nothing,
    }
    connection.hung[item.id] = hung
  end
  for _, field in ipairs({ "rows", "aside", "tools", "ended", "waits" }) do
    if item[field] ~= nil then
      hung[field] = item[field]
    end
  end
  if item.ended ~= nil then
    hung.unhighlight()
    hung.unhighlight = not item.ended and highlight.range(job.range)
      or item.flash and highlight.flash(job.range)
      or nothing
  end
  return not hung.ended and hung or nil
end

--- Takes what changes.
---@param items botglue.HungItem[]
function M.hang(items)
  local moving, is_all = {}, false
  for _, item in ipairs(items) do
    moving[item.id] = take(item)
    is_all = is_all or not moving[item.id]
  end
  M.place(not is_all and moving or nil)
end

--- The marks of the range of a job were moved.
---@param job botglue.Job
function M.moved(job)
  local hung = connection.hung[job.id]
  if hung and not hung.ended then
    hung.unhighlight()
    hung.unhighlight = highlight.range(job.range)
  end
end

--- The host is gone: nothing hangs any more.
function M.host_lost()
  for id, hung in pairs(vim.tbl_extend("error", {}, connection.hung)) do
    drop(id, hung)
  end
end

return M
