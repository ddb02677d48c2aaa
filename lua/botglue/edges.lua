--- The edges of lines, where marks lose them: rows that are moved over an end and back again, by hand or by undo, leave
--- the marks at others, and what is expected of the text need not tell, for somebody may have changed it. So lines are
--- known by all that was seen to stand in them, and by the rows on both sides.
---
--- Only reads; marks are set anew by whoever asks.

local find = require("botglue.find")
local undo_tree = require("botglue.undo_tree")

local M = {}

local api = vim.api

local BESIDE = 2 -- rows on each side
local SEEN = 8 -- as many as are known
local FAR = 8 -- rows by which marks may have gone astray
local LAST = 2 -- of those that are known, looked for everywhere
local MOST = 5000 -- rows that are read after each change in them: half a millisecond

---@class botglue.Sighting
---@field rows string[]
---@field above string[] the rows above, as far as there are any
---@field below string[]

---@class botglue.Brought
---@field rows table<string, integer> how often each
---@field is_met boolean whether it was to the same lines

---@class botglue.Edges
---@field bufnr integer
---@field first integer where the lines were seen last
---@field last integer
---@field moved boolean whether rows have come or gone since, in them or next to them
---@field seen botglue.Sighting[] the newest last
---@field own table<string, boolean> the rows that stood there at first
---@field others table<botglue.Range, botglue.Brought> what other answers brought next to the lines
local Edges = {}
Edges.__index = Edges

---@param bufnr integer
---@param first integer
---@param last integer
---@return botglue.Sighting
local function look(bufnr, first, last)
  local function rows(from, past)
    return api.nvim_buf_get_lines(bufnr, math.max(from, 0), past, false)
  end
  return {
    rows = rows(first, last + 1),
    above = rows(first - BESIDE, first),
    below = rows(last + 1, last + 1 + BESIDE),
  }
end

---@param one string[]
---@param other string[]
---@return boolean
local function are_same(one, other)
  local i = #one == #other and 1 or 0
  while i > 0 and i <= #one and one[i] == other[i] do
    i = i + 1
  end
  return i > #one
end

---@param one botglue.Sighting
---@param other botglue.Sighting
---@return boolean
local function is_same(one, other)
  return are_same(one.below, other.below)
    and are_same(one.above, other.above)
    and are_same(one.rows, other.rows)
end

--- The rows that lines had and have no more, each with how many of it are missing.
---@param rows string[]
---@param before string[]
---@param strange table<string, boolean> rows that may have come from elsewhere
---@return table<string, integer>
local function missing_in(rows, before, strange)
  local missing = {}
  for _, row in ipairs(before) do
    missing[row] = not strange[row] and (missing[row] or 0) + 1 or nil
  end
  for _, row in ipairs(rows) do
    missing[row] = missing[row] and missing[row] > 1 and missing[row] - 1 or nil
  end
  return missing
end

--- How many of the missing rows stand next to lines, between those and what was beside them.
---@param missing table<string, integer>
---@param beside string[] the rows on that side, from the nearest on
---@param known string[] those that were there
---@param is_own fun(nth: integer): boolean? whether one of those on that side can be theirs
---@return integer
local function put_beside(missing, beside, known, is_own)
  local left, count = vim.deepcopy(missing), 0
  local is_telling = false -- blank rows are opened anywhere
  repeat
    local row = beside[count + 1]
    if not left[row] or left[row] == 0 or not is_own(count + 1) then
      return 0
    end
    left[row], count, is_telling = left[row] - 1, count + 1, is_telling or row:find("%S") ~= nil
  until are_same(vim.list_slice(beside, count + 1, count + BESIDE), known)
  return is_telling and count or 0
end

--- Notes a change: called within each one.
---@param row integer where it begins
---@param old integer how many rows the old text went on for
---@param new integer how many the new one does
---@return boolean matters whether the lines should be seen again
function Edges:note_change(row, old, new)
  if row > self.last + BESIDE then
    return false
  elseif row + old < self.first - BESIDE then
    self.first, self.last = self.first + new - old, self.last + new - old
    return false
  end
  self.moved = self.moved or old ~= new
  return true
end

