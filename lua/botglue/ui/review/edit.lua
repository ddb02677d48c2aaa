--- Shows a held answer in a buffer of its own, `botglue://answer/ID`. `:w` there makes its text the answer, and `:e!`
--- shows that again. Typed text is stored shortly after each key, and is there again after a crash.

local ask = require("botglue.editor.ask")
local client = require("botglue.host.client")
local connection = require("botglue.host.connection")
local debounce = require("botglue.util.debounce")
local errors = require("botglue.host.errors")

local M = {}

local api = vim.api

local KEPT_AFTER = 250 -- milliseconds from a key to the store that has it

---@param process botglue.Process?
---@param id integer
---@param lines string[]? none: nothing is typed
---@param is_saved boolean
local function tell(process, id, lines, is_saved)
  if process then
    process:notify("edit", { id = id, lines = lines, is_saved = is_saved })
  end
end

--- The lines that are typed in a buffer, and not saved.
---@param bufnr integer
---@return string[]?
local function typed(bufnr)
  local is_typed = api.nvim_buf_is_loaded(bufnr) and vim.bo[bufnr].modified
  return is_typed and api.nvim_buf_get_lines(bufnr, 0, -1, false) or nil
end

--- A new host has started: tells it what the last one may not have read.
---@param process botglue.Process
function M.tell_all(process)
  for id, edited in pairs(connection.edited) do
    if edited.saved then
      tell(process, id, edited.saved, true)
    end
    local lines = typed(edited.bufnr)
    if lines then
      tell(process, id, lines, false)
    end
  end
end

--- Fills the buffer; undo does not go back before that.
---@param bufnr integer
---@param answer { lines: string[], typed: string[]? }
local function fill(bufnr, answer)
  local levels = vim.bo[bufnr].undolevels
  vim.bo[bufnr].undolevels, vim.bo[bufnr].modifiable = -1, true
  api.nvim_buf_set_lines(bufnr, 0, -1, false, answer.typed or answer.lines)
  vim.bo[bufnr].undolevels = levels
  vim.bo[bufnr].modified = answer.typed ~= nil
end

---@param bufnr integer
---@param id integer
local function watch(bufnr, id)
  local function on(events, desc, callback)
    api.nvim_create_autocmd(events, { buffer = bufnr, desc = "botglue: " .. desc, callback = callback })
  end
  --- Tells the host where the answer is held, else the user that it is not.
  local function change(lines, is_saved)
    local edited = connection.edited[id] or errors.fail("job %d is not held any more", id)
    edited.saved = is_saved and lines or edited.saved
    tell(client.connect(client.options()), id, lines, is_saved)
  end
  on("BufWriteCmd", "change the answer", function()
    errors.guard(function()
      if not vim.bo[bufnr].modifiable then
        errors.fail("see :e!, then write it: the host has not said what the answer is")
      end
      change(api.nvim_buf_get_lines(bufnr, 0, -1, false), true)
      vim.bo[bufnr].modified = false
    end)
  end)
  on("BufReadCmd", "show the answer again", function()
    errors.guard(function()
      vim.bo[bufnr].modifiable = false
      change(nil, false)
      fill(
        bufnr,
        ask.open("show", { id = id, buffer = bufnr, is_text = true, is_modifiable = true, filetype = "" })
      )
    end)
  end)
  on(
    { "TextChanged", "TextChangedI", "TextChangedP" },
    "keep the answer as it is typed",
    debounce(function()
      if connection.edited[id] then
        change(typed(bufnr), false)
      end
    end, KEPT_AFTER)
  )
end

---@param job botglue.Job
---@param answer { lines: string[], typed: string[]? }
---@return integer bufnr
local function buffer(job, answer)
  local id, source = job.id, job.range.bufnr
  local edited = connection.edited[id]
  if edited and api.nvim_buf_is_loaded(edited.bufnr) then
    return edited.bufnr
  elseif edited and api.nvim_buf_is_valid(edited.bufnr) then
    api.nvim_buf_delete(edited.bufnr, { force = true })
  end
  local bufnr = api.nvim_create_buf(false, false)
  vim.fn.bufload(bufnr)
  vim.bo[bufnr].buftype, vim.bo[bufnr].swapfile, vim.bo[bufnr].bufhidden = "acwrite", false, "hide"
  pcall(api.nvim_buf_set_name, bufnr, ("botglue://answer/%d"):format(id))
  fill(bufnr, answer)
  connection.edited[id] = { bufnr = bufnr, saved = edited and edited.saved }
  if api.nvim_buf_is_loaded(source) then
    -- Its colours only: what else a file type brings, as a language server, is for files.
    vim.bo[bufnr].syntax = vim.bo[source].filetype
  end
  watch(bufnr, id)
  return bufnr
end

--- Opens the answer of a held job.
---@param job botglue.Job
---@param answer { lines: string[], typed: string[]?, title: string }
function M.open(job, answer)
  local bufnr = buffer(job, answer)
  local shown = vim.fn.win_findbuf(bufnr)[1]
  if shown then
    api.nvim_set_current_win(shown)
    return
  end
  vim.cmd.split()
  api.nvim_win_set_buf(0, bufnr)
  vim.wo[0][0].winbar = answer.title:gsub("%%", "%%%%") .. "%<"
end

return M
