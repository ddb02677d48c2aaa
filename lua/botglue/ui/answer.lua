--- Shows the answer to a question as Markdown in a floating window beside its range, to read, to yank or to put into
--- the buffer. Where the window would disturb the user, a message announces it. The answer never lands by itself.

local fail = require("botglue.host.errors").fail
local float = require("botglue.ui.float")
local markdown = require("botglue.ui.markdown")
local notify = require("botglue.host.notify")
local place = require("botglue.ui.place")
local registry = require("botglue.jobs.registry")
local screen = require("botglue.util.text")
local user_context = require("botglue.editor.user_context")
local write = require("botglue.editor.write")

local M = {}

local api = vim.api
local NAME = "answer"
local WIDEST = 90 -- cells, as long as a line of prose should be
local LEAST = 5 -- rows that it needs to be put where there is less room

---@param job botglue.Job
---@return string[]
local function lines_of(job)
  local text = job.text:gsub("\r\n?", "\n"):gsub("^%s*\n", ""):gsub("%s+$", "")
  return vim.split(text, "\n", { plain = true })
end

--- The fence that a line opens or closes a code block with.
---@param line string
---@return string? fence
---@return string? info
local function fence_of(line)
  local fence, info = line:match("^ ? ? ?(```+)([^`]*)$")
  if not fence then
    fence, info = line:match("^ ? ? ?(~~~+)(.*)$")
  end
  return fence, info
end

--- The code block that a line belongs to, its fences too; else nil.
---@param lines string[]
---@param at integer from 1
---@return string[]? block
local function block_at(lines, at)
  local open, first
  for i, line in ipairs(lines) do
    local fence, info = fence_of(line)
    if not open then
      open, first = fence, i
    elseif fence and vim.startswith(fence, open) and not info:find("%S") then
      if first <= at and at <= i then
        return vim.list_slice(lines, first + 1, i - 1)
      end
      open = nil
    end
  end
  return open and first <= at and vim.list_slice(lines, first + 1) or nil
end

--- The text to yank or insert: the code block under the cursor, else all.
---@param self botglue.Float
---@return string[]
local function meant(self)
  local lines = api.nvim_buf_get_lines(self.bufnr, 0, -1, false)
  return block_at(lines, api.nvim_win_get_cursor(self.win)[1]) or lines
end

---@param self botglue.Float
local function yank(self)
  local lines = meant(self)
  vim.fn.setreg(vim.v.register, lines, "V")
  local words = #lines == 1 and "1 line yanked" or ("%d lines yanked"):format(#lines)
  vim.api.nvim_echo({ { words } }, false, {})
end

--- Puts what is meant below the range of the question, as one undo step.
---@param job botglue.Job
---@param self botglue.Float
local function put(job, self)
  local range = job.range
  if not api.nvim_buf_is_loaded(range.bufnr) then
    fail("the buffer of job %d is gone", job.id)
  elseif not vim.bo[range.bufnr].modifiable then
    fail("the buffer of job %d cannot be changed", job.id)
  elseif not range:place() then
    fail("the place of job %d is not known", job.id)
  end
  local _, last = range:lines()
  local lines = meant(self)
  write.put(range.bufnr, last, last, lines)
  self:close()
end

--- The place of a question's range on the screen; nil if it is not visible.
---@param job botglue.Job
---@return botglue.ScreenSpot?
local function spot(job)
  local range = job.range
  return api.nvim_buf_is_loaded(range.bufnr) and place.spot(range, api.nvim_get_current_win()) or nil
end

--- The rows that there are beside a range.
---@param at botglue.ScreenSpot
---@return integer
local function free(at)
  return math.max(place.room(at, "below"), place.room(at, "above")) - 2
end

--- The window with an answer that is on the screen.
---@return integer? win
local function window()
  local bufnr = vim.fn.bufnr("^botglue://" .. NAME .. "$")
  local win = bufnr > 0 and vim.fn.bufwinid(bufnr) or -1
  return win > 0 and win or nil
end