--- Where lines stand as they were seen, with the rows next to them, if that is one place in all the text.
---@param sighting botglue.Sighting
---@return integer? first
function Edges:find_anywhere(sighting)
  local all = vim.list_extend(vim.list_extend({}, sighting.above), sighting.rows)
  local from = find.only(self.bufnr, vim.list_extend(all, sighting.below))
  return from and from + #sighting.above
end

--- Where lines stand as they were seen, next to a row, if that is one place.
---@param sighting botglue.Sighting
---@param near integer
---@return integer? first
function Edges:find(sighting, near)
  local from, found, count = math.max(near - FAR, 0), nil, #sighting.rows
  local past = math.min(near + FAR, api.nvim_buf_line_count(self.bufnr) - count)
  for i, row in ipairs(api.nvim_buf_get_lines(self.bufnr, from, math.max(past + 1, from), false)) do
    local first = from + i - 1
    if row == sighting.rows[1] and is_same(look(self.bufnr, first, first + count - 1), sighting) then
      if found then
        return nil
      end
      found = first
    end
  end
  return found
end

--- Notes that another answer was written, or taken back: what it brings is none of the lines, though they may have had
--- the same.
---@param range botglue.Range of that answer
---@param before string[] the rows that it took the place of
---@param is_met boolean whether it was to the same lines
function Edges:note_answer(range, before, is_met)
  local rows, known = range.landed.rows, self.others[range]
  local brought = missing_in(before, rows, {})
  -- Taken back it brings what was sent.
  local new = missing_in(range.base.rows, rows, {})
  for row in pairs(brought) do
    brought[row] = new[row]
  end
  self.others[range] = { rows = brought, is_met = is_met or known ~= nil and known.is_met }
end

--- Whether another answer brought the row that stands there. Where its lines are now tells, for other rows may read the
--- same. Where they stand all around these nobody knows which row is whose.
---@param row integer
---@param only_met boolean? whether it has to be an answer to the same lines
---@return boolean
function Edges:is_anothers(row, only_met)
  local text = row >= 0 and api.nvim_buf_get_lines(self.bufnr, row, row + 1, false)[1] or nil
  local function is_of(range, brought)
    local place = brought.rows[text] and range.bufnr == self.bufnr and range:place()
    if not place or row < place.first or row > place.last then
      return false
    elseif range:is_in() == false and not undo_tree.is_redoing(self.bufnr, range.change) then
      return false
    end
    local is_around = place.first <= self.first and self.last <= place.last
    return only_met and brought.is_met or (not only_met and not is_around)
  end
  return text ~= nil and vim.iter(pairs(self.others)):any(is_of)
end

--- Whether another answer brought some of the rows that stand around lines.
---@param first integer of the lines
---@param last integer
---@param from integer
---@param to integer the last row around them
---@return boolean
function Edges:is_answer_around(first, last, from, to)
  for row = from, to do
    if (row < first or row > last) and self:is_anothers(row) then
      return true
    end
  end
  return false
end

--- Whether rows were seen next to the lines while all of those stood there: then they are others that read the same.
---@param side "above"|"below"
---@param rows string[]
---@param lines botglue.Base
---@return boolean
function Edges:stood_beside(side, rows, lines)
  local sightings = vim.list_extend({ { rows = lines.rows, [side] = { lines[side] } } }, self.seen)
  return vim.iter(sightings):any(function(sighting)
    return are_same(sighting.rows, lines.rows)
      and vim.iter(rows):any(function(row)
        return vim.list_contains(sighting[side], row)
      end)
  end)
end

