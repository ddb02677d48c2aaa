-- What is typed in the prompt outlives its Neovim: the host is told of it, and keeps it until it is sent or emptied.

local child = require("support.child")
local suite = require("support.suite")
local equal, test = suite.equal, suite.test

local function start()
  return child.with_host({ "one", "two", "three" })
end

--- What a host knows by what it was told: of each prompt, in their order, the text; false where it was forgotten.
local KNOWN = [=[
  local numbers, known = {}, {}
  for _, message in ipairs(require("support.host").received("unsent")) do
    numbers[message.id] = numbers[message.id] or #known + 1
    known[numbers[message.id]] = message.text or false
  end
]=]

local function wait_for_known(nvim, expected)
  nvim:eventually("the host knows it", KNOWN .. "return vim.deep_equal(known, ...)", expected)
end

--- Waits until whatever is told a while after a key was told.
local function wait_for_rest(nvim)
  nvim:lua([[
    _G.rested = false
    vim.defer_fn(function()
      _G.rested = true
    end, 300)
  ]])
  nvim:eventually("what was about to be told is told", "return rested")
end

test("the next host hears of all that the last one may have taken to its grave", function()
  local nvim = start()
  nvim:type(":1Botglue<CR>closed<Esc><Esc>")
  nvim:type(":2Botglue<CR>open")
  wait_for_known(nvim, { "closed", "open" })
  nvim:host("die")
  nvim:lua("require('support.host').sent = {}")
  nvim:type(", and more")
  wait_for_known(nvim, { "closed", "open, and more" })
end)

test("closing the prompt starts another host, also to forget what was emptied", function()
  local nvim = start()
  nvim:type(":1Botglue<CR>half")
  wait_for_known(nvim, { "half" })
  nvim:host("die")
  nvim:type("<C-u><Esc><Esc>")
  wait_for_known(nvim, { false })
  nvim:type(":1Botglue<CR>new")
  wait_for_known(nvim, { false, "new" })
  nvim:host("die")
  nvim:type("er<Esc><Esc>")
  wait_for_known(nvim, { false, "newer" })
end)

test("without a host it is a draft of this Neovim all the same, and nobody hears of that", function()
  local nvim = start()
  nvim:lua("require('botglue').setup({ host = '/nowhere/botglue' })")
  nvim:type(":1Botglue<CR>half")
  wait_for_rest(nvim)
  nvim:type("<Esc><Esc>")
  nvim:type(":1Botglue<CR> a thought")
  wait_for_rest(nvim)
  equal(nvim:lua("return vim.api.nvim_get_current_line()"), "half a thought")
  equal(nvim:lua("return vim.api.nvim_exec2('messages', { output = true }).output"), "")
  equal(nvim:host("received", "unsent"), {})
end)
