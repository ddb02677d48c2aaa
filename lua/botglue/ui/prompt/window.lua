--- The window of the prompt: stays beside its range, and is as high as its text and the host's rows below the text.
--- It opens at once with a default border, which the host's frame replaces. Its menu is Neovim's completion.

local own = require("botglue.ui.window")
local windows = require("botglue.ui.geometry")

local M = {}

local api = vim.api
local below = api.nvim_create_namespace("botglue.prompt.below")
local WIDTH = 74 -- cells inside, if the screen has them
local LEAST, MOST = 3, 10 -- rows inside
local MENU_ROWS = 8
local WINDOW = {
  cursorline = false,
  foldcolumn = "1",
  foldenable = false,
  linebreak = true,
  list = false,
  scrolloff = 0,
  spell = false,
  winfixbuf = true,
  wrap = true,
}

--- Options of the buffer, for prose and not for code.
local BUFFER =
  { textwidth = 0, wrapmargin = 0, complete = "", omnifunc = "", completefunc = "", autocomplete = false }

--- Variables of the buffer that keep other plugins from completing, linting and suggesting in it.
local VARIABLES = {
  completion = false, -- blink.cmp
  minicompletion_disable = true,
  copilot_enabled = false,
  copilot_suggestion_hidden = true,
  copilot_suggestion_auto_trigger = false,
  codeium_enabled = false,
  coc_enabled = 0,
  coc_suggest_disable = 1,
  asyncomplete_enable = 0,
  deoplete_disable_auto_complete = 1,
  ale_enabled = 0,
}

---@class botglue.PromptFrame what the host draws around the text
---@field title botglue.Chunks the border above
---@field footer botglue.Chunks the border below
---@field said botglue.Chunks[] the rows below the text
---@field chosen table? what the user has chosen by keys; reported to the next host
M.FRAME = {
  title = { { " botglue ", "BotglueTitle" } },
  footer = { { " <C-s>", "BotglueKey" }, { " send ", "BotglueLabel" } },
  said = {},
}

---@class botglue.PromptWindow: botglue.OwnWindow, botglue.Placed
---@field range botglue.Range
---@field frame botglue.PromptFrame
---@field width integer cells inside
---@field config table of the window

--- The place, the size and the border of the window.
---@param self botglue.PromptWindow
---@param rows integer the rows of its text and of what is below that
---@return table config
local function config(self, rows)
  self.width = math.max(math.min(WIDTH, vim.o.columns - 2), 1)
  local height = math.min(math.max(rows, LEAST), MOST + #self.frame.said)
  local at = windows.beside(self, self.range, self.width, height, 1)
  at.border, at.title, at.footer = "rounded", self.frame.title, self.frame.footer
  return at
end

--- Puts the window where the range is now, as high as its text.
---@param self botglue.PromptWindow
function M.follow(self)
  local last = api.nvim_buf_line_count(self.bufnr) - 1
  api.nvim_buf_set_extmark(self.bufnr, below, last, 0, { id = 1, virt_lines = self.frame.said })
  local rows = api.nvim_win_text_height(self.win, {}).all
  local wanted = config(self, rows)
  if not vim.deep_equal(wanted, self.config) then
    self.config = wanted
    api.nvim_win_set_config(self.win, wanted)
  end
  if rows <= wanted.height then
    -- Neovim keeps the text scrolled as it was while the window had fewer rows.
    api.nvim_win_call(self.win, function()
      vim.fn.winrestview({ topline = 1, topfill = 0, skipcol = 0 })
    end)
  end
end

--- Shows below the text why there is no host.
---@param self botglue.PromptWindow
---@param why string
function M.say(self, why)
  local text = require("botglue.util.text")
  local said = vim.tbl_map(function(row)
    return { { row, "BotglueFailure" } }
  end, text.wrap("✗ " .. text.clean(why), self.width - 2))
  self.frame = vim.tbl_extend("force", self.frame, { said = said })
  M.follow(self)
end

--- Starts insert mode at the end of the row.
function M.start_typing()
  if api.nvim_get_mode().mode == "t" then
    -- Terminal mode ends later, and ignores `:startinsert`.
    api.nvim_feedkeys("A", "ni", false)
  else
    vim.cmd.startinsert({ bang = true })
  end
end

--- Opens it, and enters it.
---@param self botglue.PromptWindow
function M.open(self)
  require("botglue.host.errors").no_window_in_cmdwin()
  own.make(self, "botglue://prompt")
  -- Set now, because plugins read them when the buffer is entered.
  for name, value in pairs(VARIABLES) do
    vim.b[self.bufnr][name] = value
  end
  for name, value in pairs(BUFFER) do
    -- Not every Neovim has 'autocomplete'.
    pcall(api.nvim_set_option_value, name, value, { buf = self.bufnr })
  end
  self.config = config(self, 1)
  local opened = vim.tbl_extend("error", self.config, { style = "minimal" })
  own.open(self, WINDOW, true, api.nvim_open_win, self.bufnr, false, opened)
  vim.cmd("noautocmd setlocal filetype=botglue-prompt")
  -- nvim-cmp has no variable, and can be set up only for the current buffer.
  pcall(function()
    package.loaded["cmp"].setup.buffer({ enabled = false })
  end)
end

---@return boolean
function M.has_menu()
  return vim.fn.pumvisible() == 1
end

--- Shows the host's completions for the current text: any words, not only those that begin with the typed text.
---@param at integer the byte, from 0, at which the completed word begins
---@param items table[] for |complete()|
function M.menu(at, items)
  if api.nvim_get_mode().mode:match("^i") and (items[1] or M.has_menu()) then
    vim.fn.complete(items[1] and at + 1 or api.nvim_win_get_cursor(0)[2] + 1, items)
  end
end

--- Sets the options of the menu. Some are global: outside of the prompt they have the user's values again.
---@param on fun(event: string, callback: fun(), options: table) for events of the prompt
---@param bufnr integer
function M.watch_menu(on, bufnr)
  local rows = vim.go.pumheight == 0 and MENU_ROWS or math.min(vim.go.pumheight, MENU_ROWS)
  local others, is_inside = { shortmess = vim.go.shortmess .. "c", pumheight = rows }, false
  local function swap(enters)
    if enters ~= is_inside then
      is_inside = enters
      for name, value in pairs(others) do
        others[name], vim.go[name] = vim.go[name], value
      end
    end
  end
  for event, enters in pairs({ BufEnter = true, BufLeave = false }) do
    on(event, function()
      swap(enters)
    end, { buffer = bufnr })
  end
  swap(true)
  vim.bo[bufnr].completeopt = "menuone,noinsert"
end

return M
