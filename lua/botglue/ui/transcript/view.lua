--- A transcript as a conversation, in a Markdown buffer. The host reads the stream and says which rows there are and
--- what each is; here they are drawn and folded. A running job is followed: while its window is shown the host is asked
--- for what is new, and sends only that.

local connection = require("botglue.host.connection")
local errors = require("botglue.host.errors")
local markdown = require("botglue.ui.markdown")
local query = require("botglue.host.query")
local signs = require("botglue.util.signs")

local M = {}

local api = vim.api
local namespace = api.nvim_create_namespace("botglue.transcript")

local EVERY = 500 -- milliseconds between two questions for what is new

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
---@field known { rows: integer, mark: string }? what the host can leave out
---@field bytes integer? how long the file was
---@field is_last boolean? whether the job had ended when the host was asked last
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

--- Draws what is particular to the rows from one on.
---@param from integer from 0
---@param lines string[]
function View:decorate(from, lines)
  api.nvim_buf_clear_namespace(self.bufnr, namespace, from, -1)
  for row = from, #self.kinds - 1 do
    local look = LOOKS[self.kinds[row + 1]]
    if look then
      if look.sign then
        self:conceal_ticks(row, lines[row - from + 1])
      end
      api.nvim_buf_set_extmark(self.bufnr, namespace, row, 0, {
        end_row = look.group and row + 1 or nil,
        hl_group = look.group,
        virt_text = look.sign and { { look.sign .. " ", look.sign_group } } or nil,
        virt_text_pos = "inline",
        strict = false,
      })
    end
  end
end

--- The windows that show it and whose cursor is on the last row: they follow.
---@return integer[]
function View:following()
  local last = api.nvim_buf_line_count(self.bufnr)
  return vim.tbl_filter(function(win)
    return api.nvim_win_get_cursor(win)[1] == last
  end, vim.fn.win_findbuf(self.bufnr))
end

--- Takes the rows that are new.
---@param reply table
function View:take(reply)
  local bufnr = self.bufnr
  local is_running = self.about.job and self.about.job:is_open()
  local is_first = #self.kinds == 0
  local following = (not is_first or is_running) and self:following() or {}
  for row = #self.kinds, reply.from + 1, -1 do
    self.kinds[row] = nil
  end
  vim.list_extend(self.kinds, reply.kinds)
  self.known = { rows = reply.settled, mark = reply.mark }
  vim.bo[bufnr].modifiable = true
  api.nvim_buf_set_lines(bufnr, reply.from, -1, false, reply.lines)
  vim.bo[bufnr].modifiable = false
  self:decorate(reply.from, reply.lines)
  for _, win in ipairs(following) do
    api.nvim_win_set_cursor(win, { api.nvim_buf_line_count(bufnr), 0 })
  end
end

--- Asks for what is new, and goes on as long as there may be more.
function View:ask()
  local about, job = self.about, self.about.job
  local is_over = not job or not job:is_open()
  if is_over and not self.is_last then
    -- How it ended is to be told, also where the file has not grown.
    self.bytes = nil
  end
  self.is_last = is_over
  local started = vim.uv.hrtime()
  query.ask("transcript", {
    path = about.path,
    protocol = about.protocol,
    agent = about.agent,
    cwd = about.cwd,
    prompt = about.prompt,
    over = is_over,
    error = job and job.error and job.error.message or about.error,
    known = self.known,
    bytes = self.bytes,
  }, function(reply, err)
    if not api.nvim_buf_is_valid(self.bufnr) then
      return
    end
    errors.guard(function()
      reply = reply or errors.fail("%s", err)
      self.bytes = reply.bytes
      if reply.lines then
        self:take(reply)
      end
    end)
    if reply and not is_over then
      -- A long one takes the host longer: it is asked for less often.
      local took = (vim.uv.hrtime() - started) / 1e6
      vim.defer_fn(function()
        if api.nvim_buf_is_valid(self.bufnr) then
          self:ask()
        end
      end, math.max(EVERY, math.floor(took * 10)))
    end
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

--- What a closed fold says.
---@return string
function M.fold_text()
  local first, last = vim.v.foldstart, vim.v.foldend
  local view = connection.transcripts[api.nvim_get_current_buf()]
  local kind = view and view.kinds[first]
  -- Fences are no lines of the text.
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
  self:ask()
end

return M
