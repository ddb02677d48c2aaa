local child = require("support.child")
local suite = require("support.suite")
local test, equal = suite.test, suite.equal

--- A child whose prompt is not shown: `_G.asked` is what it was opened with.
local function with_diagnostics(diagnostics)
  local nvim = child.with_host({ "one", "two", "three", "four" })
  nvim:lua(
    [[
      require("botglue.ui.prompt").ask = function(range, request, opts)
        local first, last = range:lines()
        _G.asked = { range.kind, first, last, opts.proposal }
      end
      vim.diagnostic.set(vim.api.nvim_create_namespace("test"), 0, ...)
    ]],
    diagnostics
  )
  return nvim
end

local function asked(nvim, keys)
  nvim:lua("_G.asked = nil")
  nvim:type(keys)
  return nvim:lua("return asked")
end

test("on a line with a diagnostic a prompt without words and range proposes to fix it", function()
  local nvim = with_diagnostics({
    { lnum = 1, end_lnum = 2, col = 0, end_col = 2, message = "no such name\nhelp: declare it" },
  })
  equal(asked(nvim, "2G:Botglue run<CR>"), { "line", 2, 3, "fix: no such name" })
  equal(asked(nvim, "3G:Botglue<CR>"), { "line", 2, 3, "fix: no such name" })
  equal(asked(nvim, "4G:Botglue run<CR>"), { "insert", 4, 4 })
  equal(asked(nvim, ":3,4Botglue<CR>"), { "line", 3, 4, "fix: no such name" })
  equal(asked(nvim, ":2,3Botglue ask<CR>"), { "line", 2, 3 })
  equal(asked(nvim, "2GV\\pp"), { "line", 2, 2, "fix: no such name" })
end)

test("several diagnostics are named once each, many are counted", function()
  local function at(lnum, message)
    return { lnum = lnum, col = 0, message = message }
  end
  local nvim = with_diagnostics({ at(0, "a"), at(0, "b"), at(0, "a"), at(1, "c"), at(2, "d") })
  equal(asked(nvim, "1G:Botglue<CR>"), { "line", 1, 1, "fix: a; b" })
  equal(asked(nvim, ":1,2Botglue<CR>"), { "line", 1, 2, "fix: a; b; c" })
  equal(asked(nvim, ":%Botglue<CR>"), { "line", 1, 4, "fix these 4 diagnostics" })
end)

test("a diagnostic that ends before the first column of a row does not touch it", function()
  local nvim = with_diagnostics({ { lnum = 0, end_lnum = 1, col = 0, end_col = 0, message = "a" } })
  equal(asked(nvim, "1G:Botglue<CR>"), { "line", 1, 1, "fix: a" })
  equal(asked(nvim, "2G:Botglue<CR>"), { "insert", 2, 2 })
  equal(asked(nvim, ":2Botglue<CR>"), { "line", 2, 2 })
end)

test("with the option context.diagnostics off nothing is proposed", function()
  local nvim = with_diagnostics({ { lnum = 0, col = 0, message = "a" } })
  nvim:lua("require('botglue').setup({ context = { diagnostics = false } })")
  equal(asked(nvim, "1G:Botglue<CR>"), { "insert", 1, 1 })
  equal(asked(nvim, ":1Botglue<CR>"), { "line", 1, 1 })
end)
