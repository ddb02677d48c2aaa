-- What the user does in an open review besides deciding: typing on both sides, taking hunks back, other jobs.

local child = require("support.child")
local review = require("support.review")
local suite = require("support.suite")
local test, equal = suite.test, suite.equal
local line, LINES = child.line, review.LINES
local in_review, texts = review.open, review.texts

test("nothing is drawn on either side of a review, whatever other jobs do", function()
  local nvim = child.with_host(LINES)
  nvim:lua("require('botglue').setup({ status = { preview = 3 } })")
  for row = 1, 4 do
    nvim:run(line(row, row), { review = true })
  end
  nvim:answer(1, { "A" })
  local function blocks()
    return nvim:lua([[
      local namespace = vim.api.nvim_create_namespace("botglue.status")
      local count = 0
      for _, bufnr in ipairs(vim.api.nvim_list_bufs()) do
        count = count + #vim.api.nvim_buf_get_extmarks(bufnr, namespace, 0, -1, {})
      end
      return count
    ]])
  end
  equal(blocks(), 4)
  nvim:type(":Botglue review<CR>")
  equal(blocks(), 0)
  nvim:ticks(3)
  nvim:answer(2, { "B" })
  nvim:run(line(5, 5), { bufnr = 1 })
  nvim:run(line(5, 5))
  nvim:ticks(3)
  equal(blocks(), 0)
  nvim:type("q")
  nvim:ticks(3)
  equal(blocks(), 5)
end)

test("what is typed beside the answer is not thrown away", function()
  local nvim = in_review({ line(3, 3), { "C" } })
  nvim:type("1GAtyped<Esc>5GAtoo<Esc>")
  nvim:type("<C-w>h3Goinside<Esc><C-w>l")
  nvim:settle()
  equal(texts(nvim)[2], { "atyped", "b", "C", "d", "etoo" })
  nvim:type("a")
  equal(texts(nvim)[1], { "a", "b", "c", "inside", "d", "e" })
  equal(nvim:job(1).landing, "held")
  nvim:type(":%diffput<CR>")
  nvim:settle()
  nvim:type("a")
  equal(nvim:lines(), { "atyped", "b", "C", "d", "etoo" })
end)

test("what is typed into the answer of a block is accepted", function()
  local block = { kind = "block", first = { 2, 0 }, last = { 3, 0 } }
  local nvim = in_review({ block, { "B", "C" } })
  nvim:type("2GAB<Esc>a")
  equal(nvim:lines(), { "a", "BB", "C", "d", "e" })
  nvim = in_review({ block, { "B", "C" } })
  nvim:type("2Gyypa")
  equal({ texts(nvim)[1], nvim:job(1).landing }, { LINES, "held" })
end)

test("a row that was taken away with the answer in it is no answer", function()
  local nvim = in_review({ { kind = "char", first = { 5, 0 }, last = { 5, 0 } }, { "E" } })
  nvim:type("Gdda")
  equal({ texts(nvim), nvim:job(1).landing }, { { LINES, { "a", "b", "c", "d" } }, "held" })
end)

test("what is typed beside characters in the buffer is beside the answer too", function()
  local function in_row()
    local nvim = child.with_host({ "a", "local b = 1", "c" })
    nvim:run({ kind = "char", first = { 2, 10 }, last = { 2, 10 } }, { review = true })
    nvim:answer(1, { "2" })
    nvim:type(":Botglue review<CR>")
    return nvim
  end
  for keys, expected in pairs({ [""] = "my b = 2 -- it", ["2GA0<Esc>"] = "my b = 20 -- it" }) do
    local nvim = in_row()
    nvim:type(keys .. "<C-w>h2G0cwmy<Esc>A -- it<Esc><C-w>l")
    nvim:settle()
    equal(texts(nvim)[2], { "a", expected, "c" })
    nvim:type("a")
    equal(nvim:lines(), { "a", expected, "c" })
  end
  -- Also where the part was changed there with it.
  for keys, expected in pairs({ ["ccnew"] = "2", ["s3 + 1"] = "local b = 2", ["Xs3"] = "local b =2" }) do
    local nvim = in_row()
    nvim:type("<C-w>h2G$" .. keys .. "<Esc><C-w>l")
    nvim:settle()
    local shown = texts(nvim)
    equal(shown[2], { "a", expected, "c" }, keys)
    nvim:type("q:Botglue review<CR>")
    equal(texts(nvim), shown, keys)
    nvim:type("a")
    equal(nvim:lines(), shown[2], keys)
  end
  local nvim = in_row()
  nvim:type("2GA0<Esc>0cwour<Esc><C-w>h2G0cwmy<Esc><C-w>l")
  nvim:settle()
  equal(texts(nvim), { { "a", "my b = 1", "c" }, { "a", "our b = 20", "c" } })
end)

