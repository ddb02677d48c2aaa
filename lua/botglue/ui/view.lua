--- The windows that the host draws: opens, draws and closes them as the host says, and reports keys, the end of a
--- window, and the size of the screen. What a window shows is the host's: nothing here knows it. `q` closes a window
--- here, so a host that does not answer holds none open.

local ask = require("botglue.host.ask")
local capture = require("botglue.editor.capture")
local client = require("botglue.host.client")
local connection = require("botglue.host.connection")
local errors = require("botglue.host.errors")
local own = require("botglue.ui.window")
local rows = require("botglue.ui.rows")
local windows = require("botglue.ui.geometry")

local M = {}

local api, tell = vim.api, client.tell
local LEAST = 5 -- rows that there have to be beside a range
local ENDED = "%#BotglueFailure#✗ the host has ended · q close"

---@class botglue.HostWindow: botglue.OwnWindow, botglue.Placed, botglue.ListOrigin
---@field id string
---@field opening table how it is opened: `Opening` in src/ui/opening.rs
---@field against integer? the window with which it is compared
---@field is_lent boolean? whether that was opened for this
---@field is_theirs boolean? whether that was in diff mode before
---@field rows botglue.ViewRow[] what it shows
---@field at string? the id of the row of the cursor
---@field said table<string, string> what the user said last, by action
local View = {}
View.__index = View

--- Puts a window beside the range of a job, at most half as high as the screen.
---@param placed botglue.Placed
---@param config vim.api.keyset.win_config as the host would have it
---@param id integer
---@return vim.api.keyset.win_config
local function beside(placed, config, id)
  local height = math.min(config.height, math.floor(vim.o.lines / 2))
  local range = (connection.jobs[id] or {}).range
  return vim.tbl_extend("force", config, windows.beside(placed, range, config.width, height, LEAST))
end

--- Colours a buffer as Markdown. A user's autocommand, or a Neovim without the parser, may fail at that: such an error
--- would end in a hit-enter prompt.
---@param bufnr integer
---@param how "parsed"|"by lines" whether it is parsed as a whole, which conceals more, and takes long for a long text
local function colour(bufnr, how)
  pcall(api.nvim_buf_call, bufnr, function()
    vim.cmd("silent! setlocal filetype=markdown")
  end)
  if how ~= "parsed" or not pcall(vim.treesitter.start, bufnr, "markdown") then
    pcall(vim.treesitter.stop, bufnr)
    vim.bo[bufnr].syntax = "markdown"
  end
end

--- The id of a row.
---@param row integer from 1
---@return string?
function View:id_of(row)
  local extra = (self.rows[row] or "")[3]
  return extra and extra.id
end

--- Replaces rows; the cursor stays on its row, and that at its place in the window, unless the window is at its top.
---@param splices botglue.ViewSplice[]
function View:splice(splices)
  local view = self.at and #splices > 0 and api.nvim_win_call(self.win, vim.fn.winsaveview)
  rows.splice(self, splices)
  if view then
    local row = vim.iter(ipairs(self.rows)):find(function(at)
      return self:id_of(at) == self.at
    end) or view.lnum
    view.topline = view.topline > 1 and math.max(view.topline + row - view.lnum, 1) or 1
    view.lnum = row
    api.nvim_win_call(self.win, function()
      vim.fn.winrestview(view)
    end)
  end
  self:tell_cursor()
end

--- Tells the host in which row the cursor is.
function View:tell_cursor()
  if self.win and api.nvim_win_is_valid(self.win) then
    local id = self:id_of(api.nvim_win_get_cursor(self.win)[1])
    if id ~= self.at then
      self.at = id
      tell("cursor", { view = self.id, row = id or "" })
    end
  end
end

