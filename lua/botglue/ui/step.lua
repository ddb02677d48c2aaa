--- Keeps the two sides of a review in step: the text around the answer follows the buffer, unless the user changed it
--- in the answer's side, and rows of the answer that were put into the buffer by hand become part of its place.

local parts = require("botglue.ui.parts")
local replace = require("botglue.replace")
local write = require("botglue.write")

local M = {}

local api = vim.api
local namespace = api.nvim_create_namespace("botglue.review.step")

local VERSIONS = 8 -- of what was copied from around the answer

---@class botglue.Step
---@field side botglue.Side its place is known
---@field neighbours integer[] marks in the job's buffer: on the rows above and below the place of the answer
---@field original string[] what stood in the place of the answer at first
---@field beside { place: botglue.Extent, rows: string[] }? of an answer that is part of its rows: those in the buffer
---@field taken boolean? whether all of an insertion was put into the buffer by hand
---@field followed { above: string[][], below: string[][] } what was copied from around the answer, the newest last
local Step = {}
Step.__index = Step

--- The rows next to the place of the answer, by which is seen what comes between.
---@param place botglue.Extent
function Step:mark_neighbours(place)
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

---@param part "above"|"below"
---@param shown string[]
---@return boolean ours whether these rows were copied, though not now: an undo of a later copy is no change
function Step:is_copied(part, shown)
  return vim.iter(self.followed[part]):any(function(version)
    return vim.deep_equal(shown, version)
  end)
end

--- The rows in the buffer next to what comes between the two sides' text around the answer.
---@return integer above
---@return integer below
function Step:between()
  local bufnr = self.side.job.range.bufnr
  local function neighbour(nth, otherwise)
    local mark = self.neighbours[nth]
    return mark and api.nvim_buf_get_extmark_by_id(bufnr, namespace, mark, {})[1] or otherwise
  end
  return neighbour(1, -1), neighbour(2, api.nvim_buf_line_count(bufnr))
end

