--- `:Botglue` and the maps: what was typed becomes a call, an error becomes one line.

local choose = require("botglue.choose")
local client = require("botglue.client")
local errors = require("botglue.errors")
local notify = require("botglue.notify")
local plusopt = require("botglue.plusopt")
local selection = require("botglue.selection")

local M = {}

local fail = errors.fail

--- Starts a job on a selection, after asking for the prompt where there is none.
---@param taken botglue.Selection
---@param wish { prompt: string?, review: boolean?, question: boolean? }
---@param asking botglue.Asking?
local function start(taken, wish, asking)
  require("botglue.run").begin(taken, wish, (client.options()), asking)
end

---@param args table what nvim_create_user_command hands over
---@return botglue.Selection
local function selected(args)
  if args.range == 0 then
    return selection.insertion(vim.api.nvim_get_current_buf(), args.line1)
  end
  return selection.from_command(args.line1, args.line2)
end

--- The selection of a job without a prompt: where no range was given on a line with diagnostics, it is theirs.
---@param args table
---@return botglue.Selection
local function diagnosed(args)
  local bufnr, first, last = vim.api.nvim_get_current_buf(), nil, nil
  if args.range == 0 and client.options().context.diagnostics then
    first, last = require("botglue.context").diagnosed(bufnr, args.line1)
  end
  return first and selection.lines(bufnr, first, last) or selected(args)
end

---@param name string
---@param rest string
local function no_argument(name, rest)
  if rest ~= "" then
    fail("%s takes no argument", name)
  end
end

---@class botglue.Subcommand
---@field run fun(args: table, rest: string, given: botglue.Plus)
---@field bang boolean? whether `!` means anything
---@field range boolean? whether a range does
---@field plus botglue.PlusName[]? what may stand before the rest
---@field complete (fun(lead: string): string[])?

local BOTH = { "agent", "model" }

---@type table<string, botglue.Subcommand>
local subcommands = {
  run = {
    bang = true,
    range = true,
    plus = BOTH,
    run = function(args, rest, given)
      local prompt = rest:find("%S") and rest or nil
      local taken = prompt and selected(args) or diagnosed(args)
      start(taken, { prompt = prompt, review = args.bang or nil, agent = given.agent, model = given.model })
    end,
  },
  history = {
    run = function(_, rest)
      no_argument("history", rest)
      require("botglue.ui.history").open()
    end,
  },
  info = {
    run = function(_, rest)
      no_argument("info", rest)
      require("botglue.ui.info").open()
    end,
  },
  jobs = {
    run = function(_, rest)
      no_argument("jobs", rest)
      require("botglue.ui.jobs").open()
    end,
  },
  ask = {
    range = true,
    plus = BOTH,
    run = function(args, rest, given)
      local prompt = rest:find("%S") and rest or nil
      start(selected(args), { prompt = prompt, question = true, agent = given.agent, model = given.model })
    end,
  },
  each = {
    bang = true,
    range = true,
    plus = BOTH,
    run = function(args, rest, given)
      require("botglue.each").start(rest, {
        agent = given.agent,
        model = given.model,
        range = args.range > 0 and { first = args.line1, last = args.line2 } or nil,
        review = args.bang or nil,
        -- With `:silent`, or with nobody at a screen, it is a script's.
        ask = not args.smods.silent and #vim.api.nvim_list_uis() > 0,
      })
    end,
  },
  answer = {
    run = function(_, rest)
      require("botglue.ask").open(choose.newest(rest, choose.answered, "to a question"))
    end,
    complete = choose.complete(choose.answered),
  },
  review = {
    run = function(_, rest)
      require("botglue.ui.review").command(rest)
    end,
    complete = choose.complete(choose.held),
  },
  accept = {
    run = function(_, rest)
      require("botglue.decide").accept(choose.one(rest, choose.held, "is held"))
    end,
    complete = choose.complete(choose.held),
  },
  reject = {
    run = function(_, rest)
      require("botglue.decide").reject(choose.one(rest, choose.held, "is held"))
    end,
    complete = choose.complete(choose.held),
  },
  revert = {
    run = function(_, rest)
      require("botglue.decide").revert(choose.one(rest, choose.landed, "has landed"))
    end,
    complete = choose.complete(choose.landed),
  },
  followup = {
    -- A session is its agent's own.
    plus = { "model" },
    run = function(_, rest, given)
      require("botglue.followup").command(rest, given.model)
    end,
  },
  rewind = {
    run = function(_, rest)
      no_argument("rewind", rest)
      require("botglue.rewind").command()
    end,
  },
  retry = {
    plus = BOTH,
    run = function(_, rest, given)
      require("botglue.retry").retry(choose.latest(rest, choose.ended, "has ended yet"), given)
    end,
    complete = choose.complete(choose.ended),
  },
  open = {
    run = function(_, rest)
      require("botglue.terminal").command(rest)
    end,
    complete = choose.complete(choose.has_session),
  },
  transcript = {
    run = function(_, rest)
      require("botglue.transcript").open(choose.latest(rest, choose.has_transcript, "has a transcript"))
    end,
    complete = choose.complete(choose.has_transcript),
  },
  log = {
    run = function(_, rest)
      no_argument("log", rest)
      local path = require("botglue.host").log_path()
      if not vim.uv.fs_stat(path) then
        fail("there is no log yet at %s", path)
      end
      require("botglue.errors").no_window_in_cmdwin()
      vim.cmd.split({ path, magic = { file = false }, mods = { keepalt = true } })
      vim.bo.modifiable = false
      vim.cmd("normal! G")
    end,
  },
}

