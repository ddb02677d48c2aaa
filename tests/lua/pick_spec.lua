local child = require("support.child")
local jobs = require("support.jobs")
local suite = require("support.suite")
local test, equal, contains = suite.test, suite.equal, suite.contains

--- Has `vim.ui.select` note what it is asked, and choose the entries with these words, one after the other.
local function choosing(nvim, words)
  nvim:lua(
    [[
      _G.asked, _G.words = {}, ...
      vim.ui.select = function(items, opts, on_choice)
        local shown = vim.tbl_map(opts.format_item, items)
        table.insert(asked, { prompt = opts.prompt, kind = opts.kind, shown = shown })
        for i, text in ipairs(shown) do
          if words[1] and text:find(words[1], 1, true) then
            table.remove(words, 1)
            on_choice(items[i], i)
            return
          end
        end
        on_choice(nil, nil)
      end
    ]],
    words
  )
end

local function pick(nvim, name)
  nvim:type((":Botglue pick %s<CR>"):format(name))
  nvim:eventually("it is asked", "return #asked > 0")
  return nvim:lua("return asked")
end

local function start()
  local nvim = child.with_host({ "one", "two", "three" })
  nvim:api("buf_set_name", 0, "/project/a.rs")
  for i = 1, 2 do
    nvim:run({ kind = "line", first = { i }, last = { i } }, { prompt = "prompt " .. i, review = i == 1 })
    nvim:answer(i, { "NEW " .. i })
  end
  return nvim
end

test(
  "jobs, where nothing is named: the rows of the list, then what can be done with the one that is chosen",
  function()
    local nvim = start()
    nvim:type("3G")
    choosing(nvim, { "prompt 2", "jump" })
    local asked = pick(nvim, "")
    equal({ asked[1].prompt, #asked[1].shown }, { "botglue jobs", 2 })
    contains(asked[1].shown[1], "held: review")
    equal(asked[1].shown[2]:find("prompt 2.*landed") ~= nil, true, asked[1].shown[2])
    equal(asked[2].prompt, "botglue: what to do")
    equal(vim.list_slice(asked[2].shown, 1, 2), { "jump to its place", "show the prompt" })
    equal(nvim:api("win_get_cursor", 0)[1], 2)
  end
)

test("held: the review opens at once", function()
  local nvim = start()
  choosing(nvim, { "prompt 1" })
  local asked = pick(nvim, "held")
  equal({ #asked, #asked[1].shown }, { 1, 1 })
  suite.eventually("the review is open", function()
    return nvim:screen():find("◆ claude · prompt 1", 1, true)
  end)
end)

test("history: jobs of the store", function()
  local nvim = jobs.stored(3)
  choosing(nvim, { "prompt 2", "show the prompt" })
  local asked = pick(nvim, "history")
  equal(#asked[1].shown, 3)
  equal(vim.list_contains(asked[2].shown, "yank the answer"), true)
  nvim:eventually("its prompt is shown", "return vim.fn.getline(1) == 'prompt 2'")
end)

test("a list without rows says so", function()
  local nvim = child.with_host({ "one" })
  choosing(nvim, {})
  nvim:type(":Botglue pick held<CR>")
  nvim:eventually("it is told", "return vim.fn.execute('messages'):find('no answer is held') ~= nil")
  equal(nvim:lua("return #asked"), 0)
end)
