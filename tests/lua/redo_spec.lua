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
  nvim:eventually(count .. " arrive", "return #require('support.host').received('run') == ...", count)
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
    [":2Botglue<CR>long<Esc>ccshort<Esc>x<C-s>"] = "two three",
    [":2Botglue<CR>ab<Left>c<C-\\><C-n>q"] = "two three",
    [":2Botglue<CR>one<C-o>Atwo<C-s>"] = "two three",
  }) do
    local nvim = start()
    nvim:type("dw")
    nvim:type(keys)
    nvim:eventually("the prompt is closed", "return require('botglue.host.connection').prompt == nil")
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
  for _, case in ipairs({
    { "", "ddx<Esc>" },
    { "<Cmd>call cursor(4, 99)<CR>", "<Esc>" },
    { "<Cmd>call cursor(4, 99)<CR>", "ddx<Left>yy<Esc>" },
    { "<Cmd>call cursor(4, 99)<CR>", "dd<F2>, more<Esc><C-w>w" },
  }) do
    local nvim = start()
    nvim:lua([[vim.keymap.set("i", "<F2>", "<Cmd>wincmd w<CR>" .. ...)]], case[1])
    nvim:type("dw:2Botglue<CR>words<F2>")
    nvim:type(case[2])
    nvim:set_lines({ "two three" })
    nvim:type("gg0.")
    equal(nvim:lines(), { "two three" }, case[1] .. case[2])
  end
end)

test("who selects elsewhere at once keeps what they select, and their registers", function()
  for _, edited in ipairs({ "words<Esc>", "long<Esc>ccshort<Esc>" }) do
    for _, keys in ipairs({ "v", "Vj", "<C-v>j", "gh" }) do
      local nvim = start()
      local state = "return { vim.fn.mode(), vim.fn.getpos('v'), vim.fn.winsaveview(), vim.fn.getreg() }"
      nvim:type("yw4G" .. keys)
      local before = nvim:lua(state)
      nvim:type("<Esc>gbiw" .. edited .. "<C-w>w")
      nvim:lua("vim.fn.setreg('', ...)", before[4])
      nvim:type("<C-w>wa.<Esc>")
      nvim:type("<C-w>w4G" .. keys)
      equal(nvim:lua(state), before, edited .. keys)
      equal(nvim:lines(), LINES, edited .. keys)
    end
  end
end)

