--- Tells the host of the buffers whose text it mirrors: that one is wanted, and how it is where no event says so. The
--- host attaches to them by itself; nothing here follows their text.

local client = require("botglue.host.client")
local connection = require("botglue.host.connection")

local M = {}

local api = vim.api
local GROUP = "botglue.attach"

--- Whether a buffer has a text that answers can be written to. A terminal changes all the time.
---@param bufnr integer
---@return boolean
local function has_text(bufnr)
  local kind = vim.bo[bufnr].buftype
  return vim.bo[bufnr].modifiable and kind ~= "terminal" and kind ~= "prompt"
end

---@class botglue.DisplayMark: botglue.Extent
---@field id integer of the job
---@field kind "line"|"char"|"block"|"insert"|nil none where the job has no mark: the host looks for what was sent
---@field has_ended boolean whether the job has ended, and its answer is not held
---@field sent table? in the shape of a request: what was sent or landed, where the host does not have the request
---@field stands { first_line: integer, rows: string[], base: string[]? }? its rows as its file was written last
---@field before string[]? the whole rows that were there before the answer landed
---@field text { above: string?, rows: string[], below: string? }? what is at the mark

--- What was sent of a range, or what landed there, in the shape of a request.
---@param job botglue.Job
---@param place botglue.Extent?
---@return table
function M.sent(job, place)
  local range = job.range
  local text = range:expected()
  local first_line = place and place.first + 1 or range.known[1]
  if place and range.shape == "insert" then
    first_line = place.first
  end
  return {
    id = job.id,
    buffer = range.bufnr,
    selection = {
      kind = range.shape,
      first_line = first_line,
      text = text.text,
      rows = text.rows,
      cols = text.cols,
      column = range.column,
      beside = vim.tbl_extend("error", vim.empty_dict(), { above = text.above, below = text.below }),
    },
  }
end

--- Where the range of a job is, as far as its marks tell.
---@param job botglue.Job
---@param with_text boolean? whether what is there is wanted, too
---@return botglue.DisplayMark? mark nil where the host knows that its place is not known
local function mark(job, with_text)
  local range = job.range
  local place = range:place()
  if not place and (range.lost or range.marks) then
    return nil
  end
  local told = vim.deepcopy(place or {}) --[[@as botglue.DisplayMark]]
  told.id = job.id
  told.kind = place and range.shape or nil
  told.stands = range.on_disk
  told.has_ended = not job:is_open() and job.landing ~= "held"
  if job.process ~= connection.process or range.has_moved then
    told.sent = M.sent(job, place)
    told.before = range.before and range.before.rows
  end
  if place and with_text then
    local text = range:read(place)
    told.text = { above = text.above, rows = text.rows, below = text.below }
  end
  return told
end

--- Where the range of a prompt is that is being typed.
---@param id integer
---@param range botglue.Range
---@return botglue.DisplayMark?
local function prompt_mark(id, range)
  local place = range:place()
  local more = { id = id, kind = range.shape, has_ended = false }
  return place and vim.tbl_extend("force", place, more)
end

--- The jobs whose ranges may be in a buffer.
---@param bufnr integer
---@return Iter
local function jobs_in(bufnr)
  local all = vim.list_slice(connection.kept[bufnr] or {})
  for _, jobs in ipairs({ connection.open, connection.held }) do
    vim.list_extend(all, vim.tbl_values(jobs))
  end
  return vim.iter(all):filter(function(job)
    return job.range.bufnr == bufnr
  end)
end

--- Tells the host how a buffer is now. It comes between the events of its text, at the place where it was said.
---@param bufnr integer
---@param more table
local function tell(bufnr, more)
  local process = connection.process
  if not process then
    return
  end
  local rows, tick = api.nvim_buf_line_count(bufnr), api.nvim_buf_get_changedtick(bufnr)
  if tick < 0 then
    -- Neovim ends: it has left the buffer's windows, and counts its changes no more.
    return
  end
  process:notify(
    "buffer",
    vim.tbl_extend("force", {
      buffer = bufnr,
      name = api.nvim_buf_get_name(bufnr),
      tick = tick,
      rows = rows,
      bytes = math.max(api.nvim_buf_get_offset(bufnr, rows), 0),
      refuses = not has_text(bufnr) or nil,
    }, more)
  )
end

