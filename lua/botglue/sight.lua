--- What was seen at the place of a held answer at one time: the text there and around it, by which it is known again.
--- Only reads.

local extent = require("botglue.extent")
local find = require("botglue.find")
local locate = require("botglue.locate")

local M = {}

local api = vim.api

---@class botglue.Sight
---@field place botglue.Extent
---@field shape "line"|"char"|"block"|"insert"
---@field text botglue.Base that stood there
---@field before botglue.Base? of the range
---@field landed botglue.Base? of the range
---@field change integer? of the range
---@field widened integer? of the range
---@field is_other boolean whether that is not what was sent

---@param range botglue.Range
---@param place botglue.Extent
---@param now botglue.Base what stands there
---@return botglue.Sight
function M.of(range, place, now)
  return {
    place = place,
    shape = range.shape,
    text = now,
    before = range.before,
    landed = range.landed,
    change = range.change,
    widened = range.widened,
    is_other = not vim.deep_equal(now.rows, range.base.rows),
  }
end

--- Where what was seen stands as it did, in a file that was read again or text that was put over it: there or near
--- there, between the same rows.
---@param range botglue.Range
---@param sight botglue.Sight
---@return botglue.Extent? place
function M.anew(range, sight)
  local text = sight.text
  local around = vim.list_extend(vim.list_extend({ text.above }, text.rows), { text.below })
  if not find.is_telling(around) then
    return nil
  end
  local near = locate.between(range.bufnr, text, sight.place.first)
  local only = not near and text.above and text.below and find.only(range.bufnr, around)
  local first = near and near.first or only and only + 1
  local below = sight.place.last - sight.place.first
  return first and vim.tbl_extend("force", sight.place, { first = first, last = first + below }) or nil
end

--- Whether what was seen stands there, between the same rows.
---@param range botglue.Range
---@param sight botglue.Sight
---@return boolean
function M.stands(range, sight)
  local place, count = sight.place, api.nvim_buf_line_count(range.bufnr)
  return (sight.shape == "insert" and place.first <= count or place.last < count)
    and vim.deep_equal(extent.read(range.bufnr, place, sight.shape), sight.text)
end

return M
