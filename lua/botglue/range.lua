--- The place of a job in its buffer: invisible marks, and the text that stood there when the job was sent.
---
--- It says where the range is now and whether its text is still what was sent. It never writes: `write` does, and the
--- marks are set anew in the same call. Where the text around a range was replaced, marks tell nothing: then
--- `recognise` tells.

local agree = require("botglue.agree")
local arrivals = require("botglue.arrivals")
local as_it_was = require("botglue.as_it_was")
local edges = require("botglue.edges")
local extent = require("botglue.extent")
local find = require("botglue.find")
local locate = require("botglue.locate")
local marks = require("botglue.marks")
local moment = require("botglue.moment")
local recognise = require("botglue.recognise")
local soon = require("botglue.soon")
local text_sum = require("botglue.text_sum")
local track = require("botglue.track")
local undo_tree = require("botglue.undo_tree")

local M = {}

local api = vim.api

---@class botglue.Range
---@field bufnr integer
---@field kind "line"|"char"|"block"|"insert" how it was selected
---@field shape "line"|"char"|"block"|"insert" what the marks stand around now: an insertion that landed is lines
---@field base botglue.Base what was sent
---@field before botglue.Base? what stood there when the answer landed
---@field landed botglue.Base? what stood there afterwards
---@field change integer? the number of the undo state that the answer led to
---@field written botglue.Extent? where it stood in that state
---@field column integer? the screen column at which a block begins
---@field marks botglue.Marks? none where its place is not known
---@field edges botglue.Edges? of lines: known by the rows at their ends
---@field reloaded boolean whether the file was read again, which leaves the marks at lines that may be others
---@field reads integer? how often that was
---@field replaced boolean? whether other text was put over the range and what is around it
---@field changed boolean? whether somebody had changed it before that
---@field widened integer? how often it has become more than was selected: what the user took by hand from beside it
---@field lost boolean? whether its text does not tell where it is: what was taken of its answer may stand next to that
---@field deleted boolean? whether the user took it away: then it is not looked for
---@field gone { since: integer, tick: integer, flat: boolean }? that it was taken away as whole rows, in which change:
---until it is put back its marks are no place; the change seen last, and whether they stood around nothing before that
---@field single boolean? whether what it is known by stood exactly once when it was sent, or landed
---@field sole boolean? whether that and the rows next to it did
---@field twice boolean? whether what it is known by stood more than once then, or was copied since
---@field put { first: integer, count: integer, deleted: boolean? }? may be a copy, which is seen in the next tick
---@field autocmds integer[]? tell when its file is read again
---@field unloaded { sum: string, place: botglue.Extent? }? the text that its buffer had when that was unloaded, and
---where it stood in that
---@field looks fun()? looks for it in the next tick
---@field notes_state fun()? notes in the next tick what is known in the undo state then
---@field sees_edges fun()? sees its ends in the next tick
---@field sees_copy fun()? sees in the next tick whether what was put in is a copy
---@field cut botglue.Extent? where lines were before the last change, which took rows away
---@field arrivals botglue.Arrivals the rows that came in there since some of its own went away
---@field changes fun()? called within each change of its buffer while it is watched
---@field alone boolean? whether it is not known what was next to it, as of a job of an earlier version
---@field known { [1]: integer, [2]: integer } the last lines it was seen at, from 1
local Range = {}
Range.__index = Range

---@return botglue.Range
local function create(fields)
  fields.arrivals = arrivals.new()
  return setmetatable(fields, Range)
end

--- What tells the text of a buffer from any other, found once for all ranges that are told of an event.
---@param bufnr integer
---@param event "unloaded"|"read" these come in turn
---@return string
local function sum_of(bufnr, event)
  local sums = vim.b[bufnr].botglue_sums or {}
  if not sums[event] then
    sums = { [event] = text_sum.of(bufnr) }
    vim.b[bufnr].botglue_sums = sums
    vim.schedule(function()
      if api.nvim_buf_is_valid(bufnr) then
        vim.b[bufnr].botglue_sums = nil
      end
    end)
  end
  return sums[event]
end

--- Takes the marks away; nothing of the range is left in the buffer.
function Range:unmark()
  if self.marks then
    self.marks:clear()
    self.marks = nil
  end
  for _, autocmd in ipairs(self.autocmds or {}) do
    pcall(api.nvim_del_autocmd, autocmd)
  end
  self.autocmds = nil
