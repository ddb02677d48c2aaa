local child = require("support.child")
local equal, test = require("support.suite").equal, require("support.suite").test

test("the session is that of the range under the cursor, else of the newest job", function()
  local nvim = child.with_host({ "one", "two", "three" })
  nvim:type(":Botglue info<CR>q")
  for i = 1, 2 do
    nvim:run(child.line(i, i))
    nvim:agent(i, "begin", { session_id = "s-" .. i })
    nvim:eventually("its session is known", "return require('botglue').job(...).session_id", i)
  end
  nvim:type("1G:Botglue info<CR>q2G:Botglue info<CR>q3G:Botglue info<CR>q")
  local sessions = {}
  for i, question in ipairs(nvim:host("received", "ask")) do
    local arg = question.arg
    sessions[i] = ("%s %s"):format(arg.agent, arg.session_id)
    equal(os.date("%H:%M:%S", arg.today_ms / 1000), "00:00:00")
    equal(arg.project, nvim:lua("return vim.fn.getcwd()"))
  end
  equal(sessions, { "nil nil", "claude s-1", "claude s-2", "claude s-2" })
end)

test("a store that cannot be read is one line, and no window", function()
  local nvim = child.with_host({ "one" })
  nvim:lua("_G.file = vim.fn.tempname() vim.fn.writefile({ 'no folder' }, file)")
  nvim:lua("require('botglue').setup({ data_dir = file })")
  nvim:type(":Botglue info<CR>")
  nvim:eventually(
    "it is told",
    "return vim.fn.execute('messages'):find('botglue: the store cannot be written (', 1, true)"
  )
  equal(#nvim:api("list_wins"), 1)
end)
