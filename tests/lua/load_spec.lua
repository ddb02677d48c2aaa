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

--- The default maps that are there in normal mode.
local function normal_maps(nvim)
  return vim.tbl_filter(function(key)
    return nvim:lua("return vim.fn.maparg('<leader>p' .. ..., 'n')", key):find("^<Plug>%(botglue") ~= nil
  end, { "r", "y", "n" })
end

test(
  "review, accept and reject have keys by default, unless the user has mapped them or what they begin with",
  function()
    local nvim = child.start()
    equal(normal_maps(nvim), { "r", "y", "n" })
    nvim:lua(
      "vim.keymap.set('n', '<leader>pr', 'mine'); require('botglue').setup({ default_keymaps = false })"
    )
    equal(normal_maps(nvim), {})
    equal(nvim:lua("return vim.fn.maparg('<leader>pr', 'n')"), "mine")
    equal(normal_maps(child.start("vim.keymap.set('n', '<leader>p', 'p')")), {})
    equal(normal_maps(child.start("vim.keymap.set('n', '<leader>py', 'mine')")), { "r", "n" })
    equal(normal_maps(child.start("vim.keymap.set('n', 'gr', '<Plug>(botglue-review)')")), { "y", "n" })
  end
)

test("loading twice does not bring the map back", function()
  local nvim = child.start()
  nvim:lua("require('botglue').setup({ default_keymaps = false }); vim.cmd.runtime('plugin/botglue.lua')")
  equal(nvim:lua(MAP), "")
end)
