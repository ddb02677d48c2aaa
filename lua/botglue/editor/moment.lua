--- Decides whether a buffer's text may change now, or whether the user is in the middle of something there. Neovim
--- does not adjust a selection, a pending operator, a completion menu or a typed line number to text that changes.
---
--- Only the current buffer can be unsafe, or any buffer while an autocommand runs. Plain normal mode and plain typing
--- are safe, and so is the time before `VimEnter`, when only scripts run.

local client = require("botglue.host.client")
local connection = require("botglue.host.connection")

local M = {}

local api = vim.api

-- The modes in which text may change unless `state()` says that something is pending. (Not virtual replace: it
-- overwrites rows below without any event.)
local SAFE = { n = true, i = true, R = true, nt = true, t = true }

local PASTE_GAP = 5000 -- milliseconds after which a paste counts as over: a terminal that is gone sends no end

local wait = vim.wait

--- Whether the language client waits for its server, as in `vim.lsp.buf.format()`: the server's edits are meant for
--- the text as it was. In a mapping, a command or an autocommand `state()` reports that; in a scheduled function only
--- the call stack does.
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

--- A command that may end Neovim begins; it may write files and ask questions. Once Neovim waits for a key that is no
--- reply to a question, the command has not ended it.
local function on_quit()
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

--- Watches pastes: all of them go through `vim.paste`. A terminal sends a long paste in pieces, and Neovim joins all
--- of them into one undo step, together with any answer that is written between two.
---@return { at: integer? } state when the last piece came; nil unless more pieces follow
local function watch_paste()
  local state, paste = {}, vim.paste
  vim.paste = function(lines, phase)
    state.at = nil -- in case `paste` raises an error
    local continues = paste(lines, phase)
    state.at = continues and (phase == 1 or phase == 2) and vim.uv.now() or nil
    return continues
  end
  return state
end

--- Watches pastes, and commands that may end Neovim, from now on.
function M.follow()
  connection.paste = connection.paste or watch_paste()
  api.nvim_create_autocmd("QuitPre", {
    group = api.nvim_create_augroup("botglue.quit", { clear = true }),
    desc = "botglue: land nothing in a file that was written already",
    callback = on_quit,
  })
end

--- Whether Neovim may be about to end: a buffer may be written already, and an answer that lands in it now would be
--- in no file. A command that asks a question may also be ending Neovim, without any event.
---@return boolean
local function is_quitting()
  local mode, quitting = api.nvim_get_mode().mode, connection.quitting
  -- In terminal mode no `SafeState` clears `quitting`.
  local is_over = mode == "t" and vim.fn.state("amx") == ""
  return (quitting and not is_over) or mode == "r?" or vim.v.exiting ~= vim.NIL
end

--- Whether the user cannot be in the middle of something in a buffer. While an autocommand runs, the current buffer
--- may be one that is being written while the user is in another one. The handler of a job's event is exempt: it may
--- wait for the user, and must not stop other jobs.
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
    -- A script waits for the host: neither its own mapping, autocommand or operator function nor what it printed may
    -- delay the write. (A real pending operator has a mode of its own.)
    state = state:gsub("[oSxcs]", "")
    -- A key that takes a hunk waits for the write, also within a macro.
    state = connection.deciding_in == bufnr and state:gsub("m", "") or state
  elseif mode == "n" and #api.nvim_list_uis() == 0 then
    -- Without a UI the keys come from a script, and `nvim -l` never waits for a key.
    state = state:gsub("[oS]", "")
  end
  local pasted = connection.paste and connection.paste.at
  local is_pasting = pasted ~= nil and vim.uv.now() - pasted < PASTE_GAP
  return SAFE[mode] == true and state == "" and not is_pasting
end

--- Tells the host as soon as text may change in a buffer.
---@param bufnr integer
function M.tell_when_safe(bufnr)
  local group = api.nvim_create_augroup("botglue.moment." .. bufnr, { clear = true })
  local check = require("botglue.util.debounce")(function()
    if M.is_safe(bufnr) and pcall(api.nvim_del_augroup_by_id, group) then
      client.tell("moment", { buffer = bufnr })
    end
  end)
  api.nvim_create_autocmd({ "SafeState", "ModeChanged", "CompleteDone", "BufEnter" }, {
    group = group,
    desc = "botglue: land an answer that is ready",
    -- The check is debounced, because during the event `state()` still reports the event itself.
    callback = function(args)
      local is_current = api.nvim_get_current_buf() == bufnr
      -- The check in the next tick causes another `SafeState`: in an unsafe mode this would loop until the mode ends.
      if not is_current or SAFE[api.nvim_get_mode().mode] or args.event ~= "SafeState" then
        check()
      end
    end,
  })
end

return M
