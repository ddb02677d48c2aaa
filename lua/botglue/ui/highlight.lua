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
  BotglueAdd = "DiffAdd",
  BotglueChange = "DiffText",
  BotglueFlash = "IncSearch",
}

--- The three parts of a colour, from 0 to 1.
---@param colour integer
---@return number[]
local function parts(colour)
  return vim.tbl_map(function(unit)
    return math.floor(colour / unit) % 256 / 255
  end, { 0x10000, 0x100, 1 })
end

--- Mixes two colours.
---@param one integer
---@param other integer
---@param share number how much there is of the first one
---@return integer
local function mix(one, other, share)
  local mixed, behind = 0, parts(other)
  for i, part in ipairs(parts(one)) do
    mixed = mixed * 256 + math.floor((part * share + behind[i] * (1 - share)) * 255 + 0.5)
  end
  return mixed
end

--- The contrast of two colours, from 1 to 21, as WCAG defines it.
---@param one integer
---@param other integer
---@return number
local function contrast(one, other)
  local function luminance(colour)
    local sum = 0
    for i, part in ipairs(parts(colour)) do
      local linear = part <= 0.04045 and part / 12.92 or ((part + 0.055) / 1.055) ^ 2.4
      sum = sum + linear * ({ 0.2126, 0.7152, 0.0722 })[i]
    end
    return sum + 0.05
  end
  local a, b = luminance(one), luminance(other)
  return math.max(a, b) / math.min(a, b)
end

local READABLE = 3 -- the least contrast

--- How rows look that go: as the colour scheme says. Where that gives them no background a blank row would show
--- nothing, and on some the text cannot be read: then they are on the same colour, dimmed.
---@return vim.api.keyset.highlight
local function deleted()
  local is_dark = vim.o.background == "dark"
  local theirs = api.nvim_get_hl(0, { name = "DiffDelete", link = false })
  local normal = api.nvim_get_hl(0, { name = "Normal", link = false })
  local behind = normal.bg or (is_dark and 0x000000 or 0xffffff)
  local before = normal.fg or (is_dark and 0xffffff or 0x000000)
  local fg, bg = theirs.fg or before, theirs.bg or behind
  if (bg ~= behind or theirs.reverse) and contrast(fg, bg) >= READABLE then
    return theirs
  end
  local colour = theirs.bg or theirs.fg or (is_dark and 0xff6060 or 0xc00000)
  return {
    bg = mix(colour, behind, is_dark and 0.25 or 0.2),
    ctermbg = theirs.ctermbg or theirs.ctermfg or 9,
    ctermfg = 0,
  }
end

--- Defines the groups that the user has not defined; a colour scheme may have cleared them.
function M.define()
  for name, link in pairs(LINKS) do
    api.nvim_set_hl(0, name, { link = link, default = true })
  end
  local connection = require("botglue.client").connection()
  local before = api.nvim_get_hl(0, { name = "BotglueDelete" })
  -- With 'background' Neovim forgets that it was a default.
  before.default = nil
  if next(before) == nil or vim.deep_equal(before, connection.deleted_look) then
    local look = deleted()
    look.default = nil
    api.nvim_set_hl(0, "BotglueDelete", look)
    connection.deleted_look = api.nvim_get_hl(0, { name = "BotglueDelete" })
  end
end

--- Shows the text of a range until the returned function is called.
---@param range botglue.Range
---@param group string?
---@return fun() remove
function M.range(range, group)
  if next(api.nvim_get_hl(0, { name = "BotglueRange" })) == nil then
    M.define()
  end
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
