--- Knows a range by its text, where its marks tell nothing: its own rows, and those next to it. In all doubt it is not
--- known. Nothing is marked here.

local extent = require("botglue.extent")
local find = require("botglue.find")
local locate = require("botglue.locate")

local M = {}

local api = vim.api

local OWN = 16 -- rows of the user's own between what was taken of an answer and the range

--- The rows that a range is known by: its own, or those that an insertion goes between.
---@param range botglue.Range
---@return string[]
local function telltale(range)
  local expected = range:expected()
  return range.shape == "insert" and vim.list_extend({ expected.above }, { expected.below }) or expected.rows
end

--- Its own rows and those next to it.
---@param range botglue.Range
---@return string[]
local function surrounded(range)
  local expected = range:expected()
  local rows = vim.list_extend({ expected.above }, expected.rows)
  rows[#rows + 1] = expected.below
  return rows
end

--- The place of a range whose text begins at a row.
---@param range botglue.Range
---@param row integer for an insertion the one above which it goes
---@return botglue.Extent
local function at(range, row)
  return range.shape == "insert" and { first = row, last = row }
    or extent.at(row, range:expected(), range.shape)
end

--- The place of a range whose text stands at a row together with the one above.
---@param range botglue.Range
---@param first integer the row of the one above, where there was one
---@return botglue.Extent
local function below(range, first)
  return at(range, range:expected().above and first + 1 or first)
end

--- The rows that the range is looked for by: its own where those stood once, else with those next to it.
---@param range botglue.Range
---@return string[]
local function known_by(range)
  return range.single and telltale(range) or surrounded(range)
end

--- Its place where those begin at a row.
---@param range botglue.Range
---@param first integer
---@return botglue.Extent
local function known_at(range, first)
  local is_below = range.shape == "insert" or not range.single
  return is_below and below(range, first) or at(range, first)
end

--- Whether the rows next to a place are those that were next to the range.
---@param range botglue.Range
---@param place botglue.Extent
---@return boolean
local function is_between(range, place)
  local expected, now = range:expected(), range:read(place)
  return now.above == expected.above and now.below == expected.below
end

--- Whether a row next to it reads as its own one: then it stands there twice, one row off, and once either is gone
--- nobody can tell which one that was.
---@param expected botglue.Base
---@return boolean
function M.has_alike(expected)
  local rows = expected.rows
  return #rows > 0 and (expected.above == rows[1] or expected.below == rows[#rows])
end

--- Notes what stands once: by that a range is known from now on. Looking for it takes a moment in a long file, so it is
--- done in the next one.
---@param range botglue.Range
function M.note(range)
  local bufnr = range.bufnr
  local tick, rows, all = api.nvim_buf_get_changedtick(bufnr), telltale(range), surrounded(range)
  range.single, range.sole, range.twice, range.put = false, false, false, nil
  if not find.is_telling(all) then
    return
  end
  local is_alike = M.has_alike(range:expected())
  vim.schedule(function()
    if api.nvim_buf_is_loaded(bufnr) and api.nvim_buf_get_changedtick(bufnr) == tick then
      local count = find.is_telling(rows) and find.rows(bufnr, rows) or 0
      range.single, range.twice = count == 1 and not is_alike, count > 1
      range.sole = range.single or find.only(bufnr, all) ~= nil
    end
  end)
end

--- Notes a change, called within it: whether it puts in the rows that the range is known by, which may be a copy. Only
--- what it puts in is looked at.
---@param range botglue.Range
---@param row integer where it begins
---@param old integer how many rows the old text went on for
---@param new integer how many the new one does
---@return boolean
function M.note_change(range, row, old, new)
  local put = range.put
  if put and row + old <= put.first then
    put.first = put.first + new - old
  elseif put and row < put.first + put.count then
    range.put = nil
  end
  local is_known = range.sole and not (range.reloaded or range.replaced)
  if not is_known or new + 1 < #range:expected().rows then
    return false
  end
  local own = range.marks:outline()
  if own and row <= own.row and own.end_row < row + old then
    return false -- put over the range
  end
  local rows, beside = known_by(range), range.single and 0 or 1
  local _, first = find.rows(range.bufnr, rows, math.max(row - beside, 0), row + new + 1 + beside)
  if first then
    range.put = { first = first, count = #rows, deleted = range.deleted }
  end
  return first ~= nil
end

--- Sees what was put in, once the change is over: a copy, where the range stands elsewhere or was taken away only then.
--- What was put over the range and all around it is none. Where there was a copy the text tells nothing any more.
---@param range botglue.Range
function M.see_copy(range)
  local put, bufnr = range.put, range.bufnr
  range.put = nil
  if not put or range.reloaded or range.replaced then
    return
  end
  local rows, place = known_by(range), known_at(range, put.first)
  if not vim.deep_equal(api.nvim_buf_get_lines(bufnr, put.first, put.first + put.count, false), rows) then
    return
  end
  local own, is_copy = range:place(), range.deleted
  if put.deleted then
    -- It may have been put back.
    is_copy = find.rows(bufnr, rows) > 1
  elseif own and not range.deleted then
    is_copy = place.first > own.last or place.last < own.first
  end
  if is_copy then
    range.single, range.sole, range.twice = false, false, true
  end
end

--- The place of rows that were taken away and put back where they were: between the same rows, all of which stood once
--- then, and stand once now. Where its own rows say too little, or it has none, they have to stand next to its marks.
---@param range botglue.Range
---@return botglue.Extent? place
local function put_back(range)
  local first = range.sole and find.only(range.bufnr, surrounded(range))
  local place = first and below(range, first)
  -- Others may have come to stand between those rows.
  local is_read = range.reloaded or range.replaced
  local is_back = place and (is_read or range.arrivals:can_be(place.first, place.last + 1))
  if not place or not is_back or not is_between(range, place) then
    return nil
  elseif range.single and range.shape ~= "insert" then
    return place
  end
  local mark = range.marks and range.marks:get(range.marks.ids[1])
  local near = mark and locate.between(range.bufnr, range:expected(), mark.row)
  return near and near.first == place.first and place or nil
end

--- Where what was sent, or landed, stands now: it stood once in the buffer then, and stands once now. That alone is
--- enough where the text around it was replaced. What the user took away has to be put back where it was.
---@param range botglue.Range
---@return botglue.Extent? place
function M.moved(range)
  if range.deleted or not (range.reloaded or range.replaced) then
    return put_back(range)
  end
  if range.changed and not range.reloaded then
    -- It did not read so before that: what does now is something else.
    return nil
  end
  local first = range.single and find.only(range.bufnr, telltale(range))
  local place = first and known_at(range, first)
  -- A row of it that was taken away may be another one now.
  return place and (not range.arrivals.is_short or is_between(range, place)) and place or nil
end

--- Where what an answer was written over stands again, as it did and between the same rows: the answer was undone. Of
--- what it took away the marks know nothing, and they stay where they are: a redo may bring back what is theirs.
---@param range botglue.Range
---@return botglue.Extent? place
---@return "line"|"char"|"block"|"insert"|nil shape
function M.undone(range)
  local bufnr, before = range.bufnr, range.before
  local is_there = before and range.marks and api.nvim_buf_is_loaded(bufnr)
  local mark = is_there and range.marks:get(range.marks.ids[1])
  if not mark or (range:is_in() and not range.reloaded) then
    return nil
  elseif locate.between(bufnr, range.landed, mark.row) and #before.rows <= #range.landed.rows then
    -- Of fewer rows there may be one more, that reads the same.
    return nil
  elseif #before.rows > 0 then
    local rows = locate.between(bufnr, before, mark.row)
    local shape = range.kind == "insert" and "line" or range.kind
    return rows and extent.at(rows.first, before, shape), shape
  elseif not range:place() then
    -- Only where nothing is left of it: rows that it was put above may read as it does.
    return locate.between(bufnr, before, mark.row), "insert"
  end
end

--- Where its text stands in a buffer that was read since. In the lines that it was at, rows that say little, or stood
--- twice, may be others that read alike: then what is next to them tells, where that is known. An insertion is known by
--- the row above it, or by both that it goes between.
---@param range botglue.Range
---@return botglue.Extent? place
function M.read_again(range)
  local bufnr, expected, known = range.bufnr, range:expected(), range.known[1]
  local is_insertion = range.shape == "insert"
  if is_insertion and known == 0 then
    return { first = 0, last = 0 }
  end
  local rows = is_insertion and { expected.above } or expected.rows
  local first = find.again(bufnr, rows, known - 1)
  if first then
    local place = is_insertion and below(range, first) or at(range, first)
    local is_as_it_was = not range.alone and is_between(range, place)
    local may_be_other = range.arrivals.is_short or (not range.alone and M.has_alike(expected))
    local is_doubted = range.twice or (not is_as_it_was and may_be_other)
    if (is_as_it_was and first == known - 1) or (find.is_telling(rows) and not is_doubted) then
      return place
    end
  end
  local between = is_insertion and not range.alone and telltale(range) or {}
  first = find.is_telling(between) and not range.twice and find.only(bufnr, between)
  return first and below(range, first) or nil
end

--- Whether a row has a word in it, in whichever script.
---@param row string
---@return boolean
local function has_word(row)
  return row:find("%w%w") ~= nil or row:find("[\128-\255]") ~= nil
end

---@class botglue.Added rows of an answer next to what was sent, from the nearest on
---@field known string[] those that are there for certain
---@field rest string[] those that may be

--- Whether some of the rows that an answer adds come before the one that was there: next to a range, from the nearest
--- on. A diff shows them behind the blank ones that both begin with; behind rows of the user's own, and where nobody
--- knows which ones they begin with, they have to tell something.
---@param rows string[]
---@param added botglue.Added
---@param before string? the first row that there was
local function begin_with(rows, added, before)
  local is_own, is_behind_blank = false, false
  for i, row in ipairs(rows) do
    local is_known = vim.list_contains(added.known, row) or vim.list_contains(added.rest, row)
    if not row:find("%S") then
      is_behind_blank = is_behind_blank or (not is_own and row ~= added.known[i])
      if is_behind_blank and #added.known > 0 then
        return false
      end
    elseif is_known and (has_word(row) or not (is_own or is_behind_blank)) then
      return row ~= before
    elseif row == before or is_behind_blank then
      return false
    else
      is_own = true
    end
  end
  return false
end

--- The whole rows that an answer to a part of rows makes of them.
---@param sent botglue.Base
---@param answer string[]
---@return string[]
local function whole_rows(sent, answer)
  local rows, last = vim.deepcopy(answer), #sent.rows
  rows[1] = sent.rows[1]:sub(1, sent.cols[1]) .. (rows[1] or "")
  rows[#rows] = rows[#rows] .. sent.rows[last]:sub(sent.cols[last] + #sent.text[last] + 1)
  return rows
end

--- Whether rows that an answer adds to what was sent stand next to that: then the user took them by hand.
---@param range botglue.Range
---@param place botglue.Extent
---@param sent botglue.Base
---@param answer string[]
---@return boolean
function M.is_begun(range, place, sent, answer)
  if range.shape == "block" then
    return false
  elseif range.shape == "char" then
    answer = whole_rows(sent, answer)
  end
  local head, tail -- the rows of the answer up to those that were sent
  for i = #answer, 1, -1 do
    head = head or (answer[i] == sent.rows[1] and i - 1) or nil
    tail = answer[i] == sent.rows[#sent.rows] and i or tail
  end
  -- Where the first row or the last one is another in the answer nobody knows which of its rows come in its place.
  local new = vim.tbl_filter(function(row)
    return not vim.list_contains(sent.rows, row)
  end, answer)
  local function read(first, past)
    return api.nvim_buf_get_lines(range.bufnr, math.max(first, 0), past, false)
  end
  local function reversed(rows)
    return vim.iter(rows):rev():totable()
  end
  local first, past = place.first, place.first + #sent.rows
  local many = #answer + OWN
  local over, under = read(first - many, first), read(past, past + many)
  local on_top = { known = reversed(vim.list_slice(answer, 1, head or 0)), rest = new }
  local behind = { known = vim.list_slice(answer, (tail or #answer) + 1), rest = new }
  if range.shape == "insert" then
    on_top, behind = { known = {}, rest = {} }, { known = answer, rest = {} }
  end
  return begin_with(reversed(over), on_top, sent.above) or begin_with(under, behind, sent.below)
end

return M
