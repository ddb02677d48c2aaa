--- Tells the store what became of an answer, and how its text stands whenever its file is written: tomorrow the text is
--- all that its session is known by, and the user may have changed it since the answer landed. So it is with its name.

local client = require("botglue.client")

local M = {}

local api = vim.api
local GROUP = "botglue.stands"
local STANDS = { applied = true, merged = true, unchanged = true }

--- Where an answer stands now, and the rows there: by them it is found again.
---@param range botglue.Range
---@return { first_line: integer?, last_line: integer?, rows: string[]? }
local function place_of(range)
  local place = range:place()
  if not place then
    return {}
  end
  local first, last = range:lines()
  return { first_line = first, last_line = last, rows = range:read(place).rows }
end

--- Tells of what stands differently than the store knows.
---@param bufnr integer
local function tell(bufnr)
  local choose, process = require("botglue.choose"), client.connection().process
  for _, job in ipairs(choose.all(choose.wrote)) do
    local range = job.range
    if range.bufnr == bufnr then
      local place, _, now = range:look()
      if place and now and not vim.deep_equal(now.rows, job.stood or range:expected().rows) then
        job.stood = now.rows
        local first, last = range:lines()
        if process then
          local message =
            { id = job.id, landing = job.landing, first_line = first, last_line = last, rows = now.rows }
          process:notify("stands", message)
        end
      end
    end
  end
end

--- What stands at the place of a held answer that nobody has reviewed, in a file that was written.
---@param job botglue.Job
---@return botglue.OnDisk?
local function unseen(job)
  local range = job.range
  if range.lost then
    return job.on_disk or { rows = {} }
  end
  local place, _, now = range:look()
  if not place or not now then
    return job.on_disk
  end
  local is_edited = range.kind == "line" and not vim.deep_equal(now.rows, range.base.rows)
  return is_edited and { rows = now.rows } or nil
end

--- Keeps how answers that wait stand in a file that was written: there the next Neovim looks for them.
---@param bufnr integer
local function keep_held(bufnr)
  for _, job in pairs(client.connection().held) do
    if job.range.bufnr == bufnr and job.reviewed then
      require("botglue.reviewed").look(job)
    elseif job.range.bufnr == bufnr then
      require("botglue.draft").keep_on_disk(job, unseen(job))
    end
  end
end

--- A buffer has another name, or has got one: that is the file in which its answers stand, or wait, from now on.
---@param bufnr integer
local function rename(bufnr)
  local path, process = require("botglue.context").path(bufnr), client.connection().process
  for _, job in pairs(path ~= "" and client.connection().jobs or {}) do
    if job.range.bufnr == bufnr and job.path ~= path then
      job.path, job.renamed = path, true
      if job.landing and process then
        process:notify("stands", {
          id = job.id,
          landing = job.landing,
          held_for = job.held_for,
          path = path,
        })
      end
    end
  end
end

--- From now on the files of jobs are known by the names that they get, and what becomes of answers in them is told.
function M.follow()
  local group = api.nvim_create_augroup(GROUP, { clear = false })
  if #api.nvim_get_autocmds({ group = group }) > 0 then
    return
  end
  -- A buffer without a name gets that of its first file without the event that is for it.
  api.nvim_create_autocmd({ "BufFilePost", "BufWritePost" }, {
    group = group,
    desc = "botglue: the file of a job has another name",
    callback = function(event)
      rename(event.buf)
    end,
  })
  -- Of what is written with :noautocmd nobody hears before it is unloaded.
  api.nvim_create_autocmd({ "BufWritePost", "BufUnload" }, {
    group = group,
    desc = "botglue: answers stand like this in their file now",
    callback = function(event)
      -- Where a copy was written, or some of the rows, it is not that file.
      if not vim.bo[event.buf].modified then
        tell(event.buf)
        keep_held(event.buf)
      end
    end,
  })
end

--- Tells what became of an answer: the host, a new one where that is gone, for without being told the store gives the
--- answer to the next Neovim as one that waits; where no host can be started the next one, if there is one.
---@param job botglue.Job
---@param landing string
---@param held_for string?
function M.landed(job, landing, held_for)
  local connection = client.connection()
  local message = STANDS[landing] and place_of(job.range) or {}
  message.id, message.landing, message.held_for = job.id, landing, held_for
  message.path = job.renamed and job.path or nil
  local process = connection.process or not connection.leaving and client.connect(job.options)
  if process then
    process:tell(message)
  else
    table.insert(connection.unsent, message)
    if job.keeping then
      vim.schedule(function()
        job:kept()
      end)
    end
  end
end

return M