---@return string[]
local function known()
  local names = vim.tbl_keys(subcommands)
  table.sort(names)
  return names
end

--- What would be passed over in silence is an error.
---@param name string
---@param subcommand botglue.Subcommand
---@param args table
local function only_what_it_takes(name, subcommand, args)
  if args.bang and not subcommand.bang then
    fail("%s takes no !", name)
  elseif args.range > 0 and not subcommand.range then
    fail("%s takes no range", name)
  end
end

--- The words of a command without a subcommand: it takes options alone.
---@param words string
---@return string
local function only_options(words)
  local _, rest = plusopt.take(words, BOTH)
  if rest ~= "" then
    -- Whether the first word was to be a subcommand or the prompt, nobody knows.
    local options, name = vim.trim(words:sub(1, #words - #rest)), rest:match("^%S+")
    fail("%s stands behind the subcommand: Botglue %s %s", options, name, options)
  end
  return words
end

--- `:[range]Botglue[!] [subcommand] [rest]`
---@param args table what nvim_create_user_command hands over
function M.execute(args)
  errors.guard(function()
    local name, rest = args.args:match("^%s*(%S*)%s*(.-)%s*$")
    if name == "" or plusopt.is_one(name) then
      name, rest = "run", only_options(vim.trim(args.args))
    end
    local subcommand = subcommands[name]
    if not subcommand then
      notify.whole_error(("botglue: no subcommand %s; there is %s"):format(name, table.concat(known(), ", ")))
      return
    end
    only_what_it_takes(name, subcommand, args)
    local given = {}
    if subcommand.plus then
      given, rest = plusopt.take(rest, subcommand.plus)
    end
    subcommand.run(args, rest, given)
  end)
end

---@param lead string what the word begins with
---@param line string
---@param past integer the byte behind the cursor
---@return string[]
function M.complete(lead, line, past)
  local typed = line:sub(1, past):match("Botglue!?%s+(.*)$") or ""
  local before = typed:sub(1, #typed - #lead)
  local name, rest = before:match("^(%S+)%s+(.*)$")
  local plus = lead:sub(1, 1) == "+"
  if name and plusopt.is_one(name) or not name and plus then
    return plusopt.complete(before, lead, BOTH)
  elseif not name then
    return vim.tbl_filter(function(known_name)
      return vim.startswith(known_name, lead)
    end, known())
  end
  local subcommand = subcommands[name] or {}
  if subcommand.complete and not plus then
    return plusopt.only(rest, subcommand.plus or {}) and subcommand.complete(lead) or {}
  end
  return subcommand.plus and plusopt.complete(rest, lead, subcommand.plus) or {}
end

--- `<Plug>(botglue-run)` in visual mode.
function M.run_visual()
  errors.guard(function()
    start(assert(selection.take_visual()), {})
  end)
end

--- `<Plug>(botglue-ask)` in visual mode.
function M.ask_visual()
  errors.guard(function()
    start(assert(selection.take_visual()), { question = true })
  end)
end

--- `<Plug>(botglue-line)`: the current line, or as many as the count says.
function M.run_line()
  errors.guard(function()
    local line = vim.api.nvim_win_get_cursor(0)[1]
    local last = math.min(line + vim.v.count1 - 1, vim.api.nvim_buf_line_count(0))
    start(selection.lines(vim.api.nvim_get_current_buf(), line, last), {})
  end)
end

--- An operator. `.` repeats it with the prompt of the last time.
---@param fn string which function of this module it calls
---@return string keys
local function operator(fn)
  client.connection().repeated = nil
  vim.go.operatorfunc = "v:lua.require'botglue.commands'." .. fn
  require("botglue.redo").begin(vim.go.operatorfunc)
  return "g@"
end

---@param kind "char"|"line"|"block"
---@param wish botglue.Wish
local function operate(kind, wish)
  errors.guard(function()
    local connection = client.connection()
    wish.prompt = connection.repeated
    start(selection.from_operator(kind), wish, {
      sent = function(prompt)
        connection.repeated = prompt
      end,
      again = require("botglue.redo").operator,
    })
  end)
end

--- `<Plug>(botglue-run)` in normal mode.
---@return string keys
function M.run_operator()
  return operator("operate")
end

--- `<Plug>(botglue-ask)` in normal mode.
---@return string keys
function M.ask_operator()
  return operator("operate_ask")
end

--- The operator's function.
---@param kind "char"|"line"|"block"
function M.operate(kind)
  operate(kind, {})
end

--- The same for a question.
---@param kind "char"|"line"|"block"
function M.operate_ask(kind)
  operate(kind, { question = true })
end

--- Takes the default map away if it is still ours.
function M.remove_default_keymaps()
  local map = vim.fn.maparg("<leader>pp", "x", false, true)
  if map.rhs == "<Plug>(botglue-run)" and map.desc == "botglue: run on the selection" then
    vim.keymap.del("x", "<leader>pp")
  end
end

return M
