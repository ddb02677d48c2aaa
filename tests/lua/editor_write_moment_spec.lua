-- `editor.write` in the middle of something: nothing is written, and the host is notified once it is safe.

local steps = require("support.steps")
local suite = require("support.suite")
local test, equal = suite.test, suite.equal

local LINES = { "one", "two", "three", "foo bar", "foo baz", "fool", "" }
local STEP = { { { 0, 1, { "ONE", "+", "+" } } } }

local WRITE = "require('botglue.editor.write').write(...)"

---@param setup string? Lua that runs in the child first
local function start(setup)
  local nvim = steps.start(LINES)
  nvim:lua(setup or "")
  return nvim
end

local function written(...)
  return vim.list_extend({ "ONE", "+", "+", "two", "three" }, { ... })
end

--- Waits for the notice of a buffer's moment, then writes.
local function write_when_safe(nvim, what)
  nvim:eventually(
    "the host is notified after " .. what,
    "return #require('support.host').received('moment') > 0"
  )
  equal(nvim:host("received", "moment")[1], { buffer = steps.BUFFER }, what)
  equal(steps.states(steps.write(nvim, STEP)), "written", what)
end

--- The call comes in the middle of `before` and `after`: nothing is written until then, and the keys do what they were
--- meant to.
local function waits(before, after, expected, setup)
  local nvim = start(setup)
  local call = steps.call(nvim, STEP)
  nvim:type("4G" .. before)
  if nvim:api("get_mode").blocking then
    -- Neovim waits for one key: the call itself waits until then.
    vim.rpcnotify(nvim.channel, "nvim_exec_lua", "_G.reply = " .. WRITE, { call })
    nvim:api("input", after)
    nvim:settle()
    if steps.states(nvim:eventually("the call is answered", "return reply")) ~= "written" then
      equal(steps.states(steps.write(nvim, STEP)), "written", before)
    end
  else
    call = steps.call(nvim, STEP)
    local rows = steps.rows(nvim)
    equal(steps.send(nvim, call), { state = "not_now" }, before)
    equal(steps.rows(nvim), rows, before)
    equal(nvim:host("received", "moment"), {}, before)
    nvim:api("input", after)
    nvim:settle()
    write_when_safe(nvim, before .. after)
  end
  equal(nvim:lines(), expected, before .. after)
end

--- The call comes after `before`, and is written at once; `after` goes on as if nothing had happened.
local function lands(before, after, expected, setup)
  local nvim = start(setup)
  nvim:type("4G" .. before)
  equal(steps.states(steps.write(nvim, STEP)), "written", before)
  nvim:type(after)
  equal(nvim:lines(), expected, before .. after)
end

test("normal mode and typing are safe", function()
  lands("", "", written("foo bar", "foo baz", "fool", ""))
  lands("iab", "cd<Esc>", written("abcdfoo bar", "foo baz", "fool", ""))
  lands("Aab", "<BS>c<Esc>", written("foo barac", "foo baz", "fool", ""))
  lands("oab", "<CR>c<Esc>", written("foo bar", "ab", "c", "foo baz", "fool", ""))
  lands("Rab", "c<BS><BS>x<Esc>", written("axo bar", "foo baz", "fool", ""))
  lands("qaAx<Esc>", "jq@a", written("foo barx", "foo bazx", "fool", ""))
  lands("x", "j.", written("oo bar", "oo baz", "fool", ""))
end)

test("a selection", function()
  waits("Vj", "d", written("fool", ""))
  waits("v", "ed", written(" bar", "foo baz", "fool", ""))
  waits("<C-v>jl", "d", written("o bar", "o baz", "fool", ""))
  waits("gh", "x<Esc>", written("xoo bar", "foo baz", "fool", ""))
end)

test("virtual replace", function()
  waits("gRab", "c<Esc>", written("abc bar", "foo baz", "fool", ""))
end)

test("a pending operator, a count, a register", function()
  waits("d", "j", written("fool", ""))
  waits("c", "wx<Esc>", written("x bar", "foo baz", "fool", ""))
  waits("2", "dd", written("fool", ""))
  waits('"', 'addj"ap', written("foo baz", "fool", "foo bar", ""))
  waits("r", "x", written("xoo bar", "foo baz", "fool", ""))
  waits("f", "bx", written("foo ar", "foo baz", "fool", ""))
  waits("g", "UUjx", written("FOO BAR", "oo baz", "fool", ""))
  waits("i<C-r>", "=1+1<CR><Esc>", written("2foo bar", "foo baz", "fool", ""))
  waits("i<C-k>", "a:<Esc>", written("äfoo bar", "foo baz", "fool", ""))
  waits("i<C-v>", "065<Esc>", written("Afoo bar", "foo baz", "fool", ""))
end)

