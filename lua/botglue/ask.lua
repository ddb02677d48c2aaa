--- What becomes of the answer to a question: it is shown beside its range, or it is told of where that would be in the
--- way. Nothing of it ever lands by itself.

local choose = require("botglue.choose")
local fail = require("botglue.errors").fail
local stands = require("botglue.stands")

local M = {}

local api = vim.api

---@class botglue.Whereabouts where the user is, as far as it tells whether they have gone on
---@field win integer
---@field mode string
---@field cursor integer[]
---@field tick integer

---@return botglue.Whereabouts
local function whereabouts()
  return {
    win = api.nvim_get_current_win(),
    mode = api.nvim_get_mode().mode,
    cursor = api.nvim_win_get_cursor(0),
    tick = api.nvim_buf_get_changedtick(0),
  }
end

--- Notes where the user is once the question is on its way, and Neovim waits for them.
---@param job botglue.Job
function M.asked(job)
  api.nvim_create_autocmd("SafeState", {
    once = true,
    desc = "botglue: where the question was asked",
    callback = function()
      job.asked_from = whereabouts()
    end,
  })
end

--- Whether a window may be opened, and it would not be in the way of what is being typed.
local function is_idle()
  return api.nvim_get_mode().mode == "n"
    and vim.fn.state():find("[^sx]") == nil
    and vim.fn.getcmdwintype() == ""
end

--- Shows an answer that has just come. Who still waits where they asked goes there; who went on finds it beside the
--- range, if they can see that; who types is told.
---@param job botglue.Job
function M.show(job)
  local reply = require("botglue.ui.reply")
  if not is_idle() or reply.is_open() then
    require("botglue.notify").answered(job)
  elseif not job.asked_from or vim.deep_equal(job.asked_from, whereabouts()) then
    reply.open(job, "enter")
  elseif reply.has_room(job) then
    reply.open(job, "stay")
  else
    require("botglue.notify").answered(job)
  end
end

--- The answer to a question is there.
---@param job botglue.Job
function M.answered(job)
  stands.landed(job, "answered")
  job:land("answered")
  vim.schedule(function()
    M.show(job)
  end)
end

--- Opens an answer, or goes to it where it is open.
---@param id integer
function M.open(id)
  local job = choose.job(id)
  if job.landing ~= "answered" then
    fail("job %d has no answer to a question", id)
  end
  require("botglue.ui.reply").open(job, "enter")
end

return M
