--- Asks the user for a prompt in a window at the range. The caller has marked the range, so edits during typing move
--- it. The agent is started at once, so that it is ready when the prompt is sent.
---
--- The text is here; what the window shows of the agent, what completes a word, and what the keys choose is the host's,
--- which hears of each change and keeps what was typed and not sent. There is one prompt at a time. Closing restores
--- the cursor, the mode and the view that the user's window had when the user last entered the prompt.

local ask = require("botglue.host.ask")
local back = require("botglue.ui.prompt.back")
local capture = require("botglue.editor.capture")
local client = require("botglue.host.client")
local connection = require("botglue.host.connection")
local debounce = require("botglue.util.debounce")
local drafts = require("botglue.ui.prompt.drafts")
local menu = require("botglue.ui.prompt.menu")
local notify = require("botglue.host.notify")
local own = require("botglue.ui.own")
local window = require("botglue.ui.prompt.window")

local M = {}

local api, guard = vim.api, require("botglue.host.errors").guard
local EVERYWHERE = { "n", "i", "s" }

--- The keys, each with its modes, what it does, a method of the prompt or a word for the host, and what it is in the
--- menu; asked: done before the next key.
---@type { [1]: string, [2]: string|string[], [3]: string, [4]: string?, asked: boolean? }[]
local KEYS = {
  { "<C-s>", EVERYWHERE, "submit" },
  { "<S-Tab>", EVERYWHERE, "model", "<Up>" },
  { "<Tab>", EVERYWHERE, "agent", "<C-y>" },
  { "<C-g>", { "n", "i" }, "way" },
  { "<C-p>", EVERYWHERE, "earlier", "<Up>", asked = true },
  { "<C-n>", EVERYWHERE, "later", "<Down>", asked = true },
  { "<C-f>", EVERYWHERE, "list", "<C-e>" },
  { "<CR>", "i", "<CR>", "<C-y>" },
  { "<CR>", { "n", "s" }, "submit" },
  { "<Esc>", "n", "leave" },
  { "q", "n", "leave" },
  -- A proposal is deleted, and typing goes on.
  { "<BS>", "s", [[<C-\><C-n>ggVG"_c]] },
  { "<Del>", "s", [[<C-\><C-n>ggVG"_c]] },
  { "g?", "n", "more" },
  { "<C-l>", { "i", "s" }, "more" },
}

---@class botglue.PromptOptions
---@field options botglue.Options
---@field proposal string? a suggested prompt; typing replaces it
---@field set_repeat fun()? makes `.` repeat the operator that opened the prompt

---@class botglue.PromptChoice what is chosen in a prompt
---@field agent string?
---@field model string?
---@field question boolean
---@field review boolean

---@class botglue.Prompt: botglue.PromptWindow
---@field id integer
---@field request botglue.Request
---@field opts botglue.PromptOptions
---@field send botglue.SendPrompt
---@field chosen botglue.PromptChoice? as the host has said last
---@field draft botglue.PromptDraft what it begins with
---@field typed string its text when it was last read
---@field sent boolean?
---@field after fun()? called once insert mode has ended
---@field whence botglue.Whence where to return to
local Prompt = {}
Prompt.__index = Prompt

---@return boolean
function Prompt:is_open()
  return not self.is_closed
    and self.win
    and api.nvim_win_is_valid(self.win)
    and api.nvim_win_get_buf(self.win) == self.bufnr
end

---@return string
function Prompt:text()
  return table.concat(api.nvim_buf_get_lines(self.bufnr, 0, -1, false), "\n")
end

--- Replaces what was typed; the cursor goes to its end.
---@param new string
function Prompt:set_text(new)
  local lines = vim.split(new, "\n", { plain = true })
  api.nvim_buf_set_lines(self.bufnr, 0, -1, false, lines)
  api.nvim_win_set_cursor(self.win, { #lines, #lines[#lines] })
end

--- What the host has to know of it as it is now, and what a key is to do.
---@param key string?
---@return table message
function Prompt:message(key)
  local message = { id = self.id, key = key }
  if self:is_open() then
    local row, column = unpack(api.nvim_win_get_cursor(self.win))
    message.typed = {
      tick = api.nvim_buf_get_changedtick(self.bufnr),
      text = self:text(),
      row = row - 1,
      column = column,
      mode = api.nvim_get_mode().mode,
      width = self.width,
      lines = api.nvim_buf_is_valid(self.range.bufnr) and { self.range:lines() } or nil,
    }
  end
  return message
end

---@param key string?
function Prompt:tell(key)
  client.tell("prompt", self:message(key))
end

--- Has the host do at once what a key is for, before the next one is read.
---@param key string
---@return table reply
function Prompt:ask(key)
  return ask.open("prompt", self:message(key), { within = connection.asked_within, keeps_keys = true })
end

--- Shows earlier prompts as a list. Insert mode starts with the key, never with the list.
function Prompt:list()
  if not api.nvim_get_mode().mode:match("^i") then
    vim.cmd.startinsert({ bang = true })
  end
  self:tell("list")
end

--- Makes the prompt known to a host.
function Prompt:introduce()
  local process, bufnr = connection.process, self.range.bufnr
  local name = api.nvim_buf_is_valid(bufnr) and api.nvim_buf_get_name(bufnr) or nil
  if not process or not self:is_open() then
    return
  end
  client.tell_options(process)
  local about = {
    project = self.project,
    buffer = bufnr,
    path = name and require("botglue.util.buffer_path")(bufnr) or "",
    name = name,
    is_insertion = self.range.shape == "insert",
    chosen = self.chosen,
    draft = self.draft.chosen,
    proposal = self.opts.proposal,
    drafts = connection.drafts,
    buffers = capture.buffers(self.project),
    jobs = require("botglue.jobs.places")(bufnr),
  }
  local begin = { cwd = self.project, review = self.opts.options.review }
  local message = self:message()
  message.about = vim.tbl_extend("force", begin, self.request, about)
  client.tell("prompt", message)
end

--- Puts an earlier prompt in place of the text. Undo restores what the user typed.
---@param earlier string
function Prompt:recall(earlier)
  if api.nvim_get_mode().mode:match("^[vVsS]") then
    -- A proposal is selected.
    vim.cmd("normal! \27")
    vim.cmd.startinsert({ bang = true })
  end
  require("botglue.editor.undo_step").as_one_step(self.bufnr, 0, function()
    self:set_text(earlier)
  end)
end

--- Shows why there is no host to run a job, where that is known.
function Prompt:check_host()
  local process, unusable = require("botglue.host.process"), connection.unusable
  local path, looked = process.binary(self.opts.options)
  local why = not path and ("host missing: %s; there is none at %s"):format(process.INSTALL, looked)
    or unusable and unusable.path == path and unusable.why
  if why and self:is_open() and not (connection.process and connection.process.ready) then
    local text, said = require("botglue.util.text"), {}
    for i, line in ipairs(text.wrap(text.clean(why), self.width - 4)) do
      local sign = i == 1 and require("botglue.util.signs").failed or " "
      said[i] = { { sign .. " " .. line, "BotglueFailure" } }
    end
    self.frame = vim.tbl_extend("force", self.frame, { said = said })
    window.follow(self)
  end
end

--- Its window is gone, or is to go.
function Prompt:close()
  if self.is_closed then
    return
  end
  self.is_closed = true
  local typed = self.typed
  if self.win then
    self.leave_dot()
    own.close(self)
  end
  -- Where no host takes it a job fails, and its prompt is typed in vain.
  if not (self.sent and connection.process) and vim.trim(typed) ~= self.opts.proposal then
    drafts.keep(self.range, { id = self.id, text = typed, chosen = self.chosen })
  end
  self:tell(self.sent and "sent" or "close")
  connection.prompt = nil
  if self.was_current and api.nvim_get_mode().mode:match("^i") then
    vim.cmd.stopinsert()
  end
  for _, fn in ipairs(self.on_close) do
    fn()
  end
  self.range:show()
  if not self.sent then
    self.range:unmark()
  end
  vim.schedule(function()
    back.forget(self.whence)
  end)
end

--- Closes the prompt, and keeps what was typed: insert mode ends first.
---@param before fun(): fun()? called then; what it gives back is called once the user is back
function Prompt:leave(before)
  back.normal_mode(self, function()
    if self:is_open() then
      local after = before and before()
      back.go(self.whence, function()
        self.before = self.whence.win
        self:close()
        self.forget_dot()
      end)
      if after then
        after()
      end
    end
  end)
end

--- The request with the text as it is now.
---@param wanted table what is chosen
---@return botglue.Request
function Prompt:request_of(wanted)
  local request =
    vim.tbl_extend("force", self.request, { prompt = vim.trim(self:text()), prewarmed = self.id })
  if wanted.agent then
    -- A model is its agent's own.
    request.model = nil
  end
  return vim.tbl_extend("force", request, wanted)
end

--- Sends what was typed, if there is anything.
function Prompt:submit()
  -- What is chosen, by all keys before this one; where no host answers, what it has said last.
  local ok, wanted = pcall(self.ask, self, "send")
  wanted = ok and wanted or self.chosen or {}
  local before, composed = self:request_of(wanted), nil
  if before.prompt ~= "" then
    -- Where it names what is not there it stays as it is.
    composed = require("botglue.jobs.run").compose(self.range, before, self.opts.options)
  end
  self:leave(function()
    -- Read the text only now: leaving insert mode repeats an insertion with a count or in block mode.
    local request = self:request_of(wanted)
    if request.prompt == "" then
      return
    elseif not self.range:rebase() then
      return function()
        notify.error("botglue: the place is not known: select the lines, <C-p> recalls the prompt")
      end
    end
    self.sent = true
    drafts.forget(request.prompt)
    return function()
      self.send(request, request.prompt == before.prompt and composed or nil)
    end
  end)
end

--- Maps the keys. While the menu is open, its own come first. What the host does at a key comes with what it draws.
function Prompt:map()
  for _, key in ipairs(KEYS) do
    local lhs, modes, does, in_menu = unpack(key)
    vim.keymap.set(modes, lhs, function()
      local pressed = in_menu and menu.is_open() and in_menu or does:match("^<.*")
      if pressed then
        -- Before the next typed one.
        api.nvim_feedkeys(vim.keycode(pressed), "ni", false)
      elseif self[does] then
        guard(self[does], self)
      else
        guard(key.asked and self.ask or self.tell, self, does)
      end
    end, { buffer = self.bufnr, nowait = lhs ~= "g?", desc = "botglue: the prompt" })
  end
end

function Prompt:watch()
  local on = own.watch(self, "the prompt", function()
    self.side = nil
    window.follow(self)
  end)
  local function update()
    if self:is_open() then
      window.follow(self)
      self.typed = self:text()
      self:tell()
    end
  end
  local soon = debounce(update)
  -- At once: a signal that ends Neovim takes the text from the buffer before any autocommand runs.
  on({ "TextChanged", "TextChangedI", "TextChangedP" }, update, { buffer = self.bufnr })
  on({ "WinScrolled", "WinResized", "VimResized", "ModeChanged", "WinEnter" }, soon)
  on("User", soon, { pattern = "BotglueJob*" })
  on("BufReadCmd", function()
    self:set_text(self.typed)
  end, { buffer = self.bufnr })
  self.leave_dot, self.forget_dot = back.watch_dot(on, self.bufnr, self.opts.set_repeat)
  self.on_close[2] = menu.attach(on, self.bufnr, function(text)
    self:tell("taken")
    if text then
      self:set_text(text)
    end
  end)
end

--- Fills the new prompt with its draft or its suggestion.
function Prompt:fill()
  local proposal, bo = self.typed == "" and self.opts.proposal, vim.bo[self.bufnr]
  self.typed = proposal or self.typed
  local levels = bo.undolevels
  bo.undolevels = -1
  self:set_text(self.typed)
  bo.undolevels = levels
  if not proposal then
    window.start_typing(self)
    return
  end
  -- In select mode typing replaces the suggestion.
  local select = "ggVG\7"
  if api.nvim_get_mode().mode == "n" then
    vim.cmd.normal({ select, bang = true })
  else
    -- In insert mode, `:normal` would return to insert mode; queue the keys instead.
    api.nvim_feedkeys(vim.keycode("<C-\\><C-n>") .. select, "ni", false)
  end
end

function Prompt:open()
  self.whence = back.here()
  self.range:show("BotglueRange")
  window.open(self)
  self:map()
  self:fill()
  self:watch()
  self:introduce()
  self:check_host()
  -- After a command-line question (the default vim.ui.select()) Neovim draws the window only at the next key.
  vim.schedule(function()
    vim.cmd.redraw()
  end)
end

--- Enters the open prompt.
function Prompt:focus()
  if api.nvim_get_current_win() ~= self.win then
    back.forget(self.whence)
    self.whence = back.here()
    api.nvim_set_current_win(self.win)
  end
  window.start_typing(self)
end

--- Draws what the host says.
---@param call table
function M.draw(call)
  local prompt = connection.prompt
  if not prompt or prompt.id ~= call.id or not prompt:is_open() then
    return
  elseif call.title then
    prompt.chosen, prompt.frame = call.chosen, call
    window.follow(prompt)
  end
  if call.tick ~= api.nvim_buf_get_changedtick(prompt.bufnr) then
    return
  elseif call.text then
    prompt:recall(call.text)
  elseif call.items and api.nvim_get_current_buf() == prompt.bufnr then
    menu.show(call)
  end
end

--- Opens the prompt for a range; unmarks the range if nothing is sent.
---@param range botglue.Range
---@param request botglue.Request the fields that are known already
---@param opts botglue.PromptOptions
---@param send botglue.SendPrompt called with the completed request, after the range was updated
function M.ask(range, request, opts, send)
  local open = connection.prompt
  if open and open.win and not open:is_open() then
    -- The user has closed its window, and typed on.
    open:close()
  elseif open then
    range:unmark()
    if open.win then
      open:focus()
    end
    return
  end
  -- A prompt with a host that cannot be started is a prompt all the same: its job tells why it fails.
  client.connect()
  local draft = drafts.take(range)
  local self = setmetatable({
    id = draft.id,
    draft = draft,
    range = range,
    request = request,
    opts = opts,
    send = send,
    project = capture.project(range.bufnr),
    typed = request.text or draft.text,
    on_close = { capture.follow_prompt(range) },
  }, Prompt)
  connection.prompt = self
  local ok, err = pcall(self.open, self)
  if not ok then
    -- Neovim may refuse to open a window now.
    self:close()
    error(err, 0)
  end
end

return M
