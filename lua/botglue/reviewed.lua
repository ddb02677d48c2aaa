--- What a review has seen of the place of a held answer: where it was in each undo state of the buffer, and what the
--- merge begins with.
---
--- That is what was sent, with what the user took of the answer by hand. What becomes of it later, in the answer or in
--- the buffer, is a change that was made after that; but undone in the buffer it was never taken.

local find = require("botglue.find")
local locate = require("botglue.locate")
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
---@field text botglue.Base that stood there
---@field before botglue.Base? of the range
---@field landed botglue.Base? of the range
---@field change integer? of the range
---@field widened integer? of the range
---@field base string[]?
---@field beside string?
---@field bases table<string, string[]>

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

--- How often each row stands in a text.
---@param rows string[]
---@return table<string, integer>
local function count(rows)
  local counts = {}
  for _, row in ipairs(rows) do
    counts[row] = (counts[row] or 0) + 1
  end
  return counts
end

--- Whether a base has a row more often than it and both texts had it, or more seldom: the row was moved, and stands for
--- another one.
---@param agreed string[]
---@param ... string[] the base before and both texts
local function is_astray(agreed, ...)
  local now, counts = count(agreed), vim.tbl_map(count, { ... })
  local rows = vim.tbl_extend("force", unpack(counts)) --[[@as table<string, integer>]]
  return vim.iter(pairs(rows)):any(function(row)
    local least, most = math.huge, 0
    for _, often in ipairs(counts) do
      least, most = math.min(least, often[row] or 0), math.max(most, often[row] or 0)
    end
    local often = now[row] or 0
    return often < least or often > most
  end)
end

--- A base with what two texts made from it have in common, where both changed it.
---@param base string[]
---@param one string[]
---@param other string[]
---@return string[] base
local function agree_within(base, one, other)
  local hunks, agreed, row, taken = differences(base, one), {}, 0, 0
  for _, hunk in ipairs(differences(one, other)) do
    local from, to = rows_of(hunk[1], hunk[2])
    vim.list_extend(agreed, one, row + 1, from)
    local first, past = origin(hunks, from, to)
    vim.list_extend(agreed, base, math.max(first, taken) + 1, past)
    row, taken = to, math.max(past, taken)
  end
  vim.list_extend(agreed, one, row + 1, #one)
  return is_astray(agreed, base, one, other) and base or agreed
end

--- The regions of a base in which one of two texts made from it differs, or both: the rows of the base and of the texts
--- there, each as a half-open range.
---@param hunks botglue.Hunk[][] from the base to each text
---@return { base: integer[], [1]: integer[], [2]: integer[] }[]
local function regions(hunks)
  local found, at, grown = {}, { 1, 1 }, { 0, 0 }
  local function begins(i)
    local hunk = hunks[i][at[i]]
    return hunk and (rows_of(hunk[1], hunk[2])) or math.huge
  end
  while math.min(begins(1), begins(2)) < math.huge do
    local from = math.min(begins(1), begins(2))
    local region, past = { { from + grown[1] }, { from + grown[2] } }, from
    local i = begins(1) <= past and 1 or 2
    while begins(i) <= past do
      local hunk = hunks[i][at[i]]
      local _, to = rows_of(hunk[1], hunk[2])
      past, at[i], grown[i] = math.max(past, to), at[i] + 1, grown[i] + hunk[4] - hunk[2]
      i = begins(1) <= past and 1 or 2
    end
    region.base = { from, past }
    region[1][2], region[2][2] = past + grown[1], past + grown[2]
    table.insert(found, region)
  end
  return found
end

--- A base with what two texts made from it have in common. Where one of them alone changed it nothing is.
---@param base string[]
---@param one string[]
---@param other string[]
---@return string[] base
local function agree(base, one, other)
  local agreed, row = {}, 0
  for _, region in ipairs(regions({ differences(base, one), differences(base, other) })) do
    vim.list_extend(agreed, base, row + 1, region.base[1])
    local function slice(rows, range)
      return vim.list_slice(rows, range[1] + 1, range[2])
    end
    local before, ours, theirs = slice(base, region.base), slice(one, region[1]), slice(other, region[2])
    local is_both = not vim.deep_equal(before, ours) and not vim.deep_equal(before, theirs)
    vim.list_extend(agreed, is_both and agree_within(before, ours, theirs) or before)
    row = region.base[2]
  end
  vim.list_extend(agreed, base, row + 1, #base)
  return is_astray(agreed, base, one, other) and base or agreed
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
    text = now,
    before = range.before,
    landed = range.landed,
    change = range.change,
    widened = range.widened,
    base = base,
    beside = reviewed.beside,
    bases = vim.deepcopy(reviewed.bases),
  }
end

--- Where what was seen stands as it did, in a file that was read again or text that was put over it: there or near
--- there, between the same rows.
---@param range botglue.Range
---@param sight botglue.Sight
---@return botglue.Extent? place
local function put_anew(range, sight)
  local text = sight.text
  local around = vim.list_extend({ text.above, text.below }, text.rows)
  local rows = find.is_telling(around) and locate.between(range.bufnr, text, sight.place.first)
  local below = sight.place.last - sight.place.first
  return rows and vim.tbl_extend("force", sight.place, { first = rows.first, last = rows.first + below })
end

--- Whether what was seen stands there.
---@param range botglue.Range
---@param sight botglue.Sight
---@return boolean
local function stands(range, sight)
  local past = sight.shape == "insert" and sight.place.first or sight.place.last + 1
  local rows = api.nvim_buf_get_lines(range.bufnr, sight.place.first, past, false)
  return vim.deep_equal(rows, sight.text.rows)
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
  local is_read = range.reads ~= reviewed.reads
  if not sight and (is_read or range.replaced) then
    local last = reviewed.states[reviewed.state]
    local is_taken = not vim.deep_equal(M.base(job), range:lines_of(range.base))
    local there = last and is_taken and put_anew(range, last)
    local rows = is_read and place and range:lines_of(range:read(place))
    if there then
      sight = vim.tbl_extend("force", last, { place = there })
    elseif rows and vim.deep_equal(rows, range:lines_of(range.base)) then
      -- All of it was given back.
      reviewed.base, reviewed.bases = nil, {}
    end
  elseif is_followed and sight and vim.deep_equal(range:read(place).rows, sight.text.rows) then
    return
  end
  if sight and stands(range, sight) then
    range:restore(sight)
    reviewed.base, reviewed.state = sight.base, state
    reviewed.beside, reviewed.bases = sight.beside, vim.deepcopy(sight.bases)
  end
end

return M
