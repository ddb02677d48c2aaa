-- Hunks that are taken by hand in a review, on either side, with the keys of diff mode.

local child = require("support.child")
local review = require("support.review")
local suite = require("support.suite")
local test, equal = suite.test, suite.equal
local line, LINES = child.line, review.LINES
local in_review, texts = review.open, review.texts

test("a hunk that was taken and given back belongs to the place of the answer again", function()
  local answer = { "B", "c", "D", "D" }
  for _, keys in ipairs({ "2Gdo", "4Gdo", "2Gdo4Gdo", "4Gdo2Gdo" }) do
    local nvim = in_review({ line(2, 4), answer })
    nvim:type("<C-w>h" .. keys)
    nvim:settle()
    nvim:type(keys:len() > 4 and "uu" or "u")
    nvim:settle()
    equal(texts(nvim), { LINES, { "a", "B", "c", "D", "D", "e" } }, keys)
    nvim:type("<C-w>la")
    equal(nvim:lines(), { "a", "B", "c", "D", "D", "e" }, keys)
    equal(nvim:job(1).landing, "applied", keys)
  end
end)

test("all of an answer that was taken and given back can still be accepted", function()
  for _, each in ipairs({
    { line(2, 3), { "B", "C" }, { "a", "B", "C", "d", "e" } },
    { line(2, 3), {}, { "a", "d", "e" } },
    { { kind = "insert", first = { 1 } }, { "new", "er" }, { "a", "new", "er", "b", "c", "d", "e" } },
  }) do
    local nvim = in_review({ each[1], each[2] })
    nvim:type("<C-w>h:%diffget<CR>")
    nvim:settle()
    equal(texts(nvim), { each[3], each[3] })
    nvim:type("u")
    nvim:settle()
    equal(texts(nvim), { LINES, each[3] })
    nvim:type("<C-w>la")
    equal({ nvim:lines(), nvim:job(1).landing }, { each[3], "applied" })
  end
end)

test("what was taken and changed in the buffer since is told when the rest is accepted", function()
  local told = "job 1 accepted: lines taken of it before were changed since, and stay so"
  for _, each in ipairs({
    { { "<C-w>h2GccE<Esc>" }, true },
    { { "<C-w>h2Gdd" }, true },
    { { "<C-w>h4GccE<Esc>" }, false },
    { { "<C-w>hu" }, false },
    { { "2GccE<Esc>" }, false },
    { {}, false },
  }) do
    local nvim = in_review({ line(2, 4), { "B", "c", "D" } })
    nvim:play(vim.list_extend({ "2Gdp" }, each[1]))
    nvim:type(":Botglue accept 1<CR>")
    nvim:settle()
    equal(nvim:messages():find(told, 1, true) ~= nil, each[2], table.concat(each[1]))
  end
  -- Of a block, too.
  for keys, is_told in pairs({ ["3G0x"] = true, ["3GAx<Esc>"] = false, ["3G0xu"] = false }) do
    local block = { kind = "block", first = { 2, 0 }, last = { 4, 0 } }
    local nvim = in_review({ block, { "BB", "CC", "DD" } })
    nvim:play(":%diffput<CR>", "<C-w>h" .. keys, "<C-w>la")
    equal(nvim:messages():find(told, 1, true) ~= nil, is_told, keys)
  end
  -- Another answer that landed there is such a change.
  local nvim = in_review({ line(2, 4), { "B", "c", "D" } })
  nvim:type(":%diffput<CR>")
  nvim:settle()
  nvim:type("<C-w>h")
  nvim:run(line(2, 3))
  nvim:answer(2, { "new", "c" })
  nvim:settle()
  nvim:type("<C-w>la")
  nvim:settle()
  equal({ nvim:lines(), nvim:job(1).landing }, { { "a", "new", "c", "D", "e" }, "unchanged" })
  suite.contains(nvim:messages(), told)
end)

