-- The agent and the model of a prompt: the keys that change them, and which come first.

local child = require("support.child")
local suite = require("support.suite")
local contains, equal, test = suite.contains, suite.equal, suite.test

local function start()
  return child.with_host(child.numbered(60))
end

local function sent(nvim)
  return nvim:host("received", "run")
end

--- The agent and the model that the title of the prompt has.
local function choice(nvim)
  return nvim:screen():match("╭ [^\n]-%l · ([%w ]-) ─")
end

test("<S-Tab> goes through the models, <Tab> through the agents, and each keeps its model", function()
  local nvim = start()
  nvim:lua([[require("botglue").setup({
    models = { "opus", "sonnet" },
    agents = {
      droid = { command = { "true" } },
      mine = { protocol = "text", command = { "cat" }, model = "a", models = { "a", "b" } },
    },
  })]])
  for _, case in ipairs({
    { ":2Botglue<CR>", "claude" },
    { "<S-Tab>", "claude opus" },
    { "<S-Tab>", "claude sonnet" },
    { "<S-Tab>", "claude" },
    { "<S-Tab><S-Tab><Tab>", "droid" },
    { "<S-Tab><Tab>", "mine a" },
    { "<S-Tab>", "mine b" },
    { "<Esc><Tab>", "claude sonnet" },
    { "<Tab><Tab>", "mine b" },
  }) do
    nvim:type(case[1])
    equal(choice(nvim), case[2], case[1])
  end
  nvim:type("ihello<C-s>")
  local request = sent(nvim)[1]
  equal({ request.agent, request.model, request.prompt }, { "mine", "b", "hello" })
end)

test("a session stays with its agent, but may go on with another model", function()
  local nvim = start()
  nvim:run(child.line(1), { model = "opus" })
  nvim:answer(1, { "1" }, { session_id = "s" })
  nvim:type(":Botglue followup<CR><Tab><S-Tab>")
  contains(nvim:screen(), "follow up · claude")
  contains(nvim:screen(), "<Esc>q close · <S-Tab> model · <C-p> earlier", "no key that does nothing")
  nvim:type("on<S-Tab><S-Tab><C-s>")
  local request = sent(nvim)[2]
  equal({ request.agent, request.model, request.resume.session_id }, { "claude", "haiku", "s" })
end)

test("where a job wrote the lines <C-g> goes on in its session, too", function()
  local nvim = start()
  nvim:run(child.line(2), { model = "opus" })
  nvim:answer(1, { "new" }, { session_id = "s" })
  nvim:type(":2Botglue<CR>on<C-g><C-g><C-g>")
  contains(nvim:screen(), "follow up · claude")
  nvim:type("<C-s>")
  local request = sent(nvim)[2]
  equal({ request.agent, request.resume.session_id, request.selection.text }, { "claude", "s", { "new" } })
end)

test("what was asked for is where it begins", function()
  local nvim = start()
  nvim:lua([[require("botglue").setup({ model = "haiku" })]])
  nvim:type(":lua require('botglue').run({ model = 'own', review = true })<CR>x")
  contains(nvim:screen(), "claude own")
  nvim:type("<C-s>")
  equal({ sent(nvim)[1].model, sent(nvim)[1].review }, { "own", true })
end)

local AGENTS = [[{
  droid = { command = { "true" } },
  mine = { protocol = "text", command = { "cat" }, models = { "a", "b" } },
}]]

--- A child in a project.
---@param options string? fields of the options, as Lua
local function in_project(options)
  local nvim = child.with_host({ "one", "two" })
  nvim:lua(
    ("vim.g.botglue = vim.tbl_deep_extend('force', vim.g.botglue, { agents = %s %s })"):format(
      AGENTS,
      options and ", " .. options or ""
    )
  )
  return nvim
end

--- What a prompt begins with.
local function first(nvim, keys)
  nvim:type(keys or ":2Botglue<CR>")
  local words = choice(nvim)
  nvim:type("<Esc><Esc>")
  return words
end

local function choose(nvim, keys)
  nvim:type(":1Botglue<CR>" .. keys .. "<Esc><Esc>")
end

test("they come first in the next prompt, whether this one was sent or not", function()
  local nvim = in_project()
  equal(first(nvim), "claude")
  choose(nvim, "<S-Tab>")
  equal(first(nvim), "claude opus")
  nvim:type(":1Botglue<CR><Tab><Tab><S-Tab>words<C-s>")
  equal(nvim:host("received", "run")[1].agent, "mine")
  equal(first(nvim), "mine a")
end)

test("where nothing was chosen, the agent of the project's newest job comes first", function()
  local function learned(options)
    local nvim = in_project(options)
    nvim:lua([[
      local project = vim.fn.getcwd()
      require("support.journal").write({
        { uuid = "1", agent = "droid", project = project, ended_ms = 1 },
        { uuid = "2", agent = "mine", project = project, ended_ms = 2 },
        { uuid = "3", agent = "droid", project = "/other", ended_ms = 3 },
      })
    ]])
    nvim:type(":2Botglue<CR>")
    return choice(nvim)
  end
  equal(learned(), "mine")
  equal(learned("agent = 'claude'"), "claude")
end)

test("each project has its own", function()
  local nvim = in_project()
  choose(nvim, "<Tab>")
  nvim:lua([[
    local other = vim.fn.tempname()
    vim.fn.mkdir(other .. "/.git", "p")
    vim.cmd("silent edit " .. other .. "/a.txt")
  ]])
  equal(first(nvim, ":1Botglue<CR>"), "claude")
  choose(nvim, "<S-Tab>")
  nvim:type(":buffer 1<CR>")
  equal(first(nvim), "droid")
end)