--- How a buffer is, with the places of its jobs; for the host, once it has attached.
---@param bufnr integer
---@param with_text boolean? whether the text at the marks is wanted, too
function M.report(bufnr, with_text)
  local marks = jobs_in(bufnr)
    :map(function(job)
      return mark(job, with_text)
    end)
    :totable()
  for id, range in pairs(connection.asked) do
    marks[#marks + 1] = range.bufnr == bufnr and prompt_mark(id, range) or nil
  end
  tell(bufnr, { marks = marks })
end

--- A buffer has another name, or has got one: its jobs are in that file from now on.
---@param bufnr integer
local function rename(bufnr)
  local path = require("botglue.util.buffer_path")(bufnr)
  for _, job in pairs(path ~= "" and connection.jobs or {}) do
    if job.range.bufnr == bufnr then
      job.path = path
    end
  end
end

--- Has the events told by which Neovim's core says nothing of a text. Not by autocommands of the buffer: the first
--- `:write` of one without a name removes those.
---@param bufnr integer
local function watch(bufnr)
  local mirrored = connection.mirrored
  local is_watching = next(mirrored) ~= nil
  mirrored[bufnr] = true
  if is_watching then
    return
  end
  local group = api.nvim_create_augroup(GROUP, { clear = true })
  api.nvim_create_autocmd({ "BufReadPost", "BufEnter", "BufFilePost", "BufWritePost", "BufUnload" }, {
    group = group,
    desc = "botglue: the host mirrors the text",
    callback = function(event)
      if not mirrored[event.buf] then
        return
      end
      rename(event.buf)
      local is_written = event.event == "BufWritePost" or event.event == "BufUnload"
      -- Where a copy was written, or some of the rows, the file does not have the text.
      local more = { written = is_written and not vim.bo[event.buf].modified or nil }
      if event.event == "BufUnload" then
        more.rows = 0
      end
      tell(event.buf, more)
    end,
  })
  api.nvim_create_autocmd("OptionSet", {
    group = group,
    pattern = { "modifiable", "buftype" },
    desc = "botglue: the host knows whether a buffer takes changes",
    callback = function()
      -- Its event names no buffer; the option is set in the current one.
      local current = api.nvim_get_current_buf()
      if mirrored[current] then
        tell(current, {})
      end
    end,
  })
  api.nvim_create_autocmd("BufWipeout", {
    group = group,
    desc = "botglue: the host mirrors the text",
    callback = function(event)
      -- It comes for one without a name that is written for the first time, too; that one stays.
      vim.schedule(function()
        mirrored[event.buf] = api.nvim_buf_is_valid(event.buf) or nil
        local process = connection.process
        if process and not mirrored[event.buf] then
          process:notify("wiped", { buffer = event.buf })
        end
      end)
    end,
  })
end

--- From now on the host mirrors a buffer, and follows the range of a job in it.
---@param bufnr integer
---@param job botglue.Job? none while its prompt is typed
function M.want(bufnr, job)
  if api.nvim_buf_is_loaded(bufnr) then
    watch(bufnr)
    tell(bufnr, { marks = job and { mark(job) } or nil })
  end
end

local PROMPTS = 2 ^ 40 -- numbers from here on are those of prompts, and of no job

--- Lets go of the ranges of prompts that are gone.
local function forget_prompts()
  local asked = connection.asked
  for id, range in pairs(asked) do
    if not range.marks then
      asked[id] = nil
      if api.nvim_buf_is_loaded(range.bufnr) then
        tell(range.bufnr, { marks = { { id = id, has_ended = true } } })
      end
    end
  end
end

--- The host follows the range of a prompt as long as that is being typed.
---@param range botglue.Range
---@return fun() sent called once the range is its job's
function M.follow_prompt(range)
  forget_prompts()
  local id = PROMPTS + client.next_token()
  connection.asked[id] = range
  if api.nvim_buf_is_loaded(range.bufnr) then
    watch(range.bufnr)
    tell(range.bufnr, { marks = { prompt_mark(id, range) } })
  end
  return function()
    connection.asked[id] = nil
    if api.nvim_buf_is_loaded(range.bufnr) then
      tell(range.bufnr, { marks = { { id = id, has_ended = true } } })
    end
  end
end

--- Held answers whose file is read are there from now on, in whichever buffer that is.
function M.watch_files()
  local group = api.nvim_create_augroup(GROUP .. ".held", { clear = false })
  if #api.nvim_get_autocmds({ group = group }) > 0 then
    return
  end
  api.nvim_create_autocmd("BufReadPost", {
    group = group,
    desc = "botglue: held answers of this file",
    callback = function(event)
      for _, job in pairs(connection.held) do
        local is_new = not job.range.marks or job.range.bufnr ~= event.buf
        if is_new and job:is_in(event.buf) then
          M.expect(job, event.buf)
        end
      end
    end,
  })
end

--- The range of a held answer of an earlier time is looked for, as soon as its file is there.
---@param job botglue.Job
---@param bufnr integer? where its file is now
function M.expect(job, bufnr)
  M.watch_files()
  if bufnr and job.range.bufnr ~= bufnr then
    job.range:move_to(bufnr)
  end
  M.want(job.range.bufnr, job)
end

local TRIES = 3 -- to get places of the text as it is

--- Asks the host where texts are in a buffer. An error in `fn` is told.
---@param bufnr integer
---@param texts table[] each in the shape of a selection
---@param fn fun(places: table[]?, err: string?) the places in the same order, of the text as it is; one without a kind
--- where a text is not found
---@param tries integer?
function M.find(bufnr, texts, fn, tries)
  local errors, query = require("botglue.host.errors"), require("botglue.host.query")
  client.connect(client.options())
  M.want(bufnr)
  query.ask("find", { buffer = bufnr, texts = texts }, function(result, err)
    local is_current = api.nvim_buf_is_loaded(bufnr)
      and result ~= nil
      and result.tick == api.nvim_buf_get_changedtick(bufnr)
    if is_current then
      errors.guard(fn, result.places)
    elseif result and (tries or 1) < TRIES then
      M.find(bufnr, texts, fn, (tries or 1) + 1)
    else
      errors.guard(fn, nil, err or "try again: the text was changed while it was looked through")
    end
  end)
end

--- Another host has started: it mirrors what the one before it did.
function M.want_again()
  for bufnr in pairs(connection.mirrored) do
    if api.nvim_buf_is_loaded(bufnr) then
      tell(bufnr, {})
    end
  end
end

return M
