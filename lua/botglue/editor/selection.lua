--- What was selected: from visual mode, from the marks of the last selection, from lines, or as the API gives it.
---
--- A selection is the bytes of each row that belong to it, `spans`, whole characters always. It is a picture of one
--- moment: `range` makes a mark of it at once. Nothing here changes the buffer.

local fail = require("botglue.host.errors").fail
local screen = require("botglue.util.text")

local M = {}

local EOL = vim.v.maxcol

---@param bufnr integer
---@param line integer from 1
---@return string
local function row(bufnr, line)
  return vim.api.nvim_buf_get_lines(bufnr, line - 1, line, true)[1]
end

--- The first byte of the character that byte `col` belongs to; the row's length when it lies behind the end.
---@param text string
---@param col integer from 0
---@return integer
local function char_start(text, col)
  if col >= #text then
    return #text
  end
  return col + vim.str_utf_start(text, col + 1)
end

local LONGEST = 6 -- bytes that one code point can have

--- The byte behind the character at `col`, with what combines with it.
---@param text string
---@param col integer from 0
---@return integer
local function char_end(text, col)
  if col >= #text then
    return #text
  end
  local start = char_start(text, col)
  local looked = 32
  while true do
    -- Not all of the row: it may be long, and each character of it is asked for.
    looked = looked * 2
    local size = #vim.fn.strpart(screen.vim(text:sub(start + 1, start + looked)), 0, 1, true)
    if size + LONGEST <= looked or start + looked >= #text then
      return start + size
    end
  end
end

