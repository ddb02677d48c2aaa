-- Runs jobs in the current buffer, each on rows of its own, and notifies the bench once all of them have ended.

local channel = ...
local botglue = require("botglue")

local D = {}

---@class Run
---@field jobs integer
---@field at_once integer
---@field every integer the rows from one range to the next
---@field rows integer those of a range

local run, started, ended, failed

local function go_on()
  while started < run.jobs and started - ended < run.at_once do
    local first = started * run.every + 1
    started = started + 1
    botglue.run({
      prompt = ("JOB:%d."):format(started),
      range = { kind = "line", first = { first }, last = { first + run.rows - 1 } },
    })
  end
end

vim.api.nvim_create_autocmd("User", {
  pattern = "BotglueJobFinished",
  callback = function(event)
    if not run then
      return
    end
    ended = ended + 1
    if event.data.landing ~= "applied" then
      failed = ("job %d: %s"):format(event.data.id, vim.inspect(event.data.error or event.data.held_for))
    end
    if ended < run.jobs then
      go_on()
    else
      run = nil
      vim.rpcnotify(channel, "botglue_test", "ended", failed or "")
    end
  end,
})

---@param new Run
function D.run(new)
  run, started, ended, failed = new, 0, 0, nil
  go_on()
end

--- Looks each millisecond whether the loop runs, and keeps the longest time in which it did not.
function D.probe()
  D.longest = 0
  local heard = vim.uv.hrtime()
  D.timer = vim.uv.new_timer()
  D.timer:start(0, 1, function()
    local now = vim.uv.hrtime()
    D.longest, heard = math.max(D.longest, now - heard), now
  end)
end

--- The longest stall in milliseconds, a timer's own millisecond included.
function D.stall()
  D.timer:close()
  return D.longest / 1e6
end

--- The milliseconds for which Neovim has computed.
function D.computed()
  local used = vim.uv.getrusage()
  return (used.utime.sec + used.stime.sec) * 1e3 + (used.utime.usec + used.stime.usec) / 1e3
end

--- Notes when a row of the buffer was written last, by its number from 1.
function D.note_writes()
  D.written = {}
  vim.api.nvim_buf_attach(0, false, {
    on_lines = function(_, _, _, first)
      D.written[first + 1] = ("%d"):format(vim.uv.hrtime())
    end,
  })
end

_G.D = D
