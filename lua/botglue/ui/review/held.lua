--- Goes to a held answer: the named one, else the next one, including those of earlier sessions from the store.

local ask = require("botglue.editor.ask")
local connection = require("botglue.host.connection")
local decide = require("botglue.jobs.decide")
local errors = require("botglue.host.errors")
local notify = require("botglue.host.notify")
local query = require("botglue.host.query")
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

--- Shows a held answer; without one those of earlier sessions are looked for.
---@param id integer? the one that the host says is next
function M.review(id)
  if id then
    M.show(id)
  end
  query.ask("held", {}, function(result, err)
    connection.earlier = result and 0 or connection.earlier
    if err then
      -- Then it is not known whether there are any.
      notify.error("botglue: see :Botglue log: held answers cannot be read: " .. err)
    elseif not result.first then
      notify.warn("botglue: no answer is held")
    elseif not id and vim.fn.state() == "" and vim.api.nvim_get_mode().mode == "n" then
      errors.guard(M.show, result.first)
    elseif not id then
      notify.warn("botglue: answers are held: see :Botglue review")
    end
  end, { is_patient = true })
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
