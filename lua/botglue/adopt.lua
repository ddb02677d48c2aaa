--- Held answers that outlived their buffer or their Neovim: makes jobs of what the store gives, and finds the place of
--- an answer again where its buffer is there again.

local client = require("botglue.client")
local registry = require("botglue.registry")

local M = {}

local api = vim.api

--- Loads the file of a range that is open in no buffer; a file that another Neovim has open is read-only here.
---@param path string
---@return integer? bufnr nil where there is no file
function M.load(path)
  if path == "" or not vim.uv.fs_stat(path) then
    return nil
  end
  local bufnr = vim.fn.bufadd(path)
  if not api.nvim_buf_is_loaded(bufnr) then
    local swap = api.nvim_create_autocmd("SwapExists", {
      callback = function()
        vim.v.swapchoice = "o"
      end,
    })
    pcall(vim.fn.bufload, bufnr)
    api.nvim_del_autocmd(swap)
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
  local path = answer.path
  local bufnr = path ~= "" and vim.fn.bufadd(path) or -1
  local sent = vim.tbl_extend("force", answer, { text = answer.base or {} })
  local range = require("botglue.range").recall(bufnr, sent)
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
    draft = answer.draft,
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
    local answer, selection = result.job, result.job.selection
    local job = to_job(
      vim.tbl_extend("force", answer, {
        base = selection.text,
        rows = selection.rows,
        cols = selection.cols,
        anchor = selection.anchor,
        beside = selection.beside,
        elapsed_ms = answer.ended_ms - answer.started_ms,
      }),
      id,
      client.options()
    )
    registry.hold(job)
    reply(job)
  end)
end

return M
