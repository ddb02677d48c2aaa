--- Asks the host to merge: what was there, what is there now, what should be there instead. The host keeps nothing of
--- it, and each question gets exactly one reply, also when the host is lost or silent.

local bytes = require("botglue.bytes")
local client = require("botglue.client")
local deadline = require("botglue.deadline")

local M = {}

---@class botglue.Question
---@field purpose "land"|"accept"|"revert"
---@field tick integer
---@field process botglue.Process
---@field lost fun() its host is gone
---@field reply fun(merged: botglue.Merged)

---@class botglue.Merged
---@field clean boolean
---@field lost boolean? nobody could be asked
---@field lines string[]? the merged rows
---@field edits botglue.Edit[]? that make them of the current ones

---@type botglue.Merged
local LOST = { clean = false, lost = true }

--- Asks. While a question of a job is open no other is asked.
---@param job botglue.Job
---@param purpose "land"|"accept"|"revert"
---@param texts { base: string[], current: string[], answer: string[] } by rows
---@param reply fun(merged: botglue.Merged, tick: integer) called once; `tick` is the buffer's from when it was asked
function M.ask(job, purpose, texts, reply)
  local connection = client.connection()
  local questions = connection.questions
  local question = { purpose = purpose, tick = vim.api.nvim_buf_get_changedtick(job.range.bufnr) }
  local patience
  function question.reply(merged)
    if questions[job.id] ~= question then
      return
    end
    questions[job.id] = nil
    deadline.stop(patience)
    reply(merged, question.tick)
  end
  local function send()
    question.process = client.connect(job.options)
    if not question.process then
      question.reply(LOST)
      return
    end
    question.process:notify("merge", {
      id = job.id,
      purpose = purpose,
      tick = question.tick,
      base = bytes.to_text(texts.base),
      current = bytes.to_text(texts.current),
      answer = bytes.to_text(texts.answer),
    })
  end
  local again = true
  function question.lost()
    if not again then
      question.reply(LOST)
      return
    end
    again = false
    send()
  end
  questions[job.id] = question
  patience = deadline.start(connection.merged_within, function()
    question.reply(LOST)
  end)
  send()
end

--- Rows of a reply as they were asked about.
---@param merged botglue.Merged
---@return botglue.Merged
local function recalled(merged)
  local edits = merged.edits
    and vim.tbl_map(function(edit)
      return vim.tbl_extend("force", edit, { lines = bytes.from_text(edit.lines) })
    end, merged.edits)
  local rows = merged.lines and bytes.from_text(merged.lines)
  return { clean = merged.clean, lines = rows, edits = edits }
end

--- The host's reply.
---@param merged { id: integer, purpose: string, tick: integer, clean: boolean }
function M.reply(merged)
  local question = client.connection().questions[merged.id]
  if question and question.purpose == merged.purpose and question.tick == merged.tick then
    question.reply(recalled(merged))
  end
end

return M
