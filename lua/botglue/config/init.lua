--- The options: their types and defaults as data, and what is in force. What `setup()` was given is kept by the
--- connection and handed in. A wrong option raises one error that names its path.

local M = {}

--- What a value has to be. Without `as` it is any of its type.
---@class botglue.Rule
---@field [1] type|"any"
---@field as string? what is expected, in words
---@field fits (fun(value: any): boolean)? what its type does not say
---@field off any another value that is right
---@field default any

--- The options of a table by their names, `*` for all others; a function has the rule of a value at a path.
---@alias botglue.Rules table<any, botglue.Rule|table|fun(value: any, path: string, name: any)>

local WORD = "^[^-%s%c][^%s%c]*$" -- what an agent takes for one argument, and never for an option

---@param kind type|"any"
---@param default any
---@param name string?
---@param fits (fun(value: any): boolean)?
local function rule(kind, default, name, fits)
  return { kind, default = default, as = name, fits = fits }
end

local function text(pattern, as)
  return rule("string", nil, as, function(value)
    return value:find(pattern) ~= nil
  end)
end

local function number(default, least, as)
  return rule("number", default, as, function(value)
    return value >= least and value < 2 ^ 31 and (not as:find("whole") or value % 1 == 0)
  end)
end

--- Whether a value is a table of strings, with names where it is a map.
local function are_texts(value, pattern, is_map)
  return (is_map or vim.islist(value))
    and vim.iter(pairs(value)):all(function(key, entry)
      local is_named = not is_map or type(key) == "string"
      return is_named and type(entry) == "string" and entry:find(pattern) ~= nil
    end)
end

local function list(default, pattern, as)
  return rule("table", default, as, function(value)
    return are_texts(value, pattern)
  end)
end

local function one_of(default, choices)
  return rule("string", default, 'one of "' .. table.concat(choices, '", "') .. '"', function(value)
    return vim.list_contains(choices, value)
  end)
end

--- The same, or a value that takes the option away.
local function or_off(some, off)
  return vim.tbl_extend("force", some, { off = off })
end

--- Whether JSON has it, and msgpack with it.
local function is_data(value)
  if type(value) ~= "table" then
    return vim.list_contains({ "string", "number", "boolean" }, type(value))
  end
  return vim.iter(pairs(value)):all(function(key, entry)
    return (vim.islist(value) or type(key) == "string") and is_data(entry)
  end)
end

M.MODEL, M.WORDS = text(WORD, "the name of a model"), text("%S", "some words")
local MODELS = "a list of names of models or false"

---@type botglue.Rules
local AGENT = {
  protocol = one_of(nil, { "claude", "droid", "acp", "text" }),
  command = rule(
    "any",
    nil,
    "a program, or a list of strings: the program and its first arguments",
    function(value)
      return type(value) == "string" and value ~= ""
        or type(value) == "table" and (value[1] or "") ~= "" and are_texts(value, "")
    end
  ),
  args = list(nil, "", "a list of strings"),
  env = rule("table", nil, "a table of strings", function(value)
    return are_texts(value, "", true)
  end),
  model = or_off(text(WORD, "the name of a model or false"), false),
  models = or_off(list(nil, WORD, MODELS), false),
  mode = text(".", "the name of a mode"),
  meta = rule("table", nil, "a table of JSON values with strings as keys", function(value)
    return is_data(value) and (next(value) == nil or not vim.islist(value))
  end),
  directory = one_of(nil, { "project", "empty" }),
}

local PROMPT = { prompt = M.WORDS, ask = rule("boolean"), agent = rule("string"), model = M.MODEL }

--- An agent has a name.
local function agent_rule(_, _, name)
  return type(name) == "string" and AGENT
end

--- The rule of a prompt, which is a text or a table.
local function prompt_rule(prompt, path, name)
  if type(name) ~= "string" or not path:find("^prompts%.[%w_-]+$") then
    error(("botglue: option %s must have a name of letters, digits, _ and -"):format(path), 0)
  elseif type(prompt) ~= "table" then
    return text("%S", "some words, or a table with them as `prompt`")
  end
  M.must(prompt.prompt, M.WORDS, "option " .. path .. ".prompt")
  return PROMPT
end

---@type botglue.Rules
local OPTIONS = {
  agent = rule("string", "claude"),
  agents = { ["*"] = agent_rule },
  model = or_off(rule("string", false, "the name of a model or false", M.MODEL.fits), false),
  models = or_off(list({ "opus", "sonnet", "haiku" }, WORD, MODELS), false),
  tools = list({ "Read", "Grep", "Glob" }, WORD, "a list of names of tools"),
  timeout = number(300, 0.001, "a number of seconds from 0.001"), -- a timer takes less as 0
  max_turns = or_off(number(false, 1, "a whole number from 1 or false"), false),
  max_cost_usd = or_off(number(false, 1e-9, "a number above 0 or false"), false),
  max_parallel = number(4, 1, "a whole number from 1"),
  resume_at_limit = rule("boolean", true),
  trust_project = rule("boolean", false),
  default_keymaps = rule("boolean", true),
  review = rule("boolean", false),
  prompts = { ["*"] = prompt_rule },
  context = {
    lines = number(500, 0, "a whole number from 0"),
    bytes = number(200000, 0, "a whole number from 0"),
    diagnostics = rule("boolean", true),
    rules = rule("boolean", true),
  },
  status = {
    preview = number(3, 0, "a whole number from 0"),
    outcome = or_off(number(5, 0.001, "a number of seconds, or 0 for none"), 0),
  },
  prewarm = rule("boolean", true),
  record = rule("boolean", true),
  notify = one_of("failures", { "all", "failures", "none" }),
  host = rule("string"),
  data_dir = text("^[/~$]", "an absolute path"),
}

