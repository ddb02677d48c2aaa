--- The options: defaults, validation and merging. Pure: what `setup()` was given is kept by the connection and
--- handed in. A wrong option raises one error that names its path, an unknown one is returned as a warning.

local rules = require("botglue.config.rules")

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
    status = { preview = 3, outcome = 5 },
    prewarm = true,
    record = true,
    notify = "failures",
    host = nil,
    data_dir = vim.fn.stdpath("data") .. "/botglue",
  }
end

---@param path string
---@param expected string
---@param value any
local function wrong(path, expected, value)
  local got = (vim.inspect(value, { newline = " ", indent = "" }))
  error(("botglue: option %s must be %s, got %s"):format(path, expected, got), 0)
end

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
      check_group(prompt, rules.prompt, path .. ".", unknown)
      if prompt.prompt == nil then
        wrong(path .. ".prompt", "some words", nil)
      end
    elseif rules.text(prompt) then
      wrong(path, "some words, or a table with them as `prompt`", prompt)
    end
  end
end

--- Whether an agent was a preset, and says nothing of its own on how to run it.
---@param name string
---@param agent table
local function is_gone(name, agent)
  return agent.protocol == nil and vim.list_contains(rules.GONE, "agents." .. name)
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
  check_group(rest, rules.options, "", unknown)
  if given.agents ~= nil then
    if type(given.agents) ~= "table" then
      wrong("agents", "a table", given.agents)
    end
    for name, agent in pairs(given.agents) do
      if type(name) ~= "string" or type(agent) ~= "table" then
        wrong("agents." .. tostring(name), "a table", agent)
      end
      check_group(agent, rules.agent, "agents." .. name .. ".", unknown)
      if is_gone(name, agent) then
        unknown[#unknown + 1] = "agents." .. name
      end
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
  local all = vim.tbl_keys(rules.options)
  for name, group in pairs(rules.options) do
    for field in pairs(type(group) == "table" and group or {}) do
      all[#all + 1] = name .. "." .. field
    end
  end
  all[#all + 1] = "agents"
  for field in pairs(agent and rules.agent or {}) do
    all[#all + 1] = ("agents.%s.%s"):format(agent, field)
  end
  return all
end

--- The warnings for unknown options: one line with all that were removed, and one with a suggestion for each other.
---@param unknown string[] their paths
---@return string[] lines
function M.warnings(unknown)
  local gone, lines = {}, {}
  for _, path in ipairs(unknown) do
    if vim.list_contains(rules.GONE, path) then
      gone[#gone + 1] = path
    else
      local known = paths(path:match("^agents%.(.+)%.[^.]+$"))
      local meant = require("botglue.util.nearest").of(path, known)
      lines[#lines + 1] = ("there is no option %s%s"):format(
        path,
        meant and ("; did you mean %s?"):format(meant) or ""
      )
    end
  end
  if #gone > 0 then
    table.insert(lines, 1, ("there is no option %s any more"):format(table.concat(gone, ", ")))
  end
  return lines
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
        field == "command" and rules.agent.command({}) or rules.agent.protocol(nil),
        nil
      )
    end
  end
  for _, field in ipairs(agent.protocol ~= "acp" and rules.OF_ACP or {}) do
    if agent[field] ~= nil then
      local path = ("agents.%s.%s"):format(name, field)
      error(('botglue: option %s needs protocol = "acp", not "%s"'):format(path, agent.protocol), 0)
    end
  end
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

--- The user's options without the defaults: those of `vim.g.botglue`, overridden by those of `setup()`.
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
    if is_gone(name, agent) then
      options.agents[name] = nil
    else
      check_agent(name, agent)
    end
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
