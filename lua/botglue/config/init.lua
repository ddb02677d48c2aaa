--- The options: defaults, validation and merging. Pure: what `setup()` was given is kept by the connection and
--- handed in. A wrong option raises one error that names its path, an unknown one is returned as a warning.

local argument = require("botglue.util.argument")

local M = {}

---@return botglue.Options
function M.defaults()
  return {
    agent = "claude",
    agents = require("botglue.config.shipped").options(),
    model = false,
    models = { "opus", "sonnet", "haiku" },
    tools = { "Read", "Grep", "Glob" },
    timeout = 300,
    max_turns = false,
    max_cost_usd = false,
    max_parallel = 4,
    trust_project = false,
    default_keymaps = true,
    review = false,
    prompts = {},
    context = { lines = 500, bytes = 200000, diagnostics = true, rules = true },
    tidy = { fence = true, indent = true, newline = true },
    status = { rows = 5, preview = 3, spinner = true, outcome = 5 },
    prompt = "float",
    ascii = false,
    prewarm = true,
    record = true,
    notify = "failures",
    host = nil,
    data_dir = vim.fn.stdpath("data") .. "/botglue",
  }
end

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

local LEAST_SECONDS = 0.001 -- less is none at all to a timer

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
    return "a table of what JSON has, with names for keys"
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

