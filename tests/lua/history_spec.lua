local child = require("support.child")
local suite = require("support.suite")
local test, equal, contains = suite.test, suite.equal, suite.contains

--- A child with a store of so many jobs on a file of six lines. What is asked is kept in `asked`.
local function with_store(count, more)
  local nvim = child.with_host({ "start" })
  nvim:lua(
    [[
      local count, more = ...
      _G.path = vim.fn.tempname() .. ".rs"
      vim.fn.writefile({ "local one = 1", "local two = 2", "local three = 3", "local four = 4", "", "end" }, path)
      _G.jobs, _G.asked, _G.now = {}, {}, os.time() * 1000
      for i = 1, count do
        jobs[i] = vim.tbl_extend("force", {
          uuid = "uuid-" .. i,
          agent = "claude",
          model = "opus",
          session_id = "session-" .. i,
          project = vim.fs.dirname(path),
          path = path,
          filetype = "rust",
          kind = "line",
          first_line = 2,
          last_line = 3,
          prompt = "prompt " .. i,
          status = "done",
          landing = "applied",
          started_ms = now - i * 1000 - 7000,
          ended_ms = now - i * 1000,
          cost_usd = 0.02,
          has_answer = true,
          text = "local TWO = 2\nlocal THREE = 3",
          lines = { "local TWO = 2", "local THREE = 3" },
          selection = {
            kind = "line",
            first_line = 2,
            last_line = 3,
            text = { "local two = 2", "local three = 3" },
            rows = { "local two = 2", "local three = 3" },
            cols = { 0, 0 },
          },
        }, more[tostring(i)] or {})
      end
      local function of(uuid)
        for i, job in ipairs(jobs) do
          if job.uuid == uuid then
            return i, job
          end
        end
      end
      local answers = {
        history = function(args)
          if broken then
            return nil, broken
          end
          local found, from = {}, args.before and of(args.before.uuid) + 1 or 1
          for i = from, #jobs do
            if not args.text or jobs[i].prompt:find(args.text, 1, true) then
              found[#found + 1] = jobs[i]
            end
          end
          return { jobs = vim.list_slice(found, 1, args.limit), more = #found > args.limit }
        end,
        job = function(args)
          local _, job = of(args.uuid)
          return { job = job }
        end,
        again = function(args)
          local _, job = of(args.uuid)
          return { job = vim.tbl_extend("force", job, { landing = "held", held_for = "review", id = args.id }) }
        end,
        writers = function()
          return { jobs = {} }
        end,
      }
      require("botglue.query").ask = function(name, args, callback)
        table.insert(asked, { name = name, args = args })
        vim.schedule(function()
          callback(answers[name](args))
        end)
      end
    ]],
    count,
    more or vim.empty_dict()
  )
  return nvim
end

local function open(nvim)
  nvim:type(":Botglue history<CR>")
  nvim:eventually("the jobs are there", "return vim.fn.getline(1):find('[:%d]') ~= nil")
end

local function shown(nvim)
  return vim.tbl_map(function(row)
    return vim.trim((row:gsub("%s+", " "):gsub("%d%d:%d%d", "HH:MM"):gsub("%S+%.rs", "x.rs")))
  end, nvim:lua("return vim.fn.getline(1, '$')"))
end

--- Waits until a prompt for input stands on the screen, and answers it.
local function answer_input(nvim, words)
  nvim:type(words .. "<CR>")
end

test("finished jobs, newest first, with their state, place, prompt and cost", function()
  local nvim = with_store(4, {
    ["2"] = { landing = "held", held_for = "conflict" },
    ["3"] = {
      status = "failed",
      has_answer = false,
      error = { code = "timeout", message = "it took\ntoo long" },
    },
    ["4"] = { prompt = "two\nlines", landing = "rejected" },
  })
  nvim:lua("jobs[3].landing, jobs[3].cost_usd = nil, nil")
  open(nvim)
  equal(shown(nvim), {
    "✓ HH:MM x.rs:2 prompt 1 landed $0.02",
    "◆ HH:MM x.rs:2 prompt 2 held: conflict $0.02",
    "✗ HH:MM x.rs:2 prompt 3 it took too long",
    "· HH:MM x.rs:2 two lines rejected $0.02",
  })
  contains(nvim:screen(), " all · 4 ╮")
  nvim:type("q")
  equal(#nvim:api("list_wins"), 1)
end)

test("pages are asked for as the cursor comes near the end, and never all", function()
  local nvim = with_store(1000)
  open(nvim)
  equal({ nvim:lua("return #asked"), nvim:api("buf_line_count", 0) }, { 1, 100 })
  contains(nvim:screen(), "100+")
  nvim:type("50G")
  equal(nvim:lua("return #asked"), 1)
  nvim:type("61G")
  nvim:eventually("the next page is there", "return vim.api.nvim_buf_line_count(0) == 200")
  equal(
    nvim:lua("return asked[2].args.before"),
    { ended_ms = nvim:lua("return jobs[100].ended_ms"), uuid = "uuid-100" }
  )
  equal(nvim:api("win_get_cursor", 0)[1], 61)
  nvim:type("G")
  nvim:eventually("and one more", "return vim.api.nvim_buf_line_count(0) == 300")
  equal(nvim:lua("return #asked"), 3)
  contains(nvim:lua("return vim.fn.getline(300)"), "prompt 300")
end)

test("the last page is the last", function()
  local nvim = with_store(120)
  open(nvim)
  nvim:type("G")
  nvim:eventually("the rest is there", "return vim.api.nvim_buf_line_count(0) == 120")
  nvim:type("GggG")
  equal(nvim:lua("return #asked"), 2)
  contains(nvim:screen(), " all · 120 ╮")
end)

test("s looks for words, and for all again", function()
  local nvim = with_store(30)
  open(nvim)
  nvim:type("s")
  answer_input(nvim, "prompt 2")
  nvim:eventually("they are found", "return vim.api.nvim_buf_line_count(0) == 11")
  contains(nvim:screen(), 'all · "prompt 2" · 11 ╮')
  nvim:type("s")
  answer_input(nvim, "<C-u>nothing like it")
  nvim:eventually("there is none", "return vim.api.nvim_buf_line_count(0) == 1")
  equal(shown(nvim), { "no job is like this" })
  nvim:type("p")
  contains(nvim:messages(), "botglue: there is no job")
  nvim:type("s")
  answer_input(nvim, "<C-u>")
  nvim:eventually("all are back", "return vim.api.nvim_buf_line_count(0) == 30")
end)

test("F, P and A list the file, the project and all", function()
  local nvim = with_store(1)
  open(nvim)
  nvim:type("F")
  contains(nvim:messages(), "botglue: the buffer that this was opened from has no file")
  nvim:type("q")
  nvim:lua("vim.cmd.edit({ path, bang = true })")
  open(nvim)
  for _, key in ipairs({ "F", "P", "A" }) do
    nvim:type(key)
  end
  local asked = nvim:lua([[
    return vim.tbl_map(function(question)
      return { question.args.path or "", question.args.project or "" }
    end, vim.list_slice(asked, 3))
  ]])
  local path, cwd = nvim:lua("return path"), nvim:lua("return vim.fn.getcwd()")
  equal(asked, { { path, "" }, { "", cwd }, { "", "" } })
end)

test("<CR> goes to where the answer stands now, else to what was sent, else to its line", function()
  local landed = { landed_rows = { "local TWO = 2", "local THREE = 3" }, landed_first = 2, landed_last = 3 }
  for _, case in ipairs({
    { { "new", "new", "local TWO = 2", "local THREE = 3" }, 3 },
    { { "new", "new", "new", "local two = 2", "local three = 3" }, 4 },
    { { "a", "b", "c", "d" }, 2, "neither the answer nor what was sent stands here any more" },
    { { "a" }, 1, "neither the answer" },
  }) do
    local nvim = with_store(1, { ["1"] = landed })
    nvim:lua("vim.fn.writefile(..., path)", case[1])
    open(nvim)
    nvim:type("<CR>")
    nvim:eventually("the file is open", "return vim.api.nvim_buf_get_name(0) == vim.uv.fs_realpath(path)")
    nvim:settle()
    equal(nvim:api("win_get_cursor", 0)[1], case[2])
    equal(#nvim:api("list_wins"), 1)
    contains(nvim:messages(), case[3] or "")
  end
end)

test("<CR> on a job whose file is gone says so", function()
  local nvim = with_store(2, { ["2"] = { path = "" } })
  nvim:lua("vim.fn.delete(path)")
  open(nvim)
  nvim:type("<CR>")
  nvim:eventually("it is told", "return vim.fn.execute('messages'):find('is not there any more') ~= nil")
  nvim:type("j<CR>")
  nvim:eventually("that too", "return vim.fn.execute('messages'):find('without a file') ~= nil")
  equal(nvim:lua("return vim.fn.bufname()"), "botglue://history")
end)

test("p shows the prompt whole, and q goes back to the list", function()
  local nvim = with_store(2, { ["2"] = { prompt = "first line\n" .. ("word "):rep(40) .. "\nlast" } })
  open(nvim)
  nvim:type("jp")
  equal(nvim:lua("return vim.fn.getline(1, '$')"), { "first line", ("word "):rep(40), "last" })
  contains(nvim:screen(), "opus · 7s · $0.02")
  contains(nvim:screen(), "│last")
  nvim:type("q")
  equal(nvim:lua("return { vim.fn.bufname(), vim.fn.line('.') }"), { "botglue://history", 2 })
end)

test("d shows what stood there beside the answer, to be read", function()
  local nvim = with_store(2, { ["2"] = { has_answer = false } })
  open(nvim)
  nvim:type("jd")
  contains(nvim:messages(), "botglue: this job has no answer")
  nvim:type("kd")
  nvim:eventually("the tab page is there", "return #vim.api.nvim_list_tabpages() == 2")
  local windows = nvim:lua([[
    return vim.tbl_map(function(win)
      local bufnr = vim.api.nvim_win_get_buf(win)
      return { vim.wo[win].diff, vim.bo[bufnr].modifiable, vim.api.nvim_buf_get_lines(bufnr, 0, -1, true) }
    end, vim.api.nvim_tabpage_list_wins(0))
  ]])
  equal(windows, {
    { true, false, { "local two = 2", "local three = 3" } },
    { true, false, { "local TWO = 2", "local THREE = 3" } },
  })
  contains(nvim:screen(), "the answer · q close")
  nvim:type("q")
  equal(nvim:lua("return { #vim.api.nvim_list_tabpages(), vim.fn.bufname() }"), { 1, "botglue://history" })
  equal(nvim:lua("return #vim.fn.getbufinfo({ buflisted = 1 })"), 1)
end)

test("a holds the answer once more, and shows it for review", function()
  local nvim = with_store(3, { ["2"] = { question = true }, ["3"] = { has_answer = false } })
  open(nvim)
  nvim:type("ja")
  contains(nvim:messages(), "botglue: this was a question: its answer does not land")
  nvim:type("ja")
  contains(nvim:messages(), "botglue: this job has no answer")
  nvim:type("gga")
  nvim:eventually("the review is open", "return #vim.api.nvim_list_tabpages() == 2")
  equal(nvim:lua("return asked[#asked].args.id"), 1)
  contains(nvim:screen(), "held answer 1 of 1 · review")
  local job = nvim:job(1)
  equal({ job.landing, job.held_for, job.elapsed_ms }, { "held", "review", 7000 })
  nvim:type("a")
  nvim:eventually("it has landed", "return require('botglue').job(1).landing == 'applied'")
  equal(nvim:lua("return vim.api.nvim_buf_get_lines(vim.fn.bufnr(path), 0, 3, true)"), {
    "local one = 1",
    "local TWO = 2",
    "local THREE = 3",
  })
end)

test("R sends the same prompt once more, at its place", function()
  local nvim = with_store(1)
  nvim:lua("vim.fn.writefile({ 'new', 'local one = 1', 'local two = 2', 'local three = 3' }, path)")
  open(nvim)
  nvim:type("R")
  local request = nvim:eventually("the request arrives", "return require('support.host').received('run')[1]")
  equal({
    request.prompt,
    request.selection.first_line,
    request.selection.rows,
    request.agent.model,
    request.resume,
  }, {
    "prompt 1",
    3,
    { "local two = 2", "local three = 3" },
    "opus",
    nil,
  })
  equal(nvim:api("win_get_cursor", 0)[1], 3)
  equal(#nvim:api("list_wins"), 1)
end)

test("R on a job whose lines are gone says so, and starts nothing", function()
  local nvim = with_store(1)
  nvim:lua("vim.fn.writefile({ 'x' }, path)")
  open(nvim)
  nvim:type("R")
  nvim:eventually("it is told", "return vim.fn.execute('messages'):find('lines of this job are gone') ~= nil")
  equal(nvim:lua("return #require('support.host').received('run')"), 0)
end)

test("f goes on in its session, at its place", function()
  local nvim = with_store(2, { ["2"] = { agent = "mine" } })
  nvim:lua([[
    local mine = { protocol = "text", command = { "x" } }
    require("botglue").setup({ host = "/bin/sh", prompt = "ui", agents = { mine = mine } })
  ]])
  open(nvim)
  nvim:type("jf")
  contains(nvim:messages(), "keeps no sessions")
  nvim:type("kf")
  nvim:eventually("the file is shown", "return vim.api.nvim_buf_get_name(0) == vim.uv.fs_realpath(path)")
  answer_input(nvim, "and now this")
  local request = nvim:eventually("the request arrives", "return require('support.host').received('run')[1]")
  equal({ request.prompt, request.resume.session_id, request.selection.first_line, request.cwd }, {
    "and now this",
    "session-1",
    2,
    nvim:lua("return jobs[1].project"),
  })
end)

test("o opens its session in a terminal", function()
  local nvim = with_store(1)
  nvim:lua("require('botglue').setup({ host = '/bin/sh', agents = { claude = { command = { 'echo' } } } })")
  open(nvim)
  nvim:type("o")
  nvim:eventually("a terminal is open", "return vim.bo.buftype == 'terminal'")
  nvim:eventually(
    "with the session",
    [[
    return table.concat(vim.fn.getline(1, "$"), " "):find("--resume session-1", 1, true) ~= nil
  ]]
  )
end)

test("t shows its transcript, where that is kept", function()
  local nvim = with_store(2)
  nvim:lua([[
    jobs[1].transcript = vim.fn.tempname()
    vim.fn.writefile({ "{}" }, jobs[1].transcript)
  ]])
  open(nvim)
  nvim:type("jt")
  contains(nvim:messages(), "botglue: no transcript of this job is kept")
  nvim:type("kt")
  equal(
    nvim:lua("return { vim.api.nvim_buf_get_name(0) == jobs[1].transcript, vim.bo.modifiable }"),
    { true, false }
  )
  equal(#nvim:api("list_wins"), 2)
end)

test("a job of this Neovim is that job, with its range as it is now", function()
  local nvim = with_store(0)
  nvim:set_lines({ "one", "two" })
  nvim:run({ kind = "line", first = { 2 }, last = { 2 } })
  nvim:answer(1, { "TWO" }, { held_for = "ambiguous" })
  nvim:type("ggOnew<Esc>")
  nvim:lua([[
    jobs[1] = {
      uuid = "u", id = 1, agent = "claude", project = "/", path = "", filetype = "", kind = "line", first_line = 2,
      last_line = 2, prompt = "it", status = "done", landing = "held", held_for = "ambiguous", started_ms = now,
      ended_ms = now, has_answer = true,
    }
  ]])
  nvim:type("gg")
  open(nvim)
  nvim:type("<CR>")
  equal(nvim:api("win_get_cursor", 0)[1], 3)
  open(nvim)
  nvim:type("a")
  contains(nvim:screen(), "held answer 1 of 1")
  equal(nvim:lua("return #require('botglue').jobs()"), 1)
end)

test("why a store cannot be read is said once, whole, in the window", function()
  local nvim = with_store(1)
  local why = "the host is not there: " .. ("run make build in some folder, "):rep(5)
  nvim:lua("_G.broken = ...", why)
  nvim:type(":Botglue history<CR>")
  nvim:eventually("it is told", "return vim.fn.getline(1):find('the host is not there') ~= nil")
  local function told()
    return table.concat(shown(nvim), " ")
  end
  equal(told(), vim.trim(why))
  equal(nvim:lua("return vim.fn.max(vim.fn.map(vim.fn.getline(1, '$'), 'strwidth(v:val)'))") <= 76, true)
  nvim:type("A")
  equal(told(), vim.trim(why))
  equal(nvim:messages():find("the host is not there"), nil)
  nvim:lua("_G.broken = nil")
  nvim:type("A")
  nvim:eventually("it can be read again", "return vim.fn.getline(1):find('prompt 1') ~= nil")
end)

test("a page that cannot be read is told of, what is listed stays", function()
  local nvim = with_store(150)
  open(nvim)
  nvim:lua("_G.broken = 'the store is broken'")
  nvim:type("G")
  nvim:eventually("it is told", "return vim.fn.execute('messages'):find('the store is broken') ~= nil")
  equal(#shown(nvim), 100)
end)

test("a store with nothing in it says so", function()
  local nvim = with_store(0)
  nvim:type(":Botglue history<CR>")
  nvim:eventually("it is told", "return vim.fn.getline(1):find('no job has ended yet') ~= nil")
end)

--- Puts a job before those of the store, as one of this Neovim that ends now.
local function ends(nvim, number, fields)
  nvim:lua(
    [[
      local number, fields = ...
      local job = vim.tbl_extend("force", jobs[#jobs], {
        uuid = "new-" .. number, prompt = "new " .. number, ended_ms = now + number * 1000,
      }, fields)
      table.insert(jobs, 1, job)
      vim.api.nvim_exec_autocmds("User", { pattern = "BotglueJobFinished", data = { id = number, status = "done" } })
    ]],
    number,
    fields or vim.empty_dict()
  )
end

test("a job that ends while the list is open is there, and the cursor stays on its job", function()
  local nvim = with_store(3)
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

test("who has gone down the list sees the same rows when a job ends", function()
  local nvim = with_store(150)
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
  local nvim = with_store(3, { ["2"] = { landing = "held", held_for = "review" } })
  open(nvim)
  contains(shown(nvim)[2], "held")
  nvim:lua([[
    jobs[2].landing, jobs[2].held_for = "applied", nil
    vim.api.nvim_exec_autocmds("User", { pattern = "BotglueJobUpdated", data = { id = 9, status = "done" } })
  ]])
  nvim:eventually("it has landed", "return vim.fn.getline(2):find('landed') ~= nil")
end)

test("a list of some jobs stays one of those", function()
  local nvim = with_store(3)
  open(nvim)
  nvim:type("s")
  answer_input(nvim, "prompt 2")
  nvim:eventually("it is found", "return vim.fn.line('$') == 1 and vim.fn.getline(1):find('prompt 2') ~= nil")
  ends(nvim, 1)
  ends(nvim, 2, { prompt = "as prompt 2" })
  nvim:eventually("the one like it is there", "return vim.fn.getline(1):find('as prompt 2') ~= nil")
  equal(nvim:lua("return vim.fn.line('$')"), 2)
end)

test("a job that runs asks the store nothing, nor does a list that is closed", function()
  local nvim = with_store(2)
  open(nvim)
  local asked = nvim:lua("return #asked")
  nvim:lua(
    [[vim.api.nvim_exec_autocmds("User", { pattern = "BotglueJobUpdated", data = { id = 9, status = "running" } })]]
  )
  nvim:settle()
  equal(nvim:lua("return #asked"), asked)
  nvim:type("q")
  ends(nvim, 1)
  nvim:settle()
  equal(nvim:lua("return #asked"), asked)
end)
