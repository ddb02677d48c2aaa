--- The jobs of this Neovim: gives each its number. The host searches for the range of a held answer in each buffer that
--- reads its file.

local capture = require("botglue.editor.capture")
local connection = require("botglue.host.connection")
local debounce = require("botglue.util.debounce")

local M = {}

--- Neovim does not know that a status line has the counts in it, and draws none for what happens in the background.
local draw_counts = debounce(function()
  if connection.counted then
    vim.cmd.redrawstatus({ bang = true })
  end
end)

---@return integer
function M.next_id()
  connection.last_id = connection.last_id + 1
  return connection.last_id
end

--- The job with a number; raises an error where there is none.
---@param id any
---@return botglue.Job
function M.job(id)
  return connection.jobs[id] or require("botglue.host.errors").fail("there is no job %s", tostring(id))
end

--- The jobs of this Neovim, oldest first.
---@return botglue.Job[]
function M.all()
  local jobs = vim.tbl_values(connection.jobs)
  table.sort(jobs, function(a, b)
    return a.id < b.id
  end)
  return jobs
end

--- Adds a job to those of this Neovim.
---@param job botglue.Job
function M.register(job)
  connection.jobs[job.id] = job
  connection.open[job.id] = job
  draw_counts()
end

--- The host does not know a job any more: forgets it.
---@param job botglue.Job
function M.forget(job)
  connection.jobs[job.id] = nil
  connection.spent = job.cost_usd and (connection.spent or 0) + job.cost_usd or connection.spent
  job.range:forget()
end

--- Has the host find the ranges of held answers in each buffer that reads their file.
local function watch_files()
  local group = vim.api.nvim_create_augroup("botglue.held", { clear = false })
  if #vim.api.nvim_get_autocmds({ group = group }) > 0 then
    return
  end
  vim.api.nvim_create_autocmd("BufReadPost", {
    group = group,
    desc = "botglue: held answers of this file",
    callback = function(event)
      for _, job in pairs(connection.held) do
        local range = job.range
        if (not range.marks or range.bufnr ~= event.buf) and job:is_in(event.buf) then
          if range.bufnr ~= event.buf then
            range:move_to(event.buf)
          end
          capture.want(event.buf, job)
        end
      end
    end,
  })
end

--- A job has ended, or a held one was decided. Its range is still marked, invisibly: its lines stay current, and what
--- landed can be taken back, until the host says that it is too old.
---@param job botglue.Job
function M.release(job)
  local is_held = job.landing == "held"
  connection.open[job.id], connection.held[job.id] = nil, is_held and job or nil
  draw_counts()
  if is_held then
    watch_files()
  end
end

--- Makes a job of a held answer of the store, which has the number of the failed job whose answer it is, if it is one
--- of this Neovim.
---@param answer botglue.HeldAnswer
---@return integer id
function M.recall(answer)
  local path, lost = answer.set.path, answer.id and connection.jobs[answer.id]
  local bufnr = path ~= "" and vim.fn.bufadd(path) or lost and lost.range.bufnr or -1
  local range = require("botglue.editor.marks").recall(bufnr, answer.selection, answer.stands)
  local place = lost and lost.range.bufnr == bufnr and lost.range:place()
  if lost and place then
    range:mark(place, lost.range.shape)
  end
  local job = require("botglue.jobs.job").new(vim.tbl_extend("error", answer.set, {
    id = M.next_id(),
    range = range,
    options = require("botglue.host.client").options(),
    on_close = M.release,
  }))
  connection.jobs[job.id] = job
  M.release(job)
  capture.want(range.bufnr, job)
  return job.id
end

return M
