--- What is the user's own, and other plugins': it has to stay where it is while an answer is written.

local M = {}

local api = vim.api
local namespace = api.nvim_create_namespace("model.own")

local MARKS = { "[", "]", "<", ">", "a", ".", "^" }

---@param bufnr integer
local function positions(bufnr)
  local found = {}
  for _, window in ipairs(vim.fn.win_findbuf(bufnr)) do
    -- The column of a window that is not the current one is set right only when it is drawn.
    local at, is_current = api.nvim_win_get_cursor(window), window == api.nvim_get_current_win()
    -- Nor is one behind the end of its line in Normal mode, where `gv` with an operator may leave it.
    local past = #api.nvim_buf_get_lines(bufnr, at[1] - 1, at[1], false)[1]
    local last = api.nvim_get_mode().mode == "n" and math.max(past - 1, 0) or past
    found["the cursor of window " .. window] = { at[1], is_current and math.min(at[2], last) or nil }
  end
  for _, mark in ipairs(MARKS) do
    local at = api.nvim_buf_get_mark(bufnr, mark)
    if at[1] > 0 and at[1] <= api.nvim_buf_line_count(bufnr) then
      found["mark " .. mark] = at
    end
  end
  return found
end

---@param bufnr integer
---@return table<integer, boolean> the lines of the jump list
local function jumps(bufnr)
  local found = {}
  for _, jump in ipairs(vim.fn.getjumplist()[1]) do
    if jump.bufnr == bufnr then
      found[jump.lnum] = true
    end
  end
  return found
end

---@param bufnr integer
local function state(bufnr)
  return {
    ["the unnamed register"] = vim.fn.getreginfo('"'),
    ["the search pattern"] = vim.fn.getreg("/"),
    ["the visual mode"] = vim.fn.visualmode(),
    ["the buffer"] = api.nvim_get_current_buf(),
    ["the window"] = api.nvim_get_current_win(),
    ["the mode"] = api.nvim_get_mode().mode,
    ["'readonly'"] = vim.bo[bufnr].readonly,
    ["'undolevels'"] = vim.bo[bufnr].undolevels,
  }
end

---@param text string[]
---@return table<string, integer> the lines of what stands there only once
local function singles(text)
  local found = {}
  for line, words in ipairs(text) do
    found[words] = found[words] == nil and words:find("%w") and line or false
  end
  return found
end

--- Whether a line stands on the other side of another one now: then the mark of one of both cannot stay.
---@param words string
---@param was table<string, integer>
---@param is table<string, integer>
local function has_crossed(words, was, is)
  return vim.iter(was):any(function(other, line)
    return line and is[other] and (line < was[words]) ~= (is[other] < is[words])
  end)
end

--- Notes what there is. The returned function compares it with what there is after a write.
---@param lines model.Lines
---@return fun(): string[] faults, string[] moved marks of others on lines that stayed the same between others
function M.note(lines)
  local bufnr, was = lines.bufnr, lines.text
  local places, jumped, had = positions(bufnr), jumps(bufnr), state(bufnr)
  local window = api.nvim_get_current_win()
  local is_typing = had["the mode"]:find("^[iR]") ~= nil and api.nvim_win_get_buf(window) == bufnr
  if
    is_typing
    and vim.list_contains(vim.tbl_map(vim.inspect, lines.ends), vim.inspect(api.nvim_win_get_cursor(window)))
  then
    -- Who types right behind a part goes on right behind what replaces it, also where its last row stays the same.
    places["the cursor of window " .. window] = nil
  end
  for line = 1, #was do
    api.nvim_buf_set_extmark(bufnr, namespace, line - 1, 0, { id = line })
  end
  lines.touched = { above = #was, below = #was }
  return function()
    local touched, is, faults, moved = lines.touched, lines.text, {}, {}
    lines.touched = nil
    local function fault(format, ...)
      faults[#faults + 1] = format:format(...)
    end
    --- Where a line outside of what was written is now.
    local function now(line)
      if line <= touched.above then
        return line
      end
      return line > #was - touched.below and line + #is - #was or nil
    end
    local after, has = positions(bufnr), state(bufnr)
    for name, at in pairs(places) do
      local line, there = now(at[1]), after[name]
      if line and not vim.deep_equal(there, { line, at[2] }) then
        fault("%s was at %s, should be in line %d, is at %s", name, vim.inspect(at), line, vim.inspect(there))
      end
    end
    for name, value in pairs(had) do
      if not vim.deep_equal(value, has[name]) then
        fault("%s was %s and is %s", name, vim.inspect(value), vim.inspect(has[name]))
      end
    end
    local jumps_now = jumps(bufnr)
    if api.nvim_get_current_buf() == bufnr then
      -- Neovim keeps no jump to where the cursor is.
      jumps_now[api.nvim_win_get_cursor(0)[1]] = true
    end
    for line in pairs(jumped) do
      local there = line <= #was and now(line)
      if there and not jumps_now[there] then
        fault("the jump to line %d is lost", line)
      end
    end
    local before_once, once = singles(was), singles(is)
    for line, words in ipairs(was) do
      local at = api.nvim_buf_get_extmark_by_id(bufnr, namespace, line, {})[1] + 1
      local outside = now(line)
      local stays = before_once[words] and once[words] and not has_crossed(words, before_once, once)
      local there = outside or stays and once[words]
      if there and at ~= there then
        local what = ("somebody's mark in line %d, %q, is in line %d"):format(line, words, at)
        table.insert(outside and faults or moved, what)
      end
    end
    api.nvim_buf_clear_namespace(bufnr, namespace, 0, -1)
    return faults, moved
  end
end

return M
