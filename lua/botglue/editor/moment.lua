--- Is the user in the middle of something in a buffer? Text that changes under a selection, a pending operator, a
--- completion menu or a typed line number is changed where nobody meant it, and Neovim does not adjust them.
---
--- Only the current buffer can be in the middle of something, or any while an autocommand is under way. Plain normal
--- and plain typing are safe, and so is the time before `VimEnter`, when only scripts run.

local client = require("botglue.host.client")
local connection = require("botglue.host.connection")

local M = {}

local api = vim.api

-- Normal, insert, replace and terminal mode with nothing pending; `state()` tells what is pending within them. (Not
-- virtual replace: that writes over rows below of which it tells nobody.)
local SAFE = { n = true, i = true, R = true, nt = true, t = true }

local PAUSE = 5000 -- milliseconds to the next piece of a paste at most: a terminal that is gone ends nothing

local wait = vim.wait

--- Whether the language client waits for its server, as in `vim.lsp.buf.format()`: what comes back is meant for the
--- text as it was. In a mapping, a command or an autocommand `state()` tells; of a function that was scheduled only
--- those do that are under way.
---@return boolean
local function is_client_waiting()
  local level, waits = 2, false
  local frame = debug.getinfo(level, "fS")
  while frame do
    waits = waits or frame.func == wait
    if waits and frame.source:find("/vim/lsp[./]") then
      return true
    end
    level = level + 1
    frame = debug.getinfo(level, "fS")
  end
  return false
end

--- A command that may end Neovim begins: files are written, questions are asked. It has not once Neovim waits for a
--- key again that is no reply.
local function note_quit()
  connection.quitting = true
  api.nvim_create_autocmd("SafeState", {
    group = api.nvim_create_augroup("botglue.quit.asked", { clear = true }),
    desc = "botglue: answers may land again",
    callback = function()
      local is_asking = api.nvim_get_mode().mode:find("^r") ~= nil
      connection.quitting = is_asking or nil
      return not is_asking
    end,
  })
end

--- Watches for pastes: `vim.paste` is where all of them come through. A long one comes piece by piece from a terminal:
--- Neovim joins each to the undo step of the one before it, and what is written between two as well.
---@return { at: integer? } state when the last piece came, while there are more to come
local function watch_paste()
  local state, paste = {}, vim.paste
  vim.paste = function(lines, phase)
    state.at = nil -- should it fail
    local goes_on = paste(lines, phase)
    state.at = goes_on and (phase == 1 or phase == 2) and vim.uv.now() or nil
    return goes_on
  end
  return state
end

--- Follows pastes, and the commands that may end Neovim, from now on.
function M.follow()
  connection.paste = connection.paste or watch_paste()
  api.nvim_create_autocmd("QuitPre", {
    group = api.nvim_create_augroup("botglue.quit", { clear = true }),
    desc = "botglue: land nothing in a file that was written already",
    callback = note_quit,
  })
end

--- Whether Neovim may be about to end: a file may be written already, and what lands in it now is in no file. A command
--- that asks may be one that ends it, and tell of that in no event.
---@return boolean
local function is_quitting()
  local mode, quitting = api.nvim_get_mode().mode, connection.quitting
  -- Terminal mode knows no safe state.
  local is_over = mode == "t" and vim.fn.state("amx") == ""
  return (quitting and not is_over) or mode == "r?" or vim.v.exiting ~= vim.NIL
end

--- Whether the user cannot be in the middle of something in a buffer. While an autocommand is under way the current
--- buffer may be one that is being written, and the user in another; but not in the handler of a job's event: that may
--- ask the user something, and stops no other job.
---@param bufnr integer
---@return boolean
local function is_elsewhere(bufnr)
  local is_in_autocommand = vim.fn.state("x") ~= "" and connection.telling.depth == 0
  return vim.v.vim_did_enter == 0 or api.nvim_get_current_buf() ~= bufnr and not is_in_autocommand
end

--- Whether text may change in a buffer now.
---@param bufnr integer
---@return boolean
function M.is_safe(bufnr)
  if is_client_waiting() or is_quitting() then
    return false
  elseif is_elsewhere(bufnr) then
    return true
  end
  local mode, state = api.nvim_get_mode().mode, vim.fn.state()
  if (mode == "n" or mode == "nt") and connection.waiting > 0 then
    -- A script waits for us: its own mapping, autocommand or operator function is no reason to make it wait, nor is
    -- what it printed. (A real pending operator has a mode of its own.)
    state = state:gsub("[oSxcs]", "")
    -- A key that takes a hunk waits for that, also within a macro.
    state = connection.deciding_in == bufnr and state:gsub("m", "") or state
  elseif mode == "n" and #api.nvim_list_uis() == 0 then
    -- Without a screen a script has the keys, and `nvim -l` never waits for one.
    state = state:gsub("[oS]", "")
  end
  local pasted = connection.paste and connection.paste.at
  local is_pasting = pasted ~= nil and vim.uv.now() - pasted < PAUSE
  return SAFE[mode] == true and state == "" and not is_pasting
end

--- Tells the host as soon as text may change in a buffer.
---@param bufnr integer
function M.tell_when_safe(bufnr)
  local group = api.nvim_create_augroup("botglue.moment." .. bufnr, { clear = true })
  local look = require("botglue.util.debounce")(function()
    if M.is_safe(bufnr) and pcall(api.nvim_del_augroup_by_id, group) then
      client.tell("moment", { buffer = bufnr })
    end
  end)
  api.nvim_create_autocmd({ "SafeState", "ModeChanged", "CompleteDone", "BufEnter" }, {
    group = group,
    desc = "botglue: land an answer that is ready",
    -- Within the event itself `state()` still tells of the event.
    callback = function(args)
      local is_current = api.nvim_get_current_buf() == bufnr
      -- What is done in the next tick ends in a `SafeState`: in a mode that has to be left first that would never end.
      if not is_current or SAFE[api.nvim_get_mode().mode] or args.event ~= "SafeState" then
        look()
      end
    end,
  })
end

return M
