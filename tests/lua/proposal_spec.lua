local child = require("support.child")
local suite = require("support.suite")
local test, equal = suite.test, suite.equal

local function with_diagnostics(...)
  local nvim = child.with_host({ "one", "two", "three", "four" })
  nvim:lua("vim.diagnostic.set(vim.api.nvim_create_namespace('test'), 0, { ... })", ...)
  return nvim
end

local function at(lnum, message)
  return { lnum = lnum, col = 0, message = message }
end

--- What the prompt proposes that these keys open, and the lines that it is about, once it is sent.
local function proposed(nvim, keys)
  nvim:type(keys)
  local text = table.concat(nvim:lines(), "/")
  nvim:type(text == "" and "x<C-s>" or "<C-s>")
  local sent = nvim:host("received", "run")
  local selection = sent[#sent].selection
  return { selection.kind, selection.first_line, selection.last_line, text }
end

test("on a line with a diagnostic a prompt without words and range proposes to fix it", function()
  local nvim = with_diagnostics({
    lnum = 1,
    end_lnum = 2,
    col = 0,
    end_col = 2,
    message = "no such name\nhelp: declare it",
  })
  equal(proposed(nvim, "2G:Botglue run<CR>"), { "line", 2, 3, "fix: no such name" })
  equal(proposed(nvim, "3G:Botglue<CR>"), { "line", 2, 3, "fix: no such name" })
  equal(proposed(nvim, "4G:Botglue run<CR>"), { "insert", 4, 4, "" })
  equal(proposed(nvim, ":3,4Botglue<CR>"), { "line", 3, 4, "fix: no such name" })
  equal(proposed(nvim, ":2,3Botglue ask<CR>"), { "line", 2, 3, "" })
  equal(proposed(nvim, "2GV\\pp"), { "line", 2, 2, "fix: no such name" })
end)

test("several diagnostics are named once each, many are counted", function()
  local nvim = with_diagnostics(at(0, "a"), at(0, "b"), at(0, "a"), at(1, "c"), at(2, "d"))
  equal(proposed(nvim, "1G:Botglue<CR>"), { "line", 1, 1, "fix: a; b" })
  equal(proposed(nvim, ":1,2Botglue<CR>"), { "line", 1, 2, "fix: a; b; c" })
  equal(proposed(nvim, ":%Botglue<CR>"), { "line", 1, 4, "fix these 4 diagnostics" })
end)

test("a diagnostic that ends before the first column of a row does not touch it", function()
  local nvim = with_diagnostics({ lnum = 0, end_lnum = 1, col = 0, end_col = 0, message = "a" })
  equal(proposed(nvim, "1G:Botglue<CR>"), { "line", 1, 1, "fix: a" })
  equal(proposed(nvim, "2G:Botglue<CR>"), { "insert", 2, 2, "" })
end)

test("with the option context.diagnostics off nothing is proposed", function()
  local nvim = with_diagnostics(at(0, "a"))
  nvim:lua("require('botglue').setup({ context = { diagnostics = false } })")
  equal(proposed(nvim, "1G:Botglue<CR>"), { "insert", 1, 1, "" })
end)

test("a proposal is there to be sent, typing takes its place, and it is no draft", function()
  local nvim = with_diagnostics(at(0, "a"))
  for keys, expected in pairs({
    ["<C-s>"] = "fix: a",
    ["<CR>"] = "fix: a",
    ["other<C-s>"] = "other",
    ["<Esc>A!<C-s>"] = "fix: a!",
    ["<BS>new<C-s>"] = "new",
    ["<S-Tab><C-s>"] = "fix: a",
  }) do
    nvim:type("1G:Botglue<CR>" .. keys)
    local sent = nvim:host("received", "run")
    equal({ sent[#sent].prompt, nvim:api("get_mode").mode }, { expected, "n" }, keys)
  end
  nvim:type("1G:Botglue<CR><Esc><Esc>")
  nvim:type(":1Botglue ask<CR>")
  equal(nvim:lines(), { "" })
  equal(nvim:lines(1), { "one", "two", "three", "four" })
end)
