--- What a review has seen of the place of a held answer: where it was in each undo state of the buffer, and what the
--- merge begins with.
---
--- That is what was sent, with what the user took of the answer by hand. What becomes of it later, in the answer or in
--- the buffer, is a change that was made after that; but undone in the buffer it was never taken.

local moment = require("botglue.moment")
local soon = require("botglue.soon")
local undo_tree = require("botglue.undo_tree")

local M = {}

local api = vim.api
local diff = vim.text and vim.text.diff or vim.diff

local STATES = 32 -- as many as undo may come back to

---@class botglue.Reviewed
---@field bufnr integer
---@field base string[]? by lines: what the merge begins with
---@field beside string? the state of the answer's side when that was seen
---@field bases table<string, string[]> what it was in each of those states: what was taken over there and undone was
---never taken
---@field state integer the undo state at the last look
---@field reads integer? how often the file had been read again then
---@field states table<integer, botglue.Sight> by the number of the undo state
---@field order integer[] those numbers, as they were seen first

---@class botglue.Sight
---@field place botglue.Extent
---@field shape "line"|"char"|"block"|"insert"
---@field rows string[] that stood there
---@field before botglue.Base? of the range
---@field landed botglue.Base? of the range
---@field change integer? of the range
---@field widened integer? of the range
---@field base string[]?

---@class botglue.Hunk
---@field [1] integer the first row of the one text, from 1; of no rows the one above
---@field [2] integer how many
---@field [3] integer the first row of the other text
---@field [4] integer how many

--- Where two texts differ.
---@param one string[]
---@param other string[]
---@return botglue.Hunk[]
local function differences(one, other)
  local function text(rows)
    return #rows > 0 and table.concat(rows, "\n") .. "\n" or ""
  end
  return diff(text(one), text(other), { result_type = "indices" }) --[[@as botglue.Hunk[] ]]
end

--- The rows of a hunk as a half-open range: those behind `from`, up to `to`.
---@param start integer
---@param count integer
---@return integer from
---@return integer to
local function rows_of(start, count)
  local from = count == 0 and start or start - 1
  return from, from + count
end

--- The rows of a base that stand for rows of a text made from it. Where only part of a change is asked for, all of what
--- it replaced stands for that.
---@param hunks botglue.Hunk[] from the base to the text
---@param from integer
---@param to integer
---@return integer from
---@return integer to
local function origin(hunks, from, to)
  local before, after = 0, 0 -- how many rows the text has more than the base
  local first, past
  for _, hunk in ipairs(hunks) do
    local base_from, base_to = rows_of(hunk[1], hunk[2])
    local text_from, text_to = rows_of(hunk[3], hunk[4])
    local grown = hunk[4] - hunk[2]
    if text_to <= from and text_from < from then
      before = before + grown
    elseif text_from <= from and from < text_to then
      first = base_from
    end
    if text_to <= to then
      after = after + grown
    elseif text_from < to then
      past = base_to
    end
  end
  return first or from - before, past or to - after
end

--- A base with what two texts made from it have in common.
---@param base string[]
---@param one string[]
---@param other string[]
---@return string[] base
local function agree(base, one, other)
  if vim.deep_equal(base, one) or vim.deep_equal(base, other) then
    return base
  end
  local hunks, agreed, row, taken = differences(base, one), {}, 0, 0
  for _, hunk in ipairs(differences(one, other)) do
    local from, to = rows_of(hunk[1], hunk[2])
    vim.list_extend(agreed, one, row + 1, from)
    local first, past = origin(hunks, from, to)
    vim.list_extend(agreed, base, math.max(first, taken) + 1, past)
    row, taken = to, math.max(past, taken)
  end
  return vim.list_extend(agreed, one, row + 1, #one)
end

--- The same of a block, in which each row stands for itself.
---@param base string[]
---@param one string[]
---@param other string[]
---@return string[] base
local function agree_by_row(base, one, other)
  local agreed = {}
  for i, text in ipairs(base) do
    agreed[i] = one[i] == other[i] and one[i] or text
  end
  return agreed
end

--- A base with what two texts of a range made from it have in common.
---@param range botglue.Range
local function common(range, base, one, other)
  return (range.shape == "block" and agree_by_row or agree)(base, one, other)
end

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
  return { bufnr = bufnr, states = {}, order = {}, bases = {} }
end

--- What the merge begins with.
---@param job botglue.Job
---@return string[]
function M.base(job)
  local reviewed = known(job)
  return reviewed and reviewed.base or job.range:lines_of(job.range.base)
end

--- Sees where the answer is, and what its place and the answer have in common.
---@param job botglue.Job
---@param place botglue.Extent
---@param answer string[]? by lines as it is shown beside them, where it can be told from what is around it; what is
--- typed in the buffer was not taken from it, whatever it reads
---@param beside string the state that the answer's side is in
function M.see(job, place, answer, beside)
  local range, state = job.range, undo_tree.state(job.range.bufnr)
  local now, reviewed = range:read(place), known(job) or new(range.bufnr)
  local base
  if range.shape ~= "insert" then
    base = reviewed.base
    if answer and not moment.is_typing(range.bufnr) then
      local before, rows = M.base(job), range:lines_of(now)
      if reviewed.beside == beside then
        base = common(range, before, rows, answer)
        if not vim.deep_equal(base, before) then
          -- Taken over into the buffer, it stays taken whatever is undone over there.
          for other, theirs in pairs(reviewed.bases) do
            reviewed.bases[other] = common(range, theirs, rows, answer)
          end
        end
      else
        base = common(range, reviewed.bases[beside] or before, rows, answer)
      end
      reviewed.beside, reviewed.bases[beside] = beside, base
    end
  end
  job.reviewed, reviewed.base, reviewed.state, reviewed.reads = reviewed, base, state, range.reads
  -- Also when the review is over: what is undone then was never taken.
  range.changes = range.changes
    or soon.once(function()
      if job.landing == "held" then
        M.look(job)
      end
    end)
  if not reviewed.states[reviewed.state] then
    table.insert(reviewed.order, reviewed.state)
  end
  if #reviewed.order > STATES then
    reviewed.states[table.remove(reviewed.order, 1)] = nil
  end
  reviewed.states[reviewed.state] = {
    place = place,
    shape = range.shape,
    rows = now.rows,
    before = range.before,
    landed = range.landed,
    change = range.change,
    widened = range.widened,
    base = base,
  }
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
  local sight = reviewed.states[state]
  local place = range:place()
  -- While somebody goes on typing the state is the same, and the marks know best. It is the same, too, where both undo
  -- and redo came since the last look.
  local is_followed = state == reviewed.state and place ~= nil
  if not sight then
    local is_read = range.reads ~= reviewed.reads
    local rows = place and is_read and range:lines_of(range:read(place))
    if rows and vim.deep_equal(rows, range:lines_of(range.base)) then
      -- All of it was given back.
      reviewed.base, reviewed.bases = nil, {}
    end
    return
  elseif is_followed and vim.deep_equal(range:read(place).rows, sight.rows) then
    return
  end
  local past = sight.shape == "insert" and sight.place.first or sight.place.last + 1
  local rows = api.nvim_buf_get_lines(range.bufnr, sight.place.first, past, false)
  if vim.deep_equal(rows, sight.rows) then
    range:restore(sight)
    reviewed.base, reviewed.state = sight.base, state
  end
end

return M
