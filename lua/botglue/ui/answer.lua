--- The answer's side of the review: a buffer of its own that holds the whole text with the answer in its place, or the
--- answer alone where that is not known. The text around the answer follows the buffer; the answer may be changed here,
--- and taken from here by hand. Knows no windows.

local decide = require("botglue.decide")
local parts = require("botglue.ui.parts")
local write = require("botglue.write")

local M = {}

local api = vim.api
local namespace = api.nvim_create_namespace("botglue.review")

local VERSIONS = 8 -- of what was copied from around the answer

---@class botglue.Side
---@field job botglue.Job
---@field known boolean whether the place of the answer is known
---@field bufnr integer
---@field region integer[] marks at the first row of the answer and at the row behind its last one
---@field tick integer its changedtick while the user has changed nothing in it
---@field neighbours integer[]? marks in the job's buffer: on the rows above and below the place of the answer
---@field original string[] what stood in the place of the answer when this was made
---@field taken boolean? whether all of an insertion was put into the buffer by hand
---@field followed { above: string[][], below: string[][] } what was copied from around the answer, the newest last
---@field astray boolean? whether the user changed what is around the answer here
local Side = {}
Side.__index = Side

---@param first integer the first row of the answer
---@param past integer the row behind its last one
function Side:mark(first, past)
  local ids = self.region or {}
  self.region = {
    api.nvim_buf_set_extmark(self.bufnr, namespace, first, 0, { id = ids[1], right_gravity = false }),
    api.nvim_buf_set_extmark(self.bufnr, namespace, past, 0, { id = ids[2] }),
  }
end

--- The rows of the answer's side that are the answer.
---@return integer first
---@return integer past
function Side:rows()
  local function row(mark)
    return api.nvim_buf_get_extmark_by_id(self.bufnr, namespace, mark, {})[1]
  end
  return row(self.region[1]), row(self.region[2])
end

--- The answer as it stands there now, whatever is around it.
---@return string[]?
function Side:part()
  local first, past = self:rows()
  local lines = api.nvim_buf_get_lines(self.bufnr, first, past, false)
  local range = self.job.range
  if not self.known or (range.shape ~= "char" and range.shape ~= "block") then
    return lines
  end
  local place, _, now = range:look()
  return place and now and parts.of(lines, range, place, now.rows)
end

--- Whether anything was changed here.
function Side:is_touched()
  return api.nvim_buf_get_changedtick(self.bufnr) ~= self.tick
end

--- The answer as it is to be accepted; nil where it is as it was.
---@return string[]?
function Side:changed()
  local lines = not self.astray and self:is_touched() and self:part()
  if self.astray or lines == nil then
    error("botglue: text around the answer was changed here: dp keeps it, u undoes it", 0)
  end
  return lines or nil
end

--- Keeps what the user made of the answer for the next time, while nothing is decided.
function Side:save()
  if self.job.landing == "held" and self:is_touched() then
    self.job.draft = self:part() or self.job.draft
  end
end

--- Puts the answer where it would land into a copy of the text.
---@param place botglue.Extent
---@param lines string[]
---@return integer first the first row of the answer
---@return integer past the row behind its last one
local function put(answer, range, place, lines)
  local landed
  if range.shape == "char" then
    landed = write.chars(answer, place, lines)
  elseif range.shape == "block" then
    landed = write.block(answer, place, lines, range.column)
  elseif range.shape == "insert" then
    landed = #lines > 0 and write.insert(answer, place, lines) or { first = place.first, empty = true }
  else
    local whole = { first = 0, last = place.last - place.first + 1, lines = lines }
    landed = write.rows(answer, place, { whole })
  end
  return landed.first, landed.empty and landed.first or landed.last + 1
end

--- What is highlighted and how wide tabs are is as in the buffer; its language server is not asked.
---@param answer integer
---@param bufnr integer
local function look_like(answer, bufnr)
  for _, option in ipairs({ "tabstop", "shiftwidth", "softtabstop", "expandtab" }) do
    vim.bo[answer][option] = vim.bo[bufnr][option]
  end
  local treesitter = package.loaded["vim.treesitter"]
  if treesitter and treesitter.highlighter.active[bufnr] then
    pcall(treesitter.start, answer, treesitter.language.get_lang(vim.bo[bufnr].filetype))
  else
    vim.bo[answer].syntax = vim.bo[bufnr].filetype
  end
end