---@param bufnr integer
---@param first integer
---@param last integer
---@return botglue.Selection
function M.lines(bufnr, first, last)
  local spans = {}
  for i, text in ipairs(vim.api.nvim_buf_get_lines(bufnr, first - 1, last, true)) do
    spans[i] = { 0, #text }
  end
  return { bufnr = bufnr, kind = "line", first_line = first, last_line = last, spans = spans }
end

--- What the user selected linewise: without the blank lines at its ends, but for one of blank lines alone.
---@param bufnr integer
---@param first integer
---@param last integer
---@return botglue.Selection
function M.linewise(bufnr, first, last)
  local from, to
  for i, text in ipairs(vim.api.nvim_buf_get_lines(bufnr, first - 1, last, true)) do
    if text:find("%S") then
      from, to = from or first + i - 1, first + i - 1
    end
  end
  return M.lines(bufnr, from or first, to or last)
end

--- No text at all: what comes goes below `line`, above the first one when it is 0.
---@param bufnr integer
---@param line integer
---@return botglue.Selection
function M.insertion(bufnr, line)
  return { bufnr = bufnr, kind = "insert", first_line = line, last_line = line, spans = {} }
end

--- Line from 1, col in bytes from 0. With 'virtualedit' it may be `off` columns right of where the character there
--- begins: within a tab, or behind the end of the row.
---@alias botglue.Position { line: integer, col: integer, off: integer? }

---@param bufnr integer
---@param first botglue.Position
---@param last botglue.Position
---@param exclusive boolean whether `last` itself is left out
---@return botglue.Selection
local function chars(bufnr, first, last, exclusive)
  local selection = M.lines(bufnr, first.line, last.line)
  local spans = selection.spans
  selection.kind = "char"
  local text = row(bufnr, last.line)
  -- A tab that the selection ends within is part of it.
  local before = exclusive and (last.off or 0) == 0
  spans[#spans][2] = before and char_start(text, last.col) or char_end(text, last.col)
  spans[1][1] = math.min(char_start(row(bufnr, first.line), first.col), spans[1][2])
  return selection
end

--- The screen columns, from 0, that each character of a row takes: calls `fn(from_byte, to_byte, from_col, to_col)`.
---@param text string
---@param fn fun(from_byte: integer, to_byte: integer, from_col: integer, to_col: integer): boolean?
---@return integer width of the row
local function each_cell(text, fn)
  local byte, column = 0, 0
  while byte < #text do
    local stop = char_end(text, byte)
    local width = screen.width(text:sub(byte + 1, stop), column)
    if fn(byte, stop, column, column + width) then
      return column
    end
    byte, column = stop, column + width
  end
  return column
end

--- The screen columns of a position: those of its character, or one alone where it has an offset. That is so behind the
--- end of the row, within a tab, and within what stands for a character that cannot be printed.
---@param bufnr integer
---@param position botglue.Position
---@return integer from
---@return integer to exclusive
local function columns(bufnr, position)
  local from, to
  local text = row(bufnr, position.line)
  local width = each_cell(text, function(start, stop, left, right)
    if position.col < stop then
      from, to = left, right
      local char = screen.vim(text:sub(start + 1, stop))
      if position.off and vim.fn.strtrans(char) ~= char then
        from, to = left + position.off, left + position.off + 1
      end
      return true
    end
  end)
  local behind = width + (position.off or 0)
  return from or behind, to or behind + 1
end

--- The bytes of a row whose characters lie in the columns, a character that is cut by an edge included.
---@param text string
---@param left integer
---@param right integer exclusive
---@return integer[] span
local function cut(text, left, right)
  local from, to = #text, #text
  each_cell(text, function(start, _, first, past)
    if first >= right then
      to = start
      from = math.min(from, start)
      return true
    end
    if past > left then
      from = math.min(from, start)
    end
  end)
  return { from, to }
end

---@param bufnr integer
---@param corner botglue.Position
---@param opposite botglue.Position
---@param edge "inclusive"|"exclusive"|"eol" what bounds the block at its right
---@return botglue.Selection
local function block(bufnr, corner, opposite, edge)
  local first, last = math.min(corner.line, opposite.line), math.max(corner.line, opposite.line)
  local left, right
  vim.api.nvim_buf_call(bufnr, function()
    local a_left, a_right = columns(bufnr, corner)
    local b_left, b_right = columns(bufnr, opposite)
    left, right = math.min(a_left, b_left), math.max(a_right, b_right)
    if edge == "exclusive" and b_left >= a_right then
      -- Neovim leaves out only a last character that lies right of the first one.
      right = b_left
    elseif edge == "eol" then
      right = math.huge
    end
  end)
  local selection = M.lines(bufnr, first, last)
  selection.kind, selection.column = "block", left
  vim.api.nvim_buf_call(bufnr, function()
    for i = 1, #selection.spans do
      selection.spans[i] = cut(row(bufnr, first + i - 1), left, right)
    end
  end)
  return selection
end

---@param a botglue.Position
---@param b botglue.Position
local function ordered(a, b)
  local right = b.col - a.col
  if right == 0 then
    right = (b.off or 0) - (a.off or 0)
  end
  if b.line < a.line or (b.line == a.line and right < 0) then
    return b, a
  end
  return a, b
end

--- What is highlighted of each row between two corners in the current window, as Neovim has it: what it shows within a
--- row that is no text of it, as inlay hints and 'breakindent', takes columns, too.
---@param corner botglue.Position
---@param opposite botglue.Position
---@param exclusive boolean
---@return integer[][]? spans nil where Neovim does not tell, before 0.11
local function highlighted(corner, opposite, exclusive)
  if vim.fn.exists("*getregionpos") == 0 then
    return nil
  end
  local function at(place)
    return { 0, place.line, place.col + 1, place.off or 0 }
  end
  -- Offsets that "block" allows count in visual mode alone, which may be over.
  local own = vim.api.nvim_get_option_value("virtualedit", { scope = "local", win = 0 })
  local options = { type = "\22", exclusive = exclusive }
  local function set(value)
    vim.api.nvim_cmd(
      { cmd = "setlocal", args = { "virtualedit=" .. value }, mods = { noautocmd = true } },
      {}
    )
  end
  set(vim.o.virtualedit:find("[ba]l") and "all" or own)
  local pieces = vim.fn.getregionpos(at(corner), at(opposite), options)
  set(own)
  local spans = {}
  for i, piece in ipairs(pieces) do
    local text = vim.fn.getline(piece[1][2])
    local from, to = piece[1][3], piece[2][3]
    local is_behind = from == 0 or from > #text
    spans[i] = is_behind and { #text, #text }
      or { from - 1, to < from and from - 1 or char_end(text, to - 1) }
  end
  return spans
end

---@param bufnr integer
---@param mode string `v`, `V` or CTRL-V
---@param anchor botglue.Position
---@param cursor botglue.Position
---@param to_eol boolean whether `$` was used
---@return botglue.Selection
local function visual(bufnr, mode, anchor, cursor, to_eol)
  local first, last = ordered(anchor, cursor)
  local exclusive = vim.o.selection == "exclusive"
  if mode == "V" then
    return M.linewise(bufnr, first.line, last.line)
  elseif mode == "v" then
    -- Where both ends are one character, Neovim takes it even so.
    return chars(bufnr, first, last, exclusive and not vim.deep_equal(first, last))
  end
  -- The offsets are nothing where corners are whole characters.
  local virtual = vim.o.virtualedit
  if not virtual:find("block") and not virtual:find("all") then
    first.off, last.off = nil, nil
  end
  local selection = block(bufnr, first, last, to_eol and "eol" or exclusive and "exclusive" or "inclusive")
  selection.spans = not to_eol and highlighted(first, last, exclusive) or selection.spans
  return selection
end

---@param expr string
---@return botglue.Position
local function position(expr)
  local pos = vim.fn.getpos(expr)
  return { line = pos[2], col = math.max(pos[3] - 1, 0), off = pos[4] }
end

--- Whether the cursor of the current window keeps to the end of lines, as `$` makes it.
local function keeps_to_eol()
  return vim.fn.getcurpos()[5] == EOL
end

local VISUAL = { v = "v", V = "V", ["\22"] = "\22", s = "v", S = "V", ["\19"] = "\22" }

--- The selection of visual or select mode, which ends by this; nil in any other mode.
---@return botglue.Selection?
function M.take_visual()
  local mode = VISUAL[vim.fn.mode()]
  if not mode then
    return nil
  end
  local selection = visual(vim.api.nvim_get_current_buf(), mode, position("v"), position("."), keeps_to_eol())
  vim.cmd("normal! \27")
  return selection
end

--- Whether the last block selection of the current buffer went to the end of its lines. Only `gv` knows.
local function block_to_eol()
  local view = vim.fn.winsaveview()
  vim.cmd("noautocmd keepjumps normal! gv")
  local to_eol = keeps_to_eol()
  vim.cmd("noautocmd keepjumps normal! \27")
  vim.fn.winrestview(view)
  return to_eol
end

--- What a command's range means in the current buffer: the last selection when it is that one, else whole lines.
---@param first integer
---@param last integer
---@return botglue.Selection
function M.from_command(first, last)
  local bufnr = vim.api.nvim_get_current_buf()
  local from, to = position("'<"), position("'>")
  if from.line ~= first or to.line ~= last then
    return M.linewise(bufnr, first, last)
  end
  local mode = vim.fn.visualmode()
  if VISUAL[mode] == nil then
    return M.linewise(bufnr, first, last)
  end
  return visual(bufnr, mode, from, to, mode == "\22" and block_to_eol())
end

--- What an operator was given: the marks `'[` and `']`, which are inclusive whatever 'selection' says. For a block `']`
--- is a character too far to the left where the motion is exclusive; its corners are those of a selection.
---@param kind "char"|"line"|"block"
---@return botglue.Selection
function M.from_operator(kind)
  local bufnr = vim.api.nvim_get_current_buf()
  if kind == "block" then
    return visual(bufnr, "\22", position("'<"), position("'>"), block_to_eol())
  end
  local from, to = position("'["), position("']")
  if kind == "line" then
    return M.linewise(bufnr, from.line, to.line)
  elseif to.line < from.line or to.line == from.line and to.col < from.col then
    fail("there is no text in that motion")
  end
  return chars(bufnr, from, to, false)
end

--- What the API was given, already checked.
---@param bufnr integer
---@param range botglue.RangeSpec
---@return botglue.Selection
function M.from_spec(bufnr, range)
  if range.kind == "insert" then
    return M.insertion(bufnr, range.first[1])
  end
  if range.kind == "line" then
    local first, last = range.first[1], range.last[1]
    return M.lines(bufnr, math.min(first, last), math.max(first, last))
  end
  local a = { line = range.first[1], col = range.first[2] }
  local b = { line = range.last[1], col = range.last[2] }
  local first, last = ordered(a, b)
  if range.kind == "char" then
    return chars(bufnr, first, last, false)
  end
  return block(bufnr, a, b, math.max(a.col, b.col) >= EOL and "eol" or "inclusive")
end

return M
