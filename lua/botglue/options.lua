--- The options: their types and defaults as data, and the options in force. What `setup()` was given is stored in
--- `connection` and passed in. A wrong option raises one error that names its path.

local M = {}

--- What a value must be.
---@class botglue.Rule
---@field [1] type|"any"
---@field as string? what is expected, in words
---@field least number? the least number; a number is whole by default
---@field most number?
---@field broken boolean? whether a number may have a fraction
---@field match string? the pattern that a text, or each text of a table, must match
---@field choices string[]?
---@field is_map boolean? whether the texts of a table have names; else they are a list
---@field fits (fun(value: any): boolean)? a check that the other fields cannot express
---@field off any another valid value
---@field default any

--- The rules of a table's options by name, `*` for all others; a function returns the rule of a value at a path.
---@alias botglue.Rules table<any, botglue.Rule|table|fun(value: any, path: string)>

local WORD = "^[^-%s%c][^%s%c]*$" -- one argument for an agent, which it cannot take for an option

local FLAG = { "boolean" }
local ON, OFF = { "boolean", default = true }, { "boolean", default = false }
local MODEL = { "string", match = WORD, as = "the name of a model" }
local MODEL_OR_NONE = { "string", match = WORD, as = "the name of a model", off = false }
local MODELS = { "table", match = WORD, as = "a list of names of models", off = false }
local TEXTS = { "table", match = "", as = "a list of strings" }
M.MODEL, M.WORDS = MODEL, { "string", match = "%S", as = "a text with a word" }

---@param rule table
---@param default any
local function with(rule, default)
  return vim.tbl_extend("force", rule, { default = default })
end

--- Whether a table has only texts, each of which matches.
local function are_texts(value, rule)
  for key, text in pairs(value) do
    if rule.is_map and type(key) ~= "string" or type(text) ~= "string" or not text:find(rule.match) then
      return false
    end
  end
  return rule.is_map or vim.islist(value)
end

---@type botglue.Rules
local AGENT = {
  protocol = { "string", choices = { "claude", "droid", "acp", "text" } },
  command = {
    "any",
    as = "a program, or a list of strings: the program and its first arguments",
    fits = function(value)
      local list = type(value) == "string" and { value } or value
      return type(list) == "table" and (list[1] or "") ~= "" and are_texts(list, TEXTS)
    end,
  },
  args = TEXTS,
  env = { "table", match = "", is_map = true, as = "a table of strings" },
  model = MODEL_OR_NONE,
  models = MODELS,
  mode = { "string", match = ".", as = "the name of a mode" },
  meta = {
    "table",
    as = "a table of JSON values with strings as keys",
    fits = function(value)
      local ok, same = pcall(function()
        return vim.deep_equal(vim.json.decode(vim.json.encode(value)), value)
      end)
      return ok and same and (next(value) == nil or not vim.islist(value))
    end,
  },
  directory = { "string", choices = { "project", "empty" } },
}

local PROMPT = { prompt = M.WORDS, ask = FLAG, agent = { "string" }, model = MODEL }

--- The rule of a prompt, which is a text or a table.
local function prompt_rule(prompt, path)
  if not path:find("prompts%.[%w_-]+$") then
    error(("botglue: %s must have a name of letters, digits, _ and -"):format(path), 0)
  elseif type(prompt) ~= "table" then
    return { "string", match = "%S", as = "a text, or a table with one as `prompt`" }
  end
  M.must(prompt.prompt, M.WORDS, path .. ".prompt")
  return PROMPT
end

---@type botglue.Rules
local OPTIONS = {
  agent = { "string", default = "claude" },
  agents = { ["*"] = AGENT },
  model = with(MODEL_OR_NONE, false),
  models = with(MODELS, { "opus", "sonnet", "haiku" }),
  tools = { "table", match = WORD, as = "a list of names of tools", default = { "Read", "Grep", "Glob" } },
  -- A timer counts milliseconds: less would be 0.
  timeout = { "number", broken = true, least = 0.001, as = "seconds, 0.001 or more", default = 300 },
  max_turns = { "number", least = 1, off = false, default = false },
  max_cost_usd = with({ "number", broken = true, least = 1e-9, as = "a number above 0", off = false }, false),
  max_parallel = { "number", least = 1, default = 4 },
  resume_at_limit = ON,
  trust_project = OFF,
  default_keymaps = ON,
  review = OFF,
  prompts = { ["*"] = prompt_rule },
  context = {
    lines = { "number", least = 0, default = 500 },
    bytes = { "number", least = 0, default = 200000 },
    diagnostics = ON,
    rules = ON,
  },
  status = {
    preview = { "number", least = 0, default = 3 },
    outcome = { "number", broken = true, least = 0, as = "a number of seconds, or 0 for none", default = 5 },
  },
  prewarm = ON,
  record = ON,
  notify = { "string", choices = { "all", "failures", "none" }, default = "failures" },
  host = { "string" },
  data_dir = { "string", match = "^[/~$]", as = "an absolute path" },
}

