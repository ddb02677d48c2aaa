--- The options: their types as data, their defaults, and what is in force. What `setup()` was given is kept by the
--- connection and handed in. A wrong option raises one error that names its path; of unknown ones the host says what
--- may be meant.

local rules = require("botglue.config.rules")

local M = { check = rules.check }

---@return botglue.Options
function M.defaults()
  local function agent(protocol, program)
    return { protocol = protocol, command = { program }, args = {}, env = {} }
  end
  return {
    agent = "claude",
    agents = {
      claude = agent("claude", "claude"),
      codex = agent("acp", "codex-acp"),
      copilot = agent("acp", "copilot"),
      droid = agent("droid", "droid"),
      gemini = agent("acp", "gemini"),
      opencode = agent("acp", "opencode"),
      qwen = agent("acp", "qwen"),
    },
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

--- Merges maps deeply; a list replaces a list. A list in place of a map has no options in it, and does no harm.
local function merge(base, over)
  local is_map = type(base) == "table" and type(over) == "table"
  if not is_map or vim.islist(base) and (#base > 0 or vim.islist(over)) then
    return vim.deepcopy(over)
  end
  local merged = vim.tbl_extend("force", {}, base)
  for key, value in pairs(over) do
    merged[key] = merge(base[key], value)
  end
  return merged
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

--- Checks an agent as a whole, once it is merged.
---@param name string
---@param agent table
local function check_agent(name, agent)
  for _, field in ipairs({ "protocol", "command" }) do
    rules.must(agent[field], rules.agent[field], ("agents.%s.%s"):format(name, field))
  end
  for _, field in ipairs(agent.protocol ~= "acp" and { "mode", "meta", "directory" } or {}) do
    if agent[field] ~= nil then
      local path = ("agents.%s.%s"):format(name, field)
      error(('botglue: option %s needs protocol = "acp", not "%s"'):format(path, agent.protocol), 0)
    end
  end
end

--- The options in force: defaults, then `vim.g.botglue`, then what `setup()` was given.
---@param setup table?
---@return botglue.Options options
---@return string[] unknown paths of options that do not exist
function M.resolve(setup)
  local options, unknown = M.defaults(), {}
  for _, given in ipairs({ M.global() or {}, setup or {} }) do
    vim.list_extend(unknown, rules.check(given))
    options = merge(options, given)
  end
  for name, agent in pairs(options.agents) do
    if rules.is_gone(name, agent) then
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

--- Calls a function. An error in it is one that Neovim shows as one line: a string would have a traceback.
---@param fn fun()
function M.in_one_line(fn)
  local ok, raised = pcall(fn)
  if not ok then
    local function words()
      return tostring(raised)
    end
    error(setmetatable({}, { __tostring = words }), 0)
  end
end

--- A warning of options that do not exist.
---@param unknown string[] their paths
---@return string? words
function M.warning(unknown)
  local words = "there is no option %s; see :checkhealth botglue"
  return #unknown > 0 and words:format(table.concat(unknown, ", ")) or nil
end

--- What the host needs of the options: known fields alone, because an unknown one may be what no message can have.
---@param options botglue.Options
---@param setup table?
---@return table
function M.for_host(options, setup)
  local told = rules.known(options)
  told.given_agent = M.given(setup).agent
  return told
end

--- The agent of that name; raises an error that lists the known ones.
---@param options botglue.Options
---@param name string
---@param what string what to call it in the error
---@return botglue.Agent
function M.agent(options, name, what)
  local known = vim.tbl_keys(options.agents)
  table.sort(known)
  return options.agents[name]
    or error(
      ("botglue: %s: unknown agent %s; use %s"):format(what, vim.inspect(name), table.concat(known, ", ")),
      0
    )
end

--- The model that an agent has without a choice: false leaves that to the CLI.
---@param options botglue.Options
---@param name string
---@return string|false
function M.model(options, name)
  return options.agents[name].model or name == "claude" and options.model or false
end

return M
