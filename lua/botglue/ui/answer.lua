--- The answer's side of the review: a buffer of its own that holds the whole text with the answer in its place, or the
--- answer alone where that is not known. The answer may be changed here, and taken from here by hand; what is typed
--- here is kept as a draft, whatever becomes of the buffer. Knows no windows.

local decide = require("botglue.decide")
local draft = require("botglue.draft")
local fail = require("botglue.errors").fail
local fill = require("botglue.ui.fill")
local parts = require("botglue.ui.parts")
local region = require("botglue.ui.region")
local replace = require("botglue.replace")
local reviewed = require("botglue.reviewed")
local soon = require("botglue.soon")
local step = require("botglue.ui.step")

local M = {}

local api = vim.api

local KEPT_AFTER = 250 -- milliseconds from a change to the draft that has it, where that takes a moment
local SHORT = 2000 -- rows of a text in which it takes none

---@class botglue.Side
---@field job botglue.Job
---@field known boolean whether the place of the answer is known
---@field bufnr integer
---@field region botglue.Region the rows that are the answer
---@field tick integer its changedtick while the user has changed nothing in it
---@field given string[]? the answer as it stands here while the user has changed nothing in it
---@field step botglue.Step? where its place is known
---@field see_soon fun() sees in the next tick what it and the buffer have in common
---@field is_rows boolean? whether it shows rows that a part is in, as the user left them, while the place is not known
---@field astray boolean? whether the user changed what is around the answer here
local Side = {}
Side.__index = Side

--- The rows of the answer's side that are the answer.
---@return integer first
---@return integer past
function Side:rows()
  return self.region:rows()
end

--- All of this side. A buffer of which nothing is left keeps an empty row, which is nobody's.
---@return string[]
function Side:lines()
  local first, past = self:rows()
  return first == past and replace.is_empty(self.bufnr) and {} or self:read(0, -1)
end

--- Nothing is around the answer: whatever is typed is part of it.
function Side:take_all()
  local first, past = self:rows()
  if past > first or not replace.is_empty(self.bufnr) then
    self.region:mark(0, api.nvim_buf_line_count(self.bufnr))
  end
end

---@param from integer
---@param to integer
---@return string[]
function Side:read(from, to)
  return api.nvim_buf_get_lines(self.bufnr, from, to, false)
end

--- Whether the answer takes only part of its rows.
---@return boolean
function Side:is_part()
  local shape = self.job.range.shape
  return self.known and (shape == "char" or shape == "block")
end

--- The answer as it stands there now, whatever is around it.
---@return string[]?
function Side:part()
  local lines = self:read(self:rows())
  local range = self.job.range
  if self.is_rows and not vim.deep_equal(lines, self.given) then
    return nil
  elseif not self:is_part() then
    return lines
  end
  local place, _, now = range:look()
  return place and now and parts.of(lines, range, place, now.rows)
end

--- Whether the buffer reads as the whole of this side, wherever in it the answer is.
function Side:is_taken()
  local bufnr = self.job.range.bufnr
  return api.nvim_buf_is_loaded(bufnr)
    and vim.deep_equal(self:read(0, -1), api.nvim_buf_get_lines(bufnr, 0, -1, false))
end

--- Whether the user is in the middle of something here: typing, or with an operator or a selection.
function Side:is_typed_in()
  return api.nvim_get_current_buf() == self.bufnr and api.nvim_get_mode().mode ~= "n"
end

--- Whether anything was changed here.
function Side:is_touched()
  return api.nvim_buf_get_changedtick(self.bufnr) ~= self.tick
end

--- What the user made of the answer and of the text around it; nil where it is as it was.
---@return botglue.Draft?
function Side:draft()
  if not api.nvim_buf_is_loaded(self.bufnr) then
    return self.job.draft
  end
  local first, past = self:rows()
  local lines = self:part()
  local function changed(part, shown)
    local same = #shown == 0 or vim.deep_equal(shown, { "" })
    if self.step then
      same = self.step:is_copied(part, shown)
    end
    return not same and shown or nil
  end
  local above, below = changed("above", self:read(0, first)), changed("below", self:read(past, -1))
  if lines and not above and not below and vim.deep_equal(lines, self.given) then
    return nil
  end
  -- What has become part of it is not where it goes another time.
  if not lines or self.job.range.widened then
    return { rows = self:read(first, past), above = above, below = below }
  end
  return { lines = lines, above = above, below = below }
end

--- The answer as it is to be accepted; nil where it is as it was.
---@return string[]?
function Side:changed()
  -- Where rows were taken by hand the place of a part is not what it was: what is shown here counts.
  local counts = self:is_touched() or self:is_part() or not vim.deep_equal(self:part(), self.given)
  local lines = not self.astray and counts and self:part()
  if self.astray or lines == nil then
    fail("%s", draft.AROUND)
  end
  return lines or nil
end

--- What is next to a part in the buffer, as its side follows it.
---@return string[]?
function Side:text_beside()
  local following = self.step
  return following and following.beside and following.beside:text(following.around)
end

--- Keeps what the user made of the answer for the next time, while nothing is decided.
function Side:save()
  if self.job.landing ~= "held" or not api.nvim_buf_is_loaded(self.bufnr) then
    return
  elseif self:is_touched() or self.job.range.widened then
    local made = self:draft()
    if draft.has_more(made) then
      local before = self.job.draft
      made.beside = self:text_beside() or before and before.beside
    end
    draft.keep(self.job, made)
  end
end

