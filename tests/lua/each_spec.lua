local child = require("support.child")
local suite = require("support.suite")
local test, equal, contains = suite.test, suite.equal, suite.contains

--- A child with files of four lines each and a quickfix list of `{ file, lnum, end_lnum, text, type, pattern }`.
local function with_list(items)
  local nvim = child.with_host({ "here" })
  nvim:lua(
    [[
      _G.directory = vim.fn.tempname()
      vim.fn.mkdir(directory, "p")
      for _, name in ipairs({ "a", "b" }) do
        local lines = {}
        for i = 1, 4 do
          lines[i] = name .. i
        end
        vim.fn.writefile(lines, directory .. "/" .. name)
      end
      local list = {}
      for i, item in ipairs(...) do
        list[i] = {
          filename = directory .. "/" .. item[1],
          lnum = item[2],
          pattern = item[6],
          end_lnum = item[3] or 0,
          text = item[4] or "",
          type = item[5],
        }
      end
      vim.fn.setqflist(list)
    ]],
    items
  )
  return nvim
end

local function requests(nvim, count)
  nvim:request(count)
  nvim:settle()
  equal(#nvim:host("received", "run"), count)
  return nvim:host("received", "run")
end

--- The result list: its title, and the text of each entry.
local function results(nvim)
  return nvim:lua([[
    local list = vim.fn.getqflist({ title = 1, items = 1 })
    local texts = {}
    for i, item in ipairs(list.items) do
      local name = vim.fn.fnamemodify(vim.api.nvim_buf_get_name(item.bufnr), ":t")
      texts[i] = ("%s:%d-%d %s"):format(name, item.lnum, item.end_lnum, item.text)
    end
    return { list.title, texts }
  ]])
end

test("each item is a job on its lines, in files that no window shows", function()
  local nvim = with_list({
    { "a", 2, 3, "too long", "W" },
    { "b", 0, 0, "unused", "", "4$" },
    { "b", 1, nil, "b1" },
  })
  nvim:type(":Botglue each mend it<CR>")
  local sent = {}
  for i, request in ipairs(requests(nvim, 3)) do
    local note = request.notes[1]
    local said = note and ("%d %s %s"):format(note.line, note.severity, note.message)
    sent[i] = { request.prompt, vim.fs.basename(request.path), request.selection.text, said }
  end
  equal(sent, {
    { "mend it", "a", { "a2", "a3" }, "2 warning too long" },
    { "mend it", "b", { "b4" }, "4 info unused" },
    { "mend it", "b", { "b1" } },
  })
  equal(nvim:lines(), { "here" })
  equal(#nvim:api("list_wins"), 1)
end)

test("the results are a quickfix list with what became of each", function()
  local nvim = with_list({ { "a", 2 }, { "a", 4 }, { "b", 1 } })
  nvim:type(":Botglue each mend it<CR>")
  requests(nvim, 3)
  for id = 1, 3 do
    nvim:runs(id)
  end
  equal(results(nvim), {
    "botglue each mend it: 0 of 3 ended",
    { "a:2-2 running", "a:4-4 running", "b:1-1 running" },
  })
  nvim:answer(1, { "one", "two" })
  nvim:answer(2, { "x" }, { held_for = "ambiguous" })
  nvim:agent(3, "refuse", 400, "No.")
  nvim:host("ended", 3)
  nvim:settle()
  equal(results(nvim), {
    "botglue each mend it: 3 of 3 ended, 1 failed, 1 held, 1 landed",
    {
      "a:2-3 landed",
      "a:5-5 held: the answer has several code blocks, :Botglue review 2",
      "b:1-1 failed: " .. nvim:job(3).error.message,
    },
  })
  equal(
    nvim:lua("return vim.tbl_map(function(item) return item.type end, vim.fn.getqflist())"),
    { "", "W", "E" }
  )
  equal(#nvim:api("list_wins"), 1)
  nvim:lua("require('botglue').reject(2)")
  nvim:settle()
  contains(results(nvim)[2][2], "rejected")
  -- The list that was there before is one :colder away.
  nvim:lua("vim.cmd('silent colder')")
  equal(nvim:lua("return #vim.fn.getqflist()"), 3)
  contains(results(nvim)[2][3], "b:1-0")
end)

test("the results go on with another host", function()
  local nvim = with_list({ { "a", 2 }, { "a", 4 } })
  nvim:type(":Botglue each mend it<CR>")
  requests(nvim, 2)
  nvim:host("die")
  nvim:eventually(
    "the list has what became of the jobs",
    "return vim.fn.getqflist({ title = 1 }).title:find('2 of 2 ended, 2 failed', 1, true)"
  )
end)

test("the results do not move where the user is in their list", function()
  local nvim = with_list({ { "a", 2 }, { "a", 4 }, { "b", 1 } })
  nvim:type(":Botglue each mend it<CR>")
  requests(nvim, 3)
  nvim:type(":copen<CR>:3<CR>")
  nvim:lua("vim.cmd('cc 2 | copen | 3')")
  nvim:answer(1, { "one" })
  nvim:settle()
  contains(results(nvim)[2][1], "landed")
  equal(nvim:lua("return { vim.fn.line('.'), vim.fn.getqflist({ idx = 0 }).idx }"), { 3, 2 })
end)

test("a range means rows of the quickfix window, else what lies in those lines", function()
  local nvim = with_list({ { "a", 1 }, { "a", 3 }, { "b", 1 } })
  nvim:type(":copen<CR>:2,3Botglue each mend it<CR>")
  local sent = requests(nvim, 2)
  equal({ sent[1].selection.text, sent[2].selection.text }, { { "a3" }, { "b1" } })

  nvim = with_list({ { "a", 1 }, { "a", 3 }, { "b", 3 } })
  nvim:lua("vim.cmd.edit(directory .. '/a')")
  nvim:type(":2,4Botglue each mend it<CR>")
  equal(requests(nvim, 1)[1].selection.text, { "a3" })
end)

test("what cannot be is one error line", function()
  local function said(items, command)
    local nvim = with_list(items)
    nvim:lua("vim.cmd('messages clear')")
    nvim:type(":" .. command .. "<CR>")
    equal(#nvim:lua("return require('botglue').jobs()"), 0)
    return vim.trim(nvim:messages())
  end
  equal(said({}, "Botglue each mend it"), "botglue: the quickfix list is empty")
  equal(said({ { "a", 0 } }, "Botglue each mend it"), "botglue: no quickfix item has a place in a file")
  equal(said({ { "a", 1 } }, "1Botglue each mend it"), "botglue: no quickfix item in these lines")
  equal(
    said({ { "c", 1 }, { ".", 1 }, { "a", 9 } }, "Botglue each mend it"),
    "botglue: the files of the quickfix list do not exist"
  )
  -- Where some are there the others are left out.
  local nvim = with_list({ { "c", 1 }, { "a", 9 }, { "a", 1 }, { "a", 0 } })
  nvim:type(":Botglue each mend it<CR>")
  requests(nvim, 1)
  contains(nvim:messages(), "botglue: items without a place in a file: 3")
end)

test("who has many items is asked first, a script is not", function()
  local nvim = child.with_host(child.numbered(31))
  nvim:lua(
    "vim.fn.setqflist(vim.tbl_map(function(row) return { bufnr = 1, lnum = row } end, vim.fn.range(1, 31)))"
  )
  nvim:type(":Botglue each mend it<CR>")
  equal(nvim:api("get_mode").mode:sub(1, 1), "r")
  nvim:type("c")
  equal(#nvim:lua("return require('botglue').jobs()"), 0)
  nvim:type(":silent Botglue each mend it<CR>")
  requests(nvim, 31)
end)
