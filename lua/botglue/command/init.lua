--- `:Botglue`: parses the command line, calls the subcommand, and shows an error as one line.

require("botglue.wiring")

local errors = require("botglue.host.errors")
local notify = require("botglue.host.notify")
local plusopt = require("botglue.command.plusopt")
local subcommands = require("botglue.command.subcommands")

local M = {}

local fail = errors.fail
local RUN = "run" -- what a command without a subcommand is

---@return string[]
local function known()
  local names = vim.tbl_keys(subcommands)
  table.sort(names)
  return names
end

--- Raises an error for a bang, a range or an argument that the subcommand would ignore.
---@param name string
---@param subcommand botglue.Subcommand
---@param args table
---@param rest string
local function only_what_it_takes(name, subcommand, args, rest)
  if args.bang and not subcommand.bang then
    fail("%s takes no !", name)
  elseif args.range > 0 and not subcommand.range then
    fail("%s takes no range", name)
  elseif rest ~= "" and subcommand.bare then
    fail("%s takes no argument", name)
  end
end

--- The words of a command without a subcommand: it takes options alone.
---@param words string
---@return string
local function only_options(words)
  local _, rest = plusopt.take(words, subcommands[RUN].plus)
  if rest ~= "" then
    -- The first word may be meant as a subcommand or as the prompt.
    local options, name = vim.trim(words:sub(1, #words - #rest)), rest:match("^%S+")
    fail("write Botglue %s %s: options go after the subcommand", name, options)
  end
  return words
end

--- `:[range]Botglue[!] [subcommand] [rest]`
---@param args table what nvim_create_user_command hands over
function M.execute(args)
  errors.guard(function()
    local name, rest = args.args:match("^%s*(%S*)%s*(.-)%s*$")
    if name == "" or plusopt.is_one(name) then
      name, rest = RUN, only_options(vim.trim(args.args))
    end
    local subcommand = subcommands[name]
    if not subcommand then
      notify.error(('botglue: unknown subcommand "%s"; use %s'):format(name, table.concat(known(), ", ")))
      return
    end
    only_what_it_takes(name, subcommand, args, rest)
    local given = {}
    if subcommand.plus then
      given, rest = plusopt.take(rest, subcommand.plus)
    end
    subcommand.run(args, rest, given)
  end)
end

--- The candidates for the word at the cursor, not yet filtered by what was typed of it.
---@param lead string what the word begins with
---@param line string
---@param past integer the byte behind the cursor
---@return string[]
local function candidates(lead, line, past)
  local typed = line:sub(1, past):match("Botglue!?%s+(.*)$") or ""
  local before = typed:sub(1, #typed - #lead)
  local name, rest = before:match("^(%S+)%s+(.*)$")
  local plus = lead:sub(1, 1) == "+"
  if name and plusopt.is_one(name) or not name and plus then
    return plusopt.complete(before, lead, subcommands[RUN].plus)
  elseif not name then
    return known()
  end
  local subcommand = subcommands[name] or {}
  if subcommand.prompt and lead:sub(1, 1) == "/" then
    local is_first = plusopt.only(rest, subcommand.plus) ~= nil
    return is_first
        and require("botglue.jobs.prompts").complete(lead, (require("botglue.host.client").options()))
      or {}
  elseif subcommand.complete and not plus then
    return plusopt.only(rest, subcommand.plus or {}) and subcommand.complete() or {}
  end
  return subcommand.plus and plusopt.complete(rest, lead, subcommand.plus) or {}
end

---@param lead string
---@param ... any the other arguments of a completion function
---@return string[]
function M.complete(lead, ...)
  return vim.tbl_filter(function(text)
    return vim.startswith(text, lead)
  end, candidates(lead, ...))
end

return M
