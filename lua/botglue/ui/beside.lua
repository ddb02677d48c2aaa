--- What is beside an answer that takes only part of its rows: on the answer's side it follows the buffer, unless the
--- user changed it there.

local fill = require("botglue.ui.fill")
local parts = require("botglue.ui.parts")
local replace = require("botglue.replace")
local undo_tree = require("botglue.undo_tree")

local M = {}

local api = vim.api

---@class botglue.Beside as it was seen in the buffer
---@field place botglue.Extent the place of the part
---@field rows string[] the whole rows there
---@field widened integer? of the range

---@class botglue.Besides
---@field side botglue.Side its answer is part of its rows
---@field now botglue.Beside
---@field states table<integer, botglue.Beside> what that was in each undo state of the answer's side
---@field part string[] the rows of the part in the buffer at the last look
---@field parted { around: botglue.Around, part: string[], is_own: boolean }? how both stood in the buffer before text
---went over from the one to the other that the answer's side cannot follow, and whether the user had changed what is
---beside it there
local Besides = {}
Besides.__index = Besides

--- It was as the text of the answer's side is now: undo and redo bring both back.
function Besides:see()
  local state = undo_tree.state(self.side.bufnr)
  self.now = self.states[state] or self.now
  self.states[state] = self.now
end

--- Whether rows of the answer's side can be those of the answer: what is beside it is in them.
---@param rows string[]
---@return boolean
function Besides:fits(rows)
  return parts.of(rows, self.side.job.range, self.now.place, self.now.rows) ~= nil
end

--- The answer on its side as what is beside it in the buffer tells, as it was at the last look and as it is.
---@param place botglue.Extent
---@param rows string[] of the buffer there
---@return string[]? was nil where the user changed what is beside it on its side
---@return string[]? is
function Besides:between(place, rows)
  local range, before, shown = self.side.job.range, self.now, self.side:read(self.side:rows())
  local was, is = parts.of(shown, range, before.place, before.rows), parts.of(shown, range, place, rows)
  if not was and not vim.deep_equal(shown, rows) then
    -- Where text beside it was only taken away whatever stands there fits.
    is = not parts.of(before.rows, range, place, rows) and is or nil
  end
  return was, is
end

--- Copies it, unless the user changed it on the answer's side.
---@param copy fun(fn: fun()) changes that side for certain reasons only
function Besides:follow(copy)
  local side, range, before = self.side, self.side.job.range, self.now
  local place, _, now = range:look()
  local lines, same
  if now then
    lines, same = self:between(place, now.rows)
  end
  local is_widened = before.widened ~= range.widened
  if now and (lines or same or is_widened) then
    self.now = { place = place, rows = now.rows, widened = range.widened }
    -- What is part of it now, or no longer, stays as it is.
    if lines and not vim.deep_equal(lines, same) and not is_widened then
      local first, past = side:rows()
      copy(function()
        api.nvim_buf_set_lines(side.bufnr, first, past, false, now.rows)
        local here = { first = first, last = first + #now.rows - 1 }
        first, past = fill.put(side.bufnr, range, vim.tbl_extend("force", place, here), lines)
      end)
      side.region:mark(first, past)
    end
  end
  self.states[undo_tree.state(side.bufnr)] = self.now
end

--- Whether rows, if there are any, stand in others one below the other.
---@param others string[]
---@param rows string[]
---@return boolean
local function stand_in(others, rows)
  for first = 1, #rows > 0 and #others - #rows + 1 or 0 do
    if vim.deep_equal(vim.list_slice(others, first, first + #rows - 1), rows) then
      return true
    end
  end
  return false
end

--- Sees whether rows were joined with those of a part, or split off them: text went over from what is around the answer
--- to what is beside it, or back. Where the user changed the one on the answer's side only the other would follow, and
--- that text would be gone there, or stand twice. Where what is beside it was changed nobody can tell.
---@param before botglue.Around at the last look
---@param around botglue.Around
---@param is_own_around fun(): boolean whether the user changed something around the answer on its side
---@return boolean
function Besides:is_parted(place, before, around, is_own_around)
  local part = self.side.job.range:read(place).rows
  local was, is = self:between(place, part)
  local is_stuck = not was and not is and self.now.widened == self.side.job.range.widened
  local function is_next(one, other, from_end)
    local head, tail = replace.shared(one, other)
    return not vim.deep_equal(one, other) and (from_end and tail or head) == 0
  end
  local shown = self.side:read(self.side:rows())
  local function is_put(row, last, own)
    return row ~= last and row == own and row ~= nil
  end
  --- Whether rows of the answer were put next to them.
  local function are_put(since)
    local above, below = around.above, around.below
    local more_above, more_below = #above - #since.above, #below - #since.below
    return is_put(below[1], since.below[1], shown[#shown])
      or is_put(above[#above], since.above[#since.above], shown[1])
      or stand_in(shown, vim.list_slice(below, 1, more_below))
      or stand_in(shown, vim.list_slice(above, #above - more_above + 1))
  end
  local is_over = not vim.deep_equal(part, self.part)
      and (is_next(before.below, around.below) or is_next(before.above, around.above, true))
    or are_put(before)
  if is_over and not self.parted then
    self.parted = { around = before, part = self.part, is_own = is_stuck }
  elseif
    self.parted
    and vim.deep_equal(self.parted.around, around)
    and vim.deep_equal(self.parted.part, part)
  then
    self.parted = nil
  end
  self.part = part
  local parted = self.parted
  local is_own = parted and (is_stuck or is_own_around() or (parted.is_own and are_put(parted.around)))
  if not is_own then
    self.parted = nil
  end
  return self.parted ~= nil
end

--- What was next to the answer before text went over to it, or from it, that its side cannot follow.
---@param around botglue.Around in the buffer
---@return string[]
function Besides:text(around)
  around = self.parted and self.parted.around or around
  return parts.beside(self.now.place, self.now.rows, around.above[#around.above], around.below[1])
end

--- What is beside an answer that is part of its rows.
---@param side botglue.Side
---@param place botglue.Extent
---@return botglue.Besides
function M.new(side, place)
  local range = side.job.range
  local rows = range:read(place).rows
  return setmetatable({
    side = side,
    now = { place = place, rows = rows, widened = range.widened },
    states = {},
    part = rows,
  }, Besides)
end

return M
