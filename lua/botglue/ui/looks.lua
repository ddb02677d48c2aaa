--- How each highlight group looks in the present colour scheme: it links to a standard group, unless text in that could
--- not be read, or an area not be seen. Then it has a look of its own, made of the standard group's colours. Reads
--- groups, defines none.

local colour = require("botglue.ui.colour")

local M = {}

local api = vim.api
local LINE = 1.25 -- the least contrast of a border
local LINKS = 20 -- from one group to the next

--- Groups of text, and the standard group of each.
local TEXT = {
  BotglueSpinner = "DiagnosticInfo",
  BotgluePrompt = "Comment",
  BotglueActivity = "Comment",
  BotgluePreview = "Comment",
  BotglueFailure = "DiagnosticError",
  BotglueReady = "DiagnosticOk",
  BotglueHeld = "DiagnosticWarn",
  BotglueLanded = "DiagnosticOk",
  BotglueTitle = "FloatTitle",
  BotglueKey = "FloatTitle",
  BotglueLabel = "Comment",
}

--- What stands for a group without any colour.
local COLOURLESS = { DiffAdd = 0x40a040, DiffDelete = 0xd04040, DiffText = 0x4070d0 }

--- Where such text is drawn: below the user's rows, in a window of ours, and there in the selected row.
local GROUNDS = { {}, { "BotglueFloat" }, { "BotglueFloat", "BotglueSelected" } }

---@class botglue.CellLook how a cell looks
---@field fg integer
---@field bg integer
---@field ctermfg integer?
---@field ctermbg integer?

--- How a group looks, through its links. Neovim would follow them by the 'winhighlight' of the current window.
---@param name string
---@return vim.api.keyset.get_hl_info
local function look_of(name)
  local look = api.nvim_get_hl(0, { name = name })
  for _ = 1, LINKS do
    if not look.link then
      return look
    end
    look = api.nvim_get_hl(0, { name = look.link })
  end
  return {}
end

--- How a cell looks in which groups are drawn over Normal.
---@param groups string[] the lowest first
---@return botglue.CellLook
local function cell_of(groups)
  local is_dark, is_reverse = vim.o.background == "dark", false
  local cell = { fg = is_dark and 0xffffff or 0x000000, bg = is_dark and 0x000000 or 0xffffff }
  for _, name in ipairs(vim.list_extend({ "Normal" }, groups)) do
    local look = look_of(name)
    for _, field in ipairs({ "fg", "bg", "ctermfg", "ctermbg" }) do
      cell[field] = look[field] or cell[field]
    end
    is_reverse = is_reverse or look.reverse == true
  end
  if is_reverse then
    cell.fg, cell.bg, cell.ctermfg, cell.ctermbg = cell.bg, cell.fg, cell.ctermbg, cell.ctermfg
  end
  return cell
end

--- The least contrast of text in a group.
---@param group string
---@param grounds string[][] what it is drawn on
---@return number
local function least_contrast(group, grounds)
  local least = math.huge
  for _, ground in ipairs(grounds) do
    local cell = cell_of(vim.list_extend({ unpack(ground) }, { group }))
    least = math.min(least, colour.contrast(cell.fg, cell.bg))
  end
  return least
end

--- How many of the standard groups of text can be read.
---@param ground string[] what they are drawn on
---@return integer
local function count_readable(ground)
  local count = 0
  for _, standard in pairs(TEXT) do
    count = count + (least_contrast(standard, { ground }) >= colour.READABLE and 1 or 0)
  end
  return count
end

--- The window: a colour scheme makes its texts for Normal, and on some of its NormalFloats they cannot be read.
---@return vim.api.keyset.highlight
local function float()
  return { link = count_readable({}) > count_readable({ "NormalFloat" }) and "Normal" or "NormalFloat" }
end

--- The same as in the window.
---@return vim.api.keyset.highlight
local function as_float()
  return { link = api.nvim_get_hl(0, { name = "BotglueFloat" }).link or "BotglueFloat" }
end

--- The row of the cursor in the window.
---@return vim.api.keyset.highlight
local function selected()
  local ground, row = cell_of({ "BotglueFloat" }), { "BotglueFloat", "CursorLine" }
  local look = cell_of(row)
  local is_seen = colour.difference(look.bg, ground.bg) >= colour.VISIBLE
  local is_read = colour.contrast(look.fg, look.bg) >= colour.READABLE
  if is_seen and is_read and count_readable(row) >= count_readable({ "BotglueFloat" }) then
    return { link = "CursorLine" }
  end
  local tints = vim.tbl_map(function(one)
    return colour.tint(one, ground.bg, { ground.bg })
  end, { ground.fg, 0xffffff, 0x000000 })
  local bg = vim.iter(tints):find(function(tint)
    return colour.contrast(ground.fg, tint) >= colour.READABLE
  end) or tints[1]
  return { bg = bg, ctermbg = vim.o.background == "dark" and 238 or 253 }
