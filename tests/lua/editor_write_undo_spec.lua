-- Each step of `editor.write` is an undo step of its own, apart from what was typed before and after it.

local steps = require("support.steps")
local suite = require("support.suite")
local test, equal = suite.test, suite.equal

--- Checks the buffer after each `u`, then after each `<C-r>`.
local function check_undo(nvim, states)
  equal(steps.rows(nvim), states[1], "at first")
  for i = 2, #states do
    nvim:type("u")
    equal(steps.rows(nvim), states[i], ("after undo %d"):format(i - 1))
  end
  for i = #states - 1, 1, -1 do
    nvim:type("<C-r>")
    equal(steps.rows(nvim), states[i], ("after redo to state %d"):format(i))
  end
end

test("steps of one call are undo steps each, also with typing on both sides", function()
  local nvim = steps.start({ "a", "b", "c" })
  nvim:type("GAx")
  steps.write(nvim, { { { 0, 1, { "A", "A" } } }, { { 2, 3, {} } } })
  nvim:type("y<Esc>")
  check_undo(nvim, {
    { "A", "A", "cxy" },
    { "A", "A", "cx" },
    { "A", "A", "b", "cx" },
    { "a", "b", "cx" },
    { "a", "b", "c" },
  })
end)

test("several edits are one step, whatever they do", function()
  local nvim = steps.start({ "a", "f(b, c)", "", "d", "g(", "e)", "h" })
  steps.written(nvim, {
    { 0, 1, { "A" } },
    { 1, 2, { "f(b,", "c)" } },
    { 2, 2, { "new" } },
    { 3, 4, {} },
    { 4, 6, { "g(e)" } },
    { 6, 7, { "h2" } },
  })
  check_undo(nvim, {
    { "A", "f(b,", "c)", "new", "", "g(e)", "h2" },
    { "a", "f(b, c)", "", "d", "g(", "e)", "h" },
  })
end)

test("extmarks are where they were after undo and redo", function()
  local nvim = steps.start({ "foo(a, b)", "next" })
  nvim:lua([[
    _G.ns = vim.api.nvim_create_namespace("other")
    vim.api.nvim_buf_set_extmark(0, ns, 0, 8, { id = 1 })
  ]])
  local function at()
    return nvim:lua("return vim.api.nvim_buf_get_extmark_by_id(0, ns, 1, {})")
  end
  steps.written(nvim, { { 0, 1, { "foo(a,", "  b)" } } })
  equal(at(), { 1, 3 })
  nvim:type("u")
  equal(at(), { 0, 8 })
  nvim:type("<C-r>")
  equal(at(), { 1, 3 })
end)

test("undo in a buffer whose undo levels are its own, or none", function()
  local nvim = steps.start({ "a", "b" })
  nvim:lua("vim.bo.undolevels = 1")
  steps.write(nvim, { { { 0, 1, { "A" } } }, { { 1, 2, { "B" } } } })
  equal(nvim:lua("return vim.bo.undolevels"), 1)
  nvim:type("u")
  equal(steps.rows(nvim), { "A", "b" })
  nvim:lua("vim.bo.undolevels = -1")
  steps.written(nvim, { { 0, 1, { "AA", "A" } } })
  equal({ steps.rows(nvim), nvim:lua("return vim.bo.undolevels") }, { { "AA", "A", "b" }, -1 })
end)

test(":undo back and forth passes through each step whole", function()
  local nvim = steps.start({ "a", "b" })
  local sequence = nvim:lua("return vim.fn.undotree().seq_cur")
  steps.write(
    nvim,
    { { { 0, 1, { "(a,", "a)" } } }, { { 0, 3, { "one" } } }, { { 1, 1, { "two", "three" } } } }
  )
  local states = { { "a", "b" }, { "(a,", "a)", "b" }, { "one" }, { "one", "two", "three" } }
  local last = nvim:lua("return vim.fn.undotree().seq_cur")
  equal(last, sequence + 3)
  for _, state in ipairs({ 1, 4, 2, 3, 1 }) do
    nvim:type((":silent undo %d<CR>"):format(sequence + state - 1))
    equal(steps.rows(nvim), states[state])
  end
end)

--- Presses a key until that changes nothing any more, and fails unless these states came by in this order.
local function check_walk(nvim, key, states, story)
  local before, tries = steps.rows(nvim), 0
  local passed = vim.deep_equal(before, states[1]) and 1 or 0
  -- A few steps of the undo tree leave the text as it is.
  while tries < 3 do
    nvim:type(key)
    local now = steps.rows(nvim)
    tries = vim.deep_equal(now, before) and tries + 1 or 0
    before = now
    if vim.deep_equal(now, states[passed + 1]) then
      passed = passed + 1
    end
  end
  equal(passed, #states, ("after %s, never %s\n%s"):format(key, vim.inspect(states[passed + 1]), story))
end

test("whatever is typed, each text before and after a step comes back", function()
  math.randomseed(11)
  local function rows(count)
    local made = {}
    for i = 1, count do
      made[i] = ({ "a b", "a", "", "é b", "a x b", "c" })[math.random(6)]
    end
    return made
  end
  for _ = 1, 12 do
    local nvim = steps.start(rows(4))
    local states, story = { steps.rows(nvim) }, {}
    for _ = 1, 6 do
      local keys = ({ "i", "A", "o", "ggI" })[math.random(4)] .. "t" .. math.random(9)
      nvim:type(keys)
      story[#story + 1] = keys
      for _ = 1, math.random(0, 2) do
        local before = steps.rows(nvim)
        local first = math.random(0, #before)
        local edit = { first, math.random(first, math.min(first + 3, #before)), rows(math.random(0, 3)) }
        local result = steps.written(nvim, { edit })
        if result.from ~= result.to then
          vim.list_extend(states, vim.deep_equal(before, states[#states]) and {} or { before })
          states[#states + 1] = steps.rows(nvim)
        end
        local more = ({ "u", "<BS>", "v<CR>" })[math.random(3)]
        nvim:type(more)
        vim.list_extend(story, { edit, more })
      end
      nvim:type("<Esc>")
    end
    vim.list_extend(states, vim.deep_equal(steps.rows(nvim), states[#states]) and {} or { steps.rows(nvim) })
    story = vim.inspect(story)
    local back = vim.iter(states):rev():totable()
    check_walk(nvim, "u", back, story)
    check_walk(nvim, "<C-r>", states, story)
  end
end)
