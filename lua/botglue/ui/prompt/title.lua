--- The title of the prompt: the action, the agent and the model; the place.

local context = require("botglue.editor.context")
local buffer_path = require("botglue.util.buffer_path")
local requests = require("botglue.jobs.request")

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
  local path, root = buffer_path(bufnr), context.project(bufnr) .. "/"
  if vim.startswith(path, root) then
    path = path:sub(#root + 1)
  elseif path == "" then
    path = require("botglue.util.name")("", vim.api.nvim_buf_get_name(bufnr))
  end
  local first, last = range:lines()
  return first == last and ("%s:%d"):format(path, first) or ("%s:%d-%d"):format(path, first, last)
end

--- The action: what will happen to the answer.
---@param prompt botglue.Prompt
---@return string
local function what(prompt)
  local request = prompt.request
  if request.question then
    return "ask"
  elseif request.resume then
    return request.resume.at and "rewind" or "follow up"
  elseif requests.is_reviewed(request, prompt.opts.options) then
    return "hold for review"
  end
  return prompt.range.shape == "insert" and "insert below" or "replace"
end

--- If there is not enough room, the name of the plugin is left out first, then the beginning of the place.
---@param prompt botglue.Prompt
---@return string left
---@return string right
function M.of(prompt)
  local signs = require("botglue.util.signs")
  local left, right = what(prompt) .. signs.between .. prompt.choice:words(), where(prompt.range)
  local room = prompt.float and prompt.float.width
    or math.min(vim.o.columns - 2, require("botglue.ui.place").WIDTH)
  -- Beside blanks around both, and one cell of the border between them.
  local rest = room - 5 - width_of(left)
  if width_of("botglue " .. right) <= rest then
    return "botglue " .. left, right
  end
  return left, rest > 0 and require("botglue.util.text").fit_end(right, rest, signs.cut) or ""
end

return M
