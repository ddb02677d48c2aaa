--- The rows that came into a range, or right next to it, since some of its own went away: only those can be its own,
--- put back or moved. Whatever stood there before that is somebody else's, however it reads; so is what is put back of
--- such rows, or put in their place.

local soon = require("botglue.soon")

local M = {}

local STATES = 64 -- as many are known that undo may come back to
local EACH = 200 -- of more rows that go or come in one change none is known by itself

---@alias botglue.Spans { [1]: integer, [2]: integer }[] rows: the first one, and the row behind the last one

---@class botglue.Arrivals
---@field is_short boolean whether rows of the range went away
---@field was_short boolean whether they had before the last change
---@field spans botglue.Spans those that came in since
---@field new botglue.Spans those of this tick: a filter puts its output below its input, which it deletes only then
---@field others botglue.Spans those of this tick that are somebody else's
---@field put { [1]: integer, [2]: integer }? those that the last change of this tick put in, if it did nothing else
---@field cut boolean[]? of the rows that went away last, whether each was the range's
---@field states table<integer, botglue.Spans|false> what came in, by undo state; false where all of the range was there
---@field order integer[] the numbers of those states, as they were seen first
---@field settles fun() ends the tick
local Arrivals = {}
Arrivals.__index = Arrivals

--- Spans in the order of their rows; those that touch are one.
---@param ... botglue.Spans
---@return botglue.Spans
local function joined(...)
  local spans = vim.iter({ ... }):flatten(1):totable()
  table.sort(spans, function(one, other)
    return one[1] < other[1]
  end)
  local all = {}
  for _, span in ipairs(spans) do
    local last = all[#all]
    if last and span[1] <= last[2] then
      last[2] = math.max(last[2], span[2])
    else
      all[#all + 1] = { span[1], span[2] }
    end
  end
  return all
end

--- Where spans are after a change: the rows that it takes away are gone, and those below it move.
---@param spans botglue.Spans
---@param change botglue.RowChange
---@return botglue.Spans
local function moved(spans, change)
  local by, all = change.past - change.gone_past, {}
  local function add(from, past)
    if from < past then
      all[#all + 1] = { from, past }
    end
  end
  for _, span in ipairs(spans) do
    add(span[1], math.min(span[2], change.first))
    add(math.max(span[1], change.gone_past) + by, span[2] + by)
  end
  return all
end

---@param spans botglue.Spans
---@param first integer
---@param past integer
---@return boolean
local function are_among(spans, first, past)
  return vim.iter(spans):any(function(span)
    return span[1] < past and first < span[2]
  end)
end

--- Notes a change, within it.
---@param change botglue.RowChange
---@param own { row: integer, end_row: integer }? the rows of the range before that; where nobody knows, all may be
---@param is_near boolean whether what comes in comes into the range or next to it
function Arrivals:note(change, own, is_near)
  local first, gone_past = change.first, change.gone_past
  self.was_short = self.is_short
  if first == gone_past and first == change.past then
    return
  end
  local range = { { first, gone_past } }
  if own then
    range = own.row <= own.end_row and { { own.row, own.end_row + 1 } } or {}
  end
  local gone, came = gone_past - first, change.past - first
  local function is_theirs(from, past)
    return are_among(range, from, past)
      or are_among(self.spans, from, past)
      or are_among(self.new, from, past)
  end
  local is_own = gone > 0 and is_theirs(first, gone_past)
  self.is_short = self.is_short or are_among(range, first, gone_past)
  local cut = {}
  for i = 1, gone <= EACH and gone or 0 do
    cut[i] = is_theirs(first + i - 1, first + i)
  end
  local put = self.put
  if gone > 0 and put and (put[1] == gone_past or put[2] == first) then
    -- What was put in just now came for these.
    if not is_own then
      self:disown(put[1], put[2])
    end
    for i, each in ipairs(put[2] - put[1] == #cut and cut or {}) do
      if not each then
        self:disown(put[1] + i - 1, put[1] + i)
      end
    end
  end
  self.spans, self.new, self.others =
    moved(self.spans, change), moved(self.new, change), moved(self.others, change)
  self.put = gone == 0 and { first, change.past } or nil
  self.cut = gone > 0 and cut or self.cut
  if is_near and came > 0 then
    local is_others = gone > 0 and not is_own
    table.insert(is_others and self.others or self.new, { first, change.past })
    for i, each in ipairs(self.cut and #self.cut == came and self.cut or {}) do
      if not each then
        self:disown(first + i - 1, first + i)
      end
    end
  end
  self.new, self.others = joined(self.new), joined(self.others)
  if #self.new + #self.others > 0 then
    self.settles()
  end
end

--- Notes that rows which came in are somebody else's.
---@param first integer
---@param past integer the row behind the last one
function Arrivals:disown(first, past)
  local function without(spans)
    local all = {}
    for _, span in ipairs(spans) do
      for _, part in ipairs({ { span[1], math.min(span[2], first) }, { math.max(span[1], past), span[2] } }) do
        if part[1] < part[2] then
          all[#all + 1] = part
        end
      end
    end
    return all
  end
  self.spans, self.new = without(self.spans), without(self.new)
  self.others = joined(self.others, { { first, past } })
end

--- Notes that rows are as they were before another answer, which was taken back: whoever's they are, they came in.
---@param first integer
---@param past integer the row behind the last one
function Arrivals:restore(first, past)
  self.spans = joined(self.spans, { { first, past } })
end

--- Whether rows came in since.
---@param first integer
---@param past integer the row behind the last one
---@return boolean
function Arrivals:has(first, past)
  return first >= past
    or vim.iter(joined(self.spans, self.new)):any(function(span)
      return span[1] <= first and past <= span[2]
    end)
end

--- Whether one of these rows came in since.
---@param first integer
---@param past integer
---@return boolean
function Arrivals:has_any(first, past)
  return are_among(joined(self.spans, self.new), first, past)
end

--- Whether rows can be the range's: none of those are missing, or these came in since.
---@param first integer
---@param past integer
---@return boolean
function Arrivals:can_be(first, past)
  return not self.is_short or self:has(first, past)
end

--- All of the range is there.
function Arrivals:clear()
  self.is_short, self.was_short, self.put, self.cut = false, false, nil, nil
  self.spans, self.new, self.others = {}, {}, {}
end

--- The file was read again, or the last change put other text over the range and what is around it: nobody knows which
--- rows came in.
---@param is_change boolean? whether by the last change
function Arrivals:forget(is_change)
  if is_change then
    self.is_short = self.was_short
  end
  self.spans, self.new, self.others = {}, {}, {}
end

--- Notes what is known in an undo state.
---@param state integer
function Arrivals:note_state(state)
  if self.states[state] == nil then
    table.insert(self.order, state)
    if #self.order > STATES then
      self.states[table.remove(self.order, 1)] = nil
    end
  end
  self.states[state] = self.is_short and joined(self.spans, self.new)
end

--- Undo or redo brought a state back. Where it was not seen, all that came with it may be the range's.
---@param state integer?
function Arrivals:come_to(state)
  local spans = state and self.states[state]
  if spans then
    self.is_short, self.spans, self.new = true, spans, {}
  elseif spans == false then
    self:clear()
  else
    self.new = joined(self.new, self.others)
  end
  self.others, self.put = {}, nil
end

---@return botglue.Arrivals
function M.new()
  local self = setmetatable({ states = {}, order = {} }, Arrivals)
  self:clear()
  self.settles = soon.once(function()
    self.spans = self.is_short and joined(self.spans, self.new) or {}
    self.new, self.others, self.put = {}, {}, nil
  end)
  return self
end

return M
