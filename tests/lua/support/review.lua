--- Reviews of held answers: opens them, and says what their buffer shows.

local child = require("support.child")
local suite = require("support.suite")

local M = {}

--- The hunks that are shown, as `first count lines`.
---@param nvim Child
---@return string[]
function M.hunks(nvim)
  return nvim:lua([[
    local review, told = require("botglue.host.connection").review, require("support.host").received("shown")
    local shown, lines = told[#told], {}
    if not review or not shown or shown.id ~= review.job.id or shown.tick ~= vim.b[review.bufnr].changedtick then
      return {}
    end
    for _, hunk in ipairs(require("botglue").hunks(shown.id)) do
      local first, count = hunk.first - 1, hunk.last - hunk.first + 1
      lines[#lines + 1] =
        ("%d %d %s%s"):format(first, count, table.concat(hunk.lines, ","), hunk.conflict and " !" or "")
    end
    return lines
  ]])
end

--- Waits until these hunks are shown.
---@param nvim Child
---@param expected string[]
function M.shows(nvim, expected)
  local shown
  local ok = pcall(suite.eventually, "the hunks are shown", function()
    shown = M.hunks(nvim)
    return vim.deep_equal(shown, expected)
  end)
  if not ok then
    suite.equal(shown, expected, "the hunks that are shown")
  end
end

--- Whether a review is open.
---@param nvim Child
---@return boolean
function M.is_open(nvim)
  return nvim:lua("return require('botglue.host.connection').review ~= nil")
end

--- Waits until no review is open any more.
---@param nvim Child
function M.ended(nvim)
  suite.eventually("the review ends", function()
    return not M.is_open(nvim)
  end)
end

M.ROWS = { "one", "two", "three", "four", "five", "six", "seven" }

--- A child with the review of held answers for rows of a buffer, each its range and its lines.
---@param rows string[]
---@param ... [table, string[]]
---@return Child
function M.open(rows, ...)
  local nvim = child.with_host(rows)
  local answers = { ... }
  for id, each in ipairs(answers) do
    nvim:run(each[1], { review = true })
    nvim:answer(id, each[2])
  end
  nvim:lua("vim.cmd('messages clear')")
  nvim:type(":Botglue review 1<CR>")
  suite.eventually("the review is open", function()
    return #M.hunks(nvim) > 0
  end)
  return nvim
end

--- Such a child with an answer that changes rows 2 and 4 of seven, and puts one in below row 6.
---@return Child
function M.three()
  local nvim =
    M.open(M.ROWS, { child.line(1, 7), { "one", "TWO", "three", "FOUR", "five", "six", "new", "seven" } })
  M.shows(nvim, { "1 1 TWO", "3 1 FOUR", "6 0 new" })
  return nvim
end

return M
