-- The prompt: its window, its keys, what it sends, and that the user's window is afterwards as it was.

local child = require("support.child")
local suite = require("support.suite")
local contains, equal, test = suite.contains, suite.equal, suite.test

local LINES = child.numbered(60)

local function start()
  return child.with_host(LINES)
end

local function sent(nvim)
  return nvim:host("received", "run")
end

test("<C-s> sends what was typed, and so does <CR> in normal mode", function()
  for _, key in ipairs({ "<C-s>", "<Esc><CR>" }) do
    local nvim = start()
    nvim:type(":2,4Botglue<CR>")
    equal(
      { nvim:api("get_mode").mode, nvim:lua("return vim.bo.filetype == 'botglue-prompt'") },
      { "i", true }
    )
    nvim:type("make it<CR>shorter")
    nvim:type(key)
    equal(#sent(nvim), 1)
    equal(sent(nvim)[1].prompt, "make it\nshorter")
    equal(sent(nvim)[1].selection.text, { "line 2", "line 3", "line 4" })
    equal({ nvim:api("get_mode").mode, nvim:lines() }, { "n", LINES })
  end
end)

test("<C-s> sends what an insertion repeats when it ends, too", function()
  for keys, expected in pairs({
    ["one<CR>two<Esc>gg0<C-v>jI- "] = "- one\n- two",
    ["one<Esc>2A no"] = "one no no",
  }) do
    local nvim = start()
    nvim:type(":2Botglue<CR>" .. keys)
    nvim:type("<C-s>")
    equal({ sent(nvim)[1].prompt, nvim:lines(), nvim:api("get_mode").mode }, { expected, LINES, "n" })
  end
end)

test("an autocommand that fails when insert mode ends does not keep it open", function()
  local nvim = start()
  nvim:type(":2Botglue<CR>text")
  nvim:lua("vim.cmd('autocmd InsertLeave * call NoSuchFunction()')")
  -- Until the error asks for a key nothing else may be asked: it would wait for that key, too.
  nvim:api("input", "<C-s>")
  suite.eventually("the error asks for a key", function()
    return nvim:api("get_mode").blocking
  end)
  nvim:type("<CR>")
  -- Neovim may have thrown away the keys that send it: then it is there still.
  if nvim:lua("return vim.bo.filetype == 'botglue-prompt'") then
    nvim:type("<C-s>")
  end
  equal({ #sent(nvim), nvim:lines() }, { 1, LINES })
end)

test("it begins in insert mode out of a terminal, too", function()
  local nvim = start()
  nvim:lua("vim.cmd('set hidden | tnoremap <F5> <Cmd>Botglue ask<CR>')")
  nvim:type(":terminal cat<CR>i")
  nvim:type("<F5>")
  nvim:eventually("somebody types in it", "return vim.api.nvim_get_mode().mode == 'i'")
  nvim:type("what")
  equal(nvim:lines(), { "what" })
end)

test("a long row is one row, whatever the user's options say", function()
  local nvim = start()
  nvim:lua("vim.o.wrapmargin, vim.o.textwidth = 70, 20")
  local long = ("some words "):rep(12) .. "."
  nvim:type(":2Botglue<CR>" .. long)
  equal(nvim:lines(), { long })
end)

test("what is proposed out of Insert mode is replaced by what is typed, too", function()
  for keys, expected in pairs({ ["3GAmy<F6>"] = "ed", ["3GAmy<C-o><F6>"] = "ed", ["3G<F6>"] = "Aed" }) do
    local nvim = start()
    nvim:lua([[
      vim.keymap.set({ "n", "i" }, "<F6>", "<Cmd>.Botglue run<CR>")
      local problem = { lnum = 2, col = 0, message = "no such name" }
      vim.diagnostic.set(vim.api.nvim_create_namespace("test"), 0, { problem })
    ]])
    nvim:type(keys)
    nvim:eventually("it is selected", "return vim.api.nvim_get_mode().mode == 'S'")
    nvim:type("typed<CR>row two<Esc>")
    equal({ nvim:lines(), nvim:api("get_mode").mode }, { { "typed", "row two" }, "n" }, keys)
    nvim:type("q")
    nvim:type(expected .. "<Esc>")
    equal(nvim:lines()[3], expected == "ed" and "line 3myed" or "line 3ed", keys)
  end
end)

test("an empty prompt sends nothing", function()
  local nvim = start()
  nvim:type(":2Botglue<CR>  <CR> ")
  nvim:type("<C-s>")
  equal({ sent(nvim), nvim:drawn() }, { {}, 0 })
end)

test("<Esc> in normal mode, q and :q close it, and the draft is there until it is sent", function()
  local nvim = start()
  nvim:type(":2,4Botglue<CR>half a thought<Esc>:q<CR>")
  for _, key in ipairs({ "<Esc>", "q", ":q<CR>" }) do
    nvim:type(":2,4Botglue<CR><Esc>")
    equal(nvim:lines(), { "half a thought" }, key)
    nvim:type(key)
    equal(sent(nvim), {})
  end
  nvim:type(":20Botglue<CR>")
  equal(nvim:lines(), { "" }, "another place")
  nvim:type("<Esc><Esc>")
  nvim:type(":3Botglue<CR>, and the rest")
  nvim:type("<C-s>")
  equal(sent(nvim)[1].prompt, "half a thought, and the rest")
  nvim:type(":2,4Botglue<CR>")
  equal(nvim:lines(), { "" })
end)

test("the cursor, the mode and the view are what they were, whether it is sent or not", function()
  for _, last in ipairs({ "<C-s>", "<Esc><Esc>", "<Esc>:q<CR>", "<Esc><CR>" }) do
    local nvim = start()
    nvim:type("30Gztll")
    local before = nvim:lua("return { vim.fn.winsaveview(), vim.fn.win_getid() }")
    nvim:type(":31,33Botglue<CR>words")
    nvim:type(last)
    nvim:settle()
    equal(nvim:lua("return { vim.fn.winsaveview(), vim.fn.win_getid() }"), before, last)
    equal(nvim:api("get_mode").mode, "n", last)
  end
end)

test("who was typing types on there, also behind what landed before it in the row", function()
  for _, case in ipairs({
    { "A typ<F2>words", "<C-s>", "line 3 typed" },
    { "A typ<C-o>:Botglue<CR>words", "<Esc><Esc>", "line 3 typed" },
    { "0wi<F2>", "<C-u><C-s>", "line ed3" },
    { "A<C-u><F2>words", "<Esc><Esc>", "ed" },
  }) do
    for _, landed in ipairs({ "", "landed " }) do
      local nvim = start()
      nvim:lua("vim.keymap.set('i', '<F2>', '<Cmd>Botglue<CR>')")
      nvim:type("3G" .. case[1])
      -- As an answer for part of the row does.
      nvim:lua("vim.api.nvim_buf_set_text(1, 2, 0, 2, 0, { ... })", landed)
      nvim:type(case[2])
      nvim:type("ed<Esc>")
      equal(nvim:lua("return vim.fn.getline(3)"), landed .. case[3], table.concat(case, " "))
    end
  end
end)

test("the selection can be selected again", function()
  local nvim = start()
  nvim:lua("vim.keymap.set('x', 'Q', '<Plug>(botglue-run)')")
  nvim:type("3G2lv2jeQwords")
  equal(nvim:lines(), { "words" })
  nvim:type("<C-s>")
  local request = sent(nvim)[1]
  equal(request.selection.kind, "char")
  nvim:type("gv")
  equal(
    nvim:lua("return { vim.api.nvim_get_mode().mode, vim.fn.getpos('v'), vim.fn.getpos('.') }"),
    { "v", { 0, 3, 3, 0 }, { 0, 5, 4, 0 } }
  )
end)

test("the range is followed while the prompt is typed", function()
  local nvim = start()
  nvim:type(":5,6Botglue<CR>words")
  nvim:lua(
    "vim.api.nvim_buf_set_lines(1, 0, 0, false, { 'a', 'b' }); vim.api.nvim_buf_set_text(1, 7, 0, 7, 4, { 'new' })"
  )
  nvim:type("<C-s>")
  equal(sent(nvim)[1].selection.text, { "line 5", "new 6" })
  equal(sent(nvim)[1].selection.first_line, 7)
end)

test("where the range is gone the prompt is kept, and somebody says so", function()
  local nvim = start()
  nvim:type(":5,6Botglue<CR>my words")
  nvim:lua("vim.cmd.new(); vim.cmd.wincmd('p'); vim.api.nvim_buf_delete(1, { force = true })")
  nvim:type("<C-s>")
  equal(sent(nvim), {})
  contains(nvim:messages(), "the place is not known")
  nvim:type(":Botglue<CR><C-p>")
  equal(nvim:lines(), { "my words" })
end)

test("reading its buffer again keeps what was typed", function()
  local nvim = start()
  for _, command in ipairs({ "edit", "edit!" }) do
    nvim:type((":2Botglue<CR><Esc>:%%d<CR>iwords<CR>of two lines<Esc>:%s<CR>"):format(command))
    equal(nvim:lines(), { "words", "of two lines" }, command)
    nvim:type("A, and more<Esc>")
    equal(nvim:lines(), { "words", "of two lines, and more" }, command)
    nvim:type("<Esc>")
  end
  nvim:type(":2Botglue<CR>")
  equal(nvim:lines(), { "words", "of two lines, and more" })
end)

test("nothing is left of it", function()
  local nvim = start()
  local function count()
    return nvim:lua([[return {
      #vim.api.nvim_list_wins(), #vim.api.nvim_list_bufs(), #vim.api.nvim_get_autocmds({}),
      #vim.api.nvim_buf_get_extmarks(1, -1, 0, -1, {}), vim.o.completeopt, vim.o.shortmess, vim.o.pumheight,
    }]])
  end
  nvim:type(":2Botglue<CR><Esc><Esc>")
  local before = count()
  for _, last in ipairs({ "<Esc><Esc>", "<Esc>:q<CR>", "<Esc><C-w>w:only<CR>" }) do
    nvim:type(":2,4Botglue<CR>@x<C-p>")
    nvim:type(last)
    equal(count(), before, last)
  end
end)

test("other plugins leave it alone, from before it is entered", function()
  local nvim = start()
  nvim:lua([[
    package.loaded.cmp = { setup = { buffer = function(options)
      _G.cmp = { options, vim.bo.filetype }
    end } }
    vim.api.nvim_create_autocmd("BufEnter", { callback = function()
      _G.entered = { vim.bo.buftype, vim.b.completion, vim.b.copilot_enabled, vim.b.minicompletion_disable }
    end })
  ]])
  nvim:type(":2Botglue<CR>")
  equal(nvim:lua("return entered"), { "nofile", false, false, true })
  equal(nvim:lua("return cmp"), { { enabled = false }, "botglue-prompt" })
end)

test("without a screen there is a window too, which holds up no script", function()
  local nvim = start()
  nvim:api("ui_detach")
  equal(nvim:lua("return require('botglue').run() == nil"), true)
  nvim:type("words")
  equal(nvim:lines(), { "words" })
  nvim:type("<C-s>")
  equal(#sent(nvim), 1)
end)

test("whoever types elsewhere goes on when the prompt is closed, who typed in it does not", function()
  for _, closing in ipairs({
    "vim.api.nvim_win_close(vim.fn.bufwinid(bufnr), true)",
    "vim.api.nvim_buf_delete(bufnr, { force = true })",
  }) do
    for where, expected in pairs({ ["<Esc><C-w>wGA"] = { "i", "line 60 ty" }, [""] = { "n", "line 60" } }) do
      local nvim = start()
      nvim:type(":2Botglue<CR>words")
      local bufnr = nvim:api("get_current_buf")
      nvim:type(where)
      nvim:type(" ty")
      nvim:lua("local bufnr = ...; " .. closing, bufnr)
      nvim:eventually("it is closed", "return #vim.api.nvim_list_wins() == 1")
      nvim:settle()
      equal({ nvim:api("get_mode").mode, nvim:lines()[#LINES] }, expected, closing .. where)
    end
  end
end)

test("without a command line nothing asks for Enter when it is sent", function()
  local nvim = start()
  nvim:type(":set cmdheight=0 laststatus=2 ruler<CR>:2Botglue<CR>one")
  nvim:type("<C-s>")
  equal({ #sent(nvim), nvim:api("get_mode") }, { 1, { mode = "n", blocking = false } })
end)
