-- The end of a review that comes by itself, once its answer is decided: it takes no keys away from who has gone on.

local child = require("support.child")
local review = require("support.review")
local suite = require("support.suite")
local test, equal = suite.test, suite.equal
local line = child.line

--- A review whose answer is accepted, and whose merge is not there yet. It was begun on row 1.
local function accepting(...)
  local nvim = review.open(...)
  nvim:host("hold", "merged")
  nvim:type("a")
  return nvim
end

local function merge(nvim)
  nvim:host("deliver", "merged")
  nvim:settle()
end

test("who types in the buffer when an answer was accepted types on there", function()
  for _, others in ipairs({ {}, { { line(4, 4), { "D" } } } }) do
    local nvim = accepting({ line(2, 3), { "B", "C" } }, unpack(others))
    nvim:type("<C-w>h5GAone")
    for _ = 1, 2 do
      -- What was typed meanwhile makes it ask once more.
      nvim:host("deliver", "merged")
    end
    nvim:settle()
    nvim:type(" two<Esc>")
    equal({ nvim:lines(), nvim:job(1).landing }, { { "a", "B", "C", "d", "eone two" }, "applied" })
    equal(
      nvim:lua("return { vim.wo.diff, vim.wo.winbar, #vim.api.nvim_tabpage_list_wins(0) }"),
      { false, "", 1 }
    )
  end
end)

test("who types in the buffer while a command or a script decides types on there", function()
  for _, keys in ipairs({
    "<C-o>:Botglue accept 1<CR>",
    "<C-o>:Botglue reject 1<CR>",
    "<Cmd>Botglue accept 1<CR>",
  }) do
    local nvim = review.open({ line(2, 3), { "b", "c" } })
    nvim:type("<C-w>h5GAone" .. keys)
    nvim:settle()
    nvim:type(" two<Esc>")
    equal(nvim:lines(), { "a", "b", "c", "d", "eone two" }, keys)
  end
end)

test("the next review takes no keys of who is somewhere else when an answer was accepted", function()
  local nvim = accepting({ line(2, 3), { "B", "C" } }, { line(5, 5), { "E" } })
  nvim:type(":tabnew<CR>inew")
  merge(nvim)
  nvim:type(" text<Esc>")
  equal(nvim:lines(), { "new text" })
  equal({ nvim:job(1).landing, nvim:job(2).landing }, { "applied", "held" })
end)

test("a review that is decided while the command-line window is open ends behind it", function()
  local nvim = accepting({ line(2, 3), { "B", "C" } })
  nvim:type("<C-w>hq:")
  merge(nvim)
  equal({ nvim:job(1).landing, nvim:lua("return vim.v.errmsg") }, { "applied", "" })
  nvim:type(":q<CR>")
  nvim:settle()
  equal(nvim:lua("return { vim.wo.diff, #vim.api.nvim_tabpage_list_wins(0) }"), { false, 1 })
end)

test("an operator that waits in the answer by then is not for the buffer", function()
  for _, keys in ipairs({ "dk", "vkd" }) do
    local nvim = accepting({ line(2, 3), { "B", "C" } })
    nvim:type("j" .. keys:sub(1, -2))
    merge(nvim)
    nvim:type(keys:sub(-1))
    equal({ review.texts(nvim)[1], nvim:job(1).landing }, { review.LINES, "held" }, keys)
  end
end)

test("an answer that is typed in by then is not accepted", function()
  local nvim = accepting({ line(2, 3), { "B", "C" } })
  nvim:type("A")
  merge(nvim)
  equal(nvim:job(1).landing, "held")
  suite.contains(nvim:messages(), "the answer was changed meanwhile")
  nvim:type("typed<Esc>")
  equal(review.texts(nvim)[2], { "a", "Btyped", "C", "d", "e" })
end)

test("nothing is decided of an answer while it is typed in", function()
  local PART = { kind = "char", first = { 2, 0 }, last = { 3, 0 } }
  for _, range in ipairs({ line(2, 3), PART }) do
    for _, keys in ipairs({ "<C-o>a", "<Cmd>Botglue accept 1<CR>", "<Cmd>Botglue reject 1<CR>" }) do
      local nvim = review.open({ range, { "B", "C" } })
      nvim:type("Aone" .. keys .. " two<Esc>")
      equal(nvim:job(1).landing, "held", keys)
      equal(review.texts(nvim)[2][2], "Bone two", keys)
      suite.contains(nvim:messages(), "go back to normal mode first")
    end
  end
end)

