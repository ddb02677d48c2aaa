--- The keys of a review: `]c`, `[c`, `do`, `dp`, `dO` in its buffer, in normal mode. Those with `d` are motions of
--- that operator, so that they have no timeout; each runs an operator of its own, so that a count and `.` work.

local ask = require("botglue.host.ask")
local capture = require("botglue.editor.capture")
local connection = require("botglue.host.connection")
local errors = require("botglue.host.errors")
local notify = require("botglue.host.notify")

local M = {}

local api = vim.api
local DESC = "botglue: %s hunk"

--- Performs a key on the hunks as drawn. If the text has changed since, the host computes the hunks again, and only
--- shows those that are different now.
---@param verb "next"|"previous"|"take"|"drop"|"both"
---@param lines { [1]: integer, [2]: integer }? the lines whose hunks are meant, from 1; default: the hunk under the
--- cursor, and the next ones as a count says
local function press(verb, lines)
  local review, bufnr = connection.review, api.nvim_get_current_buf()
  if not review or review.bufnr ~= bufnr then
    errors.fail("no review is open in this buffer: see :Botglue review")
  end
  ---@cast review botglue.Review
  capture.want(bufnr, review.job)
  local about = {
    id = review.job.id,
    buffer = bufnr,
    verb = verb,
    row = api.nvim_win_get_cursor(0)[1] - 1,
    tick = api.nvim_buf_get_changedtick(bufnr),
    count = vim.v.count1,
    range = lines and { first = lines[1] - 1, past = lines[2] },
  }
  if verb == "next" or verb == "previous" then
    local there = ask.open("hunk", about).there
    return there and review:visit(there)
  end
  local function show_error(_, err)
    if err then
      notify.error("botglue: " .. err)
    end
  end
  show_error(ask.change("hunk", about, bufnr, show_error))
end

--- Performs a key, and shows an error.
function M.press(...)
  errors.guard(press, ...)
end

--- The functions of the operators. `both` takes a hunk and, in a conflict, keeps the user's rows above it; `drop`
--- brings back a hunk that was dropped already.
for _, verb in ipairs({ "take", "both", "drop" }) do
  M[verb] = function()
    M.press(verb)
  end
end

--- Starts an operator on the hunk under the cursor; its motion does not matter.
---@param verb "take"|"drop"|"both"
---@return string keys
function M.operator(verb)
  vim.go.operatorfunc = "v:lua.require'botglue.ui.review.keys'." .. verb
  return "g@l"
end

--- The maps: verb, mode, key, and what the user types in normal mode.
local KEYS = {
  { "take", "o", "o", "do" },
  { "drop", "o", "p", "dp" },
  { "both", "o", "O", "dO" },
  { "next", "n", "]c", "]c" },
  { "previous", "n", "[c", "[c" },
}

--- Maps the keys in the current buffer, except those that the user has mapped in this buffer, and the `d` keys that
--- the user has mapped anywhere: such a key must not mean something else here.
---@param bufnr integer
---@return string[] ours the mapped keys, as the user types them
function M.map(bufnr)
  local function is_theirs(mode, lhs, is_operator)
    local map = vim.fn.maparg(lhs, mode, false, true)
    return map.buffer == 1 or is_operator and map.buffer ~= nil
  end
  local ours = {}
  for _, key in ipairs(KEYS) do
    local verb, mode, lhs, typed = unpack(key)
    local is_operator = mode == "o"
    if not is_theirs(mode, lhs, is_operator) and not is_theirs("n", typed, is_operator) then
      ours[#ours + 1] = typed
      vim.keymap.set(mode, lhs, function()
        if vim.wo.diff or is_operator and vim.v.operator ~= "d" then
          return lhs
        elseif is_operator then
          return "<Esc>" .. (vim.v.count > 0 and vim.v.count or "") .. M.operator(verb)
        end
        return ("<Cmd>lua require('botglue.ui.review.keys').press('%s')<CR>"):format(verb)
      end, { buffer = bufnr, expr = true, desc = DESC:format(verb) })
    end
  end
  return ours
end

--- Removes the maps that are still the plugin's.
---@param bufnr integer
function M.unmap(bufnr)
  for _, mode in ipairs(api.nvim_buf_is_valid(bufnr) and { "n", "o" } or {}) do
    for _, map in ipairs(api.nvim_buf_get_keymap(bufnr, mode)) do
      if (map.desc or ""):find("^" .. DESC:format("%a+") .. "$") then
        vim.keymap.del(mode, map.lhs, { buffer = bufnr })
      end
    end
  end
end

return M