--- The place of a part of rows where those are others: behind what is before it, and before what is behind it.
---@param rows string[]
---@param first integer
---@return botglue.Extent
function Step:part_in(rows, first)
  local known, place = self.beside, { first = first, last = first + #rows - 1 }
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

--- Takes rows that were put into the buffer by hand, or given back, for the place of an answer that is part of them.
function Step:absorb_part()
  local side, range = self.side, self.side.job.range
  local above, below = self:between()
  local rows = api.nvim_buf_get_lines(range.bufnr, above + 1, below, false)
  local is_answer = vim.deep_equal(rows, side:read(side:rows()))
  if not is_answer and not vim.deep_equal(rows, self.beside.rows) then
    return
  elseif parts.of(rows, range, self.beside.place, self.beside.rows) then
    range:mark(self:part_in(rows, above + 1), range.shape)
  end
end

--- Takes rows of the answer that were put into the buffer by hand for part of its place. `dp` deletes rows and then
--- puts in others: at an edge these come to stand outside.
---@param place botglue.Extent?
---@return botglue.Extent?
function Step:absorb(place)
  local range = self.side.job.range
  local bufnr = range.bufnr
  local lines = self.side:read(self.side:rows())
  local above, below = self:between()
  local function stands(from, to, expected)
    return from < to and vim.deep_equal(api.nvim_buf_get_lines(bufnr, from, to, false), expected)
  end
  if range.shape == "insert" then
    if stands(above + 1, below, lines) then
      range:settle({ first = above + 1, last = below - 1 }, "line", range.base)
      self.taken = true
      return range:place()
    end
    return place
  elseif self.taken then
    if below == above + 1 then
      range:unsettle({ first = below, last = below }, "insert")
      self.taken = false
    end
    return range:place()
  elseif not place then
    -- All of it was taken at once, or given back.
    if not stands(above + 1, below, lines) and not stands(above + 1, below, self.original) then
      return nil
    end
    range:mark({ first = above + 1, last = below - 1 }, "line")
    return range:place()
  end
  local wider = { first = place.first, last = place.last }
  -- The same rows once more are no rows that were given back: the user doubled them.
  local function returns(from, to, expected, same_from, same_to)
    return stands(from, to, expected)
      and not vim.deep_equal(api.nvim_buf_get_lines(bufnr, same_from, same_to, false), expected)
  end
  local over, under = place.first - above - 1, below - place.last - 1
  if
    stands(above + 1, place.first, vim.list_slice(lines, 1, over))
    or returns(
      above + 1,
      place.first,
      vim.list_slice(self.original, 1, over),
      place.first,
      place.first + over
    )
  then
    wider.first = above + 1
  end
  if
    stands(place.last + 1, below, vim.list_slice(lines, #lines - under + 1))
    or returns(
      place.last + 1,
      below,
      vim.list_slice(self.original, #self.original - under + 1),
      place.last + 1 - under,
      place.last + 1
    )
  then
    wider.last = below - 1
  end
  if wider.first < place.first or wider.last > place.last then
    range:mark(wider, "line")
  end
  return wider
end

--- Copies rows from around the answer, unless the user changed them here.
---@param part "above"|"below"
---@param from integer
---@param to integer
---@param source string[]
---@return boolean same whether both sides are the same there
function Step:follow(part, from, to, source)
  local followed, bufnr = self.followed[part], self.side.bufnr
  local shown = api.nvim_buf_get_lines(bufnr, from, to, false)
  if not vim.deep_equal(shown, source) then
    if not self:is_copied(part, shown) then
      return false
    end
    -- Only what differs: the cursor and folds stay on the rest.
    local head, tail = replace.shared(shown, source)
    local lines = vim.list_slice(source, head + 1, #source - tail)
    write.as_one_step(bufnr, function()
      api.nvim_buf_set_lines(bufnr, from + head, from + #shown - tail, false, lines)
    end)
  end
  if not vim.deep_equal(followed[#followed], source) then
    table.insert(followed, source)
    if #followed > VERSIONS then
      table.remove(followed, 1)
    end
  end
  return true
end

--- Copies what is beside an answer that is part of its rows, unless the user changed it here, or the part there.
function Step:follow_beside()
  local side, range, before = self.side, self.side.job.range, self.beside
  local place, state, now = range:look()
  local beside = now and { place = place, rows = now.rows }
  if state ~= "untouched" or vim.deep_equal(beside.rows, before.rows) then
    return
  end
  local first, past = side:rows()
  local lines = parts.of(side:read(first, past), range, before.place, before.rows)
  if not lines then
    return
  end
  self.beside = beside
  write.as_one_step(side.bufnr, function()
    api.nvim_buf_set_lines(side.bufnr, first, past, false, now.rows)
    local here = { first = first, last = first + #now.rows - 1 }
    first, past = side:put(vim.tbl_extend("force", place, here), lines)
  end)
  side:mark(first, past)
end

--- Keeps the text around the answer as it is in the buffer: what lands or is typed there is no part of the answer.
---@return boolean? same whether the text around the answer is the same on both sides; nil where its place is gone
function Step:refresh()
  local side, range = self.side, self.side.job.range
  local place = not range.reloaded and range:place() or nil
  if not place then
    place = range:look()
    if place then
      -- Found again by its text.
      self:mark_neighbours(place)
    end
  end
  if self.beside then
    self:absorb_part()
    place = range:place()
  else
    place = self:absorb(place)
  end
  if not place then
    return nil
  end
  local first, past = side:rows()
  local below = range.shape == "insert" and place.first or place.last + 1
  local lines = api.nvim_buf_get_lines(range.bufnr, 0, -1, false)
  local under = self:follow("below", past, -1, vim.list_slice(lines, below + 1))
  local over = self:follow("above", 0, first, vim.list_slice(lines, 1, place.first))
  -- Where rows are replaced next to them the marks go astray.
  local start = over and place.first or first
  side:mark(start, start + past - first)
  if self.beside then
    self:follow_beside()
  end
  return over and under
end

--- Takes away the marks beside the place of the answer.
function Step:close()
  local bufnr = self.side.job.range.bufnr
  if api.nvim_buf_is_valid(bufnr) then
    api.nvim_buf_clear_namespace(bufnr, namespace, 0, -1)
  end
end

--- From now on the side follows the buffer that its rows were copied from.
---@param side botglue.Side
---@param place botglue.Extent
---@return botglue.Step
function M.new(side, place)
  local range = side.job.range
  local first, past = side:rows()
  local self = setmetatable({
    side = side,
    beside = side:is_part() and { place = place, rows = range:read(place).rows } or nil,
    original = range.shape == "line" and range:read(place).rows or {},
    followed = {
      above = { api.nvim_buf_get_lines(side.bufnr, 0, first, false) },
      below = { api.nvim_buf_get_lines(side.bufnr, past, -1, false) },
    },
  }, Step)
  self:mark_neighbours(place)
  return self
end

return M