test("a block insert and a block change", function()
  waits("<C-v>jI", "x<Esc>", written("xfoo bar", "xfoo baz", "fool", ""))
  waits("<C-v>jIx", "y<Esc>", written("xyfoo bar", "xyfoo baz", "fool", ""))
  waits("<C-v>jlc", "x<Esc>", written("xo bar", "xo baz", "fool", ""))
  waits("<C-v>j$A", "x<Esc>", written("foo barx", "foo bazx", "fool", ""))
end)

test("an open completion menu", function()
  waits("Gif<C-n>", "<C-y><Esc>", written("foo bar", "foo baz", "fool", "foo"))
  waits("Gif<C-n>", "<C-n><C-e><Esc>", written("foo bar", "foo baz", "fool", "f"))
  waits("Gif<C-n><C-n>", "<Esc>", written("foo bar", "foo baz", "fool", "fool"))
  waits("Gi<C-x>", "<C-l><C-y><Esc>", written("foo bar", "foo baz", "fool", "fool"))
end)

test("a command line", function()
  waits(":5", "d<CR>", written("foo bar", "fool", ""))
  waits("/ba", "r<CR>x", written("foo ar", "foo baz", "fool", ""))
  waits(":call setline('.', input('?'))<CR>", "x<CR>", written("x", "foo baz", "fool", ""))
end)

test("a preview of a substitution", function()
  waits(":set inccommand=split<CR>:%s/foo/x", "y<CR>", written("xy bar", "xy baz", "xyl", ""))
end)

test("a confirmation", function()
  waits(":4,5s/foo/x/c<CR>", "yn", written("x bar", "foo baz", "fool", ""))
end)

test("a mapping that waits for a key", function()
  local mapping = [[
    vim.keymap.set("n", "Q", function() vim.fn.setline(vim.fn.line("."), vim.fn.getcharstr()) end)
  ]]
  waits("Q", "z", written("z", "foo baz", "fool", ""), mapping)
  waits("i<C-o>", "x<Esc>", written("oo bar", "foo baz", "fool", ""))
end)

test("an expression mapping forbids writing anywhere: not now, no error, and nothing is changed", function()
  for _, keys in ipairs({ "4GiX", ":enew<CR>iX" }) do
    local nvim = start([[
      vim.o.hidden = true
      vim.keymap.set("i", "X", function()
        _G.reply = require("botglue.editor.write").write(call)
        return "x"
      end, { expr = true })
    ]])
    nvim:lua("_G.call = ...", steps.call(nvim, STEP))
    nvim:type(keys)
    equal(nvim:lua("return reply"), { state = "not_now" }, keys)
    equal(steps.rows(nvim)[1], "one", keys)
    equal(nvim:lua("return require('botglue.editor.write').written()"), {}, keys)
    write_when_safe(nvim, keys)
    nvim:type("y<Esc>u")
    equal(steps.rows(nvim)[1], "ONE", keys)
  end
end)

test("only the current buffer matters", function()
  lands(":set hidden<CR>:new<CR>ix<Esc>v", "", { "x" })
end)

test("another buffer is written and formatted by itself", function()
  local nvim = start([[
    vim.o.hidden = true
    local formatted = vim.fn.bufadd(vim.fn.tempname())
    vim.fn.bufload(formatted)
    vim.bo[formatted].modified = true
    vim.api.nvim_create_autocmd("BufWritePre", { buffer = formatted, callback = function()
      _G.formatting = vim.api.nvim_get_current_buf() == formatted
      vim.wait(60000, function() return _G.is_formatted end, 1)
      _G.formatting = false
    end })
    _G.save = vim.schedule_wrap(function() vim.cmd("silent! wall") end)
  ]])
  nvim:type("4GVj")
  nvim:lua("_G.save()")
  nvim:eventually("the other buffer is being formatted", "return _G.formatting")
  equal(steps.write(nvim, STEP), { state = "not_now" })
  equal(steps.rows(nvim)[1], "one")
  nvim:lua("_G.is_formatted = true")
  nvim:eventually("it is written", "return _G.formatting == false")
  nvim:type("d")
  write_when_safe(nvim, "a buffer was formatted")
  equal(nvim:lines(), written("fool", ""))
end)