test("what becomes of a hunk after it was taken by hand counts, on whichever side", function()
  for _, each in ipairs({
    { "2Gu", { "a", "b", "c", "D", "e" }, "turned back in the answer" },
    { "2GccE<Esc>", { "a", "E", "c", "D", "e" }, "changed in the answer" },
    { "2Gdd", { "a", "c", "D", "e" }, "deleted in the answer" },
    { "<C-w>hu<C-w>l", { "a", "B", "c", "D", "e" }, "turned back in the buffer" },
    { "<C-w>h2Gccmine<Esc><C-w>l", { "a", "mine", "c", "D", "e" }, "changed in the buffer" },
    { "2GccE<Esc>dp<C-w>hu<C-w>l", { "a", "E", "c", "D", "e" }, "taken twice, and once turned back" },
  }) do
    local keys, expected, why = unpack(each)
    for _, way in ipairs({ "a", "q:Botglue accept 1<CR>" }) do
      local nvim = in_review({ line(2, 4), { "b", "c", "D" } })
      nvim:type("2GccB<Esc>")
      nvim:type("dp")
      equal(texts(nvim), { { "a", "B", "c", "d", "e" }, { "a", "B", "c", "D", "e" } }, why)
      nvim:type(keys)
      nvim:settle()
      nvim:type(way)
      nvim:settle()
      equal(nvim:lines(), expected, why .. ", " .. way)
    end
  end
end)

test("an insertion that was taken by hand is one to the next review, too", function()
  local nvim = in_review({ { kind = "insert", first = { 3 } }, { "new" } })
  nvim:type("dp")
  nvim:settle()
  nvim:type("q:Botglue review<CR><C-w>hu<C-w>l")
  nvim:settle()
  nvim:type("a")
  equal({ nvim:lines(), nvim:job(1).landing }, { { "a", "b", "c", "new", "d", "e" }, "applied" })
end)

test("an insertion that was taken by hand and then changed in the answer lands as changed", function()
  local nvim = in_review({ { kind = "insert", first = { 1 } }, { "new", "er" } })
  nvim:type(":%diffput<CR>")
  nvim:settle()
  nvim:type("3GAst<Esc>a")
  equal(nvim:lines(), { "a", "new", "erst", "b", "c", "d", "e" })
  equal(nvim:job(1).landing, "merged")
end)

test("what was taken for an empty row does not come twice, and takes no row along", function()
  for _, keys in ipairs({ ":%diffput<CR>", "<C-w>h:%diffget<CR><C-w>l" }) do
    for more, expected in pairs({
      [""] = { "a", "X", "Y", "c" },
      ["<C-w>h2GA1<Esc><C-w>l"] = { "a", "X1", "Y", "c" },
      ["2GA1<Esc>"] = { "a", "X1", "Y", "c" },
    }) do
      local nvim = child.with_host({ "a", "", "c" })
      nvim:run(line(2, 2), { review = true })
      nvim:answer(1, { "X", "Y" })
      nvim:type(":Botglue review<CR>" .. keys)
      nvim:settle()
      nvim:type(more)
      nvim:settle()
      local shown = texts(nvim)
      nvim:type("q:Botglue review<CR>")
      equal(texts(nvim), shown, more)
      nvim:type("a")
      equal(nvim:lines(), expected, more)
    end
  end
end)

test("characters and blocks that were taken by hand do not come twice", function()
  local char = { kind = "char", first = { 2, 0 }, last = { 4, 0 } }
  local block = { kind = "block", first = { 2, 0 }, last = { 4, 0 } }
  for _, each in ipairs({ { char, { "X", "Y" } }, { char, { "X" } }, { block, { "X", "Y", "Z" } } }) do
    for _, keys in ipairs({
      "<C-w>h:%diffget<CR><C-w>l",
      ":%diffput<CR>",
      "<C-w>h]c<C-w>l<C-w>h:%diffget<CR><C-w>l",
    }) do
      local nvim = in_review({ each[1], each[2] })
      local expected = texts(nvim)[2]
      nvim:type(keys)
      nvim:settle()
      nvim:type("q:Botglue review<CR>")
      equal(texts(nvim), { expected, expected }, keys)
      nvim:type("a")
      equal({ nvim:lines(), nvim:job(1).landing }, { expected, "unchanged" }, keys)
      nvim = in_review({ each[1], each[2] })
      nvim:type(keys)
      nvim:settle()
      nvim:type("<C-w>hu<C-w>l")
      nvim:settle()
      equal(texts(nvim), { LINES, expected }, keys)
      nvim:type("a")
      equal({ nvim:lines(), nvim:job(1).landing }, { expected, "applied" }, keys)
    end
  end
end)

