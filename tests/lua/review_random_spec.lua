-- Random keys on both sides of a review. Whatever they were: what was typed stays, what is accepted is what the
-- answer's side showed, a refusal changes nothing, and a review that was closed shows the same when it is opened again.

local child = require("support.child")
local suite = require("support.suite")
local test, equal = suite.test, suite.equal

local LINES = { "one", "two", "three", "", "five", "six" }
local SEED = tonumber(vim.env.BOTGLUE_REVIEW_SEED) or 1
local RUNS = tonumber(vim.env.BOTGLUE_REVIEW_RUNS) or 60

local ANSWERS = { { "X" }, { "X", "Y" }, {}, { "two", "X", "four" }, { "X", "three" }, { "one", "two" } }

-- Keys in the answer's window, and in that of the buffer: around the range, and hunks.
local RIGHT = {
  "do",
  "dp",
  "u",
  "u",
  "u",
  "uu",
  "<C-r>",
  "<C-r>",
  "<C-r><C-r>",
  "dd",
  "p",
  "yyp",
  "ohello<Esc>",
  "Oabove<Esc>",
  "A!<Esc>",
  "0dl",
  "I-<Esc>",
  "J",
  "jdd",
  "kdd",
  "D",
  ":%diffput<CR>",
  ":%diffget<CR>",
  ":.diffput<CR>",
  "Vj:diffput<CR>",
  ":1,2move $<CR>",
  "gg",
  "G",
  "j",
  "k",
  "]c",
  "[c",
  "ggOtop<Esc>",
  "Gobottom<Esc>",
}
local LEFT = {
  "do",
  "dp",
  "u",
  "<C-r>",
  "ggOleft<Esc>",
  "Goleft<Esc>",
  "ggOfirst<Esc>Golast<Esc>",
  "]c",
  "[c",
  ":%diffget<CR>",
  ":%diffput<CR>",
  ":.diffget<CR>",
}

--- The text of both sides, in step.
local function texts(nvim)
  nvim:settle()
  return nvim:lua([[
    local review = require("botglue.client").connection().review
    review.side:refresh()
    return {
      vim.api.nvim_buf_get_lines(review.job.range.bufnr, 0, -1, true),
      vim.api.nvim_buf_get_lines(review.side.bufnr, 0, -1, true),
    }
  ]])
end

--- The review of an answer that a seed stands for.
local function in_review(pick)
  local nvim = child.with_host({})
  -- The filling of the buffer is no change of the user's.
  nvim:lua(
    [[
      vim.cmd("hide enew")
      vim.bo.undolevels = -1
      vim.api.nvim_buf_set_lines(0, 0, -1, true, ...)
      vim.bo.undolevels = 1000
    ]],
    LINES
  )
  local first, kind = pick(#LINES), ({ "line", "line", "insert", "char" })[pick(4)]
  local last = math.min(first + pick(3) - 1, #LINES)
  local range = { kind = kind, first = { first, 0 }, last = { last, 0 } }
  if kind == "insert" then
    range = { kind = kind, first = { first } }
  elseif kind == "char" then
    range.first[2] = math.min(1, #LINES[first])
    range.last[2] = math.max(math.min(1, #LINES[last] - 1), 0)
  end
  nvim:run(range, { review = true })
  nvim:answer(1, ANSWERS[pick(#ANSWERS)])
  nvim:type(":Botglue review<CR>")
  return nvim, range
end

local function close_and_open(nvim, story)
  local before = texts(nvim)
  nvim:type("q:Botglue review<CR>")
  local known = nvim:lua("return require('botglue.client').connection().review.side.known")
  -- Where its place got lost the answer stands alone.
  if known then
    equal(texts(nvim), before, story())
  end
  return known
end

local function accept(nvim, story)
  local before = texts(nvim)
  nvim:type("a")
  nvim:settle()
  if nvim:job(1).landing == "held" then
    equal(texts(nvim), before, story())
  else
    equal(nvim:lines(), before[2], story())
  end
end

test("whatever is typed on both sides, the review keeps its word", function()
  for seed = SEED, SEED + RUNS - 1 do
    math.randomseed(seed)
    local nvim, range = in_review(math.random)
    local keys = {}
    local function story()
      return ("seed %d, %s: %s"):format(seed, vim.inspect(range), table.concat(keys, " "))
    end
    local known = true
    for _ = 1, 3 + math.random(8) do
      local left = math.random(4) == 1
      local typed = left and LEFT[math.random(#LEFT)] or RIGHT[math.random(#RIGHT)]
      keys[#keys + 1] = left and ("<C-w>h%s<C-w>l"):format(typed) or typed
      local inserts = typed:find("<Esc>") and not left
      if inserts then
        texts(nvim)
      end
      nvim:type(keys[#keys])
      if inserts then
        local shown = nvim:lua("return vim.api.nvim_buf_get_lines(0, 0, -1, true)")
        equal(texts(nvim)[2], shown, story())
      end
      if known and math.random(5) == 1 then
        keys[#keys + 1] = "(q and again)"
        known = close_and_open(nvim, story)
      end
    end
    accept(nvim, story)
    vim.fn.jobstop(nvim.channel)
  end
end)
