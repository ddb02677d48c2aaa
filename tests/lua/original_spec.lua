-- What users of the Lua plugin of the same name (0.2.1) have in their configuration and in their fingers works: see
-- |botglue-from-original|.

local child = require("support.child")
local suite = require("support.suite")
local contains, equal, test = suite.contains, suite.equal, suite.test

-- Its defaults, as its README gives them.
local SETUP = [[
  require("botglue").setup({
    model = "opus",
    models = { "opus", "sonnet", "haiku" },
    default_keymaps = %s,
    timeout = 300,
    max_turns = 3,
    ai_stdout_rows = 5,
  })
]]

local function sent(nvim)
  local request = nvim:request(1)
  return { request.prompt, request.selection.kind, request.selection.text, request.model }
end

test("its setup() sets the same options, and names the one that is no more", function()
  local nvim = child.with_host({ "one" })
  nvim:lua(SETUP:format("true"))
  nvim:run(child.line(1))
  local told = nvim:host("received", "options")[1]
  equal({ nvim:job(1).model, told.timeout, told.max_turns }, { "opus", 300, 3 })
  contains(nvim:messages(), "there is no option ai_stdout_rows")
  equal(nvim:messages():find("max_turns"), nil)
end)

test("its way to map another key", function()
  local nvim = child.with_host({ "one two", "b" })
  nvim:lua([[
    require("botglue").setup({ default_keymaps = false })
    vim.keymap.set("x", "<leader>x", require("botglue").run, { desc = "Botglue: run" })
  ]])
  nvim:type("V\\xshorter<Esc><CR>")
  local words = sent(nvim)
  equal({ words[1], words[2], words[3] }, { "shorter", "line", { "one two" } })
end)