test("rows that end before a block and were taken by hand do not come twice", function()
  local code = { "let a = 1;", "let bb = 22;", "", "let d = 4;", "end" }
  local signs = { "let a = 1;", "let bb = 22;", "xx", "let d = 4;" }
  local letters = { "aaaaaa", "b", "cccccc", "d" }
  local function block(row, col, last, to)
    return { kind = "block", first = { row, col }, last = { last, to } }
  end
  -- Into the buffer, and to the answer.
  local B, A = "<C-w>h", "<C-w>l"
  local all, mine = ":%diffput<CR>", "Azz<Esc>"
  for _, each in ipairs({
    { code, block(1, 8, 4, 11), { "10;", "220;", "// x", "40;" }, 3 },
    { signs, block(1, 9, 4, 11), { "; // a", "; // b", "; // c", "; // d" }, 3 },
    { letters, block(1, 3, 3, 4), { "XX", "YY", "ZZ" }, 2 },
    { code, block(1, 0, 4, 7), { "// A", "// B", "// head", "// D" }, 3 },
    { { "aa\tbb", "\t", "cc\tdd" }, block(1, 3, 3, 4), { "XX", "YY", "ZZ" }, 2 },
  }) do
    local lines, range, answer, short = unpack(each)
    local put, get = (":%ddiffput<CR>"):format(short), (":%ddiffget<CR>"):format(short)
    local go = short .. "G"
    for _, way in ipairs({
      { "1Gdp" },
      { all, "q:Botglue review<CR>", B .. "u<C-r>" .. A },
      { put, put, all },
      { B .. get .. A, "q:Botglue review<CR>", B .. "u" .. A },
      { put, B .. "u" .. A, B .. "<C-r>" .. A },
      { B .. go .. mine .. A, all },
      { put, B .. go .. mine .. A, put, "q:Botglue review<CR>" },
      { go .. mine, put },
      { go .. mine, put, "q:Botglue review<CR>", B .. "u<C-r>" .. A },
      { put, go .. mine, put, B .. "u" .. A },
      { put, go .. "$r!", put, B .. "u" .. A },
      { "1GIT<Esc>", all, B .. "u" .. A, B .. "<C-r>" .. A },
    }) do
      local nvim = child.with_host(lines)
      nvim:run(range, { review = true })
      nvim:answer(1, answer)
      nvim:type(":Botglue review<CR>")
      local left, right = unpack(texts(nvim))
      for _, keys in ipairs(way) do
        nvim:type(keys)
        nvim:settle()
        local why = vim.inspect({ each, way, keys })
        local is_own = keys:find("Azz", 1, true) or keys:find("[I!]")
        left, right = texts(nvim)[1], is_own and texts(nvim)[2] or right
        equal(texts(nvim)[2], right, why)
        local _, times = table.concat(right, "\n"):gsub(vim.pesc(answer[short]), "")
        equal(times <= 1, true, why)
      end
      nvim:type("a")
      nvim:settle()
      equal({ nvim:lines(), nvim:job(1).landing ~= "held" }, { right, true }, vim.inspect({ each, way }))
      if not vim.deep_equal(left, right) then
        nvim:type("u")
        equal(nvim:lines(), left, vim.inspect({ each, way }))
      end
    end
  end
end)