--- The place of the window: below the range, else above it, else in the middle.
---@param job botglue.Job
---@return integer rows that it may have at most
---@return (fun(width: integer, height: integer): table)? config
local function beside(job)
  local at = spot(job)
  local half = math.floor(vim.o.lines / 2)
  if not at or free(at) < LEAST then
    return half
  end
  return math.max(place.room(at, "below") - 2, math.min(place.room(at, "above") - 2, half)),
    function(width, height)
      local now = spot(job) or at
      return place.config(now, height + 2 <= place.room(now, "below") and "below" or "above", width, height)
    end
end

---@param job botglue.Job
---@return string
local function where(job)
  local first, last = job.range:lines()
  local name = require("botglue.util.name")(job.path, job.name)
  return first == last and ("%s:%d"):format(name, first) or ("%s:%d-%d"):format(name, first, last)
end

--- Shows the keys if the user is in the window, else how to enter it.
---@param self botglue.Float
---@param keys botglue.Key[]
local function show_keys(self, keys)
  local inside = api.nvim_get_current_win() == self.win
  self.keys = inside and keys or {}
  self:note(not inside and ":Botglue answer goes in" or nil)
end

--- Opens the answer of a job.
---@param job botglue.Job
---@param how "enter"|"stay" whether the cursor goes there
local function open(job, how)
  local win = window()
  if win and vim.w[win].botglue_answer == job.id then
    api.nvim_set_current_win(win)
    return
  end
  local lines = lines_of(job)
  local width = 40
  for _, line in ipairs(lines) do
    width = math.max(width, screen.width(line))
  end
  local rows, config = beside(job)
  local self = float.open({
    name = NAME,
    width = math.min(width, WIDEST),
    height = math.min(#lines, rows),
    title = { left = job.prompt, right = where(job) },
    keys = {
      { "Y", "yank", yank },
      {
        "p",
        "put below",
        function(one)
          put(job, one)
        end,
      },
    },
    place = config,
    stay = how == "stay",
  })
  vim.w[self.win].botglue_answer = job.id
  vim.bo[self.bufnr].modifiable = true
  api.nvim_buf_set_lines(self.bufnr, 0, -1, false, lines)
  vim.bo[self.bufnr].modifiable = false
  markdown.colour(self.bufnr, "parsed")
  markdown.conceal(self.win)
  vim.wo[self.win][0].foldenable = false
  self:resize(self.spec.width, math.min(api.nvim_win_text_height(self.win, {}).all, rows))
  local keys = self.keys
  show_keys(self, keys)
  api.nvim_create_autocmd({ "WinEnter", "WinLeave" }, {
    group = self.group,
    desc = "botglue: the keys of an answer",
    callback = vim.schedule_wrap(function()
      if self:is_open() then
        show_keys(self, keys)
      end
    end),
  })
end

--- Shows an answer that has just come. If the user is busy or an answer is open already, only notifies. If the user has
--- not moved, enters the window; else opens it beside the range if there is room, or notifies.
---@param job botglue.Job
local function show(job)
  local at = spot(job)
  local is_in_the_way = not user_context.is_idle() or window()
  if not is_in_the_way and (not job.asked_from or vim.deep_equal(job.asked_from, user_context.now())) then
    open(job, "enter")
  elseif not is_in_the_way and at and free(at) >= LEAST then
    open(job, "stay")
  else
    if job.options.notify ~= "none" then
      local verb = ("answered, :Botglue answer %d shows it"):format(job.id)
      notify.add({ id = job.id, verb = verb, words = job.prompt, level = vim.log.levels.INFO })
    end
  end
end

--- The answer to a question is there.
---@param job botglue.Job
function M.answered(job)
  vim.schedule(function()
    show(job)
  end)
end

--- Opens an answer, or goes to it where it is open.
---@param id integer
function M.open(id)
  local job = registry.job(id)
  if job.landing ~= "answered" then
    fail("job %d has no answer to a question", id)
  end
  open(job, "enter")
end

return M