--- The shipped agents: how each is spoken to, and its program.
local SHIPPED = {
  claude = { "claude", "claude" },
  codex = { "acp", "codex-acp" },
  copilot = { "acp", "copilot" },
  droid = { "droid", "droid" },
  gemini = { "acp", "gemini" },
  opencode = { "acp", "opencode" },
  qwen = { "acp", "qwen" },
}

--- Raises an error.
---@param name string
---@param expected string
---@param value any
function M.wrong(name, expected, value)
  local got = vim.inspect(value, { newline = " ", indent = "" })
  error(("botglue: %s must be %s, got %s"):format(name, expected, got), 0)
end

--- Raises an error where a value is not what it has to be.
---@param value any
---@param what botglue.Rule
---@param name string what the error calls it
function M.must(value, what, name)
  local is_right = what[1] == "any" or type(value) == what[1]
  if (not is_right or what.fits and not what.fits(value)) and (value == nil or value ~= what.off) then
    M.wrong(name, what.as or "a " .. what[1], value)
  end
end

--- A copy of what was given, without what does not exist.
---@param given any
---@param rules botglue.Rules
---@param prefix string
---@param unknown string[] gets the paths of that
---@return table
local function read(given, rules, prefix, unknown)
  M.must(given, rule("table"), "option " .. prefix:sub(1, -2))
  local known = {}
  for key, value in pairs(given) do
    local path, what = prefix .. tostring(key), rules[key] or rules["*"]
    if type(what) == "function" then
      what = what(value, path, key)
    end
    if not what then
      unknown[#unknown + 1] = path
    elseif what[1] then
      M.must(value, what, "option " .. path)
      known[key] = vim.deepcopy(value)
    else
      known[key] = read(value, what, path .. ".", unknown)
    end
  end
  return known
end

--- Checks what a user gave. Raises one error for the first wrong option.
---@param given any
---@return string[] unknown paths of options that do not exist
---@return table known the others
function M.check(given)
  if type(given) ~= "table" then
    error("botglue: the options must be a table, got " .. type(given), 0)
  end
  local unknown = {}
  local known = read(given, OPTIONS, "", unknown)
  table.sort(unknown)
  return unknown, known
end

---@return botglue.Options
function M.defaults()
  local function of(rules)
    return vim.tbl_map(function(what)
      if what[1] then
        return vim.deepcopy(what.default)
      end
      return not what["*"] and of(what) or {}
    end, rules)
  end
  local options = of(OPTIONS)
  options.data_dir = vim.fn.stdpath("data") .. "/botglue"
  for name, agent in pairs(SHIPPED) do
    options.agents[name] = { protocol = agent[1], command = { agent[2] }, args = {}, env = {} }
  end
  return options
end

--- The value of `vim.g.botglue`: a table, or what its function returns.
---@return table?
function M.global()
  local given = vim.g.botglue
  if type(given) == "function" then
    given = given()
  end
  return given
end

--- Checks an agent as a whole, once it is merged.
---@param name string
---@param agent table
local function check_agent(name, agent)
  local path = ("option agents.%s."):format(name)
  for _, field in ipairs({ "protocol", "command" }) do
    M.must(agent[field], AGENT[field], path .. field)
  end
  for _, field in ipairs(agent.protocol ~= "acp" and { "mode", "meta", "directory" } or {}) do
    if agent[field] ~= nil then
      error(('botglue: %s needs protocol = "acp", not "%s"'):format(path .. field, agent.protocol), 0)
    end
  end
  agent.command = type(agent.command) == "string" and { agent.command } or agent.command
end

--- The options in force: defaults, then `vim.g.botglue`, then what `setup()` was given.
---@param setup table?
---@return botglue.Options options
---@return string[] unknown paths of options that do not exist
function M.resolve(setup)
  local unknown, global = M.check(M.global() or {})
  local more, own = M.check(setup or {})
  -- A list replaces a list.
  local given = vim.tbl_deep_extend("force", global, own)
  local options = vim.tbl_deep_extend("force", M.defaults(), given)
  options.given_agent = given.agent
  for name, agent in pairs(options.agents) do
    check_agent(name, agent)
  end
  M.agent(options, options.agent, "option agent")
  for name, prompt in pairs(options.prompts) do
    if type(prompt) == "table" and prompt.agent then
      M.agent(options, prompt.agent, ("option prompts.%s.agent"):format(name))
    end
  end
  -- Nothing between here and the host would know `~`.
  options.data_dir = vim.fs.normalize(options.data_dir)
  return options, vim.list_extend(unknown, more)
end

--- A warning of options that do not exist.
---@param unknown string[] their paths
---@return string? words
function M.warning(unknown)
  local words = "botglue: there is no option %s; see :checkhealth botglue"
  return #unknown > 0 and words:format(table.concat(unknown, ", ")) or nil
end

--- The agent of that name; raises an error that lists the known ones.
---@param options botglue.Options
---@param name string
---@param what string what to call it in the error
---@return botglue.Agent
function M.agent(options, name, what)
  local known = vim.tbl_keys(options.agents)
  table.sort(known)
  local words = "botglue: %s: unknown agent %s; use %s"
  return options.agents[name] or error(words:format(what, vim.inspect(name), table.concat(known, ", ")), 0)
end

return M
