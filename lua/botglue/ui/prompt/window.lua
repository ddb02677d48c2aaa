--- The window of the prompt: it stays beside its range, and is as high as its text and what the host says below that.
--- It opens at once, with a border of its own; the host draws another one.

local own = require("botglue.ui.own")
local place = require("botglue.ui.place")
local signs = require("botglue.util.signs")

local M = {}

local api = vim.api
local below = api.nvim_create_namespace("botglue.prompt.below")
local WIDTH = 74 -- cells inside, where the screen has them
local LEAST, MOST = 3, 10 -- rows inside
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

--- Variables of the buffer that plugins look at.
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

---@class botglue.PromptFrame what the host says is drawn
---@field title botglue.Chunks the border above
---@field footer botglue.Chunks the border below
---@field said botglue.Chunks[] the rows below the text
local FRAME = {
  title = { { " botglue ", "BotglueTitle" } },
  footer = { { " <C-s>", "BotglueKey" }, { " send ", "BotglueLabel" } },
  said = {},
}

---@class botglue.PromptWindow: botglue.OwnWindow
---@field range botglue.Range
---@field frame botglue.PromptFrame
---@field spot botglue.ScreenSpot? where the range was seen last
---@field side botglue.Side
---@field width integer cells inside
---@field config table of the window

--- The place, the size and the border.
---@param self botglue.PromptWindow
---@param rows integer that its text takes, with what is said below it
---@return table config
local function config(self, rows)
  self.spot = place.spot(self.range, self.origin) or self.spot
  self.width = math.max(math.min(WIDTH, vim.o.columns - 2), 1)
  local height = math.min(math.max(rows, LEAST), MOST + #self.frame.said)
  local at
  at, self.side = place.beside(self.spot, self.width, height, 1, self.side)
  at.border, at.title, at.footer = signs.border, self.frame.title, self.frame.footer
  return at
end

--- Shows the text from its beginning: Neovim leaves it where it was scrolled to while the window was lower.
local function show_whole()
  local at = vim.fn.winsaveview()
  if at.topline > 1 or at.skipcol > 0 then
    vim.fn.winrestview({ topline = 1, topfill = 0, skipcol = 0 })
  end
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
    api.nvim_win_call(self.win, show_whole)
  end
end

--- Keeps plugins from completing, pairing, linting or suggesting: it holds a sentence, not code. Before the buffer is
--- entered: plugins ask when it is.
---@param bufnr integer
local function quiet(bufnr)
  for name, value in pairs(VARIABLES) do
    vim.b[bufnr][name] = value
  end
  local bo = vim.bo[bufnr]
  bo.textwidth, bo.wrapmargin, bo.complete, bo.omnifunc, bo.completefunc = 0, 0, "", "", ""
  if vim.fn.exists("+autocomplete") == 1 then
    bo.autocomplete = false
  end
end

--- nvim-cmp has no variable, and can be set up only for the current buffer.
---@param bufnr integer
local function quiet_cmp(bufnr)
  local cmp = package.loaded["cmp"]
  if type(cmp) == "table" and type(cmp.setup) == "table" and vim.is_callable(cmp.setup.buffer) then
    api.nvim_buf_call(bufnr, function()
      pcall(cmp.setup.buffer, { enabled = false })
    end)
  end
end

--- Starts insert mode at the end of the row.
---@param self botglue.PromptWindow
function M.start_typing(self)
  vim.cmd.startinsert({ bang = true })
  if api.nvim_get_mode().mode == "t" then
    -- Terminal mode ends later and ignores `:startinsert`; start insert mode afterwards.
    vim.schedule(function()
      if api.nvim_get_current_win() == self.win and api.nvim_get_mode().mode == "n" then
        vim.cmd.startinsert({ bang = true })
      end
    end)
  end
end

--- Opens it, and enters it.
---@param self botglue.PromptWindow
function M.open(self)
  require("botglue.host.errors").no_window_in_cmdwin()
  self.frame = FRAME
  own.make(self, "botglue://prompt")
  quiet(self.bufnr)
  self.config = config(self, 1)
  local opened = vim.tbl_extend("error", self.config, { style = "minimal" })
  own.open(self, WINDOW, true, api.nvim_open_win, self.bufnr, false, opened)
  vim.bo[self.bufnr].filetype = "botglue-prompt"
  quiet_cmp(self.bufnr)
end

return M