--- Whether what the user made of the text around a part can be shown around it. Where rows were joined with those of
--- the part since, or split off them, or some of the answer's were put next to them, text has gone over from the one to
--- the other: it would be gone here, or stand twice.
---@return boolean
function Side:fits_around()
  local kept, range = self.job.draft, self.job.range
  local before = kept and kept.beside
  local place, _, now = range:look()
  if not before or not place or not now or not self:is_part() then
    return true
  end
  local beside = parts.beside(place, now.rows, now.above, now.below)
  local function inner(list)
    return vim.list_slice(list, 2, #list - 1)
  end
  local function is_put(nth, last)
    return before[last] ~= beside[nth] and vim.list_contains(kept.rows or {}, beside[nth])
  end
  if is_put(1, 1) or is_put(#beside, #before) then
    return false
  end
  local are_rows_same = before[1] == beside[1] and before[#before] == beside[#beside]
  return are_rows_same or vim.deep_equal(inner(before), inner(beside))
end

--- Shows the answer, and what the user made of it.
function Side:fill()
  local job, range = self.job, self.job.range
  local kept = job.draft
  local function fits(lines)
    return range.shape ~= "block" or #lines == #range.base.text
  end
  -- One command may read both sides again: what the buffer has now was not seen yet then.
  reviewed.look(job)
  self.known = self.known and range:look() ~= nil and fits(decide.lines(job))
  self.known = self.known and self:fits_around()
  self.is_rows = false
  self.region = region.new(self.bufnr)
  local rows
  -- An empty side would be an answer that deletes.
  fill.without_undo(self.bufnr, function()
    if kept then
      if kept.lines then
        fill.show(self, kept.lines)
      end
      rows = kept.lines and self:read(self:rows()) or kept.rows or {}
    end
    if not self.known or fits(decide.answer(job)) then
      fill.show(self, decide.answer(job))
      self.given = self:part()
    end
  end)
  local place = self.known and range:place()
  self.step = place and step.new(self, place)
  self.tick = api.nvim_buf_get_changedtick(self.bufnr)
  if kept then
    fill.resume(self, kept, rows)
    self.is_rows = not self.known and not kept.lines
  end
  if self.step then
    self.step:see(place)
  end
  if api.nvim_buf_is_loaded(range.bufnr) then
    fill.look_like_buffer(self)
  end
end

--- Keeps what is typed here: soon, and before it goes.
function Side:watch()
  local pending = false
  local function save()
    pending = false
    self:save()
  end
  api.nvim_buf_attach(self.bufnr, false, {
    on_lines = function()
      if self.step then
        self.step:note_key()
      end
      self.see_soon()
      if not pending then
        pending = true
        -- A signal ends Neovim without a word: what is typed here is gone before anybody is told.
        local is_short = api.nvim_buf_line_count(self.bufnr) <= SHORT
        vim.defer_fn(save, is_short and 0 or KEPT_AFTER)
      end
    end,
    on_detach = save,
  })
end

--- A name for the buffer. A session that was saved with a review open brings back an empty buffer with its name.
---@param id integer
---@return string
local function free_name(id)
  local name = "botglue://answer/" .. id
  while vim.fn.bufexists(name) == 1 do
    name = name .. "'"
  end
  return name
end

--- Makes the buffer.
function Side:make()
  self.bufnr = require("botglue.ui.scratch").make()
  api.nvim_buf_set_name(self.bufnr, free_name(self.job.id))
  local function on(event, desc, fn)
    api.nvim_create_autocmd(event, { buffer = self.bufnr, desc = "botglue: " .. desc, callback = fn })
  end
  self.see_soon = soon.once(function()
    if self.step then
      self.step:see_answer()
    end
  end)
  on("InsertLeave", "see what both sides have in common", self.see_soon)
  on("BufWinLeave", "keep what was made of the answer", function()
    self:save()
  end)
  on("TextChanged", "see where the answer is", function()
    self.region:look()
    if self.step and self.step.beside then
      self.step.beside:see()
    end
  end)
  on("BufReadCmd", "show the answer again", function()
    self:fill()
    self:watch()
  end)
end

--- Rows of the buffer were changed.
---@param first integer
---@param past integer
function Side:note_typing(first, past)
  if self.step then
    self.step:note_typing(api.nvim_buf_get_lines(self.job.range.bufnr, first, past, false))
  end
end

--- Keeps the text around the answer as it is in the buffer, until it is decided: what landed follows the buffer alone.
function Side:refresh()
  if
    not self.step
    or self.job.landing ~= "held"
    or not api.nvim_buf_is_loaded(self.job.range.bufnr)
    or not api.nvim_buf_is_valid(self.bufnr)
    or not vim.bo[self.bufnr].modifiable
  then
    return
  end
  local touched = self:is_touched()
  local same = self.step:refresh()
  if same ~= nil then
    self.astray = not same
  end
  if not touched then
    self.tick = api.nvim_buf_get_changedtick(self.bufnr)
  end
end

--- Takes away the buffer.
function Side:close()
  if api.nvim_buf_is_valid(self.bufnr) then
    self:save()
    api.nvim_buf_delete(self.bufnr, { force = true })
  end
  if self.step then
    self.step:close()
  end
end

--- Makes the buffer for a held answer.
---@param job botglue.Job
---@return botglue.Side
function M.open(job)
  local self = setmetatable({ job = job, known = job:recall() }, Side)
  self:make()
  self:fill()
  self:watch()
  return self
end

return M
