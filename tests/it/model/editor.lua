--- The editor's side of the model test: prepares a buffer, starts jobs in it, and records the end of every answer with
--- what stood in the buffer before and after. Its agents say what the test tells them.

local channel = ...
local api = vim.api

local M = { records = {}, faults = {}, pings = 0 }

local home -- the buffer
local written = {} -- what the steps of the call under way wrote, in their order
local writes = {} -- by job: a write that no end has claimed yet
local answered = {} -- the jobs whose agent was told what to say
local agents = {} -- by job: the FIFO of its agent, open

local client = require("botglue.host.client")
local connection = require("botglue.host.connection")
local moment = require("botglue.editor.moment")
local undo_step = require("botglue.editor.undo_step")

local function read()
  return api.nvim_buf_is_loaded(home) and api.nvim_buf_get_lines(home, 0, -1, false) or {}
end

local ffi = require("ffi")
ffi.cdef("int mkfifo(const char *path, unsigned int mode);")

local rpcnotify, options = vim.rpcnotify, nil
vim.rpcnotify = function(to, method, argument)
  if method == "run" then
    rpcnotify(channel, "run", argument)
    local path = vim.fn.tempname()
    assert(ffi.C.mkfifo(path, 384) == 0, "no FIFO could be made")
    agents[argument.id] = assert(vim.uv.fs_open(path, "r+", 384))
    -- The options of this job alone have its agent.
    options.agents.claude.args = { path }
    rpcnotify(to, "options", options)
  elseif method == "options" then
    options = argument
  end
  return rpcnotify(to, method, argument)
end

--- Has the agent of a job say a text, and end.
function M.answer(id, text)
  answered[id] = true
  assert(vim.uv.fs_write(agents[id], text .. "\nexit 0\n"))
end

local apply = require("botglue.apply")

