-- What the prompt says: what will happen, what stands in the way of a job, which keys there are, why one did nothing.

local child = require("support.child")
local suite = require("support.suite")
local contains, equal, test = suite.contains, suite.equal, suite.test

local function start()
  return child.with_host({ "one", "two", "three" })
end

local function missing(text, part)
  equal(text:find(part, 1, true), nil, text)
end

--- The rows of the prompt's window as they are on the screen, without the border.
local function inside(nvim)
  return nvim:lua([[
    vim.cmd.redraw()
    local win = require("botglue.host.connection").prompt.float.win
    local at, rows = vim.api.nvim_win_get_position(win), {}
    for row = 1, vim.api.nvim_win_get_height(win) do
      local cells = {}
      for column = 1, vim.api.nvim_win_get_width(win) do
        cells[column] = vim.fn.screenstring(at[1] + row + 1, at[2] + column + 1)
      end
      rows[row] = vim.trim(table.concat(cells))
    end
    return rows
  ]])
end

--- What it says below its text, as one line.
local function said(nvim)
  local text =
    nvim:lua("return vim.api.nvim_buf_line_count(require('botglue.host.connection').prompt.float.bufnr)")
  return vim.trim(table.concat(vim.list_slice(inside(nvim), text + 1), " "))
end

--- Has a job of an agent end with a failure of this code.
local function fail(nvim, agent, code)
  nvim:lua(
    [[
      local agent, code = ...
      local id = require("botglue").run({
        prompt = "it", agent = agent, range = { kind = "line", first = { 1 }, last = { 1 } },
      })
      require("botglue.host.client").job(id):fail({ code = code, message = "It failed." })
    ]],
    agent,
    code
  )
end

test("a host that is not there is said before a word is typed, with what to do", function()
  for _, size in ipairs({ 80, 50 }) do
    local nvim = child.start("vim.g.botglue = { host = '/nowhere/host' }")
    nvim:api("ui_try_resize", size, 24)
    nvim:type(":Botglue<CR>")
    equal(said(nvim), "✗ run `make install` in the plugin's directory: there is no host at /nowhere/host")
    nvim:type("words<CR>more")
    equal(
      { said(nvim), inside(nvim)[2] },
      { "✗ run `make install` in the plugin's directory: there is no host at /nowhere/host", "more" }
    )
  end
end)

test("an agent that is not installed is said, and that is over with another agent", function()
  local nvim = start()
  nvim:lua([[require("botglue").setup({
    agent = "mine",
    agents = {
      mine = { protocol = "text", command = "my-agent" },
      odd = { protocol = "acp", command = "/nowhere/odd" },
    },
  })]])
  nvim:type(":2Botglue<CR>")
  equal(said(nvim), "✗ install `my-agent`, or set agents.mine.command: it is not in PATH")
  nvim:type("<Tab>")
  equal(said(nvim), "")
  nvim:type("<Tab>")
  equal(said(nvim), "✗ install `my-agent`, or set agents.mine.command: it is not in PATH")
  nvim:type("<Esc><Esc>")
  nvim:lua("require('botglue').run({ agent = 'odd' })")
  equal(said(nvim), "✗ install `/nowhere/odd`, or set agents.odd.command: it cannot be executed")
end)

test("an agent whose last job was not logged in says so, until one was", function()
  local nvim = start()
  nvim:lua([[require("botglue").setup({ agents = { droid = { command = { "true" } } } })]])
  fail(nvim, "claude", "not_logged_in")
  nvim:type(":2Botglue<CR>")
  equal(
    said(nvim),
    "✗ run `claude` in a terminal and its command `/login`: the last job of claude was not logged in"
  )
  nvim:type("<Tab>")
  equal(said(nvim), "", "another agent")
  nvim:type("<Esc><Esc>")
  fail(nvim, "claude", "timeout")
  nvim:type(":2Botglue<CR>")
  equal(said(nvim), "", "the last job counts")
end)

test("that is said in a prompt that is open already", function()
  local nvim = start()
  nvim:type(":2Botglue<CR>")
  equal(said(nvim), "")
  fail(nvim, "claude", "not_logged_in")
  contains(said(nvim), "the last job of claude was not logged in")
end)

test("a host of another version is said as soon as it has greeted", function()
  local nvim = child.start("package.loaded['botglue.version'] = '9.9.9'")
  nvim:lua("require('botglue').setup({ host = ... })", require("support.host").PROGRAM)
  nvim:type(":Botglue<CR>")
  nvim:eventually("it is said", "return require('botglue.host.connection').prompt.notice.obstacle ~= nil")
  contains(said(nvim), "✗ run `make install` in the plugin's directory; the host is version ")
end)

test("so it does where an earlier Neovim was told, as the store has it", function()
  local nvim = start()
  nvim:lua("require('support.spilled').write(...)", {
    {
      uuid = "j1",
      prompt = "it",
      rows = { "one" },
      lines = false,
      error = { "not_logged_in", "no" },
      ended_ms = 1000,
    },
  })
  nvim:type(":2Botglue<CR>")
  nvim:eventually(
    "it is said",
    [[
    local notice = require("botglue.host.connection").prompt.notice
    return notice.obstacle ~= nil
  ]]
  )
  contains(said(nvim), "the last job of claude was not logged in")
  nvim:type("<Esc><Esc>")
  nvim:run(child.line(1, 1))
  nvim:answer(1, { "1" })
  nvim:type(":2Botglue<CR>")
  equal(said(nvim), "", "what this Neovim has seen is newer")
end)

