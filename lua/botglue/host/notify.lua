--- Shows messages to the user: each as one line that fits, so that the user never has to press Enter; `:messages` has
--- the whole text. Messages of jobs are collected, and never interrupt a command line that is being typed.

local connection = require("botglue.host.connection")
local text = require("botglue.util.text")

local M = {}

local LEVELS = vim.log.levels
local HIGHLIGHTS = { [LEVELS.ERROR] = "ErrorMsg", [LEVELS.WARN] = "WarningMsg", [LEVELS.INFO] = "None" }

--- With fewer cells for a line than these, nothing is shown: Neovim would ask for Enter after each word.
local LEAST = 8

--- How many cells there are for a line. The ruler of a floating window is drawn over the line's end.
---@return integer
local function room()
  local free = vim.v.echospace
  if not vim.o.ruler or vim.o.laststatus == 3 or vim.api.nvim_win_get_config(0).relative == "" then
    return free
  end
  local ruler = tonumber(vim.o.rulerformat:match("^%%%-?(%d+)%(")) or 18
  local beside = vim.o.columns - ruler - 1
  return beside < LEAST and free or math.min(free, beside)
end

--- Keeps a message visible until the next key: with 'showmode' the next redraw would write the mode over it; over an
--- error it does so after a second in which Neovim reads no key.
local function keep_visible()
  if vim.o.showmode and vim.o.cmdheight > 0 and vim.api.nvim_get_mode().mode ~= "n" then
    vim.o.showmode = false
    local namespace = vim.api.nvim_create_namespace("botglue.notify")
    vim.on_key(function()
      vim.o.showmode = true
      vim.on_key(nil, namespace)
    end, namespace)
  end
end

--- Puts a line into `:messages`, and shows its beginning. With `T` in 'shortmess' Neovim cuts a long line in its
--- middle; with 'cmdheight' 0 it does not, and would ask for Enter: so the line is broken into several that fit.
---@param line string
---@param level integer
local function show_cut(line, level)
  if room() < LEAST then
    return
  end
  -- Below a message of several lines that is still shown, the line would scroll the screen.
  vim.cmd.redraw()
  if vim.o.cmdheight == 0 then
    for _, part in ipairs(text.wrap(line, room())) do
      vim.api.nvim_echo({ { part, HIGHLIGHTS[level] } }, true, {})
      vim.cmd.redraw()
    end
  else
    local shortmess = vim.o.shortmess
    vim.o.shortmess = shortmess .. "T"
    vim.cmd.echohl(HIGHLIGHTS[level])
    vim.cmd.echomsg(vim.fn.string(line))
    vim.cmd.echohl("None")
    vim.o.shortmess = shortmess
    vim.cmd.redraw()
  end
  vim.api.nvim_echo({ { text.fit(line, room(), "…"), HIGHLIGHTS[level] } }, false, {})
  keep_visible()
end

--- Calls `fn` once a line may be shown: not while a command waits for the host, below which the line would scroll,
--- and not while the user types a command line.
---@param fn fun()
local function at_rest(fn)
  if connection.asking == 0 and not vim.api.nvim_get_mode().mode:find("^[cr]") then
    return fn()
  end
  -- While a command line is typed, each scheduled call causes a `SafeState`: waiting for that would loop.
  vim.api.nvim_create_autocmd(connection.asking > 0 and "SafeState" or "ModeChanged", {
    once = true,
    desc = "botglue: show what was said meanwhile",
    callback = vim.schedule_wrap(function()
      at_rest(fn)
    end),
  })
end

--- Shows one line.
---@param line string
---@param level integer of vim.log.levels
local function show(line, level)
  line = text.clean(line)
  -- A Neovim whose UI has gone is not one without a UI: it still asks for Enter.
  if #vim.api.nvim_list_uis() == 0 and not connection.had_screen then
    local more = vim.o.more
    -- Without a UI nobody can press a key for the rest of a long message.
    vim.o.more = false
    vim.notify(line, level, { title = "botglue" })
    vim.o.more = more
    return
  end
  -- Captured, because an echo of a long line would ask for Enter. A user's own `vim.notify` shows the line itself.
  local command = ("lua vim.notify(%q, %d, { title = 'botglue' })"):format(line, level)
  local ok, result = pcall(vim.api.nvim_exec2, command, { output = true })
  -- An echoed error counts as an error of the command.
  if not ok or result.output ~= "" then
    -- Later, because below a command that is still running a long line scrolls instead of being cut.
    vim.schedule_wrap(at_rest)(function()
      show_cut(line, level)
    end)
  end
end

---@param level integer of vim.log.levels
---@return fun(line: string)
local function saying(level)
  return function(line)
    at_rest(function()
      show(line, level)
    end)
  end
end
M.error, M.warn = saying(LEVELS.ERROR), saying(LEVELS.WARN)

--- Shows the messages of jobs since the last tick, one line for all jobs with the same message.
local function show_messages()
  local news, ids = connection.news, vim.defaulttable()
  connection.news = {}
  for _, item in ipairs(news) do
    table.insert(ids[item.verb][item.words], item.id)
  end
  for _, item in ipairs(news) do
    local of = ids[item.verb][item.words]
    if of[1] == item.id then
      local jobs = (#of == 1 and "job " or "jobs ") .. table.concat(of, ", ")
      show(("botglue: %s %s: %s"):format(jobs, item.verb, item.words), LEVELS[item.level])
    end
  end
end

--- Shows a message of a job in the next tick.
---@param item { id: integer, verb: string, words: string, level: "ERROR"|"WARN"|"INFO" }
function M.add(item)
  table.insert(connection.news, item)
  if #connection.news == 1 then
    vim.schedule(function()
      at_rest(show_messages)
    end)
  end
end

return M