test("the answer follows a buffer that is formatted or read again", function()
  local text =
    { "local alpha = 1", "local beta = 2", "local gamma = 3", "local delta = 4", "local epsilon = 5" }
  for _, keys in ipairs({
    ":%!sed 's/local \\(alpha\\|epsilon\\)/my \\1/'<CR>",
    ":lua vim.api.nvim_buf_set_lines(0, 0, -1, true, formatted)<CR>",
    ":lua vim.fn.writefile(formatted, file)<CR>:edit!<CR>",
    ":lua vim.fn.writefile(formatted, file)<CR>:edit!<CR>GA0<Esc>x",
  }) do
    local nvim = child.start()
    nvim:lua("require('support.host').install()")
    nvim:lua("_G.file = vim.fn.tempname(); vim.fn.writefile(..., file); vim.cmd.edit(file)", text)
    nvim:lua([[
      _G.formatted = vim.fn.readfile(file)
      formatted[1], formatted[5] = formatted[1]:gsub("local", "my"), formatted[5]:gsub("local", "my")
    ]])
    nvim:run(line(2, 3), { review = true })
    nvim:answer(1, { "local beta = 20", "local gamma = 3" })
    nvim:type(":Botglue review<CR>2GA -- mine<Esc><C-w>h" .. keys .. "<C-w>l")
    nvim:settle()
    nvim:settle()
    local expected =
      { "my alpha = 1", "local beta = 20 -- mine", "local gamma = 3", "local delta = 4", "my epsilon = 5" }
    equal(texts(nvim)[2], expected, keys)
    nvim:type("a")
    equal(nvim:lines(), expected, keys)
  end
end)

test("an answer whose place is not known any more stays as it is shown, and is not accepted", function()
  for _, range in ipairs({ line(3, 3), { kind = "char", first = { 3, 0 }, last = { 3, 0 } } }) do
    local nvim = child.start()
    nvim:lua("require('support.host').install()")
    nvim:lua("local file = vim.fn.tempname(); vim.fn.writefile(..., file); vim.cmd.edit(file)", LINES)
    nvim:run(range, { review = true })
    nvim:answer(1, { "C" })
    nvim:type(":Botglue review<CR>")
    nvim:type("<C-w>hggOtop<Esc>")
    nvim:settle()
    local shown = texts(nvim)[2]
    -- Of a row that says so little nothing tells where it went.
    nvim:type(":edit!<CR><C-w>l")
    nvim:settle()
    equal(texts(nvim), { LINES, shown })
    nvim:type("a")
    equal({ texts(nvim), nvim:job(1).landing }, { { LINES, shown }, "held" })
    suite.contains(nvim:messages(), "its place is not known: copy from it, then press x or q")
  end
end)

