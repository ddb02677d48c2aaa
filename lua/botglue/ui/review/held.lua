--- Goes to a held answer: the named one, else the next one, including those of earlier sessions from the store.

local connection = require("botglue.host.connection")
local decide = require("botglue.jobs.decide")
local notify = require("botglue.host.notify")
local query = require("botglue.host.query")

local M = {}

--- Shows a held answer: its hunks in its buffer, or the answer alone where they are not known.
---@param job botglue.Job
function M.show(job)
  if job.review_as == "blocks" then
    require("botglue.ui.review.blocks").open(job, M.show)
  elseif job.review_as == "text" or decide.misplaced(job) then
    require("botglue.ui.review.edit").open(job.id)
  else
    require("botglue.ui.review.view").open(job)
  end
end

--- The oldest held answer.
---@return botglue.Job?
local function oldest()
  local ids = vim.tbl_keys(connection.held)
  table.sort(ids)
  return connection.held[ids[1]]
end

--- Shows a held answer; without one those of earlier sessions are looked for.
---@param id integer? the one that the host says is next
function M.review(id)
  if id then
    M.show(decide.held_job(id))
  end
  query.ask("held", {}, function(result, err)
    connection.earlier = result and 0 or connection.earlier
    local first = oldest()
    if err then
      -- Then it is not known whether there are any.
      notify.error("botglue: see :Botglue log: held answers cannot be read: " .. err)
    elseif not first then
      notify.warn("botglue: no answer is held")
    elseif not id and vim.fn.state() == "" and vim.api.nvim_get_mode().mode == "n" then
      require("botglue.host.errors").guard(M.show, first)
    elseif not id then
      notify.warn("botglue: answers are held: see :Botglue review")
    end
  end, { is_patient = true })
end

--- `:[range]Botglue accept [id]`: shows the conflicts of the answer first, if the user has not seen them.
---@param id integer
---@param opts botglue.AcceptOptions?
function M.accept(id, opts)
  local job = decide.held_job(id)
  if
    not (opts and opts.range)
    and job.held_for == "conflict"
    and not job.shown
    and job:load()
    and not job.range.lost
  then
    require("botglue.ui.review.view").open(job)
    notify.warn(
      ("botglue: accept job %d again for what is shown here: it conflicts with what you changed"):format(id)
    )
    return
  end
  decide.accept(id, opts)
end

return M