--- The buffer of the answer's side.
function Side:fill()
  local job, range = self.job, self.job.range
  local answer, lines = api.nvim_create_buf(false, true), decide.lines(job)
  local place = self.known and range:place() or nil
  self.known = place ~= nil and not (range.shape == "block" and #lines ~= #range.base.text)
  self.bufnr = answer
  local first, past = 0, #lines
  -- Nothing of it can be undone: an empty side would be an answer that deletes.
  local undolevels = vim.bo[answer].undolevels
  vim.bo[answer].undolevels = -1
  if self.known then
    local text = api.nvim_buf_get_lines(range.bufnr, 0, -1, false)
    api.nvim_buf_set_lines(answer, 0, -1, false, text)
    self.original = range.shape == "line" and range:read(place).rows or {}
    first, past = put(answer, range, place, lines)
    self.followed = {
      above = { api.nvim_buf_get_lines(answer, 0, first, false) },
      below = { api.nvim_buf_get_lines(answer, past, -1, false) },
    }
  else
    api.nvim_buf_set_lines(answer, 0, -1, false, lines)
  end
  self:mark(first, past)
  if api.nvim_buf_is_loaded(range.bufnr) then
    look_like(answer, range.bufnr)
  end
  vim.bo[answer].bufhidden = "wipe"
  vim.bo[answer].undolevels = undolevels
  api.nvim_buf_set_name(answer, "botglue://answer/" .. job.id)
  self.tick = api.nvim_buf_get_changedtick(answer)
end

--- The rows next to the place of the answer, by which is seen what comes between.
---@param place botglue.Extent
function Side:mark_neighbours(place)
  local bufnr = self.job.range.bufnr
  local below = self.job.range.shape == "insert" and place.first or place.last + 1
  self.neighbours = {
    place.first > 0 and api.nvim_buf_set_extmark(bufnr, namespace, place.first - 1, 0, {}) or nil,
    below < api.nvim_buf_line_count(bufnr) and api.nvim_buf_set_extmark(bufnr, namespace, below, 0, {})
      or nil,
  }
end

--- Takes rows of the answer that were put into the buffer by hand for part of its place. `dp` deletes rows and then
--- puts in others: at an edge these come to stand outside.
---@param place botglue.Extent?
---@return botglue.Extent?
function Side:absorb(place)
  local range = self.job.range
  local bufnr = range.bufnr
  local first, past = self:rows()
  local lines = api.nvim_buf_get_lines(self.bufnr, first, past, false)
  local function neighbour(nth, otherwise)
    local mark = self.neighbours[nth]
    return mark and api.nvim_buf_get_extmark_by_id(bufnr, namespace, mark, {})[1] or otherwise
  end
  local above, below = neighbour(1, -1), neighbour(2, api.nvim_buf_line_count(bufnr))
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

--- Copies rows from around the answer, unless the user changed them here. An undo of an earlier copy is no such change.
---@param part "above"|"below"
---@param from integer
---@param to integer
---@param source string[]
---@return boolean same whether both sides are the same there
function Side:follow(part, from, to, source)
  local followed = self.followed[part]
  local shown = api.nvim_buf_get_lines(self.bufnr, from, to, false)
  if not vim.deep_equal(shown, source) then
    local ours = vim.iter(followed):any(function(version)
      return vim.deep_equal(shown, version)
    end)
    if not ours then
      return false
    end
    write.as_one_step(self.bufnr, function()
      api.nvim_buf_set_lines(self.bufnr, from, to, false, source)
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

--- Keeps the text around the answer as it is in the buffer: what lands or is typed there is no part of the answer.
function Side:refresh()
  local range = self.job.range
  if not self.known or not api.nvim_buf_is_loaded(range.bufnr) or not api.nvim_buf_is_valid(self.bufnr) then
    return
  end
  local place = range:place()
  if range.shape == "line" or range.shape == "insert" then
    place = self:absorb(place)
  end
  if not place then
    return
  end
  local first, past = self:rows()
  local untouched = api.nvim_buf_get_changedtick(self.bufnr) == self.tick
  local below = range.shape == "insert" and place.first or place.last + 1
  local lines = api.nvim_buf_get_lines(range.bufnr, 0, -1, false)
  local under = self:follow("below", past, -1, vim.list_slice(lines, below + 1))
  local over = self:follow("above", 0, first, vim.list_slice(lines, 1, place.first))
  self.astray = not (over and under)
  -- Where rows are replaced next to them the marks go astray.
  local start = over and place.first or first
  self:mark(start, start + past - first)
  if untouched then
    self.tick = api.nvim_buf_get_changedtick(self.bufnr)
  end
end

--- Takes away the buffer, and the marks beside the place of the answer.
function Side:close()
  local beside = self.job.range.bufnr
  if api.nvim_buf_is_valid(self.bufnr) then
    self:save()
    api.nvim_buf_delete(self.bufnr, { force = true })
  end
  if api.nvim_buf_is_valid(beside) then
    api.nvim_buf_clear_namespace(beside, namespace, 0, -1)
  end
end

--- Makes the buffer for a held answer.
---@param job botglue.Job
---@return botglue.Side
function M.open(job)
  local self = setmetatable({ job = job, known = job:recall() }, Side)
  self:fill()
  api.nvim_create_autocmd("BufWinLeave", {
    buffer = self.bufnr,
    desc = "botglue: keep what was made of the answer",
    callback = function()
      self:save()
    end,
  })
  local place = self.known and job.range:place()
  if place then
    self:mark_neighbours(place)
  end
  return self
end

return M
