--- Runs a change of a user's buffer as one undo step, without moving the user's marks. The caller has checked, in the
--- same call, that the moment is safe and that the text is the expected one.

local change = require("botglue.editor.change")
local insertion = require("botglue.editor.insertion")

local M = {}

local api = vim.api
local namespace = api.nvim_create_namespace("botglue.write")

local NEAR = 9 -- lines on each side that are searched for two which neither begin nor end a fold

--- Follows the marks '[ and '] through a write: Neovim moves all other marks itself.
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

--- Whether a line neither begins nor ends a manual fold: Neovim before 0.12 removes such a line from its fold on any
--- write to it, even an empty one. (It computes other folds again.)
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

--- `U` restores the last changed line at its old number, even if lines were inserted or deleted above it since: it
--- would overwrite another line. So from now on `U` restores a line at or near this write, as that line is now.
---@param bufnr integer
---@param first integer row from 0: the changed row, or the one that moved up in place of deleted rows
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
  -- Neovim does not save the line for `U` that it saved last: so two lines get an empty change each.
  for _, line in ipairs({ near[2], near[1] }) do
    change.set_text(bufnr, line - 1, 0, line - 1, 0, { "" })
  end
end

--- Runs a write as one undo step, separate from what was typed before it and from what is typed after it.
---@param bufnr integer
---@param first integer the first row that it changes, from 0
---@param fn fun()
function M.as_one_step(bufnr, first, fn)
  local bo = vim.bo[bufnr]
  -- The first change of a read-only buffer would warn for a whole second. The file is safe: `:w` still refuses.
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
  insertion.written(bufnr)
  restore()
  if not ok then
    error(raised, 0)
  end
end

return M
