local option = require("botglue.options")
local suite = require("support.suite")
local test, equal, contains = suite.test, suite.equal, suite.contains

--- Calls a function with `vim.g.botglue` set.
local function with_global(value, fn)
  vim.g.botglue = value
  suite.finally(function()
    vim.g.botglue = nil
  end)
  return fn()
end

test("the defaults pass their own check, and resolve to themselves", function()
  local options, unknown = option.resolve(option.defaults())
  equal(unknown, {})
  options.given_agent = nil
  equal(options, option.defaults())
  equal((option.resolve(nil)), option.defaults())
end)

test("maps are merged deeply, lists are replaced whole", function()
  local options = option.resolve({
    agents = {
      claude = { command = { "wrapper", "claude" } },
      mine = { protocol = "text", command = { "cat" } },
    },
    context = { lines = 10 },
    tools = {},
    models = { "haiku" },
  })
  equal(
    options.agents.claude,
    { protocol = "claude", command = { "wrapper", "claude" }, args = {}, env = {} }
  )
  equal(options.agents.droid, option.defaults().agents.droid)
  equal(options.agents.mine, { protocol = "text", command = { "cat" } })
  equal(options.context, { lines = 10, bytes = 200000, diagnostics = true, rules = true })
  equal({ options.tools, options.models }, { {}, { "haiku" } })
end)

test("what was given is not kept hold of", function()
  local function given()
    return { agents = { claude = { env = { A = "1" } }, mine = { protocol = "text", command = { "cat" } } } }
  end
  local mine = given()
  local options = option.resolve(mine)
  options.agents.claude.env.A = "2"
  options.agents.claude.args[1] = "--x"
  options.agents.mine.command[1] = "dog"
  equal(mine, given())
  equal(option.defaults().agents.claude.args, {})
end)

test("vim.g.botglue is a table or a function, and setup() wins", function()
  with_global({ timeout = 5, review = true }, function()
    equal(option.resolve(nil).timeout, 5)
    local options = option.resolve({ timeout = 7 })
    equal({ options.timeout, options.review }, { 7, true })
  end)
  with_global(function()
    return { timeout = 6 }
  end, function()
    equal(option.resolve(nil).timeout, 6)
  end)
  for given, words in pairs({
    [3] = "botglue: vim.g.botglue must be a table, got 3",
    [{ timeout = 0 }] = "botglue: vim.g.botglue.timeout must be seconds, 0.001 or more",
    [{ agent = "gpt" }] = 'botglue: vim.g.botglue.agent: unknown agent "gpt"',
  }) do
    with_global(given, function()
      contains(suite.raises(option.resolve), words)
    end)
  end
end)

