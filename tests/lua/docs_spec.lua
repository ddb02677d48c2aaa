-- README and help say nothing that is not so: what they name exists, what exists is named, and their code loads.

local child = require("support.child")
local suite = require("support.suite")
local test, equal = suite.test, suite.equal

local root = vim.fs.dirname(vim.api.nvim_get_runtime_file("plugin/botglue.lua", false)[1]) .. "/.."

local function read(path)
  return table.concat(vim.fn.readfile(root .. "/" .. path), "\n")
end

local readme, help = read("README.md"), read("doc/botglue.txt")

--- What a pattern captures in a text, each once, sorted.
---@param text string
---@param pattern string
---@return string[]
local function captured(text, pattern)
  local names = {}
  for name in text:gmatch(pattern) do
    names[name] = true
  end
  names = vim.tbl_keys(names)
  table.sort(names)
  return names
end

--- The part of the help between a tag and a later one.
local function between(first, last)
  return assert(help:match("%*" .. vim.pesc(first) .. "%*(.-)%*" .. vim.pesc(last) .. "%*"), first)
end

--- The public names of the values of an enum of the host's.
local function variants(path, enum)
  return captured(read(path):match("pub enum " .. enum .. " {\n(.-)\n%s+}"), '= "([%l_]+)"')
end

--- What a child has: its `<Plug>` maps, and the standard group of each of ours.
local function in_neovim()
  return unpack(child.start():lua([[
    local maps, links = {}, {}
    for _, mode in ipairs({ "n", "x", "o" }) do
      for _, map in ipairs(vim.api.nvim_get_keymap(mode)) do
        maps[map.lhs:match("^<Plug>%(botglue.*") or ""] = true
      end
    end
    maps[""] = nil
    require("botglue.ui.highlight").define()
    for name, group in pairs(vim.api.nvim_get_hl(0, {})) do
      links[name:match("^Botglue.*") or ""] = group.link
    end
    links[""] = nil
    return { vim.tbl_keys(maps), links }
  ]]))
end

local function commands()
  return captured(read("src/command/subcommands.rs"), 'Subcommand { name: "(%l+)"')
end

test("the help has an entry for each thing that there is, and none for what there is not", function()
  local options, lua = require("botglue.options").defaults(), read("types/botglue.lua")
  local maps, links = in_neovim()
  for path in vim.fs.dir(root .. "/lua/botglue", { depth = 9 }) do
    lua = lua .. (path:match("%.lua$") and read("lua/botglue/" .. path) or "")
  end
  local codes = variants("src/error.rs", "Code")
  vim.list_extend(codes, captured(read("lua/botglue/host/process.lua"), '"(host_%l+)"'))
  local agents =
    captured(between("botglue-agents", "botglue-option-model"), "\n        ([%l-]+)  +[%l-]+  +[^\n]+")
  for what, names in pairs({
    commands = { captured(help, "%*:Botglue%-(%l+)%*"), commands() },
    functions = { captured(help, "%*botglue%.([%l_]+)%(%)%*"), vim.tbl_keys(require("botglue")) },
    options = {
      captured(help, "%*botglue%-option%-([%l_]+)%*"),
      vim.list_extend(vim.tbl_keys(options), { "host" }),
    },
    maps = { captured(help, "%*(<Plug>%(botglue%-[%l-]+%))%*"), maps },
    keys = {
      captured(between("botglue-maps", "<Plug>(botglue-run)"), "<leader>p%l"),
      captured(read("plugin/botglue.lua"), '"(<leader>p%l)"'),
    },
    events = { captured(help, "%*(BotglueJob%a+)%*"), captured(lua, '"(BotglueJob%a+)"') },
    codes = { captured(between("botglue-errors", "botglue-events"), '\n  "([%l_]+)"'), codes },
    held = {
      captured(between("botglue-held", "botglue-review"), '\n  "([%l_]+)"'),
      variants("src/land/mod.rs", "HeldFor"),
    },
    agents = {
      vim.tbl_filter(function(name)
        return name ~= "name"
      end, agents),
      vim.tbl_keys(options.agents),
    },
    groups = { captured(help, "%*hl%-(Botglue%a+)%*"), vim.tbl_keys(links) },
  }) do
    local said, there = names[1], vim.fn.uniq(vim.fn.sort(names[2]))
    equal({ #there > 0, said }, { true, there }, what)
  end
  for group, standard in pairs(links) do
    equal(help:match("\n" .. group .. " [^\n]*  (%a+)\n"), standard, group)
  end
  for _, option in ipairs({ "context", "status" }) do
    local entry = help:match("%*botglue%-option%-" .. option .. "%*(.-)%*botglue%-option%-")
    for field in pairs(options[option]) do
      assert(entry:find(field, 1, true), ("%s.%s is not in the help"):format(option, field))
    end
  end
  local fields = between("botglue-job", "botglue-errors")
  local facts = lua:match("@class botglue.JobFacts[^\n]*\n(.-)\n\n")
  local own = lua:match("@class botglue.JobTable[^\n]*\n(.-)\n\n")
  for _, field in ipairs(captured(facts .. own, "@field ([%l_]+)")) do
    assert(fields:find("%f[%l_]" .. field .. "%f[^%l_]"), field .. " is not in the help")
  end
end)

test("what README and help name exists: commands, entries, make targets, files, agents", function()
  local options, makefile = require("botglue.options").defaults(), "\n" .. read("Makefile")
  for name in readme:gmatch(":?Botglue!? (%l+)") do
    assert(vim.list_contains(commands(), name), name)
  end
  local named =
    vim.list_extend(captured(readme, "`:help ([^`]+)`"), captured(help, "|(:?[Bb]otglue[^%s|]*)|"))
  for _, tag in ipairs(vim.list_extend(named, captured(help, "|(<Plug>[^%s|]+)|"))) do
    assert(help:find("*" .. tag .. "*", 1, true), tag .. " is no entry")
  end
  for target in readme:gmatch("make (%l+)[`%s]") do
    assert(makefile:find("\n" .. target .. ":", 1, true), target)
  end
  for file in readme:gmatch("%]%(([%w/._-]+)%)") do
    assert(vim.uv.fs_stat(root .. "/" .. file), file)
  end
  for name, program in readme:gmatch("\n| `([%l-]+)` | `([%l-]+)` |") do
    equal(options.agents[name].command[1], program)
  end
  suite.contains(readme, ("its timeout (%d seconds)"):format(options.timeout))
  suite.contains(readme, ("(%d lines each way, 200,000 bytes)"):format(options.context.lines))
  suite.contains(readme, ("Rust %s or newer"):format(read("Cargo.toml"):match('rust%-version = "([%d.]+)"')))
end)

test("their Lua can be loaded", function()
  local blocks = vim.list_extend(captured(readme, "```lua\n(.-)```"), captured(help, ">lua\n(.-)\n[<%S]"))
  assert(#blocks > 5, #blocks .. " blocks")
  for _, code in ipairs(blocks) do
    -- A table is part of another one, as the spec of a plugin.
    local ok = loadstring(code) or loadstring("return " .. code) or loadstring("return {" .. code .. "}")
    assert(ok, "no Lua: " .. code)
  end
end)
