local child = require("support.child")
local review = require("support.review")
local suite = require("support.suite")
local test, equal = suite.test, suite.equal
local line, LINES, stored = child.line, review.LINES, review.stored

--- A child with held answers, each `{ range, answer, options }`.
local function with_held(answers, keys)
  local nvim = child.with_host(LINES)
  for _, each in ipairs(answers) do
    nvim:run(each[1], each[3] or { review = true })
  end
  nvim:type(keys or "")
  for id, each in ipairs(answers) do
    nvim:answer(id, each[2])
    equal(nvim:job(id).landing, "held")
  end
  return nvim
end

--- The windows of the current tab page: what is in them, whether it is a diff, and the line above.
local function sides(nvim)
  return nvim:lua([[
    return vim.tbl_map(function(win)
      local bufnr = vim.api.nvim_win_get_buf(win)
      return {
        vim.api.nvim_buf_get_lines(bufnr, 0, -1, true),
        vim.wo[win].diff,
        vim.wo[win].winbar,
        win == vim.api.nvim_get_current_win(),
      }
    end, vim.api.nvim_tabpage_list_wins(0))
  ]])
end

test("an answer is shown and can be changed where new buffers cannot", function()
  local nvim = with_held({ { line(2, 2), { "TWO" } } }, ":set nomodifiable<CR>")
  nvim:type(":Botglue review<CR>")
  nvim:type("A!<Esc>")
  local shown = sides(nvim)
  equal({ shown[1][1][2], shown[2][1][2] }, { LINES[2], "TWO!" })
  nvim:type("q:bwipeout!<CR>:Botglue review<CR>")
  equal(sides(nvim)[1][1], { LINES[2] })
end)

--- All that a review could leave behind, and what it must not touch.
local STATE = [[
  local windows = {}
  for _, tab in ipairs(vim.api.nvim_list_tabpages()) do
    for _, win in ipairs(vim.api.nvim_tabpage_list_wins(tab)) do
      local options = {}
      for _, name in ipairs({ "diff", "foldmethod", "foldlevel", "foldenable", "foldcolumn", "wrap", "scrollbind",
        "cursorbind", "winbar" }) do
        options[name] = vim.api.nvim_get_option_value(name, { win = win })
      end
      windows[#windows + 1] = vim.api.nvim_win_call(win, function()
        return { win, vim.api.nvim_win_get_buf(win), options, vim.fn.winsaveview(), vim.fn.foldclosed(2) }
      end)
    end
  end
  return {
    windows = windows,
    current = vim.api.nvim_get_current_win(),
    buffers = #vim.api.nvim_list_bufs(),
    autocmds = #vim.api.nvim_get_autocmds({}),
    last = vim.fn.getpos("'\""),
    registers = { vim.fn.getreg('"'), vim.fn.getreg("/") },
    jumps = vim.fn.getjumplist(),
    visual = { vim.fn.getpos("'<"), vim.fn.getpos("'>") },
    change = { vim.fn.getpos("'["), vim.fn.getpos("']") },
    lines = vim.api.nvim_buf_get_lines(0, 0, -1, true),
    review = require("botglue.client").connection().review,
  }
]]

test("left the buffer, right the answer in its place, and one line with the keys", function()
  local nvim = with_held({ { line(2, 4), { "b", "C", "CC", "d" } } })
  nvim:type(":Botglue review<CR>")
  equal(sides(nvim), {
    { LINES, true, "held answer 1 of 1 · review", false },
    { { "a", "b", "C", "CC", "d", "e" }, true, "a accept · x reject · n next · q later", true },
  })
  equal(nvim:api("win_get_cursor", 0), { 2, 0 })
end)

test("the lines of held answers do not shift the sides, and are back afterwards", function()
  local nvim = with_held({ { line(1, 1), { "A" } }, { line(3, 3), { "C" } } })
  equal(nvim:drawn(), 2)
  nvim:type(":Botglue review<CR>")
  equal(nvim:drawn(), 0)
  nvim:type("n")
  equal(nvim:drawn(), 0)
  nvim:type("q")
  equal(nvim:drawn(), 2)
end)

