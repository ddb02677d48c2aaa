--- What a review has seen of the place of a held answer: where it was in each undo state of the buffer, and what the
--- merge begins with.
---
--- That is what was sent, with what the user took of the answer by hand. What becomes of it later, in the answer or in
--- the buffer, is a change that was made after that; but undone in the buffer it was never taken.

local agree = require("botglue.agree")
local extent = require("botglue.extent")
local find = require("botglue.find")
local locate = require("botglue.locate")
local moment = require("botglue.moment")
local recognise = require("botglue.recognise")
local soon = require("botglue.soon")
local undo_tree = require("botglue.undo_tree")

local M = {}

local api = vim.api

local PLACES = 32 -- as many are known of states that undo may come back to

---@class botglue.Reviewed
---@field bufnr integer
---@field base string[]? by lines: what the merge begins with
---@field beside string? the state of the answer's side when that was seen
---@field bases table<string, string[]> what it was in each of those states: what was taken over there and undone was
---never taken
---@field state integer the undo state in which it was seen last
---@field at integer the one at the last look
---@field reads integer? how often the file had been read again then
---@field states table<integer, botglue.Sight> by the number of the undo state
---@field order integer[] those numbers, as they were seen first
---@field shown [string[], string[]]? the rows of the place and those of the answer at the last look, by lines
---@field taken table<integer, botglue.Taken> what was in common, by the number of every state that was seen
---@field last_taken botglue.Taken? at the last look

---@class botglue.Taken what the merge began with then: one table for all states in which it did not change
---@field base string[]?
---@field beside string?
---@field bases table<string, string[]>

---@class botglue.Sight
---@field place botglue.Extent
---@field shape "line"|"char"|"block"|"insert"
---@field text botglue.Base that stood there
---@field count integer how many rows the buffer had
---@field before botglue.Base? of the range
---@field landed botglue.Base? of the range
---@field change integer? of the range
---@field widened integer? of the range

--- What was seen of a job in the buffer that it is in now.
---@param job botglue.Job
---@return botglue.Reviewed?
local function known(job)
  local reviewed = job.reviewed
  return reviewed and reviewed.bufnr == job.range.bufnr and reviewed or nil
end

---@param bufnr integer
---@return botglue.Reviewed
local function new(bufnr)
  return { bufnr = bufnr, states = {}, order = {}, bases = {}, taken = {} }
end

--- Notes what is in common in the state that the buffer is in.
---@param reviewed botglue.Reviewed
local function note_taken(reviewed)
  local now = { base = reviewed.base, beside = reviewed.beside, bases = reviewed.bases }
  local last = reviewed.last_taken
  if not last or not vim.deep_equal(last, now) then
    last = vim.deepcopy(now)
  end
  reviewed.last_taken, reviewed.taken[reviewed.state] = last, last
end

--- Notes where the answer is, in the state that the buffer is in.
---@param reviewed botglue.Reviewed
---@param range botglue.Range
---@param place botglue.Extent
---@param now botglue.Base what stands there
local function note(reviewed, range, place, now)
  if not reviewed.states[reviewed.state] then
    table.insert(reviewed.order, reviewed.state)
  end
  if #reviewed.order > PLACES then
    reviewed.states[table.remove(reviewed.order, 1)] = nil
  end
  reviewed.states[reviewed.state] = {
    place = place,
    shape = range.shape,
    text = now,
    count = api.nvim_buf_line_count(range.bufnr),
    before = range.before,
    landed = range.landed,
    change = range.change,
    widened = range.widened,
  }
  note_taken(reviewed)
end

--- Goes back to what was in common in a state.
---@param reviewed botglue.Reviewed
---@param state integer? none: nothing was
local function restore_taken(reviewed, state)
  local taken = state and reviewed.taken[state] or { bases = {} }
  reviewed.base, reviewed.beside, reviewed.bases = taken.base, taken.beside, vim.deepcopy(taken.bases)
  reviewed.last_taken = taken
end

--- What was in common at the last look.
---@param job botglue.Job
---@return string[]
local function common_base(job)
  local reviewed = known(job)
  return reviewed and reviewed.base or job.range:lines_of(job.range.base)
end

--- What the merge begins with. Of a block a row that reads as it was sent again was taken no more.
---@param job botglue.Job
---@param current string[] by lines: what stands there
---@return string[]
function M.base(job, current)
  local sent, base = job.range:lines_of(job.range.base), common_base(job)
  if job.range.shape ~= "block" then
    return base
  end
  return vim
    .iter(ipairs(base))
    :map(function(i, row)
      return current[i] == sent[i] and sent[i] or row
    end)
    :totable()
end