test("the command-line window and a terminal hold nothing up", function()
  local nvim = start()
  nvim:type("q:idel")
  equal(steps.states(steps.write(nvim, STEP)), "written")
  local parted_and_joined =
    { { { 6, 7, { "foo", "baz" } } }, { { 6, 8, { "foo baz" } } }, { { 0, 0, { "0" } } } }
  equal(steps.states(steps.write(nvim, parted_and_joined)), "written written written")
  nvim:type("ete<Esc>")
  equal(nvim:lines(), { "delete" })
  equal(vim.list_slice(steps.rows(nvim), 1, 4), { "0", "ONE", "+", "+" })
  nvim = start("vim.o.hidden = true")
  nvim:type(":terminal cat<CR>i")
  equal(nvim:api("get_mode").mode, "t")
  equal(steps.states(steps.write(nvim, STEP)), "written")
  equal(vim.list_slice(steps.rows(nvim), 1, 2), { "ONE", "+" })
end)

test("a terminal takes no changes", function()
  local nvim = start("vim.o.hidden = true")
  nvim:type(":terminal cat<CR>")
  local terminal = nvim:lua("return vim.api.nvim_get_current_buf()")
  equal(steps.states(steps.write(nvim, { { { 0, 0, { "x" } } } }, { buffer = terminal })), "not_modifiable")
end)

