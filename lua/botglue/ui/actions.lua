--- Does what only Neovim can for a command or for a key in a list: goes to places, opens files and terminals, starts
--- jobs at their ranges, fills registers and lists. The host says which; nothing here knows what a list shows.

local ask = require("botglue.host.ask")
local errors = require("botglue.host.errors")
local notify = require("botglue.host.notify")
local cache = require("botglue.jobs.cache")
local start = require("botglue.ui.start")
local windows = require("botglue.ui.geometry")

local M = {}

local api = vim.api
local fail = errors.fail

---@class botglue.ListOrigin the list from which something is asked for; it closes before anything else is shown
---@field origin integer the window from which the list was opened
---@field opening table?
---@field register string? the register that the user named
---@field close fun(self: botglue.ListOrigin)

--- Shows a place in the current window; CTRL-O jumps back.
---@param bufnr integer
---@param row integer from 1
---@param col integer from 0
function M.go(bufnr, row, col)
  vim.cmd("normal! m'")
  -- If the window must keep its buffer, or the buffer cannot be left, the place is shown in a split.
  if api.nvim_win_get_buf(0) ~= bufnr and not pcall(vim.cmd.buffer, bufnr) then
    vim.cmd.sbuffer(bufnr)
  end
  row = math.max(math.min(row, api.nvim_buf_line_count(bufnr)), 1)
  api.nvim_win_set_cursor(0, { row, col })
  vim.cmd("normal! zv")
end

--- Closes a list, and shows a place in the window from which it was opened; if that window shows no file, but for
--- example a quickfix list or an answer, in another one.
---@param from botglue.ListOrigin
---@param bufnr integer
---@param row integer from 1
---@param col integer from 0
local function show(from, bufnr, row, col)
  from:close()
  if api.nvim_win_is_valid(from.origin) then
    api.nvim_set_current_win(windows.for_file(from.origin, bufnr))
  end
  M.go(bufnr, row, col)
end

--- Loads the file of a path; raises an error if it is not there.
---@param path string
---@return integer bufnr
local function load(path)
  local gone = path == "" and "its buffer had no file and is gone" or "%s is not there any more"
  return require("botglue.editor.load").file(path) or fail(gone, path)
end

--- Opens a file of the host in a split, as it is now, read-only and without modelines: it may contain an agent's
--- text, in which a modeline would set options.
---@param path string
function M.file(path)
  local before = vim.o.modelines
  vim.o.modelines = 0
  local ok, err = pcall(function()
    local loaded = vim.fn.bufloaded(path) == 1
    vim.cmd.split({ path, magic = { file = false }, mods = { keepalt = true } })
    -- For later, when the user reloads it.
    vim.bo.modeline = false
    if loaded then
      -- The host may have written more to the file since.
      vim.cmd.edit({ bang = true })
    end
  end)
  vim.o.modelines = before
  if not ok then
    error(err, 0)
  end
  vim.bo.modifiable = false
end

--- What the host may ask for, by the field of its reply.
---@type table<string, fun(value: any, from: botglue.ListOrigin, reply: table)>
local OPS = {}