--- Whether rows of the answer that were taken are in the text no more: somebody changed them there since.
---@param job botglue.Job
---@param base string[] what the merge began with
---@param lines string[] the answer
---@param text string[] what comes of it
---@return boolean
function M.is_overtaken(job, base, lines, text)
  return agree.is_overtaken(job.range:lines_of(job.range.base), base, lines, text)
end

--- Sees where the answer is, and what its place and the answer have in common.
---@param job botglue.Job
---@param place botglue.Extent
---@param answer string[]? by lines as it is shown beside them, where it can be told from what is around it; what is
--- typed in the buffer was not taken from it, whatever it reads
---@param beside string the state that the answer's side is in
---@param has_typed boolean? whether something was typed on either side since
function M.see(job, place, answer, beside, has_typed)
  local range, state = job.range, undo_tree.state(job.range.bufnr)
  local now, reviewed = range:read(place), known(job) or new(range.bufnr)
  local base
  local rows, shown, is_typing = range:lines_of(now), reviewed.shown, moment.is_typing(range.bufnr)
  if has_typed or not is_typing then
    reviewed.shown = answer and { rows, answer }
  end
  if range.shape ~= "insert" then
    base = reviewed.base
    if answer and not is_typing then
      local is_taking = not has_typed and shown ~= nil and agree.is_taking(shown, reviewed.shown)
      local function common(from)
        if range.shape == "block" then
          return agree.block(from, rows, answer)
        elseif is_taking then
          return agree.taken(from, shown, reviewed.shown)
        end
        return agree.lines(from, rows, answer)
      end
      local before = common_base(job)
      if reviewed.beside == beside then
        base = common(before)
        if not vim.deep_equal(base, before) then
          -- Taken over into the buffer, it stays taken whatever is undone over there.
          for other, theirs in pairs(reviewed.bases) do
            reviewed.bases[other] = common(theirs)
          end
        end
      else
        base = common(reviewed.bases[beside] or before)
      end
      reviewed.beside, reviewed.bases[beside] = beside, base
    end
  end
  job.reviewed, reviewed.base, reviewed.reads = reviewed, base, range.reads
  reviewed.state, reviewed.at = state, state
  -- Also when the review is over: what is undone then was never taken.
  range.changes = range.changes
    or soon.once(function()
      if job.landing == "held" then
        M.look(job)
      end
    end)
  note(reviewed, range, place, now)
end

--- Where what was seen stands as it did, in a file that was read again or text that was put over it: there or near
--- there, between the same rows.
---@param range botglue.Range
---@param sight botglue.Sight
---@return botglue.Extent? place
local function put_anew(range, sight)
  local text = sight.text
  local around = vim.list_extend(vim.list_extend({ text.above }, text.rows), { text.below })
  local rows = find.is_telling(around) and locate.between(range.bufnr, text, sight.place.first)
  local below = sight.place.last - sight.place.first
  return rows and vim.tbl_extend("force", sight.place, { first = rows.first, last = rows.first + below })
end

--- Whether what was seen stands there, between the same rows.
---@param range botglue.Range
---@param sight botglue.Sight
---@return boolean
local function stands(range, sight)
  local place, count = sight.place, api.nvim_buf_line_count(range.bufnr)
  return (sight.shape == "insert" and place.first <= count or place.last < count)
    and vim.deep_equal(extent.read(range.bufnr, place, sight.shape), sight.text)
end

--- Begins anew with the undo tree. What was taken in one of the states that were seen is known in the one that it has
--- come to.
---@param reviewed botglue.Reviewed
---@param from integer?
---@param to integer
local function begin_tree(reviewed, from, to)
  local taken = from and reviewed.taken[from]
  reviewed.states, reviewed.order, reviewed.taken = {}, {}, { [to] = taken }
end

--- Whether something of the answer was taken in a state.
---@param job botglue.Job
---@param reviewed botglue.Reviewed
---@param state integer
---@return boolean
local function has_taken(job, reviewed, state)
  local taken = reviewed.taken[state]
  return taken ~= nil
    and taken.base ~= nil
    and not vim.deep_equal(taken.base, job.range:lines_of(job.range.base))
end

--- Whether anything of the answer was taken, in any state that was seen.
---@param job botglue.Job
---@param reviewed botglue.Reviewed
---@return boolean
local function was_taken(job, reviewed)
  return vim.iter(pairs(reviewed.taken)):any(function(state)
    return has_taken(job, reviewed, state)
  end)
end

--- Whether a text that was read again is as long as where something was taken, and only there: that may be left in it,
--- changed by somebody else.
---@param job botglue.Job
---@param reviewed botglue.Reviewed
---@return boolean
local function may_be_left(job, reviewed)
  local count = api.nvim_buf_line_count(job.range.bufnr)
  local is_any = false
  for state, sight in pairs(reviewed.states) do
    if sight.count == count and not has_taken(job, reviewed, state) then
      return false
    end
    is_any = is_any or sight.count == count
  end
  return is_any