end

--- Nobody knows where it is from now on, whatever stands in the buffer; its marks only watch that.
function Range:lose()
  self.lost = true
end

--- Sets the marks around a place, in place of the old ones.
---@param place botglue.Extent
---@param shape "line"|"char"|"block"|"insert"
function Range:mark(place, shape)
  local watched = self.marks and self.marks.unwatch ~= nil
  self:unmark()
  self.shape, self.reloaded, self.replaced, self.gone, self.lost = shape, false, false, nil, false
  self.marks = marks.around(self.bufnr, place, shape)
  self.known = { extent.lines(place, shape) }
  if shape ~= "line" then
    self.edges = nil
  elseif self.edges then
    self.edges:take(place.first, place.last)
  else
    self.edges = edges.new(self.bufnr, place.first, place.last)
  end
  local function on(event, desc, fn)
    local options = { buffer = self.bufnr, desc = "botglue: " .. desc, callback = fn }
    table.insert(self.autocmds, api.nvim_create_autocmd(event, options))
  end
  self.autocmds = {}
  on("BufUnload", "where a range is, should the same be read again", function()
    local is_sure = vim.v.exiting == vim.NIL and not (self.reloaded or self.replaced)
    self.unloaded = is_sure and { sum = sum_of(self.bufnr, "unloaded"), place = self:place() } or nil
  end)
  on("BufReadPost", "the lines of a range may be others now", function()
    self:read_again()
  end)
  if watched then
    self:watch()
  end
end

--- Its file was read again: where that has the same text nothing has changed.
function Range:read_again()
  local was = self.unloaded
  local is_same = was ~= nil and was.sum == sum_of(self.bufnr, "read")
  local is_watched = self.marks ~= nil and self.marks.unwatch ~= nil
  self.unloaded = nil
  if not is_same then
    self.reloaded, self.reads = true, (self.reads or 0) + 1
    self.arrivals:forget()
    self:look_soon()
  elseif was.place then
    self:mark(was.place, self.shape)
  end
  if self.changes then
    self.changes()
  end
  -- Reading a file again ends the watch.
  if is_watched then
    self:watch()
  end
end

--- Watches for what makes marks worthless: other text over the range and its surroundings.
function Range:watch()
  track.start(self)
end

--- From now on it is watched, and known by its text as it is.
function Range:follow()
  self:watch()
  recognise.note(self)
end

--- Marks the range anew where it was found again, once what is happening to the buffer is over.
function Range:look_soon()
  self.looks = self.looks
    or soon.once(function()
      if self.marks and api.nvim_buf_is_loaded(self.bufnr) then
        self:look()
      end
    end)
  self.looks()
end

--- The text of a place.
---@param place botglue.Extent
---@return botglue.Base
function Range:read(place)
  return extent.read(self.bufnr, place, self.shape)
end

--- What an answer is merged with by lines: the selected part of the rows, or all of them.
---@param stood botglue.Base
---@return string[]
function Range:lines_of(stood)
  local is_part = self.shape == "char" or self.shape == "block"
  return is_part and stood.text or stood.rows
end

--- Takes rows that another answer to the same lines put at an end of them for rows of them, where this one adds some
--- there, too: both stand at one place then, and the merge tells whether they are the same.
---@param answer string[]
---@return botglue.Extent? before where it was, if it has taken some
function Range:meet(answer)
  local place = self.shape == "line" and self.edges and next(self.edges.others) and self:place()
  if not place or self.reloaded or self.replaced then
    return
  end
  local adds_above, adds_below = agree.added_at_ends(self.base.rows, answer)
  local above, below = self.edges:find_met(place.first, place.last)
  above, below = adds_above > 0 and above or 0, adds_below > 0 and below or 0
  if above + below == 0 then
    return
  end
  self:mark({ first = place.first - above, last = place.last + below }, "line")
  return place
end

--- What stands there unless somebody changed it.
---@return botglue.Base
function Range:expected()
  return self.landed or self.base
end

