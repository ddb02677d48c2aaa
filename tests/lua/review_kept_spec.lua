-- What the user typed into the answer's side of a review, in the answer and around it: it is there until the answer
-- is decided, whatever becomes of the window, of the review and of Neovim.

local child = require("support.child")
local review = require("support.review")
local suite = require("support.suite")
local test, equal = suite.test, suite.equal
local line, LINES = child.line, review.LINES
local in_review, texts, stored = review.open, review.texts, review.stored

local CHAR = { kind = "char", first = { 3, 0 }, last = { 3, 0 } }

--- The draft that the store was told of last.
local function kept(nvim)
  local told = nvim:host("received", "draft")
  return told[#told]
end

local WAYS_OUT = {
  "q",
  ":quit<CR>",
  ":quit!<CR>",
  ":noautocmd quit<CR>",
  "<C-w>c",
  "<C-w>h:quit<CR>",
  "<C-w>h<C-w>o",
  ":tabclose<CR>",
  ":bdelete!<CR>",
  ":bwipeout!<CR>",
  ":noautocmd bwipeout!<CR>",
  ":enew<CR>",
  ":edit!<CR>",
  "<C-w>h:bwipeout!<CR>",
}

test("what was typed in an answer and around it is there again, whatever closed the review", function()
  for _, keys in ipairs(WAYS_OUT) do
    local nvim = child.with_host(LINES)
    nvim:lua(
      [[
      local file = vim.fn.tempname()
      vim.fn.writefile(..., file)
      vim.cmd("silent file " .. file)
      vim.cmd("silent write!")
    ]],
      LINES
    )
    nvim:run(line(3, 3), { review = true })
    nvim:answer(1, { "C" })
    nvim:type(":Botglue review<CR>1GAtyped<Esc>3GA mine<Esc>5GAtoo<Esc>")
    if keys:find("noautocmd") then
      -- Neovim 0.10 tells nobody of this before the text is gone: then what is a quarter of a second old is kept.
      nvim:eventually("it is kept", "return #require('support.host').received('draft') > 0")
    end
    nvim:type(keys)
    nvim:settle()
    nvim:type(":silent! tabonly<CR>:Botglue review 1<CR>")
    equal(texts(nvim), { LINES, { "atyped", "b", "C mine", "d", "etoo" } }, keys)
    equal(kept(nvim), {
      id = 1,
      draft = { lines = { "C mine" }, above = { "atyped", "b" }, below = { "d", "etoo" } },
    }, keys)
  end
end)

test("going on to another answer keeps what was typed around this one", function()
  local nvim = in_review({ line(3, 3), { "C" } }, { line(5, 5), { "E" } })
  nvim:type("1GAtyped<Esc>n")
  equal(texts(nvim)[2], { "a", "b", "c", "d", "E" })
  nvim:type("n")
  equal(texts(nvim)[2], { "atyped", "b", "C", "d", "e" })
end)

test("what was typed beside the answer in its own row is kept too", function()
  local nvim = in_review({ CHAR, { "C" } })
  nvim:type("3GIbefore <Esc>q:Botglue review<CR>")
  -- At its very edge it is part of the answer.
  equal(texts(nvim), { LINES, { "a", "b", "before C", "d", "e" } })
  nvim:type("q")
  nvim = child.with_host({ "a", "local b = 1", "c" })
  nvim:run({ kind = "char", first = { 2, 10 }, last = { 2, 10 } }, { review = true })
  nvim:answer(1, { "2" })
  nvim:type(":Botglue review<CR>2G0cwmy<Esc>A0<Esc>q")
  equal(kept(nvim).draft, { rows = { "my b = 20" }, beside = { "a", "local b = ", "", "c" } })
  nvim:type(":Botglue review<CR>")
  equal(texts(nvim), { { "a", "local b = 1", "c" }, { "a", "my b = 20", "c" } })
  nvim:type("a")
  equal(nvim:job(1).landing, "held")
  nvim:type("u")
  equal(texts(nvim)[2], { "a", "local b = 2", "c" })
end)

test(
  "where rows were joined with those of a part since, or split off them, what was typed around it is shown alone",
  function()
    local ROWS = { "a", "call(one, two)", "c", "d", "e" }
    local function is_known(nvim)
      return nvim:lua("return require('botglue.client').connection().review.side.known")
    end
    for _, typed in ipairs({ "2GA tail<Esc>", "4GAmine<Esc>", "1GAmine<Esc>" }) do
      for keys, known in pairs({
        ["2GJ"] = false,
        ["1GJ"] = false,
        ["2G0f,i<CR><Esc>"] = false,
        ["2GJu"] = true,
        ["2GAx<Esc>"] = true,
        ["3GOx<Esc>GAx<Esc>"] = true,
      }) do
        local nvim = child.with_host(ROWS)
        nvim:run({ kind = "char", first = { 2, 5 }, last = { 2, 7 } }, { review = true })
        nvim:answer(1, { "ONE" })
        nvim:type(":Botglue review<CR>" .. typed .. "q")
        nvim:settle()
        nvim:type(keys)
        nvim:settle()
        nvim:type(":Botglue review<CR>")
        equal(is_known(nvim), known, typed .. keys)
        local lines = nvim:lines()
        nvim:type("a")
        nvim:settle()
        equal({ nvim:job(1).landing, nvim:lines() }, { "held", lines }, typed .. keys)
        if not known then
          -- As it is undone it fits again.
          nvim:type("qu")
          nvim:type(":Botglue review<CR>")
          equal(is_known(nvim), true, typed .. keys)
        end
      end
    end
  end
)

test("a row of the answer that was joined with one next to it is taken apart again by one u", function()
  for keys, range in pairs({ ["/P2<CR>A own<Esc>J"] = line(2, 3), ["ggJ"] = line(2, 3) }) do
    local nvim = in_review({ range, { "P1", "P2" } })
    nvim:type(keys)
    nvim:settle()
    local joined = texts(nvim)[2]
    nvim:type("q:Botglue review<CR>")
    equal(texts(nvim)[2], joined, keys)
    nvim:type("u")
    nvim:settle()
    equal(texts(nvim)[2], { "a", "P1", "P2", "d", "e" }, keys)
  end
end)

test("it is kept while it is typed: nothing has to be closed for that", function()
  local nvim = in_review({ line(3, 3), { "C" } })
  nvim:type("3GA mi")
  nvim:eventually("it is kept", "return #require('support.host').received('draft') > 0")
  equal(kept(nvim), { id = 1, draft = { lines = { "C mi" } } })
  nvim:type("ne")
  nvim:eventually("the rest is kept", "return #require('support.host').received('draft') > 1")
  equal(kept(nvim), { id = 1, draft = { lines = { "C mine" } } })
  nvim:type("<Esc>u")
  nvim:eventually("the undo too", "return #require('support.host').received('draft') > 2")
  equal(kept(nvim), { id = 1 })
end)

test("the next host hears what the last one may have taken to its grave", function()
  local nvim = in_review({ line(3, 3), { "C" } })
  nvim:type("3GA mine<Esc>")
  nvim:eventually("it is kept", "return #require('support.host').received('draft') > 0")
  nvim:host("die")
  nvim:run(line(1, 1), { bufnr = 1 })
  equal(#nvim:host("received", "draft"), 2)
  equal(kept(nvim), { id = 1, draft = { lines = { "C mine" } } })
end)

test("what was kept is taken back by undo: what is around the answer, then what is in it", function()
  local nvim = in_review({ line(3, 3), { "C" } })
  nvim:type("3GA mine<Esc>5GAtoo<Esc>q:Botglue review<CR>")
  nvim:type("u")
  equal(texts(nvim)[2], { "a", "b", "C mine", "d", "e" })
  nvim:type("u")
  equal(texts(nvim)[2], { "a", "b", "C", "d", "e" })
  nvim:type("u")
  equal(texts(nvim)[2], { "a", "b", "C", "d", "e" })
  nvim:type("a")
  equal(nvim:lines(), { "a", "b", "C", "d", "e" })
end)

test("what was kept is taken back and brought back, and the answer is the same as before", function()
  local nvim = in_review({ line(3, 3), { "C" } })
  nvim:type("3GA mine<Esc>ggOtop<Esc>Gobottom<Esc>q:Botglue review<CR>")
  local typed = { "top", "a", "b", "C mine", "d", "e", "bottom" }
  for _, keys in ipairs({
    "uu<C-r><C-r>",
    "uuu<C-r><C-r><C-r>",
    "u<C-r>",
    ":undo 0<CR>:redo<CR>:redo<CR>:redo<CR>",
  }) do
    nvim:type(keys)
    equal(texts(nvim)[2], typed, keys)
  end
  nvim:type("q")
  equal(
    kept(nvim).draft,
    { lines = { "C mine" }, above = { "top", "a", "b" }, below = { "d", "e", "bottom" } }
  )
  nvim:type(":Botglue review<CR>ggdpGdpa")
  equal(nvim:lines(), typed)
end)

test("rows that were moved past the answer are kept once", function()
  for _, range in ipairs({ line(1, 2), { kind = "insert", first = { 2 } } }) do
    local nvim = in_review({ range, { "B", "C" } })
    nvim:type(":1,3move $<CR>")
    local shown = texts(nvim)
    nvim:type("q:Botglue review<CR>")
    equal(texts(nvim), shown)
  end
end)

test("what was kept of an answer follows its lines", function()
  local nvim = in_review({ line(3, 3), { "C" } })
  nvim:type("3GA mine<Esc>oand more<Esc>qggOtop<Esc>Gobottom<Esc>:Botglue review<CR>")
  local expected = { "top", "a", "b", "C mine", "and more", "d", "e", "bottom" }
  equal(texts(nvim)[2], expected)
  nvim:type("a")
  equal({ nvim:lines(), nvim:job(1).landing }, { expected, "applied" })
end)

test("text around an answer is not accepted with it, by a command neither", function()
  local nvim = in_review({ line(3, 3), { "C" } })
  nvim:type("1GAtyped<Esc>q:Botglue accept<CR>")
  equal(texts(nvim), { LINES, { "atyped", "b", "C", "d", "e" } })
  suite.contains(nvim:messages(), "text around the answer was changed: dp keeps, u undoes it")
  equal(nvim:job(1).landing, "held")
  nvim:type("1Gdp")
  nvim:settle()
  nvim:type(":Botglue accept<CR>")
  equal(nvim:lines(), { "atyped", "b", "C", "d", "e" })
end)

test("a command accepts what stands in the review at that moment", function()
  local nvim = in_review({ line(3, 3), { "C" } })
  nvim:type("3GA mine<Esc>:Botglue accept<CR>")
  equal(nvim:lines(), { "a", "b", "C mine", "d", "e" })
end)

test("one slip of a key does not reject what was typed", function()
  for _, keys in ipairs({ "3GA mine<Esc>", "1GAtyped<Esc>" }) do
    local nvim = in_review({ line(3, 3), { "C" } })
    nvim:type(keys .. "x")
    equal(nvim:job(1).landing, "held")
    suite.contains(nvim:messages(), "the answer was changed here: x again rejects, u undoes")
    nvim:type("Goonce more<Esc>x")
    equal(nvim:job(1).landing, "held")
    nvim:type("x")
    equal({ nvim:job(1).landing, nvim:lines() }, { "rejected", LINES })
  end
end)

test("of an answer that deletes there is nothing but what was typed, wherever its place is", function()
  local nvim = in_review({ line(3, 3), {} })
  nvim:type("<C-w>h3Gdd<C-w>lq:Botglue review<CR>")
  equal(texts(nvim), { { "a", "b", "d", "e" }, { "" } })
  nvim:type("Omine<Esc>q")
  equal(kept(nvim).draft, { lines = { "mine" } })
end)

test("an adopted answer comes with what was typed in it and around it", function()
  local function adopted(draft, more)
    local nvim = child.start()
    nvim:lua("require('support.host').install()")
    nvim:lua("_G.file = vim.fn.tempname(); vim.fn.writefile(..., file)", LINES)
    local answer = stored(nvim:lua("return file"), vim.tbl_extend("force", { draft = draft }, more or {}))
    nvim:host("earlier", answer)
    nvim:type(":Botglue review<CR>")
    nvim:eventually("the review opens", "return vim.fn.tabpagenr('$') == 2")
    return texts(nvim)[2]
  end
  equal(adopted({ lines = { "mine" } }), { "a", "mine", "d", "e" })
  equal(
    adopted({ lines = { "B" }, above = { "my a" }, below = { "d", "my e" } }),
    { "my a", "B", "d", "my e" }
  )
  equal(adopted({ rows = { "my", "b" } }, { kind = "char" }), { "a", "my", "b", "d", "e" })
  equal(adopted({ lines = { "" }, above = { "my a" } }, { path = "" }), { "my a", "" })
  equal(adopted({ lines = {}, above = { "my a" }, below = { "my d" } }, { path = "" }), { "my a", "my d" })
  equal(adopted({ lines = {}, above = { "my a" } }, { path = "" }), { "my a" })
  equal(
    adopted({ lines = { "mine" }, above = { "my a" } }, { path = "/no/such/file" }),
    { "my a", "mine" },
    "where its place is not known, all of it"
  )
end)

test("what was typed in an answer is kept byte for byte, though the store takes only UTF-8", function()
  local draft = require("botglue.draft")
  for _, row in ipairs({
    "caf\233 x",
    "\239\183\144 typed",
    "\237\160\128",
    "\192\128",
    "\244\144\128\128",
    "\195a\169",
    "a\0\255",
  }) do
    local nvim = in_review({ line(3, 3), { "C" } })
    nvim:lua("vim.api.nvim_buf_set_lines(0, 2, 3, true, { ... })", row)
    nvim:type("q")
    local lines = kept(nvim).draft.lines
    equal(vim.startswith(lines[1], "\239\183\144"), true, vim.inspect(row))
    equal(lines[1]:find("[^%w+/=]", 4), nil, vim.inspect(row))
    equal(draft.recall({ lines = lines }), { lines = { row } }, vim.inspect(row))
  end
  local nvim = in_review({ line(3, 3), { "C" } })
  nvim:type("3GAé 日本 🙂<Esc>q")
  equal(kept(nvim).draft, { lines = { "Cé 日本 🙂" } })
end)

test("what is typed in an answer is kept at once, else a signal that ends Neovim takes it", function()
  local nvim = in_review({ line(2, 4), { "B" } })
  nvim:lua([[
    local schedule = vim.defer_fn
    vim.defer_fn = function(fn, ms)
      return schedule(fn, ms == 0 and 0 or 1e9)
    end
  ]])
  nvim:type("omore")
  nvim:eventually("it is kept", "return #require('support.host').received('draft') > 0")
  equal(kept(nvim).draft, { lines = { "B", "more" } })
end)

test("rows that hold a part stay rows while the place of the part is not known", function()
  local function job()
    local nvim = child.with_host({ "foo(bar) end", "second" })
    nvim:run({ kind = "char", first = { 1, 4 }, last = { 1, 6 } }, { review = true })
    nvim:answer(1, { "BAR" })
    nvim:type(":Botglue review<CR>")
    return nvim
  end
  local before, inside = "Ipre <Esc>q:Botglue review<CR>q1Gdd", "fBiX<Esc><C-w>h1Gdd<C-w>lq"
  for keys, shown in pairs({ [before] = "pre foo(BAR) end", [inside] = "foo(XBAR) end" }) do
    local nvim = job()
    nvim:type(keys)
    nvim:settle()
    -- Looked at alone, and left as it is.
    nvim:type(":Botglue review<CR>q")
    nvim:type("u:Botglue review<CR>")
    equal(texts(nvim), { { "foo(bar) end", "second" }, { shown, "second" } }, keys)
  end
end)

test("what was typed in an answer right before it was accepted is kept with it, too", function()
  local nvim = in_review({ line(2, 4), { "B" } })
  nvim:host("hold", "merged")
  nvim:type("oX<Esc>a")
  equal(kept(nvim), { id = 1, draft = { lines = { "B", "X" } } })
end)