--- Whether a row was seen right next to the lines.
---@param side "above"|"below"
---@param row string?
---@return boolean
function Edges:was_beside(side, row)
  return vim.iter(self.seen):any(function(sighting)
    return sighting[side][side == "above" and #sighting.above or 1] == row
  end)
end

--- How many rows right above lines, and right below, another answer to the same lines brought.
---@param first integer
---@param last integer
---@return integer above
---@return integer below
function Edges:find_met(first, last)
  local above, below = 0, 0
  while self:is_anothers(first - above - 1, true) do
    above = above + 1
  end
  while self:is_anothers(last + below + 1, true) do
    below = below + 1
  end
  return above, below
end

--- Rows that may have come from elsewhere: what was seen next to the lines. A row that they had from the beginning was
--- theirs until then.
---@param till integer the sighting in which rows are theirs
---@return table<string, boolean>
function Edges:strange(till)
  local strange = {}
  for i, sighting in ipairs(self.seen) do
    for _, row in ipairs(vim.list_extend(vim.list_extend({}, sighting.above), sighting.below)) do
      strange[row] = strange[row] or i <= till or not self.own[row]
    end
  end
  return strange
end

--- Where the lines are once some of their rows were taken out and put right above the others, or right below: as
--- `:move` has it, those still are theirs.
---@param first integer as the marks have it
---@param last integer
---@param arrivals botglue.Arrivals
---@return integer? first nil where there are no such rows
---@return integer? last
function Edges:find_put(first, last, arrivals)
  local function rows(from, past)
    return api.nvim_buf_get_lines(self.bufnr, math.max(from, 0), past, false)
  end
  local function reversed(list)
    return vim.iter(list):rev():totable()
  end
  local function was_put(row)
    return arrivals.is_short and arrivals:has(row, row + 1) and not self:is_anothers(row)
  end
  local now = rows(first, last + 1)
  for i = #self.seen, 1, -1 do
    local sighting = self.seen[i]
    local missing, most = missing_in(now, sighting.rows, self:strange(i)), BESIDE + #sighting.rows
    local over, under = 0, 0
    if next(missing) then
      local beside, known = reversed(rows(first - most, first)), reversed(sighting.above)
      over = put_beside(missing, beside, known, function(nth)
        return was_put(first - nth)
      end)
    end
    if next(missing) and over == 0 then
      under = put_beside(missing, rows(last + 1, last + 1 + most), sighting.below, function(nth)
        return was_put(last + nth)
      end)
    end
    if over + under > 0 then
      return first - over, last + under
    end
  end
  return nil
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
  if last - first >= MOST then
    self.first, self.last, self.moved, self.seen = first, last, false, {}
    return
  end
  self.seen = vim.tbl_filter(function(sighting)
    return self:find(sighting, first) == nil
  end, self.seen)
  self:note(first, last, look(self.bufnr, first, last))
end

--- Sees where the lines are, once something has changed in them or next to them.
---@param first integer as the marks have it
---@param last integer
---@param arrivals botglue.Arrivals
---@param is_undone boolean whether that was an undo or a redo
---@return integer? first nil where they are there
---@return integer? last
function Edges:see(first, last, arrivals, is_undone)
  local moved = self.moved
  self.first, self.last, self.moved = first, last, false
  if last - first >= MOST then
    self.seen = {}
    return nil
  end
  local now = look(self.bufnr, first, last)
  for i = #self.seen, 1, -1 do
    if is_same(self.seen[i], now) then
      table.insert(self.seen, table.remove(self.seen, i))
      return nil
    end
  end
  for i = #self.seen, moved and 1 or #self.seen + 1, -1 do
    local sighting = self.seen[i]
    local at = self:find(sighting, first)
    local past = at and at + #sighting.rows - 1 --[[@as integer]]
    -- Where neither end is where the marks have it these are others: a copy of the lines reads as they do.
    local is_end = at and (at == first or past == last)
    local can_be = is_end and arrivals:can_be(at, first) and arrivals:can_be(last + 1, past + 1)
    if can_be and not self:is_answer_around(first, last, at, past) then
      return at, past
    end
    -- What was undone may have joined all there is.
    at = is_undone and i > #self.seen - LAST and self:find_anywhere(sighting)
    if at then
      return at, at + #sighting.rows - 1
    end
  end
  if moved then
    local from, past = self:find_put(first, last, arrivals)
    if from then
      return from, past
    end
  else
    -- What is typed is one sight.
    table.remove(self.seen)
  end
  self:note(first, last, now)
  return nil
end

--- Whether they read so when they were seen last.
---@param rows string[]
---@return boolean
function Edges:read_last(rows)
  local last = self.seen[#self.seen]
  return not last or are_same(last.rows, rows)
end

--- Of lines at a place that is beyond doubt.
---@param bufnr integer
---@param first integer
---@param last integer
---@return botglue.Edges
function M.new(bufnr, first, last)
  local self = setmetatable({ bufnr = bufnr, seen = {}, own = {} }, Edges)
  self.others = setmetatable({}, { __mode = "k" })
  self:take(first, last)
  for _, row in ipairs(self.seen[1] and self.seen[1].rows or {}) do
    self.own[row] = true
  end
  return self
end

return M
