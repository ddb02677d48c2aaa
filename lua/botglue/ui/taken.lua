--- Rows of the answer that were put into the buffer by hand, with the keys of diff mode, become part of its place; so
--- they do not come twice when it is accepted.

local parts = require("botglue.ui.parts")

local M = {}

local api = vim.api
local namespace = api.nvim_create_namespace("botglue.review.taken")

---@class botglue.Taken
---@field side botglue.Side its place is known
---@field neighbours integer[] marks in the job's buffer: on the rows above and below the place of the answer
---@field rows string[] the rows of the place at first
local Taken = {}
Taken.__index = Taken

--- The rows next to the place of the answer, by which is seen what comes between.
---@param place botglue.Extent
function Taken:mark_neighbours(place)
  local range = self.side.job.range
  local bufnr = range.bufnr
  local below = range.shape == "insert" and place.first or place.last + 1
  local function mark(row)
    local is_row = row >= 0 and row < api.nvim_buf_line_count(bufnr)
    return is_row and api.nvim_buf_set_extmark(bufnr, namespace, row, 0, {}) or nil
  end
  api.nvim_buf_clear_namespace(bufnr, namespace, 0, -1)
  self.neighbours = { mark(place.first - 1), mark(below) }
end

--- The rows above and below the place, wherever they are now: what was put in for the answer comes between them. They
--- may have been put in anew themselves, when all of the answer's side was: then that side tells.
---@param is_copy boolean? whether the buffer was made the same as the answer's side
---@return integer above
---@return integer below
function Taken:between(is_copy)
  local side, bufnr = self.side, self.side.job.range.bufnr
  if is_copy then
    local first, past = side:rows()
    return first - 1, past
  end
  local function neighbour(nth, otherwise)
    local mark = self.neighbours[nth]
    return mark and api.nvim_buf_get_extmark_by_id(bufnr, namespace, mark, {})[1] or otherwise
  end
  return neighbour(1, -1), neighbour(2, api.nvim_buf_line_count(bufnr))
end

--- The place of a part of rows where those are others: behind what is before it, and before what is behind it.
---@param known botglue.Beside
---@param rows string[]
---@param first integer
---@return botglue.Extent
local function part_in(known, rows, first)
  local place = { first = first, last = first + #rows - 1 }
  local function behind(row, to)
    return #known.rows[row] - to
  end
  if known.place.spans then
    place.spans = {}
    for i, span in ipairs(known.place.spans) do
      place.spans[i] = { span[1], #rows[i] - behind(i, span[2]) }
    end
  else
    place.from, place.to = known.place.from, #rows[#rows] - behind(#known.rows, known.place.to)
  end
  return place
end

--- Takes rows that were put into the buffer by hand, or given back, for the place of an answer that is part of them:
--- also some of them, as `do` takes with a range.
---@param place botglue.Extent?
---@param beside botglue.Beside
---@param is_copy boolean whether the buffer was made the same as the answer's side
---@return botglue.Extent?
function Taken:absorb_part(place, beside, is_copy)
  local side, range = self.side, self.side.job.range
  local above, below = self:between(is_copy)
  local rows = api.nvim_buf_get_lines(range.bufnr, above + 1, below, false)
  local known = {}
  for _, row in ipairs(vim.list_extend(side:read(side:rows()), beside.rows)) do
    known[row] = true
  end
  local is_known = vim.iter(rows):all(function(row)
    return known[row]
  end)
  if is_known and parts.of(rows, range, beside.place, beside.rows) then
    place = part_in(beside, rows, above + 1)
    range:mark(place, range.shape)
  elseif is_copy then
    -- What was beside it was replaced with it.
    range.replaced = true
    return nil
  end
  return place
end

--- Takes rows of the answer that were put into the buffer by hand for part of its place. `dp` deletes rows and then
--- puts in others: at an edge these come to stand outside.
---@param place botglue.Extent?
---@param is_copy boolean whether the buffer was made the same as the answer's side
---@return botglue.Extent?
function Taken:absorb(place, is_copy)
  local range = self.side.job.range
  local bufnr = range.bufnr
  local lines = self.side:read(self.side:rows())
  local above, below = self:between(is_copy)
  local function stands(from, to, expected)
    return from < to and vim.deep_equal(api.nvim_buf_get_lines(bufnr, from, to, false), expected)
  end
  if range.shape == "insert" then
    if stands(above + 1, below, lines) then
      range:settle({ first = above + 1, last = below - 1 }, "line", range.base)
      place = range:place() --[[@as botglue.Extent]]
      -- Of rows that read the same others may have been put in: the row below may be a new one.
      self:mark_neighbours(place)
      return place
    end
    return place
  elseif range.kind == "insert" then
    -- All of it was taken: until all of it is given back it is lines.
    if below == above + 1 then
      range:unsettle({ first = below, last = below }, "insert")
    end
    return range:place()
  elseif stands(above + 1, below, lines) then
    -- All of it was taken at once. Of an empty row the marks do not hold together then.
    range:mark({ first = above + 1, last = below - 1 }, "line")
    return range:place()
  elseif not place then
    return nil
  end
  local wider = { first = place.first, last = place.last }
  local over, under = place.first - above - 1, below - place.last - 1
  if stands(above + 1, place.first, vim.list_slice(lines, 1, over)) then
    wider.first = above + 1
  end
  if stands(place.last + 1, below, vim.list_slice(lines, #lines - under + 1)) then
    wider.last = below - 1
  end
  if wider.first < place.first or wider.last > place.last then
    range:mark(wider, "line")
  end
  return wider
end

--- Takes away the marks. Where rows of a part were taken, and not all of them, its place is beyond doubt only as long
--- as both sides are shown.
function Taken:close()
  local job = self.side.job
  local bufnr = job.range.bufnr
  if not api.nvim_buf_is_loaded(bufnr) then
    return
  end
  local above, below = self:between()
  local rows = api.nvim_buf_get_lines(bufnr, above + 1, below, false)
  local is_changed = self.side:is_part() and not vim.deep_equal(rows, self.rows)
  job.taken = job.taken or is_changed
  api.nvim_buf_clear_namespace(bufnr, namespace, 0, -1)
end

--- From now on it is seen what is put into the place of an answer.
---@param side botglue.Side
---@param place botglue.Extent
---@return botglue.Taken
function M.new(side, place)
  local range = side.job.range
  local rows = range:read(place).rows
  local self = setmetatable({
    side = side,
    rows = rows,
  }, Taken)
  self:mark_neighbours(place)
  return self
end

return M