--- Starts a job again, or one that continues its session: at its range; for a stored job of another session, at the
--- place in its file that still has the rows that the answer left, or the rows that were sent.
function OPS.again(again, from)
  if again.id then
    start.again(again)
    return
  end
  local bufnr = load(again.path)
  local place = vim.iter(again.places):find(function(old)
    return vim.deep_equal(api.nvim_buf_get_lines(bufnr, old.row, old.row + #old.rows, false), old.rows)
  end) or fail("the text of this job has changed: select the lines and start a new job")
  place.bufnr = bufnr
  show(from, bufnr, place.first_line, 0)
  start.on(place, again.request)
end

function OPS.review(id, from)
  from:close()
  require("botglue.ui.review.held").show(id)
end

function OPS.path(path, from, reply)
  show(from, load(path), reply.line, 0)
end

function OPS.yank(lines, from, reply)
  vim.fn.setreg(from.register or '"', lines, reply.kind == "char" and "c" or "l")
  notify.warn(("botglue: %d %s of the answer yanked"):format(#lines, #lines == 1 and "line" or "lines"))
end

--- Inserts rows below the range of a job, as one undo step.
function OPS.put(lines, from, reply)
  local id = reply.id
  local target = cache.job(id).range
  if not target:place() then
    fail("the place of job %d is not known", id)
  elseif not vim.bo[target.bufnr].modifiable then
    fail("the buffer of job %d cannot be changed", id)
  end
  local _, last = target:lines()
  require("botglue.editor.write").put(target.bufnr, last, lines)
  from:close()
end

--- Runs a program in a terminal in a split. Only the user closes the window.
function OPS.terminal(terminal, from)
  from:close()
  errors.no_window_in_cmdwin()
  vim.cmd.new()
  -- Cleared, because with this variable the Claude CLI assumes that it runs inside another one.
  local env = vim.tbl_extend("force", terminal.env, { CLAUDECODE = "" })
  local settings = { cwd = terminal.cwd, env = env, term = true }
  local ok, result = pcall(vim.fn.jobstart, terminal.command, settings)
  if not ok or result <= 0 then
    api.nvim_buf_delete(0, { force = true })
    fail("%s cannot be started: %s", terminal.command[1], ok and "see :checkhealth botglue" or result)
  end
  vim.cmd.startinsert()
end

function OPS.quickfix(items, from)
  from:close()
  vim.fn.setqflist({}, " ", { title = "botglue " .. vim.fs.basename(from.opening.name), items = items })
  vim.cmd("botright copen")
end

--- Shows the raw stream of an agent. `q` closes its window; the last window gets an empty buffer instead.
function OPS.file(path)
  M.file(path)
  local bo = vim.bo
  bo.filetype, bo.swapfile, bo.buflisted, bo.bufhidden, bo.readonly = "json", false, false, "wipe", true
  vim.keymap.set("n", "q", function()
    if not pcall(vim.cmd.close) then
      vim.cmd.enew()
    end
  end, { buffer = true, nowait = true, desc = "botglue: close" })
end

--- Asks the host what an action on a row does, and does that.
---@param arg { action: string, row: string?, view: string? }
---@param from botglue.ListOrigin
local function act(arg, from)
  M.follow(ask.open("act", arg), from)
  if arg.action == "transcript" then
    from:close()
  end
end

--- Has the user choose an item in their picker: an `act` to ask the host about, more `items`, or a reply to follow.
function OPS.pick(choice, from)
  local function words(item)
    return item.text
  end
  local opts = { prompt = choice.prompt, kind = choice.kind, format_item = words }
  vim.ui.select(choice.items, opts, function(item)
    if item and item.act then
      errors.guard(act, item.act, from)
    elseif item and item.items then
      OPS.pick(item, from, item)
    elseif item then
      errors.guard(M.follow, item, from)
    end
  end)
end

--- Does what the host asks for.
---@param reply table
---@param from botglue.ListOrigin? default: the current window
function M.follow(reply, from)
  from = from or { origin = api.nvim_get_current_win(), close = function() end }
  if reply.range then
    -- The operations below run at this place.
    local job = cache.job(reply.range)
    local target = job.range
    local bufnr = api.nvim_buf_is_loaded(target.bufnr) and target.bufnr or load(job.path)
    local place = target:place() or {}
    show(from, bufnr, target:lines(), place.from or place.spans and place.spans[1][1] or 0)
  end
  for name, op in pairs(OPS) do
    if reply[name] then
      op(reply[name], from, reply)
    end
  end
end

--- Performs the action of a key in a window of the host.
---@param view botglue.HostWindow
---@param action string
function M.act(view, action)
  view.register = vim.v.register
  act({ action = action, row = view:id_of(vim.fn.line(".")), view = view.id }, view)
end

return M
