local stored = require("support.stored")
local suite = require("support.suite")
local test, equal, contains = suite.test, suite.equal, suite.contains
local with_jobs, open, shown, asked = stored.with_jobs, stored.open, stored.shown, stored.asked

test("finished jobs, newest first, with their state, place, prompt and cost", function()
  local nvim = with_jobs(4, {
    ["2"] = { landing = "held", held_for = "conflict" },
    ["3"] = { lines = false, landing = false, cost_usd = false, error = { "timeout", "it took\ntoo long" } },
    ["4"] = { prompt = "two\nlines", landing = "rejected" },
  })
  open(nvim)
  equal(shown(nvim), {
    "✓ HH:MM x.rs:2 prompt 1 landed $0.02",
    "◆ HH:MM x.rs:2 prompt 2 held: conflict $0.02",
    "✗ HH:MM x.rs:2 prompt 3 timeout",
    "· HH:MM x.rs:2 two lines rejected $0.02",
  })
  contains(nvim:screen(), " all · 4 ╮")
  nvim:type("q")
  equal(#nvim:api("list_wins"), 1)
end)

test("pages are asked for as the cursor comes near the end, and never all", function()
  local nvim = with_jobs(1000)
  open(nvim)
  equal({ #asked(nvim), nvim:api("buf_line_count", 0) }, { 1, 100 })
  contains(nvim:screen(), "100+")
  nvim:type("50G")
  equal(#asked(nvim), 1)
  nvim:type("61G")
  nvim:eventually("the next page is there", "return vim.api.nvim_buf_line_count(0) == 200")
  equal(asked(nvim)[2].before, { ended_ms = nvim:lua("return jobs[100].ended_ms"), uuid = "uuid-100" })
  equal(nvim:api("win_get_cursor", 0)[1], 61)
  nvim:type("G")
  nvim:eventually("and one more", "return vim.api.nvim_buf_line_count(0) == 300")
  equal(#asked(nvim), 3)
  contains(nvim:lua("return vim.fn.getline(300)"), "prompt 300")
end)

test("the last page is the last", function()
  local nvim = with_jobs(120)
  open(nvim)
  nvim:type("G")
  nvim:eventually("the rest is there", "return vim.api.nvim_buf_line_count(0) == 120")
  nvim:type("GggG")
  equal(#asked(nvim), 2)
  contains(nvim:screen(), " all · 120 ╮")
end)

test("s looks for words, and for all again", function()
  -- Words of their own: the store looks in paths too, and those of temporary files hold any letter and digit.
  local nvim =
    with_jobs(30, { ["2"] = { prompt = "extraordinary two" }, ["9"] = { prompt = "extraordinary nine" } })
  open(nvim)
  nvim:type("s")
  nvim:type("extraordinary<CR>")
  nvim:eventually("they are found", "return vim.api.nvim_buf_line_count(0) == 2")
  contains(nvim:screen(), 'all · "extraordinary" · 2 ╮')
  nvim:type("s")
  nvim:type("<C-u>nothing like it<CR>")
  nvim:eventually("there is none", "return vim.api.nvim_buf_line_count(0) == 1")
  equal(shown(nvim), { "no job is like this" })
  nvim:type("p")
  contains(nvim:messages(), "botglue: there is no job")
  nvim:type("s")
  nvim:type("<C-u><CR>")
  nvim:eventually("all are back", "return vim.api.nvim_buf_line_count(0) == 30")
end)

test("F, P and A list the file, the project and all", function()
  local nvim = with_jobs(1)
  open(nvim)
  nvim:type("F")
  contains(nvim:messages(), "botglue: the buffer that this was opened from has no file")
  nvim:type("q")
  nvim:lua("vim.cmd.edit({ path, bang = true })")
  open(nvim)
  for _, key in ipairs({ "F", "P", "A" }) do
    nvim:type(key)
  end
  local scopes = vim.tbl_map(function(question)
    return { question.path or "", question.project or "" }
  end, vim.list_slice(asked(nvim), 3))
  local path, cwd = nvim:lua("return path"), nvim:lua("return vim.fn.getcwd()")
  equal(scopes, { { path, "" }, { "", cwd }, { "", "" } })
end)

test("why a store cannot be read is said once, whole, in the window", function()
  local nvim = with_jobs(1)
  local file = nvim:lua([[
    local botglue = require("botglue")
    _G.data_dir = require("botglue.host.client").options().data_dir
    vim.uv.fs_rename(data_dir, data_dir .. ".away")
    vim.fn.writefile({ "no folder" }, data_dir)
    return data_dir .. "/botglue.db"
  ]])
  nvim:type(":Botglue history<CR>")
  nvim:eventually("it is told", "return vim.fn.getline(1):find('the store cannot be written') ~= nil")
  local function told()
    return (table.concat(shown(nvim)):gsub(" ", ""))
  end
  local why = "the store cannot be written (unable to open database file: %s); give yourself the right to write in "
    .. "`data_dir`, or set it to another folder"
  why = why:format(file):gsub(" ", "")
  equal(told(), why)
  equal(nvim:lua("return vim.fn.max(vim.fn.map(vim.fn.getline(1, '$'), 'strwidth(v:val)'))") <= 76, true)
  nvim:type("A")
  equal(told(), why)
  equal(nvim:messages():find("unable to open"), nil)
  nvim:lua("vim.fn.delete(data_dir) vim.uv.fs_rename(data_dir .. '.away', data_dir)")
  nvim:type("A")
  nvim:eventually("it can be read again", "return vim.fn.getline(1):find('prompt 1') ~= nil")
end)

test("a page that cannot be read is told of, what is listed stays", function()
  local nvim = with_jobs(150)
  open(nvim)
  nvim:host("hold", "reply")
  nvim:type("G")
  nvim:host("arrived", "reply", 1)
  nvim:host("die")
  nvim:eventually("it is told", "return vim.fn.execute('messages'):find('signal 9') ~= nil")
  equal(#shown(nvim), 100)
end)

test("a store with nothing in it says so", function()
  local nvim = with_jobs(0)
  nvim:type(":Botglue history<CR>")
  nvim:eventually("it is told", "return vim.fn.getline(1):find('no job has ended yet') ~= nil")
end)

--- Runs a job of this Neovim, which ends now.
local function ends(nvim, number, prompt)
  nvim:lua(
    [[
      local prompt = ...
      require("botglue").run({ prompt = prompt, bufnr = start, range = { kind = "line", first = { 1 }, last = { 1 } } })
    ]],
    prompt or ("new " .. number)
  )
  nvim:answer(number, { "start" })
end

test("a job that ends while the list is open is there, and the cursor stays on its job", function()
  local nvim = with_jobs(3)
  open(nvim)
  nvim:type("j")
  ends(nvim, 1)
  nvim:eventually("it is there", "return vim.fn.getline(1):find('new 1') ~= nil")
  equal(nvim:lua("return { vim.fn.line('.'), vim.fn.line('w0'), vim.fn.line('$') }"), { 3, 1, 4 })
  contains(nvim:lua("return vim.fn.getline('.')"), "prompt 2")
  contains(nvim:screen(), "all · 4")
  ends(nvim, 2)
  ends(nvim, 3)
  nvim:eventually("both are there", "return vim.fn.getline(1):find('new 3') ~= nil")
  equal(nvim:lua("return { vim.fn.line('.'), vim.fn.line('$') }"), { 5, 6 })
end)

test("further down the list the same rows stay in sight when a job ends", function()
  local nvim = with_jobs(150)
  open(nvim)
  nvim:type("60Gzt")
  local before = nvim:lua("return vim.fn.getline('w0', 'w$')")
  ends(nvim, 1)
  nvim:eventually("it is there", "return vim.fn.getline(1):find('new 1') ~= nil")
  equal(nvim:lua("return { vim.fn.line('.'), vim.fn.getline('w0', 'w$') }"), { 61, before })
  nvim:type("G")
  nvim:eventually("the next page follows the last", "return vim.fn.line('$') == 151")
end)

test("what becomes of an answer while the list is open is in its row", function()
  local nvim = with_jobs(2)
  nvim:run({ kind = "line", first = { 1 }, last = { 1 } }, { review = true })
  nvim:answer(1, { "START" })
  open(nvim)
  contains(shown(nvim)[1], "held")
  nvim:lua("require('botglue').accept(1)")
  nvim:eventually("it has landed", "return vim.fn.getline(1):find('landed') ~= nil")
end)

test("a list of some jobs stays one of those", function()
  local nvim = with_jobs(3, { ["2"] = { prompt = "extraordinary" } })
  open(nvim)
  nvim:type("s")
  nvim:type("extraordinary<CR>")
  nvim:eventually(
    "it is found",
    "return vim.fn.line('$') == 1 and vim.fn.getline(1):find('extraordinary') ~= nil"
  )
  ends(nvim, 1)
  ends(nvim, 2, "as extraordinary")
  nvim:eventually("the one like it is there", "return vim.fn.getline(1):find('as extraordinary') ~= nil")
  equal(nvim:lua("return vim.fn.line('$')"), 2)
end)

test("a job that runs asks the store nothing, nor does a list that is closed", function()
  local nvim = with_jobs(2)
  open(nvim)
  local before = #asked(nvim)
  nvim:run({ kind = "line", first = { 1 }, last = { 1 } })
  nvim:runs(1)
  nvim:agent(1, "call", "Read", { file_path = "x" })
  nvim:eventually("the job is updated", "return require('botglue').job(1).tool")
  equal(#asked(nvim), before)
  nvim:type("q")
  nvim:answer(1, { "START" })
  nvim:settle()
  equal(#asked(nvim), before)
end)
