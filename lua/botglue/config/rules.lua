--- The types of the options, as data, and the check of what a user gave.

local M = {}

--- What a value has to be. Without `as` it is a boolean or a string.
---@class botglue.Rule
---@field [1] type
---@field as string? what is expected, in words
---@field least number?
---@field whole boolean?
---@field pattern string? of a string
---@field choices string[]?
---@field each botglue.Rule? of the values of a table
---@field list boolean? whether that is a list
---@field off any another value that is right

local WORD = "^[^-%s%c][^%s%c]*$" -- what an agent takes for one argument, and never for an option
local BOOLEAN, STRING = { "boolean" }, { "string" }
local TEXT = { "string", pattern = "%S", as = "some words" }
local NAME = { "string", pattern = WORD }
local TABLE = { "table" }
local WORDS = { "table", each = STRING, list = true, as = "a list of strings" }
local MODEL = { "string", pattern = WORD, as = "the name of a model or false", off = false }
local MODELS = { "table", each = NAME, list = true, as = "a list of names of models or false", off = false }
local FROM_0 = { "number", whole = true, least = 0, as = "a whole number from 0" }
local FROM_1 = { "number", whole = true, least = 1, as = "a whole number from 1" }

---@param choices string[]
---@return botglue.Rule
local function one_of(choices)
  return { choices = choices, as = 'one of "' .. table.concat(choices, '", "') .. '"' }
end

---@type table<string, botglue.Rule>
M.agent = {
  protocol = one_of({ "claude", "droid", "acp", "text" }),
  command = {
    "table",
    each = { "string" },
    list = true,
    as = "a program, or a list of strings: the program and its first arguments",
  },
  args = WORDS,
  env = { "table", each = STRING, as = "a table of strings" },
  model = MODEL,
  models = MODELS,
  mode = { "string", pattern = ".", as = "the name of a mode" },
  meta = { "table", as = "a table of JSON values with strings as keys" },
  directory = one_of({ "project", "empty" }),
}

--- A table of rules is a group of options.
---@type table<string, botglue.Rule|table<string, botglue.Rule>>
local OPTIONS = {
  agent = STRING,
  model = MODEL,
  models = MODELS,
  tools = { "table", each = NAME, list = true, as = "a list of names of tools" },
  timeout = { "number", least = 0.001, as = "a number of seconds from 0.001" }, -- a timer takes less as 0
  max_turns = { "number", whole = true, least = 1, as = "a whole number from 1 or false", off = false },
  max_cost_usd = { "number", least = 1e-9, as = "a number above 0 or false", off = false },
  max_parallel = FROM_1,
  trust_project = BOOLEAN,
  default_keymaps = BOOLEAN,
  review = BOOLEAN,
  context = { lines = FROM_0, bytes = FROM_0, diagnostics = BOOLEAN, rules = BOOLEAN },
  status = {
    preview = FROM_0,
    outcome = { "number", least = 0.001, as = "a number of seconds, or 0 for none", off = 0 },
  },
  prewarm = BOOLEAN,
  record = BOOLEAN,
  notify = one_of({ "all", "failures", "none" }),
  host = STRING,
  data_dir = STRING,
}
M.MODEL = { "string", pattern = WORD, as = "the name of a model" }
local PROMPT = { prompt = TEXT, ask = BOOLEAN, agent = STRING, model = M.MODEL }

--- Whether JSON has it, and msgpack with it.
---@return boolean
local function is_data(value)
  if type(value) ~= "table" then
    return vim.list_contains({ "string", "number", "boolean" }, type(value))
  end
  return vim.iter(pairs(value)):all(function(key, entry)
    return (vim.islist(value) or type(key) == "string") and is_data(entry)
  end)
end

