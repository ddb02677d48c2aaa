local child = require("support.child")
local suite = require("support.suite")
local test, equal, contains = suite.test, suite.equal, suite.contains

local function requests(nvim)
  return nvim:host("received", "run")
end

--- Runs a command; what is new in `:messages`.
local function said(nvim, command)
  nvim:lua("vim.cmd('messages clear')")
  nvim:type(":" .. command .. "<CR>")
  return vim.trim(nvim:messages())
end

test("a wrong command shows one line and changes nothing", function()
  local nvim = child.with_host({ "a" })
  local function wrong(command, expected)
    equal(said(nvim, command), expected, command)
    equal(nvim:api("get_mode"), { mode = "n", blocking = false })
    equal(#nvim:lua("return require('botglue').jobs()"), 0)
    equal(nvim:drawn(), 0)
  end
  wrong(
    "Botglue log",
    "botglue: there is no log yet at " .. nvim:lua("return vim.fn.stdpath('log')") .. "/botglue.log"
  )
  local known = table.concat(nvim:lua("return vim.fn.getcompletion('Botglue ', 'cmdline')"), ", ")
  wrong("Botglue cancel", 'botglue: unknown subcommand "cancel"; use ' .. known)
  wrong("1Botglue jobs", "botglue: jobs takes no range")
  nvim:lua("require('botglue').setup({}); vim.g.botglue = { timeout = 'x' }")
  wrong("Botglue run it", 'botglue: vim.g.botglue.timeout must be seconds, 0.001 or more, got "x"')
  equal(nvim:lua("return vim.api.nvim_buf_get_extmarks(0, -1, 0, -1, {})"), {})
end)

test("where nobody is at a screen, an error is printed whole and at once", function()
  local root = vim.fs.dirname(vim.fs.dirname(vim.fs.dirname(debug.getinfo(1, "S").source:sub(2))))
  local host = "let g:botglue = #{ host: '" .. require("support.host").PROGRAM .. "' }"
  local command = { child.program(), "--clean", "--headless", "--cmd", "set rtp^=" .. root, "--cmd", host }
  vim.list_extend(command, { "-c", "runtime plugin/botglue.lua", "-c", "Botglue cancel", "-c", "qa!" })
  local printed = vim.system(command, { text = true }):wait(10000).stderr
  equal(select(2, printed:gsub("unknown subcommand", "")), 1, printed)
  contains(printed, "run, take, transcript")
end)

test("the words after run are the prompt, as they are", function()
  local nvim = child.with_host({ "a" })
  nvim:type([[:1Botglue run  use "quotes" | bars, %s and \n  <CR>]])
  nvim:eventually("a request arrives", "return require('support.host').received('run')[1]")
  equal(requests(nvim)[1].prompt, [[use "quotes" | bars, %s and \n]])
end)

test("the log opens at its end, and cannot be written to", function()
  local nvim = child.start()
  nvim:lua([[
    vim.fn.mkdir(vim.fn.stdpath("log"), "p")
    vim.fn.writefile({ "one", "two" }, vim.fn.stdpath("log") .. "/botglue.log")
  ]])
  nvim:type(":Botglue log<CR>")
  equal({ nvim:lines(), nvim:api("win_get_cursor", 0)[1] }, { { "one", "two" }, 2 })
  equal(nvim:lua("return vim.bo.modifiable"), false)
end)

test("<Plug>(botglue-line) takes lines by count, and a closed fold as a line", function()
  for _, case in ipairs({
    { "", { "gl", "j2gl", "G9gl" }, { { "a" }, { "b", "c" }, { "f" } } },
    { "2Gzfj5Gzfjgg", { "jgl", "gl", "k3gl" }, { { "b", "c" }, { "b", "c" }, { "a", "b", "c", "d" } } },
  }) do
    local nvim = child.with_host({ "a", "b", "c", "d", "e", "f" })
    nvim:lua("vim.keymap.set('n', 'gl', '<Plug>(botglue-line)')")
    nvim:type(case[1])
    for _, keys in ipairs(case[2]) do
      nvim:type(keys .. "it<C-s>")
    end
    nvim:eventually("all arrive", "return #require('support.host').received('run') == 3")
    local function taken(request)
      return request.selection.text
    end
    equal(vim.tbl_map(taken, requests(nvim)), case[3])
  end
end)

test("what opens a window says in the command-line window that there it cannot", function()
  local nvim = child.with_host({ "a", "b" })
  nvim:type("q:")
  local buffers = nvim:lua("return #vim.api.nvim_list_bufs()")
  for _, command in ipairs({ "Botglue", "Botglue jobs" }) do
    equal(said(nvim, command), "botglue: no window opens from the command-line window: leave it first")
    equal(nvim:api("get_mode"), { mode = "n", blocking = false })
    equal(nvim:lua("return #vim.api.nvim_list_bufs()"), buffers, command)
  end
end)
