--- `:Botglue history`: finished jobs of the store, newest first, of all Neovims. Reads a page at a time, the next one
--- when the cursor comes near the end, and the newest ones again when a job of this Neovim ends or is decided of; what
--- a key does with a job is `recall`'s.

local client = require("botglue.client")
local entry_row = require("botglue.ui.entry")
local fail = require("botglue.errors").fail
local recall = require("botglue.ui.recall")
local signs_of = require("botglue.ui.signs").of
local text = require("botglue.text")

local M = {}

local api = vim.api
local PAGE = 100 -- jobs that are asked for at a time
local AHEAD = 40 -- rows before the end at which the next ones are asked for

---@class botglue.History
---@field float botglue.Float
---@field options botglue.Options
---@field scopes table<string, table> what to ask for by file, by project, and for all
---@field scope "file"|"project"|"all"
---@field text string? the words that are looked for
---@field entries botglue.Entry[]
---@field rows botglue.Chunks[]
---@field layout botglue.Layout of the columns
---@field more boolean whether the store has older ones
---@field asked integer counts the questions: the answer to an old one is of no use
---@field loading boolean
---@field renewing boolean? whether the newest jobs are asked for again
---@field due boolean? whether they have to be once more
---@field group integer of autocommands
---@field trouble string? why nothing could be read
local History = {}
History.__index = History

---@param entry botglue.Entry
---@return botglue.Chunks
function History:row(entry)
  return entry_row.of(entry, self.layout, signs_of(self.options))
end

--- How wide the columns are: as the jobs that are there need it.
function History:measure()
  self.layout = entry_row.layout(self.entries, self.float.width - 2)
end

