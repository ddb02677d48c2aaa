--- Text for the screen: without control characters, and no wider than there is room.

local M = {}

--- Text with nothing in it that moves a cursor or breaks a line.
---@param text string
---@return string
function M.clean(text)
  return (vim.trim((text:gsub("[%c\127]+", " "))))
end

--- The text of chunks, each a text with its highlight group.
---@param chunks [string, string?][]
---@return string
function M.of_chunks(chunks)
  local parts = {}
  for i, chunk in ipairs(chunks) do
    parts[i] = chunk[1]
  end
  return table.concat(parts)
end

--- Text of a buffer as Vim's functions take it: one with a NUL in it they would take for a Blob, and raise an error.
---@param text string
---@return string
function M.vim(text)
  return (text:gsub("%z", "\n"))
end

--- Text of a buffer as the screen shows it: tabs become blanks, what cannot be printed what Neovim shows for it.
---@param text string
---@param tabstop integer
---@param column integer? from 0, where it begins
---@return string
function M.expand(text, tabstop, column)
  if not text:find("[^ -~]") then
    return text
  end
  local parts = vim.split(text, "\t", { plain = true })
  local at = column or 0
  for i, part in ipairs(parts) do
    local words = vim.fn.strtrans(M.vim(part))
    at = at + vim.api.nvim_strwidth(words)
    local blanks = i < #parts and tabstop - at % tabstop or 0
    at = at + blanks
    parts[i] = words .. (" "):rep(blanks)
  end
  return table.concat(parts)
end

--- Cuts text to a width in cells, with a mark where it was cut.
---@param text string
---@param width integer
---@param mark string
---@return string
function M.fit(text, width, mark)
  if vim.api.nvim_strwidth(text) <= width then
    return text
  end
  local room = math.max(width - vim.api.nvim_strwidth(mark), 0)
  local count = room
  local cut = vim.fn.strcharpart(text, 0, count, 1)
  while vim.api.nvim_strwidth(cut) > room do
    count = count - 1
    cut = vim.fn.strcharpart(text, 0, count, 1)
  end
  return cut .. mark
end

--- How many cells text of a buffer takes from a column on, in the current window.
---@param text string
---@param column integer? from 0
---@return integer
function M.width(text, column)
  return vim.fn.strdisplaywidth(M.vim(text), column or 0)
end

--- Breaks text into lines that are no wider than there is room: between words, and within one that is wider itself.
---@param text string
---@param width integer
---@return string[]
function M.wrap(text, width)
  local lines = {}
  for word in text:gmatch("%S+") do
    local line = lines[#lines]
    local longer = line and line .. " " .. word
    if longer and vim.api.nvim_strwidth(longer) <= width then
      lines[#lines] = longer
    else
      local part = M.fit(word, width, "")
      while part ~= word and part ~= "" do
        lines[#lines + 1] = part
        word = word:sub(#part + 1)
        part = M.fit(word, width, "")
      end
      lines[#lines + 1] = word
    end
  end
  return lines
end

return M
