--- Which rows of its side are the answer: marks that move with what is typed, through undo and redo as well.

local undo_tree = require("botglue.undo_tree")

local M = {}

local api = vim.api
local namespace = api.nvim_create_namespace("botglue.review")

---@class botglue.Region
---@field bufnr integer
---@field ids integer[] marks at the first row of the answer and at the row behind its last one
---@field states table<integer, { [1]: integer, [2]: integer }> where they were in each undo state of the text
---@field seen integer? the state that the text was in when somebody looked last
local Region = {}
Region.__index = Region

---@param first integer the first row of the answer
---@param past integer the row behind its last one
function Region:mark(first, past)
  local ids = self.ids
  ids[1] = api.nvim_buf_set_extmark(self.bufnr, namespace, first, 0, { id = ids[1], right_gravity = false })
  ids[2] = api.nvim_buf_set_extmark(self.bufnr, namespace, past, 0, { id = ids[2] })
  self.seen = undo_tree.state(self.bufnr)
  self.states[self.seen] = { first, past }
end

--- Undo and redo move the marks by what was put in, and know nothing of where they were set then: where the text is as
--- it was before, they are where they were before.
function Region:look()
  local state, count = undo_tree.state(self.bufnr), api.nvim_buf_line_count(self.bufnr)
  local known = self.states[state]
  -- What has come from the buffer since may be gone from there.
  if state ~= self.seen and known and known[2] <= count then
    self:mark(unpack(known))
    return
  end
  -- A diff that fills an empty buffer leaves marks behind its end.
  local function row(id)
    return math.min(api.nvim_buf_get_extmark_by_id(self.bufnr, namespace, id, {})[1], count)
  end
  -- Rows that were moved past the answer take its first mark along.
  local first, past = row(self.ids[1]), row(self.ids[2])
  self.seen = state
  self.states[state] = { math.min(first, past), math.max(first, past) }
end

---@return integer first
---@return integer past
function Region:rows()
  self:look()
  return unpack(self.states[self.seen])
end

--- The region of a buffer, which is to be marked.
---@param bufnr integer
---@return botglue.Region
function M.new(bufnr)
  return setmetatable({ bufnr = bufnr, ids = {}, states = {} }, Region)
end

return M
