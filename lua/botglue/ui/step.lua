--- Keeps the two sides of a review in step: the text around the answer follows the buffer, unless the user changed it
--- in the answer's side.

local agree = require("botglue.agree")
local beside = require("botglue.ui.beside")
local fill = require("botglue.ui.fill")
local moment = require("botglue.moment")
local replace = require("botglue.replace")
local reviewed = require("botglue.reviewed")
local taken = require("botglue.ui.taken")
local undo_tree = require("botglue.undo_tree")
local write = require("botglue.write")

local M = {}

local api = vim.api

local VERSIONS = 32 -- of what was copied from around the answer

---@class botglue.Around
---@field above string[]
---@field count integer how many rows are between
---@field below string[]

---@class botglue.Copy
---@field rows string[]
---@field state integer the undo state of the answer's side in which they are there

---@class botglue.Own what the user changed around the answer on its side
---@field states table<integer, boolean> the undo states of that side in which they were seen to
---@field rows table<string, boolean> what they put there

---@class botglue.Step
---@field side botglue.Side its place is known
---@field rows string[] those of the place at first
---@field lines string[] the buffer's at the last look
---@field around botglue.Around in the buffer at the last look
---@field widened integer? of the range then
---@field beside botglue.Besides? of an answer that is part of its rows
---@field copied integer? the undo state of the answer's side that the last copy led to
---@field seen integer[] the changedtick of the buffer and of the answer's side at the last look
---@field is_typed boolean? whether all that has changed in the buffer since was typed
---@field has_typed boolean? whether something was typed on one of both sides since
---@field is_put boolean? whether no rows came in since that were all blank
---@field followed table<"above"|"below", botglue.Copy[]> from around the answer, the newest last
---@field own table<"above"|"below", botglue.Own>
---@field newest integer the newest undo state of the answer's side at the last look
local Step = {}
Step.__index = Step

--- The row behind a place.
---@param range botglue.Range
---@param place botglue.Extent
---@return integer
local function below(range, place)
  return range.shape == "insert" and place.first or place.last + 1
end

--- The text around a place.
---@param range botglue.Range
---@param place botglue.Extent
---@return botglue.Around
local function text_around(range, place)
  -- The one row of an empty buffer is nobody's.
  local lines = replace.is_empty(range.bufnr) and {} or api.nvim_buf_get_lines(range.bufnr, 0, -1, false)
  return {
    above = vim.list_slice(lines, 1, place.first),
    count = below(range, place) - place.first,
    below = vim.list_slice(lines, below(range, place) + 1),
  }
end

