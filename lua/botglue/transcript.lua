--- The raw stream of a job in a window: the file as it is, to be read, never to be written.

local choose = require("botglue.choose")
local errors = require("botglue.errors")

local M = {}

local fail = errors.fail

--- Closes the window. The last one is left empty: the text is not the user's, and may go.
local function close()
  if not pcall(vim.cmd.close) then
    vim.cmd.enew()
  end
end

--- Shows a file of the host's.
---@param path string
function M.show(path)
  local found = vim.uv.fs_lstat(path)
  if not found or found.type ~= "file" then
    fail("this transcript is not there: the newest 200 are kept, see :Botglue log")
  end
  errors.no_window_in_cmdwin()
  require("botglue.ui.file").open(path)
  local bo = vim.bo
  bo.filetype, bo.swapfile, bo.buflisted, bo.bufhidden = "json", false, false, "wipe"
  bo.readonly = true
  vim.keymap.set("n", "q", close, { buffer = true, nowait = true, desc = "botglue: close" })
end

--- Shows the raw stream of a job of this Neovim.
---@param id integer
function M.open(id)
  local job = choose.job(id)
  if job.transcript then
    M.show(job.transcript)
    return
  elseif not job.options.record then
    fail("job %d kept no transcript: the option record is off", id)
  end
  require("botglue.query").ask("job", { id = id }, function(result)
    errors.guard(function()
      local path = result and result.job.transcript
      M.show(path or errors.fail("there is no transcript of job %d; see :Botglue log", id))
    end)
  end)
end

return M
