-- What is typed in the prompt outlives its host: it is kept until it is sent or emptied.

local child = require("support.child")
local suite = require("support.suite")
local equal, test = suite.equal, suite.test

local function start()
  return child.with_host({ "one", "two", "three" })
end

local function typed(nvim)
  return nvim:lua("return vim.api.nvim_get_current_line()")
end

test("the next host has all that was typed, in closed prompts and in the open one", function()
  local nvim = start()
  nvim:type(":1Botglue<CR>closed<Esc><Esc>")
  nvim:type(":2Botglue<CR>open<C-g>")
  nvim:settle()
  nvim:host("die")
  nvim:type(", and more")
  nvim:shows("botglue ask")
  nvim:type("<Esc><Esc>")
  nvim:type(":3Botglue<CR><C-p>")
  nvim:settle()
  equal(typed(nvim), "open, and more")
  nvim:type("<C-p>")
  equal(typed(nvim), "closed")
end)

test("without a host it is there the next time all the same", function()
  local nvim = start()
  nvim:lua("require('botglue').setup({ host = '/nowhere/botglue' })")
  nvim:type(":1Botglue<CR>half")
  nvim:type("<Esc><Esc>")
  nvim:type(":1Botglue<CR> a thought")
  equal(typed(nvim), "half a thought")
  equal(nvim:lua("return vim.api.nvim_exec2('messages', { output = true }).output"), "")
  nvim:type("<C-s>")
  suite.contains(nvim:messages(), "botglue: host missing: run `make install`")
  equal(typed(nvim), "half a thought")
end)
