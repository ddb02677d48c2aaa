-- The help and the README name all that there is: a command, a function, an option or a group without its entry is
-- found by nobody.

local child = require("support.child")
local suite = require("support.suite")
local test, equal = suite.test, suite.equal

local root = vim.fs.dirname(vim.api.nvim_get_runtime_file("plugin/botglue.lua", false)[1]) .. "/.."

local function read(path)
  return table.concat(vim.fn.readfile(root .. "/" .. path), "\n")
end

local help, readme = read("doc/botglue.txt"), read("README.md")

--- Of some names those for which the help has no tag.
---@param format string the tag of a name
---@param names string[]
local function without_tag(format, names)
  assert(#names > 0, "there is none at all")
  return vim.tbl_filter(function(name)
    return not help:find("*" .. format:format(name) .. "*", 1, true)
  end, names)
end

test("each command has its tag in the help and its row in the README", function()
  local names = require("botglue.commands").complete("", "Botglue ")
  equal(without_tag(":Botglue-%s", names), {})
  local missing = vim.tbl_filter(function(name)
    return not readme:find("Botglue " .. name, 1, true)
  end, names)
  equal(missing, {})
end)

test("each function has its tag in the help", function()
  equal(without_tag("botglue.%s()", vim.tbl_keys(require("botglue"))), {})
end)

test("each option has its tag in the help and its default in the README", function()
  local names = vim.tbl_keys(require("botglue.config").defaults())
  names[#names + 1] = "host"
  equal(without_tag("botglue-option-%s", names), {})
  local missing = vim.tbl_filter(function(name)
    return not readme:find("\n  " .. name .. " = ", 1, true)
  end, names)
  equal(missing, {})
end)

test("each map has its tag in the help", function()
  local nvim = child.start()
  local names = nvim:lua([[
    local names = {}
    for _, mode in ipairs({ "n", "x" }) do
      for _, map in ipairs(vim.api.nvim_get_keymap(mode)) do
        if vim.startswith(map.lhs, "<Plug>(botglue") then
          names[map.lhs] = true
        end
      end
    end
    return vim.tbl_keys(names)
  ]])
  equal(without_tag("%s", names), {})
end)

test("each highlight group links to what the help says, unless somebody has their own", function()
  local nvim = child.start()
  local links = nvim:lua([[
    vim.api.nvim_set_hl(0, "BotglueHeld", { link = "Todo" })
    require("botglue.ui.highlight").define()
    local links = {}
    for name, group in pairs(vim.api.nvim_get_hl(0, {})) do
      if vim.startswith(name, "Botglue") then
        links[name] = group.link
      end
    end
    return links
  ]])
  equal(links.BotglueHeld, "Todo")
  links.BotglueHeld = "DiagnosticWarn"
  equal(without_tag("hl-%s", vim.tbl_keys(links)), {})
  local said = {}
  for name, words in help:gmatch("\n(Botglue%a+) ([^\n]+)") do
    if links[name] then
      said[name] = words:match("(%a+)$")
    end
  end
  equal(said, links)
end)

test("each link to an entry of ours leads to one", function()
  local links = {}
  for link in help:gmatch("|([^%s|]+)|") do
    if link:match("^:?[Bb]otglue") or link:match("^<Plug>") or link:match("^hl%-") then
      links[link] = true
    end
  end
  equal(without_tag("%s", vim.tbl_keys(links)), {})
end)
