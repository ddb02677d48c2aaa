--- The extmarks that carry a range through edits: set around a place, watched, taken away.
---
--- They know where they are, not what that means: `locate` reads it. Marks have inward gravity, so that ranges that
--- touch do not mix; where an edit reaches their ends, `ends` stands in for those.

local ends = require("botglue.ends")
local moment = require("botglue.moment")
local soon = require("botglue.soon")

local M = {}

local api = vim.api
local namespace = api.nvim_create_namespace("botglue.range")

---@class botglue.Marks
---@field bufnr integer
---@field shape "line"|"char"|"block"|"insert" what they stand around
---@field ids integer[]
---@field empty boolean whether they were set around nothing, or an empty row
---@field held table<integer, botglue.Ends> what stands for the ends of a mark, until the range is marked anew
---@field turns fun()? lets held ends look inward in the next tick
---@field typed integer? tells when what is typed at them is over
---@field tell fun(what: botglue.Fate|"held")? while they are watched
---@field unwatch fun()? while they are watched
local Marks = {}
Marks.__index = Marks

---@class botglue.Mark
---@field row integer
---@field col integer
---@field end_row integer
---@field end_col integer

---@param bufnr integer
---@param first integer
---@param past integer
---@return string[]
local function get_rows(bufnr, first, past)
  return api.nvim_buf_get_lines(bufnr, first, past, false)
end

---@param bufnr integer
---@param row integer
---@param col integer
---@param end_row integer
---@param end_col integer
---@return integer id
local function inward(bufnr, row, col, end_row, end_col)
  return api.nvim_buf_set_extmark(bufnr, namespace, row, col, {
    end_row = end_row,
    end_col = end_col,
    right_gravity = true,
    end_right_gravity = false,
  })
end