--- Whether rows around the answer are a copy, though maybe not the last one: an undo of a later copy is no change. What
--- the user put there is theirs, also where the buffer has had the same.
---@param part "above"|"below"
---@param shown string[]
---@return boolean
function Step:is_copied(part, shown)
  local followed, own = self.followed[part], self.own[part]
  local last, state = followed[#followed].rows, undo_tree.state(self.side.bufnr)
  if vim.deep_equal(shown, last) then
    return true
  elseif state > self.newest or own.states[state] then
    return false
  end
  local is_own = vim.iter(shown):any(function(row)
    return own.rows[row] and not vim.list_contains(last, row)
  end)
  return not is_own
    and vim.iter(followed):any(function(copy)
      return vim.deep_equal(shown, copy.rows)
    end)
end

--- Notes that rows around the answer are as in the buffer, and no change of the user's.
---@param part "above"|"below"
---@param rows string[]
function Step:note_copy(part, rows)
  local followed = self.followed[part]
  followed[#followed].rows = rows
end

--- Notes what the user changed around the answer here.
---@param part "above"|"below"
---@param shown string[]
function Step:note_own(part, shown)
  local followed, own = self.followed[part], self.own[part]
  own.states[undo_tree.state(self.side.bufnr)] = true
  local were_there = {}
  for _, row in ipairs(followed[#followed].rows) do
    were_there[row] = true
  end
  for _, row in ipairs(shown) do
    if not were_there[row] then
      own.rows[row] = true
    end
  end
end

--- Copies to the answer's side. Undo there is for what the user changes there: before that nothing of it can be undone,
--- and later all that is copied between two changes is one step, as what is typed in the buffer key by key.
---@param fn fun()
function Step:copy(fn)
  local bufnr = self.side.bufnr
  if self.side:is_touched() then
    write.as_one_step(bufnr, fn, self.copied == undo_tree.state(bufnr) and undo_tree.is_last(bufnr))
  else
    fill.without_undo(bufnr, fn)
  end
  self.copied = undo_tree.state(bufnr)
end

--- Copies rows from around the answer, unless the user changed them here.
---@param part "above"|"below"
---@param from integer
---@param to integer
---@param source string[]
---@param is_copied boolean whether those there are a copy
---@return boolean same whether both sides are the same there
function Step:follow(part, from, to, source, is_copied)
  local followed, bufnr = self.followed[part], self.side.bufnr
  local shown = api.nvim_buf_get_lines(bufnr, from, to, false)
  if not is_copied then
    self:note_own(part, shown)
  end
  if not vim.deep_equal(shown, source) then
    if not is_copied then
      return false
    end
    -- Only what differs: the cursor and folds stay on the rest.
    local head, tail = replace.shared(shown, source)
    local lines = vim.list_slice(source, head + 1, #source - tail)
    self:copy(function()
      api.nvim_buf_set_lines(bufnr, from + head, from + #shown - tail, false, lines)
    end)
  end
  local last, state = followed[#followed], undo_tree.state(bufnr)
  if last.state == state then
    last.rows = source
  elseif not vim.deep_equal(last.rows, source) then
    table.insert(followed, { rows = source, state = state })
    if #followed > VERSIONS then
      table.remove(followed, 1)
    end
  end
  return true
end

--- Sees what of the answer stands in the buffer.
---@param place botglue.Extent
function Step:see(place)
  local side = self.side
  local answer = side:part()
  local is_given = answer and vim.deep_equal(answer, side.given)
  local seen_beside = is_given and "as given" or ("%d of %d"):format(undo_tree.state(side.bufnr), side.bufnr)
  reviewed.see(side.job, place, answer, seen_beside, self.has_typed)
  self.has_typed = nil
end

--- Sees what both sides have in common since the answer's side alone was changed: also what the user took over from the
--- buffer. What is typed there is seen when that is over.
function Step:see_answer()
  local side, range = self.side, self.side.job.range
  if not api.nvim_buf_is_valid(side.bufnr) or not api.nvim_buf_is_loaded(range.bufnr) then
    return
  end
  local is_here = api.nvim_buf_get_changedtick(side.bufnr) ~= self.seen[2]
    and api.nvim_buf_get_changedtick(range.bufnr) == self.seen[1]
  local is_held = side.job.landing == "held" and not (side:is_typed_in() or moment.is_typing(range.bufnr))
  local place = is_here and is_held and range:look()
  if place then
    self:find_answer(place)
    self:see(place)
  end
end

--- Whether all that has changed in the buffer was taken over from the other window: a diff may show a deletion beside
--- the answer.
---@param lines string[] of the buffer
---@param shown string[] of the answer's side
---@return boolean
function Step:is_taken(lines, shown)
  return api.nvim_get_current_buf() == self.side.bufnr
    and undo_tree.is_last(self.side.job.range.bufnr)
    and agree.is_taking({ self.lines, shown }, { lines, shown })
end

--- The place of the answer in the buffer, where rows were put there by hand: what is around it tells, which is as on
--- the answer's side, or as it was.
---@param place botglue.Extent? as the marks have it
---@param is_untouched boolean whether what was sent stands there
---@return botglue.Extent? place
function Step:place(place, is_untouched)
  local side, range, around = self.side, self.side.job.range, self.around
  local lines, shown = api.nvim_buf_get_lines(range.bufnr, 0, -1, false), side:lines()
  local answer_first, answer_past = side:rows()
  local first = taken.above(lines, vim.list_slice(shown, 1, answer_first), around.above)
  local past = taken.below(lines, vim.list_slice(shown, answer_past + 1), around.below)
  local slid
  if first and place and not past and not self.beside then
    local was_past = math.min(below(range, place), first + around.count)
    past, slid = taken.slid(lines, place.first, was_past, shown, answer_first, answer_past)
  end
  first = first or place and place.first
  past = past or place and below(range, place)
  if self.beside and vim.deep_equal(lines, shown) then
    -- All of it was taken, and what is around it on both sides is the same.
    first, past = answer_first, answer_past
  end
  local is_less = place and (first > place.first or past < below(range, place))
  if is_less and is_untouched and not self:is_taken(lines, shown) then
    -- A row next to it may read like one at its edge, and be gone again.
    first, past = math.min(first, place.first), math.max(past, below(range, place))
  end
  if not first or not past or first > past then
    return place
  end
  local answer = vim.list_slice(shown, answer_first + 1, answer_past + (slid or 0))
  local rows = vim.list_slice(lines, first + 1, past)
  if place and not self.is_put then
    rows, first = taken.leave_blank(place, below(range, place), rows, first, answer)
  end
  place = taken.take(range, place, rows, first, answer, self.beside and self.beside.now)
  if slid and place and below(range, place) == past then
    -- What is below it on both sides is the answer's now: it was shown as what that adds.
    range.widened = (range.widened or 0) + 1
    side.region:mark(answer_first, answer_past + slid)
    self:note_copy("below", vim.list_slice(lines, past + 1))
  end
  return place
end

--- Sees where the answer is on its side, where rows were put there by hand: the buffer tells.
---@param place botglue.Extent
function Step:find_answer(place)
  local side = self.side
  local from, to = side:rows()
  local is_copied = self:is_copied("above", side:read(0, from)) and self:is_copied("below", side:read(to, -1))
  if is_copied and (not self.beside or self.beside:fits(side:read(from, to))) and not side:is_taken() then
    return
  end
  self:align(place)
end

--- Marks the answer on its side between what is as around its place in the buffer.
---@param place botglue.Extent
---@param is_within boolean? whether it has to be in the rows that are marked
---@return boolean? is_known
function Step:align(place, is_within)
  local side, range = self.side, self.side.job.range
  local lines, shown = api.nvim_buf_get_lines(range.bufnr, 0, -1, false), side:lines()
  local first = taken.above(shown, vim.list_slice(lines, 1, place.first))
  local past = taken.below(shown, vim.list_slice(lines, below(range, place) + 1))
  if not first or not past or first > past then
    return nil
  end
  local from, to = side:rows()
  local is_it = not is_within or (from <= first and past <= to)
  if is_it and (not self.beside or self.beside:fits(side:read(first, past))) then
    side.region:mark(first, past)
    return true
  end
end

--- Rows of the buffer were changed. What is typed is not taken from the answer's side, whatever it reads; a blank row
--- may have been opened to type in: that is seen later.
---@param rows string[] as they are now
function Step:note_typing(rows)
  local is_blank = vim.iter(rows):all(function(row)
    return not row:find("%S")
  end)
  local is_typing = moment.is_typing(self.side.job.range.bufnr)
  if is_typing or #rows == 0 or not is_blank then
    self.is_typed = self.is_typed ~= false and is_typing
  end
  if #rows > 0 then
    self.is_put = self.is_put ~= false and not is_blank
  end
  self:note_key()
end

--- One of both sides was changed: what is typed was not taken over from the other.
function Step:note_key()
  self.has_typed = self.has_typed or api.nvim_get_mode().mode:find("^[iR]") ~= nil
end

--- Sees where the answer is on both sides now: where one was changed, the other tells.
---@return botglue.Extent? place nil where it is gone
function Step:look()
  local side, range, seen = self.side, self.side.job.range, self.seen
  if self.beside then
    self.beside:see()
  end
  self.seen = { api.nvim_buf_get_changedtick(range.bufnr), api.nvim_buf_get_changedtick(side.bufnr) }
  reviewed.look(side.job)
  local place, state = range:look()
  place = place or not (range.reloaded or range.replaced) and range:place() or nil
  if place and not self.beside and range.widened ~= self.widened and self:align(place) then
    -- By undo or redo in the buffer what is below it has become part of it, or is that no more.
    self:note_copy("below", text_around(range, place).below)
  end
  local is_changed, is_typed = self.seen[1] ~= seen[1], self.is_typed
  self.is_typed = nil
  if is_typed == nil then
    is_typed = moment.is_typing(range.bufnr)
  end
  if is_changed and not (is_typed and place) then
    place = self:place(place, state == "untouched")
  end
  self.is_put, self.lines = nil, api.nvim_buf_get_lines(range.bufnr, 0, -1, false)
  if place and self.seen[2] ~= seen[2] and (self.beside or not is_changed) then
    self:find_answer(place)
  elseif place and self.beside and is_changed and not self.beside:fits(side:read(side:rows())) then
    -- Rows that were typed next to a part stand in the buffer now.
    self:align(place, true)
  end
  self.widened = range.widened
  return place
end

--- Whether there is nothing around the answer, and nothing of what was.
function Step:is_bare()
  return vim.iter({ "above", "below" }):all(function(part)
    local followed = self.followed[part]
    return #self.around[part] == 0 and #followed[#followed].rows == 0
  end)
end

--- Whether text around a part went over to its rows, or from them, that its side cannot follow.
---@param place botglue.Extent
---@param around botglue.Around
---@return boolean
function Step:is_parted(place, around)
  return self.beside:is_parted(place, self.around, around, function()
    local first, past = self.side:rows()
    return not self:is_copied("above", self.side:read(0, first))
      or not self:is_copied("below", self.side:read(past, -1))
  end)
end

--- Keeps the text around the answer as it is in the buffer: what lands or is typed there is no part of the answer.
---@return boolean? same whether the text around the answer is the same on both sides; nil where its place is gone
function Step:refresh()
  local side, range = self.side, self.side.job.range
  local place = self:look()
  if not place then
    return nil
  end
  local around = text_around(range, place)
  if self.beside and self:is_parted(place, around) then
    self.around = around
    self:see(place)
    return false
  end
  self.around = around
  if not self.beside and self:is_bare() then
    side:take_all()
  end
  local first, past = side:rows()
  local is_above, is_below =
    self:is_copied("above", side:read(0, first)), self:is_copied("below", side:read(past, -1))
  local under = self:follow("below", past, -1, self.around.below, is_below)
  local over = self:follow("above", 0, first, self.around.above, is_above)
  -- Where rows are replaced next to them the marks go astray.
  local start = over and #self.around.above or first
  side.region:mark(start, start + past - first)
  if self.beside then
    self.beside:follow(function(fn)
      self:copy(fn)
    end)
  end
  self:see(place)
  self.newest = math.max(self.newest, undo_tree.state(side.bufnr))
  self.seen[2] = api.nvim_buf_get_changedtick(side.bufnr)
  return over and under
end

--- The review ends. Where rows of a part were taken, and not all of them, its place is beyond doubt only as long as
--- both sides are shown.
function Step:close()
  local job = self.side.job
  if self.beside and api.nvim_buf_is_loaded(job.range.bufnr) then
    local place = job.range:look()
    job.taken = job.taken or not place or not vim.deep_equal(job.range:read(place).rows, self.rows)
  end
end

--- From now on the side follows the buffer that its rows were copied from.
---@param side botglue.Side
---@param place botglue.Extent
---@return botglue.Step
function M.new(side, place)
  local range = side.job.range
  local first, past = side:rows()
  local state = undo_tree.state(side.bufnr)
  return setmetatable({
    side = side,
    beside = side:is_part() and beside.new(side, place) or nil,
    seen = { api.nvim_buf_get_changedtick(range.bufnr), api.nvim_buf_get_changedtick(side.bufnr) },
    rows = range:read(place).rows,
    lines = api.nvim_buf_get_lines(range.bufnr, 0, -1, false),
    widened = range.widened,
    around = text_around(range, place),
    followed = {
      above = { { rows = side:read(0, first), state = state } },
      below = { { rows = side:read(past, -1), state = state } },
    },
    own = { above = { states = {}, rows = {} }, below = { states = {}, rows = {} } },
    newest = state,
  }, Step)
end

return M
