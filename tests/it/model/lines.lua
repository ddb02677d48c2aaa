--- Follows the lines of a buffer by identity: a line stays itself while nothing else takes its place. What plugins do
--- with marks is done here without any, so that both can be compared.

local M = {}

local api = vim.api

---@class model.Done what was done to lines so far
---@field edits table<integer, integer> how often each was edited
---@field deleted table<integer, boolean> whether it was taken away, and neither moved nor joined to others
---@field undone integer how often anything was undone
---@field leapt integer how often that went over several states at once

---@class model.Lines
---@field bufnr integer
---@field text string[]
---@field ids integer[]
---@field storms integer how often the whole buffer was replaced
---@field next_id integer
---@field done model.Done
---@field put table<string, boolean> the texts that were put in since the last look
---@field put_before table<string, boolean> those that were put in before it, as long as nothing has changed since
---@field has_changed boolean whether anything has changed since the last look
---@field gone table<string, integer[]> by text: the lines that were taken away
---@field same table<integer, integer[]> by line: those of them that it may be: put in later, with the same text
---@field undo { at: integer, last: integer } where the undo tree was
---@field doubtful table<integer, boolean> lines that could be their like next to them, from which some were taken
local Lines = {}
Lines.__index = Lines

---@return string[]
function Lines:read()
  return api.nvim_buf_is_loaded(self.bufnr) and api.nvim_buf_get_lines(self.bufnr, 0, -1, false) or {}
end

--- Looks at the undo tree. Something was undone or redone if it went back, or on to where it had been: lines that come
--- back so are others to the model.
function Lines:look()
  local tree, undo = vim.fn.undotree(self.bufnr), self.undo
  if tree.seq_cur < undo.at or (tree.seq_cur > undo.at and tree.seq_last == undo.last) then
    self.done.undone = self.done.undone + 1
    self.done.leapt = self.done.leapt + (math.abs(tree.seq_cur - undo.at) > 1 and 1 or 0)
  end
  self.undo = { at = tree.seq_cur, last = tree.seq_last }
  if self.has_changed then
    self.put_before, self.put, self.has_changed = self.put, {}, false
  end
end

--- What was done to its lines so far.
---@return model.Done
function Lines:account()
  self:look()
  return vim.deepcopy(self.done)
end

--- What the user did to lines between two accounts.
---@param ids integer[]
---@param was model.Done
---@param is model.Done
---@return "deleted"|"edited"|"nothing"
function M.compare(ids, was, is)
  if is.undone == was.undone and vim.iter(ids):all(function(id)
    return is.deleted[id] or false
  end) then
    return "deleted"
  end
  local edited = vim.iter(ids):any(function(id)
    return is.edits[id] ~= was.edits[id]
  end)
  return edited and "edited" or "nothing"
end

--- Whether a change is on the way to a state, as far as these entries of an undo tree go. What branches off at an entry
--- begins before it.
---@return boolean found whether the state is among these entries
---@return boolean passed whether the change is on the way to it
local function is_on_way(entries, state, change)
  local passed = false
  for _, entry in ipairs(entries) do
    local found, there = is_on_way(entry.alt or {}, state, change)
    if found then
      return true, passed or there
    end
    passed = passed or entry.seq == change
    if entry.seq == state then
      return true, passed
    end
  end
  return false, passed
end

--- Whether a change is undone: the text is in a state that does not have it.
---@param bufnr integer
---@param change integer
---@return boolean
function M.is_undone(bufnr, change)
  local tree = vim.fn.undotree(bufnr)
  local found, passed = is_on_way(tree.entries, tree.seq_cur, change)
  return tree.seq_cur == 0 or found and not passed
end

--- Rows are taken away. Neovim moves and filters by putting in first what it then takes away elsewhere, and joins by
--- putting in the whole row first. A user who copies lines and then takes the first ones away does what Neovim does to
--- move them: no event tells one from the other.
---@param first integer
---@param past integer
function Lines:delete(first, past)
  local above = self.text[first] or ""
  for row = first + 1, past do
    local text, id = self.text[row], self.ids[row]
    if not self.put[text] and not self.put_before[text] and not above:find(vim.trim(text), 1, true) then
      self.gone[text] = self.gone[text] or {}
      for _, taken in ipairs(vim.list_extend({ id }, self.same[id] or {})) do
        self.done.deleted[taken] = true
        table.insert(self.gone[text], taken)
      end
    end
  end
  -- Of rows of nothing one below the other it may have been each.
  while self.text[past] == "" and self.text[past + 1] == "" do
    past = past + 1
    self.doubtful[self.ids[past]] = true
  end
