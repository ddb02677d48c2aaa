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

local DEFAULTS = {
  { "x", "p", "<Plug>(botglue-run)" },
  { "x", "a", "<Plug>(botglue-ask)" },
  { "n", "p", "<Plug>(botglue-insert)" },
  { "n", "r", "<Plug>(botglue-review)" },
  { "n", "j", "<Plug>(botglue-jobs)" },
  { "n", "y", "<Plug>(botglue-accept)" },
  { "n", "n", "<Plug>(botglue-reject)" },
  { "n", "f", "<Plug>(botglue-followup)" },
  { "x", "f", "<Plug>(botglue-followup)" },
  { "n", "g", "<Plug>(botglue-go)" },
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

test("each default key has a description, and gives way to keys of the user's and to the options", function()
  local cases = {
    { "", all_but() },
    { "vim.keymap.set('n', '<leader>p', 'p')", { "xp", "xa", "xf" } },
    { "vim.keymap.set('x', '<leader>p', 'p')", all_but("xp", "xa", "xf") },
    { "vim.g.botglue = { default_keymaps = false }", {} },
    { "vim.g.botglue = function() return { default_keymaps = false } end", {} },
    { "vim.g.botglue = 3", all_but() },
  }
  for _, map in ipairs(DEFAULTS) do
    local mode, key, plug = unpack(map)
    local rest = all_but(mode .. key)
    cases[#cases + 1] = { ("vim.keymap.set(%q, '<leader>p' .. %q, 'mine')"):format(mode, key), rest }
    cases[#cases + 1] = { ("vim.keymap.set(%q, 'gz', %q)"):format(mode, plug), rest }
  end
  for _, case in ipairs(cases) do
    equal(ours(child.start(case[1])), case[2], case[1])
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
