--- Shows a transcript as a conversation in a Markdown buffer. The host reads the stream, as far as it is there, and
--- makes typed rows; this module draws and folds them.

local connection = require("botglue.host.connection")
local errors = require("botglue.host.errors")
local markdown = require("botglue.ui.markdown")
local query = require("botglue.host.query")
local signs = require("botglue.util.signs")

local M = {}

local api = vim.api
local namespace = api.nvim_create_namespace("botglue.transcript")

--- What is folded, and what its fold says.
local FOLDED = { sent = "message as it was sent", thinking = "thinking", output = "output" }

---@class botglue.TranscriptAbout
---@field path string?
---@field agent string
---@field protocol string?
---@field cwd string?
---@field prompt string
---@field error string? why the job failed
---@field job botglue.Job? the one of this Neovim that it is of

---@class botglue.TranscriptView
---@field about botglue.TranscriptAbout
---@field bufnr integer
---@field kinds string[] what each row is
local View = {}
View.__index = View

local FAILURE = { group = "BotglueFailure", sign = signs.failed, sign_group = "BotglueFailure" }

--- How a row looks: its group, and the sign before it with the group of that.
---@type table<string, { group: string?, sign: string?, sign_group: string? }>
local LOOKS = {
  running = { sign = signs.still, sign_group = "BotglueSpinner" },
  ok = { sign = signs.landed, sign_group = "BotglueLanded" },
  error = FAILURE,
  denied = FAILURE,
  failure = FAILURE,
  unfinished = { sign = signs.unknown, sign_group = "BotglueLabel" },
  note = { group = "BotglueLabel" },
}

--- Conceals the ticks of a row that is a code span.
---@param row integer from 0
---@param line string
function View:conceal_ticks(row, line)
  local ticks = #(line:match("^`+ ?") or "")
  for _, from in ipairs(ticks > 0 and { 0, #line - ticks } or {}) do
    api.nvim_buf_set_extmark(self.bufnr, namespace, row, from, { end_col = from + ticks, conceal = "" })
  end
end

--- Draws what is particular to the rows.
---@param lines string[]
function View:decorate(lines)
  api.nvim_buf_clear_namespace(self.bufnr, namespace, 0, -1)
  for row, kind in ipairs(self.kinds) do
    local look = LOOKS[kind]
    if look then
      if look.sign then
        self:conceal_ticks(row - 1, lines[row])
      end
      api.nvim_buf_set_extmark(self.bufnr, namespace, row - 1, 0, {
        end_row = look.group and row or nil,
        hl_group = look.group,
        virt_text = look.sign and { { look.sign .. " ", look.sign_group } } or nil,
        virt_text_pos = "inline",
        strict = false,
      })
    end
  end
end

--- Asks for the rows, and shows them in place of those that are there.
function View:read()
  local about, job, bufnr = self.about, self.about.job, self.bufnr
  local is_over = not job or not job:is_open()
  query.ask("transcript", {
    path = about.path,
    protocol = about.protocol,
    agent = about.agent,
    cwd = about.cwd,
    prompt = about.prompt,
    over = is_over,
    error = job and job.error and job.error.message or about.error,
  }, function(reply, err)
    if not api.nvim_buf_is_valid(bufnr) then
      return
    end
    errors.guard(function()
      reply = reply or errors.fail("%s", err)
      self.kinds = reply.kinds
      vim.bo[bufnr].modifiable = true
      api.nvim_buf_set_lines(bufnr, 0, -1, false, reply.lines)
      vim.bo[bufnr].modifiable = false
      self:decorate(reply.lines)
      -- What it does now is at the end.
      for _, win in ipairs(is_over and {} or vim.fn.win_findbuf(bufnr)) do
        api.nvim_win_set_cursor(win, { #reply.lines, 0 })
      end
    end)
  end)
end

--- The value of 'foldexpr' for a row.
---@return string
function M.fold()
  local view, row = connection.transcripts[api.nvim_get_current_buf()], vim.v.lnum
  local kind = view and view.kinds[row]
  if not FOLDED[kind] then
    return "0"
  end
  return view.kinds[row - 1] == kind and "1" or ">1"
end

--- The text of a closed fold.
---@return string
function M.fold_text()
  local first, last = vim.v.foldstart, vim.v.foldend
  local view = connection.transcripts[api.nvim_get_current_buf()]
  local kind = view and view.kinds[first]
  -- Fences do not count as lines of the text.
  local count = last - first + 1 - (kind == "thinking" and 0 or 2)
  local lines = count == 1 and "1 line" or ("%d lines"):format(count)
  return ("  %s: %s "):format(FOLDED[kind] or "", lines)
end

---@param win integer
local function set_window(win)
  markdown.conceal(win)
  local options = vim.wo[win][0]
  options.foldmethod, options.foldlevel, options.foldminlines, options.foldenable = "expr", 0, 0, true
  options.foldexpr = "v:lua.require'botglue.ui.transcript.view'.fold()"
  options.foldtext = "v:lua.require'botglue.ui.transcript.view'.fold_text()"
  options.fillchars = "fold: "
  options.number, options.relativenumber, options.list, options.spell = false, false, false, false
end

--- Shows a transcript in a split.
---@param about botglue.TranscriptAbout
function M.open(about)
  require("botglue.ui.highlight").define()
  local bufnr = require("botglue.ui.scratch").make()
  local transcripts = connection.transcripts
  local self = setmetatable({ about = about, bufnr = bufnr, kinds = {} }, View)
  transcripts[bufnr] = self
  vim.cmd.split({ mods = { keepalt = true } })
  api.nvim_win_set_buf(0, bufnr)
  -- The same one may be shown already; then this has no name.
  local name = about.job and "job " .. about.job.id or vim.fs.basename(about.path)
  pcall(api.nvim_buf_set_name, bufnr, "botglue://transcript/" .. name)
  vim.bo[bufnr].modifiable = false
  markdown.colour(bufnr, "by lines")
  set_window(api.nvim_get_current_win())
  local group = api.nvim_create_augroup("botglue.transcript." .. bufnr, { clear = true })
  api.nvim_create_autocmd("BufWinEnter", {
    group = group,
    buffer = bufnr,
    desc = "botglue: a transcript in another window",
    callback = function()
      set_window(api.nvim_get_current_win())
    end,
  })
  api.nvim_create_autocmd("BufWipeout", {
    group = group,
    buffer = bufnr,
    desc = "botglue: the transcript is gone",
    callback = function()
      transcripts[bufnr] = nil
      vim.schedule(function()
        pcall(api.nvim_del_augroup_by_id, group)
      end)
    end,
  })
  vim.keymap.set("n", "R", function()
    self:read()
  end, { buffer = bufnr, nowait = true, desc = "botglue: read the transcript again" })
  self:read()
end

return M
