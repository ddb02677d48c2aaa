--- Asks the user for a prompt in a window at the range. The caller has marked the range, so edits during typing move
--- it. The agent is started at once, so that it is ready when the prompt is sent.
---
--- The text is here; what the window shows of the agent, what completes a word, and what the keys choose is the host's,
--- which hears of each change and keeps what was typed and not sent. There is one prompt at a time. Closing restores
--- the cursor, the mode and the view that the user's window had when the user last entered the prompt.

local ask = require("botglue.editor.ask")
local back = require("botglue.ui.prompt.back")
local client = require("botglue.host.client")
local connection = require("botglue.host.connection")
local capture = require("botglue.editor.capture")
local debounce = require("botglue.util.debounce")
local dot = require("botglue.ui.prompt.dot")
local drafts = require("botglue.ui.prompt.drafts")
local errors = require("botglue.host.errors")
local notify = require("botglue.host.notify")
local host_process = require("botglue.host.process")
local signs = require("botglue.util.signs")
local text = require("botglue.util.text")
local undo_step = require("botglue.editor.undo_step")
local window = require("botglue.ui.prompt.window")

local M = {}

local api = vim.api

---@class botglue.PromptOptions
---@field options botglue.Options
---@field proposal string? a suggested prompt; typing replaces it
---@field set_repeat fun()? makes `.` repeat the operator that opened the prompt
---@field on_cancel fun()? called if nothing is sent

---@class botglue.PromptWanted what is chosen in a prompt
---@field agent string?
---@field model string?
---@field question boolean?
---@field review boolean?

---@class botglue.Prompt
---@field id integer
---@field range botglue.Range
---@field request botglue.Request
---@field opts botglue.PromptOptions
---@field send botglue.SendPrompt
---@field window botglue.PromptWindow
---@field menu botglue.Menu
---@field told table? what the host was told of it last
---@field serial integer counts the changes that it was told of
---@field last botglue.PromptWanted? what the host has said last that is to be sent
---@field chosen { agent: string, model: string? }? what it has said last of agent and model, for another host
---@field forget_dot fun()? lets `.` forget what was typed
---@field typed string? its text when it was last read
---@field draft botglue.PromptDraft? what it begins with
---@field sent boolean?
---@field closing boolean? whether it is about to close
---@field after fun()? called once insert mode has ended
---@field back botglue.Back the window and mode to return to
local Prompt = {}
Prompt.__index = Prompt

---@return string
function Prompt:text()
  return table.concat(api.nvim_buf_get_lines(self.window.bufnr, 0, -1, false), "\n")
end