test("one notice comes of many calls, and nothing is left behind", function()
  local nvim = start()
  local autocmds =
    "return #vim.api.nvim_get_autocmds({ event = { 'SafeState', 'ModeChanged', 'CompleteDone' } })"
  local before = nvim:lua(autocmds)
  nvim:type("v")
  for _ = 1, 3 do
    equal(steps.write(nvim, STEP), { state = "not_now" })
  end
  nvim:type("j")
  equal(nvim:host("received", "moment"), {})
  nvim:type("<Esc>")
  write_when_safe(nvim, "three calls")
  nvim:type("jvk<Esc>")
  equal(#nvim:host("received", "moment"), 1)
  equal(nvim:lua(autocmds), before)
end)

test("a buffer that goes meanwhile is a moment, too", function()
  local nvim = start("vim.o.hidden = true")
  nvim:type("v")
  equal(steps.write(nvim, STEP), { state = "not_now" })
  local call = steps.call(nvim, STEP)
  nvim:lua("vim.cmd('enew | bwipeout! 1')")
  nvim:type("<Esc>")
  nvim:eventually("the host is notified", "return #require('support.host').received('moment') > 0")
  equal(steps.send(nvim, call), { state = "gone" })
end)

test("what changed meanwhile is stale", function()
  local nvim = start()
  nvim:type("ggv")
  local call = steps.call(nvim, STEP)
  equal(steps.send(nvim, call), { state = "not_now" })
  nvim:type("d")
  equal(steps.send(nvim, call).state, "stale")
end)

test("a script that waits has printed so much that the screen scrolled", function()
  local nvim = start()
  nvim:lua("_G.call = ...", steps.call(nvim, STEP))
  nvim:lua([[
    vim.cmd("command Script lua Script()")
    function Script()
      print("one\ntwo\nthree")
      local id = require("botglue").run({ prompt = "it", range = { kind = "line", first = { 4 }, last = { 4 } } })
      vim.schedule(function()
        _G.reply = require("botglue.editor.write").write(call)
        require("support.host").answer(id, { "foo bar" })
      end)
      require("botglue").wait(id, 5000)
      _G.script = { vim.fn.state():find("s") ~= nil, reply.state }
    end
  ]])
  nvim:api("input", ":Script<CR>")
  suite.eventually("the script is over", function()
    return nvim:api("get_mode").mode == "r"
  end)
  nvim:api("input", "<CR>")
  equal(nvim:eventually("the script has ended", "return script"), { true, "done" })
  equal(steps.rows(nvim)[1], "ONE")
end)

test("the language client's reply meets the text that it asked about", function()
  local nvim = start([[
    local function serve(dispatchers)
      return {
        request = function(method, params, reply)
          if method == "initialize" then
            reply(nil, { capabilities = { documentFormattingProvider = true } })
          elseif method == "textDocument/formatting" then
            local row = { start = { line = 4, character = 0 }, ["end"] = { line = 4, character = 7 } }
            _G.reply = function()
              reply(nil, { { range = row, newText = "formatted" } })
            end
          elseif method == "shutdown" then
            reply(nil, nil)
          end
          return true, 1
        end,
        notify = function(method)
          if method == "exit" then
            dispatchers.on_exit(0, 15)
          end
        end,
        is_closing = function() return false end,
        terminate = function() end,
      }
    end
    vim.lsp.start({ name = "fake", cmd = serve, root_dir = "/" })
  ]])
  nvim:lua([[
    vim.schedule(function()
      vim.lsp.buf.format({ timeout_ms = 60000 })
    end)
  ]])
  nvim:eventually("it waits for the server", "return _G.reply ~= nil")
  equal(steps.write(nvim, STEP), { state = "not_now" })
  nvim:lua("_G.reply()")
  write_when_safe(nvim, "the reply")
  equal(nvim:lines(), written("foo bar", "formatted", "fool", ""))
end)

test("while a command may end Neovim nothing lands in a file that was written already", function()
  local nvim = start()
  nvim:lua("_G.call = ...", steps.call(nvim, STEP))
  nvim:lua([[
    vim.cmd.file(vim.fn.tempname())
    vim.cmd("silent write | split | enew")
    _G.call.tick = vim.b[1].changedtick
    vim.api.nvim_create_autocmd("QuitPre", { once = true, callback = function()
      vim.g.reply = require("botglue.editor.write").write(call)
    end })
  ]])
  nvim:type(":quit<CR>")
  equal(nvim:lua("return vim.g.reply"), { state = "not_now" })
  write_when_safe(nvim, ":quit")
  equal(nvim:lines()[1], "ONE")
end)

test("a command that may end Neovim has not where a terminal is typed in", function()
  for _, keys in ipairs({ "<C-w>w:quit<CR>", "<C-w>wi<F2>" }) do
    local nvim = start([[
      vim.cmd("autocmd BufEnter,WinEnter term://* startinsert")
      vim.cmd("tnoremap <F2> <Cmd>1quit<CR>")
    ]])
    nvim:type(
      ":split<CR>:belowright split | terminal cat<CR><C-\\><C-n>"
        .. (keys:find("F2") and "<C-w>k" or "")
        .. keys
    )
    nvim:eventually("a terminal is typed in", "return vim.api.nvim_get_mode().mode == 't'")
    equal(steps.states(steps.write(nvim, STEP)), "written", keys)
  end
end)

test("while it is asked whether to save, nothing is written anywhere", function()
  for _, quit in ipairs({ ":qa<CR>", ":noautocmd qa<CR>" }) do
    local nvim = start()
    nvim:lua([[
      vim.cmd.file(vim.fn.tempname())
      vim.cmd("silent write | set hidden confirm | edit " .. vim.fn.tempname())
      vim.api.nvim_buf_set_lines(0, 0, -1, true, { "changed" })
      vim.cmd("split | enew")
      vim.api.nvim_buf_attach(1, false, { on_lines = function()
        vim.g.written_in = vim.api.nvim_get_mode().mode
      end })
    ]])
    local call = steps.call(nvim, STEP)
    nvim:api("input", quit)
    suite.eventually("it is asked", function()
      return nvim:api("get_mode").mode:find("^r") ~= nil
    end)
    local answered = vim.fn.tempname()
    local send = "_G.reply = " .. WRITE:gsub("%.%.%.", "(...)") .. " vim.fn.writefile({}, select(2, ...))"
    vim.rpcnotify(nvim.channel, "nvim_exec_lua", send, { call, answered })
    if not nvim:api("get_mode").blocking then
      suite.eventually("the call is answered", function()
        return vim.fn.filereadable(answered) == 1
      end)
    end
    nvim:api("input", "c")
    nvim:settle()
    if nvim:eventually("the call is answered", "return reply").state == "not_now" then
      write_when_safe(nvim, quit)
    end
    equal(steps.rows(nvim)[1], "ONE")
    equal(nvim:lua("return vim.g.written_in"), "n", quit)
  end
end)

test("between the pieces of a paste nothing lands where they go", function()
  for _, keys in ipairs({ "4G", "4GA" }) do
    local nvim = start()
    nvim:type(keys)
    nvim:api("paste", "p1\np2\n", true, 1)
    equal(steps.write(nvim, STEP), { state = "not_now" }, keys)
    nvim:api("paste", "p3\n", true, 2)
    nvim:settle()
    equal(nvim:host("received", "moment"), {}, keys)
    nvim:api("paste", "p4", true, 3)
    write_when_safe(nvim, "a paste")
    nvim:play("<Esc>", "u")
    equal({ nvim:lines()[1], nvim:lines()[5] }, { "one", "p2" }, keys)
    nvim:play("u")
    equal(nvim:lines(), LINES, keys)
  end
end)

test("a paste that is in another buffer, has failed or is cut off holds nothing up", function()
  local nvim = start("vim.paste = function() if vim.g.fails then error('no') end return not vim.g.stops end")
  nvim:lua(
    "local client = require('botglue.client'); client.connection().paste = require('botglue.paste').watch()"
  )
  nvim:lua("vim.cmd('split | enew')")
  nvim:api("paste", "p1\n", true, 1)
  equal(steps.states(steps.write(nvim, STEP)), "written")
  for _, how in ipairs({ "stops", "fails" }) do
    nvim:lua("vim.g[...] = true", how)
    nvim:type(":buffer 1<CR>")
    pcall(nvim.api, nvim, "paste", "p1\n", true, 1)
    equal(steps.states(steps.write(nvim, { { { 1, 1, { how } } } })), "written", how)
  end
end)