test("rows of a part that were taken by hand without the others do not come twice", function()
  for _, row in ipairs({ 2, 3, 4 }) do
    local nvim = child.with_host({ "_a_", "_b_", "_c_", "_d_", "_e_" })
    nvim:run({ kind = "char", first = { 2, 1 }, last = { 4, 1 } }, { review = true })
    nvim:answer(1, { "B", "C", "D" })
    nvim:type(":Botglue review 1<CR>")
    local shown = texts(nvim)[2]
    nvim:type((":%ddiffput<CR>"):format(row))
    nvim:settle()
    equal(texts(nvim)[2], shown, row)
    nvim:type("q:Botglue review<CR>")
    equal(texts(nvim)[2], shown, row)
    nvim:type("a")
    equal({ nvim:lines(), nvim:job(1).landing }, { shown, "applied" }, row)
  end
end)

test("rows of a part that were taken with what was typed beside it stand once on both sides", function()
  local sent = { "top", "let x = call(alpha_beta_gamma_delta, tail);", "end" }
  local function after(answer, keys)
    local nvim = child.with_host(sent)
    nvim:run({ kind = "char", first = { 2, 13 }, last = { 2, 34 } }, { review = true })
    nvim:answer(1, answer)
    nvim:type(":Botglue review<CR>")
    nvim:play(keys)
    return nvim
  end
  local behind, before = "A // own<Esc>", "I/* own */ <Esc>"
  local first = "let x = call(alpha_beta_gamma_delta,"
  for _, each in ipairs({
    { { "alpha_beta_gamma_delta,", "  mid,", "  more" }, "/more<CR>" .. behind, ":3,4diffput<CR>" },
    {
      { "alpha_beta_gamma_delta,", "  mid,", "  more" },
      "/more<CR>" .. behind,
      ":3diffput<CR>",
      ":2diffput<CR>",
    },
    {
      { "alpha_beta_gamma_delta,", "  mid,", "  more" },
      "/more<CR>" .. behind,
      ":4diffput<CR>",
      ":2diffput<CR>",
    },
    {
      { "first,", "  alpha_beta_gamma_delta,", "  last" },
      "/last<CR>" .. behind,
      ":4diffput<CR>",
      ":3diffput<CR>",
    },
    { { "first,", "  mid", "  alpha_beta_gamma_delta" }, "/first<CR>" .. before, ":2,3diffput<CR>" },
  }) do
    local nvim = after(each[1], { each[2] })
    local shown = texts(nvim)[2]
    for i = 3, #each do
      nvim:type(each[i])
      nvim:settle()
      equal(texts(nvim)[2], shown, vim.inspect({ each, i }))
    end
    -- Where nothing tells any more where the rest belongs it is not put in once more.
    nvim:type("q:Botglue review<CR>")
    nvim:type("a")
    nvim:settle()
    for _, row in ipairs(shown) do
      local lines = table.concat(nvim:lua("return vim.api.nvim_buf_get_lines(1, 0, -1, true)"), "\n")
      equal(select(2, lines:gsub(vim.pesc(row), "")) <= 1, true, vim.inspect({ each, lines }))
    end
  end
  local nvim = after(
    { "alpha_beta_gamma_delta,", "  more" },
    { "/more<CR>" .. behind, ":2,3diffput<CR>", "a" }
  )
  equal(nvim:lines(), { "top", first, "  more, tail); // own", "end" })
end)

test("a part of rows of which a hunk was taken by hand is accepted in the review alone", function()
  local nvim = in_review({ { kind = "char", first = { 2, 0 }, last = { 4, 0 } }, { "B", "c", "D" } })
  nvim:type("2Gdp")
  nvim:settle()
  nvim:type("q")
  nvim:type(":Botglue accept 1<CR>")
  nvim:settle()
  equal(nvim:job(1).landing, "held")
  equal(texts(nvim), { { "a", "B", "c", "d", "e" }, { "a", "B", "c", "D", "e" } }, "the review is open")
end)

