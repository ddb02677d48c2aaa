local child = require("support.child")
local suite = require("support.suite")
local test, equal, contains = suite.test, suite.equal, suite.contains

--- Where Neovim has progress messages each is taken down; elsewhere there are none to test.
local function start(options)
  local nvim = child.with_host({ "one", "two", "three" })
  nvim:lua(
    [[
      _G.told = {}
      if vim.fn.exists("##Progress") == 1 then
        vim.api.nvim_create_autocmd("Progress", {
          pattern = "botglue",
          callback = function(event)
            local data = event.data
            table.insert(told, ("%s %d %s"):format(data.status, data.percent, table.concat(data.text)))
          end,
        })
      end
      require("botglue").setup(vim.tbl_extend("error", {}, ...))
    ]],
    options or vim.empty_dict()
  )
  return nvim, nvim:lua("return vim.fn.exists('##Progress') == 1")
end

local function told(nvim)
  nvim:settle()
  return nvim:lua("return told")
end

for name, case in pairs({
  ["that of all jobs that run at a time, and it ends"] = {
    function(nvim)
      nvim:run(child.line(1))
      nvim:run(child.line(2))
      nvim:answer(1, { "ONE" })
      nvim:run(child.line(3))
      nvim:answer(2, { "2" }, { held_for = "ambiguous" })
      nvim:answer(3, { "THREE" })
      nvim:run(child.line(1))
      nvim:agent(4, "exit", 3)
      nvim:host("ended", 4)
    end,
    {
      "running 0 it",
      "running 0 0 of 2 jobs done",
      "running 50 1 of 2 jobs done",
      "running 33 1 of 3 jobs done",
      "running 66 2 of 3 jobs done",
      "success 100 3 of 3 jobs done",
      "running 0 it",
      "failed 100 it",
    },
  },
  ["without a held answer that is decided later"] = {
    function(nvim)
      nvim:run(child.line(1))
      nvim:answer(1, { "ONE" }, { held_for = "ambiguous" })
      nvim:run(child.line(2))
      nvim:lua("require('botglue').reject(1)")
    end,
    { "running 0 it", "success 100 it", "running 0 it" },
  },
  ["nothing for who wants to be told nothing"] = {
    function(nvim)
      nvim:run(child.line(1))
      nvim:answer(1, { "ONE" })
    end,
    {},
    { notify = "none" },
  },
}) do
  test("progress is " .. name, function()
    local happens, expected, options = unpack(case)
    local nvim, known = start(options)
    happens(nvim)
    equal(told(nvim), known and expected or {})
  end)
end

test("when Neovim or the host ends, so does the progress", function()
  local nvim, known = start()
  nvim:run(child.line(1))
  nvim:lua("require('support.host').die()")
  equal(told(nvim)[2], known and "failed 100 it" or nil)
  nvim:run(child.line(2))
  nvim:settle()
  nvim:lua("vim.api.nvim_exec_autocmds('VimLeavePre', {})")
  equal(nvim:lua("return told[4]"), known and "failed 100 it" or vim.NIL)
end)

test("nothing is shown for it, nothing asks for Enter, and what was shown stays", function()
  local nvim = start()
  nvim:api("ui_try_resize", 20, 10)
  nvim:type(":echom 'mine'<CR>")
  nvim:run(child.line(1), { prompt = ("long "):rep(50) })
  nvim:settle()
  equal(nvim:api("get_mode"), { mode = "n", blocking = false })
  contains(vim.split(nvim:screen(), "\n")[10], "mine")
  nvim:answer(1, { "ONE" })
  equal(vim.trim(nvim:messages()), "mine")
  equal(
    nvim:lua("return vim.fn.exists('&messagesopt') == 0 or vim.o.messagesopt == vim.go.messagesopt"),
    true
  )
end)
