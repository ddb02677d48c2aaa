--- Knows the ends of lines by the rows on both sides of them. Where rows are moved over an end and back again, by hand
--- or by undo, Neovim leaves marks at rows that are others, and the text of the lines need not tell: somebody may have
--- changed it elsewhere. The rows at both ends, and how many there are between them, do.
---
--- Only reads; marks are set anew by whoever asks.

local M = {}

local api = vim.api

local DEPTH = 2 -- rows on each side of an end
local SEEN = 8 -- as many as are known
local FAR = 8 -- rows by which marks may have gone astray

---@class botglue.Sighting
---@field count integer of rows
---@field above string[] the rows above the first one, as far as there are any
---@field head string[] the first rows
---@field tail string[] the last rows
---@field below string[]

---@class botglue.Edges
---@field bufnr integer
---@field first integer where the lines were seen last
---@field last integer
---@field moved boolean whether rows have come or gone since, in them or next to them
---@field seen botglue.Sighting[] the newest last
local Edges = {}
Edges.__index = Edges

---@param bufnr integer
---@param first integer
---@param last integer
---@return botglue.Sighting
local function look(bufnr, first, last)
  local function rows(from, past)
    return api.nvim_buf_get_lines(bufnr, math.max(from, 0), math.max(past, 0), false)
  end
  return {
    count = last - first + 1,
    above = rows(first - DEPTH, first),
    head = rows(first, math.min(first + DEPTH, last + 1)),
    tail = rows(math.max(last + 1 - DEPTH, first), last + 1),
    below = rows(last + 1, last + 1 + DEPTH),
  }
end

--- Notes a change: called within each one.
---@param row integer where it begins
---@param old integer how many rows the old text went on for
---@param new integer how many the new one does
---@return boolean matters whether the lines should be seen again
function Edges:note_change(row, old, new)
  if row > self.last + DEPTH then
    return false
  end
  local is_above = row + old < self.first - DEPTH
  local is_inside = row > self.first + DEPTH and row + old < self.last - DEPTH
  if is_above then
    self.first = self.first + new - old
  end
  if is_above or is_inside then
    self.last = self.last + new - old
  end
  self.moved = self.moved or (not is_above and old ~= new)
  return not is_above and (not is_inside or old ~= new)
end

--- Where lines stand as they were seen, next to a row, if that is one place.
---@param sighting botglue.Sighting
---@param near integer
---@return integer? first
function Edges:find(sighting, near)
  local from, found = math.max(near - FAR, 0), nil
  local past = math.min(near + FAR, api.nvim_buf_line_count(self.bufnr) - sighting.count)
  local rows = api.nvim_buf_get_lines(self.bufnr, from, past + 1, false)
  for i, row in ipairs(rows) do
    local first = from + i - 1
    if
      row == sighting.head[1]
      and vim.deep_equal(look(self.bufnr, first, first + sighting.count - 1), sighting)
    then
      if found then
        return nil
      end
      found = first
    end
  end
  return found
end

---@param first integer
---@param last integer
---@param sighting botglue.Sighting
function Edges:note(first, last, sighting)
  self.first, self.last, self.moved = first, last, false
  table.insert(self.seen, sighting)
  if #self.seen > SEEN then
    table.remove(self.seen, 1)
  end
end

--- Takes a place for certain: where lines that read so were known elsewhere, they are here.
---@param first integer
---@param last integer
function Edges:take(first, last)
  self.seen = vim.tbl_filter(function(sighting)
    return self:find(sighting, first) == nil
  end, self.seen)
  self:note(first, last, look(self.bufnr, first, last))
end

--- Sees where the lines are, once something has changed at their ends.
---@param first integer as the marks have it
---@param last integer
---@return integer? first nil where they are there
---@return integer? last
function Edges:see(first, last)
  local now, moved = look(self.bufnr, first, last), self.moved
  self.first, self.last, self.moved = first, last, false
  for i = #self.seen, 1, -1 do
    if vim.deep_equal(self.seen[i], now) then
      return nil
    end
  end
  for i = #self.seen, moved and 1 or #self.seen + 1, -1 do
    local at = self:find(self.seen[i], first)
    local past = at and at + self.seen[i].count - 1
    -- Where neither end is where the marks have it these are others: a copy of the lines reads as they do.
    if at == first or past == last then
      return at, past
    end
  end
  if not moved then
    -- What is typed in these rows is one sight.
    table.remove(self.seen)
  end
  self:note(first, last, now)
  return nil
end

--- Of lines at a place that is beyond doubt.
---@param bufnr integer
---@param first integer
---@param last integer
---@return botglue.Edges
function M.new(bufnr, first, last)
  local self = setmetatable({ bufnr = bufnr, seen = {} }, Edges)
  self:note(first, last, look(bufnr, first, last))
  return self
end

return M
