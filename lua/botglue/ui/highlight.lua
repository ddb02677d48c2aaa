--- Defines the highlight groups, and highlights the text of a range.

local M = {}

local api = vim.api
local namespace = api.nvim_create_namespace("botglue.highlight")

local FLASH = 200 -- milliseconds
-- A range has the text colour that its background is made for: above those of the syntax, below diagnostics.
local PRIORITY = 130

--- The standard group of each, by which it is read and seen in every colour scheme that Neovim ships. Comment and the
--- groups of diagnostics are not; nor is any text on each NormalFloat.
local LINKS = {
  BotglueActivity = "WinBarNC",
  BotglueAdd = "DiffAdd",
  BotglueBorder = "Normal",
  BotglueChange = "DiffText",
  BotglueDelete = "Removed",
  BotglueFailure = "Removed",
  BotglueFlash = "IncSearch",
  BotglueFloat = "Normal",
  BotglueHeld = "Title",
  BotglueKey = "Title",
  BotglueLabel = "Normal",
  BotglueLanded = "Function",
  BotgluePreview = "WinBarNC",
  BotgluePrompt = "WinBarNC",
  BotglueRange = "QuickFixLine",
  BotglueReady = "Function",
  BotglueSelected = "TermCursor",
  BotglueSpinner = "Directory",
  BotglueTitle = "Title",
  BotglueTools = "Normal",
}

--- Defines the groups that neither the user nor the colour scheme has defined.
function M.define()
  for name, standard in pairs(LINKS) do
    api.nvim_set_hl(0, name, { link = standard, default = true })
  end
end

--- Shows the text of a range until the returned function is called.
---@param range botglue.Range
---@param group string?
---@return fun() remove
function M.range(range, group)
  M.define()
  local marks, bufnr = {}, range.bufnr
  local place = range:place()
  local function show(row, col, end_row, end_col, to_edge)
    marks[#marks + 1] = api.nvim_buf_set_extmark(bufnr, namespace, row, col, {
      end_row = end_row,
      end_col = end_col,
      right_gravity = true,
      end_right_gravity = false,
      hl_group = group or "BotglueRange",
      hl_eol = to_edge,
      hl_mode = "combine",
      priority = PRIORITY,
    })
  end
  if place and range.shape == "block" then
    for i, span in ipairs(place.spans) do
      show(place.first + i - 1, span[1], place.first + i - 1, span[2], false)
    end
  elseif place and range.shape == "char" then
    show(place.first, place.from, place.last, place.to, false)
  elseif place and range.shape == "line" then
    -- To the start of the row below, so that the last row is shown to the edge of the window too.
    show(place.first, 0, place.last + 1, 0, true)
  end
  return function()
    for _, id in ipairs(marks) do
      pcall(api.nvim_buf_del_extmark, bufnr, namespace, id)
    end
    marks = {}
  end
end

--- Shows for a moment where an answer has landed.
---@param range botglue.Range
---@return fun() remove
function M.flash(range)
  local remove = M.range(range, "BotglueFlash")
  vim.defer_fn(remove, FLASH)
  return remove
end

return M
