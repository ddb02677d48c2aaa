--- The undo tree of a buffer: the state that its text is in, and which changes that state has in it.

local M = {}

---@param bufnr integer a loaded buffer
---@return table
local function tree(bufnr)
  return vim.fn.undotree(bufnr)
end

--- The number of the state that the text is in.
---@param bufnr integer
---@return integer
function M.state(bufnr)
  return tree(bufnr).seq_cur
end

--- Whether the text is in the state that a change led to.
---@param bufnr integer
---@param change integer
---@return boolean
function M.is_at(bufnr, change)
  return M.state(bufnr) == change
end

--- Whether nothing was undone: the text is as the last change left it. Where a file was read again, and that cannot be
--- undone, numbers go on from the state before.
---@param bufnr integer
---@return boolean
function M.is_last(bufnr)
  local undo = tree(bufnr)
  return undo.seq_cur == undo.seq_last or #undo.entries == 0
end

---@param entries table[]
---@param change integer
---@return boolean
local function is_current(entries, change)
  return vim.iter(entries):any(function(entry)
    return (entry.seq == change and entry.curhead ~= nil) or is_current(entry.alt or {}, change)
  end)
end

--- Whether a change is being redone: its text is there, and the state is still the one before.
---@param bufnr integer
---@param change integer the number of the state that it leads to
---@return boolean
function M.is_redoing(bufnr, change)
  local undo = tree(bufnr)
  return undo.seq_cur ~= change and is_current(undo.entries, change)
end

--- Whether a change is on the way to a state, as far as these entries go. What branches off at an entry begins before
--- it.
---@param entries table[]
---@param state integer
---@param change integer
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

---@param entries table[]
---@param change integer
---@return boolean
local function knows(entries, change)
  return vim.iter(entries):any(function(entry)
    return entry.seq == change or knows(entry.alt or {}, change)
  end)
end

--- The changes on the way to a state, as far as they are among these entries.
---@param entries table[]
---@param state integer
---@return integer[]? way nil where the state is not among them
local function way_to(entries, state)
  local way = {}
  for _, entry in ipairs(entries) do
    local other = way_to(entry.alt or {}, state)
    if other then
      return vim.list_extend(way, other)
    end
    way[#way + 1] = entry.seq
    if entry.seq == state then
      return way
    end
  end
end

--- The entry that an undo or a redo is at while it is told.
---@param entries table[]
---@return integer? state that it leads to
local function current(entries)
  for _, entry in ipairs(entries) do
    local state = entry.curhead and entry.seq or current(entry.alt or {})
    if state then
      return state
    end
  end
end

--- The state that an undo or a redo leads to, while it is told: the text is there, and the state is the one before.
---@param bufnr integer
---@return integer? state
function M.coming(bufnr)
  local undo = tree(bufnr)
  local state = current(undo.entries)
  if state ~= undo.seq_cur then
    return state
  end
  local way = way_to(undo.entries, state) or {}
  return way[#way - 1] or 0
end

---@param entries table[]
---@return integer
local function oldest(entries)
  return vim.iter(entries):fold(math.huge, function(least, entry)
    return math.min(least, entry.seq, oldest(entry.alt or {}))
  end)
end

--- Whether the tree begins behind some states: the file was read again, and that cannot be undone. Numbers go on then.
---@param bufnr integer
---@param states table<integer, any> by their numbers
---@return boolean
function M.is_behind(bufnr, states)
  return oldest(tree(bufnr).entries) > vim.iter(vim.tbl_keys(states)):fold(0, math.max) + 1
end

--- The last one of some states that the text has come through on its way to the one that it is in. What is older than
--- all that is remembered is on every way.
---@param bufnr integer
---@param states table<integer, any> by their numbers
---@return integer? state
function M.latest(bufnr, states)
  local undo, latest = tree(bufnr), nil
  local is_passed, first = {}, oldest(undo.entries)
  for _, change in ipairs(way_to(undo.entries, undo.seq_cur) or {}) do
    is_passed[change] = true
  end
  for state in pairs(states) do
    local is_root = state < first and state <= undo.seq_cur
    if (is_root or is_passed[state]) and state > (latest or -1) then
      latest = state
    end
  end
  return latest
end

--- Whether a change is part of the text as it is now: it was not undone, or redone since.
---@param bufnr integer
---@param change integer the number of the state that it led to
---@return boolean? nil where the change is forgotten
function M.has(bufnr, change)
  local undo = tree(bufnr)
  if not knows(undo.entries, change) then
    return nil
  end
  local found, passed = is_on_way(undo.entries, undo.seq_cur, change)
  return found and passed
end

return M