test("every kind of answer is shown in its place", function()
  local function shown(range, answer, expected)
    local nvim = with_held({ { range, answer } })
    nvim:type(":Botglue review 1<CR>")
    equal(sides(nvim)[2][1], expected)
    nvim:type("a")
    equal({ nvim:lines(), nvim:job(1).landing }, { expected, "applied" })
  end
  shown(line(1, 5), {}, { "" })
  shown(line(2, 3), {}, { "a", "d", "e" })
  shown({ kind = "insert", first = { 5 } }, { "f" }, { "a", "b", "c", "d", "e", "f" })
  shown(
    { kind = "char", first = { 2, 0 }, last = { 3, 0 } },
    { "B", "C", "D" },
    { "a", "B", "C", "D", "d", "e" }
  )
  shown({ kind = "block", first = { 2, 0 }, last = { 3, 0 } }, { "BB", "C" }, { "a", "BB", "C", "d", "e" })
end)

test("accept lands the answer, and leaves nothing of the review", function()
  local nvim = with_held({ { line(2, 4), { "b", "C", "d" } } })
  nvim:type(":setlocal foldmethod=manual<CR>:2,3fold<CR>ggyyjvj<Esc>4G")
  local before = nvim:lua(STATE)
  nvim:type(":Botglue review<CR>a")
  equal({ nvim:job(1).landing, nvim:lines() }, { "applied", { "a", "b", "C", "d", "e" } })
  nvim:type("u")
  equal(nvim:lines(), LINES, "one step")
  local after = nvim:lua(STATE)
  before.change, after.change = nil, nil
  equal(after.windows[1][3], before.windows[1][3])
  equal({ #after.windows, after.buffers, after.review, after.last }, { 1, before.buffers, nil, before.last })
end)

test("looking and closing changes nothing, however it is closed", function()
  for _, keys in ipairs({
    "q",
    ":q<CR>",
    "<C-w>h:q<CR>",
    ":tabclose<CR>",
    "<C-w>o:tabclose<CR>",
    ":bwipeout!<CR>",
  }) do
    local nvim = with_held({ { line(2, 4), { "b", "C", "d" } } }, "A!<Esc>")
    nvim:type(":vsplit<CR>:setlocal foldmethod=manual<CR>:2,3fold<CR>ggyyjvj<Esc>/d<CR>4G")
    local before = nvim:lua(STATE)
    nvim:type(":Botglue review<CR>")
    equal(nvim:lua("return vim.fn.tabpagenr('$')"), 2)
    nvim:type(keys)
    nvim:eventually("the review is closed by " .. keys, "return vim.fn.tabpagenr('$') == 1")
    nvim:settle()
    for key, value in pairs(nvim:lua(STATE)) do
      equal(value, before[key], keys .. " and " .. key)
    end
    equal(nvim:job(1).landing, "held")
  end
end)

test("x rejects, n goes to the next, q leaves the rest for later", function()
  local nvim = with_held({ { line(1, 1), { "A" } }, { line(3, 3), { "C" } }, { line(5, 5), { "E" } } })
  nvim:type(":Botglue review 2<CR>")
  equal(sides(nvim)[1][3], "held answer 2 of 3 · review")
  nvim:type("x")
  equal(sides(nvim)[1][3], "held answer 2 of 2 · review", "the next one")
  equal(sides(nvim)[2][1], { "a", "b", "c", "d", "E" })
  nvim:type("n")
  equal(sides(nvim)[2][1], { "A", "b", "c", "d", "e" })
  nvim:type("q")
  equal(#sides(nvim), 1)
  equal(
    { nvim:job(1).landing, nvim:job(2).landing, nvim:job(3).landing, nvim:lines() },
    { "held", "rejected", "held", LINES }
  )
end)

test("without a number the answer at the cursor comes first", function()
  local nvim = with_held({ { line(1, 1), { "A" } }, { line(3, 3), { "C" } } })
  nvim:type("3G:Botglue review<CR>")
  equal(sides(nvim)[1][3], "held answer 2 of 2 · review")
end)

test("a hunk is taken with Neovim's own keys, then the rest is accepted or rejected", function()
  local answer = { "A", "b", "c", "d", "E" }
  local nvim = with_held({ { line(1, 5), answer } })
  nvim:type(":Botglue review<CR>ggdp")
  equal(sides(nvim)[1][1], { "A", "b", "c", "d", "e" })
  nvim:type("x")
  equal({ nvim:lines(), nvim:job(1).landing }, { { "A", "b", "c", "d", "e" }, "rejected" })

  nvim = with_held({ { line(1, 5), answer } })
  nvim:type(":Botglue review<CR>ggdp")
  nvim:type("a")
  equal({ nvim:lines(), nvim:job(1).landing }, { answer, "merged" })

  nvim = with_held({ { line(1, 5), answer } })
  nvim:type(":Botglue review<CR>Gdo")
  equal(sides(nvim)[2][1], { "A", "b", "c", "d", "e" })
  nvim:type("a")
  equal({ nvim:lines(), nvim:job(1).landing }, { { "A", "b", "c", "d", "e" }, "applied" })
end)

test("hunks at the edges that were taken by hand do not come twice", function()
  local answer = { "B", "c", "D", "D" }
  for _, keys in ipairs({ "2Gdp", "4Gdp", "2Gdp4Gdp", "<C-w>h2Gdo", "<C-w>h4Gdo" }) do
    local nvim = with_held({ { line(2, 4), answer } })
    nvim:type(":Botglue review<CR>" .. keys .. "<C-w>l")
    nvim:settle()
    local expected = { "a", "B", "c", "D", "D", "e" }
    -- How the lines that differ make hunks is Neovim's and 'diffopt''s business: all may be taken already.
    local is_taken = vim.deep_equal(nvim:lua("return vim.api.nvim_buf_get_lines(1, 0, -1, true)"), expected)
    nvim:type("a")
    equal(nvim:lines(), expected, keys)
    equal(nvim:host("received", "merge")[1].current[1], keys:find("2G") and "B" or "b")
    equal(nvim:job(1).landing, is_taken and "unchanged" or "merged", keys)
  end
  local function taken(range, lines, expected, landing)
    local nvim = with_held({ { range, lines } })
    nvim:type(":Botglue review<CR>2GVj:diffput<CR>")
    nvim:settle()
    local before = nvim:lua("return vim.api.nvim_buf_get_lines(1, 0, -1, true)")
    nvim:type("a")
    equal({ before, nvim:lines(), nvim:job(1).landing }, { expected, expected, landing }, vim.inspect(range))
    return nvim
  end
  taken(line(2, 2), { "B" }, { "a", "B", "c", "d", "e" }, "unchanged")
  taken(line(2, 2), { "B", "BB" }, { "a", "B", "BB", "c", "d", "e" }, "unchanged")
  taken(line(2, 4), { "B", "BB" }, { "a", "B", "BB", "e" }, "unchanged")
  local nvim = taken(
    { kind = "insert", first = { 1 } },
    { "new", "er" },
    { "a", "new", "er", "b", "c", "d", "e" },
    "merged"
  )
  nvim:type(":Botglue revert 1<CR>")
  equal(nvim:lines(), LINES)
end)

test("what the user changes in the answer is what is accepted", function()
  local nvim = with_held({ { line(2, 3), { "B", "C" } } })
  nvim:type(":Botglue review<CR>2GA!<Esc>jonew<Esc>a")
  equal(nvim:lines(), { "a", "B!", "C", "new", "d", "e" })
  nvim = with_held({ { { kind = "char", first = { 2, 0 }, last = { 2, 0 } }, { "B" } } })
  nvim:type(":Botglue review<CR>2GA!<Esc>a")
  equal(nvim:lines(), { "a", "B!", "c", "d", "e" })
end)

test("what happens around the answer meanwhile is no part of it", function()
  local nvim = with_held({ { line(3, 3), { "C" } } })
  nvim:run(line(1, 1))
  nvim:run(line(5, 5))
  nvim:type(":Botglue review 1<CR>")
  nvim:answer(2, { "A", "AA" })
  nvim:answer(3, { "E", "EE" })
  nvim:settle()
  equal(sides(nvim)[2][1], { "A", "AA", "b", "C", "d", "E", "EE" })
  nvim:type("<C-w>hggOtop<Esc>Gobottom<Esc>4Goover<Esc>6Gounder<Esc><C-w>l")
  nvim:settle()
  equal(sides(nvim)[2][1], { "top", "A", "AA", "b", "over", "C", "under", "d", "E", "EE", "bottom" })
  nvim:type("a")
  equal(nvim:lines(), { "top", "A", "AA", "b", "over", "C", "under", "d", "E", "EE", "bottom" })
end)

test("an answer whose place is not known stands alone, and is not accepted", function()
  local nvim = with_held({ { line(2, 3), { "B", "C" }, {} } }, "2G2dd")
  nvim:type(":Botglue review<CR>")
  equal(sides(nvim), {
    { { "a", "d", "e" }, false, "held answer 1 of 1 · range lost", false },
    { { "B", "C" }, false, "x reject · n next · q later", true },
  })
  nvim:type("a")
  suite.contains(nvim:messages(), "its place is not known")
  equal(nvim:job(1).landing, "held")
  nvim:type("x")
  equal({ nvim:job(1).landing, nvim:lines() }, { "rejected", { "a", "d", "e" } })
end)

test("a decision from elsewhere closes the review", function()
  local nvim = with_held({ { line(2, 3), { "B", "C" } } })
  nvim:type(":Botglue review<CR>")
  nvim:lua("require('botglue').reject(1)")
  nvim:eventually("it closes", "return vim.fn.tabpagenr('$') == 1")
end)

test("a review whose answer gives way to another buffer ends, and that buffer stays", function()
  for _, command in ipairs({ "enew", "buffer other" }) do
    local nvim = with_held({ { line(2, 3), { "B", "C" } } })
    nvim:lua("vim.fn.bufadd('other')")
    nvim:type(":Botglue review<CR>2GA, mine<Esc>:" .. command .. "<CR>")
    nvim:settle()
    equal(
      nvim:lua([[
        local shown = vim.tbl_map(function(win)
          return { vim.wo[win].diff, vim.wo[win].winbar }
        end, vim.api.nvim_tabpage_list_wins(0))
        return { require("botglue.client").connection().review == nil, vim.fn.bufname(), shown }
      ]]),
      { true, command == "enew" and "" or "other", { { false, "" }, { false, "" } } },
      command
    )
    nvim:type(":Botglue accept 1<CR>")
    equal(nvim:lua("return vim.api.nvim_buf_get_lines(1, 0, -1, true)"), { "a", "B, mine", "C", "d", "e" })
  end
end)

test("a file that is open in no buffer is opened, with the answer in its place", function()
  for _, command in ipairs({ "bwipeout!", "bdelete!", "bunload!" }) do
    local nvim = child.start()
    nvim:lua("require('support.host').install()")
    nvim:lua([[
      _G.file = vim.fn.tempname()
      vim.fn.writefile({ "a", "b", "c", "d", "e" }, file)
      vim.cmd.edit(file)
    ]])
    nvim:run(line(2, 3))
    nvim:lua("vim.cmd.enew(); vim.cmd(... .. ' ' .. file)", command)
    nvim:answer(1, { "B" })
    equal(nvim:job(1).held_for, "buffer_gone")
    nvim:type(":Botglue accept 1<CR>")
    equal(nvim:job(1).landing, "held", "accepting shows it first")
    equal(sides(nvim)[1][1], LINES)
    equal(sides(nvim)[2][1], { "a", "B", "d", "e" })
    nvim:type("a")
    equal(nvim:job(1).landing, "applied")
    equal(
      nvim:lua("return vim.api.nvim_buf_get_lines(vim.fn.bufnr(file), 0, -1, true)"),
      { "a", "B", "d", "e" }
    )
    equal(nvim:lua("return vim.fn.readfile(file)"), LINES, "writing the file is the user's")
  end
end)

test("answers of Neovims that are gone are adopted by the review, and only by it", function()
  local nvim = child.start()
  nvim:lua("require('support.host').install()")
  nvim:lua("_G.file = vim.fn.tempname(); vim.fn.writefile(..., file)", LINES)
  local file = nvim:lua("return file")
  nvim:host("earlier", stored(file))
  equal(nvim:lua("return vim.fn.getcompletion('Botglue review ', 'cmdline')"), {})
  equal(nvim:host("received", "held"), {})
  nvim:type(":Botglue review<CR>")
  nvim:eventually("the review opens", "return vim.fn.tabpagenr('$') == 2")
  equal(nvim:host("received", "adopted")[1].id, 1)
  equal({ sides(nvim)[1][1], sides(nvim)[2][1] }, { LINES, { "a", "B", "d", "e" } })
  local job = nvim:job(1)
  equal(
    { job.status, job.landing, job.held_for, job.prompt, job.cost_usd, job.text },
    { "done", "held", "conflict", "shorter", 0.5, "```\nB\n```" }
  )
  equal(type(job.elapsed_ms), "number")
  nvim:type("a")
  equal(nvim:job(1).landing, "applied")
  equal(
    nvim:host("received", "landed"),
    { { id = 1, landing = "applied", first_line = 2, last_line = 2, rows = { "B" } } }
  )
end)

test("an adopted answer whose text stands elsewhere, or nowhere", function()
  local function shown(lines, more, expected)
    local nvim = child.start()
    nvim:lua("require('support.host').install()")
    nvim:lua("_G.file = vim.fn.tempname(); vim.fn.writefile(..., file)", lines)
    nvim:host("earlier", stored(nvim:lua("return file"), more))
    nvim:type(":Botglue review<CR>")
    nvim:eventually("the review opens", "return vim.fn.tabpagenr('$') == 2")
    equal(sides(nvim)[2][1], expected)
  end
  shown({ "new", "a", "b", "c" }, nil, { "new", "a", "B" })
  shown({ "new", "b", "c", "b", "c" }, nil, { "new", "B", "b", "c" })
  shown({ "new", "a", "b", "c", "b", "c" }, nil, { "B" })
  shown({ "x" }, nil, { "B" })
  local insertion = {
    kind = "insert",
    first_line = 2,
    base = {},
    rows = {},
    cols = {},
    anchor = "b",
    beside = { above = "b", below = "c" },
  }
  shown(LINES, insertion, {
    "a",
    "b",
    "B",
    "c",
    "d",
    "e",
  })
  shown(LINES, { kind = "char", base = { "b", "c" } }, { "a", "B", "d", "e" })
  shown(LINES, { path = "" }, { "B" })
  shown(LINES, { path = "/no/such/file" }, { "B" })
end)

test("an adopted block begins at its column, where none of its rows reaches it", function()
  local function shown(column, expected)
    local nvim = child.start()
    nvim:lua("require('support.host').install()")
    nvim:lua("_G.file = vim.fn.tempname(); vim.fn.writefile(..., file)", LINES)
    local block =
      { kind = "block", base = { "", "" }, cols = { 1, 1 }, column = column, lines = { "B", "C" } }
    nvim:host("earlier", stored(nvim:lua("return file"), block))
    nvim:type(":Botglue review<CR>")
    nvim:eventually("the review opens", "return vim.fn.tabpagenr('$') == 2")
    equal(sides(nvim)[2][1], expected)
  end
  shown(4, { "a", "b   B", "c   C", "d", "e" })
  -- An earlier version did not keep it.
  shown(nil, { "a", "bB", "cC", "d", "e" })
end)

test("an adopted answer for a row that says little is known by the rows beside it", function()
  local brace = { first_line = 3, last_line = 3, base = { "}" }, rows = { "}" }, cols = { 0 } }
  local insertion =
    { kind = "insert", first_line = 3, last_line = 3, base = {}, rows = {}, cols = {}, anchor = "}" }
  local function accept(of, beside, lines, landed)
    local nvim = child.start()
    nvim:lua("require('support.host').install()")
    nvim:lua("_G.file = vim.fn.tempname(); vim.fn.writefile(..., file)", lines)
    local more = vim.tbl_extend("force", of, { beside = beside, lines = { "END" }, held_for = "review" })
    nvim:host("earlier", stored(nvim:lua("return file"), more))
    nvim:type(":Botglue review<CR>")
    nvim:eventually("the review opens", "return vim.fn.tabpagenr('$') == 2")
    nvim:type("q:Botglue accept 1<CR>")
    equal(
      { nvim:lua("return vim.fn.getbufline(vim.fn.bufnr(file), 1, '$')"), nvim:job(1).landing },
      { landed or lines, landed and "applied" or "held" }
    )
  end
  local same, other = { "{", "1", "}", "a", "new" }, { "{", "2", "}", "b" }
  accept(brace, { above = "1", below = "a" }, same, { "{", "1", "END", "a", "new" })
  accept(brace, { above = "1", below = "a" }, other)
  accept(brace, nil, same)
  accept(insertion, { above = "}", below = "a" }, same, { "{", "1", "}", "END", "a", "new" })
  accept(insertion, { above = "}", below = "a" }, other)
  accept(insertion, nil, same)
  brace.first_line, brace.last_line = 1, 1
  accept(brace, vim.empty_dict(), { "}" }, { "END" })
  accept(brace, vim.empty_dict(), { "}", "b" })
end)

test("the map opens the review", function()
  local nvim = with_held({ { line(1, 1), { "A" } } })
  nvim:type(":nmap Q <lt>Plug>(botglue-review)<CR>Q")
  equal(#sides(nvim), 2)
end)

test("with nothing held the review says so", function()
  local nvim = child.with_host(LINES)
  nvim:type(":Botglue review<CR>")
  nvim:eventually(
    "it says so",
    "return vim.fn.execute('messages'):find('botglue: no answer is held', 1, true)"
  )
  equal(#sides(nvim), 1)
  nvim:type(":Botglue review 3<CR>")
  suite.contains(nvim:messages(), "botglue: job 3 is not held")
end)

test("what could not be looked for is not said to be absent", function()
  local nvim = child.with_host(LINES)
  nvim:lua([[
    local file = vim.fn.tempname()
    vim.fn.writefile({ "no folder" }, file)
    require("botglue").setup({ data_dir = file })
  ]])
  nvim:type(":Botglue review<CR>")
  local told = "botglue: answers held for review cannot be read: the store cannot be written"
  nvim:eventually("it is told", "return vim.fn.execute('messages'):find(..., 1, true) ~= nil", told)
  equal(nvim:messages():find("no answer is held"), nil)
  nvim:run(line(2, 2), { review = true })
  nvim:answer(1, { "B" })
  nvim:type(":messages clear<CR>:Botglue review<CR>")
  nvim:eventually("it is told again", "return vim.fn.execute('messages'):find(..., 1, true) ~= nil", told)
  equal(#sides(nvim), 2, "what is held here is shown all the same")
end)

test("a host that is lost while it looks for held answers is told of", function()
  local nvim = child.with_host(LINES)
  nvim:lua([[
    local notify = vim.rpcnotify
    vim.rpcnotify = function(channel, method, argument)
      if method ~= "held" then
        notify(channel, method, argument)
      end
    end
  ]])
  nvim:type(":Botglue review<CR>")
  nvim:lua("require('support.host').die()")
  nvim:eventually(
    "it is told",
    "return vim.fn.execute('messages'):find('held for review cannot be read: .*host') ~= nil"
  )
  equal(nvim:messages():find("no answer is held"), nil)
end)

test("where there is no room for the review nothing of it is left, and it opens later", function()
  local nvim = with_held({ { line(2, 2), { "B" } } })
  local drawn = nvim:drawn()
  nvim:api("ui_try_resize", 80, 3)
  nvim:type(":Botglue review 1<CR>")
  suite.contains(nvim:messages(), "botglue: there is no room for the review: enlarge the screen")
  local left = "return { #vim.api.nvim_list_tabpages(), #vim.api.nvim_list_bufs() }"
  equal({ nvim:lua(left), nvim:drawn() }, { { 1, 1 }, drawn })
  nvim:api("ui_try_resize", 80, 24)
  nvim:type(":Botglue review 1<CR>")
  equal(#sides(nvim), 2)
end)

test("a session that was saved with the review open does not stand in its way", function()
  local nvim = with_held({ { line(2, 2), { "B" } } })
  nvim:lua([[
    local directory = vim.fn.tempname()
    vim.fn.mkdir(directory)
    _G.session = directory .. "/Session.vim"
    vim.cmd("write " .. directory .. "/file")
  ]])
  nvim:type(":Botglue review 1<CR>")
  nvim:lua("vim.cmd('mksession ' .. session)")
  nvim:lua("vim.cmd('silent source ' .. session)")
  nvim:type(":tabonly<CR>:Botglue review 1<CR>")
  equal({ nvim:messages():find("E%d+:"), sides(nvim)[2][1] }, { nil, { "a", "B", "c", "d", "e" } })
  nvim:type("a")
  equal(nvim:job(1).landing, "applied")
end)
