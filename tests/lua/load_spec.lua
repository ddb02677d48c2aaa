local child = require("support.child")
local suite = require("support.suite")
local test, equal = suite.test, suite.equal

test("loading requires no module of ours and starts no process", function()
  local nvim = child.start()
  local loaded = nvim:lua([[
    return vim.tbl_filter(function(name) return name:find("^botglue") ~= nil end, vim.tbl_keys(package.loaded))
  ]])
  equal(loaded, {})
  equal(nvim:lua("return #vim.api.nvim_get_proc_children(vim.fn.getpid())"), 0)
  equal(nvim:lua("return vim.fn.exists(':Botglue')"), 2)
end)

test("the first prompt loads no more modules than it needs", function()
  local nvim = child.start()
  nvim:lua("vim.g.botglue = { host = ... }", require("support.host").PROGRAM)
  local loaded = nvim:lua([[
    vim.cmd("Botglue")
    return vim.tbl_filter(function(name) return name:find("^botglue") ~= nil end, vim.tbl_keys(package.loaded))
  ]])
  -- This number only falls.
  assert(#loaded <= 17, vim.inspect(loaded))
end)

local DEFAULTS = {
  xp = "run",
  xa = "ask",
  np = "insert",
  nr = "review",
  nj = "jobs",
  ny = "accept",
  nn = "reject",
  nf = "followup",
  xf = "followup",
  ng = "go",
}

--- The default maps that are there, by their modes and last keys.
---@return table<string, string>
local function ours(nvim)
  local found = {}
  for _, mode in ipairs({ "n", "x" }) do
    for _, map in ipairs(nvim:api("get_keymap", mode)) do
      local key, name = map.lhs:match("^\\p(.)$"), (map.rhs or ""):match("^<Plug>%(botglue%-(%l+)%)$")
      if key and name and vim.startswith(map.desc or "", "botglue: ") then
        found[mode .. key] = name
      end
    end
  end
  return found
end

test("each default key has a description, and gives way to keys of the user's and to the options", function()
  for given, missing in pairs({
    [""] = "none",
    ["vim.keymap.set('n', '<leader>p', 'p')"] = "^n",
    ["vim.keymap.set('x', '<leader>p', 'p')"] = "^x",
    ["vim.keymap.set('n', '<leader>pr', 'mine')"] = "^nr",
    ["vim.keymap.set('x', 'gz', '<Plug>(botglue-ask)')"] = "^xa",
    ["vim.g.botglue = { default_keymaps = false }"] = "",
    ["vim.g.botglue = function() return { default_keymaps = false } end"] = "",
    ["vim.g.botglue = 3"] = "none",
  }) do
    local expected = {}
    for key, name in pairs(DEFAULTS) do
      expected[key] = not key:find(missing) and name or nil
    end
    equal(ours(child.start(given)), expected, given)
  end
end)

test("default_keymaps = false takes away the keys that are still ours, and no others", function()
  local nvim = child.start()
  nvim:lua([[
    vim.keymap.set("n", "<leader>pr", "mine")
    vim.keymap.set("x", "<leader>pa", "mine")
    vim.keymap.set("n", "<leader>pj", "<Plug>(botglue-jobs)", { desc = "my jobs" })
    vim.keymap.set("n", "gz", "<Plug>(botglue-review)")
    require("botglue").setup({ default_keymaps = false })
  ]])
  local function mapped(keys, mode)
    return nvim:lua("return vim.fn.maparg(...)", keys, mode or "n")
  end
  equal({ mapped("<leader>pr"), mapped("<leader>pj"), mapped("gz") }, {
    "mine",
    "<Plug>(botglue-jobs)",
    "<Plug>(botglue-review)",
  })
  nvim:lua("vim.cmd.runtime('plugin/botglue.lua')")
  equal({ mapped("<leader>pp"), mapped("<leader>pp", "x"), mapped("<leader>pa", "x") }, { "", "", "mine" })
end)

test("setup() decides on the keys, before the plugin is loaded and after it", function()
  for wanted, expected in pairs({ [true] = DEFAULTS, [false] = {} }) do
    local given = ("vim.g.botglue = { default_keymaps = %s }"):format(not wanted)
    local setup = ("require('botglue').setup({ default_keymaps = %s })"):format(wanted)
    equal(ours(child.start(given .. " " .. setup)), expected, "before")
    local nvim = child.start(given)
    nvim:lua(setup)
    equal(ours(nvim), expected, "after")
  end
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