test(
  "all of the answer's side that was taken at once is accepted, with what was typed around the answer",
  function()
    for _, each in ipairs({
      { line(2, 4), { "B" }, { "top", "a", "B", "e, too" } },
      { line(2, 4), { "B", "C", "D", "E" }, { "top", "a", "B", "C", "D", "E", "e, too" } },
      { { kind = "insert", first = { 3 } }, { "new" }, { "top", "a", "b", "c", "new", "d", "e, too" } },
      { { kind = "char", first = { 2, 0 }, last = { 3, 0 } }, { "B" }, { "top", "a", "B", "d", "e, too" } },
    }) do
      local nvim = in_review({ each[1], each[2] })
      nvim:type("GA, too<Esc>ggOtop<Esc>")
      -- The keys come faster than the review looks.
      nvim:type("1Gdp:%diffput<CR>a")
      equal(nvim:lines(), each[3], vim.inspect(each))
      equal(nvim:job(1).landing ~= "held", true, vim.inspect(each))
    end
  end
)

test("what was typed beside a part on its side and taken with it leaves its place known", function()
  local sent = { "top", "aaa one zzz", "bbb one zzz", "ccc one zzz", "end" }
  local chars =
    { { kind = "char", first = { 2, 4 }, last = { 4, 6 } }, { "ONE zzz", "bbb one zzz", "ccc TWO" } }
  local block = { { kind = "block", first = { 2, 4 }, last = { 4, 6 } }, { "ONE", "one", "TWO" } }
  local function rows(first, last)
    return { "top", first, "bbb one zzz", last, "end" }
  end
  for _, each in ipairs({
    { chars, "2GIT<Esc>", "2Gdp", rows("Taaa ONE zzz", "ccc one zzz"), rows("Taaa ONE zzz", "ccc TWO zzz") },
    { chars, "4GAT<Esc>", "4Gdp", rows("aaa one zzz", "ccc TWO zzzT"), rows("aaa ONE zzz", "ccc TWO zzzT") },
    { block, "2GIT<Esc>", "2Gdp", rows("Taaa ONE zzz", "ccc one zzz"), rows("Taaa ONE zzz", "ccc TWO zzz") },
  }) do
    local range, typed, take, taken, shown = unpack(each)
    for _, way in ipairs({
      {},
      { "<C-w>hu<C-r><C-w>l" },
      { "<C-w>hu<C-w>l", sent, "a", sent, take, taken },
      { "qu:Botglue review<CR>", sent, "q<C-r>:Botglue review<CR>", taken },
    }) do
      local nvim = child.with_host(sent)
      nvim:run(range[1], { review = true })
      nvim:answer(1, range[2])
      local steps = { ":Botglue review<CR>" .. typed, sent, "a", sent, take, taken }
      vim.list_extend(steps, way)
      for i = 1, #steps, 2 do
        nvim:type(steps[i])
        nvim:settle()
        equal(texts(nvim), { steps[i + 1] or taken, shown }, vim.inspect({ steps, i }))
      end
      nvim:type("a")
      nvim:settle()
      equal({ nvim:lines(), nvim:job(1).landing ~= "held" }, { shown, true }, vim.inspect(steps))
      nvim:type("u")
      equal(nvim:lines(), taken, vim.inspect(steps))
    end
  end
end)

test("all of a part of rows that was taken is accepted, where nothing tells its place any more", function()
  for _, last in ipairs({ 1, 2 }) do
    local nvim = child.with_host({ "a", "bbb" })
    nvim:run({ kind = "char", first = { 2, 1 }, last = { 2, last } }, { review = true })
    nvim:answer(1, { "1", "2" })
    nvim:type(":Botglue review<CR>")
    nvim:type("<C-w>hGdo<C-w>l")
    nvim:settle()
    -- What stood before it in its row told its place.
    nvim:type("G0kdl")
    nvim:type(":%diffput<CR>")
    nvim:settle()
    local all = { "a", "1", last == 1 and "2b" or "2" }
    equal(texts(nvim), { all, all })
    nvim:type("a")
    equal({ nvim:lines(), nvim:job(1).landing }, { all, "unchanged" })
  end
end)

