--- Makes the chunks that fill the border of a floating window: the title above, the keys below. In a window too narrow
--- for all keys they come in pages. Draws nothing.

local signs = require("botglue.util.signs")
local text = require("botglue.util.text")

local M = {}

local width_of = vim.api.nvim_strwidth

M.MORE = "g?" -- the key of the next page, which in insert mode is text
M.MORE_TYPING = "<C-l>"

---@param chunks botglue.Chunks
local function cells(chunks)
  return width_of(text.of_chunks(chunks))
end

--- One text at the left of a border and one at the right.
---@param left botglue.Chunks
---@param right botglue.Chunks
---@param width integer
---@return botglue.Chunks
local function bar(left, right, width)
  local fill = signs.border[2]:rep(math.max(width - cells(left) - cells(right), 0))
  return vim.iter({ left, { { fill, "BotglueBorder" } }, right }):flatten(1):totable()
end

--- The border above.
---@param title { left: string, right: string? }
---@param width integer
---@return botglue.Chunks
function M.title(title, width)
  local room, right = width - 4, text.clean(title.right or "")
  local share = math.min(width_of(right), math.floor(room / 2))
  local left = text.fit(text.clean(title.left), room - share, signs.cut)
  local rest = room - width_of(left)
  right = right ~= "" and rest >= 6 and (" %s "):format(text.fit(right, rest, signs.cut)) or ""
  return bar({ { (" %s "):format(left), "BotglueTitle" } }, { { right, "BotglueLabel" } }, width)
end

--- Whether a key works in a mode.
---@param key botglue.Key
---@param mode string
---@return boolean
local function works(key, mode)
  local modes = key.mode or "n"
  return modes == mode or type(modes) == "table" and vim.tbl_contains(modes, mode)
end

--- The keys that have a word and work in a mode, so many on a page as there is room for.
---@param footer botglue.Footer
---@param room integer
---@return botglue.Key[][]
local function pages(footer, room)
  local between, mode = width_of(signs.between), footer.mode or "n"
  local more = { mode == "n" and M.MORE or M.MORE_TYPING, "more" }
  local shown = vim.tbl_filter(function(key)
    return key[2] ~= nil and works(key, mode)
  end, footer.keys)
  local function width(some)
    local sum = 2 - between
    for _, key in ipairs(some) do
      sum = sum + width_of(key[1] .. " " .. key[2]) + between
    end
    return sum
  end
  if width(shown) <= room then
    return { shown }
  end
  local found, page = {}, {}
  for _, key in ipairs(shown) do
    if #page > 0 and width(vim.list_extend({ key, more }, page)) > room then
      found[#found + 1] = page
      page = {}
    end
    page[#page + 1] = key
  end
  found[#found + 1] = page
  for _, one in ipairs(found) do
    one[#one + 1] = more
  end
  return found
end

---@class botglue.Footer
---@field keys botglue.Key[]
---@field page integer which of the pages is shown, from 0
---@field mode "n"|"i"|"s"|nil the user's mode; normal by default
---@field note string? at the left; the keys are at the right then

--- The border below.
---@param footer botglue.Footer
---@param width integer
---@return botglue.Chunks
function M.footer(footer, width)
  local note = text.clean(footer.note or "")
  local all, keys = pages(footer, width), {}
  for i, key in ipairs(all[footer.page % #all + 1]) do
    keys[#keys + 1] = { i == 1 and " " or signs.between, "BotglueLabel" }
    keys[#keys + 1] = { key[1], "BotglueKey" }
    keys[#keys + 1] = { " " .. key[2], "BotglueLabel" }
  end
  keys[#keys + 1] = { #keys > 0 and " " or "", "BotglueLabel" }
  if not footer.note then
    return bar(keys, {}, width)
  end
  local room = width - cells(keys) - 2
  local fits = note ~= "" and (width_of(note) <= room or room > 8)
  local left = fits and { { (" %s "):format(text.fit(note, room, signs.cut)), "BotglueLabel" } } or {}
  return bar(left, keys, width)
end

return M
