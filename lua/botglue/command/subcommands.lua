--- The subcommands of `:Botglue`: what each takes, and what it calls.

local choose = require("botglue.jobs.choose")
local client = require("botglue.host.client")
local errors = require("botglue.host.errors")
local selection = require("botglue.editor.selection")

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
    first, last = require("botglue.editor.context").diagnosed(bufnr, args.line1)
  end
  return first and selection.lines(bufnr, first, last) or selected(args)
end

---@class botglue.Subcommand
---@field run fun(args: table, rest: string, given: botglue.Plus)
---@field bang boolean? whether `!` means anything
---@field range boolean? whether a range does
---@field bare boolean? whether it takes no argument
---@field plus botglue.PlusName[]? what may stand before the rest
---@field prompt boolean? whether the rest is a prompt
---@field complete (fun(): string[])? what may stand there

local BOTH = { "agent", "model" }

--- A subcommand that takes nothing.
---@param module string
---@param name string of a function of that
---@param argument string?
---@return botglue.Subcommand
local function bare(module, name, argument)
  return {
    bare = true,
    run = function()
      require(module)[name](argument)
    end,
  }
end

--- A subcommand for one job: the one that is named, else the one that must be meant.
---@param module string
---@param name string of a function of that, called with the number of the job
---@param pick fun(words: string, choice: botglue.JobFilter, what: string): integer
---@param choice botglue.JobFilter
---@param what string what there may be none of
---@return botglue.Subcommand
local function of_job(module, name, pick, choice, what)
  return {
    run = function(_, rest)
      require(module)[name](pick(rest, choice, what))
    end,
    complete = choose.complete(choice),
  }
end

--- Takes or drops the hunks in some lines.
---@param verb "take"|"drop"
---@return botglue.Subcommand
local function of_hunks(verb)
  return {
    range = true,
    bare = true,
    run = function(args)
      local range = args.range > 0 and { args.line1, args.line2 } or nil
      require("botglue.ui.review.keys").in_lines(verb, range)
    end,
  }
end

---@type table<string, botglue.Subcommand>
return {
  run = {
    bang = true,
    range = true,
    plus = BOTH,
    prompt = true,
    run = function(args, rest, given)
      local prompt = rest:find("%S") and rest or nil
      local taken = prompt and selected(args) or diagnosed(args)
      local request = { prompt = prompt, review = args.bang or nil, agent = given.agent, model = given.model }
      require("botglue.jobs.run").begin(taken, request, (client.options()))
    end,
  },
  history = bare("botglue.ui.ops", "list", "history"),
  info = bare("botglue.ui.open", "info"),
  jobs = bare("botglue.ui.ops", "list", "jobs"),
  pick = {
    run = function(_, rest)
      require("botglue.ui.ops").pick(rest)
    end,
    complete = function()
      return require("botglue.ui.ops").LISTS
    end,
  },
  ask = {
    range = true,
    plus = BOTH,
    prompt = true,
    run = function(args, rest, given)
      local prompt = rest:find("%S") and rest or nil
      local request = { prompt = prompt, question = true, agent = given.agent, model = given.model }
      require("botglue.jobs.run").begin(selected(args), request, (client.options()))
    end,
  },
  each = {
    bang = true,
    range = true,
    plus = BOTH,
    prompt = true,
    run = function(args, rest, given)
      require("botglue.command.each").start(rest, {
        agent = given.agent,
        model = given.model,
        range = args.range > 0 and { first = args.line1, last = args.line2 } or nil,
        review = args.bang or nil,
        -- With `:silent`, or without a UI, a script runs the command.
        ask = not args.smods.silent and #vim.api.nvim_list_uis() > 0,
      })
    end,
  },
  answer = of_job("botglue.ui.answer", "open", choose.newest, choose.answered, "to a question"),
  review = {
    bang = true,
    run = function(args, rest)
      if args.bang then
        require("botglue.ui.review.view").close()
      else
        require("botglue.ui.review.held").review(rest)
      end
    end,
    complete = choose.complete(choose.held),
  },
  take = of_hunks("take"),
  drop = of_hunks("drop"),
  diff = of_job("botglue.ui.diff", "open", choose.latest, choose.has_texts, "can be compared"),
  edit = of_job("botglue.ui.review.edit", "open", choose.one, choose.held, "is held"),
  accept = {
    range = true,
    run = function(args, rest)
      local opts = args.range > 0 and { range = { args.line1, args.line2 } } or nil
      require("botglue.ui.review.held").accept(choose.one(rest, choose.held, "is held"), opts)
    end,
    complete = choose.complete(choose.held),
  },
  reject = of_job("botglue.jobs.decide", "reject", choose.one, choose.held, "is held"),
  revert = of_job("botglue.jobs.decide", "revert", choose.one, choose.landed, "has landed"),
  followup = {
    -- A session is its agent's own.
    plus = { "model" },
    prompt = true,
    run = function(_, rest, given)
      require("botglue.session.followup").command(rest, given.model)
    end,
  },
  rewind = bare("botglue.session.rewind", "command"),
  retry = {
    plus = BOTH,
    run = function(_, rest, given)
      require("botglue.session.retry").retry(choose.latest(rest, choose.ended, "has ended yet"), given)
    end,
    complete = choose.complete(choose.ended),
  },
  open = of_job("botglue.session.terminal", "open", choose.latest, choose.has_session, "has a session"),
  transcript = {
    bang = true,
    run = function(args, rest)
      local id = choose.latest(rest, choose.has_transcript, "has a transcript")
      require("botglue.ui.open").transcript(id, args.bang)
    end,
    complete = choose.complete(choose.has_transcript),
  },
  log = {
    bare = true,
    run = function()
      local path = require("botglue.host.process").log_path()
      local found = vim.uv.fs_lstat(path)
      if not found then
        errors.fail("there is no log yet at %s", path)
      elseif found.type ~= "file" then
        -- Reading a pipe would never end.
        errors.fail("remove what is there, the log is not a regular file: %s", path)
      end
      errors.no_window_in_cmdwin()
      require("botglue.ui.file").open(path)
      vim.cmd("normal! G")
    end,
  },
}
