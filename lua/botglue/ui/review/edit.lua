--- Shows a held answer in a buffer of its own, `botglue://answer/ID`. `:w` there makes its text the answer. Typed text
--- is stored shortly after each key, and is there again after a crash.

local ask = require("botglue.editor.ask")
local debounce = require("botglue.util.debounce")
local decide = require("botglue.jobs.decide")
local errors = require("botglue.host.errors")
local proposal = require("botglue.jobs.proposal")

local M = {}

local api = vim.api

local KEPT_AFTER = 250 -- milliseconds from a key to the store that has it

---@param id integer
---@return string
local function name(id)
  return ("botglue://answer/%d"):format(id)
end

--- Stores the typed text shortly after each key.
---@param bufnr integer
---@param job botglue.Job
local function keep_typed(bufnr, job)
  api.nvim_create_autocmd({ "TextChanged", "TextChangedI", "TextChangedP" }, {
    buffer = bufnr,
    desc = "botglue: keep the answer as it is typed",
    callback = debounce(function()
      if api.nvim_buf_is_loaded(bufnr) and job.landing == "held" then
        local typed = vim.bo[bufnr].modified and api.nvim_buf_get_lines(bufnr, 0, -1, false) or nil
        proposal.edit(job, typed, false)
      end
    end, KEPT_AFTER),
  })
end

--- `:w`: this is the answer from now on.
---@param bufnr integer
---@param job botglue.Job
local function write(bufnr, job)
  if job.landing ~= "held" then
    require("botglue.host.notify").error(("botglue: job %d is not held any more"):format(job.id))
    return
  end
  vim.bo[bufnr].modified = false
  proposal.edit(job, api.nvim_buf_get_lines(bufnr, 0, -1, false), true)
end

--- The label above the answer: what the user can do, and why the answer is held.
---@param job botglue.Job
---@param rows integer of the answer
---@return string
local function label(job, rows)
  local words = { ("job %d"):format(job.id) }
  local where = decide.misplaced(job)
  if where then
    words[#words + 1] = where
  elseif job.range.kind == "block" then
    words[#words + 1] = ("the block has %d lines, the answer %d"):format(#job.range.base.text, rows)
  end
  words[#words + 1] = where and ":w changes the answer"
    or (":w changes the answer, :Botglue accept %d lands it"):format(job.id)
  if not where then
    words[#words + 1] = (job.said:gsub("^held: ", ""))
  end
  return table.concat(words, require("botglue.util.signs").between)
end

--- Fills the buffer; undo does not go back before that.
---@param bufnr integer
---@param answer { lines: string[], typed: string[]? }
local function fill(bufnr, answer)
  local levels = vim.bo[bufnr].undolevels
  vim.bo[bufnr].undolevels = -1
  api.nvim_buf_set_lines(bufnr, 0, -1, false, answer.typed or answer.lines)
  vim.bo[bufnr].undolevels = levels
  vim.bo[bufnr].modified = answer.typed ~= nil
end

---@param job botglue.Job
---@param answer { lines: string[], typed: string[]? }
---@return integer bufnr
local function buffer(job, answer)
  local found = vim.fn.bufnr(("^%s$"):format(vim.fn.escape(name(job.id), "[]*?")))
  if found > 0 and api.nvim_buf_is_loaded(found) then
    return found
  end
  local bufnr = found > 0 and found or api.nvim_create_buf(false, false)
  vim.fn.bufload(bufnr)
  vim.bo[bufnr].buftype, vim.bo[bufnr].swapfile, vim.bo[bufnr].bufhidden = "acwrite", false, "hide"
  vim.bo[bufnr].modifiable = true
  pcall(api.nvim_buf_set_name, bufnr, name(job.id))
  fill(bufnr, answer)
  local source = job.range.bufnr
  if api.nvim_buf_is_loaded(source) then
    -- Its colours only: what else a file type brings, as a language server, is for files.
    vim.bo[bufnr].syntax = vim.bo[source].filetype
  end
  api.nvim_create_autocmd("BufWriteCmd", {
    buffer = bufnr,
    desc = "botglue: change the answer",
    callback = function()
      write(bufnr, job)
    end,
  })
  keep_typed(bufnr, job)
  return bufnr
end

--- Opens the answer of a held job.
---@param id integer
function M.open(id)
  local job = decide.held_job(id)
  errors.no_window_in_cmdwin()
  local answer = ask.know("answer", { id = id }) --[[@as { lines: string[], typed: string[]? }]]
  local bufnr = buffer(job, answer)
  local shown = vim.fn.win_findbuf(bufnr)[1]
  if shown then
    api.nvim_set_current_win(shown)
    return
  end
  vim.cmd.split()
  api.nvim_win_set_buf(0, bufnr)
  vim.wo[0][0].winbar = label(job, #answer.lines):gsub("%%", "%%%%") .. "%<"
end

return M