---@type table<string, botglue.Rule>
local agent_rules = {
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
local OF_ACP = { "mode", "meta", "directory" }

--- A rule for each option; a table of rules for a group of them.
---@type table<string, botglue.Rule|table<string, botglue.Rule>>
local rules = {
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
  tidy = { fence = a("boolean"), indent = a("boolean"), newline = a("boolean") },
  status = { rows = integer(0), preview = integer(0), spinner = a("boolean"), outcome = seconds_or_none },
  prompt = one_of("float", "ui"),
  ascii = a("boolean"),
  prewarm = a("boolean"),
  record = a("boolean"),
  notify = one_of("all", "failures", "none"),
  host = a("string"),
  data_dir = a("string"),
}

---@param path string
---@param expected string
---@param value any
local function wrong(path, expected, value)
  local got = (vim.inspect(value, { newline = " ", indent = "" }))
  error(("botglue: option %s must be %s, got %s"):format(path, expected, got), 0)
end

local function text(value)
  if type(value) ~= "string" or not value:find("%S") then
    return "some words"
  end
end

---@type table<string, botglue.Rule>
local prompt_rules = { prompt = text, ask = a("boolean"), agent = a("string"), model = model }

---@param given any
---@param group table<string, botglue.Rule|table>
---@param prefix string
---@param unknown string[]
local function check_group(given, group, prefix, unknown)
  for key, value in pairs(given) do
    local path = prefix .. tostring(key)
    local rule = group[key]
    if rule == nil then
      unknown[#unknown + 1] = path
    elseif type(rule) == "table" then
      if type(value) ~= "table" then
        wrong(path, "a table", value)
      end
      check_group(value, rule, path .. ".", unknown)
    else
      local expected = rule(value)
      if expected then
        wrong(path, expected, value)
      end
    end
  end
end

--- Checks the named prompts.
---@param given any
---@param unknown string[]
local function check_prompts(given, unknown)
  if type(given) ~= "table" then
    wrong("prompts", "a table", given)
  end
  for name, prompt in pairs(given) do
    local path = "prompts." .. tostring(name)
    if type(name) ~= "string" or not name:find("^[%w_-]+$") then
      error(("botglue: option %s must have a name of letters, digits, _ and -"):format(path), 0)
    elseif type(prompt) == "table" then
      check_group(prompt, prompt_rules, path .. ".", unknown)
      if prompt.prompt == nil then
        wrong(path .. ".prompt", "some words", nil)
      end
    elseif text(prompt) then
      wrong(path, "some words, or a table with them as `prompt`", prompt)
    end
  end
end

--- Checks what a user gave. Raises one error for the first wrong option.
---@param given any
---@return string[] unknown paths of options that do not exist
function M.check(given)
  if type(given) ~= "table" then
    error("botglue: the options must be a table, got " .. type(given), 0)
  end
  local unknown = {}
  local rest = vim.tbl_extend("force", {}, given)
  rest.agents, rest.prompts = nil, nil
  check_group(rest, rules, "", unknown)
  if given.agents ~= nil then
    if type(given.agents) ~= "table" then
      wrong("agents", "a table", given.agents)
    end
    for name, agent in pairs(given.agents) do
      if type(name) ~= "string" or type(agent) ~= "table" then
        wrong("agents." .. tostring(name), "a table", agent)
      end
      check_group(agent, agent_rules, "agents." .. name .. ".", unknown)
    end
  end
  if given.prompts ~= nil then
    check_prompts(given.prompts, unknown)
  end
  table.sort(unknown)
  return unknown
end

--- The paths of all options.
---@param agent string? with those of this agent
---@return string[]
local function paths(agent)
  local all = vim.tbl_keys(rules)
  for name, group in pairs(rules) do
    for field in pairs(type(group) == "table" and group or {}) do
      all[#all + 1] = name .. "." .. field
    end
  end
  all[#all + 1] = "agents"
  for field in pairs(agent and agent_rules or {}) do
    all[#all + 1] = ("agents.%s.%s"):format(agent, field)
  end
  return all
end

--- Says that there is no such option, and which one may have been meant.
---@param path string
---@return string
function M.unknown(path)
  local meant = require("botglue.util.nearest").of(path, paths(path:match("^agents%.(.+)%.[^.]+$")))
  return ("there is no option %s"):format(path) .. (meant and ("; did you mean %s?"):format(meant) or "")
end

--- Merges maps deeply; a list replaces a list. A list in place of a map has no options in it, and does no harm.
local function merge(base, over)
  if type(base) ~= "table" or type(over) ~= "table" then
    return vim.deepcopy(over)
  end
  if vim.islist(base) and (#base > 0 or vim.islist(over)) then
    return vim.deepcopy(over)
  end
  local merged = vim.tbl_extend("force", {}, base)
  for key, value in pairs(over) do
    merged[key] = merge(base[key], value)
  end
  return merged
end

--- Checks an agent as a whole, once it is merged.
---@param name string
---@param agent table
local function check_agent(name, agent)
  for _, field in ipairs({ "protocol", "command" }) do
    if agent[field] == nil then
      wrong(
        ("agents.%s.%s"):format(name, field),
        field == "command" and command({}) or agent_rules.protocol(nil),
        nil
      )
    end
  end
  for _, field in ipairs(agent.protocol ~= "acp" and OF_ACP or {}) do
    if agent[field] ~= nil then
      local path = ("agents.%s.%s"):format(name, field)
      error(('botglue: option %s needs protocol = "acp", not "%s"'):format(path, agent.protocol), 0)
    end
  end
end

--- What `vim.g.botglue` says: a table or a function that returns one.
---@return table?
function M.global()
  local given = vim.g.botglue
  if type(given) == "function" then
    given = given()
  end
  return given
end

--- What the user gave, without the defaults: `vim.g.botglue` with what `setup()` was given over it.
---@param setup table?
---@return table
function M.given(setup)
  return merge(M.global() or {}, setup or {})
end

--- The options in force: defaults, then `vim.g.botglue`, then what `setup()` was given.
---@param setup table?
---@return botglue.Options options
---@return string[] unknown paths of options that do not exist
function M.resolve(setup)
  local options, unknown = M.defaults(), {}
  local function add(given)
    if given ~= nil then
      vim.list_extend(unknown, M.check(given))
      options = merge(options, given)
    end
  end
  add(M.global())
  add(setup)
  for name, agent in pairs(options.agents) do
    check_agent(name, agent)
    if type(agent.command) == "string" then
      agent.command = { agent.command }
    end
  end
  M.agent(options, options.agent, "option agent")
  for name, prompt in pairs(options.prompts) do
    if type(prompt) == "table" and prompt.agent then
      M.agent(options, prompt.agent, ("option prompts.%s.agent"):format(name))
    end
  end
  -- Nothing between here and the host would know `~`.
  options.data_dir = vim.fs.normalize(options.data_dir)
  return options, unknown
end

--- The agent of that name; raises an error that lists the known ones.
---@param options botglue.Options
---@param name string
---@param what string what to call it in the error
---@return botglue.Agent
function M.agent(options, name, what)
  local agent = options.agents[name]
  if not agent then
    local known = vim.tbl_keys(options.agents)
    table.sort(known)
    error(
      ("botglue: %s: unknown agent %s; use %s"):format(what, vim.inspect(name), table.concat(known, ", ")),
      0
    )
  end
  return agent
end

--- The models of an agent, what it has without a choice first: false leaves that to the CLI.
---@param options botglue.Options
---@param name string
---@return (string|false)[]
function M.models(options, name)
  local agent, claude = M.agent(options, name, "agent"), name == "claude"
  local own = agent.model or claude and options.model or false
  local known = { own }
  for _, another in ipairs(agent.models or claude and options.models or {}) do
    if not vim.tbl_contains(known, another) then
      known[#known + 1] = another
    end
  end
  return known
end

return M
