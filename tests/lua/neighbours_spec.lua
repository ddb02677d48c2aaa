-- The recipes of the help that need no other plugin to be tried.

local child = require("support.child")
local suite = require("support.suite")
local contains, equal, test = suite.contains, suite.equal, suite.test

local root = vim.fs.dirname(vim.api.nvim_get_runtime_file("plugin/botglue.lua", false)[1]) .. "/.."

--- The code of a recipe, as the help has it.
---@param title string what stands before it
---@return string
local function recipe(title)
  local help = table.concat(vim.fn.readfile(root .. "/doc/botglue.txt"), "\n")
  local _, last = assert(help:find(title, 1, true))
  return (assert(help:match(">lua\n(.-)\n<", last)))
end

test("Neovim's own status line has the jobs", function()
  local nvim = child.with_job({ "one" }, child.line(1, 1))
  nvim:lua(recipe("Neovim's own (tried)"))
  contains(nvim:screen(), "1 running")
end)

test("completion in the prompt can be turned on again", function()
  local nvim = child.with_host({ "one" })
  nvim:lua([[
    _G.asked = {}
    package.loaded.cmp = { setup = { buffer = function(options) table.insert(asked, options.enabled) end } }
  ]])
  nvim:lua(recipe("Completion in the prompt ~"))
  nvim:type(":1Botglue<CR>")
  equal(
    nvim:lua("return { vim.bo.filetype, vim.b.completion, asked[#asked] }"),
    { "botglue-prompt", true, true }
  )
end)

test("the agents of the recipes are right options", function()
  for _, title in ipairs({ "ollama (untried)", "\nllm", "\naider" }) do
    local agents = assert(loadstring("return { " .. recipe(title) .. " }"))()
    equal(require("botglue.config").check(agents), {}, title)
  end
end)
