--- What the answer's side holds: a copy of the text with the answer in its place, or the answer alone, and what the
--- user made of it before. Only fills; what becomes of it is not known here.

local replace = require("botglue.replace")
local write = require("botglue.write")

local M = {}

local api = vim.api

--- Changes a text in which nothing was changed yet, so that nothing of it can be undone.
---@param bufnr integer
---@param fn fun()
function M.without_undo(bufnr, fn)
  local bo = vim.bo[bufnr]
  local undolevels = bo.undolevels
  bo.undolevels = -1
  fn()
  bo.undolevels = undolevels
end

--- Puts an answer where it would land into a copy of the text.
---@param bufnr integer of the copy
---@param range botglue.Range
---@param place botglue.Extent
---@param lines string[]
---@return integer first the first row of the answer
---@return integer past the row behind its last one
function M.put(bufnr, range, place, lines)
  local landed
  if range.shape == "char" then
    landed = write.chars(bufnr, place, lines)
  elseif range.shape == "block" then
    landed = write.block(bufnr, place, lines, range.column)
  elseif range.shape == "insert" then
    landed = #lines > 0 and write.insert(bufnr, place, lines) or { first = place.first, empty = true }
  else
    local whole = { first = 0, last = place.last - place.first + 1, lines = lines }
    landed = write.rows(bufnr, place, { whole })
  end
  return landed.first, landed.empty and landed.first or landed.last + 1
end

--- Fills a side with the text, and an answer in its place; with the answer alone where that is not known.
---@param side botglue.Side
---@param lines string[]
function M.show(side, lines)
  local range = side.job.range
  local place = side.known and range:place()
  local text = place and api.nvim_buf_get_lines(range.bufnr, 0, -1, false) or lines
  api.nvim_buf_set_lines(side.bufnr, 0, -1, false, text)
  if place then
    side.region:mark(M.put(side.bufnr, range, place, lines))
  else
    side.region:mark(0, #lines)
  end
end

--- Puts in rows in place of others, as one step that undo takes back. A buffer of which nothing is left keeps an empty
--- row, which is nobody's.
---@param bufnr integer
---@param from integer
---@param to integer
---@param rows string[]
---@param around "rows"|"nothing" what else there is
---@param goes_on boolean? whether that is one step with the last one
local function put_rows(bufnr, from, to, rows, around, goes_on)
  local nobodys = around == "nothing" and from == to and replace.is_empty(bufnr)
  write.as_one_step(bufnr, function()
    api.nvim_buf_set_lines(bufnr, from, nobodys and to + 1 or to, false, rows)
  end, goes_on)
end

--- Shows what the user made of it before. Undo takes back what is around the answer, then what is in it; both at once
--- where the row next to it is another, for the one may have been joined with the other.
---@param side botglue.Side
---@param kept botglue.Draft
---@param rows string[] those of the answer in it
function M.resume(side, kept, rows)
  local bufnr, first, past = side.bufnr, side.region:rows()
  local above, below = first > 0 and side:read(first - 1, first)[1] or nil, side:read(past, past + 1)[1]
  local is_joined = (kept.below and kept.below[1] ~= below)
    or (kept.above and kept.above[#kept.above] ~= above)
  put_rows(bufnr, first, past, rows, "nothing")
  side.region:mark(first, first + #rows)
  if kept.below then
    put_rows(bufnr, first + #rows, -1, kept.below, "rows", is_joined)
  end
  if kept.above then
    put_rows(bufnr, 0, first, kept.above, #rows > 0 and "rows" or "nothing", is_joined)
    first = #kept.above
  end
  side.region:mark(first, first + #rows)
end

--- What is highlighted and how wide tabs are is as in the buffer; its language server is not asked.
---@param side botglue.Side
function M.look_like_buffer(side)
  local bufnr, answer = side.job.range.bufnr, side.bufnr
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

return M
