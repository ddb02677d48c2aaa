--- The range of a job in its buffer: its display marks, and its text when the job was sent.
---
--- The host decides where the range is, and corrects marks that Neovim has moved wrongly. This module never searches
--- text.

local extent = require("botglue.editor.extent")
local marks = require("botglue.editor.marks")

local M = {}

---@class botglue.Range
---@field bufnr integer
---@field kind "line"|"char"|"block"|"insert" how it was selected
---@field shape "line"|"char"|"block"|"insert" the current kind of the marked text: "line" for a landed insertion
---@field base botglue.Base what was sent
---@field before botglue.Base? the text before the answer landed
---@field landed botglue.Base? the text after the answer landed
---@field on_disk { first_line: integer, rows: string[], base: string[]? }? its rows when its file was last written,
--- from the store, or its rows when the host exited; `base`: the rows as sent, with what was taken
---@field column integer? the screen column at which a block begins
---@field marks botglue.Marks? nil if its place is not known
---@field group string? in which its text is highlighted
---@field lost boolean? whether the host has reported that its place is not known
---@field is_forgotten boolean? whether it is no longer tracked
---@field has_moved boolean? whether it moved to another buffer after the job was sent
---@field last_lines integer[] its first and last line when its place was last known, from 1
local Range = {}
Range.__index = Range

--- Removes the marks from the buffer.
function Range:unmark()
  if self.marks then
    self.marks:clear()
    self.marks = nil
  end
end

--- Replaces the marks by marks around a place.
---@param place botglue.Extent
---@param shape "line"|"char"|"block"|"insert"
function Range:mark(place, shape)
  self:unmark()
  self.shape, self.lost = shape, nil
  self.marks = marks.set(self.bufnr, place, shape)
  self.marks:show(self.group)
  self.last_lines = { extent.lines(place, shape) }
end

--- The host has reported that its place is not known.
function Range:mark_lost()
  self:lines() -- records the last lines
  self:unmark()
  self.lost = true
end

--- Highlights its text from now on; without a group no more.
---@param group string?
function Range:show(group)
  self.group = group
  if self.marks then
    self.marks:show(group)
  end
end

--- Where the marks are; nil where the place is not known.
---@return botglue.Extent?
function Range:place()
  return self.marks and self.marks:place()
end

--- The lines that it covers, from 1; the last known lines if its place is not known.
---@return integer first
---@return integer last
function Range:lines()
  local place = self:place()
  if place then
    self.last_lines = { extent.lines(place, self.shape) }
  end
  return self.last_lines[1], self.last_lines[2]
end

--- The text of a place.
---@param place botglue.Extent
---@return botglue.Base
function Range:read(place)
  return extent.read(self.bufnr, place, self.shape)
end

--- The text at the range if the user has not changed it.
---@return botglue.Base
function Range:expected()
  return self.landed or self.base
end

--- Its expected text and its lines, as a request has them.
---@return table
function Range:selection()
  local text, first, last = self:expected(), self:lines()
  return {
    kind = self.shape,
    first_line = first,
    last_line = last,
    text = text.text,
    rows = text.rows,
    cols = text.cols,
    column = self.column,
    beside = vim.tbl_extend("error", vim.empty_dict(), { above = text.above, below = text.below }),
  }
end

--- The host has written to the range: an answer, or the earlier text after a revert.
---@param place botglue.Extent the written range
---@param shape "line"|"char"|"block"|"insert"
---@param before botglue.Base? the text before the answer; nil after a revert
function Range:settle(place, shape, before)
  self:mark(place, shape)
  self.before, self.landed = before, before and self:read(place)
end

--- The host has exited: records the current rows, by which the next host finds the range.
function Range:keep_rows()
  local place = self:place()
  if place then
    local base = self.on_disk and self.on_disk.base
    self.on_disk = { first_line = self:lines(), rows = self:read(place).rows, base = base }
  end
end

--- Sets the base to the current text, just before the request is sent.
---@return boolean known whether its place is known
function Range:rebase()
  local place = self:place()
  if place then
    self.base = self:read(place)
  end
  return place ~= nil
end

--- The same place for another job, as it is now.
---@return botglue.Range? range nil where it is not known
function Range:again()
  local place = self:place()
  return place and M.at(self.bufnr, place, self.shape, self.column)
end

--- Moves the range to another buffer that shows its file.
---@param bufnr integer
function Range:move_to(bufnr)
  self:unmark()
  self.bufnr, self.lost, self.has_moved = bufnr, nil, true
end

--- Frees the range's marks and texts; only its last lines stay.
function Range:forget()
  self:lines()
  self:unmark()
  self.is_forgotten, self.before, self.landed = true, nil, nil
  self.base = { text = {}, rows = {}, cols = {} }
end

--- Marks a place.
---@param bufnr integer
---@param place botglue.Extent
---@param shape "line"|"char"|"block"|"insert"
---@param column integer?
---@return botglue.Range
function M.at(bufnr, place, shape, column)
  local self = setmetatable({ bufnr = bufnr, kind = shape, column = column }, Range)
  self:mark(place, shape)
  self.base = self:read(place)
  return self
end

--- Marks a selection and returns its range.
---@param selection botglue.Selection
---@return botglue.Range
function M.from_selection(selection)
  return M.at(selection.bufnr, extent.of(selection), selection.kind, selection.column)
end

--- Makes a range of a stored selection; it has no marks yet.
---@param bufnr integer it need not be loaded
---@param sent botglue.StoredSelection
---@param on_disk { first_line: integer, rows: string[] }? its rows as its file was written last
---@return botglue.Range
function M.recall(bufnr, sent, on_disk)
  local base = {
    text = sent.text,
    rows = sent.rows,
    cols = sent.cols,
    above = sent.beside.above,
    below = sent.beside.below,
  }
  return setmetatable({
    bufnr = bufnr,
    kind = sent.kind,
    shape = sent.kind,
    base = base,
    on_disk = on_disk,
    last_lines = { sent.first_line, sent.last_line },
    column = sent.column,
  }, Range)
end

return M