--- Whether a value is what it has to be.
---@param value any
---@param rule botglue.Rule
---@return boolean
function M.fits(value, rule)
  if rule.choices or value == nil or value == rule.off then
    return value ~= nil and vim.list_contains(rule.choices or { value }, value)
  elseif type(value) ~= rule[1] then
    return rule == M.agent.command and type(value) == "string" and value ~= ""
  elseif rule[1] == "number" then
    return value >= rule.least and value < 2 ^ 31 and (not rule.whole or value % 1 == 0)
  elseif rule[1] == "string" then
    return value:find(rule.pattern or "") ~= nil
  elseif rule == M.agent.meta then
    return is_data(value) and (next(value) == nil or not vim.islist(value))
  elseif rule == M.agent.command and (value[1] or "") == "" or rule.list and not vim.islist(value) then
    return false
  end
  return not rule.each
    or vim.iter(pairs(value)):all(function(key, entry)
      return (rule.list or type(key) == "string") and M.fits(entry, rule.each)
    end)
end

--- Raises an error where a value is not what it has to be.
---@param value any
---@param rule botglue.Rule
---@param path string
function M.must(value, rule, path)
  if not M.fits(value, rule) then
    local got = vim.inspect(value, { newline = " ", indent = "" })
    error(("botglue: option %s must be %s, got %s"):format(path, rule.as or "a " .. rule[1], got), 0)
  end
end

---@param given any
---@param group table<string, botglue.Rule|table>
---@param prefix string
---@param unknown string[]
local function check_group(given, group, prefix, unknown)
  M.must(given, TABLE, prefix:sub(1, -2))
  for key, value in pairs(given) do
    local path, rule = prefix .. tostring(key), group[key]
    if rule == nil then
      unknown[#unknown + 1] = path
    elseif rule[1] or rule.choices then
      M.must(value, rule, path)
    else
      check_group(value, rule, path .. ".", unknown)
    end
  end
end

--- Whether an agent was a preset, and says nothing of its own on how to run it.
---@param name string
---@param agent table
function M.is_gone(name, agent)
  return agent.protocol == nil and vim.list_contains({ "claude-acp", "droid-acp" }, name)
end

--- Checks what a user gave. Raises one error for the first wrong option.
---@param given any
---@return string[] unknown paths of options that do not exist
function M.check(given)
  if type(given) ~= "table" then
    error("botglue: the options must be a table, got " .. type(given), 0)
  end
  local unknown, groups = {}, vim.tbl_extend("error", OPTIONS, { agents = {}, prompts = {} })
  for name, agent in pairs(type(given.agents) == "table" and given.agents or {}) do
    groups.agents[name] = type(name) == "string" and M.agent or nil
    if type(agent) == "table" and M.is_gone(name, agent) then
      unknown[#unknown + 1] = "agents." .. name
    end
  end
  for name, prompt in pairs(type(given.prompts) == "table" and given.prompts or {}) do
    local path = "prompts." .. tostring(name)
    if type(name) ~= "string" or not name:find("^[%w_-]+$") then
      error(("botglue: option %s must have a name of letters, digits, _ and -"):format(path), 0)
    elseif type(prompt) == "table" then
      groups.prompts[name] = PROMPT
      M.must(prompt.prompt, TEXT, path .. ".prompt")
    else
      groups.prompts[name] = { "string", pattern = "%S", as = "some words, or a table with them as `prompt`" }
    end
  end
  check_group(given, groups, "", unknown)
  table.sort(unknown)
  return unknown
end

--- The options without those that do not exist.
---@param options botglue.Options
---@return table
function M.known(options)
  local function only(given, group)
    local known = {}
    for key, rule in pairs(group) do
      local value = given[key]
      if rule[1] == nil and not rule.choices then
        known[key] = only(value, rule)
      elseif value ~= rule.off then
        known[key] = value
      end
    end
    return known
  end
  local known = only(options, OPTIONS)
  known.agents, known.prompts = {}, options.prompts
  for name, agent in pairs(options.agents) do
    known.agents[name] = only(agent, M.agent)
  end
  return known
end

return M
