--- Asks for the prompt, in a window at the range. The range is marked before, so that what changes while it is typed
--- moves it along; the agent is started, so that it is ready when the prompt is.
---
--- There is one prompt at a time. Nothing of it is left when it is closed, in whatever way, but what was typed: that is
--- kept as a draft, and by the host a moment after each key. The cursor, the mode and the view of the user's window are
--- then what they were when the prompt was gone to last.

local back = require("botglue.ui.prompt.back")
local choice = require("botglue.ui.prompt.choice")
local connection = require("botglue.host.connection")
local context = require("botglue.editor.context")
local dot = require("botglue.ui.prompt.dot")
local draft = require("botglue.ui.prompt.draft")
local errors = require("botglue.host.errors")
local notice = require("botglue.ui.prompt.notice")
local notify = require("botglue.host.notify")
local obstacle = require("botglue.ui.prompt.obstacle")
local title = require("botglue.ui.prompt.title")
local window = require("botglue.ui.prompt.window")
local undo_step = require("botglue.editor.undo_step")

local M = {}

local api = vim.api
local KEPT_AFTER = 250 -- milliseconds from a key to the store that has it

---@class botglue.PromptOptions
---@field options botglue.Options
---@field proposal string? what could be asked for: typing replaces it
---@field again fun()? makes `.` repeat the operator that asks for it
---@field dropped fun()? called where nothing is sent

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
---@field dot botglue.Dot
---@field completion botglue.Complete
---@field window botglue.PromptWindow
---@field notice botglue.Notice
---@field typed string? what stands in it
---@field draft botglue.PromptDraft? the same, as it is kept; nil before there is anything and once it is over
---@field sent boolean?
---@field closing boolean? whether it is about to close
---@field after fun()? what comes once insert mode is over
---@field back botglue.Back where the user comes from
---@field saving boolean? whether it is about to be kept
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
  self.dot:without(function()
    api.nvim_buf_set_lines(self.float.bufnr, 0, -1, false, lines)
  end)
  api.nvim_win_set_cursor(self.float.win, { #lines, #lines[#lines] })
end

--- Changes the agent or the model.
---@param what "next_agent"|"next_model"
function Prompt:change(what)
  local before = self.choice:words()
  self.choice[what](self.choice)
  if self.choice:words() ~= before then
    self.choice:keep()
    self.prewarm:want(self.choice:apply(self.request))
    self:look()
  end
end

--- Says what stands in the way of a job with the agent that is chosen.
function Prompt:look()
  if not self.float or not self.float:is_open() then
    return
  end
  self.notice.obstacle = obstacle.of(self.choice.agent, self.opts.options, self.recall.logged_out)
  self.window:follow()
end

--- Says why a key did nothing.
---@param words string
function Prompt:say(words)
  self.notice:say(words, self:text())
  self.window:follow()
end

--- The agent has said which models it offers.
function Prompt:relabel()
  if self.float and self.float:is_open() then
    require("botglue.ui.prompt.keys").relabel(self.float.keys, self.choice)
    self.float:refresh()
  end
end

--- Puts an earlier prompt into the place of what was typed, or a later one; not into that of what was typed while the
--- prompts were not known yet, nor once the user has gone on to something else.
---@param by integer
function Prompt:step(by)
  local asked, mode = self:text(), api.nvim_get_mode().mode
  self.recall:known(function()
    if not self.float:is_open() or api.nvim_get_current_win() ~= self.float.win then
      return
    end
    local now = self:text()
    local stayed = now == asked and api.nvim_get_mode().mode == mode
    if not stayed and now ~= self.recall.shown then
      return
    end
    local text = self.recall:step(by, now, now == self.opts.proposal and "" or nil)
    if not text and by > 0 then
      self:say(self.recall:none(self.recall.typed))
    end
    if text and api.nvim_get_mode().mode:match("^[vVsS]") then
      -- A proposal is selected.
      vim.cmd("normal! \27")
      vim.cmd.startinsert({ bang = true })
    end
    if text then
      -- Undo brings back what was typed.
      undo_step.as_one_step(self.float.bufnr, function()
        self:set_text(text)
      end)
    end
  end)
end

--- Shows earlier prompts as a list, which what is typed filters. Whoever has gone on by the time they are known is left
--- alone: insert mode begins with the key, or not at all.
function Prompt:list()
  self.listing = true
  if not api.nvim_get_mode().mode:match("^i") then
    vim.cmd.startinsert({ bang = true })
  end
  self.recall:known(function()
    local here = self.float:is_open() and api.nvim_get_current_win() == self.float.win
    if here and self.listing and api.nvim_get_mode().mode:match("^i") then
      self.menu:update()
    end
  end)
end

--- What the menu offers: earlier prompts, else files.
---@param reply fun(col: integer?, items: botglue.MenuItem[]?)
function Prompt:offer(reply)
  if self.listing then
    local items = self.recall:items(self:text(), self.float.width - 4)
    if #items == 0 then
      self:say(self.recall:none(self:text()))
    end
    reply(0, items)
  else
    self.completion:source(reply)
  end
end

--- Notes what stands in it. A signal that ends Neovim takes the text away before it tells anybody.
function Prompt:note()
  if api.nvim_buf_is_loaded(self.float.bufnr) then
    self.typed = self:text()
  end
end

--- Keeps what stands in it, should Neovim end.
function Prompt:save()
  if not self.draft then
    return
  end
  self:note()
  local text = self.typed or ""
  draft.write(self.draft, vim.trim(text) == self.opts.proposal and "" or text)
end

--- The same a moment after it was changed; nothing waits for it.
function Prompt:save_soon()
  api.nvim_buf_attach(self.float.bufnr, false, {
    on_lines = function()
      if not self.saving then
        self.saving = true
        vim.defer_fn(function()
          self.saving = false
          self:save()
          if self.draft then
            draft.tell_next(self.draft, self.opts.options)
          end
        end, KEPT_AFTER)
      end
    end,
  })
end

--- Keeps what was typed, for another time.
function Prompt:keep()
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

--- The window is gone: so is everything else.
function Prompt:closed()
  if not self.sent then
    self:keep()
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
  if self.dot then
    self.dot:leave()
  end
  self.completion:close()
  if self.unhighlight then
    self.unhighlight()
  end
  pcall(api.nvim_del_augroup_by_id, self.group)
  if not self.sent then
    self.prewarm:drop()
    if self.opts.dropped then
      self.opts.dropped()
    end
    self.range:unmark()
  end
  vim.schedule(function()
    self.back:forget()
  end)
end

--- Closes the window; the user is where they were.
function Prompt:leave()
  if self.float:is_open() then
    self.back:go(function(win)
      self.float.before = win
      self.float:close()
      self.dot:finish()
    end)
  end
end

--- Whether it is closed as soon as insert mode is over. In normal mode it should have been: an autocommand that failed
--- took away the keys that do it.
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

--- The request for a prompt. One that names another has its agent and its model, unless the user has chosen others.
---@param text string
---@return botglue.Request
function Prompt:request_of(text)
  local is_named = require("botglue.jobs.prompts").find(text, self.opts.options) ~= nil
  local request = is_named and self.choice:is_untouched() and self.request or self.choice:apply(self.request)
  return vim.tbl_extend("force", request, { prompt = text })
end

--- Whether what was typed can be sent; else says why.
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
    -- Only now does it have what an insertion repeats when it ends, in other rows or by its count.
    local text = vim.trim(self:text())
    if text == "" then
      self:leave()
      return
    elseif not self.range:rebase() then
      self:leave()
      notify.error("botglue: <C-p> in a prompt recalls it: the place that it was for is not known")
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
  on("User", { pattern = "BotglueJob*" }, function()
    self.window:follow_soon()
  end)
  on({ "BufWinLeave", "BufUnload" }, { buffer = self.float.bufnr }, function()
    self:note()
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
  self.dot = dot.attach(self.float.bufnr, self.group, self.opts.again)
  self.menu = require("botglue.ui.prompt.menu").attach(self.float.bufnr, self.group, function(reply)
    self:offer(reply)
  end, function(item)
    self.listing = false
    if item.value then
      self:set_text(item.value)
    end
  end)
end

--- What stands in the prompt when it is opened.
function Prompt:begin()
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
    -- In select mode what is typed takes its place.
    local select = "ggVG\7"
    if api.nvim_get_mode().mode == "n" then
      vim.cmd.normal({ select, bang = true })
    else
      -- Out of insert mode that would go on around it.
      api.nvim_feedkeys(vim.keycode("<C-\\><C-n>") .. select, "ni", false)
    end
  else
    self:start_typing()
  end
end

--- Goes on in insert mode at the end of the row.
function Prompt:start_typing()
  vim.cmd.startinsert({ bang = true })
  if api.nvim_get_mode().mode == "t" then
    -- Terminal mode ends only later, and takes no word for what comes then.
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
  self.notice = notice.new(self.opts.options)
  self.window = window.new(self.range, self.notice, function()
    return title.of(self)
  end)
  self.float = self.window:open(require("botglue.ui.prompt.keys").of(self), function()
    self:closed()
  end)
  self:watch()
  self.back:watch(self.float.win, self.group)
  self:begin()
  self:look()
  -- Neovim would draw it with the next key after a question on the command line, as the default vim.ui.select() asks.
  vim.schedule(function()
    vim.cmd.redraw()
  end)
  self.recall:known(function()
    if self.float and self.float:is_open() then
      self:look()
    end
  end)
end

--- Goes to the prompt that is open.
function Prompt:focus()
  if api.nvim_get_current_win() ~= self.float.win then
    self.back:from_here()
    api.nvim_set_current_win(self.float.win)
  end
  self:start_typing()
end

--- Opens the prompt for a range; the range is let go of where nothing is sent.
---@param range botglue.Range
---@param request botglue.Request what is known of the job
---@param opts botglue.PromptOptions
---@param send fun(request: botglue.Request) called with what was typed added to the request, the range as it is by then
function M.ask(range, request, opts, send)
  local input = require("botglue.ui.prompt.input")
  if opts.options.prompt == "ui" or input.is_for_scripts() then
    input.ask(range, request, opts, send)
    return
  end
  if connection.prompt then
    if opts.dropped then
      opts.dropped()
    end
    range:unmark()
    connection.prompt:focus()
    return
  end
  local self = setmetatable({ range = range, request = request, opts = opts, send = send }, Prompt)
  connection.prompt = self
  self.choice = choice.new(request, opts.options, context.project(range.bufnr))
  self.prewarm = require("botglue.jobs.prewarm").start(range.bufnr, self.choice:apply(request), opts.options)
  local cut = require("botglue.ui.float").signs(opts.options).cut
  self.recall = require("botglue.ui.prompt.recall").start(cut)
  self.completion = require("botglue.ui.prompt.complete").new(range.bufnr, cut, opts.options)
  local ok, err = pcall(self.open, self)
  if not ok then
    -- Not every moment allows a window.
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