test("<C-p> says why there is no earlier prompt, until something is typed", function()
  local nvim = start()
  nvim:type(":2Botglue<CR><C-p>")
  equal(said(nvim), "there is no earlier prompt")
  nvim:type("x")
  equal(said(nvim), "")
  nvim:type("<Esc><Esc>")
  nvim:type(":3Botglue<CR>nothing like it<C-p>")
  equal(said(nvim), "no earlier prompt has these words")
  nvim:type("<C-u><C-p>")
  equal({ inside(nvim)[1], said(nvim) }, { "x", "" })
  nvim:type("<C-p>")
  equal(said(nvim), "there is no earlier prompt than this one")
  nvim:type("<C-n>")
  equal(said(nvim), "")
  equal(vim.trim(nvim:messages()), "")
end)

test("<C-f> says so, too", function()
  local nvim = start()
  nvim:type(":2Botglue<CR>first<Esc><Esc>:3Botglue<CR>other<C-f>")
  equal(said(nvim), "no earlier prompt has these words")
  equal(vim.trim(nvim:messages()), "")
end)

test("the title says what will happen to the answer", function()
  local nvim = start()
  local function title(lua)
    nvim:lua(lua)
    local found = nvim:screen():match("╭ (.-) · claude")
    nvim:type("<Esc><Esc>")
    return found
  end
  local line = "{ range = { kind = 'line', first = { 2 }, last = { 2 } } }"
  equal(title("require('botglue').run(" .. line .. ")"), "botglue replace")
  equal(
    title("require('botglue').run({ range = { kind = 'insert', first = { 0 } } })"),
    "botglue insert below"
  )
  equal(title("require('botglue').ask(" .. line .. ")"), "botglue ask")
  equal(title("vim.cmd('2Botglue!')"), "botglue hold for review")
  local resume = [[
    local range = require("botglue.editor.range").from_selection(require("botglue.editor.selection").lines(1, 1, 1))
    local request = { agent = "claude", resume = { session_id = "s", at = %s } }
    require("botglue.jobs.run").ask(range, request, (require("botglue.host.client").options()))
  ]]
  equal(title(resume:format("nil")), "botglue follow up")
  equal(title(resume:format("'m1'")), "botglue rewind")
  nvim:lua("require('botglue').setup({ review = true })")
  equal(title("require('botglue').run(" .. line .. ")"), "botglue hold for review")
  nvim:api("ui_try_resize", 50, 20)
  nvim:lua("require('botglue').setup({ review = true, model = 'sonnet' })")
  equal(title("require('botglue').run(" .. line .. ")"), "hold for review", "no room for the name")
end)

test("its footer has the keys of the mode, and the key for more of them works there", function()
  local nvim = start()
  nvim:lua([[require("botglue").setup({ agents = { droid = { command = { "true" } } } })]])
  nvim:type(":2Botglue<CR>")
  contains(nvim:screen(), "<C-s> send · <S-Tab> model · <Tab> agent · <C-p> earlier · <Esc>q close")
  nvim:type("<Esc>")
  contains(nvim:screen(), "<C-s> send · <S-Tab> model · <Tab> agent · <C-p> earlier · <Esc> close")
  nvim:api("ui_try_resize", 50, 20)
  nvim:type("a")
  contains(nvim:screen(), "<C-s> send · <S-Tab> model · <C-l> more")
  nvim:type("<C-l>")
  contains(nvim:screen(), "<Tab> agent · <C-p> earlier · <C-l> more")
  nvim:type("<C-l>")
  contains(nvim:screen(), "<Esc>q close · <C-l> more")
  nvim:type("<C-l>words<Esc>")
  contains(nvim:screen(), "<C-s> send · <S-Tab> model · g? more")
  nvim:type("g?")
  contains(nvim:screen(), "<Tab> agent · <C-p> earlier · g? more")
  nvim:type("aq<Esc>q")
  missing(nvim:screen(), "╭")
  equal(nvim:lua("return require('botglue.host.connection').drafts[1].text"), "wordsq")
end)

test("where something is proposed the footer has the keys of Select mode", function()
  local nvim = start()
  nvim:lua([[
    local problem = { lnum = 1, col = 0, message = "no such name" }
    vim.diagnostic.set(vim.api.nvim_create_namespace("test"), 0, { problem })
  ]])
  nvim:type("2G:Botglue<CR>")
  nvim:eventually("it is selected", "return vim.api.nvim_get_mode().mode == 'S'")
  contains(nvim:screen(), "<Esc>q close")
  nvim:type("<Esc>q")
  missing(nvim:screen(), "╭")
end)

test("a draft is shown from its first row, with no blank one, as long as it fits", function()
  local nvim = start()
  for count = 1, 10 do
    local rows = {}
    for i = 1, count do
      rows[i] = ("row %d of %d"):format(i, count)
    end
    nvim:type(":2Botglue<CR>")
    nvim:type(table.concat(rows, "<CR>"))
    local expected = vim.list_extend({}, rows)
    for i = count + 1, 3 do
      expected[i] = ""
    end
    equal(inside(nvim), expected, "typed")
    nvim:type("<Esc><Esc>")
    nvim:type(":2Botglue<CR>")
    equal(inside(nvim), expected, "opened again")
    nvim:type("<Esc>:%d<CR><Esc>")
  end
end)