test("who opens the command-line window at once hears of nothing", function()
  for _, edited in ipairs({ "words<Esc>", "long<Esc>ccshort<Esc>" }) do
    local nvim = start()
    nvim:type("gbiw" .. edited)
    nvim:type("<C-w>wq:")
    equal(nvim:api("get_mode"), { mode = "n", blocking = false }, edited)
    equal({ nvim:lua("return vim.fn.getcmdwintype()"), vim.trim(nvim:messages()) }, { ":", "" }, edited)
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

test("the operator is repeated with its prompt, whatever its motion", function()
  local function twice(keys, again)
    local nvim = start()
    nvim:type(keys .. "shorter<C-s>")
    requests(nvim, 1)
    nvim:type(again)
    local taken = requests(nvim, 2)
    equal({ taken[1][1], taken[2][1], taken[1][2] }, { "shorter", "shorter", taken[2][2] }, keys)
    equal(nvim:lines(), LINES, keys)
    return { taken[1][2], taken[1][3], taken[2][3] }
  end
  equal(twice("gbiw", "jw."), { "char", { "one" }, { "five" } })
  equal(twice("gb/t<CR>", "4G0."), { "char", { "one " }, { "seven eigh" } })
  equal(twice("2gbw", "2G0."), { "char", { "one two " }, { "four five " } })
  equal(twice("gbfn", "4G0."), { "char", { "on" }, { "seven" } })
  equal(twice("gbip", "4G."), { "line", { LINES[1], LINES[2] }, { LINES[4], LINES[5] } })
end)

test("the operator is repeated with any motion after a prompt that was edited at length", function()
  for motion, again in pairs({
    ["/t<CR>"] = { "char", { "seven eigh" } },
    ["Vw"] = { "line", { "seven eight nine" } },
    ["<C-v>l"] = { "block", { "se" } },
    [":2<CR>"] = false,
    ["fe"] = { "char", { "se" } },
  }) do
    local nvim = start()
    nvim:type("gg0gb" .. motion .. "one<Esc>A two<Esc>A three<C-s>")
    requests(nvim, 1)
    nvim:type("4G0.")
    nvim:settle()
    equal(nvim:lines(), LINES, motion)
    if again then
      local second = requests(nvim, 2)[2]
      equal({ second[2], second[3] }, again, motion)
    end
  end
end)

test("an operator whose prompt was closed asks again", function()
  for _, keys in ipairs({ "gbiwhalf<Esc><Esc>", "gbiwlong<Esc>ccshort<Esc>q" }) do
    local nvim = start()
    nvim:type(keys)
    nvim:eventually("the prompt is closed", "return require('botglue.host.connection').prompt == nil")
    nvim:type("jw.")
    nvim:type("other words<C-s>")
    equal(requests(nvim, 1)[1], { "other words", "char", { "five" } }, keys)
    nvim:type("4G0w.")
    equal(requests(nvim, 2)[2], { "other words", "char", { "eight" } }, keys)
  end
end)

test("a forced motion takes what Neovim's own operators take, and so does its repetition", function()
  local lines = { "abcdefgh", "ijklmnop", "q日本rst", "xy", "abcdefgh", "ijklmnop", "q日本rst", "xy" }
  local function check(at, motion, kind)
    local nvim = start()
    nvim:set_lines(lines)
    nvim:api("win_set_cursor", 0, at)
    nvim:type('"zy' .. motion)
    local yanked = nvim:lua("return vim.fn.getreg('z', 1, true)")
    nvim:api("win_set_cursor", 0, at)
    nvim:type("gb" .. motion .. "shorter<C-s>")
    requests(nvim, 1)
    nvim:api("win_set_cursor", 0, { at[1] + 4, at[2] })
    nvim:type(".")
    local taken = requests(nvim, 2)
    for i = 1, 2 do
      equal(taken[i], { "shorter", kind, yanked }, ("%s %d"):format(motion, i))
    end
  end
  check({ 1, 2 }, "<C-v>j", "block")
  check({ 1, 0 }, "<C-v>j", "block")
  check({ 2, 0 }, "<C-v>k", "block")
  check({ 1, 2 }, "<C-v>2j", "block")
  check({ 1, 2 }, "<C-v>2l", "block")
  check({ 1, 2 }, "<C-v>e", "block")
  check({ 1, 4 }, "<C-v>/j<CR>", "block")
  check({ 1, 5 }, "<C-v>h", "block")
  check({ 3, 4 }, "<C-v>k", "block")
  check({ 1, 2 }, "vj", "char")
  check({ 2, 4 }, "vk", "char")
  check({ 1, 2 }, "ve", "char")
  check({ 1, 2 }, "vl", "char")
  check({ 1, 2 }, "Vw", "line")
  check({ 1, 2 }, "V/k<CR>", "line")
end)

test("a forced block is cut as 'selection' says", function()
  for _, motion in ipairs({ "<C-v>2l", "<C-v>e", "<C-v>j", "<C-v>$" }) do
    local nvim = start()
    nvim:type(":set selection=exclusive<CR>w")
    nvim:type('"zy' .. motion)
    local yanked = nvim:lua("return vim.fn.getreg('z', 1, true)")
    nvim:type("gg0wgb" .. motion .. "shorter<C-s>")
    equal(requests(nvim, 1)[1], { "shorter", "block", yanked }, motion)
  end
end)

test("a forced block is cut as 'virtualedit' says", function()
  local lines = { "a longer row, (to be) cut", "short", "a longer row, (to be) cut" }
  for _, set in ipairs({ "virtualedit=block", "virtualedit=all" }) do
    for _, motion in ipairs({ "<C-v>j", "<C-v>2j", "<C-v>2$", "<C-v>$", "<C-v>3e" }) do
      local nvim = start()
      nvim:set_lines(lines)
      nvim:type((":set %s<CR>gg0f("):format(set))
      nvim:type('"zy' .. motion)
      local yanked = vim.tbl_map(function(row)
        return (row:gsub(" +$", ""))
      end, nvim:lua("return vim.fn.getreg('z', 1, true)"))
      nvim:type("gg0f(gb" .. motion .. "shorter<C-s>")
      equal(requests(nvim, 1)[1], { "shorter", "block", yanked }, set .. " " .. motion)
    end
  end
end)

test("a motion over no text starts nothing, and says so", function()
  local nvim = start()
  nvim:type("2Ggb0")
  suite.contains(nvim:messages(), "botglue: there is no text in that motion")
  equal(nvim:api("get_mode").mode, "n")
  equal(nvim:host("received", "run"), {})
end)

test("typed ahead it is the same", function()
  local nvim = start()
  nvim:type("dw:2Botglue<CR>some words<C-s>gg0.")
  requests(nvim, 1)
  equal({ nvim:lines()[1], #nvim:lines() }, { "two three", #LINES })
  nvim:type("4G0gbiwshorter<C-s>w.")
  equal({ requests(nvim, 3)[2], requests(nvim, 3)[3] }, {
    { "shorter", "char", { "seven" } },
    { "shorter", "char", { "eight" } },
  })
end)
