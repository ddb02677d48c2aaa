--- The place of a job in its buffer: display marks, and the text that was there when the job was sent.
---
--- The host knows where the range is, and moves the marks where Neovim has left them elsewhere. Nothing here looks for
--- text or decides anything of it.

local extent = require("botglue.editor.extent")
local marks = require("botglue.editor.marks")

local M = {}

---@class botglue.Range
---@field bufnr integer
---@field kind "line"|"char"|"block"|"insert" how it was selected
---@field shape "line"|"char"|"block"|"insert" what the marks are around now: an insertion that landed is lines
---@field base botglue.Base what was sent
---@field before botglue.Base? what was there before the answer landed
---@field landed botglue.Base? what was there afterwards
---@field on_disk { first_line: integer, rows: string[], base: string[]? }? its rows as its file was written last, from
--- the store, or as they were when a host was gone; with what was sent and taken
---@field column integer? the screen column at which a block begins
---@field marks botglue.Marks? none where its place is not known
---@field lost boolean? whether the host has said that its place is not known
---@field is_forgotten boolean? whether nothing follows it any more
---@field has_moved boolean? whether its file was in another buffer when it was sent
---@field known integer[] the first and the last line that it was seen at last, from 1
local Range = {}
Range.__index = Range

--- Takes the marks away; nothing of the range is left in the buffer.
function Range:unmark()
  if self.marks then
    self.marks:clear()
    self.marks = nil
  end
end

--- Sets the marks around a place, in place of the old ones.
---@param place botglue.Extent
---@param shape "line"|"char"|"block"|"insert"
function Range:mark(place, shape)
  self:unmark()
  self.shape, self.lost = shape, nil
  self.marks = marks.set(self.bufnr, place, shape)
  self.known = { extent.lines(place, shape) }
end

--- The host does not know its place.
function Range:lose()
  self:lines()
  self:unmark()
  self.lost = true
end

--- Where the marks are; nil where the place is not known.
---@return botglue.Extent?
function Range:place()
  return self.marks and self.marks:place()
end

--- The lines that it covers now, from 1; those it was last seen at where its place is not known.
---@return integer first
---@return integer last
function Range:lines()
  local place = self:place()
  if place then
    self.known = { extent.lines(place, self.shape) }
  end
  return self.known[1], self.known[2]
end

--- The text of a place.
---@param place botglue.Extent
---@return botglue.Base
function Range:read(place)
  return extent.read(self.bufnr, place, self.shape)
end

--- What is there unless the user has changed it.
---@return botglue.Base
function Range:expected()
  return self.landed or self.base
end

--- Something was written to it: the answer, or what was there before.
---@param place botglue.Extent where that is
---@param shape "line"|"char"|"block"|"insert"
---@param before botglue.Base? what was there before; nil where an answer was taken back
function Range:settle(place, shape, before)
  self:mark(place, shape)
  self.before, self.landed = before, before and self:read(place)
end

--- A host is gone that knew where it is: the next one knows it by its rows as they are now.
function Range:keep_rows()
  local place = self:place()
  if place then
    local first_line = self.shape == "insert" and place.first or place.first + 1
    local base = self.on_disk and self.on_disk.base
    self.on_disk = { first_line = first_line, rows = self:read(place).rows, base = base }
  end
end

--- Takes the text as it is now for what is sent.
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

--- Its file is in another buffer now.
---@param bufnr integer
function Range:move_to(bufnr)
  self:unmark()
  self.bufnr, self.lost, self.has_moved = bufnr, nil, true
end

--- Nothing of the range is needed any more but where it was seen last.
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

--- Marks a selection.
---@param selection botglue.Selection
---@return botglue.Range
function M.pin(selection)
  return M.at(selection.bufnr, extent.of(selection), selection.kind, selection.column)
end

--- A range of an earlier time, which is not marked yet.
---@param bufnr integer it need not be loaded
---@param sent table the selection, as the store has it
---@return botglue.Range
function M.recall(bufnr, sent)
  local beside = sent.beside or { above = sent.anchor }
  local base = {
    text = sent.text or {},
    rows = sent.rows or {},
    cols = sent.cols or {},
    above = beside.above,
    below = beside.below,
  }
  return setmetatable({
    bufnr = bufnr,
    kind = sent.kind,
    shape = sent.kind,
    base = base,
    on_disk = sent.stands,
    known = { sent.first_line, sent.last_line },
    column = sent.kind == "block" and (sent.column or extent.column(base)) or nil,
  }, Range)
end

return M
