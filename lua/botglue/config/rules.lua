--- The rules for the values of options. Pure.

local argument = require("botglue.util.argument")

local M = {}

--- A rule is a function that takes a value and returns what was expected instead, or nil where it is right.
---@alias botglue.Rule fun(value: any): string?

---@param name string
---@return botglue.Rule
local function a(name)
  return function(value)
    return type(value) ~= name and "a " .. name or nil
  end
end

---@return botglue.Rule
local function one_of(...)
  local allowed = { ... }
  return function(value)
    if vim.tbl_contains(allowed, value) then
      return nil
    end
    return "one of " .. table.concat(vim.tbl_map(vim.inspect, allowed), ", ")
  end
end

---@param least integer
---@return botglue.Rule
local function integer(least)
  return function(value)
    if type(value) == "number" and value % 1 == 0 and value >= least and value < 2 ^ 31 then
      return nil
    end
    return ("a whole number from %d"):format(least)
  end
end

local LEAST_SECONDS = 0.001 -- a timer takes less as 0

local function seconds(value)
  if type(value) == "number" and value >= LEAST_SECONDS and value < 2 ^ 31 then
    return nil
  end
  return ("a number of seconds from %g"):format(LEAST_SECONDS)
end

local function seconds_or_none(value)
  return value ~= 0 and seconds(value) and "a number of seconds, or 0 for none" or nil
end

local function amount(value)
  if type(value) ~= "number" or not (value > 0 and value < math.huge) then
    return "a number above 0"
  end
end

local function model(value)
  if not argument.is_word(value) then
    return "the name of a model"
  end
end

local function models(value)
  if type(value) ~= "table" or not vim.islist(value) or vim.iter(value):any(model) then
    return "a list of names of models"
  end
end

local function words(value)
  if type(value) ~= "table" or not vim.islist(value) then
    return "a list of strings"
  end
  for _, word in ipairs(value) do
    if type(word) ~= "string" then
      return "a list of strings"
    end
  end
end

local function tools(value)
  local expected = words(value)
  if not expected and not vim.iter(value):all(argument.is_word) then
    expected = "a list of names of tools"
  end
  return expected
end

local function command(value)
  if type(value) == "string" and value ~= "" then
    return nil
  elseif words(value) or #value == 0 or value[1] == "" then
    return "a program, or a list of strings: the program and its first arguments"
  end
end

local function environment(value)
  if type(value) ~= "table" then
    return "a table of strings"
  end
  for key, entry in pairs(value) do
    if type(key) ~= "string" or type(entry) ~= "string" then
      return "a table of strings"
    end
  end
end

local function mode(value)
  if type(value) ~= "string" or value == "" then
    return "the name of a mode"
  end
end

--- Whether JSON has it, and msgpack with it.
local function is_data(value)
  if type(value) ~= "table" then
    return vim.tbl_contains({ "string", "number", "boolean" }, type(value))
  end
  local has_keys = vim.islist(value)
    or vim.iter(pairs(value)):all(function(key)
      return type(key) == "string"
    end)
  return has_keys and vim.iter(pairs(value)):all(function(_, entry)
    return is_data(entry)
  end)
end

local function meta(value)
  local is_map = type(value) == "table" and (next(value) == nil or not vim.islist(value))
  if not is_map or not is_data(value) then
    return "a table of JSON values with strings as keys"
  end
end

---@param rule botglue.Rule
---@return botglue.Rule
local function or_false(rule)
  return function(value)
    local expected = value ~= false and rule(value)
    return expected and expected .. " or false" or nil
  end
end

--- Rules for the fields of an agent.
---@type table<string, botglue.Rule>
M.agent = {
  protocol = one_of("claude", "droid", "acp", "text"),
  command = command,
  args = words,
  env = environment,
  model = or_false(model),
  models = or_false(models),
  mode = mode,
  meta = meta,
  directory = one_of("project", "empty"),
}

--- Options that only an agent of the protocol `acp` has.
M.OF_ACP = { "mode", "meta", "directory" }

--- A rule for each option; a table of rules for a group of them.
---@type table<string, botglue.Rule|table<string, botglue.Rule>>
M.options = {
  agent = a("string"),
  model = or_false(model),
  models = or_false(models),
  tools = tools,
  timeout = seconds,
  max_turns = or_false(integer(1)),
  max_cost_usd = or_false(amount),
  max_parallel = integer(1),
  trust_project = a("boolean"),
  default_keymaps = a("boolean"),
  review = a("boolean"),
  context = { lines = integer(0), bytes = integer(0), diagnostics = a("boolean"), rules = a("boolean") },
  status = { preview = integer(0), outcome = seconds_or_none },
  prewarm = a("boolean"),
  record = a("boolean"),
  notify = one_of("all", "failures", "none"),
  host = a("string"),
  data_dir = a("string"),
}

--- Options of earlier versions, and agents that were presets.
M.GONE =
  { "tidy", "prompt", "ascii", "status.rows", "status.spinner", "agents.claude-acp", "agents.droid-acp" }

--- A text with something in it.
function M.text(value)
  if type(value) ~= "string" or not value:find("%S") then
    return "some words"
  end
end

--- Rules for the fields of a named prompt.
---@type table<string, botglue.Rule>
M.prompt = { prompt = M.text, ask = a("boolean"), agent = a("string"), model = model }

return M
