--- Shows a job's transcript in a window: as a conversation, or the raw stream as in its file.

local choose = require("botglue.jobs.choose")
local errors = require("botglue.host.errors")

local M = {}

local fail = errors.fail

---@alias botglue.TranscriptForm "readable"|"raw"

--- Closes the window. The last one is left empty: the text is not the user's, and may go.
local function close()
  if not pcall(vim.cmd.close) then
    vim.cmd.enew()
  end
end

---@param about botglue.TranscriptAbout
---@param form botglue.TranscriptForm
local function show(about, form)
  local is_raw = form == "raw" or not about.protocol
  -- The file of a running job may not be there yet; the host opens it once it has written what it was given.
  local is_being_written = about.job and about.job:is_open()
  local found = vim.uv.fs_lstat(about.path)
  if (is_raw or not is_being_written) and (not found or found.type ~= "file") then
    fail("this transcript is not there: the newest 200 are kept, see :Botglue log")
  end
  errors.no_window_in_cmdwin()
  if is_raw then
    require("botglue.ui.file").open(about.path)
    local bo = vim.bo
    bo.filetype, bo.swapfile, bo.buflisted, bo.bufhidden = "json", false, false, "wipe"
    bo.readonly = true
  else
    require("botglue.ui.transcript.view").open(about)
  end
  vim.keymap.set("n", "q", close, { buffer = true, nowait = true, desc = "botglue: close" })
end

--- Shows what a job of this Neovim did.
---@param id integer
---@param form botglue.TranscriptForm
function M.open(id, form)
  local job = choose.job(id)
  local agent = job.options.agents[job.agent]
  ---@type botglue.TranscriptAbout
  local about = {
    path = job.transcript,
    agent = job.agent,
    protocol = agent and agent.protocol,
    cwd = job.cwd,
    prompt = job.prompt,
    error = job.error and job.error.message,
    job = job,
  }
  if job.transcript then
    show(about, form)
    return
  elseif not job.options.record then
    fail("job %d kept no transcript: the option record is off", id)
  end
  require("botglue.host.query").ask("job", { id = id }, function(result)
    errors.guard(function()
      about.path = result and result.job.transcript
        or fail("there is no transcript of job %d; see :Botglue log", id)
      show(about, form)
    end)
  end)
end

--- Shows what a job of the store did.
---@param entry botglue.FullEntry
---@param form botglue.TranscriptForm
function M.show_stored(entry, form)
  show({
    path = entry.transcript or fail("the transcript of this job is not kept any more"),
    agent = entry.agent,
    protocol = entry.protocol,
    cwd = entry.project,
    prompt = entry.prompt,
    error = entry.error and entry.error.message,
  }, form)
end

return M
