--- Hunks drawn in a child without a host, and what its screen shows of them.

local child = require("support.child")

local M = {}

--- A hunk as the host says it.
---@param first integer from 0
---@param count integer
---@param lines string[]
---@param more table?
---@return table
function M.hunk(first, count, lines, more)
  local hunk = { id = ("%d %d"):format(first, count), first = first, count = count, lines = lines }
  hunk.conflict, hunk.old, hunk.new = false, {}, {}
  return vim.tbl_extend("force", hunk, more or {})
end

--- A child with rows, in a window of some columns.
---@param rows string[]
---@param columns integer?
---@return Child
function M.start(rows, columns)
  local nvim = child.start()
  nvim:api("ui_try_resize", columns or 60, 16)
  nvim:set_lines(rows)
  nvim:lua([[
    vim.o.ruler, vim.o.laststatus = false, 0
    require("botglue.ui.highlight").define()
    local draw = require("botglue.ui.review.draw")
    local panes = {}
    function _G.draw_hunks(hunks, keys)
      local bufnr = vim.api.nvim_get_current_buf()
      local picture = {
        bufnr = bufnr,
        hunks = hunks,
        gone = {},
        row = 0,
        head = {
          index = 1, count = 1, agent = "claude", prompt = "it", hunks = #hunks, conflicts = 0, keys = keys or "keys",
        },
      }
      require("botglue.ui.review.scroll").keep(bufnr, function()
        for _, pane in ipairs(panes) do
          draw.clear(bufnr, pane)
        end
        panes = require("botglue.ui.review.panes").of(bufnr)
        for _, pane in ipairs(panes) do
          draw.pane(picture, pane)
        end
      end)
    end
  ]])
  return nvim
end

---@param nvim Child
---@param hunks table[]
function M.draw(nvim, hunks)
  nvim:lua("draw_hunks(...)", hunks)
end

--- The rows of the screen, without those that Neovim fills.
---@param nvim Child
---@return string[]
function M.rows(nvim)
  local rows = vim.split(nvim:screen(), "\n")
  while #rows > 0 and (rows[#rows] == "" or rows[#rows] == "~") do
    table.remove(rows)
  end
  return rows
end

return M