test("a wrong option raises one error that names its path", function()
  local function wrong(given, path, expected)
    local err = suite.raises(function()
      option.resolve(given)
    end)
    contains(err, "botglue: option " .. path .. " must be " .. expected)
    equal(err:find("\n"), nil, "one line")
    equal(err:find("%.lua:"), nil, "no place in our source")
  end
  wrong({ agent = 1 }, "agent", "a string")
  wrong({ timeout = 0 }, "timeout", "seconds, 0.001 or more")
  wrong({ timeout = "5" }, "timeout", "seconds, 0.001 or more")
  wrong({ max_parallel = 0 }, "max_parallel", "a whole number from 1")
  wrong({ max_turns = true }, "max_turns", "a whole number from 1 or false")
  for _, cost in ipairs({ 0, -1, 1 / 0, 0 / 0, true, "1" }) do
    wrong({ max_cost_usd = cost }, "max_cost_usd", "a number above 0 or false")
  end
  wrong({ data_dir = "" }, "data_dir", "an absolute path")
  wrong({ data_dir = "here" }, "data_dir", "an absolute path")
  wrong({ tools = "Read" }, "tools", "a list of names of tools")
  wrong({ model = true }, "model", "the name of a model or false")
  wrong({ models = { "opus", " " } }, "models", "a list of names of models or false")
  wrong({ model = "--settings" }, "model", "the name of a model or false")
  wrong(
    { agents = { droid = { model = "two words" } } },
    "agents.droid.model",
    "the name of a model or false"
  )
  wrong({ tools = { "Read", "--tools" } }, "tools", "a list of names of tools")
  wrong({ context = { lines = -1 } }, "context.lines", "a whole number from 0")
  wrong({ status = { preview = "yes" } }, "status.preview", "a whole number")
  wrong({ notify = true }, "notify", 'one of "all", "failures", "none"')
  wrong({ agents = { claude = "claude" } }, "agents.claude", "a table")
  wrong(
    { agents = { claude = { command = {} } } },
    "agents.claude.command",
    "a program, or a list of strings"
  )
  wrong({ agents = { claude = { protocol = "json" } } }, "agents.claude.protocol", "one of")
  wrong({ agents = { claude = { env = { A = 1 } } } }, "agents.claude.env", "a table of strings")
  wrong({ agents = { mine = { command = { "x" } } } }, "agents.mine.protocol", "one of")
  wrong(
    { agents = { mine = { protocol = "text" } } },
    "agents.mine.command",
    "a program, or a list of strings"
  )
  wrong({ agents = { codex = { mode = "" } } }, "agents.codex.mode", "the name of a mode")
  wrong(
    { agents = { codex = { directory = "/tmp" } } },
    "agents.codex.directory",
    'one of "project", "empty"'
  )
  for _, meta in ipairs({ "x", { 1 }, { a = { 1, b = 2 } }, { a = print }, { [3] = 1 } }) do
    wrong({ agents = { codex = { meta = meta } } }, "agents.codex.meta", "a table of JSON values")
  end
end)

test("only an agent that speaks ACP has a mode, meta and a directory", function()
  local mine =
    { protocol = "acp", command = { "x" }, mode = "ask", meta = { a = { true } }, directory = "empty" }
  local options, unknown = option.resolve({ agents = { mine = mine } })
  equal({ options.agents.mine, unknown }, { mine, {} })
  for field, value in pairs({ mode = "plan", meta = { a = 1 }, directory = "empty" }) do
    equal(
      suite.raises(function()
        option.resolve({ agents = { droid = { [field] = value } } })
      end),
      ('botglue: option agents.droid.%s needs protocol = "acp", not "droid"'):format(field)
    )
  end
end)

test("the data directory may begin with the home directory or a variable", function()
  local home = vim.fs.normalize("~")
  equal(option.resolve({ data_dir = "~/data" }).data_dir, home .. "/data")
  equal(option.resolve({ data_dir = "$HOME/data" }).data_dir, home .. "/data")
end)

test("an agent that does not exist names those that do", function()
  local err = suite.raises(function()
    option.resolve({ agent = "gpt" })
  end)
  contains(err, 'botglue: option agent: unknown agent "gpt"; use claude, codex, copilot, ')
  equal(err:find("\n"), nil)
end)

test("an unknown option is named, and does no harm", function()
  local options, unknown = option.resolve({
    timeuot = 3,
    context = { line = 1 },
    agents = { claude = { comand = {} } },
    timeout = 9,
  })
  equal(unknown, { "agents.claude.comand", "context.line", "timeuot" })
  equal(options.timeout, 9)
end)

test("a command may be a string, whatever the protocol", function()
  for _, protocol in ipairs({ "claude", "droid", "acp", "text" }) do
    local options = option.resolve({ agents = { mine = { protocol = protocol, command = "/opt/my agent" } } })
    equal(options.agents.mine.command, { "/opt/my agent" }, protocol)
  end
  for name, agent in pairs(option.resolve({ agents = { claude = { command = "wrapper" } } }).agents) do
    equal(agent.command[1], name == "claude" and "wrapper" or option.defaults().agents[name].command[1])
  end
end)

test("the host is told which agent the user gave, and nothing that does not exist", function()
  equal(option.resolve(nil).given_agent, nil)
  with_global({ agent = "droid", colour = print }, function()
    local options = option.resolve({ agents = { codex = { args = { "-x" }, comand = print } } })
    equal({ options.given_agent, options.colour, options.agents.codex.comand }, { "droid" })
  end)
end)
