--- The lines of jobs that have ended: how long one stays below its range, and how many of them there are on one row.
--- Neovim draws the virtual lines of several marks on one row in no certain order, so the newest job draws them all.

local block = require("botglue.ui.block")
local client = require("botglue.client")
local line = require("botglue.ui.line")
local outcome = require("botglue.ui.outcome")

local M = {}

local api = vim.api
local MOST = 3 -- lines below one row; then a line says how many more there are

--- The views of ended jobs whose lines hang on a row, the newest first.
---@param view botglue.View one of them
---@return botglue.View[]
local function on_row(view)
  local bufnr, found = view.block.bufnr, {}
  if not api.nvim_buf_is_loaded(bufnr) then
    return found
  end
  local known, row = client.connection().outcomes[bufnr] or {}, view.block:row()
  for _, mark in ipairs(row and block.marks(bufnr, row) or {}) do
    found[#found + 1] = known[mark]
  end
  table.sort(found, function(a, b)
    return a.job.id > b.job.id
  end)
  return found
end

--- Draws the others on the row of a view.
---@param view botglue.View
---@param views botglue.View[]
local function draw_others(view, views)
  for _, other in ipairs(views) do
    if other ~= view then
      other:draw()
    end
  end
end

--- The lines that the mark of an ended job draws: all of its row, or none.
---@param view botglue.View
---@param width integer
---@return [string, string][][]
function M.rows(view, width)
  local views = on_row(view)
  if #views == 0 then
    return { line.chunks(view.job, 0, width) }
  elseif views[1] ~= view then
    return {}
  end
  local rows = {}
  for rank = 1, math.min(#views, MOST) do
    rows[rank] = line.chunks(views[rank].job, 0, width)
  end
  if #views > MOST then
    rows[#rows + 1] = outcome.more(#views - MOST)
  end
  return rows
end

--- Counts the line of a job that has ended now.
---@param view botglue.View
function M.add(view)
  local bufnr, mark = view.block.bufnr, view.block.mark
  if mark and api.nvim_buf_is_loaded(bufnr) then
    local outcomes = client.connection().outcomes
    outcomes[bufnr] = outcomes[bufnr] or {}
    outcomes[bufnr][mark] = view
    view:draw()
    draw_others(view, on_row(view))
  end
end

--- The line of a job is taken away.
---@param view botglue.View
---@param take_away fun()
function M.remove(view, take_away)
  local outcomes, bufnr, mark = client.connection().outcomes, view.block.bufnr, view.block.mark
  if not mark or not (outcomes[bufnr] or {})[mark] then
    take_away()
    return
  end
  local views = on_row(view)
  outcomes[bufnr][mark] = nil
  outcomes[bufnr] = next(outcomes[bufnr]) and outcomes[bufnr] or nil
  take_away()
  draw_others(view, views)
end

--- Whether the user is in the lines of a range.
---@param view botglue.View
---@return boolean
local function is_visited(view)
  local first, last = view:lines()
  local lnum = api.nvim_win_get_cursor(0)[1]
  return api.nvim_get_current_buf() == view.job.range.bufnr and lnum >= first and lnum <= last
end

--- Lets a line go after a while; that of a failure once the cursor has been there for so long.
---@param view botglue.View
---@param group integer of its autocommands
function M.expire(view, group)
  local function start()
    view.expiry = vim.defer_fn(function()
      view:close()
    end, view.job.options.status.outcome * 1000)
  end
  if view.job.status ~= "failed" or is_visited(view) then
    start()
    return
  end
  api.nvim_create_autocmd({ "CursorMoved", "CursorMovedI", "WinEnter", "BufEnter" }, {
    group = group,
    desc = "botglue: the line of a failed job, once it was seen",
    callback = function()
      if is_visited(view) then
        start()
        return true
      end
    end,
  })
end

return M
