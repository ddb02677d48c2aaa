local child = require("support.child")
local suite = require("support.suite")
local test, equal, contains = suite.test, suite.equal, suite.contains

--- The rows of the screen, without what is behind the text and the last two.
local function rows(nvim, count)
  local screen = nvim:screen():gsub(" · starting claude", ""):gsub(" · waiting for the model", "")
  return vim.list_slice(vim.split(screen, "\n"), 1, count)
end

--- Rows with the moving parts of a status line replaced.
local function still(found)
  return vim.tbl_map(function(row)
    return (row:gsub("^(%s*)[⠁-⣿○]+", "%1@"):gsub("%d+s$", "Ns"))
  end, found)
end

--- Waits until this is on the screen.
local function shows(nvim, expected)
  suite.eventually("the screen has " .. expected, function()
    return nvim:screen():find(expected, 1, true)
  end)
end

test("the line stands below the last row, on the first line and on the last, in every window", function()
  local nvim = child.with_host({ "  one", "two", "three" })
  nvim:run({ kind = "line", first = { 1 }, last = { 1 } })
  nvim:run({ kind = "char", first = { 2, 0 }, last = { 3, 1 } })
  equal(still(rows(nvim, 6)), { "  one", "  @ it · Ns", "two", "three", "@ it · Ns", "~" })
  nvim:type(":vsplit<CR>")
  nvim:ticks(2)
  equal(select(2, rows(nvim, 2)[2]:gsub("it · 0s", "")), 2)
end)

test("an insertion shows it below the line that it goes below", function()
  for _, first in ipairs({ 0, 1 }) do
    local nvim = child.with_host({ "one", "two" })
    nvim:run({ kind = "insert", first = { first } })
    equal(still(rows(nvim, 3)), { "one", "@ it · Ns", "two" })
  end
end)

test("nothing shifts while what it says changes", function()
  local nvim = child.with_host({ "one", "two", "three" })
  nvim:lua("require('botglue').setup({ status = { preview = 0 } })")
  nvim:run({ kind = "line", first = { 1 }, last = { 2 } })
  nvim:type("G")
  local before = nvim:api("win_get_cursor", 0)
  for _, said in ipairs({
    { "Read src/error.rs", "call", "Read", { file_path = "src/error.rs" } },
    { "no such file", "result", "call-1", "no such file", true },
    { "thinking", "think", "hm" },
    { "overloaded, try 1 of 10", "retry", 1, 10, 50000 },
    { "writing", "say", "the answer" },
    { "Read long long", "call", "Read", { file_path = ("long "):rep(50) } },
  }) do
    nvim:agent(1, unpack(said, 2))
    shows(nvim, said[1])
    local shown = rows(nvim, 5)
    equal({ shown[1], shown[2], shown[4], shown[5] }, { "one", "two", "three", "~" })
  end
  equal(nvim:api("win_get_cursor", 0), before)
end)

test("it follows its range at once, also when a line is opened above it", function()
  local nvim = child.with_host({ "one", "two" })
  nvim:run({ kind = "line", first = { 1 }, last = { 1 } })
  nvim:type("ggOnew<Esc>")
  equal(still(rows(nvim, 4)), { "new", "one", "@ it · Ns", "two" })
end)

test("a buffer that is not shown is not drawn into, and is up to date when it comes back", function()
  local nvim = child.with_host({ "one", "two" })
  nvim:run({ kind = "line", first = { 1 }, last = { 1 } })
  nvim:type("G")
  nvim:lua("vim.o.hidden = true; vim.cmd.enew()")
  nvim:agent(1, "call", "Read", { file_path = "src/error.rs" })
  nvim:eventually("it reads", "return require('botglue').job(1).tool")
  nvim:ticks(2)
  local drawn = [[
    local namespace = vim.api.nvim_create_namespace("botglue.status")
    local mark = vim.api.nvim_buf_get_extmarks(1, namespace, 0, -1, { details = true })[1]
    return vim.inspect(mark[4].virt_lines)
  ]]
  equal(nvim:lua(drawn):find("error.rs"), nil)
  nvim:type(":buffer 1<CR>G")
  nvim:ticks(2)
  equal(still(rows(nvim, 3)), { "one", "@ it · Read src/error.rs · Ns", "two" })
end)

