--- Completes `@` to a file of the project, open files first, then those with the typed characters in their paths; or to
--- another mention. `/` at the beginning of the prompt completes named prompts.

local client = require("botglue.host.client")
local context = require("botglue.editor.context")
local buffer_path = require("botglue.util.buffer_path")
local mentions = require("botglue.jobs.mentions")
local prompts = require("botglue.jobs.prompts")
local signs = require("botglue.util.signs")
local text = require("botglue.util.text")

local M = {}

local api = vim.api

---@class botglue.Complete
---@field root string
---@field bufnr integer
---@field options botglue.Options
---@field asked integer counts the questions
---@field is_new boolean whether the host has not been asked for files yet
---@field show fun(paths: string[]) shows the menu with these files
local Complete = {}
Complete.__index = Complete

--- The `@` word before the cursor.
---@return integer? col its byte, from 0
---@return string? query
local function word()
  local col = api.nvim_win_get_cursor(0)[2]
  local before = api.nvim_get_current_line():sub(1, col)
  local at, query = before:match("()@([^%s@]*)$")
  if not at or before:sub(at - 1, at - 1):find("[%w_.]") then
    return nil
  end
  return at - 1, query
end

--- Files of the project that are open, the one that was used last first.
---@return string[]
function Complete:open()
  local buffers = vim.fn.getbufinfo({ buflisted = 1 })
  table.sort(buffers, function(a, b)
    return a.lastused > b.lastused
  end)
  local paths = {}
  for _, buffer in ipairs(buffers) do
    local path = buffer_path(buffer.bufnr)
    if vim.startswith(path, self.root .. "/") then
      paths[#paths + 1] = path:sub(#self.root + 2)
    end
  end
  return paths
end

---@param path string
---@return botglue.MenuItem
local function item(path)
  local clean = text.clean(path)
  local quoted = path:find("%s") and ('@"%s"'):format(path) or "@" .. path
  return { word = quoted, abbr = text.fit(clean, 60, signs.cut) }
end

--- The name of a prompt that is being typed, where it can stand.
---@return string? lead
local function name()
  local cursor = api.nvim_win_get_cursor(0)
  local before = api.nvim_get_current_line():sub(1, cursor[2])
  return cursor[1] == 1 and before:match("^/[%w_-]*$") or nil
end

--- The named prompts that begin like this.
---@param lead string
---@return botglue.MenuItem[]
function Complete:named(lead)
  local items = {}
  for _, typed in ipairs(prompts.complete(lead, self.options)) do
    local prompt = prompts.find(typed, self.options)
    local shown = text.clean(typed .. "  " .. (prompt and vim.split(prompt.prompt, "\n")[1] or ""))
    items[#items + 1] = { word = typed, abbr = text.fit(shown, 60, signs.cut) }
  end
  return items
end

--- The mentions of something other than a file: those that begin like this, and of buffers any with it in its name.
---@param query string
---@return botglue.MenuItem[]
function Complete:mentions(query)
  local items, kind, part = {}, query:match("^(%l+:)(.*)$")
  for _, mention in ipairs(mentions.all(self.bufnr)) do
    local begins = vim.startswith(mention, "@" .. (kind or query))
    if begins and (not part or mention:lower():find(part:lower(), #kind + 2, true)) then
      items[#items + 1] = { word = mention, abbr = text.fit(text.clean(mention), 60, signs.cut) }
    end
  end
  return items
end

--- The menu for an `@` word.
---@param query string
---@param paths string[] the files that match
---@return botglue.MenuItem[]
function Complete:items(query, paths)
  local items, there = {}, {}
  local function add(path)
    if not there[path] and not path:find("\n", 1, true) then
      there[path] = true
      items[#items + 1] = item(path)
    end
  end
  vim.iter(query == "" and self:open() or {}):each(add)
  vim.list_extend(items, self:mentions(query))
  vim.iter(paths):each(add)
  -- What is there already needs no menu.
  return (#items > 1 or items[1] and items[1].word ~= "@" .. query) and items or {}
end

--- The host has looked for files.
---@param answer { asked: integer, paths: string[] }
function Complete:found(answer)
  if answer.asked == self.asked then
    self.show(answer.paths)
  end
end

--- The source of the menu.
---@param reply fun(col: integer?, items: botglue.MenuItem[]?)
function Complete:source(reply)
  self.asked, self.show = self.asked + 1, function() end
  local lead = name()
  if lead then
    local items = self:named(lead)
    reply(0, (#items > 1 or items[1] and items[1].word ~= lead) and items or {})
    return
  end
  local col, query = word()
  if not col then
    reply(nil)
    return
  end
  function self.show(paths)
    reply(col, self:items(query, paths))
  end
  local process = client.connect(self.options)
  if process then
    process:notify("files", { asked = self.asked, root = self.root, query = query, is_new = self.is_new })
    self.is_new = false
  else
    self.show({})
  end
end

---@param bufnr integer whose project it is
---@param options botglue.Options
---@return botglue.Complete
function M.new(bufnr, options)
  local root = context.project(bufnr)
  return setmetatable(
    { root = root, bufnr = bufnr, options = options, asked = 0, is_new = true, show = function() end },
    Complete
  )
end

return M