--- What is listed, in the title.
function History:head()
  local parts = { self.scopes[self.scope].name }
  if self.text then
    parts[#parts + 1] = ('"%s"'):format(self.text)
  end
  parts[#parts + 1] = #self.entries .. (self.more and "+" or "")
  self.float:title("history", table.concat(parts, signs_of(self.options).between))
end

--- What is said where no job is listed, and why.
---@return botglue.Chunks[]
function History:nothing()
  local words = self.loading and signs_of(self.options).cut
    or self.trouble
    or self.text and "no job is like this"
    or "no job has ended yet"
  local group = self.trouble and not self.loading and "BotglueFailure" or "BotglueLabel"
  return vim.tbl_map(function(line)
    return { { " " .. line, group } }
  end, text.wrap(text.clean(words), self.float.width - 2))
end

--- Draws the rows from one on: those above stay as they are.
---@param from integer
function History:draw(from)
  for i = from, #self.entries do
    self.rows[i] = self:row(self.entries[i])
  end
  local rows = self.rows
  if #rows == 0 then
    rows = self:nothing()
  end
  self.float:draw(rows, #self.rows > 0 and from or 1)
  self:head()
end

--- Asks the store for a page.
---@param last botglue.Entry? the one before it
---@param callback fun(result: table?, err: string?)
function History:ask(last, callback)
  local scope = self.scopes[self.scope]
  require("botglue.query").ask("history", {
    text = self.text,
    path = scope.path,
    project = scope.project,
    limit = PAGE,
    before = last and { ended_ms = last.ended_ms, uuid = last.uuid } or nil,
  }, callback)
end

--- Asks for the next page, or for the first one.
function History:load()
  self.asked, self.loading = self.asked + 1, true
  local asked = self.asked
  self:ask(self.entries[#self.entries], function(result, err)
    if asked ~= self.asked or not self.float:is_open() then
      return
    end
    self.loading, self.trouble = false, err
    if result then
      local from = #self.entries + 1
      vim.list_extend(self.entries, result.jobs)
      self.more = result.more
      if from == 1 then
        self:measure()
      end
      self:draw(from)
    else
      self.more = false
      self:draw(#self.entries + 1)
      if #self.entries > 0 then
        -- An empty window says it itself.
        require("botglue.notify").error("botglue: " .. err)
      end
    end
    if self.due then
      self:renew()
    end
  end)
end

--- Puts a new first page before what is listed behind it. The cursor stays on its job, and who has gone down the list
--- sees the same rows.
---@param page botglue.Entry[]
---@param more boolean whether there are older ones than these
function History:put(page, more)
  local win = self.float.win
  local view ---@type vim.fn.winsaveview.ret
  api.nvim_win_call(win, function()
    view = vim.fn.winsaveview()
  end)
  local here, listed = self.entries[view.lnum], {}
  for _, entry in ipairs(page) do
    listed[entry.uuid] = true
  end
  local last = page[#page]
  local entries = vim.list_extend({}, page)
  for _, entry in ipairs(self.entries) do
    if more and not listed[entry.uuid] and entry.ended_ms <= last.ended_ms then
      entries[#entries + 1] = entry
    end
  end
  if #entries == #page then
    self.more = more
  end
  self.entries, self.rows = entries, {}
  self:measure()
  self:draw(1)
  for row, entry in ipairs(entries) do
    if here and entry.uuid == here.uuid then
      view.topline = view.topline > 1 and view.topline + row - view.lnum or 1
      view.lnum = row
    end
  end
  api.nvim_win_call(win, function()
    vim.fn.winrestview(view)
  end)
end

--- Asks for the newest jobs again. Nobody waits for it, so nobody is told where that fails.
function History:renew()
  self.due = self.loading or self.renewing
  if self.due or not self.float:is_open() then
    return
  end
  self.renewing = true
  local scope, words = self.scope, self.text
  self:ask(nil, function(result)
    self.renewing = false
    local is_meant = self.float:is_open() and scope == self.scope and words == self.text
    if is_meant and not self.loading and result then
      self:put(result.jobs, result.more)
    end
    if is_meant and (self.due or self.loading) then
      self:renew()
    end
  end)
end

--- Begins anew: another scope, or other words.
function History:reset()
  self.entries, self.rows, self.more = {}, {}, false
  if api.nvim_win_is_valid(self.float.win) then
    api.nvim_win_set_cursor(self.float.win, { 1, 0 })
  end
  self:load()
end

--- The cursor moved: near the end the next page is asked for.
function History:moved()
  local row = api.nvim_win_get_cursor(self.float.win)[1]
  if self.more and not self.loading and row > #self.entries - AHEAD then
    self:load()
  end
end

---@return botglue.Entry
function History:at_cursor()
  local entry = self.entries[api.nvim_win_get_cursor(self.float.win)[1]]
  return entry or fail("there is no job")
end

---@param scope "file"|"project"|"all"
function History:choose(scope)
  if scope == "file" and not self.scopes.file then
    fail("the buffer that this was opened from has no file")
  end
  self.scope = scope
  self:reset()
end

function History:ask_text()
  vim.ui.input({ prompt = "botglue: words to look for: ", default = self.text }, function(words)
    if words and self.float:is_open() then
      words = vim.trim(words)
      self.text = words ~= "" and words or nil
      self:reset()
    end
  end)
end

---@return botglue.Key[]
function History:keys()
  local function on(fn)
    return function(float)
      fn(self:at_cursor(), float)
    end
  end
  local function scope(name)
    return function()
      self:choose(name)
    end
  end
  return {
    { "<CR>", "jump", on(recall.jump) },
    { "p", "prompt", on(recall.prompt) },
    { "d", "diff", on(recall.diff) },
    { "a", "land again", on(recall.again) },
    { "R", "retry", on(recall.retry) },
    { "f", "follow up", on(recall.followup) },
    { "o", "open session", on(recall.open) },
    { "t", "transcript", on(recall.transcript) },
    {
      "s",
      "search",
      function()
        self:ask_text()
      end,
    },
    { "F", "this file", scope("file") },
    { "P", "this project", scope("project") },
    { "A", "all", scope("all") },
  }
end

--- Opens the list.
function M.open()
  local options, bufnr = client.options(), api.nvim_get_current_buf()
  local context = require("botglue.context")
  local path, project = context.path(bufnr), context.project(bufnr)
  local self = setmetatable({ options = options, scope = "all", asked = 0, loading = true }, History)
  self.entries, self.rows, self.more = {}, {}, false
  self.scopes = {
    all = { name = "all" },
    project = { name = vim.fn.fnamemodify(project, ":t"), project = project },
    file = path ~= "" and { name = vim.fn.fnamemodify(path, ":t"), path = path } or nil,
  }
  local function size()
    return math.min(vim.o.columns - 4, 140), math.floor(vim.o.lines * 0.6)
  end
  local width, height = size()
  self.float = require("botglue.ui.float").open({
    name = "history",
    options = options,
    width = width,
    height = height,
    title = { left = "history" },
    keys = self:keys(),
    cursorline = true,
    on_close = function()
      api.nvim_del_augroup_by_id(self.group)
    end,
    on_resize = function(float)
      float:resize(size())
      self:measure()
      self:draw(1)
    end,
  })
  self:measure()
  api.nvim_create_autocmd("CursorMoved", {
    buffer = self.float.bufnr,
    desc = "botglue: the next page of the history",
    callback = function()
      self:moved()
    end,
  })
  self.group = api.nvim_create_augroup("botglue.history." .. self.float.bufnr, { clear = true })
  api.nvim_create_autocmd("User", {
    group = self.group,
    pattern = { "BotglueJobFinished", "BotglueJobUpdated" },
    desc = "botglue: what is new in the history",
    callback = function(event)
      if event.data.status == "done" or event.data.status == "failed" then
        self:renew()
      end
    end,
  })
  self:draw(1)
  self:load()
end

return M
