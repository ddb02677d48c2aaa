--- What a key in a list of the host does that only Neovim can: it goes to places, starts jobs at their ranges, fills
--- registers and lists. The host says which of it; nothing here knows what a list shows.

local ask = require("botglue.host.ask")
local errors = require("botglue.host.errors")
local go = require("botglue.ui.go")
local notify = require("botglue.host.notify")
local range = require("botglue.editor.marks")
local registry = require("botglue.jobs.registry")
local start = require("botglue.ui.start")

local M = {}

local api = vim.api
local fail = errors.fail

--- Goes to the range of a job of this Neovim.
---@param job botglue.Job
---@param from botglue.ListOrigin
local function go_to(job, from)
  local target = job.range
  local bufnr = api.nvim_buf_is_loaded(target.bufnr) and target.bufnr or go.load(job.path)
  local place = target:place() or {}
  go.show(from, bufnr, target:lines(), place.from or place.spans and place.spans[1][1] or 0)
end

--- Starts a job of an earlier time once more, or goes on from it, at its range, which is shown: where its file still
--- reads as the answer left it, or as it was sent.
---@param earlier { path: string, places: table[], request: botglue.Request }
---@param from botglue.ListOrigin
local function again(earlier, from)
  local bufnr = go.load(earlier.path)
  local place = vim.iter(earlier.places):find(function(one)
    return vim.deep_equal(api.nvim_buf_get_lines(bufnr, one.row, one.row + #one.rows, false), one.rows)
  end) or fail("the text of this job has changed: select the lines and start a new job")
  place.bufnr = bufnr
  local target = range.from_selection(place)
  local ok, raised = pcall(function()
    go.show(from, bufnr, (target:lines()), 0)
    start.at(target, earlier.request)
  end)
  if not ok then
    target:unmark()
    error(raised, 0)
  end
end

---@param lines string[]
---@param kind string how the text was selected
---@param register string
local function yank(lines, kind, register)
  vim.fn.setreg(register, lines, kind == "char" and "c" or "l")
  notify.warn(("botglue: %d %s of the answer yanked"):format(#lines, #lines == 1 and "line" or "lines"))
end

--- Puts rows below the range of a job, as one undo step.
---@param lines string[]
---@param id integer
---@param from botglue.ListOrigin
local function put(lines, id, from)
  local target = registry.job(id).range
  if not api.nvim_buf_is_loaded(target.bufnr) then
    fail("the buffer of job %d is gone", id)
  elseif not vim.bo[target.bufnr].modifiable then
    fail("the buffer of job %d cannot be changed", id)
  elseif not target:place() then
    fail("the place of job %d is not known", id)
  end
  local _, last = target:lines()
  require("botglue.editor.write").put(target.bufnr, last, lines)
  from:close()
end

--- Does what the host says.
---@param reply table
---@param from botglue.ListOrigin
---@param register string
local function follow(reply, from, register)
  if reply.range then
    go_to(registry.job(reply.range), from)
  end
  if reply.again and reply.again.id then
    start.again(reply.again)
  elseif reply.review then
    from:close()
    require("botglue.ui.review.held").show(reply.review)
  elseif reply.again then
    again(reply.again, from)
  elseif reply.path then
    go.show(from, go.load(reply.path), reply.line, 0)
  elseif reply.yank then
    yank(reply.yank, reply.kind, register)
  elseif reply.put then
    put(reply.put, reply.id, from)
  elseif reply.terminal then
    from:close()
    require("botglue.ui.terminal").open(reply.terminal)
  elseif reply.quickfix then
    from:close()
    local title = "botglue " .. vim.fs.basename(from.opening.name)
    vim.fn.setqflist({}, " ", { title = title, items = reply.quickfix })
    vim.cmd("botright copen")
  end
end

--- Asks the host what an action on a row is, and does it.
---@param arg { action: string, row: string?, view: string? }
---@param from botglue.ListOrigin
---@param register string
local function act(arg, from, register)
  follow(ask.open("act", arg), from, register)
  if arg.action == "transcript" then
    from:close()
  end
end

--- Does what a key in a window of the host is for.
---@param view botglue.HostWindow
---@param action string
function M.act(view, action)
  local row = view:id_of(vim.fn.line("."))
  act({ action = action, row = row, view = view.id }, view, vim.v.register)
end

--- Has the user choose in their picker: what is chosen is done, or is the next choice.
---@param choice { prompt: string, kind: string, items: table[] } each with its text, and
--- `act`, what the host says then, or another choice
---@param from botglue.ListOrigin
local function choose(choice, from)
  local function words(item)
    return item.text
  end
  local opts = { prompt = choice.prompt, kind = choice.kind, format_item = words }
  vim.ui.select(choice.items, opts, function(item)
    if item and item.act then
      errors.guard(act, item.act, from, '"')
    elseif item and item.items then
      choose(item, from)
    elseif item then
      errors.guard(follow, item, from, '"')
    end
  end)
end

--- The rows of a list in the user's picker, and then what can be done with one.
---@param choice table
function M.pick(choice)
  choose(choice, { origin = api.nvim_get_current_win(), close = function() end })
end

return M
