--- Knows a range by its text, where its marks tell nothing: its own rows, and those next to it. In all doubt it is not
--- known. Nothing is marked here.

local extent = require("botglue.extent")
local find = require("botglue.find")
local locate = require("botglue.locate")

local M = {}

local api = vim.api

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

--- Whether the rows next to a place are those that were next to the range.
---@param range botglue.Range
---@param place botglue.Extent
---@return boolean
local function is_between(range, place)
  local expected, now = range:expected(), range:read(place)
  return now.above == expected.above and now.below == expected.below
end

--- Notes what stands once: by that a range is known from now on. Looking for it takes a moment in a long file, so it is
--- done in the next one.
---@param range botglue.Range
function M.note(range)
  local bufnr = range.bufnr
  local tick, rows, all = api.nvim_buf_get_changedtick(bufnr), telltale(range), surrounded(range)
  range.single, range.sole = false, false
  if not find.is_telling(all) then
    return
  end
  vim.schedule(function()
    if api.nvim_buf_is_loaded(bufnr) and api.nvim_buf_get_changedtick(bufnr) == tick then
      range.single = find.is_telling(rows) and find.only(bufnr, rows) ~= nil
      range.sole = range.single or find.only(bufnr, all) ~= nil
    end
  end)
end

--- The place of rows that were taken away and put back where they were: between the same rows, all of which stood once
--- then, and stand once now. Where its own rows say too little, or it has none, they have to stand next to its marks.
---@param range botglue.Range
---@return botglue.Extent? place
local function put_back(range)
  local first = range.sole and find.only(range.bufnr, surrounded(range))
  local place = first and below(range, first)
  if not place or not is_between(range, place) then
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
  local first = range.single and find.only(range.bufnr, telltale(range))
  if not first then
    return nil
  end
  return range.shape == "insert" and below(range, first) or at(range, first)
end

--- Where what an answer was written over stands again, as it did and between the same rows: the answer was undone. Of
--- what it took away the marks know nothing, and they stay where they are: a redo may bring back what is theirs.
---@param range botglue.Range
---@return botglue.Extent? place
---@return "line"|"char"|"block"|"insert"|nil shape
function M.undone(range)
  local bufnr, before = range.bufnr, range.before
  local mark = before and range.marks and range.marks:get(range.marks.ids[1])
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

--- Where its text stands in a buffer that was read since. In the lines that it was at, rows that say little may be
--- others that read alike: then what is next to them tells, where that is known. An insertion is known by the row above
--- it, or by both that it goes between.
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
    if find.is_telling(rows) or (not range.alone and is_between(range, place)) then
      return place
    end
  end
  local between = is_insertion and not range.alone and telltale(range) or {}
  first = find.is_telling(between) and find.only(bufnr, between)
  return first and below(range, first) or nil
end

return M