test("what stands beside the answer, or is taken with it, never comes twice", function()
  local function part(kind, row, from, last, to)
    return { kind = kind, first = { row, from }, last = { last, to } }
  end
  -- Into the buffer, and to the answer.
  local B, A = "<C-w>h", "<C-w>l"
  for _, each in ipairs({
    -- An insertion that was taken, then what was typed above it, or a deletion there.
    { { kind = "insert", first = { 4 } }, { "X" }, { ":%diffput<CR>", "4GoT<Esc>", B .. "G[cdo" .. A } },
    { { kind = "insert", first = { 1 } }, { "X" }, { "gg]cdp", "1GoT<Esc>", "gg]cdp" } },
    { { kind = "insert", first = { 5 } }, { "X" }, { B .. "6Gdo", "5Gdd" .. A } },
    -- What was taken or given back, then a row beside it went.
    { part("char", 5, 0, 6, 3), { "X", "Y" }, { B .. ":%diffput<CR>", "4Gdd" .. A } },
    { part("char", 2, 0, 3, 3), { "X", "Y" }, { ":%diffget<CR>", B .. "1Gdd" .. A } },
    { line(1, 3), { "X", "Y", "Z" }, { ":%diffget<CR>", B .. "4Gdd" .. A } },
    -- What was typed right beside the place, then a hunk at that edge.
    { line(2, 4), { "bbbb", "X" }, { B .. "4GoT<Esc>", "G[cdo" .. A } },
    { line(3, 3), { "X", "Y" }, { "6G$iT<Esc>", "gg]cdp" } },
    { part("char", 6, 2, 6, 3), { "X", "", "Y" }, { B .. "5GoT<Esc>", "G[cdo" .. A } },
    -- What was changed beside a part, and taken with it.
    { part("char", 6, 2, 6, 3), { "X", "Y" }, { B .. "G[cdo" .. A, "6GccT<Esc>", B .. "gg]cdo" .. A } },
    { part("char", 5, 3, 6, 3), { "X" }, { "5GccT<Esc>", ":%diffput<CR>" } },
    { part("char", 2, 2, 4, 3), { "X", "", "Y" }, { "1GoT<Esc>", "gg]cdp" } },
    { part("block", 4, 2, 5, 3), { "X", "Y" }, { "5GoT<Esc>", B .. "7Gdo" .. A } },
    -- A part of a hunk, with what is below it gone.
    { part("char", 4, 3, 5, 3), { "X" }, { "8Gdd", "G[cdp" } },
    { part("char", 4, 2, 5, 3), { "X" }, { "5Gdp", B .. "u" .. A, "gg]cdp" } },
    -- Typed and taken at once.
    { { kind = "insert", first = { 4 } }, { "X", "Y" }, { B .. "1GAT<Esc>5Gdo" .. A } },
    { line(4, 5), { "X", "eeee", "Y", "Z" }, { B .. "6GAT<Esc>:%diffget<CR>" .. A } },
    -- A row of the answer alone, that is neither the first nor the last of a part.
    { part("char", 2, 1, 2, 2), { "X", "Y", "Z" }, { ":3diffput<CR>" } },
    { part("char", 2, 1, 2, 2), { "V", "W", "X", "Y", "Z" }, { ":4,5diffput<CR>" } },
    -- Both sides the same, and one of them taken back.
    { part("char", 3, 2, 5, 3), { "X" }, { B .. "2Gdd" .. A, "u", B .. "u" .. A } },
    { part("char", 5, 0, 6, 3), { "X" }, { B .. "5GccT<Esc>" .. A, ":%diffget<CR>" } },
  }) do
    local nvim = child.with_host({ "aaaa", "bbbb", "cccc", "dddd", "eeee", "ffff" })
    nvim:run(each[1], { review = true })
    nvim:answer(1, each[2])
    nvim:type(":Botglue review<CR>")
    nvim:play(each[3])
    nvim:type("a")
    nvim:settle()
    local seen = {}
    for _, text in ipairs(nvim:lines()) do
      equal(text ~= "" and seen[text] or nil, nil, vim.inspect({ each, nvim:lines() }))
      seen[text] = true
    end
  end
end)

