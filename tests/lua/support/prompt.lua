--- The prompt as the user has it: a window of its own, whose rows and keys are on the screen.

local child = require("support.child")

local M = {}

M.LINES = child.numbered(60)

function M.start()
  return child.with_host(M.LINES)
end

-- The window of the prompt, if one is open.
local WINDOW = [[
  local function prompt()
    return vim.iter(vim.api.nvim_list_wins()):find(function(win)
      return vim.bo[vim.api.nvim_win_get_buf(win)].filetype == "botglue-prompt"
    end)
  end
]]

---@param nvim Child
---@return boolean
function M.is_open(nvim)
  return nvim:lua(WINDOW .. "return prompt() ~= nil")
end

--- What was typed in the prompt, by its rows.
---@param nvim Child
---@return string[]
function M.text(nvim)
  return nvim:lua(
    WINDOW .. "return vim.api.nvim_buf_get_lines(vim.api.nvim_win_get_buf(prompt()), 0, -1, false)"
  )
end

--- The window of the prompt: the first and last of its rows and columns on the screen, from 0, border included; what
--- is in it, without the border; and whether the user is in it.
---@param nvim Child
---@return { rows: integer[], cols: integer[], inside: string[], entered: boolean }
function M.window(nvim)
  local window = nvim:lua(WINDOW .. [[
    vim.cmd.redraw()
    local win = prompt()
    local at, height = vim.api.nvim_win_get_position(win), vim.api.nvim_win_get_height(win)
    return {
      rows = { at[1], at[1] + height + 1 },
      cols = { at[2], at[2] + vim.api.nvim_win_get_width(win) + 1 },
      entered = vim.api.nvim_get_current_win() == win,
    }
  ]])
  local rows = vim.list_slice(vim.split(nvim:screen(), "\n"), window.rows[1] + 2, window.rows[2])
  window.inside = vim.tbl_map(function(row)
    return vim.trim((row:match("│(.-)│")))
  end, rows)
  return window
end

--- The agent and the model that the title of the prompt has.
---@param nvim Child
---@return string
function M.choice(nvim)
  return nvim:screen():match("╭ [^\n]-%l · ([%w ]-) ─")
end

function M.sent(nvim)
  return nvim:host("received", "run")
end

return M
