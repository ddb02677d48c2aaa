--- The highlight groups, and the text of a range shown in one of them.

local M = {}

local api = vim.api
local namespace = api.nvim_create_namespace("botglue.highlight")

local FLASH = 200 -- milliseconds

local LINKS = {
  BotglueRange = "CursorLine",
  BotglueSpinner = "DiagnosticInfo",
  BotgluePrompt = "Comment",
  BotglueActivity = "Comment",
  BotgluePreview = "Comment",
  BotglueTools = "NormalFloat",
  BotglueFailure = "DiagnosticError",
  BotglueReady = "DiagnosticOk",
  BotglueHeld = "DiagnosticWarn",
  BotglueBorder = "FloatBorder",
  BotglueTitle = "FloatTitle",
  BotglueKey = "FloatTitle",
  BotglueLabel = "Comment",
  BotglueLanded = "DiagnosticOk",
  BotglueFlash = "IncSearch",
}

--- Defines the groups that the user has not defined, unless they are there; a colour scheme may have cleared them all.
function M.define()
  if next(api.nvim_get_hl(0, { name = "BotglueRange" })) then
    return
  end
  for name, link in pairs(LINKS) do
    api.nvim_set_hl(0, name, { link = link, default = true })
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
      priority = 50,
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