test("a row that is copied or typed next to the range in the buffer is none of the range", function()
  local function part(first, last)
    return { kind = "char", first = { first, 0 }, last = { last, 0 } }
  end
  for _, each in ipairs({
    { line(2, 4), "4Gyyp", { "a", "X", "d", "e" } },
    { line(2, 4), "2GyyP", { "a", "b", "X", "e" } },
    { line(2, 4), "3Gyy4Gp", { "a", "X", "c", "e" } },
    { line(2, 4), "4GoX<Esc>", { "a", "X", "X", "e" } },
    { line(2, 4), "2GOX<Esc>", { "a", "X", "X", "e" } },
    { part(2, 2), "2GoX<Esc>", { "a", "X", "X", "c", "d", "e" } },
    { part(2, 2), "2Gyyp", { "a", "X", "b", "c", "d", "e" } },
    { part(2, 3), "3Gyyp", { "a", "X", "c", "d", "e" } },
    { part(2, 3), "2GyyP", { "a", "b", "X", "d", "e" } },
  }) do
    local nvim = in_review({ each[1], { "X" } })
    nvim:type("<C-w>h" .. each[2])
    nvim:settle()
    nvim:type("<C-w>la")
    nvim:settle()
    equal(nvim:lines(), each[3], vim.inspect(each))
  end
end)

test("what is typed in the part that was taken of an answer is kept when the rest is accepted", function()
  for _, each in ipairs({
    {
      { kind = "char", first = { 1, 4 }, last = { 5, 2 } },
      { "ONE", "BBB", "ccc one", "ddd one", "EEE" },
      { "aaa ONéE", "BBB", "ccc one", "ddd one", "EEE." },
    },
    {
      { kind = "block", first = { 1, 4 }, last = { 4, 6 } },
      { "ONE", "BBB", "one", "DDD" },
      { "aaa ONéE", "bbb BBB", "ccc one", "ddd DDD", "eee." },
    },
  }) do
    local nvim = child.with_host({ "aaa one", "bbb one", "ccc one", "ddd one", "eee." })
    nvim:run(each[1], { review = true })
    nvim:answer(1, each[2])
    nvim:play({ ":Botglue review<CR>2Gdp", "<C-w>h1G$ié<Esc>", "<C-w>la" })
    equal({ nvim:lines(), nvim:job(1).landing }, { each[3], "merged" })
  end
end)

test("what is changed between two takings of an insertion is kept when it is accepted", function()
  for _, each in ipairs({
    { "V:diffput<CR>", "A mine<Esc>", { "X1 mine", "X2", "X3", "X4" } },
    { "Vj:diffput<CR>", "omine<Esc>", { "X1", "mine", "X2", "X3", "X4" } },
  }) do
    local nvim = in_review({ { kind = "insert", first = { 2 } }, { "X1", "X2", "X3", "X4" } })
    -- By default only since 0.11.
    nvim:type(":set diffopt+=linematch:40<CR>")
    nvim:play({ "/X1<CR>" .. each[1], "<C-w>h/X1<CR>" .. each[2], "<C-w>l/X4<CR>dp", "a" })
    local expected = vim.list_extend({ "a", "b" }, each[3])
    equal(nvim:lines(), vim.list_extend(expected, { "c", "d", "e" }))
  end
end)

