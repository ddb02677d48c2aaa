--- Shows a held answer as the host says, and accepts one.

local ask = require("botglue.editor.ask")
local decide = require("botglue.jobs.decide")
local errors = require("botglue.host.errors")
local registry = require("botglue.jobs.registry")

local M = {}

--- Shows a held answer as the host says: its hunks in its buffer, its blocks, or the answer alone.
---@param id integer
---@param is_text boolean? the answer alone
function M.show(id, is_text)
  local job = registry.job(id)
  errors.no_window_in_cmdwin()
  local wanted = decide.place(job)
  local bo = wanted.buffer and vim.bo[wanted.buffer]
  wanted.is_text, wanted.is_lost = is_text, job.range.lost
  wanted.is_modifiable, wanted.filetype = bo and bo.modifiable, bo and bo.filetype or ""
  local shown = ask.open("show", wanted)
  if shown.blocks then
    require("botglue.ui.review.blocks").open(id, shown, M.show)
  elseif shown.lines then
    require("botglue.ui.review.edit").open(job, shown)
  else
    require("botglue.ui.review.view").open(job, M.show)
  end
end

--- `:[range]Botglue accept [id]`: shows the conflicts of the answer first, if the user has not seen them.
---@param id integer
---@param opts botglue.AcceptOptions?
function M.accept(id, opts)
  if decide.accept(id, opts, true) then
    require("botglue.ui.review.view").open(registry.job(id), M.show)
  end
end

return M
