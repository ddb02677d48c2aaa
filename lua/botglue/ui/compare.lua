--- Shows the earlier text of a range beside the answer, read-only, in a tab page of their own, in diff mode.

local M = {}

local api = vim.api

---@param lines string[]
---@param filetype string
---@param name string
---@return integer bufnr
local function scratch(lines, filetype, name)
  local bufnr = require("botglue.ui.scratch").make()
  -- The same two may be shown already; then these have no name.
  pcall(api.nvim_buf_set_name, bufnr, name)
  local rows = vim.split(table.concat(lines, "\n"), "\n", { plain = true })
  api.nvim_buf_set_lines(bufnr, 0, -1, false, #lines > 0 and rows or {})
  vim.bo[bufnr].modifiable, vim.bo[bufnr].readonly = false, true
  vim.bo[bufnr].syntax = filetype
  return bufnr
end

---@class botglue.Compared
---@field name string of the job
---@field left string[]
---@field right string[]
---@field filetype string

--- Opens the tab page; `q` closes it.
---@param texts botglue.Compared
function M.open(texts)
  local between, text = require("botglue.util.signs").between, require("botglue.util.text")
  local name = text.fit(text.clean(texts.name), 40, "")
  vim.cmd.tabnew()
  local empty, tab = api.nvim_get_current_buf(), api.nvim_get_current_tabpage()
  ---@type integer[]
  local wins = { api.nvim_get_current_win() }
  vim.cmd("rightbelow vertical split")
  wins[2] = api.nvim_get_current_win()
  local function close()
    if api.nvim_tabpage_is_valid(tab) then
      vim.cmd.tabclose({ range = { api.nvim_tabpage_get_number(tab) } })
    end
  end
  local sides, titles = { "before", "after" }, { "what stood there", "the answer" .. between .. "q close" }
  for i, lines in ipairs({ texts.left, texts.right }) do
    local bufnr = scratch(lines, texts.filetype, ("botglue://diff/%s/%s"):format(name, sides[i]))
    api.nvim_win_set_buf(wins[i], bufnr)
    vim.wo[wins[i]][0].winbar = titles[i]
    vim.keymap.set("n", "q", close, { buffer = bufnr, nowait = true, desc = "botglue: close" })
    api.nvim_win_call(wins[i], vim.cmd.diffthis)
  end
  if api.nvim_buf_is_valid(empty) then
    api.nvim_buf_delete(empty, { force = true })
  end
end

return M
