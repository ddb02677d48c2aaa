--- Shows a held answer as the host says. As a text it is in a buffer of its own, which can be read by its name alone,
--- `botglue://answer/UUID`: `:w` makes the buffer's text the answer, and `:e!` shows the answer again. Typed text is
--- stored shortly after each key, and restored after a crash.

local ask = require("botglue.host.ask")
local client = require("botglue.host.client")
local connection = require("botglue.host.connection")
local debounce = require("botglue.util.debounce")
local decision = require("botglue.jobs.decision")
local errors = require("botglue.host.errors")
local cache = require("botglue.jobs.cache")
local windows = require("botglue.ui.geometry")

local M = {}

local api = vim.api

local PREFIX = "botglue://answer/"
local NOT_HELD = "this answer is not held any more"
local SENT_AFTER = 250 -- milliseconds from a key until the text is sent to be stored

--- Asks the host what to show of an answer.
---@param job botglue.Job
---@param is_text boolean? the answer alone
---@param is_diff boolean?
---@return { is_hunks: boolean?, lines: string[]?, typed: string[]?, title: string? }
local function ask_for(job, is_text, is_diff)
  local wanted = decision.place(job)
  local win = wanted.buffer and windows.plain(wanted.buffer)
  wanted.is_text, wanted.is_diff = is_text, is_diff
  wanted.row = win and api.nvim_win_get_cursor(win)[1] - 1
  return ask.open("show", wanted)
end

--- The name of the buffer of an answer.
---@param job botglue.Job
---@return string
local function name_of(job)
  return PREFIX .. (job.uuid or ("%s-%d"):format(connection.session, job.id))
end

--- The held job whose answer a buffer has.
---@param bufnr integer
---@return botglue.Job?
local function job_of(bufnr)
  local name = api.nvim_buf_get_name(bufnr)
  local jobs = vim.startswith(name, PREFIX) and vim.tbl_values(connection.jobs) or {}
  return vim.iter(jobs):find(function(job)
    return job:is_held() and name_of(job) == name
  end)
end

--- Shows a held answer as the host says: its hunks in its buffer, its blocks, or the answer alone.
---@param id integer
---@param is_text boolean? the answer alone
---@param is_diff boolean? the proposal; for a landed answer, the text before and after it
function M.show(id, is_text, is_diff)
  local job = cache.job(id)
  errors.no_window_in_cmdwin()
  local shown = ask_for(job, is_text, is_diff)
  if shown.is_hunks then
    require("botglue.ui.review.view").open(job)
  elseif shown.lines then
    local win = vim.fn.bufwinid(("^%s$"):format(name_of(job)))
    if win > 0 then
      api.nvim_set_current_win(win)
    else
      vim.cmd.split(name_of(job))
    end
  end
end

--- Sends the host the text of an answer's buffer: as typed and not saved, or as saved.
---@param bufnr integer
local function send_text(bufnr)
  -- A buffer whose answer could not be read is not modifiable.
  local is_read = api.nvim_buf_is_loaded(bufnr) and vim.bo[bufnr].modifiable
  local job = is_read and job_of(bufnr)
  local process = connection.process
  if job and process then
    local is_typed, is_saved = vim.bo[bufnr].modified, vim.b[bufnr].botglue_saved
    local lines = (is_typed or is_saved) and api.nvim_buf_get_lines(bufnr, 0, -1, false) or nil
    process:notify("edit", { id = job.id, lines = lines, is_saved = is_saved and not is_typed })
  end
end

local function send_all()
  vim.iter(api.nvim_list_bufs()):each(send_text)
end

-- A new host may lack what the last one was sent; before a decision or the end of Neovim the timer may not have run.
for _, name in ipairs({ "started", "deciding", "leaving" }) do
  table.insert(connection.hooks[name], send_all)
end

--- The user has typed in the buffer of an answer.
M.typed = debounce(send_all, SENT_AFTER)

--- Fills a buffer with the answer, or with what was typed in it and not saved; undo does not go back before that.
---@param bufnr integer
---@param job botglue.Job
local function fill(bufnr, job)
  local answer, bo, source = ask_for(job, true), vim.bo[bufnr], job.range.bufnr
  local levels = bo.undolevels
  bo.undolevels, bo.modifiable = -1, true
  api.nvim_buf_set_lines(bufnr, 0, -1, false, answer.typed or answer.lines)
  bo.undolevels, bo.modified = levels, answer.typed ~= nil
  -- Only the syntax: other parts of a file type, such as a language server, are for files.
  bo.syntax = api.nvim_buf_is_loaded(source) and vim.bo[source].filetype or ""
  for _, win in ipairs(vim.fn.win_findbuf(bufnr)) do
    vim.wo[win][0].winbar = answer.title:gsub("%%", "%%%%") .. "%<"
  end
end

--- Reads the buffer of an answer; takes over an answer of an earlier session first.
---@param bufnr integer
function M.read(bufnr)
  local bo, job = vim.bo[bufnr], job_of(bufnr)
  bo.buftype, bo.swapfile, bo.bufhidden, bo.modifiable = "acwrite", false, "hide", false
  if not job then
    local _, err = ask.change("held", vim.empty_dict(), bufnr)
    job = job_of(bufnr) or errors.fail("%s", err or NOT_HELD)
  elseif vim.v.cmdbang == 1 then
    -- `:e!` drops what was typed.
    vim.b[bufnr].botglue_saved = nil
    client.tell("edit", { id = job.id })
  end
  fill(bufnr, job)
end

--- Makes the text of a buffer the answer.
---@param bufnr integer
function M.write(bufnr)
  if not vim.bo[bufnr].modifiable then
    errors.fail("this answer is not loaded: read it with :e!, then write it")
  elseif not job_of(bufnr) then
    errors.fail(NOT_HELD)
  end
  local process, err = client.connect()
  if not process then
    errors.fail("%s", err and err.message)
  end
  vim.bo[bufnr].modified, vim.b[bufnr].botglue_saved = false, true
  send_text(bufnr)
end

return M
