--- Sees to it that `.` never types a prompt into the user's text. Neovim can go back by one change. So what was typed
--- in one go is forgotten, and `.` repeats what it repeated before; of more than one change all is forgotten, and `.`
--- repeats the operator that asked for the prompt, or nothing.

local redo = require("botglue.redo")

local M = {}

local api = vim.api
local namespace = api.nvim_create_namespace("botglue.dot")

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
local Dot = {}
Dot.__index = Dot

--- The prompt is entered: `.` is the user's.
function Dot:begin()
  self.typed, self.many, self.parted = false, false, false
  self.inserting, self.opened, self.over = false, false, false
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
  vim.on_key(nil, namespace)
  vim.schedule(function()
    self:finish()
  end)
end

--- The user is somewhere else. Not to be called within an autocommand.
function Dot:finish()
  if self.over then
    return
  end
  self.over = true
  if self.many and self.again then
    self.again()
  elseif self.typed then
    redo.back()
    if self.many then
      redo.back()
    end
  end
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