--- Shows the buffer in a window.
---@param config table? of a floating window
function View:show(config)
  local kind, bufnr = self.opening.kind, self.bufnr
  if kind == "tab" then
    vim.cmd("tab sbuffer " .. bufnr)
    return
  elseif kind == "split" then
    config = { split = vim.o.splitbelow and "below" or "above", win = self.origin }
  elseif kind == "beside" then
    config = { split = "right", win = connection.views[self.opening.with].win }
  elseif kind == "against" then
    self.against, self.is_lent = windows.find_or_open(self.opening.against)
    self.is_theirs = vim.wo[self.against].diff
    config = { split = "right", win = self.against }
  else
    local is_pane = kind == "pane"
    config =
      vim.tbl_extend("force", config, { style = "minimal", focusable = not is_pane, noautocmd = is_pane })
  end
  api.nvim_open_win(bufnr, false, config)
end

--- Moves it to another place. What is concealed in its text takes no rows.
---@param config vim.api.keyset.win_config
function View:move(config)
  local id = self.opening.beside
  if id then
    local height = math.min(config.height, api.nvim_win_text_height(self.win, {}).all)
    config = beside(self, vim.tbl_extend("force", config, { height = height }), id)
  end
  api.nvim_win_set_config(self.win, config)
end

--- Closes the window, and goes back to where it was opened from.
function View:close()
  if connection.views[self.id] ~= self then
    return
  end
  connection.views[self.id], connection.shown[self.bufnr] = nil, nil
  own.close(self)
  if self.against and api.nvim_win_is_valid(self.against) then
    if not self.is_theirs then
      api.nvim_win_call(self.against, vim.cmd.diffoff)
    end
    if self.is_lent then
      pcall(api.nvim_win_close, self.against, false)
    end
  end
  tell("closed", { view = self.id })
  for _, other in ipairs(vim.tbl_values(connection.views)) do
    if other.opening.with == self.id then
      other:close()
    end
  end
end

--- Asks the user for words, and tells the host.
---@param action string
---@param prompt string
function View:input(action, prompt)
  vim.ui.input({ prompt = prompt, default = self.said[action] }, function(words)
    if words and connection.views[self.id] == self then
      self.said[action] = words
      tell("act", { view = self.id, action = action, text = words })
    end
  end)
end

function View:map()
  for _, key in ipairs(self.opening.keys) do
    local action, class = key.action, key.class
    vim.keymap.set("n", key.lhs, function()
      if action == "close" then
        self:close()
      elseif class.input then
        self:input(action, class.input)
      elseif class == "asked" then
        errors.guard(require("botglue.ui.actions").act, self, action)
      else
        tell("act", { view = self.id, action = action })
      end
    end, { buffer = self.bufnr, nowait = true, desc = "botglue: " .. key.word })
  end
end

