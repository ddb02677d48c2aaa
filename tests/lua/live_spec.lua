local child = require("support.child")
local suite = require("support.suite")
local test, equal, contains = suite.test, suite.equal, suite.contains
local numbered, line = child.numbered, child.line

--- What must not move: the cursor, the top line and the mode.
local function view(nvim)
  return nvim:lua([[
    local view = vim.fn.winsaveview()
    return { view.lnum, view.col, view.topline, view.topfill, vim.api.nvim_get_mode().mode }
  ]])
end

--- The first rows of the screen, with the moving parts of a status line replaced.
local function rows(nvim, count, first)
  local all = vim.list_slice(vim.split(nvim:screen(), "\n"), first or 1, (first or 1) + count - 1)
  return vim.tbl_map(function(row)
    return (
      vim.fn
        .substitute(row, "[⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏○]", "@", "g")
        :gsub("%d+s$", "Ns")
        :gsub(" · starting claude", "")
        :gsub(" · waiting for the model", "")
    )
  end, all)
end

--- Has the agents of jobs write code, and waits until it is drawn where that is seen.
---@param code string[]
---@param ids integer[]? without them job 1
local function write(nvim, code, ids)
  local text = table.concat(code, "\n")
  for _, id in ipairs(ids or { 1 }) do
    nvim:lua(
      [[
        _G.told = ""
        require("botglue").on(..., function(update) _G.told = told .. (update.text or "") end)
      ]],
      id
    )
    nvim:host("heard")
    nvim:agent(id, "say", text)
    nvim:eventually(("the code of job %d has come"):format(id), "return vim.endswith(told, ...)", text)
  end
  nvim:ticks(2)
end

test("code is previewed in a block that grows with it and never shrinks", function()
  local nvim = child.with_host({ "  one", "two" })
  nvim:run(line(1))
  equal(rows(nvim, 3), { "  one", "  @ it · Ns", "two" })
  --- Waits until these are the rows of the screen; beside the first one the tools are listed.
  local function shows(expected)
    suite.eventually("the screen has " .. vim.inspect(expected), function()
      return vim.deep_equal(rows(nvim, 5, 2), vim.list_slice(expected, 2))
    end)
  end
  nvim:agent(1, "say", "fn a() {")
  shows({ "  one", "  @ it · writing · Ns", "  │ fn a() {", "two", "~", "~" })
  nvim:agent(1, "say", "fn a() {\n    b()\n}")
  local full = { "  one", "  @ it · writing · Ns", "  │ fn a() {", "  │     b()", "  │ }", "two" }
  shows(full)
  nvim:agent(1, "say", "b\nc\nd")
  shows({ full[1], full[2], "  │ b", "  │ c", "  │ d", "two" })
  nvim:agent(1, "call", "Read", { file_path = "x" })
  shows({ "  one", "  @ it · Read x · Ns", "  │ b", "  │ c", "  │ d", "two" })
  nvim:answer(1, { "  ONE" })
  equal(rows(nvim, 3), { "  ONE", "two", "~" })
end)

test("the line of a held answer is beside the last row where the window ends there, else below it", function()
  local held = "◆ it · held: the answer has several code blocks · \\pr"
  -- The range, the keys before it is held, and the last rows of the window after more keys.
  for _, case in ipairs({
    {
      line(38, 40),
      "40Gzb30G",
      { "", "line 39", "line 40 " .. held },
      { "<C-e>", "line 40", held },
      { "<C-y>", "line 39", "line 40 " .. held },
      { "<C-y>", "line 38", "line 39 " .. held },
      { "<C-e><C-e>", "line 40", held },
    },
  }) do
    local nvim = child.with_host(numbered(60))
    nvim:type(case[2])
    nvim:run(case[1])
    nvim:answer(1, {}, { held_for = "ambiguous" })
    local height = nvim:lua("return vim.fn.winheight(0)")
    for i = 3, #case do
      local keys, above, last = unpack(case[i])
      nvim:type(keys)
      suite.eventually(("the window ends with %s after %s%s"):format(last, case[2], keys), function()
        return vim.deep_equal(rows(nvim, 2, height - 1), { above, last })
      end)
    end
  end
end)

test("while the user types below it no row is added", function()
  local nvim = child.with_host(numbered(9))
  nvim:run(line(1))
  nvim:type("5GA more")
  write(nvim, { "a", "b", "c" })
  equal(rows(nvim, 3), { "line 1", "@ it · writing · Ns", "line 2" })
  nvim:type("<Esc>")
  nvim:ticks(2)
  equal(rows(nvim, 3), { "line 1", "@ it · writing · Ns", "│ a" })
  nvim:type("A and")
  write(nvim, { "b", "c", "d" })
  equal(rows(nvim, 3), { "line 1", "@ it · writing · Ns", "│ b" }, "but what is there goes on")
end)

