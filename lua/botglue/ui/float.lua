--- A floating window: its place, its size, its keys and its end. `frame` makes its border, `rows` draws its rows, and
--- its opener decides what they say.
---
--- The window and its buffer are always closed together. `q` closes it. The footer shows the keys of the current mode;
--- in a window too narrow for all keys it shows some, and `g?`, or `<C-l>` in insert mode, shows the next.

local errors = require("botglue.host.errors")
local frame = require("botglue.ui.frame")
local highlight = require("botglue.ui.highlight")
local rows_of = require("botglue.ui.rows").of
local signs = require("botglue.util.signs")
local view = require("botglue.ui.view")

local M = {}

local api = vim.api
local HIGHLIGHTS = "NormalFloat:BotglueFloat,FloatBorder:BotglueBorder,CursorLine:BotglueSelected"

---@class botglue.Key
---@field [1] string the key, as in a map
---@field [2] string? its word in the footer; without one it is not shown there
---@field [3] fun(float: botglue.Float)|nil an error in it is shown as one line; none: the footer only shows the key
---@field mode string|string[]|nil normal mode by default

---@class botglue.FloatSpec
---@field name string of the buffer, behind `botglue://`; a window of that name that is open is closed
---@field width integer cells that it would like to have inside
---@field height integer
---@field title { left: string, right: string? }
---@field note string? at the left of the footer; the keys are at its right then
---@field keys botglue.Key[] as the footer shows them
---@field close boolean? whether `q` closes it; true by default
---@field place (fun(width: integer, height: integer): table)? fields for |nvim_open_win()|; none: in the middle
---@field modifiable boolean?
---@field stay boolean? the cursor stays where it is
---@field prepare (fun(bufnr: integer))? called before the buffer is entered
---@field on_close fun()? called once, when it is gone
---@field on_resize fun()? called when it has another size

---@class botglue.Float
---@field spec botglue.FloatSpec
---@field bufnr integer
---@field win integer
---@field before integer the window that was current, which may be a floating one too
---@field origin integer the window with text from which it was opened
---@field width integer cells inside
---@field height integer
---@field keys botglue.Key[] those that work in it now
---@field page integer which of the footer's keys are shown
---@field mode "n"|"i"|"s" the mode for which the footer's keys are
---@field rows botglue.Rows what is drawn in it
---@field is_current boolean? whether the user went into it last
---@field was_current boolean? whether the user was in it when it was closed
local Float = {}
Float.__index = Float

--- The place and the size of the window.
---@return table config
function Float:config()
  local spec = self.spec
  local rows = vim.o.lines - vim.o.cmdheight - 2
  self.width = math.max(math.min(spec.width, vim.o.columns - 2), 1)
  self.height = math.max(math.min(spec.height, rows), 1)
  local config = {
    relative = "editor",
    row = math.max(math.floor((rows - self.height) / 2), 0),
    col = math.max(math.floor((vim.o.columns - 2 - self.width) / 2), 0),
  }
  if spec.place then
    config = spec.place(self.width, self.height)
  end
  return vim.tbl_extend("force", config, {
    width = self.width,
    height = self.height,
    border = signs.border,
    title = frame.title(spec.title, self.width),
    footer = frame.footer(
      { keys = self.keys, page = self.page, mode = self.mode, note = spec.note },
      self.width
    ),
  })
end

function Float:is_open()
  return not self.closed and api.nvim_win_is_valid(self.win)
end

--- Draws border, title and footer again, at the size that is wanted now.
function Float:refresh()
  if self:is_open() then
    api.nvim_win_set_config(self.win, self:config())
  end
end

--- Changes the title, where it is another one.
---@param left string
---@param right string?
function Float:title(left, right)
  local title = self.spec.title
  if title.left ~= left or title.right ~= right then
    self.spec.title = { left = left, right = right }
    self:refresh()
  end
end

--- Changes the note of the footer, where it is another one.
---@param note string?
function Float:note(note)
  if self.spec.note ~= note then
    self.spec.note = note
    self:refresh()
  end
end

--- Changes the preferred size.
---@param width integer
---@param height integer
function Float:resize(width, height)
  if self.spec.width ~= width or self.spec.height ~= height then
    self.spec.width, self.spec.height = width, height
    self:refresh()
  end
end

--- Puts rows of highlighted texts into the buffer; writes only those that have changed.
---@param rows botglue.Chunks[]
---@return boolean changed
function Float:draw(rows)
  return self.rows:draw(rows)
end

--- Closes the window, and goes back to where it was opened from.
function Float:close()
  if self.closed then
    return
  end
  self.closed = true
  pcall(api.nvim_del_augroup_by_id, self.group)
  local was_here = api.nvim_get_current_win() == self.win
  self.was_current = self.was_current or was_here
  if api.nvim_win_is_valid(self.win) then
    pcall(api.nvim_win_close, self.win, true)
  end
  if api.nvim_buf_is_valid(self.bufnr) then
    pcall(api.nvim_buf_delete, self.bufnr, { force = true })
  end
  if was_here and api.nvim_win_is_valid(self.before) then
    api.nvim_set_current_win(self.before)
  end
  if was_here then
    view.wipe_ruler()
  end
  if self.spec.on_close then
    self.spec.on_close()
  end
