--- `:Botglue`: captures where the command is given, asks the host what it means, and does what only Neovim can. The
--- prompt of a bare `:Botglue` and the log open without a host.

local capture = require("botglue.editor.capture")
local client = require("botglue.host.client")
local connection = require("botglue.host.connection")
local errors = require("botglue.host.errors")
local range = require("botglue.editor.marks")
local start = require("botglue.ui.start")
local selection = require("botglue.editor.selection")

local M = {}

local api = vim.api
local STARTS = { [""] = true, ask = true, run = true } -- subcommands that start a job on the selection
-- Subcommands that open no window if their line matches: keys typed ahead are for the text.
local KEEPS_KEYS =
  { accept = "", drop = "", each = "", reject = "", retry = "", revert = "", take = "", run = "%s[^+]" }
KEEPS_KEYS.ask, KEEPS_KEYS.followup = KEEPS_KEYS.run, KEEPS_KEYS.run

local function ask(...)
  return require("botglue.host.ask").open(...)
end

--- Where a command is given, for the host: the cursor, the project, and the places of the jobs.
---@return table
local function origin()
  local bufnr, cursor, review = api.nvim_get_current_buf(), api.nvim_win_get_cursor(0), connection.review
  local view = connection.shown[bufnr]
  -- For a window of the host, the file of the window from which it was opened.
  local file = view and vim.fn.winbufnr(view.origin) > 0 and vim.fn.winbufnr(view.origin) or bufnr
  return {
    buffer = bufnr,
    line = cursor[1],
    column = cursor[2],
    cwd = vim.fn.getcwd(),
    home = vim.uv.os_homedir() or "",
    path = capture.path(file),
    project = capture.project(file),
    earlier = connection.earlier,
    jobs = require("botglue.jobs.cache").places(),
    review = review and review.job.id,
    shows_review = review and review.bufnr == bufnr,
    view = view and view.id,
    is_file = vim.bo[bufnr].buftype == "",
    is_cmdwin = vim.fn.getcmdwintype() ~= "",
  }
end

--- Starts a job on the selection. Without a prompt and a range, on a line with diagnostics, it gets their lines.
---@param args table
---@param request botglue.Request
---@param target botglue.Range
local function begin(args, request, target)
  local is_for_line = not request.prompt and not request.question and args.range == 0
  if is_for_line and client.options().context.diagnostics then
    local first, last = capture.diagnosed(target.bufnr, args.line1)
    if first then
      target:unmark()
      target = range.from_selection(selection.lines(target.bufnr, first, last))
    end
  end
  start.at(target, request)
end

local function open_log()
  local path = require("botglue.host.process").log_path()
  local found = vim.uv.fs_lstat(path)
  if not found then
    errors.fail("there is no log yet at %s", path)
  elseif found.type ~= "file" then
    -- Reading a pipe would never end.
    errors.fail("the log is no regular file: remove %s", path)
  end
  errors.no_window_in_cmdwin()
  require("botglue.ui.actions").file(path)
  vim.cmd("normal! G")
end

--- Does what only the plugin can do.
---@param name string the host's name for it
---@param id integer the job
---@param lines { [1]: integer, [2]: integer }? of the command
local function perform(name, id, lines)
  if name == "accept" then
    if require("botglue.jobs.decision").accept(id, { range = lines }, true) then
      require("botglue.ui.review.held").show(id)
    end
  elseif name == "review" or name == "edit" or name == "diff" then
    require("botglue.ui.review.held").show(id, name == "edit", name == "diff")
  elseif name == "reject" or name == "revert" then
    require("botglue.jobs.decision").decide(name, id)
  elseif name == "take" or name == "drop" then
    require("botglue.ui.review.keys").press(name, lines)
  elseif name == "review_end" then
    require("botglue.ui.review.view").close()
  else
    open_log()
  end
end

--- Does what the host's reply asks for.
---@param reply table
---@param args table
---@param target botglue.Range?
local function carry_out(reply, args, target)
  if reply.plugin then
    perform(reply.plugin.name, reply.plugin.id, args.lines)
  elseif reply.start and target then
    begin(args, reply.start, target)
  elseif reply.each then
    -- With `:silent`, or without a UI, a script runs the command.
    local has_user = not args.smods.silent and #api.nvim_list_uis() > 0
    require("botglue.command.each")(reply.each, args.lines, has_user)
  else
    require("botglue.ui.actions").follow(reply)
  end
end

--- `:[range]Botglue[!] [subcommand] [rest]`
---@param args table what |nvim_create_user_command()| passes
local function execute(args)
  local line = vim.trim(args.args)
  local word = line:match("^%S*")
  -- Raises an error for a wrong option before anything is marked.
  client.options()
  local target
  if STARTS[word] or vim.startswith(word, "++") then
    -- Marked at once, because the text may change before the host replies. Without a range: a place below the line.
    target = range.from_selection(
      args.range == 0 and selection.insertion(api.nvim_get_current_buf(), args.line1)
        or selection.from_command(args.line1, args.line2)
    )
  end
  if line == "" and target then
    return begin(args, { review = args.bang or nil }, target)
  elseif line == "log" and args.range == 0 and not args.bang then
    return open_log()
  end
  local keeps_keys = KEEPS_KEYS[word] and line:find(KEEPS_KEYS[word]) ~= nil
  args.lines = args.range > 0 and { args.line1, args.line2 } or nil
  local about = { line = line, bang = args.bang, range = args.lines, from = origin() }
  local ok, reply = pcall(ask, "command", about, { keeps_keys = keeps_keys })
  if not ok then
    if target then
      target:unmark()
    end
    error(reply, 0)
  end
  carry_out(reply, args, target)
end

--- Runs the command, and shows an error.
---@param args table what |nvim_create_user_command()| passes
function M.execute(args)
  errors.guard(execute, args)
end

--- Shows a held answer; without an id the next one.
---@param id integer?
function M.review(id)
  carry_out(ask("command", { line = "review " .. tostring(id or ""), from = origin() }), { range = 0 })
end

--- Goes `by` answers forward, or back if it is negative: `<Plug>(botglue-next)` and `<Plug>(botglue-prev)`; 0 goes to
--- the newest outcome that the user has not seen: `<Plug>(botglue-go)`.
---@param by integer
function M.jump(by)
  errors.guard(function()
    local stop = ask("jump", { by = by, from = origin() })
    require("botglue.ui.actions").go(stop.buffer, stop.row, stop.col)
  end)
end

--- Completes a command, for |:command-completion-customlist|.
---@param lead string
---@param line string
---@param past integer how many bytes of the line are before the cursor
---@return string[]
function M.complete(lead, line, past)
  local typed = line:sub(1, past):match("Botglue!?%s+(.*)$") or ""
  local opts = { within = connection.completed_within, keeps_keys = true }
  local ok, reply = pcall(ask, "complete", { typed = typed, lead = lead }, opts)
  return ok and reply.words or {}
end

return M