end

--- Rows came or went below others that read as the last of them: it may have been those. Rows of nothing are joined to
--- each other as well, so with them that goes for all, not only for those that an edit touched.
---@param rows string[] with those that came or went
---@param at integer how many stand above them
---@param count integer how many came or went
---@param untouched integer how many at the top were not touched by the edit
function Lines:doubt(rows, at, count, untouched)
  while at > 0 and rows[at] == rows[at + count] and (at > untouched or rows[at] == "") do
    self.doubtful[self.ids[at]] = true
    at = at - 1
  end
end

--- A line is put in. If it reads as lines that were taken away it may be each of them, whatever becomes of it later.
---@param id integer
---@param text string
function Lines:put_back(id, text)
  self.same[id], self.gone[text] = self.gone[text], nil
  for _, taken in ipairs(self.same[id] or {}) do
    self.done.deleted[taken] = nil
  end
end

--- Takes rows for others. Those at both ends that read the same are the same; the rest are, too, if they are as many.
---@param first integer
---@param past integer
---@param new string[]
function Lines:splice(first, past, new)
  if #new == 0 then
    self:delete(first, past)
  end
  self.has_changed = true
  for _, text in ipairs(new) do
    self.put[text] = true
  end
  local count, head, tail = past - first, 0, 0
  local shorter = math.min(count, #new)
  while head < shorter and self.text[first + head + 1] == new[head + 1] do
    head = head + 1
  end
  while tail < shorter - head and self.text[past - tail] == new[#new - tail] do
    tail = tail + 1
  end
  local text = vim.list_extend(vim.list_slice(self.text, 1, first), new)
  text = vim.list_extend(text, self.text, past + 1)
  if count ~= #new and head + tail == shorter then
    self:doubt(count > #new and self.text or text, first + head, math.abs(count - #new), first)
  end
  if #new == 1 and count > 1 then
    -- Rows were joined: the one that is left may read like the first or the last of them by chance.
    self.doubtful[self.ids[first + 1]], self.doubtful[self.ids[past]] = true, true
  end
  local ids, edits = vim.list_slice(self.ids, 1, first), self.done.edits
  for i = 1, #new do
    local id
    if i <= head then
      id = self.ids[first + i]
    elseif i > #new - tail then
      id = self.ids[past - (#new - i)]
    elseif count == #new then
      id = self.ids[first + i]
      edits[id] = (edits[id] or 0) + 1
    else
      id, self.next_id = self.next_id, self.next_id + 1
      self:put_back(id, new[i])
    end
    ids[#ids + 1] = id
  end
  self.text = text
  self.ids = vim.list_extend(ids, self.ids, past + 1)
end

function Lines:replace_all()
  self.storms = self.storms + 1
  self:splice(0, #self.text, self:read())
end

function Lines:attach()
  api.nvim_buf_attach(self.bufnr, false, {
    on_lines = function(_, bufnr, _, first, past, new_past)
      self.storms = self.storms + (past - first >= #self.text and 1 or 0)
      self:splice(first, past, api.nvim_buf_get_lines(bufnr, first, new_past, false))
      if #self.text ~= api.nvim_buf_line_count(bufnr) then
        -- The one empty line of an empty buffer comes and goes without a word.
        self:splice(0, #self.text, self:read())
      end
    end,
    on_reload = function()
      self:replace_all()
    end,
  })
end

--- Follows a buffer from now on, also when its file is read again.
---@param bufnr integer
---@return model.Lines
function M.follow(bufnr)
  local self = setmetatable({ bufnr = bufnr, ids = {}, storms = 0, doubtful = {} }, Lines)
  self.done = { edits = {}, deleted = {}, undone = 0, leapt = 0 }
  self.put, self.put_before, self.has_changed, self.gone, self.same = {}, {}, false, {}, {}
  self.undo = { at = 0, last = 0 }
  self.text = self:read()
  for i = 1, #self.text do
    self.ids[i] = i
  end
  self.next_id = #self.text + 1
  self:attach()
  api.nvim_create_autocmd("BufReadPost", {
    buffer = bufnr,
    callback = function()
      self:replace_all()
      self:attach()
    end,
  })
  return self
end

return M
