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

test("the line stands below the last row, on the first line and on the last, in every window", function()
  local nvim = child.with_host({ "  one", "two", "three" })
  nvim:run(child.line(1))
  nvim:run({ kind = "char", first = { 2, 0 }, last = { 3, 1 } })
  equal(still(rows(nvim, 6)), { "  one", "  @ it · Ns", "two", "three", "@ it · Ns", "~" })
  nvim:type(":vsplit<CR>")
  suite.eventually("it stands in both windows", function()
    return select(2, rows(nvim, 2)[2]:gsub("it · %d+s", "")) == 2
  end)
  nvim:type("ggOnew<Esc>")
  contains(rows(nvim, 3)[1], "new")
  contains(rows(nvim, 3)[3], "it · ")
end)

test("nothing shifts while what it says changes", function()
  local nvim = child.with_host({ "one", "two", "three" })
  nvim:lua("require('botglue').setup({ status = { preview = 0 } })")
  nvim:run(child.line(1, 2))
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
    nvim:shows(said[1])
    local shown = rows(nvim, 5)
    equal({ shown[1], shown[2], shown[4], shown[5] }, { "one", "two", "three", "~" })
  end
  equal(nvim:api("win_get_cursor", 0), before)
end)

test("a buffer that was not shown is up to date when it comes back", function()
  local nvim = child.with_host({ "one", "two" })
  nvim:run(child.line(1))
  nvim:type("G")
  nvim:lua("vim.o.hidden = true; vim.cmd.enew()")
  nvim:agent(1, "call", "Read", { file_path = "src/error.rs" })
  nvim:eventually("it reads", "return require('botglue').job(1).tool")
  nvim:type(":buffer 1<CR>G")
  nvim:ticks(2)
  equal(still(rows(nvim, 3)), { "one", "@ it · Read src/error.rs · Ns", "two" })
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