test(
  "where an answer that deletes all its rows was taken, nothing is deleted that is typed there later",
  function()
    for _, each in ipairs({
      { { "a", "new", "row", "e" }, "2Gdo", "zR1Gonew<CR>row<Esc>" },
      { { "a", "row", "e" }, "2Gdo", "zR2GOrow<Esc>" },
      { { "a", "row", "e" }, "2Gdo", "zR1Gorow<Esc>", "<C-w>lq:Botglue review 1<CR>" },
      { { "a", "e" }, "2Gdo", "u" },
      { { "a", "row", "e" }, "2Gdo", "u", "<C-r>", "zR1Gorow<Esc>" },
      { { "a", "e" }, "2Gdo", "zR1Gorow<Esc>", "uu" },
    }) do
      for _, way in ipairs({ "<C-w>la", "<C-w>lq:Botglue accept 1<CR>" }) do
        local nvim = in_review({ line(2, 4), {} })
        nvim:play({ "<C-w>h", each[2], each[3], each[4] or "", each[5] or "", way })
        equal(nvim:lines(), each[1], vim.inspect({ each, way }))
        equal(nvim:job(1).landing ~= "held", true)
      end
    end
  end
)

test("rows that the answer adds, which a diff shows beyond the row next to the range", function()
  local lines = { "use", "", "fn a", "  one", "}", "", "fn b", "  one", "}", "", "end" }
  local function take(range, answer, row, keys)
    local nvim = child.with_host(lines)
    nvim:run(range, { review = true })
    nvim:answer(1, answer)
    nvim:type(":Botglue review<CR>" .. row .. "Gdp")
    nvim:settle()
    nvim:play(keys)
    nvim:type("<C-w>la")
    nvim:settle()
    return nvim:lines()
  end
  local below = { "fn a", "  ONE", "}", "", "fn z", "  z", "}" }
  local both =
    { "use", "", "fn a", "  ONE", "}", "", "fn z", "  z", "}", "", "fn b", "  one", "}", "", "end" }
  equal(take(line(3, 5), below, 8, {}), both)
  equal(take(line(3, 5), below, 8, { "<C-w>hu", "<C-r>" }), both)
  equal(take(line(3, 5), below, 4, {}), both)
  local own = vim.list_extend({}, both)
  own[15] = "end own"
  equal(take(line(3, 5), below, 8, { "<C-w>hGA own<Esc>" }), own)
  local above = { "fn z", "}", "", "fn a", "  ONE", "}" }
  both = { "use", "", "fn z", "}", "", "fn a", "  ONE", "}", "", "fn b", "  one", "}", "", "end" }
  equal(take(line(3, 5), above, 3, {}), both)
  lines = review.CODE
  below = { "fn a() {", "  ONE", "  two", "}", "", "fn z() {", "  one", "}" }
  both = vim.list_extend(vim.list_slice(lines, 1, 3), below)
  vim.list_extend(both, vim.list_slice(lines, 8))
  equal(take(line(4, 7), below, 9, {}), both)
  equal(take(line(4, 7), below, 9, { "<C-w>hu", "<C-r>" }), both)
  both[#both] = "end own"
  equal(take(line(4, 7), below, 9, { "<C-w>hGA own<Esc>" }), both)
end)

test(
  "a part that was taken together with the user's own in the row next to it leaves nothing to do",
  function()
    for _, keys in ipairs({ { "dp" }, { "<C-w>h3Gdo<C-w>l" } }) do
      local nvim = child.with_host({ "r1", "let x = call(aa, bb, cc); let y = 1;", "r3", "r4" })
      nvim:run({ kind = "char", first = { 2, 13 }, last = { 2, 22 } }, { review = true })
      nvim:answer(1, { "aa, B2, cc" })
      nvim:play(vim.list_extend({ ":Botglue review<CR>", "/r3<CR>Inew <Esc>" }, keys))
      nvim:type("a")
      nvim:settle()
      equal(nvim:lines(), { "r1", "let x = call(aa, B2, cc); let y = 1;", "new r3", "r4" })
      equal(nvim:job(1).landing, "unchanged", keys[1])
    end
  end
)
