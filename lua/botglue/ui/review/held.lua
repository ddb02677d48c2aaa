--- Shows a held answer as the host says, and accepts one.

local ask = require("botglue.editor.ask")
local decide = require("botglue.jobs.decide")
local errors = require("botglue.host.errors")
local registry = require("botglue.jobs.registry")
local windows = require("botglue.ui.windows")

local M = {}

local api = vim.api

--- How the buffer of an answer is compared, as far as only Neovim knows.
---@param bufnr integer 0: it is gone
---@param range botglue.Range
---@return table
local function compared(bufnr, range)
  local win = windows.plain(bufnr)[1]
  local line = win and api.nvim_win_get_cursor(win)[1] or math.max((range:lines()), 1)
  return {
    row = line - 1,
    tabstop = vim.bo[bufnr].tabstop,
    is_insertion = range.kind == "insert",
    before = range.before and range.before.rows,
    after = range.before and range.landed and range.landed.rows,
  }
end

--- Shows a held answer as the host says: its hunks in its buffer, its blocks, or the answer alone.
---@param id integer
---@param is_text boolean? the answer alone
---@param is_diff boolean? what its buffer would be; of a landed answer what was there before, and after
function M.show(id, is_text, is_diff)
  local job = registry.job(id)
  errors.no_window_in_cmdwin()
  local wanted = decide.place(job)
  local bo = wanted.buffer and vim.bo[wanted.buffer]
  wanted.tick = bo and api.nvim_buf_get_changedtick(wanted.buffer)
  wanted.is_text, wanted.is_lost = is_text, job.range.lost
  wanted.is_modifiable, wanted.filetype = bo and bo.modifiable, bo and bo.filetype or ""
  wanted.diff = is_diff and compared(wanted.buffer or 0, job.range) or nil
  local shown = ask.open("show", wanted)
  if shown.lines then
    require("botglue.ui.review.edit").open(job, shown)
  elseif shown.is_hunks then
    require("botglue.ui.review.view").open(job)
  end
end

--- `:[range]Botglue accept [id]`: shows the conflicts of the answer first, if the user has not seen them.
---@param id integer
---@param opts botglue.AcceptOptions?
function M.accept(id, opts)
  if decide.accept(id, opts, true) then
    M.show(id)
  end
end

return M
