--- The review: in a tab page of its own, left the buffer, right the answer, both in diff mode with Neovim's own keys.
---
--- The keys and what follows a decision are here; what is decided is `decide`'s, the windows are `sides`', and the
--- answer's side is `answer`'s. Nothing of this is left when its tab page is closed, in whatever way.

local choose = require("botglue.choose")
local client = require("botglue.client")
local decide = require("botglue.decide")
local errors = require("botglue.errors")
local moment = require("botglue.moment")

local M = {}

local api = vim.api
local fail = errors.fail

---@class botglue.Review
---@field job botglue.Job
---@field windows botglue.Sides
---@field side botglue.Side
---@field group integer
---@field follow fun()? follows the buffer at once, where an answer has landed: the next key may be one of diff mode
---@field pending boolean? whether the buffer has changes that its answer's side has not seen
---@field waiting fun()? ends the wait for a moment at which the answer's side may change
---@field accepted_in integer? the window in which it was accepted
---@field warned integer? the changedtick of the answer at which rejecting it was asked back
---@field is_new boolean? whether keys that are typed already were meant for the one before it
local Review = {}
Review.__index = Review

---@return botglue.Review?
local function current()
  return client.connection().review
end

--- The one line above both sides: which answer, why, and the keys, above the window in which they work.
function Review:title()
  local jobs = choose.all(choose.held)
  local between = self.job.options.ascii and " - " or " · "
  local nth = 1
  for i, job in ipairs(jobs) do
    nth = job == self.job and i or nth
  end
  local why = (self.job.held_for or "held"):gsub("_", " ")
  local keys = { "a accept", "x reject", "n next", "q later" }
  if not self.side.known then
    table.remove(keys, 1)
  end
  local answer = ("held answer %d of %d%s%s"):format(nth, #jobs, between, why)
  self.windows:title(answer, table.concat(keys, between))
end

--- The jobs that are seen in the buffer, running ones too: none of them draws there while the review is open.
---@return botglue.Job[]
function Review:neighbours()
  return choose.all(function(job)
    return job.view ~= nil and job.range.bufnr == self.job.range.bufnr
  end)
end

--- Brings the answer's side up to date, where all changes of the buffer were seen. Undo there may have taken back what
--- had come from the buffer.
---@return boolean was_stale whether it showed something else
function Review:catch_up()
  local side = self.side
  local shown = side:lines()
  side:refresh()
  return not vim.deep_equal(side:lines(), shown)
end

--- Takes away everything of the review but what the user made of it.
---@param kept integer? a window that stays
function Review:close(kept)
  local connection = client.connection()
  if connection.review ~= self then
    return
  end
  local is_shown = self.job.landing == "held" and api.nvim_buf_is_loaded(self.side.bufnr)
  self.job.stale = is_shown and not self.pending and self:catch_up()
  connection.review = nil
  self:stop_waiting()
  api.nvim_del_augroup_by_id(self.group)
  if api.nvim_get_current_buf() == self.side.bufnr and api.nvim_get_mode().mode ~= "n" then
    -- Insert mode would go on in the user's window.
    vim.cmd.stopinsert()
  end
  self.windows:close(kept)
  self.side:close()
  for _, job in ipairs(self:neighbours()) do
    job.view:draw()
  end
end

--- Goes on to the held answer that follows, or ends.
---@param id integer the job that was reviewed
function Review:go_on(id)
  self:close()
  local jobs = choose.all(choose.held)
  local following = vim.iter(jobs):find(function(job)
    return job.id > id
  end) or jobs[1]
  if following and following.id ~= id then
    M.open(following.id):is_next()
  end
end

--- It comes up in place of another one. Keys that were typed by then were for that: Neovim handles them all before
--- what is scheduled.
function Review:is_next()
  self.is_new = true
  vim.schedule(function()
    self.is_new = nil
  end)
end

--- The answer was decided, now or after a while: the keys that follow are not for its side any more. Who has gone on
--- by then goes on where they are.
function Review:decided()
  if vim.fn.getcmdwintype() ~= "" then
    -- From there no other window can be closed.
    api.nvim_create_autocmd("CmdwinLeave", {
      group = self.group,
      once = true,
      desc = "botglue: end the review",
      callback = function()
        vim.schedule(function()
          if current() == self then
            self:decided()
          end
        end)
      end,
    })
    return
  end
  local win = api.nvim_get_current_win()
  if api.nvim_get_mode().mode == "n" and self.windows:have(win) and (self.accepted_in or win) == win then
    self:go_on(self.job.id)
  else
    self:close(self.windows:is_around(win) and self.windows.left or nil)
  end
end

--- Accepts the answer as its side has it.
function Review:accept()
  local job, side = self.job, self.side
  decide.check(job)
  side:save()
  if self.follow then
    self.follow()
  end
  local was_stale = self:catch_up()
  local is_known = side.known and job.range:look() ~= nil
  if (not is_known or side.astray) and side:is_taken() then
    decide.taken(job)
    return
  elseif not is_known then
    fail("its place is not known: copy from it, then press x or q")
  elseif was_stale then
    fail(decide.CHANGED)
  end
  -- What is copied from the buffer meanwhile is no change of the answer.
  local lines, accepted = side:changed(), side:draft()
  self.accepted_in = api.nvim_get_current_win()
  decide.write(job, lines, function()
    return vim.deep_equal(side:draft(), accepted)
  end)
end

function Review:map()
  local keys = {
    a = function()
      self:accept()
    end,
    x = function()
      local tick = api.nvim_buf_get_changedtick(self.side.bufnr)
      if self.warned ~= tick and self.side:draft() then
        self.warned = tick
        fail("the answer was changed here: x again rejects, u undoes it")
      end
      self.accepted_in = nil
      decide.reject(self.job.id)
    end,
    n = function()
      if #choose.all(choose.held) < 2 then
        fail("there is no other held answer")
      end
      self:go_on(self.job.id)
    end,
    q = function()
      self:close()
    end,
  }
  for key, fn in pairs(keys) do
    vim.keymap.set("n", key, function()
      if not self.is_new then
        errors.guard(fn)
      end
    end, { buffer = self.side.bufnr, nowait = true, desc = "botglue: review" })
  end
end

function Review:stop_waiting()
  if self.waiting then
    self.waiting()
    self.waiting = nil
  end
end

--- Notices other answers, changes of the buffer, and the end of a window.
function Review:watch()
  self.group = api.nvim_create_augroup("botglue.review", { clear = true })
  local function on(event, options, fn)
    options.group, options.desc = self.group, "botglue: review"
    options.callback = fn
    api.nvim_create_autocmd(event, options)
  end
  on("User", { pattern = { "BotglueJobUpdated", "BotglueJobFinished" } }, function()
    vim.schedule(function()
      if current() == self then
        self:title()
      end
    end)
  end)
  on("WinNew", {}, function()
    self.windows:leave_out(api.nvim_get_current_win())
  end)
  on("WinClosed", { pattern = { tostring(self.windows.left), tostring(self.windows.right) } }, function()
    vim.schedule(function()
      self:close()
    end)
  end)
  -- Something else is shown in its window.
  on("BufWinLeave", { buffer = self.side.bufnr }, function()
    vim.schedule(function()
      if #vim.fn.win_findbuf(self.side.bufnr) == 0 then
        self:close()
      end
    end)
  end)
  local bufnr = self.job.range.bufnr
  if not self.side.known then
    return
  end
  local function refresh()
    self.pending = false
    self:stop_waiting()
    if current() ~= self then
      return
    elseif moment.is_safe(self.side.bufnr) and not (self.side:is_part() and self.side:is_typed_in()) then
      -- (What is beside a part is in the rows that are typed in.)
      self.side:refresh()
      return
    end
    -- The user is in the middle of something there.
    self.pending, self.waiting = true, moment.watch("review", refresh)
  end
  self.follow = function()
    if self.pending then
      refresh()
    end
  end
  local function changed(_, _, _, first, _, past)
    if current() ~= self then
      return true
    elseif past then
      self.side:note_typing(first, past)
    end
    if not self.pending then
      self.pending = true
      vim.schedule(refresh)
    end
  end
  local function attach()
    api.nvim_buf_attach(bufnr, false, { on_lines = changed, on_reload = changed })
  end
  attach()
  on("BufReadPost", { buffer = bufnr }, function()
    -- That has ended it.
    attach()
    changed()
    self.windows:compare_again()
    self:title()
  end)
  local step = self.side.step
  if step and step.seen[1] ~= api.nvim_buf_get_changedtick(bufnr) then
    -- It was read again as its window opened.
    changed()
  end
end

--- Opens the review on a held answer.
---@param id integer
---@return botglue.Review
function M.open(id)
  local job = client.job(id)
  if not job or job.landing ~= "held" then
    fail("job %s is not held", tostring(id))
  end
  require("botglue.errors").no_window_in_cmdwin()
  local before = current()
  if before and before.job == job and before.side.known and before.windows:show_answer() then
    return before
  elseif before then
    before:close()
  end
  local self = setmetatable({ job = job, side = require("botglue.ui.answer").open(job) }, Review)
  for _, each in ipairs(self:neighbours()) do
    each.view:hide()
  end
  local ok, windows = pcall(require("botglue.ui.sides").open, self.side)
  if not ok then
    self.side:close()
    for _, each in ipairs(self:neighbours()) do
      each.view:draw()
    end
    error(windows, 0)
  end
  self.windows = windows
  client.connection().review = self
  self:map()
  self:watch()
  self:title()
  return self
end

--- `:Botglue review [id]`: without a number all held answers, those of Neovims that are gone too.
---@param words string
function M.command(words)
  if words ~= "" then
    M.open(choose.one(words, choose.held, "is held"))
    return
  end
  local jobs = choose.all(choose.held)
  if #jobs > 0 then
    M.open((choose.at_cursor(jobs) or jobs[1]).id)
  end
  require("botglue.adopt").ask(function(err)
    local review = current()
    local first = choose.all(choose.held)[1]
    if err then
      -- Nobody knows whether there are any.
      require("botglue.notify").whole_error("botglue: answers held for review cannot be read: " .. err)
    elseif review then
      review:title()
    elseif not first then
      require("botglue.notify").warn("botglue: no answer is held")
    elseif #jobs == 0 and vim.fn.state() == "" and api.nvim_get_mode().mode == "n" then
      M.open(first.id)
    elseif #jobs == 0 then
      require("botglue.notify").warn("botglue: answers are held: see :Botglue review")
    end
  end)
end

return M