test("what is typed into the answer while it is being accepted is not lost with it", function()
  for _, keys in ipairs({ "3GA mine<Esc>", "ggOtyped<Esc>", "a", "q" }) do
    local nvim = in_review({ line(3, 3), { "C" } })
    nvim:host("hold", "merged")
    nvim:type("a" .. keys)
    local shown = texts(nvim)[2]
    equal(#nvim:host("received", "merge"), 1)
    nvim:host("deliver", "merged")
    nvim:settle()
    if #keys == 1 then
      equal({ nvim:lines(), nvim:job(1).landing }, { { "a", "b", "C", "d", "e" }, "applied" })
    else
      suite.contains(nvim:messages(), "the answer was changed meanwhile: a accepts it as it is now")
      equal({ texts(nvim), nvim:job(1).landing }, { { LINES, shown }, "held" })
    end
  end
end)

test("what lands beside the answer waits until the user has finished in it", function()
  for keys, expected in pairs({
    ["3G<C-v>jI// |<Esc>"] = { "// C", "// CC" },
    ["3GVj|rx"] = { "x", "xx" },
    ["3GA<C-n>|<C-p>!"] = { "C!", "CC" },
  }) do
    local nvim = child.with_host(LINES)
    nvim:run(line(3, 4), { review = true })
    nvim:run(line(1, 1))
    nvim:answer(1, { "C", "CC" })
    nvim:type(":Botglue review<CR>")
    local before, after = keys:match("(.*)|(.*)")
    nvim:type(before)
    nvim:answer(2, { "A", "AA", "AAA" })
    nvim:type(after)
    nvim:type("<Esc>")
    nvim:settle()
    equal(texts(nvim)[2], { "A", "AA", "AAA", "b", expected[1], expected[2], "e" }, keys)
  end
end)

test("what lands beside the answer leaves the cursor in it on its line", function()
  for first, expected in pairs({
    [2] = { "A", "B", "BB", "BBB", "c", "d", "e!" },
    [5] = { "a", "b", "c", "d!", "B", "BB", "BBB" },
  }) do
    local nvim = child.with_host(LINES)
    local held = first == 2 and 1 or 3
    nvim:run(line(held, held), { review = true })
    nvim:run(line(first, first))
    nvim:answer(1, { held == 1 and "A" or "c" })
    nvim:type((":Botglue review<CR>%dGA"):format(first == 2 and 5 or 4))
    nvim:answer(2, { "B", "BB", "BBB" })
    nvim:settle()
    nvim:type("!<Esc>")
    equal(texts(nvim)[2], expected)
  end
end)

test("a command accepts what the open review shows", function()
  local nvim = in_review({ line(3, 3), { "C" } })
  nvim:type("ggOtyped<Esc>:Botglue accept 1<CR>")
  suite.contains(nvim:messages(), "text around the answer was changed")
  equal({ nvim:job(1).landing, texts(nvim)[1] }, { "held", LINES })
end)

test("what is typed into the answer is there when it is looked at again", function()
  for _, keys in ipairs({ "q", ":quit<CR>" }) do
    local nvim = in_review({ line(2, 2), { "B" } })
    nvim:type("2GA typed<Esc>" .. keys)
    nvim:settle()
    equal(nvim:lines(), LINES)
    nvim:type(":Botglue review<CR>")
    equal(texts(nvim)[2], { "a", "B typed", "c", "d", "e" })
    nvim:type("q:Botglue accept<CR>")
    equal(nvim:lines(), { "a", "B typed", "c", "d", "e" })
  end
end)

test(
  "taking back and bringing back what was copied from around the answer leaves the answer where it is",
  function()
    for _, keys in ipairs({
      "u",
      "uu",
      "u<C-r>",
      "uu<C-r><C-r>",
      "uu<C-r>",
      ":undo 0<CR>",
      ":undo 0<CR>:later 9<CR>",
    }) do
      local nvim = in_review({ line(3, 3), { "C" } })
      nvim:type("<C-w>hggOtop<Esc>3Goover<Esc>")
      nvim:settle()
      nvim:type("Gobottom<Esc>5Gounder<Esc><C-w>l")
      nvim:settle()
      nvim:type(keys)
      nvim:type("a")
      equal(nvim:lines(), { "top", "a", "b", "over", "C", "under", "d", "e", "bottom" }, keys)
      equal(nvim:job(1).landing, "applied", keys)
    end
  end
)

test("undoing in the answer takes back what was typed there, and never the answer", function()
  local nvim = child.with_host(LINES)
  nvim:run(line(2, 2), { review = true })
  nvim:run(line(4, 4))
  nvim:answer(1, { "B" })
  nvim:type(":Botglue review<CR>2GA mine")
  nvim:answer(2, { "D" })
  nvim:settle()
  nvim:type("<Esc>uu")
  equal(texts(nvim)[2], { "a", "B", "c", "d", "e" })
  nvim:type("uuu")
  equal(texts(nvim)[2], { "a", "B", "c", "d", "e" })
  nvim:type("<C-r>")
  equal(texts(nvim)[2], { "a", "B mine", "c", "d", "e" })
  nvim:type("a")
  equal(nvim:lines(), { "a", "B mine", "c", "D", "e" })
end)

test("a part of rows that was looked at alone is accepted without the review", function()
  local nvim = in_review({ { kind = "char", first = { 2, 0 }, last = { 4, 0 } }, { "B", "c", "D" } })
  nvim:type("2Gdp")
  nvim:settle()
  nvim:type("<C-w>hu<C-w>l")
  nvim:settle()
  nvim:type("q:Botglue accept 1<CR>")
  equal({ nvim:lines(), nvim:job(1).landing }, { { "a", "B", "c", "D", "e" }, "applied" })
end)

test("where all of the buffer is to go, what is typed in its stead is the answer", function()
  local nvim = in_review({ line(1, 5), {} })
  nvim:type("ihello<CR>you<Esc>")
  nvim:type("a")
  equal({ nvim:lines(), nvim:job(1).landing }, { { "hello", "you" }, "applied" })
end)

test("an answer's side that cannot be changed stays as it is while the buffer is changed", function()
  local nvim = in_review({ line(2, 3), { "B" } })
  nvim:type(":setlocal nomodifiable<CR><C-w>hggOtop<Esc>")
  nvim:settle()
  equal(texts(nvim), { { "top", unpack(LINES) }, { "a", "B", "d", "e" } })
  equal(nvim:lua("return vim.v.errmsg"), "")
  nvim:type("<C-w>la")
  equal(nvim:lines(), { "top", "a", "B", "d", "e" })
end)

test("lines that are typed right above or below the answer are part of it", function()
  for keys, expected in pairs({
    ["2GOnew<Esc>"] = { "new", "B" },
    ["2Gonew<Esc>"] = { "B", "new" },
    ["1Gonew<Esc>"] = { "new", "B" },
    ["3GOnew<Esc>"] = { "B", "new" },
  }) do
    local nvim = in_review({ line(2, 4), { "B" } })
    nvim:type(keys .. "a")
    nvim:settle()
    equal(nvim:lines(), { "a", expected[1], expected[2], "e" }, keys)
  end
end)

test("what lands beside a part waits until nobody types in its rows", function()
  local nvim = child.with_host({ "one foo two bar three" })
  nvim:run({ kind = "char", first = { 1, 12 }, last = { 1, 14 } }, { review = true })
  nvim:answer(1, { "BAR" })
  nvim:run({ kind = "char", first = { 1, 4 }, last = { 1, 6 } })
  nvim:type(":Botglue review 1<CR>fRlityped")
  nvim:answer(2, { "FOOFOO", "" })
  nvim:type(" on<Esc>")
  nvim:settle()
  equal(texts(nvim), { { "one FOOFOO", " two bar three" }, { "one FOOFOO", " two BARtyped on three" } })
  nvim:type("a")
  equal(nvim:lines(), { "one FOOFOO", " two BARtyped on three" })
end)

test(
  "what is typed in the buffer key by key is one undo step on the answer's side, which keeps following",
  function()
    local nvim = in_review({ line(2, 3), { "B", "C" } })
    nvim:type("ox<Esc><C-w>hGo")
    for _, key in ipairs({ "o", "n", "e" }) do
      nvim:type(key)
    end
    nvim:type("<Esc><C-w>l")
    equal(texts(nvim)[2], { "a", "B", "x", "C", "d", "e", "one" })
    nvim:type("u")
    equal(texts(nvim)[2], { "a", "B", "x", "C", "d", "e" })
    nvim:type("u")
    equal(texts(nvim)[2], { "a", "B", "C", "d", "e" })
    nvim:play({ "<C-w>hGA!<Esc>", "<C-w>lggOy<Esc>", "u", "<C-w>hGA?<Esc>" })
    equal(texts(nvim), { { "a", "b", "c", "d", "e", "one!?" }, { "a", "B", "C", "d", "e", "one!?" } })
  end
)

test("beside a part the answer's side follows on after undo", function()
  local nvim = in_review({ { kind = "char", first = { 2, 0 }, last = { 2, 0 } }, { "B" } })
  for _, keys in ipairs({ "ix<Esc>", "<C-w>hA1", "2", "3<Esc>", "<C-w>l" }) do
    nvim:type(keys)
  end
  equal(texts(nvim)[2][2], "xB123")
  nvim:type("u")
  equal(texts(nvim)[2][2], "xB")
  nvim:type("<C-w>h2GA4<Esc>")
  equal(texts(nvim), { { "a", "b1234", "c", "d", "e" }, { "a", "xB1234", "c", "d", "e" } })
end)

test("on the answer's side undo takes nothing back that was typed in the buffer", function()
  local nvim = in_review({ line(2, 3), { "B", "C" } })
  for _, key in ipairs({ "<C-w>hGo", "o", "n", "e", "<Esc><C-w>lu" }) do
    nvim:type(key)
  end
  equal(texts(nvim)[2], { "a", "B", "C", "d", "e", "one" })
end)

test("to open the review that is open goes to its answer, as it is", function()
  local nvim = in_review({ line(2, 3), { "B", "C" } })
  nvim:type("Gox<Esc><C-w>h:Botglue review 1<CR>u")
  equal(texts(nvim)[2], { "a", "B", "C", "d", "e" })
  equal(nvim:lua("return vim.api.nvim_win_get_cursor(0)"), { 5, 0 })
end)

test("to open the review again finds a place that was not known when it was opened", function()
  local nvim = child.with_host(LINES)
  nvim:run(line(2, 3), { review = true })
  nvim:answer(1, { "B", "C" })
  nvim:play({ "2Gdj", ":Botglue review<CR>", "<C-w>hu", ":Botglue review 1<CR>", "a" })
  equal({ nvim:lines(), nvim:job(1).landing }, { { "a", "B", "C", "d", "e" }, "applied" })
end)

test(
  "below an answer to the whole text what is typed in the buffer, undone and redone is no part of the answer",
  function()
    local nvim = child.with_host({ "a", "b", "c", "d", "e" })
    nvim:type(":4,$d<CR>")
    nvim:run(line(1, 3), { review = true })
    nvim:answer(1, { "a", "B", "c" })
    nvim:type(":Botglue review<CR><C-w>hGotyped<Esc>")
    nvim:settle()
    for _, each in ipairs({
      { "u", {} },
      { "u", { "d", "e" } },
      { "<C-r>", {} },
      { "<C-r>", { "typed" } },
    }) do
      nvim:type(each[1])
      nvim:settle()
      local function followed_by(rows)
        return vim.list_extend(rows, each[2])
      end
      equal(texts(nvim), { followed_by({ "a", "b", "c" }), followed_by({ "a", "B", "c" }) }, each[1])
    end
    nvim:type("<C-w>la")
    nvim:settle()
    equal(nvim:lines(), { "a", "B", "c", "typed" })
  end
)

test("what is typed beside the answer is no copy, though the buffer has had the same", function()
  local function changed(...)
    local nvim = in_review({ line(2, 3), { "B", "C" } })
    nvim:play({ ... })
    local shown = texts(nvim)[2]
    nvim:type("<C-w>la")
    nvim:settle()
    equal({ nvim:job(1).landing, texts(nvim)[2] }, { "held", shown })
    nvim:type("q:Botglue review<CR>")
    nvim:settle()
    equal(texts(nvim)[2], shown)
    return shown
  end
  local foo = { "a", "B", "C", "d", "e", "foo" }
  equal(changed("Gofoo<Esc>", ":$diffput<CR>", "<C-w>hu", "<C-w>lu"), foo)
  equal(changed("Gofoo<Esc>", ":$diffput<CR>", "<C-w>hu", "<C-w>lGofoo<Esc>"), foo)
  equal(changed("Gofoo<Esc>", ":$diffput<CR>", "2GAb<Esc>", "<C-w>hu", "<C-w>lu")[6], "foo")
  equal(changed("2GAr<Esc>", "<C-w>hGofoo<Esc>", "<C-w>l3GAs<Esc>", "<C-w>hu", "<C-w>lGofoo<Esc>")[6], "foo")
  equal(
    changed("2GAr<Esc>", "<C-w>hGofoo<Esc>", "<C-w>l3GAs<Esc>", "<C-w>hu", "<C-w>lGof", "o", "o<Esc>")[6],
    "foo"
  )
  equal(
    changed("2GAr<Esc>", "<C-w>hGdd", "<C-w>l3GAs<Esc>", "<C-w>hu", "<C-w>lGdd"),
    { "a", "Br", "Cs", "d" }
  )
end)

test("a row that is opened next to an answer with blank ones is no part of it", function()
  local ways = { "O// c<Esc>", "O<Esc>,i// c<Esc>", "O,// c<Esc>", ":put! =''<CR>,i// c<Esc>" }
  for _, answer in ipairs({ { "B", "", "C" }, { "", "C" }, { "B", "" } }) do
    for i, range in ipairs({ line(2, 3), line(2, 3), { kind = "insert", first = { 3 }, last = { 3 } } }) do
      for _, keys in ipairs(ways) do
        local nvim = in_review({ range, answer })
        local row = ({ "2G", "4G", "4G" })[i]
        nvim:type("<C-w>h" .. row)
        nvim:play(vim.split(keys, ","))
        local is_taken = keys ~= ways[1] and keys ~= ways[3] and (answer[1] == "" or answer[#answer] == "")
        nvim:type("<C-w>la")
        nvim:settle()
        local told = row .. keys .. vim.inspect(answer)
        equal(
          { vim.list_contains(nvim:lines(), "// c") or is_taken, nvim:job(1).status },
          { true, "done" },
          told
        )
        if not is_taken then
          equal(#nvim:lines(), #LINES + 1 + (i == 3 and #answer or #answer - 2), told)
        end
      end
    end
  end
end)

test("a row at the edge of the range that is doubled and taken back", function()
  for _, keys in ipairs({ "2GyyP", "3Gyyp", "2GyyPP", "2Gyyjp" }) do
    local nvim = in_review({ line(2, 3), { "b", "X", "c2" } })
    nvim:type("<C-w>h" .. keys)
    nvim:settle()
    nvim:type("u")
    nvim:settle()
    if keys == "2GyyPP" then
      nvim:type("u")
      nvim:settle()
    end
    equal(texts(nvim), { LINES, { "a", "b", "X", "c2", "d", "e" } }, keys)
    nvim:type("<C-w>la")
    nvim:settle()
    equal(nvim:lines(), { "a", "b", "X", "c2", "d", "e" }, keys)
  end
end)

test(
  "rows joined with those of a part, or split off, where text around it was changed in the answer",
  function()
    local lines = { "r1", "call(one, two, three)", "r3", "r4", "r5" }
    local kept = { "r1", "lead call(UNO, two, three)", "r3", "r4", "r5" }
    local below = { "r1", "call(UNO, two, three)", "r3", "r4mine", "r5" }
    for _, each in ipairs({
      { "gg0j0ilead <Esc>", "2GJ", kept, "u" },
      { "gg0j0ilead <Esc>", ":2s/, two/,\\rtwo/<CR>", kept, "u" },
      { "gg0j0ilead <Esc>", "1GJ", kept, "u" },
      { "gg0/r4<CR>Amine<Esc>", "2GJ", below, "u" },
      { "gg0/r4<CR>Amine<Esc>", ":2s/, two/,\\rtwo/<CR>", below, "u" },
    }) do
      local nvim = child.with_host(lines)
      nvim:run({ kind = "char", first = { 2, 5 }, last = { 2, 7 } }, { review = true })
      nvim:answer(1, { "UNO" })
      nvim:type(":Botglue review<CR>" .. each[1])
      nvim:settle()
      nvim:type("<C-w>h" .. each[2])
      nvim:settle()
      equal(texts(nvim)[2], each[3], each[2])
      nvim:type(each[4])
      nvim:settle()
      equal(texts(nvim), { lines, each[3] }, each[2] .. each[4])
      nvim:type("GAown<Esc>")
      nvim:settle()
      nvim:type("<C-w>l:%diffput<CR>")
      nvim:settle()
      local both = vim.list_slice(each[3], 1, 4)
      equal(nvim:lines(), vim.list_extend(both, { each[3] == kept and "r5own" or "r5" }), each[1] .. each[2])
    end
  end
)

test("a row of an answer to a part that was taken by itself, with what was typed behind it", function()
  local nvim = child.with_host({ "r1", "let x = call(alpha_beta_gamma_delta, tail);", "r3", "r4" })
  nvim:run({ kind = "char", first = { 2, 13 }, last = { 2, 34 } }, { review = true })
  nvim:answer(1, { "alpha_beta_gamma_delta,", "  more_row" })
  nvim:play({ ":Botglue review<CR>", "/more_row<CR>A D1<Esc>", ":.diffput<CR>" })
  local all = { "r1", "let x = call(alpha_beta_gamma_delta,", "  more_row, tail); D1", "r3", "r4" }
  equal(texts(nvim)[2], all)
  nvim:type("/delta,<CR>:.diffput<CR>")
  nvim:settle()
  equal(texts(nvim), { all, all })
end)

test("a row that was typed next to a part's row, taken over after something else was changed", function()
  for _, each in ipairs({
    { "2Gomine<Esc>", { "r1", "call(ONE, two)", "mine", "r3", "r4x" } },
    { "2GOmine<Esc>", { "r1", "mine", "call(ONE, two)", "r3", "r4x" } },
  }) do
    local nvim = child.with_host({ "r1", "call(one, two)", "r3", "r4" })
    nvim:run({ kind = "char", first = { 2, 5 }, last = { 2, 7 } }, { review = true })
    nvim:answer(1, { "ONE" })
    for _, keys in ipairs({
      ":Botglue review<CR>",
      each[1],
      "<C-w>hGAx<Esc><C-w>l",
      "/mine<CR>",
      ":.diffput<CR>",
    }) do
      nvim:type(keys)
      nvim:settle()
    end
    equal(nvim:lines(), each[2], each[1])
    nvim:type("a")
    nvim:settle()
    nvim:type(":buffer 1<CR>")
    equal({ nvim:job(1).landing, nvim:lines() }, { "applied", each[2] }, each[1])
  end
end)

test(
  "text beside a part that was deleted in the buffer and put back, where the answer has more there",
  function()
    for draft, kept in pairs({
      ["2GA TT<Esc>"] = "call(UNO, two, three) TT",
      ["2GIHH <Esc>"] = "HH call(UNO, two, three)",
    }) do
      for _, keys in ipairs({
        "2G0f,D",
        "2G0f(ld0",
        "2G0f,d2l",
        "2G0x",
        "2Gyyp",
        "2GyyP",
        ":2t2<CR>",
        "2GJ",
      }) do
        local nvim = child.with_host({ "r1", "call(one, two, three)", "r3" })
        nvim:run({ kind = "char", first = { 2, 5 }, last = { 2, 7 } }, { review = true })
        nvim:answer(1, { "UNO" })
        nvim:play({ ":Botglue review<CR>", draft, "<C-w>h" .. keys, "u" })
        equal(texts(nvim)[2], { "r1", kept, "r3" }, draft .. keys)
      end
    end
  end
)

test("a row that the answer changes is moved by hand: it was not taken over by being deleted", function()
  local lines = { "fn f() {", "    one();", "    total(a);", "    log(a);", "    done(a);", "}" }
  local answer = { "fn f() {", "    one();", "    total_of(a);", "    log(a);", "    done(a);", "}" }
  local moved = { "fn f() {", "    one();", "    log(a);", "    total_of(a);", "    done(a);", "}" }
  local without = vim.list_extend(vim.list_slice(lines, 1, 2), vim.list_slice(lines, 4))
  for _, each in ipairs({
    -- Both sides changed it: the answer's side counts.
    { { "<C-w>h", "3Gddp", "<C-w>l" }, answer },
    { { "<C-w>h", "3GddkP", "<C-w>l" }, answer },
    { { "<C-w>h", "3Gyy", '"_dd', "p", "<C-w>l" }, answer },
    { { "3Gddp" }, moved },
    { { "3Gyy", '"_dd', "p" }, moved },
    { { "3Gdd" }, without },
    { { "3Gdd", "u", "<C-r>" }, without },
    { { "3Gcc<Esc>", "kJ" }, without },
    { { ":3s/.*\\n//<CR>" }, without },
  }) do
    for _, way in ipairs({ { "a" }, { "q", ":Botglue accept<CR>" } }) do
      local nvim = child.with_host(lines)
      nvim:run(line(1, 6), { review = true })
      nvim:answer(1, answer)
      nvim:play({ ":Botglue review<CR>", each[1], way })
      equal(
        nvim:lua("return vim.api.nvim_buf_get_lines(1, 0, -1, true)"),
        each[2],
        vim.inspect({ each[1], way })
      )
    end
  end
end)

test("a row of the user's that is moved by hand in an open review does not leave what was sent", function()
  for _, keys in ipairs({ { "5Gddp" }, { "5Gyy", '"_dd', "p" }, { "5Gdd", "u", "<C-r>", "p" } }) do
    local nvim = child.with_host({ "a", "b", "c", "d", "e", "f", "g" })
    nvim:run(line(2, 6), { review = true })
    nvim:answer(1, { "b", "C", "d", "e", "f" })
    local all = { "5GA mine<Esc>", ":Botglue review<CR>", "<C-w>h", keys, "<C-w>l", "a" }
    nvim:play(all)
    equal(table.concat(nvim:lines(), " "), "a b C d f e mine g", vim.inspect(keys))
  end
end)
