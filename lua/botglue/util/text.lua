--- Prepares text for the screen: removes control characters, and cuts or breaks it to a width.

local M = {}

--- Replaces control characters, which would move the cursor or break the line, with spaces.
---@param text string
---@return string
function M.clean(text)
  return (vim.trim((text:gsub("[%c\127]+", " "))))
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
  local count, room = width, width - vim.api.nvim_strwidth(mark)
  local cut
  repeat
    cut = vim.fn.strcharpart(text, 0, count, 1)
    count = count - 1
  until count < 0 or vim.api.nvim_strwidth(cut) <= room
  return cut .. mark
end

--- Converts text of a buffer for Vim's functions: they would take text with a NUL for a Blob, and raise an error.
---@param text string
---@return string
function M.vim(text)
  return (text:gsub("%z", "\n"))
end

--- Breaks text into lines of at most a width: between words, and within a word that is wider.
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
