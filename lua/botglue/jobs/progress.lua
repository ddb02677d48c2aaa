--- Reports the progress of jobs to the terminal and to plugins by Neovim's progress messages, if it has them. One
--- message stands for all jobs that run at a time; the command line shows none.

local connection = require("botglue.host.connection")
local text = require("botglue.util.text")

local M = {}

local ID = "botglue.jobs"
local WIDTH = 60 -- cells of a prompt

---@class botglue.Batch the jobs since one was started while no other ran
---@field total integer
---@field ended integer
---@field failed integer
---@field prompt string of the only one
---@field pending boolean? whether something is to be told

--- Whether this Neovim has progress messages.
local function is_known()
  return vim.fn.exists("##Progress") == 1
end

--- Runs a function while progress messages are not shown in the command line.
---@param fn fun()
local function unshown(fn)
  local shown = vim.o.messagesopt
  local function set(value)
    if vim.o.messagesopt ~= value then
      vim.cmd({ cmd = "set", args = { "messagesopt=" .. value }, mods = { noautocmd = true } })
    end
  end
  set((shown:gsub("progress:c", "progress:")))
  pcall(fn)
  set(shown)
end

--- Tells how far they are.
local function tell()
  local batch = connection.batch
  if not batch or not batch.pending then
    return
  end
  batch.pending = false
  local over = batch.ended == batch.total
  if over then
    connection.batch = nil
  end
  local words = ("%d of %d jobs done"):format(batch.ended, batch.total)
  unshown(function()
    vim.api.nvim_echo({ { batch.total == 1 and batch.prompt or words } }, false, {
      id = ID,
      kind = "progress",
      source = "botglue",
      title = "botglue",
      status = not over and "running" or batch.failed > 0 and "failed" or "success",
      percent = math.floor(batch.ended / batch.total * 100),
    })
  end)
end

---@param batch botglue.Batch
local function tell_soon(batch)
  if not batch.pending then
    batch.pending = true
    vim.schedule(tell)
  end
end

--- A job was started.
---@param job botglue.Job
function M.started(job)
  if job.options.notify == "none" or not is_known() then
    return
  end
  local batch = connection.batch
  if not batch then
    batch = { total = 0, ended = 0, failed = 0, prompt = text.fit(text.clean(job.prompt), WIDTH, "...") }
    connection.batch = batch
  end
  batch.total = batch.total + 1
  job.batch = batch
  tell_soon(batch)
end

--- A job has ended.
---@param job botglue.Job
function M.ended(job)
  local batch = job.batch
  if batch then
    job.batch = nil
    batch.ended = batch.ended + 1
    batch.failed = batch.failed + (job.status == "failed" and 1 or 0)
    tell_soon(batch)
  end
end

--- Tells what is to be told now: Neovim ends.
function M.flush()
  tell()
end

return M
