--- Draws hunks as marks in a buffer: deleted rows are highlighted, new rows are virtual lines, and their labels are
--- above them. Only hunks near a window are drawn.

local at = require("botglue.ui.review.at")
local cells = require("botglue.ui.review.cells")
local head = require("botglue.ui.review.head")

local M = {}

local api = vim.api

local ROWS, WORDS = 190, 191 -- priorities; that of a selection is higher

---@class botglue.Picture what is to be drawn
---@field bufnr integer
---@field hunks botglue.Hunk[]
---@field gone botglue.DroppedHunk[]
---@field head botglue.Head
---@field row integer where the head line is without hunks

---@class botglue.VirtualAnchor
---@field row integer
---@field above boolean

---@class botglue.Canvas
---@field picture botglue.Picture
---@field pane botglue.ReviewPane
local Canvas = {}
Canvas.__index = Canvas

---@param row integer
---@param col integer
---@param opts vim.api.keyset.set_extmark
function Canvas:mark(row, col, opts)
  -- One that undo brought back would be where the text was.
  opts.undo_restore = false
  api.nvim_buf_set_extmark(self.picture.bufnr, self.pane.namespace, row, col, opts)
end

---@param anchor botglue.VirtualAnchor
---@param lines botglue.Chunks[]
---@param opts vim.api.keyset.set_extmark
function Canvas:lines(anchor, lines, opts)
  if #lines > 0 then
    opts.virt_lines, opts.virt_lines_above = lines, anchor.above
    self:mark(anchor.row, 0, opts)
  end
end

--- Whether the buffer has no text. Its one empty row is not drawn as deleted.
---@return boolean
function Canvas:is_empty()
  local bufnr = self.picture.bufnr
  return api.nvim_buf_line_count(bufnr) == 1 and api.nvim_buf_get_lines(bufnr, 0, 1, false)[1] == ""
end

--- The place of the new rows: below the deleted ones, or below the row above them.
---@param hunk botglue.Hunk|botglue.DroppedHunk
---@return botglue.VirtualAnchor
function Canvas:below(hunk)
  local past = hunk.first + hunk.count
  if past == 0 or self:is_empty() then
    return { row = 0, above = true }
  end
  return { row = past - 1, above = false }
end

--- The place of a hunk's label. A closed fold hides what is at its rows.
---@param row integer its first one
---@param otherwise botglue.VirtualAnchor
---@return botglue.VirtualAnchor
function Canvas:above(row, otherwise)
  local from, to = unpack(api.nvim_win_call(self.pane.winid, function()
    return { vim.fn.foldclosed(row + 1), vim.fn.foldclosedend(row + 1) }
  end))
  self.pane.folds[row] = from
  if from > 1 then
    return { row = from - 2, above = false }
  elseif from == 1 and to < api.nvim_buf_line_count(self.picture.bufnr) then
    return { row = to, above = true }
  end
  return otherwise
end

--- Highlights the rows that go, and the changed words in them.
---@param hunk botglue.Hunk
function Canvas:rows(hunk)
  local pane, past = self.pane, hunk.first + hunk.count
  self:mark(hunk.first, 0, {
    end_row = past,
    end_col = 0,
    hl_group = "BotglueDelete",
    hl_eol = true,
    priority = ROWS,
  })
  if pane.has_signs then
    local sign = { end_row = past - 1, end_col = 0, sign_text = "-", sign_hl_group = "BotglueDelete" }
    self:mark(hunk.first, 0, vim.tbl_extend("error", sign, { priority = ROWS }))
  end
  for row = math.max(hunk.first, pane.first), math.min(past, pane.past) - 1 do
    local length = #(api.nvim_buf_get_lines(self.picture.bufnr, row, row + 1, false)[1] or "")
    for _, span in ipairs(hunk.old[row - hunk.first + 1] or {}) do
      local to = math.min(span[2], length)
      if span[1] < to then
        self:mark(row, span[1], { end_col = to, hl_group = "BotglueChange", priority = WORDS })
      end
    end
  end
end

---@param hunk botglue.Hunk
---@param is_first boolean
function Canvas:hunk(hunk, is_first)
  local picture, pane = self.picture, self.pane
  local below = self:below(hunk)
  local labels = head.labels(hunk, pane.cap, pane.columns)
  if is_first then
    table.insert(labels, 1, head.line(picture.head, pane.columns))
  end
  local beside = hunk.count > 0 and { row = hunk.first, above = true } or below
  self:lines(
    self:above(at.row(hunk), beside),
    labels,
    -- Of marks at one place those with gravity to the left come first.
    { right_gravity = false, virt_lines_overflow = "trunc" }
  )
  if hunk.count > 0 and not self:is_empty() then
    self:rows(hunk)
  end
  self:lines(below, cells.rows(hunk, pane), {
    virt_lines_leftcol = pane.gutter ~= nil,
    virt_lines_overflow = pane.scrolls and "scroll" or nil,
  })
end

--- Takes away what is drawn.
---@param bufnr integer
---@param pane botglue.ReviewPane
function M.clear(bufnr, pane)
  api.nvim_buf_clear_namespace(bufnr, pane.namespace, 0, -1)
end

--- Draws the hunks near a window, in place of those drawn before.
---@param picture botglue.Picture
---@param pane botglue.ReviewPane
function M.pane(picture, pane)
  local self = setmetatable({ picture = picture, pane = pane }, Canvas)
  M.clear(picture.bufnr, pane)
  for _, i in ipairs(at.within(picture.hunks, pane.first, pane.past)) do
    self:hunk(picture.hunks[i], i == 1)
  end
  for _, i in ipairs(at.within(picture.gone, pane.first, pane.past)) do
    local hunk = picture.gone[i]
    self:lines(self:below(hunk), { head.dropped(hunk, pane.columns) }, {})
  end
  if #picture.hunks == 0 then
    local row = math.max(math.min(picture.row, api.nvim_buf_line_count(picture.bufnr) - 1), 0)
    self:lines(self:above(row, { row = row, above = true }), { head.line(picture.head, pane.columns) }, {})
  end
end

return M
