--- The moments in which an answer may not be written, and that it is as soon as they are over. (What it moves of the
--- user's where it may: `write_keeps_spec`.)

local child = require("support.child")
local suite = require("support.suite")
local test, equal = suite.test, suite.equal

local LINES = { "one", "two", "three", "foo bar", "foo baz", "fool", "" }

--- A child with a job on line 1, whose answer adds two lines above everything else.
---@param setup string? Lua that runs before the job is started
local function with_job(setup)
  local nvim = child.with_host(LINES)
  nvim:lua(setup or "")
  nvim:run(child.line(1))
  return nvim
end

-- Lua for a call of the user's: the answer comes within it, and waits.
local ANSWER = [[
  require("support.host").steer(1, "answer", "ONE\n+\n+")
  vim.wait(20000, function()
    return require("botglue").job(1).status == "ready"
  end, 1)
  vim.g.status = require("botglue").job(1).status
]]

local function status(nvim)
  return nvim:lua("return require('botglue').job(1).status")
end

--- The answer comes in the middle of `before` and `after`: it waits until then, and each does what it was meant to.
local function waits(before, after, expected)
  local nvim = with_job([[
    vim.keymap.set("n", "Q", function() vim.fn.setline(vim.fn.line("."), vim.fn.getcharstr()) end)
  ]])
  nvim:type("4G" .. before)
  -- Where Neovim waits for one key the call itself waits: a notification, as the host sends it.
  vim.rpcnotify(nvim.channel, "nvim_exec_lua", "require('support.host').answer(1, { 'ONE', '+', '+' })", {})
  if not nvim:api("get_mode").blocking then
    nvim:eventually("the answer is there", "return require('botglue').job(1).text")
    equal(status(nvim), "ready", before)
    equal(nvim:lines()[1], "one", before)
  end
  nvim:api("input", after)
  nvim:eventually(
    "the answer lands after " .. before .. after,
    "return require('botglue').job(1).status == 'done'"
  )
  nvim:settle()
  equal(nvim:lines(1), expected, before .. after)
  equal(nvim:lua("return require('botglue').job(1).landing"), "applied")
end

--- The answer comes after `before`, and lands at once; `after` goes on as if nothing had happened.
local function lands(before, after, expected)
  local nvim = with_job()
  nvim:type("4G" .. before)
  nvim:answer(1, { "ONE", "+", "+" })
  equal(status(nvim), "done", before)
  nvim:type(after)
  equal(nvim:lines(1), expected, before .. after)
end

local function landed(...)
  return vim.list_extend({ "ONE", "+", "+", "two", "three" }, { ... })
end

--- What the user is in the middle of: keys before the answer comes, keys that end it, the lines then.
local WAITS = {
  ["a selection"] = {
    { "Vj", "d", landed("fool", "") },
    { "<C-v>jl", "d", landed("o bar", "o baz", "fool", "") },
    { "gh", "x<Esc>", landed("xoo bar", "foo baz", "fool", "") },
  },
  ["virtual replace"] = { { "gRab", "c<Esc>", landed("abc bar", "foo baz", "fool", "") } },
  ["a pending operator, a count, a register"] = {
    { "d", "j", landed("fool", "") },
    { '"', 'addj"ap', landed("foo baz", "fool", "foo bar", "") },
    { "r", "x", landed("xoo bar", "foo baz", "fool", "") },
    { "f", "bx", landed("foo ar", "foo baz", "fool", "") },
    { "g", "UUjx", landed("FOO BAR", "oo baz", "fool", "") },
    { "i<C-r>", "=1+1<CR><Esc>", landed("2foo bar", "foo baz", "fool", "") },
  },
  ["a block insert, a block change"] = {
    { "<C-v>jIx", "y<Esc>", landed("xyfoo bar", "xyfoo baz", "fool", "") },
  },
  ["an open completion menu"] = {
    { "Gif<C-n>", "<C-y><Esc>", landed("foo bar", "foo baz", "fool", "foo") },
    { "Gi<C-x>", "<C-l><C-y><Esc>", landed("foo bar", "foo baz", "fool", "fool") },
  },
  ["a command line"] = {
    { ":5", "d<CR>", { "ONE", "+", "+", "two", "three", "foo bar", "fool", "" } },
    { "/ba", "r<CR>x", landed("foo ar", "foo baz", "fool", "") },
    { ":set inccommand=split<CR>:%s/foo/x", "y<CR>", landed("xy bar", "xy baz", "xyl", "") },
    { ":call setline('.', input('?'))<CR>", "x<CR>", landed("x", "foo baz", "fool", "") },
  },
  ["a confirmation"] = { { ":4,5s/foo/x/c<CR>", "yn", landed("x bar", "foo baz", "fool", "") } },
  ["a mapping that waits for a key"] = {
    { "Q", "z", landed("z", "foo baz", "fool", "") },
    { "i<C-o>", "x<Esc>", landed("oo bar", "foo baz", "fool", "") },
  },
}

for name, cases in pairs(WAITS) do
  test("an answer waits for the end of " .. name, function()
    for _, case in ipairs(cases) do
      waits(unpack(case))
    end
  end)
end

test("an answer waits for nothing while text is typed or changed, and for no other buffer", function()
  for _, case in ipairs({
    { "", "", landed("foo bar", "foo baz", "fool", "") },
    { "iab", "cd<Esc>", landed("abcdfoo bar", "foo baz", "fool", "") },
    { "Rab", "c<BS><BS>x<Esc>", landed("axo bar", "foo baz", "fool", "") },
    { "qaAx<Esc>", "jq@a", landed("foo barx", "foo bazx", "fool", "") },
    { "3ay", "z<Esc>o-<Esc>.", landed("fyzyzyzoo bar", "-", "-", "foo baz", "fool", "") },
    { ":iabbrev teh the<CR>4Goteh", " x<Esc>", landed("foo bar", "the x", "foo baz", "fool", "") },
    { ":new<CR>ix<Esc>v", "<Esc>", landed("foo bar", "foo baz", "fool", "") },
  }) do
    lands(unpack(case))
  end
end)

test("an expression mapping forbids writing anywhere: later, no error", function()
  for _, keys in ipairs({ "4GiX", ":enew<CR>iX" }) do
    local nvim = with_job(([[
      vim.keymap.set("i", "X", function()
        %s
        return "x"
      end, { expr = true })
    ]]):format(ANSWER))
    nvim:type(keys)
    equal(nvim:eventually("the answer comes within the call", "return vim.g.status"), "ready", keys)
    nvim:eventually("the answer lands", "return require('botglue').job(1).status == 'done'")
    nvim:type("y<Esc>")
    equal(nvim:lines(1), landed(keys == "4GiX" and "xyfoo bar" or "foo bar", "foo baz", "fool", ""), keys)
  end
end)

test("another buffer is written and formatted by itself", function()
  local nvim = with_job([[
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
  nvim:answer(1, { "ONE", "+", "+" })
  equal(
    { status(nvim), nvim:lua("return vim.api.nvim_buf_get_lines(1, 0, 1, true)") },
    { "ready", { "one" } }
  )
  nvim:lua("_G.is_formatted = true")
  nvim:eventually("it is written", "return _G.formatting == false")
  nvim:type("d")
  nvim:eventually("the answer lands", "return require('botglue').job(1).status == 'done'")
  equal(nvim:lines(), landed("fool", ""))
end)

test("a ready job leaves nothing behind when it lands", function()
  local nvim = with_job()
  local autocmds = "return #vim.api.nvim_get_autocmds({ event = { 'SafeState', 'CompleteDone' } })"
  local before = nvim:lua(autocmds)
  nvim:type("v")
  nvim:answer(1, { "ONE" })
  suite.contains(nvim:screen(), "ready: lands when you have finished")
  equal(nvim:host("count", "BotglueJobFinished", 1), 0)
  nvim:type("<Esc>")
  nvim:eventually("the answer lands", "return require('botglue').job(1).status == 'done'")
  equal(nvim:lua(autocmds), before)
  equal(nvim:host("received", "moment"), { { buffer = 1 } })
  equal(nvim:drawn(), 0)
end)

test("a script that waits has printed so much that the screen scrolled", function()
  local nvim = with_job()
  nvim:lua([[
    vim.cmd("command Script lua Script()")
    function Script()
      print("one\ntwo\nthree")
      vim.schedule(function() require("support.host").answer(1, { "ONE" }) end)
      local job = require("botglue").wait(1, 1000)
      _G.script = { vim.fn.state():find("s") ~= nil, job and job.landing }
    end
  ]])
  nvim:api("input", ":Script<CR>")
  suite.eventually("the script is over", function()
    return nvim:api("get_mode").mode == "r"
  end)
  nvim:api("input", "<CR>")
  equal(nvim:eventually("the script has ended", "return script"), { true, "applied" })
end)

test("what the language client asked for comes back to the text as it was", function()
  local nvim = with_job([[
    local function serve()
      return {
        request = function(method, _, reply)
          if method == "initialize" then
            reply(nil, { capabilities = { documentFormattingProvider = true } })
          else
            local row = { start = { line = 4, character = 0 }, ["end"] = { line = 4, character = 7 } }
            _G.reply = function()
              reply(nil, { { range = row, newText = "formatted" } })
            end
          end
          return true, 1
        end,
        notify = function() end,
        is_closing = function() return false end,
        terminate = function() end,
      }
    end
    vim.lsp.start({ name = "fake", cmd = serve, root_dir = "/" })
  ]])
  nvim:lua("vim.schedule(function() vim.lsp.buf.format({ timeout_ms = 60000 }) end)")
  nvim:eventually("it waits for the server", "return _G.reply ~= nil")
  nvim:answer(1, { "ONE", "+", "+" })
  equal({ status(nvim), nvim:lines() }, { "ready", LINES })
  nvim:lua("_G.reply()")
  nvim:eventually("the answer lands", "return require('botglue').job(1).status == 'done'")
  equal(nvim:lines(), landed("foo bar", "formatted", "fool", ""))
end)

test("while a command may end Neovim nothing lands in a file that was written already", function()
  local nvim = with_job()
  nvim:lua(([[
    vim.cmd.file(vim.fn.tempname())
    vim.cmd("silent write | split | enew")
    vim.api.nvim_create_autocmd("QuitPre", { once = true, callback = function()
      %s
    end })
    vim.cmd("autocmd User BotglueJobStarted ++once ++nested quit")
  ]]):format(ANSWER))
  -- Given by the handler of a job's event, which alone holds up no other answer.
  nvim:run({ kind = "insert", first = { 0 } })
  equal(nvim:eventually("the answer comes within the call", "return vim.g.status"), "ready")
  nvim:eventually("the answer lands", "return require('botglue').job(1).status == 'done'")
  equal(nvim:lines()[1], "ONE")
  -- A command that came without a key.
  nvim:run(child.line(4))
  nvim:lua("vim.cmd('split | quit')")
  nvim:answer(3, { "TWO" })
  nvim:eventually("the other answer lands", "return require('botglue').job(3).status == 'done'")
  equal(nvim:lines()[4], "TWO")
end)

test("a command that may end Neovim has not where a terminal is typed in", function()
  for _, keys in ipairs({ "<C-w>w:quit<CR>", "<C-w>k<C-w>wi<F2>" }) do
    local nvim = with_job([[
      vim.cmd("autocmd BufEnter,WinEnter term://* startinsert")
      vim.cmd("tnoremap <F2> <Cmd>1quit<CR>")
    ]])
    nvim:type(":split<CR>:belowright split | terminal cat<CR><C-\\><C-n>" .. keys)
    nvim:eventually("a terminal is typed in", "return vim.api.nvim_get_mode().mode == 't'")
    nvim:answer(1, { "ONE", "+" })
    equal(status(nvim), "done", keys)
  end
end)

test("while it is asked whether to save, nothing lands anywhere", function()
  for _, quit in ipairs({ ":qa<CR>", ":noautocmd qa<CR>" }) do
    local nvim = with_job()
    nvim:lua([[
    vim.cmd.file(vim.fn.tempname())
    vim.cmd("silent write | set hidden confirm | edit " .. vim.fn.tempname())
    vim.api.nvim_buf_set_lines(0, 0, -1, true, { "changed" })
    vim.cmd("split | enew")
    vim.api.nvim_buf_attach(1, false, { on_lines = function()
      vim.g.landed_in = vim.api.nvim_get_mode().mode
    end })
  ]])
    nvim:api("input", quit)
    suite.eventually("it is asked", function()
      return nvim:api("get_mode").mode:find("^r") ~= nil
    end)
    local answered = vim.fn.tempname()
    local answer = "require('support.host').answer(1, { 'ONE', '+', '+' }) vim.fn.writefile({}, ...)"
    vim.rpcnotify(nvim.channel, "nvim_exec_lua", answer, { answered })
    if not nvim:api("get_mode").blocking then
      suite.eventually("the answer is there", function()
        return vim.fn.filereadable(answered) == 1
      end)
    end
    nvim:api("input", "c")
    nvim:eventually("the answer lands", "return require('botglue').job(1).status == 'done'")
    equal(nvim:lua("return vim.g.landed_in"), "n", quit)
  end
end)

test("between the pieces of a paste nothing lands where they go", function()
  for _, keys in ipairs({ "4G", "4GA" }) do
    local nvim = with_job()
    nvim:lua("vim.o.undolevels = vim.o.undolevels")
    nvim:type(keys)
    nvim:api("paste", "p1\np2\n", true, 1)
    nvim:answer(1, { "ONE", "+" })
    equal(status(nvim), "ready", keys)
    nvim:api("paste", "p3\n", true, 2)
    nvim:settle()
    equal(status(nvim), "ready", keys)
    nvim:api("paste", "p4", true, 3)
    nvim:eventually("the answer lands", "return require('botglue').job(1).status == 'done'")
    nvim:type("<Esc>", "u")
    equal(nvim:lines()[1], "one", keys)
    equal(nvim:lines()[5], "p2", keys)
    nvim:type("u")
    equal(nvim:lines(), LINES, keys)
  end
end)

test("a paste that is in another buffer, has failed or is cut off stops no answer", function()
  local nvim =
    with_job("vim.paste = function() if vim.g.fails then error('no') end return not vim.g.stops end")
  nvim:lua("vim.cmd('split | enew')")
  nvim:api("paste", "p1\n", true, 1)
  nvim:answer(1, { "ONE" })
  equal(status(nvim), "done")
  for id, how in ipairs({ "stops", "fails" }) do
    nvim:lua("vim.g[...] = true", how)
    nvim:type(":buffer 1<CR>")
    nvim:run(child.line(2))
    pcall(nvim.api, nvim, "paste", "p1\n", true, 1)
    nvim:answer(id + 1, { "TWO" .. id })
    equal(nvim:job(id + 1).status, "done", how)
  end
end)
