--- Asks the user for a prompt in a window at the range. The caller has marked the range, so edits during typing move
--- it. The agent is started at once, so that it is ready when the prompt is sent.
---
--- This module owns the text, and the drafts: texts of prompts that were closed unsent. The host hears of each change
--- and stores the text; it decides what the window shows of the agent, what completes a word, and what the keys
--- choose. There is one prompt at a time.

local capture = require("botglue.editor.capture")
local client = require("botglue.host.client")
local connection = require("botglue.host.connection")
local debounce = require("botglue.util.debounce")
local errors = require("botglue.host.errors")
local origin = require("botglue.ui.prompt.origin")
local own = require("botglue.ui.window")
local window = require("botglue.ui.prompt.window")

local M = {}

local api, guard = vim.api, errors.guard
local EVERYWHERE = { "n", "i", "s" }

--- The maps: key, modes, action (other keys, a method of the prompt, or a word for the host), and the key to press
--- instead while the menu is open; asked: the host's reply is awaited before the next key.
---@type { [1]: string, [2]: string|string[], [3]: string, [4]: string?, asked: boolean? }[]
local KEYS = {
  -- Leaves insert mode first, which repeats an insertion with a count or in block mode: that belongs to the text.
  { "<C-s>", "i", "<Esc><Cmd>lua require('botglue.ui.prompt').submit()<CR>" },
  { "<C-s>", { "n", "s" }, "submit" },
  { "<S-Tab>", EVERYWHERE, "model", "<Up>" },
  { "<Tab>", EVERYWHERE, "agent", "<C-y>" },
  { "<C-g>", { "n", "i" }, "way" },
  { "<C-p>", EVERYWHERE, "earlier", "<Up>", asked = true },
  { "<C-n>", EVERYWHERE, "later", "<Down>", asked = true },
  { "<C-f>", EVERYWHERE, "list" },
  { "<CR>", "i", "<CR>", "<C-y>" },
  { "<CR>", { "n", "s" }, "submit" },
  { "<Esc>", "n", "leave" },
  { "q", "n", "leave" },
  -- Deletes a suggestion; typing goes on.
  { "<BS>", "s", [[<C-\><C-n>ggVG"_c]] },
  { "<Del>", "s", [[<C-\><C-n>ggVG"_c]] },
  { "g?", "n", "more" },
  { "<C-l>", { "i", "s" }, "more" },
}

---@class botglue.Prompt: botglue.PromptWindow
---@field id integer unique among all Neovims: when it, or the draft that it continues, opened, in microseconds
---@field request botglue.Request
---@field repeats boolean? whether an operator asked for the prompt, which `.` then repeats
---@field proposal string? a suggested prompt; typing replaces it
---@field draft table? what the keys had chosen in the draft that it continues, as the host reported it
---@field typed string its text when it was last read
---@field is_sent boolean?
---@field from botglue.PromptOrigin
---@field forget_dot fun()
local Prompt = { frame = window.FRAME }
Prompt.__index = Prompt

---@return boolean
function Prompt:is_open()
  return not self.is_closed and self.win and vim.fn.winbufnr(self.win) == self.bufnr
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

--- The current state of the prompt for the host, and the action of a key.
---@param key string? the action
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
  if key then
    client.connect()
  end
  client.tell("prompt", self:message(key))
end

--- Has the host perform the action of a key, and waits for the reply before the next key.
---@param key string the action
---@return table reply
function Prompt:ask(key)
  local message = self:message(key)
  -- The buffers of this moment, which may be others than when the prompt opened.
  message.buffers = key == "send" and capture.buffers(self.project) or nil
  return require("botglue.host.ask").open("prompt", message, { keeps_keys = true })
end

--- Shows earlier prompts as a list, or closes the list. Insert mode starts with the key, not when the list comes.
function Prompt:list()
  if not api.nvim_get_mode().mode:match("^i") then
    vim.cmd.startinsert({ bang = true })
  end
  self:tell("list")
end

--- Tells the host about the prompt.
function Prompt:introduce()
  local process, bufnr = connection.process, self.range.bufnr
  if not process or not self:is_open() then
    return
  end
  client.tell_options(process)
  local is_there = api.nvim_buf_is_valid(bufnr)
  local message = self:message()
  local about = {
    project = self.project,
    cwd = self.project,
    review = client.options().review,
    buffer = bufnr,
    path = is_there and capture.path(bufnr) or nil,
    name = is_there and api.nvim_buf_get_name(bufnr) or nil,
    is_insertion = self.range.shape == "insert",
    chosen = self.frame.chosen,
    draft = self.draft,
    proposal = self.proposal,
  }
  message.about = vim.tbl_extend("force", about, self.request)
  message.buffers = capture.buffers(self.project)
  message.here = next(connection.jobs)
      and { buffer = bufnr, jobs = require("botglue.jobs.cache").places(bufnr) }
    or nil
  client.tell("prompt", message)
end

--- Replaces the text with an earlier prompt. Undo restores what the user typed.
---@param earlier string
function Prompt:recall(earlier)
  if api.nvim_get_mode().mode:match("^[vVsS]") then
    -- A suggestion is selected.
    vim.cmd("normal! \27")
    vim.cmd.startinsert({ bang = true })
  end
  local bo = vim.bo[self.bufnr]
  -- Setting the option closes the open undo step.
  bo.undolevels = bo.undolevels
  self:set_text(earlier)
  bo.undolevels = bo.undolevels
end

--- Closes the prompt; its window may be gone already.
function Prompt:close()
  if self.is_closed then
    return
  end
  -- Keys typed ahead may close the prompt before a host was started, which has to store the text.
  client.connect()
  self.is_closed, connection.prompt = true, nil
  if self.win then
    own.close(self)
  end
  if not self.is_sent and self.typed:find("%S") and vim.trim(self.typed) ~= self.proposal then
    -- The next prompt at these lines continues this text.
    table.insert(connection.drafts, self)
  end
  self:tell(self.is_sent and "sent" or "close")
  if self.was_current and api.nvim_get_mode().mode:match("^i") then
    vim.cmd.stopinsert()
  end
  self.range:show()
  if not self.is_sent then
    self.range:unmark()
  end
end

--- Closes the prompt; the user is back in the window and the mode from which they opened it.
function Prompt:leave()
  origin.normal_mode()
  self.before = self.from.win
  self:close()
  self.forget_dot()
  origin.type_on(self.from)
end

--- Sends what was typed, if anything. If it names something that does not exist, raises an error and stays open.
function Prompt:submit()
  local text = vim.trim(self:text())
  local wanted = text == "" and {} or self:ask("send")
  local is_known = self.range:place() ~= nil
  self.is_sent = text ~= "" and is_known
  self:leave()
  if self.is_sent then
    connection.drafts = vim.tbl_filter(function(draft)
      return vim.trim(draft.typed) ~= text
    end, connection.drafts)
    local request =
      vim.tbl_extend("force", self.request, wanted.request, { prompt = text, prewarmed = self.id })
    connection.repeated = self.repeats and text or connection.repeated
    require("botglue.jobs.run").send(self.range, request)
  elseif text ~= "" then
    errors.fail("the place is not known: select the lines, <C-p> recalls the prompt")
  end
end

--- Submits from Insert mode. After an error typing goes on; the error is shown only then, else it would be hidden.
function M.submit()
  local prompt = connection.prompt
  local ok, raised = pcall(Prompt.submit, prompt)
  if prompt and not ok then
    api.nvim_feedkeys(prompt:is_open() and "gi" or "", "ni", false)
    vim.schedule_wrap(require("botglue.host.notify").error)(raised)
  end
end

--- Maps the keys. While the menu is open, its own keys come first. The host answers a key with a call to `draw`.
function Prompt:map()
  for _, key in ipairs(KEYS) do
    local lhs, modes, does, in_menu = unpack(key)
    vim.keymap.set(modes, lhs, function()
      local pressed = in_menu and window.has_menu() and in_menu or does:match("^<.*")
      if pressed then
        -- Inserted before keys that are typed ahead.
        api.nvim_feedkeys(vim.keycode(pressed), "ni", false)
      else
        guard(self[does] or key.asked and self.ask or self.tell, self, does)
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
  local update_later, here = debounce(update), { buffer = self.bufnr }
  -- Not debounced: a signal that ends Neovim takes the text from the buffer before any autocommand runs.
  on({ "TextChanged", "TextChangedI", "TextChangedP" }, update, here)
  on({ "WinScrolled", "WinResized", "VimResized", "ModeChanged", "WinEnter" }, update_later)
  on("User", update_later, { pattern = "BotglueJob*" })
  on("BufReadCmd", function()
    self:set_text(self.typed)
  end, here)
  on("CompleteDone", function()
    local taken = vim.v.completed_item.user_data
    if type(taken) == "table" and not window.has_menu() then
      self:tell("taken")
      self:set_text(taken.text or self:text())
    end
  end, here)
  self.forget_dot = origin.watch_dot(on, self.bufnr, self.repeats)
  window.watch_menu(on, self.bufnr)
end

--- Fills the new prompt with its draft or its suggestion.
function Prompt:fill()
  local proposal, bo = self.typed == "" and self.proposal, vim.bo[self.bufnr]
  self.typed = proposal or self.typed
  local levels = bo.undolevels
  bo.undolevels = -1
  self:set_text(self.typed)
  bo.undolevels = levels
  if proposal then
    -- In select mode typing replaces the suggestion.
    api.nvim_feedkeys(vim.keycode([[<C-\><C-n>ggVG<C-g>]]), "ni", false)
  else
    window.start_typing()
  end
end

function Prompt:open()
  self.from = origin.here()
  self.range:show("BotglueRange")
  window.open(self)
  self:map()
  self:fill()
  self:watch()
  self:introduce()
  -- Else Neovim draws the window only at the next key, after a question in the command line (`vim.ui.select()`).
  vim.schedule(vim.cmd.redraw)
end

--- Enters the open prompt.
function Prompt:focus()
  if api.nvim_get_current_win() ~= self.win then
    self.from = origin.here()
    api.nvim_set_current_win(self.win)
  end
  window.start_typing()
end

--- Draws what the host says.
---@param call { id: integer, tick: integer, frame: botglue.PromptFrame?, text: string?, at: integer?, items: table[]? }
function M.draw(call)
  local prompt = connection.prompt
  if not prompt or prompt.id ~= call.id or not prompt:is_open() then
    return
  elseif call.frame then
    prompt.frame = call.frame
    window.follow(prompt)
  end
  if call.tick ~= api.nvim_buf_get_changedtick(prompt.bufnr) then
    return
  elseif call.text then
    prompt:recall(call.text)
  elseif call.items and api.nvim_get_current_buf() == prompt.bufnr then
    window.menu(call.at, call.items)
  end
end

--- Removes and returns the newest draft for lines of a range.
---@param range botglue.Range
---@return botglue.Prompt?
local function take_draft(range)
  local first, last = range:lines()
  for i = #connection.drafts, 1, -1 do
    local other = connection.drafts[i].range
    local from, to = other:lines()
    if other.bufnr == range.bufnr and from <= last and to >= first then
      return table.remove(connection.drafts, i)
    end
  end
end

--- Opens the prompt for a range; unmarks the range if nothing is sent.
---@param range botglue.Range
---@param request botglue.Request the fields that are known already
---@param repeats boolean?
function M.ask(range, request, repeats)
  local open = connection.prompt
  if open and open.win and not open:is_open() then
    -- The user has closed its window, and an autocommand has not closed the prompt yet.
    open:close()
  elseif open then
    range:unmark()
    return open.win and open:focus()
  end
  local draft, seconds, microseconds = take_draft(range), vim.uv.gettimeofday()
  local is_edit = not request.question and range.kind ~= "insert"
  local has_proposal = client.options().context.diagnostics and is_edit
  local self = setmetatable({
    id = draft and draft.id or seconds * 1000000 + microseconds,
    draft = draft and draft.frame.chosen,
    range = range,
    request = request,
    repeats = repeats,
    proposal = has_proposal and capture.proposal(range.bufnr, range:lines()) or nil,
    project = capture.project(range.bufnr),
    typed = request.text or draft and draft.typed or "",
  }, Prompt)
  connection.prompt = self
  capture.want(range.bufnr)
  local ok, raised = pcall(self.open, self)
  if not ok then
    -- Neovim may refuse to open a window now.
    self:close()
    error(raised, 0)
  end
  -- After the window is drawn, because the user's FileType autocommands and the start of a host take longer than
  -- that. The prompt works without a host.
  vim.schedule(function()
    local _, err = client.connect()
    if self:is_open() then
      vim.bo[self.bufnr].filetype = vim.bo[self.bufnr].filetype
    end
    if err and self:is_open() then
      window.say(self, err.message)
    end
  end)
end

table.insert(connection.hooks.started, function()
  if connection.prompt then
    connection.prompt:introduce()
  end
end)

table.insert(connection.hooks.lost, function(err)
  vim.schedule(function()
    local prompt = connection.prompt
    if prompt and prompt:is_open() and not connection.process then
      window.say(prompt, err.message)
    end
  end)
end)

return M