end

--- The border, unless it is an area of its own, or cannot be seen: then it is a line on the background of the window.
---@return vim.api.keyset.highlight
local function border()
  local ground, theirs = cell_of({ "BotglueFloat" }), cell_of({ "FloatBorder" })
  local is_line = theirs.bg == ground.bg or theirs.bg == cell_of({}).bg
  if is_line and colour.contrast(theirs.fg, theirs.bg) >= LINE then
    return { link = "FloatBorder" }
  end
  local lines = {
    { theirs.fg, theirs.ctermfg },
    { theirs.bg, theirs.ctermbg },
    { ground.fg, ground.ctermfg },
  }
  local line = vim.iter(lines):find(function(one)
    return colour.contrast(one[1], ground.bg) >= LINE
  end) or lines[3]
  return { fg = line[1], bg = ground.bg, ctermfg = line[2], ctermbg = ground.ctermbg }
end

--- What titles and keys lie on: the background of the border.
---@return vim.api.keyset.highlight
local function frame()
  local is_float = cell_of({ "BotglueBorder" }).bg == cell_of({ "BotglueFloat" }).bg
  return is_float and as_float() or { link = "Normal" }
end

---@param standard string
---@return vim.api.keyset.highlight
local function text(standard)
  if least_contrast(standard, GROUNDS) >= colour.READABLE then
    return { link = standard }
  end
  local look = look_of(standard)
  local backgrounds = vim.tbl_map(function(ground)
    return cell_of(ground).bg
  end, GROUNDS)
  local fg = colour.readable(cell_of({ standard }).fg, backgrounds)
  return { fg = fg, ctermfg = cell_of({}).ctermfg, bold = look.bold, italic = look.italic }
end

--- The range of a job: told from the rest of the text, and from the line of the cursor.
---@return vim.api.keyset.highlight
local function range()
  local normal, cursor = cell_of({}), cell_of({ "CursorLine" })
  local bg = colour.tint(cell_of({ "DiagnosticInfo" }).fg, normal.bg, { normal.bg, cursor.bg })
  return { bg = bg, ctermbg = vim.o.background == "dark" and 23 or 152 }
end

--- Rows that come or go, and words that change: as the colour scheme says. Where that gives them no background a blank
--- row would show nothing, and on some the text cannot be read: then they are on the same colour, dimmed.
---@param standard string
---@return vim.api.keyset.highlight
local function rows(standard)
  local is_dark = vim.o.background == "dark"
  local theirs, cell, normal = look_of(standard), cell_of({ standard }), cell_of({})
  if cell.bg ~= normal.bg and colour.contrast(cell.fg, cell.bg) >= colour.READABLE then
    return { link = standard }
  end
  return {
    bg = colour.mix(theirs.bg or theirs.fg or COLOURLESS[standard], normal.bg, is_dark and 0.25 or 0.2),
    ctermbg = theirs.ctermbg or theirs.ctermfg or 9,
    ctermfg = 0,
  }
end

---@param standard string
---@return vim.api.keyset.highlight
local function link(standard)
  return { link = standard }
end

--- All groups, each behind those that it is made of.
---@type { name: string, look: (fun(standard: string?): vim.api.keyset.highlight), standard: string? }[]
M.GROUPS = {
  { name = "BotglueFloat", look = float },
  { name = "BotglueSelected", look = selected },
  { name = "BotglueBorder", look = border },
  { name = "BotglueFrame", look = frame },
  { name = "BotglueTools", look = as_float },
  { name = "BotglueRange", look = range },
  { name = "BotglueDelete", look = rows, standard = "DiffDelete" },
  { name = "BotglueAdd", look = rows, standard = "DiffAdd" },
  { name = "BotglueChange", look = rows, standard = "DiffText" },
  { name = "BotglueFlash", look = link, standard = "IncSearch" },
}
for name, standard in pairs(TEXT) do
  M.GROUPS[#M.GROUPS + 1] = { name = name, look = text, standard = standard }
end

--- The groups in which text cannot be read as they are defined, with the contrast of each.
---@return { name: string, contrast: number }[] by name
function M.unreadable()
  local found = {}
  local function check(name, grounds)
    local contrast = least_contrast(name, grounds)
    if contrast < colour.READABLE then
      found[#found + 1] = { name = name, contrast = contrast }
    end
  end
  for name in pairs(TEXT) do
    check(name, GROUNDS)
  end
  for _, name in ipairs({ "BotglueAdd", "BotglueChange", "BotglueDelete", "BotglueRange" }) do
    check(name, { {} })
  end
  table.sort(found, function(a, b)
    return a.name < b.name
  end)
  return found
end

return M
