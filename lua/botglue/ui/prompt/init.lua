--- Asks the user for a prompt in a window at the range. The caller has marked the range, so edits during typing move
--- it. The agent is started at once, so that it is ready when the prompt is sent.
---
--- There is one prompt at a time. However it closes, only the typed text stays: as a draft, which the host also stores
--- shortly after each key. Closing restores the cursor, the mode and the view that the user's window had when the user
--- last entered the prompt.

local back = require("botglue.ui.prompt.back")
local choice = require("botglue.ui.prompt.choice")
local connection = require("botglue.host.connection")
local context = require("botglue.editor.context")
local debounce = require("botglue.util.debounce")
local dot = require("botglue.ui.prompt.dot")
local draft = require("botglue.ui.prompt.draft")
local earlier = require("botglue.ui.prompt.earlier")
local errors = require("botglue.host.errors")
local notice = require("botglue.ui.prompt.notice")
local notify = require("botglue.host.notify")
local obstacle = require("botglue.ui.prompt.obstacle")
local title = require("botglue.ui.prompt.title")
local window = require("botglue.ui.prompt.window")

local M = {}

local api = vim.api
local SAVE_DELAY = 250 -- milliseconds from a key until the text is sent to the store

---@class botglue.PromptOptions
---@field options botglue.Options
---@field proposal string? a suggested prompt; typing replaces it
---@field set_repeat fun()? makes `.` repeat the operator that opened the prompt
---@field on_cancel fun()? called if nothing is sent

---@class botglue.Prompt
---@field range botglue.Range
---@field request botglue.Request
---@field opts botglue.PromptOptions
---@field send fun(request: botglue.Request)
---@field prewarm botglue.Prewarm
---@field choice botglue.Choice
---@field float botglue.Float
---@field recall botglue.Recall
---@field menu botglue.Menu
---@field forget_dot fun()? lets `.` forget what was typed
---@field completion botglue.Complete
---@field window botglue.PromptWindow
---@field notice botglue.Notice
---@field typed string? its text when it was last read
---@field draft botglue.PromptDraft? its stored draft; nil before it is filled and after it was sent or closed
---@field sent boolean?
---@field closing boolean? whether it is about to close
---@field after fun()? called once insert mode has ended
---@field back botglue.Back the window and mode to return to
---@field listing boolean? whether the menu shows earlier prompts
---@field unhighlight fun()
local Prompt = {}
Prompt.__index = Prompt

---@return string
function Prompt:text()
  return table.concat(api.nvim_buf_get_lines(self.float.bufnr, 0, -1, false), "\n")
end