end

--- Whether what is next to the place of a held answer reads as what that adds there.
---@param job botglue.Job
---@param place botglue.Extent
---@return boolean
local function is_begun(job, place)
  local range = job.range
  return recognise.is_begun(range, place, range.base, require("botglue.decide").answer(job))
end

--- What was seen that stands in a file that was read again, or in text that was put over it: the last one, or one that
--- may have been written before that. Where several stand, it is one of as many rows in all as there are now; else one
--- that has the rows of the other and more.
---@param job botglue.Job
---@param reviewed botglue.Reviewed
---@return botglue.Sight? sight
---@return integer? state in which it was seen
local function find_anew(job, reviewed)
  local range, found, state = job.range, nil, nil
  local count = api.nvim_buf_line_count(range.bufnr)
  local function is_better(one, other)
    if (one.count == count) ~= (other.count == count) then
      return one.count == count
    end
    return #one.text.rows > #other.text.rows
  end
  local may_be_changed = may_be_left(job, reviewed)
  local states = vim.list_extend({ reviewed.state }, vim.iter(reviewed.order):rev():totable())
  for _, each in ipairs(states) do
    local sight = reviewed.states[each]
    local place = sight and put_anew(range, sight)
    if place and (not found or is_better(sight, found)) then
      if has_taken(job, reviewed, each) or not (may_be_changed or is_begun(job, place)) then
        found, state = vim.tbl_extend("force", sight, { place = place }), each
      end
    end
  end
  return found, state
end

--- The file was read again, and nobody knows what is left of what was taken: the merge knows what stands there.
---@param job botglue.Job
---@param reviewed botglue.Reviewed
---@param state integer
---@param was_any boolean whether anything was taken
local function forget_taken(job, reviewed, state, was_any)
  local range = job.range
  restore_taken(reviewed, nil)
  reviewed.taken[state], reviewed.at, reviewed.reads = reviewed.last_taken, state, range.reads
  local place = was_any and range:place()
  if place and may_be_left(job, reviewed) then
    -- Neither its own rows nor those next to it tell where it is.
    range.single, range.twice, range.alone = false, true, true
    range:unmark()
  elseif place and is_begun(job, place) then
    -- Not what was put in next to it.
    range:unmark()
  end
end

--- Goes back to what was seen where undo or redo brought the text back that stood there then: marks know nothing of
--- where they were set since.
---@param job botglue.Job
function M.look(job)
  local range, reviewed = job.range, known(job)
  if not reviewed or not api.nvim_buf_is_loaded(range.bufnr) then
    return
  end
  local state = undo_tree.state(range.bufnr)
  local place, is_read = range:place(), range.reads ~= reviewed.reads
  -- While somebody goes on typing the state is the same, and the marks know best. It is the same, too, where both undo
  -- and redo came since the last look.
  local is_followed = state == reviewed.at and state == reviewed.state and place ~= nil
  local sight, known_by, was_any = reviewed.states[state], state, was_taken(job, reviewed)
  if sight and is_read and (was_any or not stands(range, sight)) then
    -- What was there before it was unloaded.
    sight = nil
  end
  local is_new = not sight and (is_read or range.replaced)
  if is_new and was_any then
    sight, known_by = find_anew(job, reviewed)
  end
  if undo_tree.is_behind(range.bufnr, reviewed.taken) then
    begin_tree(reviewed, (sight or is_read) and known_by or reviewed.at, state)
    known_by = state
  end
  if is_new and not sight and is_read then
    forget_taken(job, reviewed, state, was_any)
  elseif not is_new and is_followed and sight and vim.deep_equal(range:read(place).rows, sight.text.rows) then
    reviewed.reads = range.reads
    if is_read or not stands(range, sight) then
      -- What is typed next to it, or above it, is the same state key by key.
      note(reviewed, range, place, range:read(place))
    end
    return
  end
  if sight and stands(range, sight) then
    range:restore(sight)
    restore_taken(reviewed, known_by)
    reviewed.state, reviewed.at, reviewed.reads = state, state, range.reads
    note(reviewed, range, sight.place, range:read(sight.place))
  elseif sight and is_followed and not is_read then
    -- It is typed in.
    note(reviewed, range, place, range:read(place))
  elseif not is_read and not range.replaced and state ~= reviewed.at then
    -- Where it was then nobody saw, or it is forgotten: the marks know. What is typed takes nothing.
    restore_taken(reviewed, undo_tree.latest(range.bufnr, reviewed.taken))
    reviewed.at = state
    if place and undo_tree.is_last(range.bufnr) then
      -- It may be undone and redone.
      reviewed.state = state
      note(reviewed, range, place, range:read(place))
    end
  end
end

return M
