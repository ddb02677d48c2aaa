local child = require("support.child")
local suite = require("support.suite")
local test, equal = suite.test, suite.equal

local MAP = "return vim.fn.maparg('<leader>pp', 'x')"

test("loading requires no module of ours and starts no process", function()
  local nvim = child.start()
  local loaded = nvim:lua([[
    return vim.tbl_filter(function(name) return name:find("^botglue") ~= nil end, vim.tbl_keys(package.loaded))
  ]])
  equal(loaded, {})
  equal(nvim:lua("return #vim.api.nvim_get_proc_children(vim.fn.getpid())"), 0)
  equal(nvim:lua("return vim.fn.exists(':Botglue')"), 2)
end)

test("<leader>pp is ours by default, and goes with the option while it is ours", function()
  local nvim = child.start()
  equal(nvim:lua(MAP), "<Plug>(botglue-run)")
  nvim:lua("require('botglue').setup({ default_keymaps = false })")
  equal(nvim:lua(MAP), "")
  nvim = child.start()
  nvim:lua("vim.keymap.set('x', '<leader>pp', 'mine'); require('botglue').setup({ default_keymaps = false })")
  equal(nvim:lua(MAP), "mine")
end)

test("a key of the user's own, or none wanted, leaves <leader>pp alone", function()
  local function map_after(before)
    local nvim = child.start(before)
    return nvim:lua(MAP)
  end
  equal(map_after("vim.keymap.set('x', '<leader>pp', 'mine')"), "mine")
  equal(map_after("vim.keymap.set('x', 'gp', '<Plug>(botglue-run)')"), "")
  equal(map_after("vim.g.botglue = { default_keymaps = false }"), "")
  equal(map_after("vim.g.botglue = function() return { default_keymaps = false } end"), "")
  equal(map_after("vim.g.botglue = { timeout = 3 }"), "<Plug>(botglue-run)")
  equal(map_after("vim.g.botglue = 3"), "<Plug>(botglue-run)")
end)

local DEFAULTS = {
  { "x", "p", "<Plug>(botglue-run)" },
  { "x", "a", "<Plug>(botglue-ask)" },
  { "n", "p", "<Plug>(botglue-insert)" },
  { "n", "r", "<Plug>(botglue-review)" },
  { "n", "j", "<Plug>(botglue-jobs)" },
  { "n", "y", "<Plug>(botglue-accept)" },
  { "n", "n", "<Plug>(botglue-reject)" },
}

--- The default maps that are there, as their modes and last keys.
---@return string[]
local function ours(nvim)
  local found = {}
  for _, map in ipairs(DEFAULTS) do
    local mode, key, plug = unpack(map)
    local there =
      nvim:lua("return vim.fn.maparg('<leader>p' .. select(2, ...), (...), false, true)", mode, key)
    if there.rhs == plug then
      assert(vim.startswith(there.desc, "botglue: "), there.desc)
      found[#found + 1] = mode .. key
    end
  end
  return found
end

--- All of them but some.
---@param ... string
local function all_but(...)
  local missing, rest = { ... }, {}
  for _, map in ipairs(DEFAULTS) do
    local name = map[1] .. map[2]
    rest[#rest + 1] = not vim.tbl_contains(missing, name) and name or nil
  end
  return rest
end

test(
  "each default key has a description, and gives way to the user's key and to what is mapped otherwise",
  function()
    equal(ours(child.start()), all_but())
    for _, map in ipairs(DEFAULTS) do
      local mode, key, plug = unpack(map)
      local before = ("vim.keymap.set(%q, '<leader>p' .. %q, 'mine')"):format(mode, key)
      equal(ours(child.start(before)), all_but(mode .. key), before)
      before = ("vim.keymap.set(%q, 'gz', %q)"):format(mode, plug)
      equal(ours(child.start(before)), all_but(mode .. key), before)
    end
  end
)

test("there is no default key in a mode in which the user has mapped <leader>p", function()
  equal(ours(child.start("vim.keymap.set('n', '<leader>p', 'p')")), { "xp", "xa" })
  equal(ours(child.start("vim.keymap.set('x', '<leader>p', 'p')")), all_but("xp", "xa"))
end)

test("default_keymaps = false takes away the keys that are still ours, and no others", function()
  local nvim = child.start()
  nvim:lua([[
    vim.keymap.set("n", "<leader>pr", "mine")
    vim.keymap.set("n", "<leader>pj", "<Plug>(botglue-jobs)", { desc = "my jobs" })
    vim.keymap.set("n", "gz", "<Plug>(botglue-review)")
    require("botglue").setup({ default_keymaps = false })
  ]])
  local function mapped(keys)
    return nvim:lua("return vim.fn.maparg(..., 'n')", keys)
  end
  equal({ mapped("<leader>pr"), mapped("<leader>pj"), mapped("gz") }, {
    "mine",
    "<Plug>(botglue-jobs)",
    "<Plug>(botglue-review)",
  })
  equal({ mapped("<leader>pp"), mapped("<leader>py"), nvim:lua(MAP) }, { "", "", "" })
end)

test("<leader>pp in normal mode asks for what is inserted below the line", function()
  local nvim = child.with_host({ "one", "two", "three" })
  nvim:type("2G\\pp")
  suite.contains(nvim:screen(), "insert below")
  nvim:type("a line<C-s>")
  local sent = nvim:host("received", "run")[1]
  equal({ sent.selection.kind, sent.selection.first_line, sent.question }, { "insert", 2, false })
  nvim:type("<Esc>:1,2fold<CR>gg\\ppbelow the fold<C-s>")
  equal(nvim:host("received", "run")[2].selection.first_line, 2)
end)

test("<leader>pa asks about the selection, <leader>pj lists the jobs", function()
  local nvim = child.with_host({ "one", "two", "three" })
  nvim:type("2GV\\pawhy<C-s>")
  local sent = nvim:host("received", "run")[1]
  equal({ sent.question, sent.selection.text }, { true, { "two" } })
  nvim:type("\\pj")
  suite.contains(nvim:screen(), "╭ jobs ")
end)

test("loading twice does not bring the map back", function()
  local nvim = child.start()
  nvim:lua("require('botglue').setup({ default_keymaps = false }); vim.cmd.runtime('plugin/botglue.lua')")
  equal(nvim:lua(MAP), "")
end)
