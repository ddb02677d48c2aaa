--- Words for the user: always one line that fits, never a prompt to press Enter.

local M = {}

--- Text with nothing in it that moves the cursor of a screen or breaks a line.
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
  if vim.fn.strdisplaywidth(text) <= width then
    return text
  end
  local room = math.max(width - vim.fn.strdisplaywidth(mark), 0)
  local count = room
  local cut = vim.fn.strcharpart(text, 0, count, true)
  while count > 0 and vim.fn.strdisplaywidth(cut) > room do
    count = count - 1
    cut = vim.fn.strcharpart(text, 0, count, true)
  end
  return cut .. mark
end

--- Shows one line.
---@param text string
---@param level integer of vim.log.levels
function M.show(text, level)
  text = M.clean(text)
  vim.notify(M.fit(text, vim.v.echospace, "…"), level, { title = "botglue" })
end

---@param text string
function M.error(text)
  M.show(text, vim.log.levels.ERROR)
end

---@param text string
function M.warn(text)
  M.show(text, vim.log.levels.WARN)
end

---@param text string
function M.info(text)
  M.show(text, vim.log.levels.INFO)
end

return M