--- Replaces what was typed; the cursor goes to its end.
---@param new string
function Prompt:set_text(new)
  local lines = vim.split(new, "\n", { plain = true })
  api.nvim_buf_set_lines(self.window.bufnr, 0, -1, false, lines)
  api.nvim_win_set_cursor(self.window.win, { #lines, #lines[#lines] })
end

--- What the host has to know of it as it is now.
---@return table
function Prompt:state()
  local lines = api.nvim_buf_get_lines(self.window.bufnr, 0, -1, false)
  local row, col = unpack(api.nvim_win_get_cursor(self.window.win))
  local mode, is_there = api.nvim_get_mode().mode, api.nvim_buf_is_valid(self.range.bufnr)
  local first, last
  if is_there then
    first, last = self.range:lines()
  end
  return {
    text = table.concat(lines, "\n"),
    row = row - 1,
    before = lines[row]:sub(1, col),
    column = col,
    mode = mode:match("^[iR]") and "i" or mode:match("^[sS\19]") and "s" or "n",
    width = self.window.width,
    first = first,
    last = last,
  }
end

--- Adds what has changed to a message for the host.
---@param message table
---@return table
function Prompt:with_state(message)
  message.id = self.id
  if self.window and self.window:is_open() then
    local state, told = self:state(), self.told
    if not vim.deep_equal(state, told) then
      local is_other = not told
        or state.text ~= told.text
        or state.row ~= told.row
        or state.before ~= told.before
      self.told, self.serial = state, self.serial + (is_other and 1 or 0)
      message.typed = vim.tbl_extend("error", state, { serial = self.serial })
    end
  end
  return message
end

--- Tells the host what has changed, and what a key is to do.
---@param message { key: string? }
function Prompt:tell(message)
  message = self:with_state(message)
  if connection.process and (message.typed or message.key) then
    connection.process:notify("prompt", message)
  end
end

--- Has the host do at once what a key is for, before the next one is read.
---@param key string
---@return table reply
function Prompt:ask(key)
  local within = { within = connection.asked_within, keeps_keys = true }
  return ask.open("prompt", self:with_state({ key = key }), within)
end

--- Shows earlier prompts as a list. Insert mode starts with the key, never with the list.
function Prompt:list()
  if not api.nvim_get_mode().mode:match("^i") then
    vim.cmd.startinsert({ bang = true })
  end
  self:tell({ key = "list" })
end

--- Makes the prompt known to a host.
function Prompt:introduce()
  local process = connection.process
  if not process or not self.window then
    return
  end
  client.tell_options(process)
  local request, bufnr = self.request, self.range.bufnr
  local way = self.last
    or {
      question = request.question,
      review = vim.F.if_nil(request.review, self.opts.options.review),
    }
  local is_there = api.nvim_buf_is_valid(bufnr)
  self.told = nil
  process:notify(
    "prompt",
    self:with_state({
      about = {
        project = self.project,
        cwd = request.cwd or self.project,
        buffer = bufnr,
        path = is_there and require("botglue.util.buffer_path")(bufnr) or "",
        name = is_there and api.nvim_buf_get_name(bufnr) or nil,
        is_insertion = self.range.shape == "insert",
        question = way.question,
        review = way.review,
        resume = request.resume,
        agent = request.agent,
        model = request.model,
        chosen = self.chosen or self.draft and self.draft.chosen,
        is_again = self.chosen ~= nil,
        proposal = self.opts.proposal,
        recent = drafts.recent(),
        buffers = capture.buffers(self.project),
      },
    })
  )
end

--- Draws what the host says.
---@param call { title: table?, wanted: botglue.PromptWanted?, text: string?, menu: botglue.MenuOffer? }
function Prompt:draw(call)
  if not self.window:is_open() then
    return
  elseif call.title then
    self.last, self.chosen = call.wanted, call.chosen
    self.window:draw(call.title, call.footer, call.said)
    -- The host may have to make it fit.
    self:tell({})
  end
  if call.text and vim.deep_equal(self.told, self:state()) then
    self:recall(call.text)
  end
  if call.menu and call.menu.serial == self.serial then
    self.menu:show(call.menu)
  end
end

--- Puts an earlier prompt in place of the text.
---@param earlier string
function Prompt:recall(earlier)
  if api.nvim_get_mode().mode:match("^[vVsS]") then
    -- A proposal is selected.
    vim.cmd("normal! \27")
    vim.cmd.startinsert({ bang = true })
  end
  -- Undo restores the text that the user typed.
  undo_step.as_one_step(self.window.bufnr, 0, function()
    self:set_text(earlier)
  end)
end

--- Shows why there is no host to run a job, where that is known.
function Prompt:check_host()
  if connection.process and connection.process.ready or not self.window:is_open() then
    return
  end
  local path, looked = host_process.binary(self.opts.options)
  local unusable = connection.unusable
  local why = not path and ("%s: there is no host at %s"):format(host_process.INSTALL, looked)
    or unusable and unusable.path == path and unusable.why
  if why then
    local said = {}
    for i, line in ipairs(text.wrap(text.clean(why), self.window.width - 4)) do
      said[i] = { { (i == 1 and signs.failed .. " " or "  ") .. line, "BotglueFailure" } }
    end
    self.window:draw(self.window.title, self.window.footer, said)
  end
end

--- Follows changes that are no keys of the user too.
function Prompt:follow_text()
  api.nvim_buf_attach(self.window.bufnr, false, { on_lines = self.update })
end

--- Cleans up after the window has closed.
function Prompt:closed()
  local typed = vim.trim(self.typed or "")
  if not self.sent and typed ~= self.opts.proposal then
    drafts.keep(self.range, { id = self.id, text = self.typed or "", chosen = self.chosen })
  end
  self:tell({ key = self.sent and "sent" or "close" })
  if connection.prompt == self then
    connection.prompt = nil
  end
  local was_typing = self.window and self.window.was_current and api.nvim_get_mode().mode:match("^i")
  if not self.closing and was_typing then
    vim.cmd.stopinsert()
  end
  if self.menu then
    self.menu:leave()
  end
  if self.forget_dot then
    vim.schedule(self.forget_dot)
  end
  self.range:show()
  pcall(api.nvim_del_augroup_by_id, self.group)
  if not self.sent then
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
  if self.window:is_open() then
    self.back:go(function(win)
      self.window.before = win
      self.window:close()
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

--- The request for a prompt.
---@param prompt string
---@param wanted botglue.PromptWanted
---@return botglue.Request
function Prompt:request_of(prompt, wanted)
  local request = vim.tbl_extend("force", self.request, { prompt = prompt, prewarmed = self.id })
  if wanted.agent then
    -- A model is its agent's own.
    request.model = nil
  end
  return vim.tbl_extend("force", request, wanted)
end

--- What is chosen, by all keys before this one; where no host answers, what it has said last.
---@return table
function Prompt:wanted()
  local ok, wanted = pcall(self.ask, self, "send")
  return ok and wanted or self.last or {}
end

--- What a prompt stands for; where it cannot be sent, shows why.
---@param prompt string
---@param wanted table
---@return botglue.Composed? composed
function Prompt:compose(prompt, wanted)
  local composed
  errors.guard(function()
    local request = self:request_of(prompt, wanted)
    composed = require("botglue.jobs.run").compose(self.range, request, self.opts.options)
  end)
  return composed
end

--- Sends what was typed, if there is anything.
function Prompt:submit()
  if self:is_closing() then
    return
  end
  local wanted, before = self:wanted(), vim.trim(self:text())
  local composed = before ~= "" and self:compose(before, wanted)
  if composed == nil then
    return
  end
  self.closing = true
  back.normal_mode(self, function()
    if not self.window:is_open() then
      return
    end
    -- Read the text only now: leaving insert mode repeats an insertion with a count or in block mode.
    local prompt = vim.trim(self:text())
    if prompt == "" then
      self:leave()
      return
    elseif not self.range:rebase() then
      self:leave()
      notify.error("botglue: select the lines, then <C-p> recalls the prompt: its place is not known")
      return
    end
    self.sent = true
    drafts.forget(prompt)
    self:leave()
    self.send(self:request_of(prompt, wanted), prompt == before and composed or nil)
  end)
end

function Prompt:watch()
  self.group = api.nvim_create_augroup("botglue.prompt", { clear = true })
  local function on(event, options, fn)
    options.group, options.desc = self.group, "botglue: the prompt"
    options.callback = fn
    api.nvim_create_autocmd(event, options)
  end
  local function update()
    if self.window:is_open() then
      self.window:follow()
      self.typed = self:text()
      self:tell({})
    end
  end
  self.update = debounce(update)
  -- At once: a signal that ends Neovim takes the text from the buffer before any autocommand runs.
  on({ "TextChanged", "TextChangedI", "TextChangedP" }, { buffer = self.window.bufnr }, update)
  on({ "WinScrolled", "WinResized", "VimResized", "ModeChanged", "WinEnter" }, {}, self.update)
  on("User", { pattern = "BotglueJob*" }, self.update)
  on("BufReadCmd", { buffer = self.window.bufnr }, function()
    self:set_text(self.typed or "")
    self:follow_text()
  end)
  self:follow_text()
  self.forget_dot = dot.attach(self.window.bufnr, self.group, self.opts.set_repeat)
  self.menu = require("botglue.ui.prompt.menu").attach(self.window.bufnr, self.group, function(item)
    self:tell({ key = "taken" })
    if item.value then
      self:set_text(item.value)
    end
  end)
end

--- Fills the new prompt with its draft or its suggestion.
function Prompt:fill()
  local proposal = not self.draft and self.opts.proposal
  local typed = self.draft and self.draft.text or proposal
  if typed then
    local bufnr = self.window.bufnr
    local levels = vim.bo[bufnr].undolevels
    vim.bo[bufnr].undolevels = -1
    self:set_text(typed)
    vim.bo[bufnr].undolevels = levels
    self.typed = typed
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
    self.window:start_typing()
  end
end

function Prompt:open()
  self.back = back.new()
  self.range:show("BotglueRange")
  self.window = window.open(self.range, function()
    self:closed()
  end)
  require("botglue.ui.prompt.keys").map(self)
  self:watch()
  self:fill()
  self:introduce()
  self:check_host()
  -- After a command-line question (the default vim.ui.select()) Neovim draws the window only at the next key.
  vim.schedule(function()
    vim.cmd.redraw()
  end)
end

--- Enters the open prompt.
function Prompt:focus()
  if api.nvim_get_current_win() ~= self.window.win then
    self.back:from_here()
    api.nvim_set_current_win(self.window.win)
  end
  self.window:start_typing()
end

--- Opens the prompt for a range; unmarks the range if nothing is sent.
---@param range botglue.Range
---@param request botglue.Request the fields that are known already
---@param opts botglue.PromptOptions
---@param send botglue.SendPrompt called with the completed request, after the range was updated
function M.ask(range, request, opts, send)
  local open = connection.prompt
  if open and open.window and not open.window:is_open() then
    -- The user has closed its window, and typed on.
    open.window:close()
  elseif open then
    if opts.on_cancel then
      opts.on_cancel()
    end
    range:unmark()
    if open.window then
      open:focus()
    end
    return
  end
  local draft = drafts.take(range)
  local self = setmetatable({
    id = draft.id,
    draft = draft.text and draft or nil,
    range = range,
    request = request,
    opts = opts,
    send = send,
    serial = 0,
    project = capture.project(range.bufnr),
  }, Prompt)
  connection.prompt = self
  -- A prompt with a host that cannot be started is a prompt all the same: its job tells why it fails.
  client.connect(opts.options)
  capture.want(range.bufnr)
  local ok, err = pcall(self.open, self)
  if not ok then
    -- Neovim may refuse to open a window now.
    if self.window then
      self.window:close()
    else
      self:closed()
    end
    error(err, 0)
  end
end

return M
