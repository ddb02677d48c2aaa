--- The plugin's own windows: opens, watches and closes one. A window and its buffer are always closed together.

local highlight = require("botglue.ui.highlight")
local windows = require("botglue.ui.geometry")

local M = {}

local api = vim.api
local LOOKS =
  "NormalFloat:BotglueFloat,FloatBorder:BotglueBorder,CursorLine:BotglueSelected,FoldColumn:BotglueFloat"

---@class botglue.OwnWindow
---@field bufnr integer
---@field win integer? nil if it could not be opened
---@field before integer the window from which it was opened, to return to
---@field origin integer the same, or another one if that floats
---@field group integer of autocommands
---@field is_current boolean? whether the user went into it last
---@field was_current boolean? whether the user was in it when it was closed
---@field close fun(self: botglue.OwnWindow)

--- Makes its buffer, which is wiped with its window.
---@param own botglue.OwnWindow
---@param name string
function M.make(own, name)
  own.before, own.origin = api.nvim_get_current_win(), windows.plain()
  -- Raises the error if no window may open now, before there is a buffer that could not be deleted.
  api.nvim_set_current_win(own.before)
  highlight.define()
  own.bufnr = api.nvim_create_buf(false, true)
  vim.bo[own.bufnr].bufhidden = "wipe"
  -- `:set nomodifiable` and `nvim -M` apply to new buffers, too.
  vim.bo[own.bufnr].modifiable = true
  -- Another buffer may have the name already; then this one has none.
  pcall(vim.cmd, ("noautocmd call nvim_buf_set_name(%d, %s)"):format(own.bufnr, vim.fn.string(name)))
end

--- Sets options of a window, for the buffer that it shows.
---@param win integer
---@param options table<string, any>
function M.set_options(win, options)
  for name, value in pairs(options) do
    vim.wo[win][0][name] = value
  end
end

--- Opens a window for its buffer. A floating one gets the plugin's highlight groups, except where `options` sets
--- them. An error in one of the user's autocommands is shown and stops nothing.
---@param own botglue.OwnWindow
---@param options table<string, any> of the window
---@param enters boolean whether the user goes there
---@param show fun(...): any
---@param ... any
function M.open(own, options, enters, show, ...)
  local ok, err = pcall(show, ...)
  own.win = vim.fn.win_findbuf(own.bufnr)[1] or error(err, 0)
  if enters then
    local is_entered, raised = pcall(api.nvim_set_current_win, own.win)
    ok, err = ok and is_entered, is_entered and err or raised
    if api.nvim_get_current_win() ~= own.win then
      -- An autocommand that fails when the user's buffer is left would keep them there.
      vim.cmd(("noautocmd call nvim_set_current_win(%d)"):format(own.win))
    end
  end
  if not ok then
    require("botglue.host.notify").error(tostring(err))
  end
  M.set_options(own.win, options)
  if api.nvim_win_get_config(own.win).relative ~= "" then
    vim.wo[own.win][0].winhighlight = LOOKS .. "," .. vim.wo[own.win].winhighlight
  end
end

--- Closes it, and goes back to the window from which it was opened.
---@param own botglue.OwnWindow
function M.close(own)
  local was_here = api.nvim_get_current_win() == own.win
  own.was_current = own.was_current or was_here
  -- The user may have put another buffer into it.
  if own.win and api.nvim_win_is_valid(own.win) and api.nvim_win_get_buf(own.win) == own.bufnr then
    pcall(api.nvim_win_close, own.win, true)
  end
  pcall(api.nvim_buf_delete, own.bufnr, { force = true })
  pcall(api.nvim_del_augroup_by_id, own.group)
  if was_here then
    pcall(api.nvim_set_current_win, own.before)
    if #api.nvim_list_uis() > 0 and vim.o.ruler and vim.o.laststatus >= 2 and vim.o.cmdheight > 0 then
      -- A floating window's ruler is drawn where messages are, and Neovim leaves it there.
      api.nvim_echo({ { "" } }, false, {})
    end
  end
end

--- Closes it when its window or its buffer is gone.
---@param own botglue.OwnWindow
---@param about string
---@param on_resize fun()
---@return fun(events: string|string[], callback: fun(), options: table?) on watches other events until it is closed
function M.watch(own, about, on_resize)
  own.group = api.nvim_create_augroup("botglue.window." .. own.bufnr, { clear = true })
  local function on(events, callback, options)
    local all = { group = own.group, desc = "botglue: " .. about, callback = callback }
    api.nvim_create_autocmd(events, vim.tbl_extend("error", all, options or {}))
  end
  local function is_here()
    return api.nvim_get_current_win() == own.win
  end
  local close = vim.schedule_wrap(function()
    own:close()
  end)
  on("WinClosed", function()
    own.was_current = is_here()
    close()
  end, { pattern = tostring(own.win) })
  on("BufWipeout", close, { buffer = own.bufnr })
  own.is_current = is_here()
  on("WinEnter", function()
    own.is_current = is_here()
  end)
  on("VimResized", function()
    -- `:tabdo wincmd =`, a common autocommand for this event, takes the user out of a window with 'winfixbuf'.
    if own.is_current and api.nvim_win_is_valid(own.win) then
      api.nvim_set_current_win(own.win)
    end
    on_resize()
  end)
  return on
end

return M
