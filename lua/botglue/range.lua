--- The place of a job in its buffer: invisible marks, and the text that stood there when the job was sent.
---
--- It says where the range is now and whether its text is still what was sent. It never writes: `write` does, and the
--- marks are set anew in the same call. Marks have inward gravity, so that ranges that touch do not mix.

local extent = require("botglue.extent")

local M = {}

local api = vim.api
local namespace = api.nvim_create_namespace("botglue.range")

---@class botglue.Base what was sent
---@field text string[] the selected part of each row
---@field rows string[] the whole rows
---@field cols integer[] the byte at which each entry of `text` begins
---@field above string? the row above the range, nil at the top
---@field below string? the row below it, nil at the end

---@class botglue.Range
---@field bufnr integer
---@field kind "line"|"char"|"block"|"insert" how it was selected
---@field shape "line"|"char"|"block"|"insert" what the marks stand around now: an insertion that landed is lines
---@field base botglue.Base
---@field column integer? the screen column at which a block begins
---@field marks integer[]
---@field reloaded boolean whether the file was read again, which leaves the marks at lines that may be others
---@field known { [1]: integer, [2]: integer } the last lines it was seen at, from 1
local Range = {}
Range.__index = Range

--- Takes the marks away; nothing of the range is left in the buffer.
function Range:unmark()
  for _, id in ipairs(self.marks) do
    pcall(api.nvim_buf_del_extmark, self.bufnr, namespace, id)
  end
  self.marks = {}
  if self.autocmd then
    pcall(api.nvim_del_autocmd, self.autocmd)
    self.autocmd = nil
  end
end

--- Sets the marks around a place, in place of the old ones.
---@param place botglue.Extent
---@param shape "line"|"char"|"block"|"insert"
function Range:mark(place, shape)
  self:unmark()
  self.shape, self.reloaded = shape, false
  self.marks = extent.mark(self.bufnr, namespace, place, shape)
  self.known = { extent.lines(place, shape) }
  self.autocmd = api.nvim_create_autocmd("BufReadPost", {
    buffer = self.bufnr,
    desc = "botglue: the lines of a range may be others now",
    callback = function()
      self.reloaded = true
    end,
  })
end

--- The text of a place.
---@param place botglue.Extent
---@return botglue.Base
function Range:read(place)
  return extent.read(self.bufnr, place, self.shape)
end

--- Where the range is now; nil and why where it is no more. Costs no look at the text but for an insertion.
---@return botglue.Extent? place
---@return "range_lost"|"conflict"|nil reason
function Range:place()
  if not api.nvim_buf_is_loaded(self.bufnr) or #self.marks == 0 then
    return nil, "range_lost"
  end
  return extent.locate(self.bufnr, namespace, self.marks, self.shape, self.base)
end

--- Where the range is, if its text is what was sent.
---@return botglue.Extent? place
---@return "range_lost"|"conflict"|nil reason
function Range:untouched()
  local place, reason = self:place()
  if not place then
    return nil, reason
  end
  local now, base = self:read(place), self.base
  if not vim.deep_equal(now.text, base.text) then
    return nil, self.reloaded and "range_lost" or "conflict"
  elseif self.reloaded and (now.above ~= base.above or now.below ~= base.below) then
    return nil, "range_lost"
  end
  return place
end

--- Takes the text as it is now for what was sent.
---@return boolean there whether the range still exists
function Range:rebase()
  local place = self:place()
  if place then
    self.base = self:read(place)
    self.reloaded = false
  end
  return place ~= nil
end

--- The lines that it covers now, from 1; those it was last seen at when it is lost.
---@return integer first
---@return integer last
function Range:lines()
  local place = self:place()
  if place then
    self.known = { extent.lines(place, self.shape) }
  end
  return self.known[1], self.known[2]
end

--- Marks a selection.
---@param selection botglue.Selection
---@return botglue.Range
function M.pin(selection)
  local self = setmetatable({
    bufnr = selection.bufnr,
    kind = selection.kind,
    column = selection.column,
    marks = {},
  }, Range)
  self:mark(extent.of(selection), selection.kind)
  self.base = self:read(extent.of(selection))
  return self
end

return M