function View:watch()
  local on = own.watch(self, self.opening.name, function()
    self.side = nil
    tell("geometry", ask.here())
  end)
  on("WinClosed", function()
    vim.schedule_wrap(self.close)(self)
  end, { pattern = tostring(self.against) })
  local here = { buffer = self.bufnr }
  on("CursorMoved", function()
    self:tell_cursor()
  end, here)
  on("BufReadCmd", function()
    self:splice({ { 0, #self.rows, self.rows } })
  end, here)
end

---@param call table
---@param enters boolean whether the user goes there
---@return botglue.HostWindow
local function open(call, enters)
  local opening = call.open
  local self = setmetatable({ id = call.id, opening = opening, rows = {}, said = {} }, View)
  own.make(self, opening.name)
  connection.shown[self.bufnr], connection.views[call.id] = self, self
  self:splice(call.rows or {})
  if opening.markdown then
    colour(self.bufnr, opening.markdown)
  end
  for name, value in pairs(opening.buffer) do
    vim.bo[self.bufnr][name] = value
  end
  own.open(self, opening.window, enters, self.show, self, call.config)
  if enters and api.nvim_get_mode().mode ~= "n" then
    -- Insert mode would go on in it.
    vim.cmd.stopinsert()
  end
  for _, win in ipairs(opening.diff and { self.win, self.against } or {}) do
    api.nvim_win_call(win, vim.cmd.diffthis)
  end
  if opening.beside then
    self:move(call.config)
  end
  self:map()
  self:watch()
  self:tell_cursor()
  return self
end

--- Whether a window opens, and the user goes there; nil: it does not, and what it would have shown is said. To an
--- answer that has just come they go if they have not gone on since they asked; else it opens where there is room.
---@param call table
---@return boolean? enters
local function enters(call)
  local opening = call.open
  if call.token and not connection.questions[call.token] then
    -- The command has given up, and said that nothing was done.
    return nil
  elseif not opening.arrives then
    return opening.kind ~= "pane"
  end
  local asked_from = (connection.jobs[opening.beside] or {}).asked_from
  local is_shown = vim.iter(pairs(connection.views)):any(function(_, view)
    return view.opening.name == opening.name
  end)
  if capture.is_idle() and not is_shown then
    if not asked_from or vim.deep_equal(asked_from, capture.whereabouts()) then
      return true
    end
    local placed = { origin = api.nvim_get_current_win() }
    beside(placed, call.config, opening.beside)
    if placed.side ~= "over" then
      return false
    end
  end
  if opening.arrives.words then
    require("botglue.host.notify").add(opening.arrives)
  end
end

---@param call table `calls` in src/ui/screen.rs: only what is other than before
local function draw(call)
  local view = connection.views[call.id]
  if call.open then
    local goes_there = enters(call)
    if goes_there == nil then
      return tell("closed", { view = call.id })
    end
    view = open(call, goes_there)
  elseif not view then
    return
  elseif call.close then
    view:close()
    return
  else
    view:splice(call.rows or {})
    if call.config and api.nvim_win_is_valid(view.win) then
      view:move(call.config)
    end
  end
  -- Where no cursor can go the window shows its first row, whatever comes above that.
  local row = call.cursor or view.opening.kind == "pane" and 1
  for _, win in ipairs(vim.fn.win_findbuf(view.bufnr)) do
    if call.bar then
      vim.wo[win][0].winbar = call.bar
    end
    if row then
      -- Cursors of texts that are compared move together.
      local col = view.against and api.nvim_win_get_cursor(view.against)[2] or 0
      api.nvim_win_set_cursor(win, { row, col })
    end
    if view.opening.diff and call.rows then
      api.nvim_win_call(win, vim.cmd.diffupdate)
    end
  end
end

--- Draws what the host says. Where Neovim allows no window and no text to change, as in another plugin's expression
--- map that waits, this and all that follows is drawn once it does.
---@param call table `calls` in src/ui/screen.rs: only what is other than before
function M.draw(call)
  local late, err = connection.late, "E565"
  local ok = #late == 0
  if ok then
    ok, err = pcall(draw, call)
  end
  if ok then
    return
  elseif tostring(err):find("E565", 1, true) then
    -- The command does not wait any more by then.
    call.token, late[#late + 1] = nil, call
    return #late == 1
      and api.nvim_create_autocmd("SafeState", {
        once = true,
        desc = "botglue: draw what could not be drawn",
        callback = function()
          connection.late = {}
          vim.iter(late):each(M.draw)
        end,
      })
  end
  local view = connection.views[call.id]
  if view then
    view:close()
  else
    tell("closed", { view = call.id })
  end
  error(err, 0)
end

-- The host is gone. A window stays with what it shows, for what is typed in it is not meant for the text below, and
-- says so where it has a row for that. Its id is free for the next host.
table.insert(connection.hooks.lost, function(err)
  local left = connection.views
  connection.late, connection.views = {}, {}
  for id, view in pairs(left) do
    view.id, view.opening.with = "-" .. id, view.opening.with and "-" .. view.opening.with
    connection.views[view.id] = view
    pcall(own.set_options, view.win, { winbar = view.opening.kind == "pane" and "" or ENDED })
  end
  if next(left) then
    require("botglue.host.notify").error("botglue: " .. err.message)
  end
end)

return M
