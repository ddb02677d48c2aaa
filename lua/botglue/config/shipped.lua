--- The agents that botglue ships with: what of each the plugin has to know. How one is started and read is known by the
--- host, which has the recipe that keeps it read-only.

local M = {}

---@class botglue.Shipped
---@field protocol "claude"|"droid"|"text"|"acp"
---@field command string[]? the default of its option `command`
---@field keeps string what keeps it from writing and running
---@field loads "nothing"|"directory"|"everything" what it loads of a project's own settings: nothing; what is in the
--- directory in which it runs, which is an empty one unless the project is trusted; what its program does
---@field goes_on boolean? whether it can go on in a session; nil: only the agent knows
---@field open { program: string?, flag: string }? how its session opens in a terminal: the program, where that is
--- another one, and what stands before the id
---@field login botglue.Login?

---@class botglue.Login
---@field how string what the user does to log in
---@field env string[] variables that log it in
---@field files string[] where it keeps a login, as far as that is a file

--- An agent that speaks ACP, as most of them are.
---@param program string
---@param more table what is otherwise, and what keeps it read-only
---@return botglue.Shipped
local function acp(program, more)
  return vim.tbl_extend("keep", more, {
    protocol = "acp",
    command = { program },
    loads = "directory",
    goes_on = false,
    open = { flag = "--resume" },
  })
end

---@type table<string, botglue.Shipped>
local agents = {
  claude = {
    protocol = "claude",
    command = { "claude" },
    keeps = "it has the tools of the option `tools` and no others",
    loads = "nothing",
    goes_on = true,
    open = { flag = "--resume" },
    login = {
      how = "run `claude` and its command `/login`",
      env = { "ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN", "CLAUDE_CODE_OAUTH_TOKEN" },
      files = { "~/.claude/.credentials.json" },
    },
  },
  droid = {
    protocol = "droid",
    command = { "droid" },
    keeps = "it has the tools of the option `tools` and no others",
    loads = "directory",
    goes_on = true,
    open = { flag = "--resume" },
    login = { how = "run `droid`, or set FACTORY_API_KEY", env = { "FACTORY_API_KEY" }, files = {} },
  },
  codex = acp("codex-acp", {
    keeps = "its own sandbox (mode `read-only`), which lets it read all files",
    goes_on = true,
    open = { program = "codex", flag = "resume" },
    login = {
      how = "run `codex login`",
      env = { "CODEX_API_KEY", "OPENAI_API_KEY" },
      files = { "~/.codex/auth.json" },
    },
  }),
  gemini = acp("gemini", {
    keeps = "its mode `plan` and a policy of botglue's that outranks yours (`--admin-policy`)",
    login = {
      how = "run `gemini`, or set GEMINI_API_KEY",
      env = { "GEMINI_API_KEY", "GOOGLE_API_KEY" },
      files = { "~/.gemini/oauth_creds.json" },
    },
  }),
  opencode = acp("opencode", {
    keeps = "its mode is an agent of botglue's, with the tools of the option `tools` within the project",
    goes_on = true,
    open = { flag = "--session" },
    login = {
      how = "run `opencode auth login`",
      env = {},
      files = { "~/.local/share/opencode/auth.json" },
    },
  }),
  qwen = acp("qwen", {
    keeps = "it has no tools that write or run (`--exclude-tools`), and botglue refuses to write and to run",
    login = {
      how = "run `qwen`, or set OPENAI_API_KEY",
      env = { "OPENAI_API_KEY" },
      files = { "~/.qwen/oauth_creds.json" },
    },
  }),
  copilot = acp("copilot", {
    keeps = "it has the tools of the option `tools` and no others (`--available-tools`)",
    login = {
      how = "run `copilot login`",
      env = { "COPILOT_GITHUB_TOKEN", "GH_TOKEN", "GITHUB_TOKEN" },
      files = {},
    },
  }),
}

--- What is known of any other agent, by its protocol.
---@type table<string, botglue.Shipped>
local others = {
  claude = agents.claude,
  droid = agents.droid,
  acp = {
    protocol = "acp",
    keeps = "nothing: it is as trusted as a program of the protocol text, botglue only refuses to write and to run",
    loads = "everything",
  },
  text = {
    protocol = "text",
    keeps = "nothing: it does what its program does",
    loads = "everything",
    goes_on = false,
  },
}

--- The defaults of the option `agents`.
---@return table<string, botglue.Agent>
function M.options()
  return vim.tbl_map(function(agent)
    return { protocol = agent.protocol, command = vim.deepcopy(agent.command), args = {}, env = {} }
  end, agents)
end

--- What is known of an agent; one of the user's own may have the name of a shipped one and another protocol.
---@param name string its key in the option `agents`
---@param agent botglue.Agent
---@return botglue.Shipped
function M.of(name, agent)
  local shipped = agents[name]
  return shipped and shipped.protocol == agent.protocol and shipped or others[agent.protocol]
end

--- Whether an agent runs in an empty directory, as the host decides it.
---@param name string
---@param agent botglue.Agent
---@param options botglue.Options
---@return boolean
function M.is_apart(name, agent, options)
  if agent.directory then
    return agent.directory == "empty"
  end
  return M.of(name, agent).loads == "directory" and not options.trust_project
end

--- Whether an agent does nothing of its own and of the project's before it has its message, as the host decides it. One
--- of the user's own may, unless it speaks ACP and runs in an empty directory.
---@param name string
---@param agent botglue.Agent
---@param options botglue.Options
---@return boolean
function M.is_isolated(name, agent, options)
  return M.of(name, agent).loads ~= "everything" or M.is_apart(name, agent, options)
end

return M
