--- The keys of a review: `]c`, `[c`, `do`, `dp`, `dO` in its buffer, in normal mode. Those with `d` are keys after that
--- operator, so that they work at any pace; each is an operator of its own, so that a count and `.` work.

local ask = require("botglue.host.ask")
local capture = require("botglue.editor.capture")
local connection = require("botglue.host.connection")
local errors = require("botglue.host.errors")
local notify = require("botglue.host.notify")

local M = {}

local api = vim.api
local DESC = "botglue: %s hunk"

--- Does what a key means with the hunks as they are drawn. Where the text has changed since, the host computes them
--- first, and those that are others now are only shown.
---@param verb "next"|"previous"|"take"|"drop"|"both"
---@param lines { [1]: integer, [2]: integer }? with the hunks there, from 1; else with the one under the cursor, and as
---many as the count says
function M.press(verb, lines)
  errors.guard(function()
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
      if there then
        review:visit(there)
      end
      return
    end
    local function tell(_, err)
      if err then
        notify.error("botglue: " .. err)
      end
    end
    tell(ask.change("hunk", about, bufnr, tell))
  end)
end

--- The operators: `take`; `both` takes and keeps the user's rows above where both have changed the same; `drop` brings
--- back what was dropped already.
for _, verb in ipairs({ "take", "both", "drop" }) do
  M[verb] = function()
    M.press(verb)
  end
end

--- An operator on the hunk under the cursor. What it goes over does not matter.
---@param verb "take"|"drop"|"both"
---@return string keys
function M.operator(verb)
  vim.go.operatorfunc = "v:lua.require'botglue.ui.review.keys'." .. verb
  return "g@l"
end

--- By what is typed in normal mode: what it does, the mode of its last key, and that key.
local KEYS = {
  ["do"] = { "take", "o", "o" },
  dp = { "drop", "o", "p" },
  dO = { "both", "o", "O" },
  ["]c"] = { "next", "n", "]c" },
  ["[c"] = { "previous", "n", "[c" },
}

--- What a key is mapped to.
---@param typed string
---@return string
local function expr(typed)
  local verb, mode, lhs = unpack(KEYS[typed])
  if vim.wo.diff or mode == "o" and vim.v.operator ~= "d" then
    return lhs
  elseif mode == "n" then
    return ("<Cmd>lua require('botglue.ui.review.keys').press('%s')<CR>"):format(verb)
  end
  return "<Esc>" .. (vim.v.count > 0 and vim.v.count or "") .. M.operator(verb)
end

--- Whether the user has mapped a key in the current buffer, or, of an operator, anywhere: what would be reached through
--- one of theirs would be theirs elsewhere, too.
---@param typed string
---@return boolean
local function is_theirs(typed)
  local _, mode, lhs = unpack(KEYS[typed])
  return vim.iter({ [lhs] = mode, [typed] = "n" }):any(function(keys, in_mode)
    local map = vim.fn.maparg(keys, in_mode, false, true)
    return map.buffer == 1 or mode == "o" and map.buffer ~= nil
  end)
end

--- Maps the keys that the user has not mapped in a buffer, which is current.
---@param bufnr integer
---@return string[] ours
function M.map(bufnr)
  local ours = vim.tbl_filter(function(typed)
    return not is_theirs(typed)
  end, vim.tbl_keys(KEYS))
  for _, typed in ipairs(ours) do
    local verb, mode, lhs = unpack(KEYS[typed])
    vim.keymap.set(mode, lhs, function()
      return expr(typed)
    end, { buffer = bufnr, expr = true, desc = DESC:format(verb) })
  end
  return ours
end

--- Takes away the maps that are still ours.
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