local function fault(format, ...)
  M.faults[#M.faults + 1] = format:format(...)
end

local is_asked = false

local function ping()
  local process = connection.process
  if process and process.ready and not is_asked then
    is_asked = true
    local here = require("botglue.host.ask").here()
    rpcnotify(process.channel, "ask", { token = 0, what = "mirror", arg = { buffer = home }, here = here })
  end
end

--- The text that the host has of the buffer is the buffer's.
local reply = apply.reply
apply.reply = function(argument)
  if argument.token ~= 0 then
    return reply(argument)
  end
  M.pings, is_asked = M.pings + 1, false
  local is_sure = argument.link == "sure" and argument.tick == api.nvim_buf_get_changedtick(home)
  if is_sure and not vim.deep_equal(argument.rows, read()) then
    fault("the host has another text: %s", vim.inspect(argument.rows))
  end
end

--- Has the host say when it has read what Neovim sent so far.
function M.ask_host()
  M.pings = connection.process and 0 or 2
end

--- The jobs of which something is still to come without a key of the user's.
function M.waits()
  local waiting = {}
  for id, job in pairs(connection.jobs) do
    local is_safe = moment.is_safe(job.range.bufnr)
    local is_owed = answered[id] and job:is_open() and (is_safe or job.facts.status ~= "ready")
    if is_owed or job.deciding and is_safe then
      waiting[#waiting + 1] = { id, job.facts.status, job.deciding }
    end
  end
  return waiting
end

--- Whether the host has replied twice: what it says of places comes behind its first reply.
---@return boolean
function M.is_settled()
  if M.pings < 2 then
    ping()
    return false
  end
  return #M.waits() == 0
end

local as_one_step = undo_step.as_one_step
undo_step.as_one_step = function(bufnr, first, fn)
  if bufnr ~= home then
    return as_one_step(bufnr, first, fn)
  end
  local mode, state = api.nvim_get_mode().mode, vim.fn.state()
  if bufnr == api.nvim_get_current_buf() and not (mode:match("^[niR]") and state == "") then
    fault("written in mode %s with state %q", mode, state)
  end
  local entry = { before = read() }
  local ok, result = pcall(as_one_step, bufnr, first, fn)
  entry.after = read()
  entry.seq = vim.fn.undotree(bufnr).seq_cur
  -- (An empty line that comes back into an empty buffer is the one that it shows anyway.)
  if vim.deep_equal(entry.before, entry.after) and not vim.deep_equal(entry.before, { "" }) then
    fault("written, but nothing has changed")
  end
  table.insert(written, entry)
  if not ok then
    error(result, 0)
  end
  return result
end

require("botglue.host.notify").note = function(line)
  fault("an error: %s", line)
end

local call = apply.write
apply.write = function(argument)
  written = {}
  local ok, result = pcall(call, argument)
  if not ok then
    fault("the write raised: %s", result)
    error(result, 0)
  end
  for i, step in ipairs(argument.steps) do
    local step_result = (result.steps or {})[i]
    if step_result and step_result.state == "written" and step_result.to ~= step_result.from then
      local entry = table.remove(written, 1)
      if step.landing == "taken" then
        entry.id, entry.landing, entry.modifiable = step.job, "taken", true
        table.insert(M.records, entry)
      else
        writes[step.job] = entry
      end
    end
  end
  return result
end

local jobs = apply.jobs

--- The host has told what became of an answer, or the user has decided it.
local function landed(told)
  local entry = writes[told.id] or { before = read() }
  writes[told.id] = nil
  entry.id, entry.landing, entry.held_for = told.id, told.set.landing, told.set.held_for
  entry.is_left, entry.modifiable = told.is_left, api.nvim_buf_is_loaded(home) and vim.bo[home].modifiable
  table.insert(M.records, entry)
end

apply.jobs = function(patches)
  for _, patch in ipairs(patches) do
    if patch.set and patch.set.landing then
      landed(patch)
    end
  end
  return jobs(patches)
end

--- Kills the host; another one starts where there is anything to follow. What waited for a moment is held then.
function M.kill()
  local process = connection.process
  if process then
    local waited = vim.tbl_filter(function(job)
      return job.status == "ready"
    end, connection.jobs)
    connection.restarts = {}
    vim.uv.kill(vim.fn.jobpid(process.channel), "sigkill")
    vim.wait(10000, function()
      return connection.process ~= process
    end, 1)
    for _, job in pairs(waited) do
      local set = { landing = job.landing, held_for = job.held_for }
      landed({ id = job.id, set = set, is_left = true })
    end
  end
end

--- Takes trailing blanks away as soon as text changes, as many people have it.
---@type table<string, fun()>
local formatters = {
  rows = function()
    for row, text in ipairs(read()) do
      if text:find("%s%s$") then
        api.nvim_buf_set_lines(home, row - 1, row, true, { (text:gsub("%s+$", "")) })
      end
    end
  end,
  all = function()
    local text = read()
    local stripped = vim.tbl_map(function(row)
      return (row:gsub("%s%s+$", ""))
    end, text)
    if not vim.deep_equal(text, stripped) then
      api.nvim_buf_set_lines(home, 0, -1, true, stripped)
    end
  end,
}

--- A fresh buffer in a fresh editor, as far as one can be had without starting one.
function M.begin(text, quirks)
  vim.cmd("silent! %bwipeout! | messages clear")
  vim.cmd("normal! ix")
  if vim.fn.reg_recording() ~= "" then
    api.nvim_feedkeys("q", "nx", false)
  end
  vim.cmd("silent! tabonly | only | delmarks! | delmarks A-Z | clearjumps | setlocal nomodified")
  for name in ('abcdefghijklmnopqrstuvwxyz0123456789"-/'):gmatch(".") do
    vim.fn.setreg(name, {})
  end
  vim.fn.writefile(text, "model.txt")
  vim.cmd("silent edit! model.txt")
  vim.bo.textwidth, vim.bo.autoindent = quirks.textwidth, quirks.autoindent
  M.records, M.faults, written, writes = {}, {}, {}, {}
  for id, fd in pairs(agents) do
    vim.uv.fs_close(fd)
    agents[id] = nil
  end
  home = api.nvim_get_current_buf()
  local group = api.nvim_create_augroup("model", { clear = true })
  vim.cmd("iabbrev <buffer> tw two words")
  if formatters[quirks.formats] then
    api.nvim_create_autocmd({ "TextChanged", "TextChangedI" }, {
      group = group,
      buffer = home,
      callback = formatters[quirks.formats],
    })
  end
  return home
end

--- Somebody's formatter: replaces the whole buffer at once.
function M.format(how)
  local text = {}
  for i, line in ipairs(read()) do
    if how == "indent" and line ~= "" then
      line = "  " .. line
    elseif how == "one" and i == 2 then
      line = line .. " "
    end
    if how ~= "squeeze" or line ~= "" then
      text[#text + 1] = line
    end
  end
  pcall(api.nvim_buf_set_lines, home, 0, -1, true, text)
end

--- The byte of a character of a line, as a position.
local function position(line, char)
  local text = read()[line]
  local count = vim.fn.strchars(text)
  return { line, count == 0 and 0 or vim.fn.byteidx(text, char % count) }
end

--- Starts a job somewhere.
function M.start(spec)
  local text = read()
  local count = #text
  local first = spec.at % count + 1
  local last = math.min(first + spec.rows, count)
  local range = { kind = spec.kind, first = { first, 0 }, last = { last, 0 } }
  if spec.kind == "insert" then
    range.first = { spec.at % (count + 1), 0 }
  elseif spec.kind ~= "line" then
    range.first, range.last = position(first, spec.from), position(last, spec.to)
    if first == last and range.first[2] > range.last[2] then
      range.first, range.last = range.last, range.first
    end
  end
  local id = require("botglue").run({ prompt = "it", bufnr = home, range = range, review = spec.review })
  return { id, spec.kind == "insert" and {} or vim.list_slice(text, first, last) }
end

--- The first and the last line of a job; the first of all where there is none.
function M.lines(id)
  local job = id and require("botglue").job(id)
  return job and { job.first_line, job.last_line } or { 1, 1 }
end

--- What is proposed of a held answer, and the changedtick of that; nothing where its place is not known.
function M.hunks(id)
  local ok, hunks, tick = pcall(require("botglue").hunks, id)
  return ok and { vim.list_slice(hunks), tick } or vim.NIL
end

--- The user decides, of a conflict as one who has seen it; an error is what they are told.
function M.decide(verb, id, opts)
  local job = connection.jobs[id]
  if verb == "accept" and api.nvim_buf_is_loaded(job.range.bufnr) then
    local tick = api.nvim_buf_get_changedtick(job.range.bufnr)
    client.connect(client.options()):notify("shown", { id = id, tick = tick })
  end
  local ok, err = pcall(require("botglue")[verb], id, opts)
  return not ok and tostring(err) or vim.NIL
end

--- The user drops what is proposed for a row, in the review that is open, and ends that.
function M.drop(row)
  require("botglue.ui.review.keys").press("drop", { row, row })
  pcall(require("botglue.ui.review.view").close)
end

--- What a person could see, and what was recorded since the last look.
function M.look()
  local records, faults = M.records, M.faults
  M.records, M.faults = {}, {}
  local error_told = vim.fn.execute("messages"):match("Error [^\n]*lua[^\n]*")
  if error_told then
    vim.cmd("messages clear")
    table.insert(faults, error_told)
  end
  local col = api.nvim_win_get_cursor(0)[2]
  return {
    mode = api.nvim_get_mode().mode,
    state = vim.fn.state(),
    is_home = api.nvim_get_current_buf() == home,
    modifiable = vim.bo.modifiable,
    lines = read(),
    before_cursor = api.nvim_get_current_line():sub(1, col),
    records = records,
    faults = faults,
  }
end

--- Each write of ours is one undo step: taking it back leaves what was there before it, and nothing else.
local function check_undo(all_written)
  local function is(text)
    return vim.deep_equal(read(), text)
  end
  local changes = vim.iter(all_written):filter(function(entry)
    return not vim.deep_equal(entry.before, entry.after)
  end)
  for entry in changes do
    local ok, err = pcall(vim.cmd, "silent undo " .. entry.seq)
    if not ok or not is(entry.after) then
      local now = vim.inspect(read())
      return ("undo step %d of job %d is not what it wrote: %s %s"):format(
        entry.seq,
        entry.id,
        now,
        ok and "" or err
      )
    end
    vim.cmd("silent undo")
    if not is(entry.before) then
      return ("undoing job %d does not leave what was there before: %s"):format(entry.id, vim.inspect(read()))
    end
  end
end

--- What is wrong when all is over: something of ours is left, or a step does not take back what it did.
function M.finish(all_written)
  local drawn, held = 0, 0
  for id, job in pairs(connection.jobs) do
    if job:is_open() then
      return "a job is open: " .. id
    end
    held = held + (job:is_held() and job.range.bufnr == home and 1 or 0)
  end
  for _, name in ipairs({ "botglue.status", "botglue.highlight" }) do
    local namespace = api.nvim_create_namespace(name)
    drawn = drawn + #api.nvim_buf_get_extmarks(home, namespace, 0, -1, {})
  end
  if held == 0 and drawn > 0 then
    return drawn .. " marks are drawn, but there is no job"
  end
  vim.bo[home].modifiable = true
  return check_undo(all_written) or vim.NIL
end

return M
