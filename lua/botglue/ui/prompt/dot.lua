--- Sees to it that `.` never types a prompt into the user's text. Neovim can go back by one change. So what was typed
--- in one go is forgotten, and `.` repeats what it repeated before; of more than one change all is forgotten, and `.`
--- repeats the operator that asked for the prompt, or nothing.

local redo = require("botglue.editor.redo")

local M = {}

local api = vim.api
local namespace = api.nvim_create_namespace("botglue.dot")

-- The states by their flags, and what a change by keys is in each. `typed`: there was a change; `many`: there was more
-- than one, or it is unknown. Entering the prompt clears all flags, unless the insertion goes on.
--
--   where the user is                 flags                         a change there
--   Normal mode, nothing inserted     none, or parted               the first one; if parted and typed, another one
--   Insert mode                       opened, inserting             part of the insertion
--   Insert mode, the cursor moved     opened, inserting, parted     the first one; if typed, another one
--   Normal mode after an insertion    opened, parted                unknown: many
--   elsewhere, the insertion goes on  opened, inserting, going_on   part of the insertion, until the cursor moves
--   elsewhere                         over                          not of the prompt
--
-- InsertEnter clears parted, and sets many if there was a change. One that begins the first insertion, as `cc` does, is
-- part of it. When the user is elsewhere in Insert mode, an insertion that has typed and is not parted goes on. Every
-- other state becomes over: `finish` takes back what `.` would repeat, unless another insertion has begun.

---@class botglue.Dot
---@field bufnr integer
---@field again fun()? makes `.` repeat what asked for the prompt
---@field tick integer up to which it is known what changed the text
---@field typed boolean whether keys did
---@field many boolean whether that was more than one change, or nobody knows
---@field parted boolean whether the next change by a key is another one
---@field inserting boolean
---@field opened boolean whether insert mode has begun once
---@field over boolean whether the user is somewhere else
---@field going_on boolean? whether the insertion goes on there
local Dot = {}
Dot.__index = Dot

--- The prompt is entered: `.` is the user's.
function Dot:begin()
  local back = self.going_on or false
  self.typed, self.many, self.parted = back, back and self.many, false
  self.inserting, self.opened, self.over = back, back, false
  self.going_on = false
  api.nvim_create_augroup("botglue.dot", { clear = true })
  self.tick = api.nvim_buf_get_changedtick(self.bufnr)
end

--- Looks whether keys have changed the text since.
---@return boolean
function Dot:look()
  local tick = api.nvim_buf_is_valid(self.bufnr) and api.nvim_buf_get_changedtick(self.bufnr) or self.tick
  local changed = tick ~= self.tick
  self.tick = tick
  if changed then
    -- What changed it in normal mode may have been an undo, which `.` does not repeat.
    self.many = self.many or self.typed and self.parted or self.opened and not self.inserting
    self.typed = true
  end
  return changed
end

--- Changes the text without any key.
---@param fn fun()
function Dot:without(fn)
  self:look()
  fn()
  self.tick = api.nvim_buf_get_changedtick(self.bufnr)
end

--- The user goes somewhere else.
function Dot:leave()
  self:look()
  if not self.going_on then
    vim.on_key(nil, namespace)
  end
  vim.schedule(function()
    self:finish()
  end)
end

local MOVES = { "Left", "Right", "Up", "Down", "Home", "End", "Page", "Mouse", "Scroll" }

--- Whether a key moves the cursor in insert mode, so that what is typed behind it is another change.
---@param key string
local function moves(key)
  local name = key:byte() == 0x80 and vim.fn.keytrans(key) or ""
  return vim.iter(MOVES):any(function(part)
    return name:find(part, 1, true) ~= nil
  end)
end

--- The user is somewhere else. Not to be called within an autocommand.
function Dot:finish()
  if self.over or self.going_on then
    return
  end
  local typing = api.nvim_get_mode().mode:match("^[iR]")
  if typing and self.inserting and self.typed and not self.parted then
    self:go_on()
    return
  end
  self.over = true
  if typing and not self.inserting then
    -- Another insertion has begun by now: that is what `.` repeats.
    return
  end
  if self.many and self.again then
    self.again()
  elseif self.typed then
    redo.back()
    if self.many then
      redo.back()
    end
  end
end

--- What is typed somewhere else belongs to the insertion in the prompt, until that is over: both are forgotten then.
--- Where only its beginning was, the rest of it would be repeated as commands.
function Dot:go_on()
  self.going_on = true
  local bufnr, tick
  vim.on_key(function(key)
    if not tick and moves(key) and vim.fn.pumvisible() == 0 then
      bufnr = api.nvim_get_current_buf()
      tick = api.nvim_buf_get_changedtick(bufnr)
    end
  end, namespace)
  api.nvim_create_autocmd("InsertLeave", {
    group = api.nvim_create_augroup("botglue.dot", { clear = true }),
    once = true,
    desc = "botglue: the insertion that began in the prompt is over",
    callback = function(event)
      vim.on_key(nil, namespace)
      self.going_on, self.inserting = false, false
      if tick and (event.buf ~= bufnr or api.nvim_buf_get_changedtick(bufnr) ~= tick) then
        -- What was typed behind the move is another insertion, which `.` repeats already.
        self.over = true
        return
      end
      vim.schedule(function()
        self:finish()
      end)
    end,
  })
end

---@param bufnr integer of the prompt, which is current
---@param group integer of autocommands
---@param again fun()? makes `.` repeat what asked for the prompt, where that was an operator
---@return botglue.Dot
function M.attach(bufnr, group, again)
  local self = setmetatable({ bufnr = bufnr, again = again }, Dot)
  local function on(event, fn)
    api.nvim_create_autocmd(event, {
      group = group,
      buffer = bufnr,
      desc = "botglue: what . repeats",
      callback = fn,
    })
  end
  local function watch()
    vim.on_key(function(key)
      if moves(key) and vim.fn.pumvisible() == 0 then
        self:look()
        self.parted = true
      end
    end, namespace)
  end
  on("InsertEnter", function()
    local typed = self.typed
    local changed = self:look()
    self.many = self.many or typed or changed and self.opened
    self.opened, self.inserting, self.parted = true, true, false
  end)
  on("InsertLeave", function()
    self:look()
    self.inserting, self.parted = false, true
  end)
  on("BufEnter", function()
    self:begin()
    watch()
  end)
  on("BufLeave", function()
    self:leave()
  end)
  self:begin()
  watch()
  return self
end

return M