--- The shipped agents: the protocol of each, and its program.
local SHIPPED = {
  claude = { "claude", "claude" },
  codex = { "acp", "codex-acp" },
  copilot = { "acp", "copilot" },
  droid = { "droid", "droid" },
  gemini = { "acp", "gemini" },
  opencode = { "acp", "opencode" },
  qwen = { "acp", "qwen" },
}

---@param value any
---@param rule botglue.Rule
---@return boolean
local function is_right(value, rule)
  local kind = type(value)
  if rule[1] ~= "any" and kind ~= rule[1] then
    return false
  elseif kind == "number" then
    local is_between = value >= (rule.least or -math.huge) and value <= (rule.most or 2 ^ 31 - 1)
    return is_between and (rule.broken or value % 1 == 0) and (not rule.fits or rule.fits(value))
  elseif rule.match then
    return kind == "string" and value:find(rule.match) ~= nil or kind == "table" and are_texts(value, rule)
  end
  local is_choice = not rule.choices or vim.list_contains(rule.choices, value)
  return is_choice and (not rule.fits or rule.fits(value))
end

--- What a value must be, in words.
---@param rule botglue.Rule
---@return string
local function expected(rule)
  local words = rule.as or "a " .. rule[1]
  if rule.choices then
    words = 'one of "' .. table.concat(rule.choices, '", "') .. '"'
  elseif rule.least and not rule.as then
    words = ("a whole number from %d"):format(rule.least)
  end
  return rule.off == false and words .. " or false" or words
end

--- Raises an error if a value breaks a rule.
---@param value any
---@param rule botglue.Rule
---@param name string the value's name in the error
function M.must(value, rule, name)
  if not is_right(value, rule) and (value == nil or value ~= rule.off) then
    local got = vim.inspect(value, { newline = " ", indent = "" })
    error(("botglue: %s must be %s, got %s"):format(name, expected(rule), got), 0)
  end
end

--- Checks a table of options and returns a copy without the unknown ones.
---@param given table
---@param rules botglue.Rules
---@param source string what comes before the path in an error
---@param prefix string
---@param unknown string[] the paths of unknown options are added to it
---@return table
function M.read(given, rules, source, prefix, unknown)
  local known = {}
  for key, value in pairs(given) do
    local path, rule = prefix .. tostring(key), rules[key] or type(key) == "string" and rules["*"]
    if type(rule) == "function" then
      rule = rule(value, source .. path)
    end
    if not rule then
      unknown[#unknown + 1] = path
    elseif rule[1] then
      M.must(value, rule, source .. path)
      known[key] = vim.deepcopy(value)
    else
      M.must(value, { "table" }, source .. path)
      known[key] = M.read(value, rule, source, path .. ".", unknown)
    end
  end
  return known
end

---@return botglue.Options
function M.defaults()
  local function of(rules)
    return vim.tbl_map(function(rule)
      if rule[1] then
        return vim.deepcopy(rule.default)
      end
      return not rule["*"] and of(rule) or {}
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

--- Checks an agent as a whole, after all options are merged.
---@param path string
---@param agent table
local function check_agent(path, agent)
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
  local unknown = {}
  local function check(given, name, source)
    given = given == nil and {} or given
    M.must(given, { "table" }, name)
    return M.read(given, OPTIONS, source, "", unknown)
  end
  local own = check(setup, "the options", "option ")
  local global = check(M.global(), "vim.g.botglue", "vim.g.botglue.")
  -- A list replaces another list as a whole.
  local given = vim.tbl_deep_extend("force", global, own)
  local options = vim.tbl_deep_extend("force", M.defaults(), given)
  options.given_agent = given.agent
  -- The checks that need the merged options.
  local source = next(own) and "option " or "vim.g.botglue."
  for name, agent in pairs(options.agents) do
    check_agent(("%sagents.%s."):format(source, name), agent)
  end
  M.agent(options, options.agent, source .. "agent")
  for name, prompt in pairs(options.prompts) do
    if type(prompt) == "table" and prompt.agent then
      M.agent(options, prompt.agent, ("%sprompts.%s.agent"):format(source, name))
    end
  end
  -- The host does not expand `~`.
  options.data_dir = vim.fs.normalize(options.data_dir)
  table.sort(unknown)
  return options, unknown
end

--- The agent with a name; raises an error that lists the known ones.
---@param options botglue.Options
---@param name string
---@param what string where the name was given, for the error
---@return botglue.Agent
function M.agent(options, name, what)
  local known = vim.tbl_keys(options.agents)
  table.sort(known)
  local words = "botglue: %s: unknown agent %s; use %s"
  return options.agents[name] or error(words:format(what, vim.inspect(name), table.concat(known, ", ")), 0)
end

return M
