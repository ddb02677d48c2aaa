local child = require("support.child")
local suite = require("support.suite")
local test, equal = suite.test, suite.equal

local TEXT =
  { "fn main() {", "    let größe = 1;", "\tend\tof it", "日本語 text", "", "x👍y e\204\129z" }

--- What arrives at the host after `keys` and a run; in a new buffer of `options.nvim`, else in a new Neovim.
local function selected(keys, options)
  options = options or {}
  local nvim = options.nvim or child.with_host({})
  nvim:lua("vim.cmd('enew! | silent! bwipeout! #')")
  nvim:set_lines(options.lines or TEXT)
  if options.set then
    nvim:lua("vim.cmd.set(...)", options.set)
  end
  local count = nvim:lua("return #require('support.host').received('run')")
  nvim:type("<Esc>gg0" .. keys)
  if options.run then
    nvim:lua(options.run)
  else
    nvim:type(":Botglue run it<CR>")
  end
  local request = nvim:request(count + 1)
  return request.selection, request, nvim
end

-- What `gv` yanks, as Neovim itself cuts it out.
local REGION = [[
  vim.cmd('normal! gv"zy')
  return vim.fn.getreg("z", 1, true)
]]

--- What arrives after keys is of a kind, and its text what Neovim itself takes, or this one.
local function check(keys, kind, text, more)
  more = more or {}
  local selection, _, nvim = selected(keys, more)
  equal({ selection.kind, selection.text }, { kind, text or nvim:lua(REGION) }, keys)
  equal({ selection.cols, selection.first_line, selection.last_line }, {
    more.cols or selection.cols,
    more.rows and more.rows[1] or selection.first_line,
    more.rows and more.rows[2] or selection.last_line,
  }, keys .. " cols and rows")
end

--- The same for each of some keys, by kind.
local function check_all(keys_by_kind, more)
  for kind, all in pairs(keys_by_kind) do
    for _, keys in ipairs(all) do
      check(keys, kind, nil, more)
    end
  end
end

test("what is selected is what Neovim itself takes", function()
  check_all({
    line = { "V", "GV", "5GV" },
    char = { "ve<Esc>:'<lt>,'>", "jwwve", "jwwvll", "4Gvl", "4Gvlo", "4G$vb", "5Gvj", "6Glv", "6G$hv" },
    block = { "j0wwl<C-v>kh", "<C-v>j$", "2G<C-v>k$" },
  })
  check("Vj", "line", { TEXT[1], TEXT[2] }, { cols = { 0, 0 }, rows = { 1, 2 } })
  check("jVk", "line", nil, { rows = { 1, 2 } })
  check("ggVG", "line", TEXT, { rows = { 1, 6 } })
  check("lve", "char", { "n main" }, { cols = { 1 } })
  check("wvj", "char", nil, { cols = { 3, 0 } })
  check("l<C-v>jl", "block", { "n ", "  " }, { cols = { 1, 1 } })
  check("w<C-v>j$", "block", nil, { cols = { 3, 3 } })
  check("4Gl<C-v>j", "block", { "日本", "" }, { cols = { 0, 0 } })
end)

test("but without blank lines at its ends, line ends, and blanks for a part of a character", function()
  check("4GVj", "line", { TEXT[4] }, { rows = { 4, 4 } })
  check("5GVj", "line", { TEXT[6] }, { rows = { 6, 6 } })
  check(":4,5", "line", { TEXT[4] }, { rows = { 4, 4 } })
  check("v$", "char", { TEXT[1] })
  check("5Gv", "char", { "" })
  check("<C-v>jjjlll", "block", { "fn main", "    let", "\t", "日本語 " })
  check("3G<C-v>k", "block", { "    let ", "\t" }, { lines = { "x", "    let a", "\tend" } })
end)

test("select mode, and the selection of the API's caller", function()
  local run = { run = "require('botglue').run({ prompt = 'it' })" }
  check_all({ char = { "lve" }, line = { "Vj" }, block = { "w<C-v>j$", "2G<C-v>k$" } }, run)
  check("gh<S-Right>", "char", { "fn" }, { run = run.run, set = "keymodel=startsel" })
end)