end

function Float:map()
  for _, key in ipairs(self.keys) do
    if key[3] then
      vim.keymap.set(key.mode or "n", key[1], function()
        errors.guard(key[3], self)
      end, { buffer = self.bufnr, nowait = true, desc = "botglue: " .. (key[2] or "") })
    end
  end
  local function turn()
    self.page = self.page + 1
    self:refresh()
  end
  local more = { buffer = self.bufnr, desc = "botglue: more keys" }
  vim.keymap.set("n", frame.MORE, turn, more)
  if self.spec.modifiable then
    vim.keymap.set({ "i", "s" }, frame.MORE_TYPING, turn, more)
  end
end

--- In which of the modes that keys are mapped in the user is.
---@return "n"|"i"|"s"
local function mode()
  local now = api.nvim_get_mode().mode
  return now:match("^[iR]") and "i" or now:match("^[sS\19]") and "s" or "n"
end

--- Shows the keys of the mode in which the user is, where they are in the window.
function Float:show_mode()
  local now = mode()
  if now ~= self.mode and self:is_open() and api.nvim_get_current_win() == self.win then
    self.mode, self.page = now, 0
    self:refresh()
  end
end

function Float:watch()
  self.group = api.nvim_create_augroup("botglue.float." .. self.bufnr, { clear = true })
  local function on(event, options)
    options.group, options.desc = self.group, "botglue: " .. self.spec.name
    api.nvim_create_autocmd(event, options)
  end
  local function close()
    self:close()
  end
  on("WinClosed", {
    pattern = tostring(self.win),
    callback = function()
      self.was_current = api.nvim_get_current_win() == self.win
      vim.schedule(close)
    end,
  })
  on("BufWipeout", { buffer = self.bufnr, callback = vim.schedule_wrap(close) })
  self.is_current = api.nvim_get_current_win() == self.win
  on("WinEnter", {
    callback = function()
      self.is_current = api.nvim_get_current_win() == self.win
    end,
  })
  if self.spec.modifiable then
    on({ "ModeChanged", "WinEnter" }, {
      callback = function()
        self:show_mode()
      end,
    })
  end
  on({ "VimResized", "ColorScheme" }, {
    callback = function(event)
      -- `:tabdo wincmd =`, which many people have here, takes the user out of a window that keeps its buffer.
      if event.event == "VimResized" and self.is_current and self:is_open() then
        api.nvim_set_current_win(self.win)
      end
      self:refresh()
      if self.spec.on_resize and self:is_open() then
        self.spec.on_resize()
      end
    end,
  })
end

--- The window of that name is closed, if there is one.
---@param name string
local function close(name)
  local bufnr = vim.fn.bufnr(("^botglue://%s$"):format(name))
  if bufnr > 0 then
    api.nvim_buf_delete(bufnr, { force = true })
  end
end

--- Shows a buffer in a window.
---@param bufnr integer
---@param config table
---@param enter boolean
---@return integer win
local function show(bufnr, config, enter)
  local err = view.despite_autocommands(api.nvim_open_win, bufnr, false, config)
  local win = vim.fn.win_findbuf(bufnr)[1] or error(err, 0)
  if enter then
    err = view.enter(win) or err
  end
  if err then
    require("botglue.host.notify").error(err)
  end
  return win
end

--- Opens a window and goes there, if it should not stay.
---@param spec botglue.FloatSpec
---@return botglue.Float
function M.open(spec)
  errors.no_window_in_cmdwin()
  highlight.define()
  close(spec.name)
  local self = setmetatable(
    { spec = spec, page = 0, before = api.nvim_get_current_win(), origin = view.origin() },
    Float
  )
  -- A window to type in starts with the keys of Insert mode.
  self.mode = spec.modifiable and "i" or "n"
  self.keys = vim.list_extend({}, spec.keys)
  if spec.close ~= false then
    table.insert(self.keys, { "q", "close", self.close })
  end
  local bufnr = require("botglue.ui.scratch").make()
  self.bufnr, self.rows = bufnr, rows_of(bufnr)
  api.nvim_buf_set_name(bufnr, "botglue://" .. spec.name)
  vim.bo[bufnr].modifiable = spec.modifiable == true
  if spec.prepare then
    spec.prepare(bufnr)
  end
  local config = vim.tbl_extend("force", self:config(), { style = "minimal" })
  self.win = show(bufnr, config, not spec.stay)
  local window = vim.wo[self.win][0]
  window.wrap, window.winfixbuf, window.cursorline = false, true, false
  window.foldenable, window.list, window.spell = false, false, false
  -- The style has set something already.
  window.winhighlight = table.concat({ vim.wo[self.win].winhighlight, HIGHLIGHTS }, ","):gsub("^,", "")
  if not spec.stay and not vim.bo[bufnr].modifiable and api.nvim_get_mode().mode ~= "n" then
    -- Insert mode would go on in it.
    vim.cmd.stopinsert()
  end
  self:map()
  self:watch()
  return self
end

return M