--- Where the range is now; nil and why where it is no more. Costs no look at the text but for an insertion.
---@return botglue.Extent? place
---@return "range_lost"|"conflict"|nil reason
---@return boolean? turned whether the marks should be set anew
function Range:place()
  if not self.marks or not api.nvim_buf_is_loaded(self.bufnr) or self.gone or self.lost then
    return nil, "range_lost"
  end
  return self:marked()
end

--- Where its marks have come to, whatever became of its text.
---@return botglue.Extent? place
---@return "range_lost"|"conflict"|nil reason
---@return boolean? turned whether they should be set anew
function Range:marked()
  return locate.place(self.marks, self:expected())
end

--- Marks it anew where its text stands, if that is beyond doubt.
---@return botglue.Extent? place
function Range:find()
  if self.lost or not api.nvim_buf_is_loaded(self.bufnr) then
    return nil
  end
  local place = recognise.moved(self)
  if place then
    self.deleted = false
    self:mark(place, self.shape)
  end
  return place
end

--- Whether a text is what is expected. Where nothing was selected no mark tells of what was put in its place since:
--- then the whole rows do.
---@param now botglue.Base
---@return boolean
function Range:is_expected(now)
  local expected = self:expected()
  local nothing = table.concat(expected.text) == ""
  return vim.deep_equal(now.text, expected.text) and (not nothing or vim.deep_equal(now.rows, expected.rows))
end

--- Where the range is, and whether its text is what is expected there.
---@return botglue.Extent? place
---@return "untouched"|"edited"|"range_lost"|"conflict" state
---@return botglue.Base? now what stands there
function Range:look()
  local written, text = as_it_was.written(self, undo_tree.is_at)
  if written then
    self.deleted = false
    if not vim.deep_equal(self:place(), written) then
      self:mark(written, self.shape)
    end
    return written, "untouched", text
  end
  local place, reason, turned = self:place()
  local expected, doubted = self:expected(), self.reloaded or self.replaced
  -- Marks that were typed over hold all that is typed there; set anew they would leave out what is still to come.
  turned = turned and not moment.is_typing(self.bufnr)
  if place then
    local now = self:read(place)
    local part = as_it_was.part(self, place)
    if part then
      place, now = part, self:read(part)
    end
    local same = self:is_expected(now)
    local whole = not same and as_it_was.lines(self, place)
    if whole then
      place, now, same, turned = whole, self:read(whole), true, true
    end
    -- The rows next to an insertion may stand elsewhere, too, unless it goes above the first line.
    local between = now.above == expected.above and now.below == expected.below
    local is_sure = between and (self.shape ~= "insert" or not expected.above)
    local undone = not doubted and not (same and between) and recognise.undone(self)
    if undone then
      -- Of rows that were taken away nothing but the point is left.
      place = self.shape ~= "insert" and undone or place
      return place, "edited", self:read(place)
    elseif same and (is_sure or not doubted) then
      self.deleted = false
      self.arrivals:clear()
      if turned or doubted then
        self:mark(place, self.shape)
      end
      return place, "untouched", now
    elseif not doubted then
      local first, last
      if self.edges and not moment.is_typing(self.bufnr) then
        first, last = self.edges:find_put(place.first, place.last, self.arrivals)
      end
      if first then
        place = { first = first, last = last }
        now = self:read(place)
      end
      if turned or first then
        self:mark(place, self.shape)
      end
      return place, "edited", now
    end
  end
  place = self:find()
  if place then
    return place, "untouched", self:read(place)
  end
  return nil, doubted and "range_lost" or reason
end

--- Marks the range in a buffer that was read since, if its text is there.
---@return boolean known whether its place is known
function Range:home()
  if self.lost or not api.nvim_buf_is_loaded(self.bufnr) then
    return false
  elseif self.marks and (self:look() ~= nil or not self.reloaded or self.deleted) then
    return (self:look()) ~= nil
  end
  local place = recognise.read_again(self)
  if not place then
    return false
  end
  self:mark(place, self.shape)
  self[self.landed and "landed" or "base"] = self:read(place)
  self.alone = nil
  self:watch()
  return true
end

