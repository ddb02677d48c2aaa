--- Earlier prompts for the open prompt: drafts, those of running and failed jobs, and those of the store: first the
--- unsent ones of all Neovims, then the others by use and recency. The typed text filters them: a match has all of its
--- words, in any case.

local connection = require("botglue.host.connection")
local signs = require("botglue.util.signs")
local words = require("botglue.util.text")

local M = {}

---@class botglue.Recall
---@field prompts string[] newest first, each once
---@field logged_out string[] the agents that are not logged in, as the store says
---@field agent string? of the newest job of the project, as the store says
---@field waiting (fun())[]? callbacks that wait for the store's reply; nil once it has arrived
---@field matches string[] those that are gone through
---@field at integer which of them is shown; 0: what was typed
---@field typed string what they were filtered by
---@field shown string? what was put into the prompt last
local Recall = {}
Recall.__index = Recall

--- Adds prompts that are not there yet.
---@param prompts string[]
function Recall:add(prompts)
  local there = {}
  for _, prompt in ipairs(self.prompts) do
    there[prompt] = true
  end
  for _, prompt in ipairs(prompts) do
    if not there[prompt] and prompt:find("%S") then
      there[prompt] = true
      self.prompts[#self.prompts + 1] = prompt
    end
  end
end

--- Prompts that the store may not have, because there was no host: drafts, and those of running and failed jobs; newest
--- first.
---@return string[]
local function unfinished()
  local prompts, drafts = {}, connection.drafts
  for i = #drafts, 1, -1 do
    prompts[#prompts + 1] = drafts[i].text
  end
  for id = connection.last_id, 1, -1 do
    local job = connection.jobs[id]
    if job and (connection.open[id] or job.error) then
      prompts[#prompts + 1] = job.prompt
    end
  end
  return prompts
end

--- Calls a function once the prompts are known, at once where they are.
---@param fn fun()
function Recall:known(fn)
  if self.waiting then
    table.insert(self.waiting, fn)
  else
    fn()
  end
end

--- Prompts with all words of a text in them.
---@param text string
---@return string[]
function Recall:matching(text)
  local wanted = vim.split(text:lower(), "%s+", { trimempty = true })
  return vim.tbl_filter(function(prompt)
    local lower = prompt:lower()
    for _, word in ipairs(wanted) do
      if not lower:find(word, 1, true) then
        return false
      end
    end
    return vim.trim(prompt) ~= vim.trim(text)
  end, self.prompts)
end

--- Prompts with all words of a text in them, for the menu.
---@param text string
---@param width integer cells that one may take
---@return botglue.MenuItem[]
function Recall:items(text, width)
  return vim.tbl_map(function(prompt)
    local line = words.fit(words.clean(prompt), width, signs.cut)
    return { word = prompt:match("^[^\n]*"), abbr = line, value = prompt }
  end, self:matching(text))
end

--- The prompt that is `by` further back than what the prompt shows; what was typed comes after the newest.
---@param by integer
---@param now string what the prompt shows
---@param filter string? what filters them, if it is not that
---@return string? text nil if there is none
function Recall:step(by, now, filter)
  if now ~= self.shown then
    self.typed, self.at, self.matches = now, 0, self:matching(filter or now)
  end
  local at = self.at + by
  if at < 0 or at > #self.matches then
    return nil
  end
  self.at = at
  self.shown = at == 0 and self.typed or self.matches[at]
  return self.shown
end

--- The reason why there is no earlier prompt than the shown one.
---@param filter string what they were filtered by
---@return string
function Recall:none(filter)
  if #self.matches > 0 then
    return "there is no earlier prompt than this one"
  end
  local is_filtered = #self.prompts > 0 and filter:find("%S")
  return is_filtered and "no earlier prompt has these words" or "there is no earlier prompt"
end

--- Asks for the prompts.
---@param project string
---@return botglue.Recall
function M.start(project)
  local self =
    setmetatable({ prompts = {}, logged_out = {}, waiting = {}, matches = {}, at = 0, typed = "" }, Recall)
  self:add(unfinished())
  require("botglue.host.query").ask("prompts", { limit = 200, project = project }, function(result)
    -- Without a store there are those of this Neovim.
    self:add(result and result.prompts or {})
    self.logged_out = result and result.logged_out or {}
    self.agent = result and result.agent
    local waiting = self.waiting or {}
    self.waiting = nil
    for _, fn in ipairs(waiting) do
      fn()
    end
  end)
  return self
end

return M
