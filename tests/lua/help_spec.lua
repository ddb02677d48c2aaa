-- The help has an entry for each thing that there is, and none for what there is not.

local child = require("support.child")
local suite = require("support.suite")
local test, equal = suite.test, suite.equal

local root = vim.fs.dirname(vim.api.nvim_get_runtime_file("plugin/botglue.lua", false)[1]) .. "/.."

local function read(path)
  return table.concat(vim.fn.readfile(root .. "/" .. path), "\n")
end

local help = read("doc/botglue.txt")

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

--- Fails unless the help says the same names as the code, and there are any.
---@param said string[]
---@param names string[]
local function same(said, names)
  assert(#names > 0, "there is none at all")
  table.sort(names)
  equal(said, names)
end

--- The part of the help between a tag and a later one.
---@param first string
---@param last string
local function between(first, last)
  local from, to = help:find("*" .. first .. "*", 1, true), help:find("*" .. last .. "*", 1, true)
  return help:sub(assert(from, first), assert(to, last))
end

--- The public names of the variants of an enum of the host's.
---@param path string
---@param enum string
local function variants(path, enum)
  local body = assert(read(path):match("\npub enum " .. enum .. " {\n(.-)\n}"), enum)
  local names = {}
  for name in body:gmatch("\n?%s+(%u%a+),") do
    names[#names + 1] = name:gsub("%u", "_%0"):sub(2):lower()
  end
  return names
end

--- The names of the tags without one that only explains.
---@param pattern string
local function tags(pattern)
  return captured(help, "%*" .. pattern .. "%*")
end

test("commands", function()
  same(tags(":Botglue%-(%l+)"), require("botglue.command").complete("", "Botglue "))
end)

test("functions of the API", function()
  same(tags("botglue%.([%l_]+)%(%)"), vim.tbl_keys(require("botglue")))
end)

test("options, and the fields of those that are tables", function()
  local defaults = require("botglue.config").defaults()
  local names = vim.tbl_keys(defaults)
  names[#names + 1] = "host"
  same(tags("botglue%-option%-([%l_]+)"), names)
  for _, option in ipairs({ "context", "status" }) do
    local entry = help:match("%*botglue%-option%-" .. option .. "%*(.-)%*botglue%-option%-")
    for field in pairs(defaults[option]) do
      assert(entry:find(field, 1, true), ("%s.%s is not in the help"):format(option, field))
    end
  end
end)

test("maps", function()
  local nvim = child.start()
  local names = nvim:lua([[
    local names = {}
    for _, mode in ipairs({ "n", "x", "o" }) do
      for _, map in ipairs(vim.api.nvim_get_keymap(mode)) do
        if vim.startswith(map.lhs, "<Plug>(botglue") then
          names[map.lhs] = true
        end
      end
    end
    return vim.tbl_keys(names)
  ]])
  same(tags("(<Plug>%(botglue%-[%l-]+%))"), names)
end)

test("default keys", function()
  local section = between("botglue-maps", "<Plug>(botglue-run)")
  same(captured(section, "<leader>p%l"), captured(read("plugin/botglue.lua"), '"(<leader>p%l)"'))
end)

test("events", function()
  local names = {}
  for path in vim.fs.dir(root .. "/lua/botglue", { depth = 9 }) do
    if path:match("%.lua$") then
      vim.list_extend(names, captured(read("lua/botglue/" .. path), '"(BotglueJob%a+)"'))
    end
  end
  same(tags("(BotglueJob%a+)"), vim.fn.uniq(vim.fn.sort(names)))
end)

test("error codes", function()
  local names = variants("src/error.rs", "Code")
  vim.list_extend(names, captured(read("lua/botglue/host/process.lua"), 'failure%(%s*"([%l_]+)"'))
  local said = captured(between("botglue-errors", "botglue-events"), '\n  "([%l_]+)"')
  same(said, vim.fn.uniq(vim.fn.sort(names)))
end)

test("reasons for which an answer is held", function()
  local said = captured(between("botglue-held", "botglue-review"), '\n  "([%l_]+)"')
  same(said, variants("src/land/mod.rs", "HeldFor"))
end)

test("fields of a job", function()
  local class = read("lua/botglue/types.lua"):match("@class botglue.JobTable\n(.-)\n\n")
  local said = {}
  for _, line in ipairs(vim.split(between("botglue-job", "botglue-errors"), "\n")) do
    vim.list_extend(said, captured((line .. "  "):match("^  (%l.-)  ") or "", "[%l_]+"))
  end
  for _, field in ipairs(captured(class, "@field ([%l_]+)")) do
    assert(vim.list_contains(said, field), field .. " is not in the help")
  end
end)

test("shipped agents", function()
  local names = vim.tbl_keys(require("botglue.config").defaults().agents)
  local rows = between("botglue-agents", "botglue-option-model")
  local said = captured(rows, "\n        ([%l-]+)  +[%l-]+  +[^\n]+")
  same(
    vim.tbl_filter(function(name)
      return name ~= "name"
    end, said),
    names
  )
end)

test("each highlight group links to what the help says, unless somebody has their own", function()
  local nvim = child.start()
  local links = nvim:lua([[
    vim.api.nvim_set_hl(0, "BotglueHeld", { link = "Todo" })
    require("botglue.ui.highlight").define()
    local links = {}
    for name, group in pairs(vim.api.nvim_get_hl(0, {})) do
      if vim.startswith(name, "Botglue") then
        links[name] = group.link or ""
      end
    end
    return links
  ]])
  equal(links.BotglueHeld, "Todo")
  links.BotglueHeld = "DiagnosticWarn"
  same(tags("hl%-(Botglue%a+)"), vim.tbl_keys(links))
  local said = {}
  for name, words in help:gmatch("\n(Botglue%a+) ([^\n]+)") do
    local link = links[name]
    -- Colours that are computed are no link; an event is no group.
    said[name] = link and link ~= "" and words:match("(%a+)$") or link
  end
  equal(said, links)
end)

test("each link to an entry of ours leads to one", function()
  for _, link in ipairs(captured(help, "|([^%s|]+)|")) do
    if link:match("^:?[Bb]otglue") or link:match("^<Plug>") or link:match("^hl%-") then
      assert(help:find("*" .. link .. "*", 1, true), link .. " is no entry")
    end
  end
end)