--- A mark around a whole row, for the line that an insertion goes below. Both ends of an empty one go along with it.
local function around_row(bufnr, row)
  local text = get_rows(bufnr, row, row + 1)[1]
  return text == "" and api.nvim_buf_set_extmark(bufnr, namespace, row, 0, {})
    or inward(bufnr, row, 0, row, #text)
end

---@param bufnr integer
---@param place botglue.Extent
---@param shape string
---@return integer[] ids
local function set(bufnr, place, shape)
  local first, last = place.first, place.last
  if shape == "insert" then
    -- Left gravity: lines opened below the anchor stay below the answer.
    local point = api.nvim_buf_set_extmark(bufnr, namespace, first, 0, { right_gravity = false })
    if first == 0 then
      return { point }
    end
    return { point, around_row(bufnr, first - 1), api.nvim_buf_set_extmark(bufnr, namespace, first, 0, {}) }
  elseif shape == "char" then
    return { inward(bufnr, first, place.from, last, place.to) }
  elseif shape == "block" then
    local ids = {}
    for i, span in ipairs(place.spans) do
      ids[i] = inward(bufnr, first + i - 1, span[1], first + i - 1, span[2])
    end
    return ids
  end
  return {
    inward(bufnr, first, 0, last, #get_rows(bufnr, last, last + 1)[1]),
    api.nvim_buf_set_extmark(bufnr, namespace, last + 1, 0, { right_gravity = false }),
  }
end

--- Sets marks around a place.
---@param bufnr integer a loaded buffer
---@param place botglue.Extent
---@param shape "line"|"char"|"block"|"insert"
---@return botglue.Marks
function M.around(bufnr, place, shape)
  local self =
    setmetatable({ bufnr = bufnr, shape = shape, ids = set(bufnr, place, shape), held = {} }, Marks)
  local mark = self:get(self.ids[1]) --[[@as botglue.Mark]]
  self.empty = mark.row == mark.end_row and mark.col == mark.end_col
  return self
end

--- Takes them away, and watches them no more. The buffer may be gone.
function Marks:clear()
  local function delete(ids)
    for _, id in pairs(ids) do
      pcall(api.nvim_buf_del_extmark, self.bufnr, namespace, id)
    end
  end
  delete(self.ids)
  for _, held in pairs(self.held) do
    delete({ held.head, held.tail, held.above })
  end
  self.ids, self.held = {}, {}
  if self.typed then
    pcall(api.nvim_del_autocmd, self.typed)
    self.typed = nil
  end
  if self.unwatch then
    self.unwatch()
    self.unwatch = nil
  end
end

--- Where a mark is.
---@param id integer?
---@return botglue.Mark?
function Marks:get(id)
  local mark = id and api.nvim_buf_get_extmark_by_id(self.bufnr, namespace, id, { details = true }) or {}
  if #mark == 0 then
    return nil
  end
  local details = mark[3]
  return ends.apply(self.bufnr, namespace, {
    row = mark[1],
    col = mark[2],
    end_row = details.end_row or mark[1],
    end_col = details.end_col or mark[2],
  }, self.held[id], self.shape)
end

--- Those that stand around text; below the one of lines there is another, their fence.
---@return integer[]
function Marks:around_text()
  return self.shape == "line" and { self.ids[1] } or self.ids
end

--- Whether something was put at held ends, which stand elsewhere than those of the marks then.
---@return boolean
function Marks:are_turned()
  return vim.iter(pairs(self.held)):any(function(_, held)
    return held.cut ~= "open"
  end)
end

--- An edit is about to replace or delete text: where it reaches the ends of marks they are held.
---@param edit botglue.Replacement
---@return boolean turned
function Marks:hold(edit)
  if self.shape == "insert" then
    return false
  end
  for _, id in ipairs(self:around_text()) do
    local mark = self:get(id)
    self.held[id] = mark and ends.hold(self.bufnr, namespace, mark, self.held[id], self.shape, edit)
  end
  return self:are_turned()
end

--- Held ends look inward once the edit is over, or somebody's typing; those at which text was deleted wait for what is
--- typed there.
function Marks:turn_soon()
  self.turns = self.turns
    or soon.once(function()
      if next(self.held) == nil or not api.nvim_buf_is_loaded(self.bufnr) then
        return
      elseif moment.is_typing(self.bufnr) then
        self.typed = self.typed
          or api.nvim_create_autocmd("InsertLeave", {
            buffer = self.bufnr,
            once = true,
            desc = "botglue: what was typed at the end of a range is over",
            callback = function()
              self.typed = nil
              self.turns()
            end,
          })
        return
      end
      for id, held in pairs(self.held) do
        self.held[id] = held.cut == "open" and held or ends.turn(self.bufnr, namespace, held, false)
      end
      if self:are_turned() and self.tell then
        self.tell("held")
      end
    end)
  self.turns()
end

--- Whether nothing is left between the two ends of a mark.
---@param mark botglue.Mark
---@return boolean
function M.is_collapsed(mark)
  return mark.end_row < mark.row or (mark.end_row == mark.row and mark.end_col <= mark.col)
end

--- Their outermost positions, whichever end stands where, and whether anything is between them.
---@return botglue.Piece?
function Marks:outline()
  if self.shape == "insert" and #self.ids == 1 then
    return nil -- above the first line: that is always there
  end
  local outline = nil
  local function is_before(row, col, other_row, other_col)
    return row < other_row or (row == other_row and col < other_col)
  end
  for _, id in ipairs(self:around_text()) do
    local mark = self:get(id)
    for _, at in ipairs(mark and { { mark.row, mark.col }, { mark.end_row, mark.end_col } } or {}) do
      outline = outline
        or { row = at[1], col = at[2], end_row = at[1], end_col = at[2], intact = not M.is_collapsed(mark) }
      if is_before(at[1], at[2], outline.row, outline.col) then
        outline.row, outline.col = at[1], at[2]
      end
      if is_before(outline.end_row, outline.end_col, at[1], at[2]) then
        outline.end_row, outline.end_col = at[1], at[2]
      end
    end
  end
  return outline
end

---@class botglue.Follower what it is told: see `botglue.Watcher`
---@field begin fun(row: integer, old: integer, new: integer)
---@field typed integer? tells when what is typed at them is over
---@field tell fun(what: botglue.Fate|"held", was_intact: boolean?, is_whole: boolean?) "held": an edit reached the
---ends of a mark
---@field undone fun(first: integer, last: integer)
---@field cut fun()
---@field moved fun(row: integer, rows: integer, to: integer)

--- Watches for what edits do to the text between them, in place of a watch that there was. Called within a change:
--- nothing may be written then.
---@param follower botglue.Follower
function Marks:watch(follower)
  if self.unwatch then
    self.unwatch()
  end
  self.tell = follower.tell
  self.unwatch = require("botglue.watch").start(self.bufnr, {
    begin = function(change)
      local is_typing = next(self.held) ~= nil and moment.is_typing(self.bufnr)
      for id, held in pairs(self.held) do
        if ends.is_in(self.bufnr, namespace, held, change.row, change.row + change.old) then
          self.held[id] = ends.turn(self.bufnr, namespace, held, is_typing)
        end
      end
      follower.begin(change)
    end,
    replace = function(edit)
      local turned = self:hold(edit)
      if next(self.held) ~= nil then
        self:turn_soon()
      end
      if turned then
        follower.tell("held")
      end
    end,
    piece = function()
      return self:outline()
    end,
    tell = follower.tell,
    undone = follower.undone,
    cut = follower.cut,
    moved = follower.moved,
  })
end

return M