test("the text of the range is highlighted while the job runs", function()
  local nvim = child.with_host({ "one", "two", "three" })
  nvim:lua("vim.api.nvim_set_hl(0, 'BotglueRange', { bg = 0x123456 })")
  nvim:run({ kind = "char", first = { 1, 1 }, last = { 2, 1 } })
  nvim:lua("vim.cmd.redraw()")
  local function highlighted(row, column)
    return nvim:lua(
      [[
        local row, column = ...
        local cell = vim.api.nvim__inspect_cell(1, row, column)
        return cell[2] ~= nil and cell[2].background == 0x123456
      ]],
      row,
      column
    )
  end
  equal({ highlighted(0, 0), highlighted(0, 1), highlighted(0, 2) }, { false, true, true })
  nvim:answer(1, { "x" })
  nvim:lua("vim.cmd.redraw()")
  equal(highlighted(0, 1), false)
end)

test("of a job that has ended nothing is drawn and no timer is left, but for a held one", function()
  local nvim = child.with_host({ "one", "two", "three" })
  nvim:note_timers()
  for i = 1, 3 do
    nvim:run({ kind = "line", first = { i }, last = { i } })
  end
  nvim:answer(1, { "ONE" })
  nvim:agent(2, "exit", 3)
  nvim:host("ended", 2)
  nvim:answer(3, {}, { held_for = "ambiguous" })
  equal(rows(nvim, 4), {
    "ONE",
    "two",
    "three",
    [[◆ it · held: the answer has several code blocks · :Botglue review 3]],
  })
  equal(nvim:drawn(), 1)
  nvim:eventually(
    "no timer is left",
    "return vim.iter(timers):all(function(timer) return timer:is_closing() end)"
  )
end)

test("an answer that is held while its range is in no window is shown as held there", function()
  for away, back in pairs({ G = "gg", [":enew<CR>"] = ":buffer 1<CR>" }) do
    local nvim = child.with_host(vim.split(("row "):rep(99), " "))
    nvim:lua("vim.o.hidden = true")
    nvim:run({ kind = "line", first = { 1 }, last = { 1 } })
    nvim:type(away)
    nvim:answer(1, {}, { held_for = "ambiguous" })
    nvim:type(back)
    local expected =
      { "row", "◆ it · held: the answer has several code blocks · :Botglue review 1", "row" }
    equal(rows(nvim, 3), expected, away)
  end
end)

test("the line of a held answer is as long as its window has become", function()
  local nvim = child.with_host({ "one", "two" })
  nvim:type(":30vsplit<CR>")
  nvim:run({ kind = "line", first = { 1 }, last = { 1 } })
  nvim:answer(1, {}, { held_for = "ambiguous" })
  contains(rows(nvim, 2)[2], "…")
  nvim:type(":only<CR>")
  equal(rows(nvim, 2)[2], "◆ it · held: the answer has several code blocks · :Botglue review 1")
end)

--- The lines below which something is drawn.
local function drawn_below(nvim, bufnr)
  return nvim:lua(
    [[
      local namespace = vim.api.nvim_create_namespace("botglue.status")
      return vim.tbl_map(function(mark)
        return mark[2] + 1
      end, vim.api.nvim_buf_get_extmarks(..., namespace, 0, -1, {}))
    ]],
    bufnr
  )
end

