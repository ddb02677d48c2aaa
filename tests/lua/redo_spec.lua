-- What `.` repeats: an operator of ours with its prompt; after another prompt nothing, and never its text.

local child = require("support.child")
local suite = require("support.suite")
local equal, test = suite.equal, suite.test

local LINES = { "one two three", "four five six", "", "seven eight nine", "ten" }

local function start()
  local nvim = child.with_host(LINES)
  nvim:lua([[
    vim.keymap.set("n", "gb", "<Plug>(botglue-run)")
  ]])
  return nvim
end

local function requests(nvim, count)
  nvim:request(count)
  return vim.tbl_map(function(request)
    return { request.prompt, request.selection.kind, request.selection.text }
  end, nvim:host("received", "run"))
end

test("after a prompt the dot does nothing rather than type it", function()
  for keys, row in pairs({
    [":2Botglue<CR><Esc><Esc>"] = "three",
    [":2Botglue<CR>make it<CR>shorter<C-s>"] = "two three",
    ["jviw\\ppshorter<C-s>gg0"] = "two three",
    [":2Botglue<CR>half a thought<Esc>:q<CR>"] = "two three",
    [":2Botglue<CR>one<C-o>Atwo<C-s>"] = "two three",
  }) do
    local nvim = start()
    nvim:type("dw")
    nvim:type(keys)
    nvim:type("gg0.")
    equal({ nvim:lines()[1], #nvim:lines() }, { row, #LINES }, keys)
  end
end)

test("a change made elsewhere while the prompt is open is what the dot repeats", function()
  local nvim = start()
  nvim:type("dw")
  nvim:type(":2Botglue<CR>some words<Esc><C-w>w")
  nvim:type("G.")
  equal(nvim:lines()[5], "ten", "what was typed in the prompt is not repeated there")
  nvim:type("4Gxgg0.")
  equal({ nvim:lines()[4], nvim:lines()[1] }, { "even eight nine", "wo three" })
end)

test("an insertion that goes on elsewhere is forgotten as a whole", function()
  for keys, mapped in pairs({
    ["ddx<Esc>"] = "",
    ["ddx<Left>yy<Esc>"] = "<Cmd>call cursor(4, 99)<CR>",
    ["dd<F2>, more<Esc><C-w>w"] = "<Cmd>call cursor(4, 99)<CR>",
  }) do
    local nvim = start()
    nvim:lua([[vim.keymap.set("i", "<F2>", "<Cmd>wincmd w<CR>" .. ...)]], mapped)
    nvim:type("dw:2Botglue<CR>words<F2>")
    nvim:type(keys)
    nvim:set_lines({ "two three" })
    nvim:type("gg0.")
    equal(nvim:lines(), { "two three" }, keys)
  end
end)

test("the user's cursor, registers and options are not touched for it", function()
  local nvim = start()
  local state = [[return {
    vim.fn.winsaveview(), vim.fn.getreginfo('"'), vim.fn.getpos("'["), vim.fn.getpos("']"), vim.o.cpoptions,
    vim.go.operatorfunc,
  }]]
  nvim:type("4Gwywll")
  local before = nvim:lua(state)
  nvim:lua([[
    _G.told = 0
    vim.api.nvim_create_autocmd("OptionSet", { pattern = "cpoptions", callback = function() told = told + 1 end })
  ]])
  nvim:type(":2Botglue<CR>words<C-s>")
  requests(nvim, 1)
  equal(nvim:lua(state), before)
  equal(nvim:lua("return told"), 0)
end)

test("the operator is repeated with its prompt, whatever its motion and however that was edited", function()
  for keys, case in pairs({
    ["gbiwshorter"] = { "jw.", "char", { "one" }, { "five" } },
    ["gb/t<CR>shorter"] = { "4G0.", "char", { "one " }, { "seven eigh" } },
    ["2gbwshorter"] = { "2G0.", "char", { "one two " }, { "four five " } },
    ["gbipshorter"] = { "4G.", "line", { LINES[1], LINES[2] }, { LINES[4], LINES[5] } },
    ["gbVwshort<Esc>Aer"] = { "4G0.", "line", { LINES[1] }, { LINES[4] } },
    ["gb<C-v>lshort<Esc>Aer"] = { "4G0.", "block", { "on" }, { "se" } },
  }) do
    local nvim = start()
    nvim:type(keys .. "<C-s>")
    requests(nvim, 1)
    nvim:type(case[1])
    local kind, first, second = case[2], case[3], case[4]
    equal(requests(nvim, 2), { { "shorter", kind, first }, { "shorter", kind, second } }, keys)
    equal(nvim:lines(), LINES, keys)
  end
end)

test("an operator whose prompt was closed asks again", function()
  for _, keys in ipairs({ "gbiwhalf<Esc><Esc>", "gbiwlong<Esc>ccshort<Esc>q" }) do
    local nvim = start()
    nvim:type(keys)
    nvim:type("jw.")
    nvim:type("other words<C-s>")
    equal(requests(nvim, 1)[1], { "other words", "char", { "five" } }, keys)
    nvim:type("4G0w.")
    equal(requests(nvim, 2)[2], { "other words", "char", { "eight" } }, keys)
  end
end)

test("a forced motion takes what Neovim's own operators take, and so does its repetition", function()
  local lines = { "abcdefgh", "ijklmnop", "q日本rst", "xy", "abcdefgh", "ijklmnop", "q日本rst", "xy" }
  for motion, case in pairs({
    ["<C-v>j"] = { { 1, 2 }, "block" },
    ["<C-v>2l"] = { { 1, 2 }, "block" },
    ["<C-v>h"] = { { 1, 5 }, "block" },
    ["vj"] = { { 1, 2 }, "char" },
    ["ve"] = { { 1, 2 }, "char" },
    ["V/k<CR>"] = { { 1, 2 }, "line" },
  }) do
    local nvim, at = start(), case[1]
    nvim:set_lines(lines)
    nvim:api("win_set_cursor", 0, at)
    nvim:type('"zy' .. motion)
    local yanked = vim.tbl_map(function(row)
      return (row:gsub(" +$", ""))
    end, nvim:lua("return vim.fn.getreg('z', 1, true)"))
    nvim:api("win_set_cursor", 0, at)
    nvim:type("gb" .. motion .. "shorter<C-s>")
    nvim:api("win_set_cursor", 0, { at[1] + 4, at[2] })
    nvim:type(".")
    equal(requests(nvim, 2), { { "shorter", case[2], yanked }, { "shorter", case[2], yanked } }, motion)
  end
end)

test("a motion over no text starts nothing, and says so", function()
  local nvim = start()
  nvim:type("2Ggb0")
  suite.contains(nvim:messages(), "botglue: the motion covers no text")
  equal(nvim:api("get_mode").mode, "n")
  equal(nvim:host("received", "run"), {})
end)
