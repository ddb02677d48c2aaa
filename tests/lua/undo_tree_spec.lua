-- Which changes a text has in it, told by Neovim's undo tree.

local child = require("support.child")
local suite = require("support.suite")
local test, equal = suite.test, suite.equal

test("a change is in the text until it is undone, on whatever branch", function()
  local nvim = child.with_host({ "" })
  local function type(keys, expected)
    nvim:type(keys)
    equal(
      nvim:lua([[
        local undo_tree = require("botglue.undo_tree")
        local has = {}
        for change = first, last do
          has[#has + 1] = undo_tree.has(1, change)
        end
        return has
      ]]),
      expected,
      keys
    )
  end
  nvim:lua("first = require('botglue.undo_tree').state(1) + 1; last = first - 1")
  local function made(keys, expected)
    nvim:lua("last = last + 1")
    type(keys, expected)
  end
  made("ia<Esc>", { true })
  made("ib<Esc>", { true, true })
  type("u", { true, false })
  made("ic<Esc>", { true, false, true })
  type("uu", { false, false, false })
  made("id<Esc>", { false, false, false, true })
  type("g-", { true, false, true, false })
  type("g-", { true, true, false, false })
  type("g-", { true, false, false, false })
  type("g-", { false, false, false, false })
  type("g+g+g+", { true, false, true, false })
end)

test("of a change that is forgotten nothing is known", function()
  local nvim = child.with_host({ "" })
  nvim:type("ia<Esc>")
  equal(nvim:lua("return require('botglue.undo_tree').has(1, 99) == nil"), true)
  nvim:lua([[
    made = require("botglue.undo_tree").state(1)
    vim.bo.undolevels = -1
    vim.api.nvim_buf_set_lines(0, 0, -1, true, { "new" })
    vim.bo.undolevels = 1000
  ]])
  equal(nvim:lua("return require('botglue.undo_tree').has(1, made) == nil"), true)
end)

test(
  "the tree begins behind what was known where the file was read again and that cannot be undone",
  function()
    for reading, is_behind in pairs({ [""] = false, [":set undoreload=0<CR>"] = true }) do
      local nvim = child.with_host({ "a" })
      nvim:lua("vim.cmd.file(vim.fn.tempname()) vim.cmd('silent write')")
      local states = {}
      local function note()
        table.insert(states, nvim:lua("return require('botglue.undo_tree').state(1)"))
      end
      note()
      for _, keys in ipairs({ "Ax<Esc>", "Ay<Esc>", "u" }) do
        nvim:type(keys)
        note()
      end
      nvim:type(reading .. ":edit!<CR>")
      local function is()
        return nvim:lua(
          [[local known = {}
        for _, state in ipairs({ ... }) do
          known[state] = true
        end
        return require("botglue.undo_tree").is_behind(1, known)]],
          unpack(states)
        )
      end
      equal(is(), is_behind, reading)
      nvim:type("Az<Esc>")
      note()
      equal(is(), false, reading)
    end
  end
)