test("wherever the cursor is, neither it nor the view moves while a job runs", function()
  local nvim = child.with_host(numbered(100))
  nvim:lua("require('botglue').setup({ max_parallel = 100 })")
  local ROWS = { 1, 22, 49, 50, 51, 100 }
  for _, at in ipairs({ "gg", "22G", "50Gzt", "50Gzb", "Gzt" }) do
    nvim:type(at)
    local before, ids = view(nvim), {}
    local function stays(what, row)
      nvim:lua("vim.cmd.redraw()")
      equal(view(nvim), before, ("%s, %s at line %d"):format(at, what, row))
    end
    for i, row in ipairs(ROWS) do
      ids[i] = nvim:run(line(row))
      stays("a job starts", row)
    end
    write(nvim, { "a", "b", "c" }, ids)
    stays("code comes", 1)
    for i, row in ipairs(ROWS) do
      nvim:answer(ids[i], { "line " .. row })
      stays("a job ends", row)
    end
    equal(nvim:drawn(), 0)
  end
end)

test("below a closed fold that holds the range, also at the end of the buffer", function()
  local nvim = child.with_host(numbered(6))
  nvim:run(line(3))
  nvim:type(":2,4fold<CR>")
  nvim:ticks(2)
  local shown = rows(nvim, 4)
  contains(shown[2], "3 lines: line 2")
  equal({ shown[3], shown[4] }, { "@ it · Ns", "line 5" })
  nvim:type("zE:3,6fold<CR>")
  nvim:ticks(2)
  shown = rows(nvim, 5)
  contains(shown[3], "4 lines: line 3")
  equal({ shown[4], shown[5] }, { "@ it · Ns", "~" })
  nvim:type("zE")
  nvim:ticks(2)
  equal(rows(nvim, 5), { "line 1", "line 2", "line 3", "@ it · Ns", "line 4" })
end)

test("the line stands below the last row, on the first line and on the last, in every window", function()
  local nvim = child.with_host({ "  one", "two", "three" })
  nvim:run(child.line(1))
  nvim:run({ kind = "char", first = { 2, 0 }, last = { 3, 1 } })
  equal(rows(nvim, 6), { "  one", "  @ it · Ns", "two", "three", "@ it · Ns", "~" })
  nvim:type(":vsplit<CR>")
  suite.eventually("it stands in both windows", function()
    return select(2, rows(nvim, 2)[2]:gsub("it · ", "")) == 2
  end)
  nvim:type("ggOnew<Esc>")
  contains(rows(nvim, 3)[1], "new")
  contains(rows(nvim, 3)[3], "it · ")
end)

test("an answer that is held while its range is in no window is shown as held there", function()
  for away, back in pairs({ G = "gg", [":enew<CR>"] = ":buffer 1<CR>" }) do
    local nvim = child.with_host(vim.split(("row "):rep(99), " "))
    nvim:lua("vim.o.hidden = true")
    nvim:run(child.line(1))
    nvim:type(away)
    nvim:answer(1, {}, { held_for = "ambiguous" })
    nvim:type(back)
    local expected = { "row", "◆ it · held: the answer has several code blocks · \\pr", "row" }
    equal(rows(nvim, 3), expected, away)
  end
end)

test("who is asked something while typing types on where they were", function()
  for _, keys in ipairs({ "", "<C-r>=", "<F5>" }) do
    local nvim = child.with_host({ "one", "two", "three" })
    nvim:lua([[
      vim.wo.wrap = false
      vim.keymap.set("i", "<F5>", "<Cmd>call input('tag: ')<CR>")
    ]])
    nvim:run(child.line(3))
    nvim:type(":split<CR>1GAx" .. keys)
    if keys == "" then
      vim.rpcnotify(nvim.channel, "nvim_exec_lua", "vim.fn.confirm('Sure?', '&OK')", {})
    end
    suite.eventually("it is asked", function()
      return nvim:api("get_mode").mode:find("^[cr]") ~= nil
    end)
    if not nvim:api("get_mode").blocking then
      nvim:ticks(3)
    end
    nvim:api("input", keys == "" and "o" or "<CR>")
    suite.eventually("the user types on", function()
      return nvim:api("get_mode").mode == "i"
    end)
    nvim:type("y<Esc>")
    equal(nvim:lines(), { "onexy", "two", "three" }, keys)
  end
end)
