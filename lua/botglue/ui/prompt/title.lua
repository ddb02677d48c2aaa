--- The title of the prompt: what it is for, the agent and the model; the place.

local context = require("botglue.context")

local M = {}

local width_of = vim.api.nvim_strwidth

--- The place in a few words: the file below the project, and the lines.
---@param range botglue.Range
---@return string
local function where(range)
  local bufnr = range.bufnr
  if not vim.api.nvim_buf_is_valid(bufnr) then
    return "gone"
  end
  local path, root = context.path(bufnr), context.project(bufnr) .. "/"
  if vim.startswith(path, root) then
    path = path:sub(#root + 1)
  elseif path == "" then
    path = require("botglue.ui.name").buffer(bufnr)
  end
  local first, last = range:lines()
  return first == last and ("%s:%d"):format(path, first) or ("%s:%d-%d"):format(path, first, last)
end

---@param prompt botglue.Prompt
---@return string left
---@return string right
function M.of(prompt)
  local between = require("botglue.ui.float").signs(prompt.opts.options).between
  local wish, words, right = prompt.wish, prompt.choice:words(), where(prompt.range)
  local what = wish.question and "botglue ask" or wish.resume and "botglue follow up" or "botglue"
  local left = what .. between .. words
  -- Where there is no room for all, what can be changed is what counts.
  local room = prompt.float and prompt.float.width
    or math.min(vim.o.columns - 2, require("botglue.ui.prompt.place").WIDTH)
  return width_of(left .. right) + 5 <= room and left or words, right
end

return M
