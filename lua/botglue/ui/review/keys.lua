--- The keys of a review: `]c`, `[c`, `do`, `dp` in its buffer, in normal mode. `do`, `dp` and `dO` are keys after the
--- operator `d`, so that they work at any pace; each is an operator of its own, so that a count and `.` work.

local attach = require("botglue.host.attach")
local ask = require("botglue.editor.ask")
local connection = require("botglue.host.connection")
local errors = require("botglue.host.errors")
local notify = require("botglue.host.notify")

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

--- What the host has to know of a key: it does what the key means with the hunks as they are drawn. Where the text has
--- changed since, it computes them first, and those that are others now are only shown.
---@param verb "next"|"previous"|"take"|"drop"|"both"
---@param args { count: integer?, range: { first: integer, past: integer }? }
---@return botglue.Review review
---@return table
local function pressed(verb, args)
  local review = current()
  attach.want(review.bufnr, review.job)
  return review,
    vim.tbl_extend("error", args, {
      id = review.job.id,
      buffer = review.bufnr,
      verb = verb,
      row = api.nvim_win_get_cursor(0)[1] - 1,
      visited = review:visited_here(),
      tick = api.nvim_buf_get_changedtick(review.bufnr),
    })
end

--- Has hunks taken or dropped.
---@param verb "take"|"drop"|"both"
---@param args { count: integer?, range: { first: integer, past: integer }? }
local function change(verb, args)
  local function tell(_, err)
    if err then
      notify.error("botglue: " .. err)
    end
  end
  local review, about = pressed(verb, args)
  tell(ask.change("hunk", about, review.bufnr, tell))
end

--- Goes to a hunk.
---@param step integer how many hunks to go on, or back where it is negative
function M.go(step)
  errors.guard(function()
    local review, about = pressed(step > 0 and "next" or "previous", { count = math.abs(step) })
    local there = ask.open("hunk", about).there
    if there then
      review:visit(there)
    end
  end)
end

--- The operator that takes.
function M.take()
  errors.guard(change, "take", { count = vim.v.count1 })
end

--- The operator that takes, and keeps the user's rows above where both have changed the same.
function M.both()
  errors.guard(change, "both", { count = 1 })
end

--- The operator that drops; what was dropped already it brings back.
function M.drop()
  errors.guard(change, "drop", { count = vim.v.count1 })
end

--- Takes or drops the hunks in some lines, or the one under the cursor.
---@param verb "take"|"drop"
---@param range { [1]: integer, [2]: integer }? from 1
function M.in_lines(verb, range)
  change(verb, range and { range = { first = range[1] - 1, past = range[2] } } or { count = 1 })
end

--- An operator on the hunk under the cursor. What it goes over does not matter.
---@param verb "take"|"drop"|"both"
---@return string keys
function M.operator(verb)
  vim.go.operatorfunc = "v:lua.require'botglue.ui.review.keys'." .. verb
  return "g@l"
end

---@param lhs string
---@param verb "take"|"drop"|"both"
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
  { mode = "o", lhs = "O", typed = "dO", what = "both", expr = after_delete("O", "both") },
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
