--- Held answers that outlived their buffer, their host or their Neovim: makes jobs of what the store gives, and finds
--- the place of an answer again where its buffer is there again.

local client = require("botglue.client")
local registry = require("botglue.registry")

local M = {}

local api = vim.api

--- Whether the file of a buffer has a swap file of somebody else's: the buffer then has not got the first name.
---@param bufnr integer
---@return boolean
local function has_other_swap(bufnr)
  local own = vim.fn.swapname(bufnr)
  local first = own:gsub("%.sw%l$", ".swp")
  local name = vim.fs.basename(api.nvim_buf_get_name(bufnr))
  return first ~= own and vim.fs.basename(vim.fn.swapinfo(first).fname or "") == name
end

--- Reads a file into a buffer that is not shown. Where another Neovim has it open, or one that crashed had more in it,
--- Neovim asks nobody then: it fills the screen with a warning, and reads it all the same. So it is read-only here, and
--- a line says so; but not to who does not want to hear of swap files.
---@param bufnr integer
local function read(bufnr)
  local flags = vim.o.shortmess
  if flags:find("A", 1, true) then
    pcall(vim.fn.bufload, bufnr)
    return
  end
  vim.o.shortmess = flags .. "A"
  pcall(vim.fn.bufload, bufnr)
  vim.o.shortmess = flags
  if api.nvim_buf_is_loaded(bufnr) and has_other_swap(bufnr) then
    vim.bo[bufnr].readonly = true
    local name = vim.fs.basename(api.nvim_buf_get_name(bufnr))
    -- Whatever it is read for draws over the line otherwise.
    vim.schedule(function()
      require("botglue.notify").warn(
        ("botglue: %s has a swap file, so it is read-only here: E325"):format(name)
      )
    end)
  end
end

--- Loads the file of a range that is open in no buffer.
---@param path string
---@return integer? bufnr nil where there is no file
function M.load(path)
  if path == "" or not vim.uv.fs_stat(path) then
    return nil
  end
  local bufnr = vim.fn.bufadd(path)
  if not api.nvim_buf_is_loaded(bufnr) then
    read(bufnr)
  end
  vim.bo[bufnr].buflisted = true
  return bufnr
end

--- A held answer as a job of this Neovim.
---@param answer table
---@param id integer
---@param options botglue.Options
---@return botglue.Job
local function to_job(answer, id, options)
  local path, lost = answer.path, answer.id and client.job(answer.id)
  local bufnr = path ~= "" and vim.fn.bufadd(path) or lost and lost.range.bufnr or -1
  local sent = vim.tbl_extend("force", answer, { text = answer.base or {} })
  local range = require("botglue.range").recall(bufnr, sent)
  local draft, on_disk = require("botglue.draft").recall(answer.draft)
  return require("botglue.job").recall({
    id = id,
    range = range,
    path = path,
    prompt = answer.prompt,
    agent = answer.agent,
    wanted = answer.model,
    cwd = answer.project,
    options = options,
    indent = vim.fn.strdisplaywidth((range.base.rows[1] or range.base.above or ""):match("^%s*")),
    text = answer.text,
    answer = { lines = answer.lines or {}, held_for = answer.held_for },
    draft = draft,
    on_disk = on_disk,
    held_for = answer.held_for or "buffer_gone",
    took_ms = answer.elapsed_ms or 0,
    on_close = registry.release,
  }, answer)
end

--- Asks for held answers of Neovims that are gone.
---@param reply fun(err: string?) called when they are jobs of this Neovim, or with why they cannot be
function M.ask(reply)
  local process, failure = client.connect(client.options())
  if not process then
    reply(failure and failure.message or "there is no host")
    return
  end
  local replies = client.connection().held_replies
  replies[#replies + 1] = reply
  if #replies == 1 then
    process:notify("held", vim.empty_dict())
  end
end

--- No more will come of what was asked.
---@param err string? why nothing could be looked for
function M.answered(err)
  local connection = client.connection()
  local replies = connection.held_replies
  connection.held_replies = {}
  for _, reply in ipairs(replies) do
    reply(err)
  end
end

--- Takes over what the host gives: from now on these are jobs of this Neovim, and it hears by which numbers.
---@param answers table[]
---@param err string? why none could be looked for
function M.take(answers, err)
  local options, process = client.options(), client.connection().process
  for _, answer in ipairs(answers) do
    local job = to_job(answer, registry.next_id(), options)
    registry.hold(job)
    if process then
      process:notify("adopted", { uuid = answer.uuid, id = job.id })
    end
  end
  M.answered(err)
end

--- An answer as the store gives it whole, as a job of this Neovim.
---@param full botglue.FullEntry
---@param id integer
---@return botglue.Job
local function hold(full, id)
  local selection = full.selection
  local answer = vim.tbl_extend("force", full, {
    base = selection.text,
    rows = selection.rows,
    cols = selection.cols,
    column = selection.column,
    anchor = selection.anchor,
    beside = selection.beside,
    elapsed_ms = full.ended_ms - full.started_ms,
  })
  local job = to_job(answer, id, client.options())
  registry.hold(job)
  return job
end

--- Asks the next host for answers of jobs that have failed because their host was gone before it could tell them. They
--- are held, as jobs of their own: that those have failed was told.
function M.recover()
  local connection = client.connection()
  local lost = connection.lost
  if #lost == 0 then
    return
  end
  connection.lost = {}
  require("botglue.query").ask("untold", { ids = lost }, function(result)
    if not result then
      -- Then the host after that is asked.
      vim.list_extend(connection.lost, lost)
      return
    end
    for _, full in ipairs(result.jobs) do
      local job = hold(full, registry.next_id())
      if connection.process then
        connection.process:notify("adopted", { uuid = full.uuid, id = job.id })
      end
      require("botglue.notify").warn(
        ("botglue: the answer of job %d was stored: it is held, :Botglue review %d shows it"):format(
          full.id,
          job.id
        )
      )
    end
  end)
end

--- Holds the answer of a job of the store once more, for review.
---@param uuid string
---@param reply fun(job: botglue.Job?, err: string?)
function M.again(uuid, reply)
  local id = registry.next_id()
  require("botglue.query").ask("again", { uuid = uuid, id = id }, function(result, err)
    if not result then
      reply(nil, err)
      return
    end
    reply(hold(result.job, id))
  end)
end

return M
