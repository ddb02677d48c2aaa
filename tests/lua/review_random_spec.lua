-- Random reviews with the real host: takes, drops, undo, redo and own edits, in any order. What is shown is what a key
-- does and what accepting leaves.

local child = require("support.child")
local review = require("support.review")
local suite = require("support.suite")
local test, equal = suite.test, suite.equal

-- BOTGLUE_TEST_REVIEWS says how many, BOTGLUE_TEST_SEED which ones.
local REVIEWS = tonumber(vim.env.BOTGLUE_TEST_REVIEWS or 6)
local SEED = tonumber(vim.env.BOTGLUE_TEST_SEED or 25)
local STEPS = 8
local AT_ONCE = 20 -- in one test

--- A text with some hunks taken.
local function with(lines, hunks)
  local made, from = {}, 1
  for _, hunk in ipairs(hunks) do
    vim.list_extend(made, lines, from, hunk.first)
    vim.list_extend(made, hunk.lines)
    from = hunk.first + hunk.count + 1
  end
  vim.list_extend(made, lines, from)
  return #made > 0 and made or { "" }
end

--- The text, and the hunks once they are those of it.
local function state(nvim)
  local found = nvim:eventually(
    "the hunks are those of the text",
    [[
      local job = require("botglue.host.client").job(...)
      local is_current = job.landing ~= "held" or require("botglue.jobs.proposal").is_current(job)
      return is_current
        and {
          lines = vim.api.nvim_buf_get_lines(0, 0, -1, true),
          hunks = job.proposal and job.proposal.hunks or {},
          is_over = job.landing ~= "held" or job.proposal.why ~= nil,
        }
    ]],
    1
  )
  return found
end

--- Own edits, each with a word that is in none of the texts.
local EDITS = {
  "Omine %d<Esc>",
  "omine %d<Esc>",
  "A mine %d<Esc>",
  "ccmine %d<Esc>",
  "dd",
  "ddp",
}

---@param random fun(most: integer): integer
local function schedule(random)
  local rows, answer = {}, {}
  for i = 1, 6 + random(6) do
    rows[i] = "row " .. i
    local kind = random(6)
    if kind == 1 then
      vim.list_extend(answer, { "changed " .. i, rows[i] })
    elseif kind == 2 then
      answer[#answer + 1] = "other " .. i
    elseif kind > 3 then
      answer[#answer + 1] = rows[i]
    end
  end
  answer[#answer + 1] = "the end"
  local nvim = child.with_host({ "" })
  -- Undo does not go back before this.
  nvim:lua(
    [[
      vim.bo.undolevels = -1
      vim.api.nvim_buf_set_lines(0, 0, -1, true, ...)
      vim.bo.undolevels = 1000
    ]],
    rows
  )
  nvim:run(child.line(1, #rows), { review = true })
  nvim:answer(1, answer)
  nvim:type(":Botglue review 1<CR>")
  local now, done = state(nvim), {}
  equal(with(now.lines, now.hunks), answer, "what is shown at first")
  for step = 1, STEPS do
    local kind, before = random(8), now
    local what
    if kind <= 3 and #now.hunks > 1 then
      local hunk = now.hunks[random(#now.hunks)]
      local row = math.max(hunk.count > 0 and hunk.first + 1 or hunk.first, 1)
      nvim:lua("vim.api.nvim_win_set_cursor(0, { ..., 0 })", row)
      -- At a row may be another one than the one that was drawn by lot.
      local id = nvim:lua([[
        local review = require("botglue.host.connection").review
        local index = require("botglue.ui.review.at").under(review:hunks(), vim.fn.line(".") - 1)
        return review:hunks()[index].id
      ]])
      hunk = vim.iter(now.hunks):find(function(one)
        return one.id == id
      end)
      what = kind < 3 and "do" or "dp"
      nvim:type(what)
      now = state(nvim)
      equal(
        now.lines,
        what == "do" and with(before.lines, { hunk }) or before.lines,
        vim.inspect({ done, what })
      )
    elseif kind == 4 then
      what = "u"
      nvim:type(what)
    elseif kind == 5 then
      what = "<C-r>"
      nvim:type(what)
    else
      what = ("%dG" .. EDITS[random(#EDITS)]):format(random(#now.lines), step)
      nvim:type(what)
    end
    done[#done + 1] = what
    now = state(nvim)
    if now.is_over then
      return
    end
  end
  local expected = with(now.lines, now.hunks)
  nvim:type(":Botglue accept 1<CR>")
  if nvim:job(1).landing == "held" then
    -- Hunks that are shown only since then.
    nvim:type(":Botglue accept 1<CR>")
  end
  equal(nvim:lines(), expected, vim.inspect({ rows, answer, done }))
  local ok, why = pcall(review.ended, nvim)
  if not ok then
    error(vim.inspect({ why, nvim:job(1).landing, nvim:messages(), rows, answer, done, now.hunks }))
  end
end

for first = 1, REVIEWS, AT_ONCE do
  local last = math.min(first + AT_ONCE - 1, REVIEWS)
  local name = "in random reviews what is shown is what is taken, and what accepting leaves: %d to %d"
  test(name:format(first, last), function()
    for number = first, last do
      -- Another generator than Neovim's own, so that a seed means the same everywhere.
      local value = (SEED * 7919 + number) % 2147483646 + 1
      schedule(function(most)
        value = (value * 16807) % 2147483647
        return math.floor(value / 7) % most + 1
      end)
    end
  end)
end