--- Replaces what was typed; the cursor goes to its end.
---@param text string
function Prompt:set_text(text)
  local lines = vim.split(text, "\n", { plain = true })
  api.nvim_buf_set_lines(self.float.bufnr, 0, -1, false, lines)
  api.nvim_win_set_cursor(self.float.win, { #lines, #lines[#lines] })
end

--- Changes the agent or the model.
---@param what "next_agent"|"next_model"|"begin_with"
---@param agent string?
function Prompt:change(what, agent)
  local before = self.choice:words()
  self.choice[what](self.choice, agent)
  if self.choice:words() ~= before then
    self.choice:keep()
    self.prewarm:want(self.choice:apply(self.request))
    self:check_agent()
  end
end

--- Shows why the chosen agent cannot run a job, if it cannot.
function Prompt:check_agent()
  if not self.float or not self.float:is_open() then
    return
  end
  self.notice.obstacle = obstacle.of(self.choice.agent, self.opts.options, self.recall.logged_out)
  self.window:follow()
end

--- Shows why a key had no effect.
---@param words string
function Prompt:say(words)
  self.notice:say(words, self:text())
  self.window:follow()
end

--- Updates the key labels after the agent has reported its models.
function Prompt:relabel()
  if self.float and self.float:is_open() then
    self.float.keys = require("botglue.ui.prompt.keys").of(self)
    self.float:refresh()
  end
end

--- Records the text. When a signal ends Neovim, the buffer loses its text before any autocommand runs.
function Prompt:record_text()
  if api.nvim_buf_is_loaded(self.float.bufnr) then
    self.typed = self:text()
  end
end

--- Writes the text to its draft, in case Neovim exits.
function Prompt:save()
  if not self.draft then
    return
  end
  self:record_text()
  local text = self.typed or ""
  draft.write(self.draft, vim.trim(text) == self.opts.proposal and "" or text)
end

--- Saves the text shortly after each change, without blocking.
function Prompt:save_soon()
  api.nvim_buf_attach(self.float.bufnr, false, {
    on_lines = debounce(function()
      self:save()
      if self.draft then
        draft.tell_next(self.draft, self.opts.options)
      end
    end, SAVE_DELAY),
  })
end

--- Stores the text as a draft for the next prompt at this place.
function Prompt:store_draft()
  self:save()
  local kept = self.draft
  if kept then
    kept.bufnr = self.range.bufnr
    kept.first, kept.last = self.range:lines()
    kept.agent, kept.model = self.choice.agent, self.choice:model()
    draft.keep(kept, self.opts.options)
  end
  self.draft = nil
end

--- Cleans up after the window has closed.
function Prompt:closed()
  if not self.sent then
    self:store_draft()
  end
  if connection.prompt == self then
    connection.prompt = nil
  end
  local was_typing = self.float and self.float.was_current and api.nvim_get_mode().mode:match("^i")
  if not self.closing and was_typing then
    vim.cmd.stopinsert()
  end
  if self.menu then
    self.menu:leave()
  end
  if self.forget_dot then
    vim.schedule(self.forget_dot)
  end
  if self.unhighlight then
    self.unhighlight()
  end
  pcall(api.nvim_del_augroup_by_id, self.group)
  if not self.sent then
    self.prewarm:drop()
    if self.opts.on_cancel then
      self.opts.on_cancel()
    end
    self.range:unmark()
  end
  vim.schedule(function()
    self.back:forget()
  end)
end

--- Closes the window and returns to the user's window.
function Prompt:leave()
  if self.float:is_open() then
    self.back:go(function(win)
      self.float.before = win
      self.float:close()
      self.forget_dot()
    end)
  end
end

--- Whether the prompt will close once insert mode ends. If it is still open in normal mode, a failed autocommand has
--- discarded the keys that close it, so it may be closed again.
---@return boolean
function Prompt:is_closing()
  return self.closing == true and api.nvim_get_mode().mode ~= "n"
end

--- Closes the prompt, and keeps what was typed.
function Prompt:close()
  if self:is_closing() then
    return
  end
  self.closing = true
  back.normal_mode(self, function()
    self:leave()
  end)
end

--- The request for a prompt. A named prompt sets its own agent and model, unless the user has chosen others.
---@param text string
---@return botglue.Request
function Prompt:request_of(text)
  local is_named = require("botglue.jobs.prompts").find(text, self.opts.options) ~= nil
  local request = is_named and self.choice:is_untouched() and self.request or self.choice:apply(self.request)
  return vim.tbl_extend("force", request, { prompt = text })
end

--- Whether the text can be sent; if not, shows why.
---@return boolean
function Prompt:is_sendable()
  local text = vim.trim(self:text())
  return text == ""
    or errors.guard(function()
      require("botglue.jobs.request").check(self.range, self:request_of(text), self.opts.options)
    end)
end

--- Sends what was typed, if there is anything.
function Prompt:submit()
  if self:is_closing() or not self:is_sendable() then
    return
  end
  self.closing = true
  back.normal_mode(self, function()
    if not self.float:is_open() then
      return
    end
    -- Read the text only now: leaving insert mode repeats an insertion with a count or in block mode.
    local text = vim.trim(self:text())
    if text == "" then
      self:leave()
      return
    elseif not self.range:rebase() then
      self:leave()
      notify.error("botglue: select the lines, then <C-p> recalls the prompt: its place is not known")
      return
    end
    self.sent = true
    local sent = self.draft
    self.draft = nil
    draft.sent(sent, text, self.opts.options)
    self:leave()
    self.prewarm:hand_over(self:request_of(text), self.send)
  end)
end

function Prompt:watch()
  self.group = api.nvim_create_augroup("botglue.prompt", { clear = true })
  local function on(event, options, fn)
    options.group, options.desc = self.group, "botglue: the prompt"
    options.callback = fn
    api.nvim_create_autocmd(event, options)
  end
  local function follow()
    self.window:follow()
  end
  on({ "TextChanged", "TextChangedI", "TextChangedP" }, { buffer = self.float.bufnr }, function()
    self.typed = self:text()
    self.window:follow()
  end)
  on({ "WinScrolled", "WinResized" }, {}, follow)
  on("User", { pattern = "BotglueJob*" }, self.window.follow_soon)
  on({ "BufWinLeave", "BufUnload" }, { buffer = self.float.bufnr }, function()
    self:record_text()
  end)
  on("BufReadCmd", { buffer = self.float.bufnr }, function()
    self:set_text(self.typed or "")
    self:save_soon()
  end)
  on("DirChanged", {}, function()
    self.prewarm:want(self.choice:apply(self.request))
  end)
  on("InsertLeave", { buffer = self.float.bufnr }, function()
    self.listing = false
  end)
  self:save_soon()
  self.forget_dot = dot.attach(self.float.bufnr, self.group, self.opts.set_repeat)
  self.menu = require("botglue.ui.prompt.menu").attach(self.float.bufnr, self.group, function(reply)
    if self.listing then
      earlier.offer(self, reply)
    else
      self.completion:source(reply)
    end
  end, function(item)
    self.listing = false
    if item.value then
      self:set_text(item.value)
    end
  end)
end

--- Fills the new prompt with its draft or its suggestion.
function Prompt:fill()
  local first, last = self.range:lines()
  local kept = draft.take(self.range.bufnr, first, last)
  self.draft = kept or draft.new()
  local proposal = not kept and self.opts.proposal
  if kept then
    self.choice:take(kept.agent, kept.model, self.request)
  end
  local text = kept and kept.text or proposal
  if text then
    local bufnr = self.float.bufnr
    local levels = vim.bo[bufnr].undolevels
    vim.bo[bufnr].undolevels = -1
    self:set_text(text)
    vim.bo[bufnr].undolevels = levels
    self.typed = text
  end
  if proposal then
    -- In select mode typing replaces the suggestion.
    local select = "ggVG\7"
    if api.nvim_get_mode().mode == "n" then
      vim.cmd.normal({ select, bang = true })
    else
      -- In insert mode, `:normal` would return to insert mode; queue the keys instead.
      api.nvim_feedkeys(vim.keycode("<C-\\><C-n>") .. select, "ni", false)
    end
  else
    self:start_typing()
  end
end

--- Starts insert mode at the end of the row.
function Prompt:start_typing()
  vim.cmd.startinsert({ bang = true })
  if api.nvim_get_mode().mode == "t" then
    -- Terminal mode ends later and ignores `:startinsert`; start insert mode afterwards.
    vim.schedule(function()
      if api.nvim_get_current_win() == self.float.win and api.nvim_get_mode().mode == "n" then
        vim.cmd.startinsert({ bang = true })
      end
    end)
  end
end

function Prompt:open()
  self.back = back.new()
  self.unhighlight = require("botglue.ui.highlight").range(self.range)
  self.notice = notice.new()
  self.window = window.new(self.range, self.notice, function()
    return title.of(self)
  end)
  self.float = self.window:open(require("botglue.ui.prompt.keys").of(self), function()
    self:closed()
  end)
  self:watch()
  self:fill()
  self:check_agent()
  -- After a command-line question (the default vim.ui.select()) Neovim draws the window only at the next key.
  vim.schedule(function()
    vim.cmd.redraw()
  end)
  self.recall:known(function()
    self:change("begin_with", self.recall.agent)
    self:check_agent()
  end)
end

--- Enters the open prompt.
function Prompt:focus()
  if api.nvim_get_current_win() ~= self.float.win then
    self.back:from_here()
    api.nvim_set_current_win(self.float.win)
  end
  self:start_typing()
end

--- Opens the prompt for a range; unmarks the range if nothing is sent.
---@param range botglue.Range
---@param request botglue.Request the fields that are known already
---@param opts botglue.PromptOptions
---@param send fun(request: botglue.Request) called with the completed request, after the range was updated
function M.ask(range, request, opts, send)
  if connection.prompt then
    if opts.on_cancel then
      opts.on_cancel()
    end
    range:unmark()
    connection.prompt:focus()
    return
  end
  local self = setmetatable({ range = range, request = request, opts = opts, send = send }, Prompt)
  connection.prompt = self
  local project = context.project(range.bufnr)
  self.choice = choice.new(request, opts.options, project)
  self.prewarm = require("botglue.jobs.prewarm").start(range.bufnr, self.choice:apply(request), opts.options)
  self.recall = require("botglue.ui.prompt.recall").start(project)
  self.completion = require("botglue.ui.prompt.complete").new(range.bufnr, opts.options)
  local ok, err = pcall(self.open, self)
  if not ok then
    -- Neovim may refuse to open a window now.
    local float = self.window and self.window.float
    if float then
      float:close()
    else
      self:closed()
    end
    error(err, 0)
  end
end

return M
