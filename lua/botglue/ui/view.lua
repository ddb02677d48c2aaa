--- The windows whose content the host makes: opens, draws and closes them as the host says, and reports their keys,
--- their end and the size of the screen. Nothing here knows what a window shows. `q` closes a window without the
--- host, so a host that does not answer keeps none open.

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
local LEAST = 5 -- rows that a window needs beside a range
local ENDED = "%#BotglueFailure#✗ the host has ended · q close"

---@class botglue.HostWindow: botglue.OwnWindow, botglue.Placed, botglue.ListOrigin
---@field id string
---@field opening table how it is opened: `Opening` in src/ui/opening.rs
---@field against integer? the window that it is compared with in diff mode
---@field opened_against boolean? whether `against` was opened for this
---@field was_diff boolean? whether `against` was in diff mode before
---@field rows botglue.ViewRow[] what it shows
---@field at string? the id of the row of the cursor
---@field said table<string, string> the user's last input, by action
local View = {}
View.__index = View

--- The config of a window beside the range of a job, at most half as high as the screen.
---@param placed botglue.Placed
---@param config vim.api.keyset.win_config the host's
---@param id integer
---@return vim.api.keyset.win_config
local function beside(placed, config, id)
  local height = math.min(config.height, math.floor(vim.o.lines / 2))
  local range = (connection.jobs[id] or {}).range
  return vim.tbl_extend("force", config, windows.beside(placed, range, config.width, height, LEAST))
end

--- Colours a buffer as Markdown. A user's autocommand may fail at that, and so does a Neovim without the parser: an
--- error would show a hit-enter prompt.
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

--- Replaces rows. The cursor stays on its row, and that row at its height in the window, unless that shows row 1.
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
    self.against, self.opened_against = windows.find_or_open(self.opening.against)
    self.was_diff = vim.wo[self.against].diff
    config = { split = "right", win = self.against }
  else
    local is_pane = kind == "pane"
    config =
      vim.tbl_extend("force", config, { style = "minimal", focusable = not is_pane, noautocmd = is_pane })
  end
  api.nvim_open_win(bufnr, false, config)
end

--- Moves the window. Beside a range it is no higher than its text, of which concealed parts take no rows.
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
    if not self.was_diff then
      api.nvim_win_call(self.against, vim.cmd.diffoff)
    end
    if self.opened_against then
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

--- Asks the user for a text, and sends it to the host.
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
    -- Else Insert mode would go on in this window.
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

--- Whether the user enters a window that the host opens; nil if it must not open. One with a new answer is entered
--- only if the user has not moved on since they asked; else it opens if there is room, or only a message is shown.
---@param call table
---@return boolean? enters
local function enters(call)
  local opening = call.open
  if call.token and not connection.questions[call.token] then
    -- The command has stopped waiting, and has told the user that nothing was done.
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

---@param call table `calls` in src/ui/screen.rs: only what has changed
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
  -- A pane cannot be entered: its cursor stays in row 1, so that the pane shows it even if rows are inserted above.
  local row = call.cursor or view.opening.kind == "pane" and 1
  for _, win in ipairs(vim.fn.win_findbuf(view.bufnr)) do
    if call.bar then
      vim.wo[win][0].winbar = call.bar
    end
    if row then
      -- In diff mode the cursors of both windows move together: so the column stays that of the other one.
      local col = view.against and api.nvim_win_get_cursor(view.against)[2] or 0
      api.nvim_win_set_cursor(win, { row, col })
    end
    if view.opening.diff and call.rows then
      api.nvim_win_call(win, vim.cmd.diffupdate)
    end
  end
end

--- Draws what the host says. While Neovim lets no window or text change (E565), as in another plugin's expression map
--- that waits, this call and all calls after it are put off.
---@param call table `calls` in src/ui/screen.rs: only what has changed
function M.draw(call)
  local late, err = connection.late, "E565"
  local ok = #late == 0
  if ok then
    ok, err = pcall(draw, call)
  end
  if ok then
    return
  elseif tostring(err):find("E565", 1, true) then
    -- By the time it is drawn, the command no longer waits.
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

-- The host is gone. Its windows stay open, because keys typed in them are not meant for the text below, and those
-- with a bar say so there. They get other ids, because the next host uses these again.
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
