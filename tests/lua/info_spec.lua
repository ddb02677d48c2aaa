local child = require("support.child")
local jobs = require("support.jobs")
local equal, test = require("support.suite").equal, require("support.suite").test

test("the session is that of the range under the cursor, else of the newest job", function()
  local nvim = jobs.stored(1, { ["1"] = { session_id = "s-1" } })
  nvim:set_lines({ "one", "two", "three" })
  for i = 1, 2 do
    nvim:run(child.line(i, i))
    nvim:agent(i, "begin", { session_id = "s-" .. i })
    nvim:eventually("its session is known", "return require('botglue').job(...).session_id", i)
  end
  for line, count in ipairs({ 1, 0, 0 }) do
    nvim:type(line .. "G:Botglue info<CR>")
    local row = "^%s*this session%s+" .. count
    nvim:eventually("the sums of its session are there", "return vim.fn.getline(2):find(...)", row)
    nvim:type("q")
  end
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
