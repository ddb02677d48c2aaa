--- The keys of a review: `]c`, `[c`, `do`, `dp` in its buffer, in normal mode. `do` and `dp` are `o` and `p` after the
--- operator `d`, so that they work at any pace; each is an operator of its own, so that a count and `.` work.

local at = require("botglue.ui.review.at")
local connection = require("botglue.host.connection")
local errors = require("botglue.host.errors")
local notify = require("botglue.host.notify")
local proposal = require("botglue.jobs.proposal")
local reasons = require("botglue.jobs.reasons")

local M = {}

local api = vim.api
local DESC = "botglue: %s hunk"

---@class botglue.ReviewKey
---@field mode "n"|"o"
---@field lhs string
---@field what string
---@field typed string the keys in normal mode
---@field shown string? what the head line says of it
---@field expr fun(): string

---@return botglue.Review
local function current()
  local review = connection.review
  if not review or review.bufnr ~= api.nvim_get_current_buf() then
    errors.fail("see :Botglue review: none is open in this buffer")
  end
  return review --[[@as botglue.Review]]
end

--- Goes to a hunk.
---@param step integer how many hunks to go on, or back where it is negative
function M.go(step)
  errors.guard(function()
    local review = current()
    proposal.renew(review.job)
    local index = at.step(review:hunks(), api.nvim_win_get_cursor(0)[1] - 1, step, review:visited_here())
    if index then
      review:visit(index)
    else
      notify.warn(step > 0 and "botglue: no hunk below" or "botglue: no hunk above")
    end
  end)
end

local CHANGED = "botglue: the text has changed, nothing was done: these are the hunks now"

---@param job botglue.Job
---@param verb "take"|"drop"|"undrop"
---@param ids string[]
local function ask(job, verb, ids)
  local function tell(result, err)
    if err then
      notify.error("botglue: " .. err)
    elseif result and result.stale then
      notify.warn(CHANGED)
    elseif result and result.why then
      notify.error("botglue: nothing was done: " .. reasons.advice(result.why, job.id))
    end
  end
  tell(proposal.decide(job, verb, { hunks = ids }, tell))
end

--- Takes or drops some hunks. What was not shown is not taken: where the text has changed since, the hunks are computed
--- first, and those that are others now are only shown.
---@param verb "take"|"drop"
---@param choose fun(review: botglue.Review): integer[] the indexes of those that are meant
local function decide(verb, choose)
  local review, shown = current(), {}
  for _, hunk in ipairs(review:hunks()) do
    shown[hunk.id] = true
  end
  proposal.renew(review.job)
  local ids, are_shown = {}, proposal.is_current(review.job)
  for _, index in ipairs(choose(review)) do
    local id = review:hunks()[index].id
    ids[#ids + 1] = id
    are_shown = are_shown and shown[id] == true
  end
  if not are_shown then
    notify.warn(CHANGED)
    return
  elseif #ids == 0 then
    errors.fail("no hunk here: ]c goes to the next one")
  end
  ask(review.job, verb, ids)
end

--- The hunk under the cursor, and as many after it as are wanted.
---@param count integer
---@return fun(review: botglue.Review): integer[]
local function from_cursor(count)
  return function(review)
    local row, last = api.nvim_win_get_cursor(0)[1] - 1, #review:hunks()
    local from = at.under(review:hunks(), row, review:visited_here())
    return from and vim.fn.range(from, math.min(from + count - 1, last)) or {}
  end
end

--- The operator that takes.
function M.take()
  errors.guard(decide, "take", from_cursor(vim.v.count1))
end

--- The operator that drops; what was dropped already it brings back.
function M.drop()
  errors.guard(function()
    local review, row = current(), api.nvim_win_get_cursor(0)[1] - 1
    proposal.renew(review.job)
    local gone = review.job.proposal and review.job.proposal.gone or {}
    local index = not at.under(review:hunks(), row, review:visited_here()) and at.under(gone, row)
    if index then
      ask(review.job, "undrop", { gone[index].id })
    else
      decide("drop", from_cursor(vim.v.count1))
    end
  end)
end

--- Takes or drops the hunks in some lines, or the one under the cursor.
---@param verb "take"|"drop"
---@param range { [1]: integer, [2]: integer }? from 1
function M.in_lines(verb, range)
  decide(verb, range and function(review)
    return at.within(review:hunks(), range[1] - 1, range[2])
  end or from_cursor(1))
end

--- An operator on the hunk under the cursor. What it goes over does not matter.
---@param verb "take"|"drop"
---@return string keys
function M.operator(verb)
  vim.go.operatorfunc = "v:lua.require'botglue.ui.review.keys'." .. verb
  return "g@l"
end

---@param lhs string
---@param verb "take"|"drop"
local function after_delete(lhs, verb)
  return function()
    if vim.v.operator ~= "d" or vim.wo.diff then
      return lhs
    end
    local count = vim.v.count > 0 and vim.v.count or ""
    return "<Esc>" .. count .. M.operator(verb)
  end
end

---@param lhs string
---@param step integer
local function motion(lhs, step)
  return function()
    return vim.wo.diff and lhs
      or ("<Cmd>lua require('botglue.ui.review.keys').go(%d * vim.v.count1)<CR>"):format(step)
  end
end

---@type botglue.ReviewKey[]
local KEYS = {
  { mode = "o", lhs = "o", typed = "do", what = "take", shown = "do take", expr = after_delete("o", "take") },
  { mode = "o", lhs = "p", typed = "dp", what = "drop", shown = "dp drop", expr = after_delete("p", "drop") },
  { mode = "n", lhs = "]c", typed = "]c", what = "next", shown = "]c next", expr = motion("]c", 1) },
  { mode = "n", lhs = "[c", typed = "[c", what = "previous", expr = motion("[c", -1) },
}

--- Whether the user has mapped a key in the current buffer, or, of an operator, anywhere: what would be reached through
--- one of theirs would be theirs elsewhere, too.
---@param key botglue.ReviewKey
---@return boolean
local function is_theirs(key)
  return vim.iter({ [key.lhs] = key.mode, [key.typed] = "n" }):any(function(lhs, mode)
    local map = vim.fn.maparg(lhs, mode, false, true)
    return map.buffer == 1 or key.mode == "o" and map.buffer ~= nil
  end)
end

--- Maps the keys that the user has not mapped in a buffer, which is current.
---@param bufnr integer
---@return string shown what the head line says of them
function M.map(bufnr)
  local shown = {}
  for _, key in ipairs(KEYS) do
    if not is_theirs(key) then
      vim.keymap.set(key.mode, key.lhs, key.expr, {
        buffer = bufnr,
        expr = true,
        desc = DESC:format(key.what),
      })
      shown[#shown + 1] = key.shown
    end
  end
  return table.concat(shown, " ")
end

--- Takes away the maps that are still ours.
---@param bufnr integer
function M.unmap(bufnr)
  if not api.nvim_buf_is_valid(bufnr) then
    return
  end
  for _, key in ipairs(KEYS) do
    for _, map in ipairs(api.nvim_buf_get_keymap(bufnr, key.mode)) do
      if map.lhs == key.lhs and map.desc == DESC:format(key.what) then
        vim.keymap.del(key.mode, key.lhs, { buffer = bufnr })
      end
    end
  end
end

return M