test("'selection' is exclusive, and what Neovim takes even so", function()
  local exclusive = { set = "selection=exclusive", lines = { "abcd", "e日gh", "ij" } }
  check_all({
    line = { "Vj" },
    char = { "lvll", "jlvll", "lvj0", "lv", "lv<Esc>:'<lt>,'>", "$v" },
    block = {
      "<C-v>jll",
      "l<C-v>",
      "l<C-v>j<Esc>:'<lt>,'>",
      "l<C-v>jl",
      "lll<C-v>jhh",
      "jl<C-v>kl",
      "<C-v>jjl",
    },
  }, exclusive)
end)

local ROWS = { "local alpha = compute(1)", "short()", "local gamma = compute(333)", "mid = 2" }
local CUT = { "a\tbc\td", "日本語日本", "", "abc\1\1def", "0123456789abcdefghij" }

--- Rows without what Neovim puts into them for columns that have no text, nor for a part of what is wider.
local function firm(rows)
  return vim.tbl_map(function(text)
    return (text:gsub(" +", ""):gsub("[\1\t]", ""))
  end, rows)
end

--- What is selected, by the API and by the range of a command, is what Neovim takes, whole characters.
local function check_virtual(nvim, set, lines, keys, kind, text, column)
  set = "virtualedit& selection& tabstop& " .. set
  for _, run in ipairs({ "require('botglue').run({ prompt = 'it' })", false }) do
    local selection = selected(keys, { nvim = nvim, lines = lines, set = set, run = run or nil })
    local what = ("%s with %s, %s"):format(keys, set, run or "a range")
    equal(
      { kind = selection.kind, text = selection.text, column = selection.column },
      { kind = kind, text = text, column = column },
      what
    )
    equal(firm(text), firm(nvim:lua(REGION)), what .. " as Neovim itself takes it")
  end
end

test("with 'virtualedit', a block has the corners that are highlighted, within a tab too", function()
  local nvim = child.with_host({})
  local computes = { "compute(", "", "compute(", "" }
  for _, set in ipairs({ "virtualedit=block", "virtualedit=all", "virtualedit=block,onemore selection=old" }) do
    check_virtual(nvim, set, ROWS, "14l<C-v>3j7l", "block", computes, 14)
    check_virtual(nvim, set, ROWS, "14l<C-v>3j7lO", "block", computes, 14)
    check_virtual(nvim, set, ROWS, "2G<C-v>30lo28l2j", "block", { "", "", "" }, 28)
    check_virtual(nvim, set, ROWS, "14l<C-v>2j$", "block", { ROWS[1]:sub(15), "", ROWS[3]:sub(15) }, 14)
    check_virtual(nvim, set, ROWS, "4G<C-v>14lk$", "block", { ROWS[3], "mid = 2" }, 0)
  end
  check_virtual(nvim, "virtualedit=block tabstop=8", CUT, "l<C-v>ll", "block", { "\tbc" }, 7)
  check_virtual(nvim, "virtualedit=block tabstop=8", CUT, "4G3l<C-v>lj", "block", { "\1", "34" }, 3)
  local exclusive = "virtualedit=block selection=exclusive"
  check_virtual(nvim, exclusive, ROWS, "14l<C-v>3j8l", "block", computes, 14)
  check_virtual(nvim, exclusive, ROWS, "2G<C-v>14lO", "block", { "short()" }, 0)
end)

test("with 'virtualedit', characters end where their rows do", function()
  local nvim = child.with_host({})
  for _, more in ipairs({ "", " selection=old", " selection=exclusive" }) do
    local set = "virtualedit=all" .. more
    check_virtual(nvim, set, ROWS, "14lvj", "char", { "compute(1)", "short()" })
    check_virtual(nvim, set, ROWS, "2G14lv5lo", "char", { "" })
    check_virtual(nvim, set, ROWS, "2G14lvjj5l", "char", { "", ROWS[3], "mid = 2" })
  end
  check_virtual(nvim, "virtualedit=all", CUT, "3lvl", "char", { "\t" })
  check_virtual(nvim, "virtualedit=all selection=exclusive", CUT, "v4l", "char", { "a\t" })
end)

