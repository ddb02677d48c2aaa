--- `:Botglue history`: the finished jobs of all Neovims from the store, newest first. Reads a page at a time, the next
--- one when the cursor comes near the end, and reads all listed rows again when a job here ends or is decided.

local fail = require("botglue.host.errors").fail
local signs = require("botglue.util.signs")
local view = require("botglue.ui.list.view")

local M = {}

local api = vim.api
local PAGE = 100 -- jobs that are asked for at a time
local AHEAD = 40 -- rows before the end at which the next ones are asked for

---@class botglue.History
---@field list botglue.List
---@field scopes table<string, table> what to ask for by file, by project, and for all
---@field scope "file"|"project"|"all"
---@field text string? the words that are looked for
---@field more boolean whether the store has older ones
---@field asked integer counts the questions: the answer to an old one is of no use
---@field loading boolean
---@field due boolean? whether what is listed has to be asked for again
---@field group integer of autocommands
local History = {}
History.__index = History

--- Asks the host for rows.
---@param args table
---@param callback fun(result: { table: botglue.Table, more: boolean }?, err: string?)
local function ask(args, callback)
  view.ask("history", vim.tbl_extend("keep", args, { limit = PAGE }), callback)
end

--- The newest rows, for a caller that shows them in another way.
---@param callback fun(rows: botglue.Table?, err: string?)
function M.rows(callback)
  ask({}, function(result, err)
    callback(result and result.table, err)
  end)
end

--- Shows in the title what is listed.
function History:head()
  local parts = { self.scopes[self.scope].name }
  if self.text then
    parts[#parts + 1] = ('"%s"'):format(self.text)
  end
  parts[#parts + 1] = #self.list.rows .. (self.more and "+" or "")
  self.list:head(table.concat(parts, signs.between))
end

--- Asks for the next page, or for rows from the first one on in place of those that are listed.
---@param last botglue.ListRow? the one before the page
function History:load(last)
  self.asked, self.loading = self.asked + 1, true
  local asked, scope = self.asked, self.scopes[self.scope]
  ask({
    text = self.text,
    path = scope.path,
    project = scope.project,
    limit = not last and math.max(#self.list.rows, PAGE) or nil,
    before = last and { ended_ms = last.ended_ms, uuid = last.id },
  }, function(result, err)
    if asked ~= self.asked or not self.list:is_open() then
      return
    end
    self.loading = false
    if result then
      self.more = result.more
      if last then
        self.list:append(result.table.rows)
      elseif #result.table.rows > 0 then
        self.list:show(result.table)
      else
        self.list:say(self.text and "no job is like this" or "no job has ended yet")
      end
    elseif last then
      self.more = false
      require("botglue.host.notify").error("botglue: " .. err)
    elseif #self.list.rows == 0 then
      -- What is listed stays: the user did not ask for it again.
      self.list:say(err or "", "BotglueFailure")
    end
    self:head()
    if self.due then
      self:renew()
    end
  end)
end

--- Asks again for what is listed.
function History:renew()
  self.due = self.loading
  if not self.due and self.list:is_open() then
    self:load()
  end
end

--- Lists from the first page on: another scope, or other words.
function History:reset()
  self.more = false
  self.list:wait()
  api.nvim_win_set_cursor(self.list.float.win, { 1, 0 })
  self:load()
end

--- The cursor moved: near the end the next page is asked for.
function History:moved()
  local row, rows = api.nvim_win_get_cursor(self.list.float.win)[1], self.list.rows
  if self.more and not self.loading and row > #rows - AHEAD then
    self:load(rows[#rows])
  end
end

function History:ask_text()
  vim.ui.input({ prompt = "botglue: words to look for: ", default = self.text }, function(words)
    if words and self.list:is_open() then
      words = vim.trim(words)
      self.text = words ~= "" and words or nil
      self:reset()
    end
  end)
end

---@param scope "file"|"project"|"all"
---@return fun() the action of a key
function History:to_scope(scope)
  return function()
    if scope == "file" and not self.scopes.file then
      fail("the buffer that this was opened from has no file")
    end
    self.scope = scope
    self:reset()
  end
end

function History:keys()
  return {
    { "<CR>", "jump", "jump" },
    { "p", "prompt", "prompt" },
    { "d", "diff", "diff" },
    { "y", "yank", "yank" },
    { "R", "retry", "retry" },
    { "f", "follow up", "followup" },
    { "o", "open session", "open" },
    { "t", "transcript", "transcript" },
    {
      "s",
      "search",
      function()
        self:ask_text()
      end,
    },
    { "F", "this file", self:to_scope("file") },
    { "P", "this project", self:to_scope("project") },
    { "A", "all", self:to_scope("all") },
    { "<C-q>", "quickfix", "quickfix" },
  }
end

--- Opens the list.
function M.open()
  local bufnr = api.nvim_get_current_buf()
  local context = require("botglue.editor.context")
  local buffer_path = require("botglue.util.buffer_path")
  local path, project = buffer_path(bufnr), context.project(bufnr)
  local self = setmetatable({ scope = "all", asked = 0, more = false }, History)
  self.scopes = {
    all = { name = "all" },
    project = { name = vim.fn.fnamemodify(project, ":t"), project = project },
    file = path ~= "" and { name = vim.fn.fnamemodify(path, ":t"), path = path } or nil,
  }
  self.list = require("botglue.ui.list").open({
    name = "history",
    size = function()
      return math.min(vim.o.columns - 4, 140), math.floor(vim.o.lines * 0.6)
    end,
    keys = self:keys(),
    on_close = function()
      api.nvim_del_augroup_by_id(self.group)
    end,
    on_moved = function()
      self:moved()
    end,
  })
  self.group = api.nvim_create_augroup("botglue.history." .. self.list.float.bufnr, { clear = true })
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
  self:reset()
end

return M
