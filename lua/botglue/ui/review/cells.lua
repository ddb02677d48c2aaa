--- Makes virtual lines of an answer's rows: expands tabs, marks words, wraps. Reads no buffer and sets no mark.

local signs = require("botglue.util.signs")
local text = require("botglue.util.text")

local M = {}

local COMES, NONE = "+ ", "  " -- signs
local ADD, CHANGE = "BotglueAdd", "BotglueChange"
local width_of = vim.api.nvim_strwidth

---@class botglue.Piece
---@field [1] string
---@field [2] string|string[] highlight groups

--- A row as pieces for the screen. What is far beyond the last cell that is drawn is left out.
---@param row string
---@param spans botglue.Spans what is marked
---@param tabstop integer
---@param bytes integer how many may be seen
---@return botglue.Piece[]
local function pieces(row, spans, tabstop, bytes)
  local found, from, column = {}, 0, 0
  row = row:sub(1, bytes)
  local function add(to, group)
    if to > from then
      local words = text.expand(row:sub(from + 1, to), tabstop, column)
      column = column + width_of(words)
      found[#found + 1] = { words, group }
      from = to
    end
  end
  for _, span in ipairs(spans) do
    add(math.min(span[1], #row), ADD)
    add(math.min(span[2], #row), { ADD, CHANGE })
  end
  add(#row, ADD)
  return found
end

--- Breaks pieces into lines that are no wider than there is room.
---@param all botglue.Piece[]
---@param width integer
---@return botglue.Piece[][] lines at least one
local function wrap(all, width)
  local lines, line, room = {}, {}, width
  for _, piece in ipairs(all) do
    local words = piece[1]
    while width_of(words) > room do
      local part = text.fit(words, room, "")
      if part == "" and room == width then
        -- Not even one character has room.
        break
      elseif part ~= "" then
        line[#line + 1] = { part, piece[2] }
        words = words:sub(#part + 1)
      end
      lines[#lines + 1] = line
      line, room = {}, width
    end
    if words ~= "" then
      line[#line + 1] = { words, piece[2] }
      room = room - width_of(words)
    end
  end
  lines[#lines + 1] = line
  return lines
end

--- Fills a line with blanks, so that its colour goes to the edge of the window.
---@param line botglue.Piece[]
---@param width integer
local function fill(line, width)
  for _, piece in ipairs(line) do
    width = width - width_of(piece[1])
  end
  if width > 0 then
    line[#line + 1] = { (" "):rep(width), ADD }
  end
end

--- Puts the sign of a line into the gutter, where it begins there.
---@param line botglue.Piece[]
---@param sign string
---@param pane botglue.ReviewPane
local function put_sign(line, sign, pane)
  if pane.gutter then
    table.insert(line, 1, { pane.gutter[2], "LineNr" })
    table.insert(line, 1, { sign, sign ~= NONE and ADD or "LineNr" })
    table.insert(line, 1, { pane.gutter[1], "LineNr" })
  end
end

--- The lines of one row, with the sign in the gutter where there is one.
---@param row string
---@param spans botglue.Spans
---@param pane botglue.ReviewPane
---@return botglue.Piece[][]
local function lines_of(row, spans, pane)
  local width = pane.columns + pane.leftcol
  local room = pane.scrolls and width or pane.columns * pane.cap
  local all = pieces(row, spans, pane.tabstop, 4 * room)
  local lines = pane.scrolls and { all } or wrap(all, pane.columns)
  for i, line in ipairs(lines) do
    fill(line, width)
    put_sign(line, i == 1 and COMES or NONE, pane)
  end
  return lines
end

--- The rows that would come, as virtual lines. What is taller than the window could not be read to its end: the rest
--- is counted.
---@param hunk botglue.Hunk
---@param pane botglue.ReviewPane
---@return botglue.Piece[][]
function M.rows(hunk, pane)
  local lines = {}
  for i, row in ipairs(hunk.lines) do
    local more = lines_of(row, hunk.new[i] or {}, pane)
    local is_last = i == #hunk.lines
    if #lines + #more > pane.cap - (is_last and 0 or 1) then
      local left = #hunk.lines - i + 1
      local words = left == 1 and "1 more row" or ("%d more rows"):format(left)
      local rest = ("%s %s%s:Botglue diff"):format(signs.cut, words, signs.between)
      lines[#lines + 1] = { { text.fit(rest, pane.columns, signs.cut), "BotglueLabel" } }
      put_sign(lines[#lines], NONE, pane)
      break
    end
    vim.list_extend(lines, more)
  end
  return lines
end

return M
