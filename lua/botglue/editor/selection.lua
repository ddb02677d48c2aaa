--- Makes selections: from visual mode, from the marks of the last selection, from lines, or from the API's arguments.
---
--- A selection has for each row the bytes that belong to it, `spans`: always whole characters, computed by Neovim
--- itself.
local fail = require("botglue.host.errors").fail

local M = {}
local api, fn = vim.api, vim.fn
local EOL = vim.v.maxcol
local FAR_RIGHT = 2 ^ 24 -- columns: more than any row has

---@param bufnr integer
---@param first integer
---@param last integer
---@return botglue.Selection
function M.lines(bufnr, first, last)
  local spans = {}
  for i, text in ipairs(api.nvim_buf_get_lines(bufnr, first - 1, last, true)) do
    spans[i] = { 0, #text }
  end
  return { bufnr = bufnr, kind = "line", first_line = first, last_line = last, spans = spans }
end

--- Selects lines without the blank ones at either end; blank lines alone are selected as they are.
---@param bufnr integer
---@param first integer
---@param last integer
---@return botglue.Selection
function M.linewise(bufnr, first, last)
  local from, to
  for i, text in ipairs(api.nvim_buf_get_lines(bufnr, first - 1, last, true)) do
    if text:find("%S") then
      from, to = from or first + i - 1, first + i - 1
    end
  end
  return M.lines(bufnr, from or first, to or last)
end

--- Selects no text: the answer goes below `line`, or above the first line if `line` is 0.
---@param bufnr integer
---@param line integer
---@return botglue.Selection
function M.insertion(bufnr, line)
  return { bufnr = bufnr, kind = "insert", first_line = line, last_line = line, spans = {} }
end

---@alias botglue.Position integer[] as |getpos()| returns it
---@param a botglue.Position
---@param b botglue.Position
local function ordered(a, b)
  for i = 2, 4 do
    if a[i] ~= b[i] then
      return unpack(a[i] < b[i] and { a, b } or { b, a })
    end
  end
  return a, b
end

--- The screen column, from 0, of a position in the current window.
---@param at botglue.Position
local function column(at)
  if at[3] > #fn.getline(at[2]) then
    return fn.virtcol({ at[2], "$" }) - 1 + at[4]
  end
  local first = fn.virtcol({ at[2], at[3] }, true)[1]
  return first - 1 + at[4]
end

--- The first byte and the end byte (exclusive) of each row of a region, always whole characters.
---@param kind "v"|"\22"
---@param a botglue.Position
---@param b botglue.Position
---@param exclusive boolean
---@return integer[][]
local function region(kind, a, b, exclusive)
  return vim.tbl_map(function(piece)
    local text = fn.getline(piece[1][2])
    local from, to = piece[1][3], piece[2][3]
    if from == 0 or from > #text then
      return { #text, #text }
    elseif to < from then
      return { from - 1, from - 1 }
    end
    -- The bytes of the character at the end of the piece, which belongs to it as a whole.
    local size = #fn.strpart((text:sub(to, to + 200):gsub("%z", "\n")), 0, 1, true)
    return { from - 1, math.min(to - 1 + size, #text) }
  end, fn.getregionpos(a, b, { type = kind, exclusive = exclusive }))
end

--- Calls a function with a window-local value of 'virtualedit'; without one, with the user's.
---@param value string?
---@param call fun(): integer[][]
local function with_virtualedit(value, call)
  local own = api.nvim_get_option_value("virtualedit", { scope = "local", win = 0 })
  local function set(to)
    api.nvim_cmd({ cmd = "setlocal", args = { "virtualedit=" .. to }, mods = { noautocmd = true } }, {})
  end
  set(value or own)
  local spans = call()
  set(own)
  return spans
end

---@param bufnr integer
---@param mode string `v`, `V` or CTRL-V
---@param a botglue.Position
---@param b botglue.Position
---@param exclusive boolean
---@param to_eol boolean whether `$` was used
---@return botglue.Selection
local function select(bufnr, mode, a, b, exclusive, to_eol)
  local first, last = ordered(a, b)
  if mode == "V" then
    return M.linewise(bufnr, first[2], last[2])
  end
  local selection = M.lines(bufnr, first[2], last[2])
  if mode == "v" then
    selection.kind = "char"
    selection.spans = region("v", first, last, exclusive and not vim.deep_equal(first, last))
    -- Neovim returns no piece for a last row of which nothing is selected.
    selection.spans[last[2] - first[2] + 1] = selection.spans[last[2] - first[2] + 1] or { 0, 0 }
    return selection
  end
  local is_virtual = vim.o.virtualedit:find("[ba]l") ~= nil
  if not is_virtual then
    first[4], last[4] = 0, 0
  end
  local first_column, last_column = column(first), column(last)
  selection.kind, selection.column = "block", math.min(first_column, last_column)
  if to_eol then
    -- From the corner further left to a column that is right of every row.
    if last_column < first_column then
      first, last = last, first
    end
    last = { bufnr, last[2], #fn.getline(last[2]) + 1, FAR_RIGHT }
    is_virtual, exclusive = true, false
  end
  selection.spans = with_virtualedit(is_virtual and "all" or nil, function()
    return region("\22", first, last, exclusive)
  end)
  return selection
end

--- Whether the cursor of the current window stays at the end of lines, as after `$`.
local function keeps_to_eol()
  return fn.getcurpos()[5] == EOL
end

local VISUAL = { v = "v", V = "V", ["\22"] = "\22", s = "v", S = "V", ["\19"] = "\22" }

---@param expr string
local function position(expr)
  local pos = fn.getpos(expr)
  return { api.nvim_get_current_buf(), pos[2], math.max(math.min(pos[3], EOL), 1), pos[4] }
end

--- Takes the selection of visual or select mode, and ends that mode; nil in any other mode.
---@return botglue.Selection?
function M.take_visual()
  local mode = VISUAL[fn.mode()]
  if not mode then
    return nil
  end
  local bufnr = api.nvim_get_current_buf()
  local selection =
    select(bufnr, mode, position("v"), position("."), vim.o.selection == "exclusive", keeps_to_eol())
  vim.cmd("normal! \27")
  return selection
end

--- Whether the last block selection of the current buffer went to the end of its lines. Only `gv` restores that.
local function block_to_eol()
  local view = fn.winsaveview()
  vim.cmd("noautocmd keepjumps normal! gv")
  local to_eol = keeps_to_eol()
  vim.cmd("noautocmd keepjumps normal! \27")
  fn.winrestview(view)
  return to_eol
end

--- The last selection of the current buffer.
---@param mode string
local function last_selection(mode)
  local to_eol = mode == "\22" and block_to_eol()
  return select(
    api.nvim_get_current_buf(),
    mode,
    position("'<"),
    position("'>"),
    vim.o.selection == "exclusive",
    to_eol
  )
end

--- Selects a command's range in the current buffer: the last visual selection if its lines match, else whole lines.
---@param first integer
---@param last integer
---@return botglue.Selection
function M.from_command(first, last)
  local mode = fn.visualmode()
  if fn.line("'<") ~= first or fn.line("'>") ~= last or not VISUAL[mode] then
    return M.linewise(api.nvim_get_current_buf(), first, last)
  end
  return last_selection(mode)
end

--- Selects an operator's text: from `'[` to `']`, inclusive whatever 'selection' says; for a block from `'<` to `'>`.
---@param kind "char"|"line"|"block"
---@return botglue.Selection
function M.from_operator(kind)
  local bufnr, from, to = api.nvim_get_current_buf(), position("'["), position("']")
  if kind == "block" then
    return last_selection("\22")
  elseif kind == "line" then
    return M.linewise(bufnr, from[2], to[2])
  elseif to[2] < from[2] or to[2] == from[2] and to[3] < from[3] then
    fail("the motion covers no text")
  end
  return select(bufnr, "v", from, to, false, false)
end

--- Selects a range that the API was given and has checked.
---@param bufnr integer
---@param range botglue.RangeSpec
---@return botglue.Selection
function M.from_spec(bufnr, range)
  if range.kind == "insert" then
    return M.insertion(bufnr, range.first[1])
  elseif range.kind == "line" then
    local first, last = range.first[1], range.last[1]
    return M.lines(bufnr, math.min(first, last), math.max(first, last))
  end
  local function at(spec)
    local text = api.nvim_buf_get_lines(bufnr, spec[1] - 1, spec[1], true)[1]
    return { bufnr, spec[1], math.min(spec[2], #text) + 1, 0 }
  end
  local to_eol = math.max(range.first[2], range.last[2]) >= EOL
  local mode = range.kind == "char" and "v" or "\22"
  return api.nvim_buf_call(bufnr, function()
    return select(bufnr, mode, at(range.first), at(range.last), false, mode == "\22" and to_eol)
  end)
end

return M