test("a range that is not the last selection is lines", function()
  check("lve<Esc>:2,3", "line", { TEXT[2], TEXT[3] })
  check("lve<Esc>:%", "line", TEXT)
  check("lvj<Esc>:1,2", "char", { TEXT[1]:sub(2), TEXT[2]:sub(1, 2) })
end)

test("no selection is an insertion below the cursor's line", function()
  local selection, request = selected("2G")
  equal({ selection.kind, selection.first_line, selection.text, selection.rows }, { "insert", 2, {}, {} })
  equal(selection.beside.above, TEXT[2])
  equal({ request.before, request.after }, { { TEXT[1], TEXT[2] }, { TEXT[3], TEXT[4], TEXT[5], TEXT[6] } })
end)

test("reading a block of the marks leaves mode, cursor and view alone", function()
  local _, _, nvim = selected("w<C-v>j$<Esc>G:1,2")
  equal(nvim:api("win_get_cursor", 0)[1], 6)
  equal(nvim:api("get_mode").mode, "n")
end)

test("ranges of the API", function()
  local function run(range)
    local spec = vim.inspect(range):gsub("%s+", " ")
    return selected("", { run = ("require('botglue').run({ prompt = 'it', range = %s })"):format(spec) })
  end
  local function text(range)
    return run(range).text
  end
  equal(text({ kind = "line", first = { 2 }, last = { 3 } }), { TEXT[2], TEXT[3] })
  equal(text({ kind = "line", first = { 4 }, last = { 5 } }), { TEXT[4], "" })
  equal(text({ kind = "line", first = { 2, "x" }, last = { 2, {} } }), { TEXT[2] }, "cols mean nothing")
  equal(text({ kind = "char", first = { 2, 8 }, last = { 2, 14 } }), { "größe" })
  equal(text({ kind = "char", first = { 2, 14 }, last = { 2, 8 } }), { "größe" })
  equal(text({ kind = "char", first = { 1, 99 }, last = { 1, 99 } }), { "" })
  equal(text({ kind = "block", first = { 1, 1 }, last = { 2, 2 } }), { "n ", "  " })
  local selection = run({ kind = "insert", first = { 0 } })
  equal({ selection.first_line, selection.beside.above }, { 0, nil })
end)

test("a NUL is a character like others", function()
  local lines = { "a\0b", "c\0\0d", "ef" }
  -- The register gives another character for it.
  check("lv", "char", { "\0" }, { lines = lines, cols = { 1 } })
  check("2Gllvl", "char", { "\0d" }, { lines = lines, cols = { 2 } })
  -- It is two cells wide, as ^@.
  check("l<C-v>2j", "block", { "\0", "\0", "f" }, { lines = lines })
end)

test("a block is the rectangle that is seen, with inlay hints and 'breakindent' in it", function()
  local long = ("0123456789"):rep(9)
  for _, each in ipairs({
    { { "a = compute(1)", "b = compute(22)" }, "2G5l<C-v>2lk", { "e(1", "omp" } },
    { { long, "    " .. long }, "1G82l<C-v>j2l", { "23456", "678" } },
  }) do
    local nvim = child.with_host(each[1])
    nvim:lua([[
      vim.o.breakindent = true
      local namespace = vim.api.nvim_create_namespace("hints")
      vim.api.nvim_buf_set_extmark(0, namespace, 1, 1, { virt_text = { { ": i32" } }, virt_text_pos = "inline" })
      if #vim.api.nvim_get_current_line() > 50 then
        vim.api.nvim_buf_clear_namespace(0, namespace, 0, -1)
      end
    ]])
    nvim:type(each[2])
    nvim:lua("require('botglue').run({ prompt = 'it' })")
    local request = nvim:request(1)
    equal(request.selection.text, each[3])
  end
end)