test("the line of a held answer is there again where its file is, if its place is known", function()
  local lines = { "{", "one()", "two()", "}", "end" }
  local function reopened(command, range, content, expected)
    local nvim = child.start()
    nvim:lua("require('support.host').install()")
    nvim:lua("_G.file = vim.fn.tempname(); vim.fn.writefile(..., file); vim.cmd.edit(file)", lines)
    nvim:run(range, { review = true })
    nvim:answer(1, { "NEW" })
    equal(nvim:drawn(), 1)
    nvim:type((":new<CR>:%s<CR>"):format(command))
    nvim:lua("vim.fn.writefile(..., file)", content)
    for _, keys in ipairs({ ":lua vim.cmd.edit(file)<CR>", "Gonew<Esc>", ":10split<CR><C-e>" }) do
      nvim:type(keys)
      nvim:settle()
      equal(drawn_below(nvim, 0), { expected }, command .. keys)
    end
  end
  for _, command in ipairs({ "bdelete! #", "bwipeout! #" }) do
    -- In the same buffer its rows are known; in another one its text is looked for, where that tells anything.
    local has_rows = command ~= "bwipeout! #"
    reopened(command, child.line(2, 3), { "new", "{", "one()", "two()", "}", "end" }, 4)
    reopened(command, child.line(2, 3), { "{", "two()", "}", "end" }, has_rows and 2 or nil)
    reopened(command, child.line(4, 4), { "{", "1", "", "}", "b" }, nil)
  end
end)

test(
  "the line of a held answer stays below its range where all rows are replaced by the same ones",
  function()
    local nvim = child.with_host({ "a", "b", "c", "d", "e" })
    local before = nvim:lua("return #vim.api.nvim_get_autocmds({ event = 'TextChanged' })")
    nvim:run(child.line(2, 3), { review = true })
    nvim:answer(1, { "B" })
    equal(drawn_below(nvim, 1), { 3 })
    for _, keys in ipairs({
      ":call setline(1, map(getline(1, '$'), 'v:val'))<CR>",
      ":%!sed s/^/x/<CR>",
      "u",
      ":call nvim_buf_set_lines(1, 0, -1, v:true, ['new'] + getline(1, '$'))<CR>l",
    }) do
      nvim:type(keys)
      nvim:settle()
      suite.eventually("the line is below the range: " .. keys, function()
        return vim.deep_equal(drawn_below(nvim, 1), { nvim:job(1).last_line })
      end)
    end
    nvim:type(":Botglue reject 1<CR>")
    equal(drawn_below(nvim, 1), {})
    equal(nvim:lua("return #vim.api.nvim_get_autocmds({ event = 'TextChanged' })"), before)
  end
)

test("who is asked something while typing types on where they were", function()
  for _, keys in ipairs({ "", "<C-r>=", "<F5>" }) do
    local nvim = child.with_host({ "one", "two", "three" })
    nvim:lua([[
      vim.wo.wrap = false
      vim.keymap.set("i", "<F5>", "<Cmd>call input('tag: ')<CR>")
    ]])
    nvim:run({ kind = "line", first = { 3 }, last = { 3 } })
    nvim:type(":split<CR>1GAx" .. keys)
    local beaten = vim.fn.tempname()
    nvim:lua(
      [[
        local apply, beats, beaten = require("botglue.apply"), 0, ...
        local hang = apply.hang
        apply.hang = function(items)
          hang(items)
          beats = beats + (vim.api.nvim_get_mode().mode:find("^[cr]") and 1 or 0)
          if beats == 3 then
            vim.fn.writefile({}, beaten)
          end
        end
      ]],
      beaten
    )
    if keys == "" then
      vim.rpcnotify(nvim.channel, "nvim_exec_lua", "vim.fn.confirm('Sure?', '&OK')", {})
    end
    suite.eventually("it is asked", function()
      return nvim:api("get_mode").mode:find("^[cr]") ~= nil
    end)
    if not nvim:api("get_mode").blocking then
      suite.eventually("the spinner has moved", function()
        return vim.fn.filereadable(beaten) == 1
      end)
    end
    nvim:api("input", keys == "" and "o" or "<CR>")
    suite.eventually("the user types on", function()
      return nvim:api("get_mode").mode == "i"
    end)
    nvim:type("y<Esc>")
    equal(nvim:lines(), { "onexy", "two", "three" }, keys)
  end
end)