--- Marks the range where some rows stand that it had when its file was written, if there is no doubt of that.
---@param rows string[]
---@return boolean known whether its place is known
function Range:home_at(rows)
  local known = api.nvim_buf_is_loaded(self.bufnr) and find.is_telling(rows)
  local first = known and find.only(self.bufnr, rows)
  if not first then
    return false
  end
  self:mark({ first = first, last = first + #rows - 1 }, "line")
  self:watch()
  return true
end

--- The same place for another job, as it is now.
---@return botglue.Range? range nil where it is gone
function Range:again()
  if not api.nvim_buf_is_loaded(self.bufnr) then
    return nil
  end
  local place, shape = recognise.undone(self)
  if not place and self:is_in() ~= false then
    place, shape = self:home() and self:look() or nil, self.shape
  end
  if not place then
    return nil
  end
  local other = create({ bufnr = self.bufnr, kind = shape, column = self.column })
  other:mark(place, shape)
  other.base = other:read(place)
  return other
end

--- Its file is in another buffer now.
---@param bufnr integer
function Range:move_to(bufnr)
  self:unmark()
  self.bufnr, self.change, self.edges, self.lost = bufnr, nil, nil, false
  self.arrivals = arrivals.new()
end

--- Nothing of the range is needed any more but where it was seen last.
function Range:forget()
  self:unmark()
  self.before, self.landed, self.single, self.sole = nil, nil, false, false
  self.base = { text = {}, rows = {}, cols = {} }
end

--- Takes the text as it is now for what was sent.
---@return boolean there whether the range still exists
function Range:rebase()
  local place
  if self.reloaded or self.replaced then
    place = self:look()
  else
    place = self:place()
  end
  if place then
    self.base = self:read(place)
    self.reloaded, self.replaced = false, false
  end
  return place ~= nil
end

--- An answer was written: its text is what is expected from now on.
---@param place botglue.Extent where it stands
---@param shape "line"|"char"|"block"|"insert"
---@param before botglue.Base what stood there
---@param change integer? the undo state that it led to, if it was one step
function Range:settle(place, shape, before, change)
  self:mark(place, shape)
  self.before, self.landed, self.change, self.written = before, self:read(place), change, place
  self.arrivals:clear()
  recognise.note(self)
end

--- Whether the answer is part of the text, as undo has it: the text around it may be any.
---@return boolean? nil where undo does not know
function Range:is_in()
  if not self.change or not api.nvim_buf_is_loaded(self.bufnr) then
    return nil
  end
  return undo_tree.has(self.bufnr, self.change)
end

--- What was written was taken away again.
---@param place botglue.Extent where it can be put
---@param shape "line"|"char"|"block"|"insert"
function Range:unsettle(place, shape)
  self:mark(place, shape)
  self.before, self.landed, self.change, self.deleted = nil, nil, nil, false
  self.arrivals:clear()
end

--- The text is as it was at an earlier time: so is what is known of it.
---@param sight botglue.Sight
function Range:restore(sight)
  self:mark(sight.place, sight.shape)
  self.before, self.landed, self.change, self.deleted = sight.before, sight.landed, sight.change, false
  self.widened = sight.widened
end

--- The lines that it covers now, from 1; those it was last seen at when it is lost.
---@return integer first
---@return integer last
function Range:lines()
  local place = self:place()
  if place then
    self.known = { extent.lines(place, self.shape) }
  end
  return self.known[1], self.known[2]
end

--- Marks a selection.
---@param selection botglue.Selection
---@return botglue.Range
function M.pin(selection)
  local bufnr, kind, place = selection.bufnr, selection.kind, extent.of(selection)
  local self = create({ bufnr = bufnr, kind = kind, column = selection.column })
  self:mark(place, kind)
  self.base = self:read(place)
  return self
end

--- A range of an earlier time, which is not marked yet.
---@param bufnr integer it need not be loaded
---@param sent table the selection, as the store has it
---@return botglue.Range
function M.recall(bufnr, sent)
  local beside = sent.beside or { above = sent.anchor }
  local base = {
    text = sent.text or {},
    rows = sent.rows or {},
    cols = sent.cols or {},
    above = beside.above,
    below = beside.below,
  }
  return create({
    bufnr = bufnr,
    kind = sent.kind,
    shape = sent.kind,
    base = base,
    known = { sent.first_line, sent.last_line },
    column = sent.kind == "block" and (sent.column or extent.column(base)) or nil,
    alone = sent.beside == nil,
  })
end

return M
