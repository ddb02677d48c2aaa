--- Keeps the two sides of a review in step: the text around the answer follows the buffer, unless the user changed it
--- in the answer's side.

local fill = require("botglue.ui.fill")
local parts = require("botglue.ui.parts")
local replace = require("botglue.replace")
local reviewed = require("botglue.reviewed")
local taken = require("botglue.ui.taken")
local write = require("botglue.write")

local M = {}

local api = vim.api

local VERSIONS = 8 -- of what was copied from around the answer

---@class botglue.Beside
---@field place botglue.Extent the place of the part in the buffer
---@field rows string[] the whole rows there

---@class botglue.Step
---@field side botglue.Side its place is known
---@field taken botglue.Taken what was put into the buffer by hand
---@field beside botglue.Beside? of an answer that is part of its rows
---@field tick integer the changedtick of the buffer at the last look
---@field followed { above: string[][], below: string[][] } what was copied from around the answer, the newest last
local Step = {}
Step.__index = Step

---@param part "above"|"below"
---@param shown string[]
---@return boolean ours whether these rows were copied, though not now: an undo of a later copy is no change
function Step:is_copied(part, shown)
  return vim.iter(self.followed[part]):any(function(version)
    return vim.deep_equal(shown, version)
  end)
end

--- Copies rows from around the answer, unless the user changed them here.
---@param part "above"|"below"
---@param from integer
---@param to integer
---@param source string[]
---@return boolean same whether both sides are the same there
function Step:follow(part, from, to, source)
  local followed, bufnr = self.followed[part], self.side.bufnr
  local shown = api.nvim_buf_get_lines(bufnr, from, to, false)
  if not vim.deep_equal(shown, source) then
    if not self:is_copied(part, shown) then
      return false
    end
    -- Only what differs: the cursor and folds stay on the rest.
    local head, tail = replace.shared(shown, source)
    local lines = vim.list_slice(source, head + 1, #source - tail)
    write.as_one_step(bufnr, function()
      api.nvim_buf_set_lines(bufnr, from + head, from + #shown - tail, false, lines)
    end)
  end
  if not vim.deep_equal(followed[#followed], source) then
    table.insert(followed, source)
    if #followed > VERSIONS then
      table.remove(followed, 1)
    end
  end
  return true
end

--- Copies what is beside an answer that is part of its rows, unless the user changed it here.
function Step:follow_beside()
  local side, range, before = self.side, self.side.job.range, self.beside
  local place, _, now = range:look()
  local first, past = side:rows()
  local shown = side:read(first, past)
  local lines = now and parts.of(shown, range, before.place, before.rows)
  if not lines or vim.deep_equal(lines, parts.of(shown, range, place, now.rows)) then
    return
  end
  self.beside = { place = place, rows = now.rows }
  write.as_one_step(side.bufnr, function()
    api.nvim_buf_set_lines(side.bufnr, first, past, false, now.rows)
    local here = { first = first, last = first + #now.rows - 1 }
    first, past = fill.put(side.bufnr, range, vim.tbl_extend("force", place, here), lines)
  end)
  side.region:mark(first, past)
end

--- Sees what of the answer stands in the buffer.
---@param place botglue.Extent
function Step:see(place)
  reviewed.see(self.side.job, place, self.side:read(self.side:rows()))
end

--- Sees where the answer is on both sides now. Where one was made the same as the other, the one that was not changed
--- then tells: rows that a diff puts in are others, and marks know nothing of what they stand for.
---@return botglue.Extent? place nil where it is gone
function Step:look()
  local side, range = self.side, self.side.job.range
  local tick = api.nvim_buf_get_changedtick(range.bufnr)
  local is_taken = side:is_taken()
  local is_side_newer = side.changed_at == tick
  reviewed.look(side.job)
  local marked = not (range.reloaded or range.replaced) and range:place() or nil
  local place = range:look() or marked
  if place and not marked then
    -- Found again by its text.
    self.taken:mark_neighbours(place)
  end
  if tick ~= self.tick then
    self.tick = tick
    local is_copy = is_taken and not is_side_newer
    if self.beside then
      place = self.taken:absorb_part(place, self.beside, is_copy)
    else
      place = self.taken:absorb(place, is_copy)
    end
  end
  if place and is_taken and is_side_newer then
    side.region:mark(place.first, range.shape == "insert" and place.first or place.last + 1)
  end
  return place
end

--- Keeps the text around the answer as it is in the buffer: what lands or is typed there is no part of the answer.
---@return boolean? same whether the text around the answer is the same on both sides; nil where its place is gone
function Step:refresh()
  local side, range = self.side, self.side.job.range
  local place = self:look()
  if not place then
    return nil
  end
  local below = range.shape == "insert" and place.first or place.last + 1
  local lines = api.nvim_buf_get_lines(range.bufnr, 0, -1, false)
  if place.first == 0 and below == #lines then
    side:take_all()
  end
  local first, past = side:rows()
  local under = self:follow("below", past, -1, vim.list_slice(lines, below + 1))
  local over = self:follow("above", 0, first, vim.list_slice(lines, 1, place.first))
  -- Where rows are replaced next to them the marks go astray.
  local start = over and place.first or first
  side.region:mark(start, start + past - first)
  if self.beside then
    self:follow_beside()
  end
  self:see(place)
  return over and under
end

--- Takes away the marks beside the place of the answer.
function Step:close()
  self.taken:close()
end

--- From now on the side follows the buffer that its rows were copied from.
---@param side botglue.Side
---@param place botglue.Extent
---@return botglue.Step
function M.new(side, place)
  local range = side.job.range
  local first, past = side:rows()
  return setmetatable({
    side = side,
    beside = side:is_part() and { place = place, rows = range:read(place).rows } or nil,
    taken = taken.new(side, place),
    tick = api.nvim_buf_get_changedtick(range.bufnr),
    followed = {
      above = { api.nvim_buf_get_lines(side.bufnr, 0, first, false) },
      below = { api.nvim_buf_get_lines(side.bufnr, past, -1, false) },
    },
  }, Step)
end

return M
