--- Runs a change of a user's buffer as one undo step, with nothing else moved. Whether now is a good moment, and
--- whether the text is what the change was made for, was asked in the same call.

local change = require("botglue.editor.change")
local seam = require("botglue.editor.insertion")

local M = {}

local api = vim.api
local namespace = api.nvim_create_namespace("botglue.write")

local NEAR = 9 -- lines, in which two are looked for that are at no end of a fold

--- Follows the marks '[ and '] through a write: Neovim moves all others, but not these.
---@param bufnr integer
---@return fun() restore
local function follow_last_change(bufnr)
  local followed = {}
  for _, name in ipairs({ "[", "]" }) do
    local line, col = unpack(api.nvim_buf_get_mark(bufnr, name))
    if line > 0 and line <= api.nvim_buf_line_count(bufnr) then
      local id = api.nvim_buf_set_extmark(bufnr, namespace, line - 1, 0, {})
      followed[#followed + 1] = { name = name, id = id, line = line, col = col }
    end
  end
  return function()
    for _, mark in ipairs(followed) do
      local row = api.nvim_buf_get_extmark_by_id(bufnr, namespace, mark.id, {})[1]
      if row and row + 1 ~= mark.line then
        pcall(api.nvim_buf_set_mark, bufnr, mark.name, row + 1, mark.col, {})
      end
    end
    api.nvim_buf_clear_namespace(bufnr, namespace, 0, -1)
  end
end

--- Whether a line is neither the first nor the last of a fold that somebody made by hand: from there Neovim before 0.12
--- takes a line away whatever is written to it, be it nothing. (Other folds it makes anew.)
---@param bufnr integer
---@param line integer from 1
---@return boolean
local function is_off_fold_ends(bufnr, line)
  return vim.iter(vim.fn.win_findbuf(bufnr)):all(function(win)
    return vim.wo[win].foldmethod ~= "manual"
      or api.nvim_win_call(win, function()
        local function is_alike(other)
          return vim.fn.foldlevel(other) == vim.fn.foldlevel(line)
            and vim.fn.foldclosed(other) == vim.fn.foldclosed(line)
        end
        return vim.fn.foldlevel(line) == 0 or (is_alike(line - 1) and is_alike(line + 1))
      end)
  end)
end

--- `U` puts a line back at the number that it had, whatever came in or went above it since: another line would be lost.
--- So the line to be put back is one of ours from now on, or one beside it, as it is.
---@param bufnr integer
---@param first integer row from 0: that was changed just now, or came up for those that went
local function forget_line(bufnr, first)
  local rows = api.nvim_buf_line_count(bufnr)
  local row = math.min(first + 1, rows)
  local near = {}
  for distance = 0, NEAR do
    for _, line in ipairs(distance == 0 and { row } or { row + distance, row - distance }) do
      if #near < 2 and line >= 1 and line <= rows and is_off_fold_ends(bufnr, line) then
        near[#near + 1] = line
      end
    end
  end
  if #near < 2 then
    near = { row, row < rows and row + 1 or math.max(row - 1, 1) }
  end
  -- A line that Neovim thinks it has it does not take again: hence two, neither of which is changed.
  for _, taken in ipairs({ near[2], near[1] }) do
    change.set_text(bufnr, taken - 1, 0, taken - 1, 0, { "" })
  end
end

--- Runs a write as one undo step, apart from what was typed before it and from what is typed after it.
---@param bufnr integer
---@param first integer the first row that it changes, from 0
---@param fn fun()
function M.as_one_step(bufnr, first, fn)
  local bo = vim.bo[bufnr]
  -- The first change of a read-only buffer warns for a whole second. It is only text so far: `:w` still refuses.
  local readonly = bo.readonly
  local restore = follow_last_change(bufnr)
  -- Setting the option, even to itself, closes the open undo step.
  bo.undolevels = bo.undolevels
  if readonly then
    bo.readonly = false
  end
  local ok, raised = pcall(fn)
  pcall(forget_line, bufnr, first)
  if readonly then
    bo.readonly = true
  end
  bo.undolevels = bo.undolevels
  seam.written(bufnr)
  restore()
  if not ok then
    error(raised, 0)
  end
end

return M