test(
  "an answer that was accepted without its review, and is changed there by then, is not accepted",
  function()
    local nvim = review.open({ line(2, 3), { "B", "C" } })
    nvim:host("hold", "merged")
    nvim:type("q:Botglue accept 1<CR>:Botglue review 1<CR>otyped<Esc>")
    merge(nvim)
    equal(nvim:job(1).landing, "held")
    equal(review.texts(nvim)[2], { "a", "B", "typed", "C", "d", "e" })
  end
)

test("who types in a floating window of the tab page, as in the prompt, types on there", function()
  local nvim = accepting({ line(2, 3), { "B", "C" } })
  nvim:lua([[
    local config = { relative = "editor", row = 1, col = 1, width = 20, height = 3 }
    vim.api.nvim_open_win(vim.api.nvim_create_buf(false, true), true, config)
  ]])
  nvim:type("ione")
  merge(nvim)
  nvim:type(" two<Esc>")
  equal({ nvim:lines(), nvim:job(1).landing }, { { "one two" }, "applied" })
end)

test("keys that follow a decision at once are not for the answer any more", function()
  local PART = { kind = "char", first = { 2, 0 }, last = { 3, 0 } }
  for _, each in ipairs({
    { PART, "aotyped<Esc>", { "a", "typed", "B", "C", "d", "e" } },
    { { kind = "insert", first = { 2 } }, "aotyped<Esc>", { "a", "typed", "b", "B", "C", "c", "d", "e" } },
    { line(2, 3), "xotyped<Esc>", { "a", "typed", "b", "c", "d", "e" } },
  }) do
    local nvim = review.open({ each[1], { "B", "C" } })
    nvim:type(each[2])
    equal(nvim:lines(), each[3], vim.inspect(each))
  end
end)

test("who waits in the review goes on to the next one", function()
  local nvim = accepting({ line(2, 3), { "B", "C" } }, { line(5, 5), { "E" } })
  merge(nvim)
  equal(review.texts(nvim)[2], { "a", "B", "C", "d", "E" })
end)

test("the line above a review counts the answers that are held by now", function()
  local nvim = review.open({ line(2, 3), { "B" } })
  local function title()
    return nvim:lua("return vim.wo[vim.api.nvim_tabpage_list_wins(0)[1]].winbar")
  end
  suite.contains(title(), "1 of 1")
  nvim:run(line(5, 5), { bufnr = 1, review = true })
  nvim:answer(2, { "E" })
  nvim:settle()
  suite.contains(title(), "1 of 2")
  nvim:type(":Botglue reject 2<CR>")
  nvim:settle()
  suite.contains(title(), "1 of 1")
end)

test("keys that are typed already decide no answer that nobody has seen", function()
  for _, keys in ipairs({ "xx", "xa", "nx" }) do
    local nvim = review.open({ line(2, 3), { "B", "C" } }, { line(5, 5), { "E" } })
    nvim:type(keys)
    nvim:settle()
    equal(nvim:job(2).landing, "held", keys)
    nvim:type("x")
    nvim:settle()
    equal(nvim:job(2).landing, "rejected", keys)
  end
end)

test("a window split off a side of a review is a plain one, and stays so", function()
  for _, keys in ipairs({ ":split<CR>", "<C-w>h:split<CR>", "<C-w>h:vsplit<CR>" }) do
    local nvim = review.open({ line(2, 3), { "B", "C" } })
    nvim:type(keys)
    local plain = "return { vim.wo.diff, vim.wo.scrollbind, vim.wo.foldmethod, vim.wo.winbar }"
    equal(nvim:lua(plain), { false, false, "manual", "" }, keys)
    nvim:type("<C-w>p")
    equal(nvim:lua("return vim.wo.diff"), true, keys)
  end
end)

test("a review in another tab page ends with what floats over it", function()
  local nvim = review.open({ line(2, 3), { "B", "C" } })
  nvim:type(":Botglue jobs<CR>gt:Botglue accept 1<CR>")
  nvim:settle()
  equal({ nvim:lines(), nvim:job(1).landing }, { { "a", "B", "C", "d", "e" }, "applied" })
  equal(nvim:lua("return #vim.api.nvim_list_wins()"), 1)
end)

test("a review that is closed by one command out of Insert mode ends that, too", function()
  local nvim = review.open({ line(2, 3), { "B", "C" } })
  nvim:type("<C-w>lGA<C-o>qx")
  equal({ nvim:lines()[1], nvim:api("get_mode").mode }, { "", "n" })
end)
