-- Jobs as a plugin without a host runs them: their output is split into lines, decoded and shown in Neovim.

local channel, command = ...
local api = vim.api
local namespace = api.nvim_create_namespace("in_process")

local P = {}

---@param first integer row from 0
---@param rows integer
---@param ended fun()
local function start(first, rows, ended)
  local range = api.nvim_buf_set_extmark(0, namespace, first, 0, { end_row = first + rows, end_col = 0 })
  local bufnr, status, rest = api.nvim_get_current_buf(), nil, ""
  local function show(words)
    status = api.nvim_buf_set_extmark(bufnr, namespace, first + rows - 1, 0, {
      id = status,
      virt_lines = { { { words, "Comment" } } },
    })
  end
  local function take(line)
    local message = vim.json.decode(line)
    if message.type == "assistant" then
      local tool = message.message.content[1]
      show(("%s %s"):format(tool.name, tool.input.file_path))
    elseif message.type == "user" then
      show("thinking")
    elseif message.type == "result" then
      local place = api.nvim_buf_get_extmark_by_id(bufnr, namespace, range, { details = true })
      local lines = vim.split(message.result, "\n")
      api.nvim_buf_set_lines(bufnr, place[1], place[3].end_row, true, lines)
      api.nvim_buf_del_extmark(bufnr, namespace, range)
      api.nvim_buf_del_extmark(bufnr, namespace, status)
    end
  end
  show("starting")
  local job = vim.fn.jobstart(command, {
    on_stdout = function(_, data)
      rest = rest .. data[1]
      for i = 2, #data do
        take(rest)
        rest = data[i]
      end
    end,
    on_exit = ended,
  })
  vim.fn.chansend(job, "change it\n")
  vim.fn.chanclose(job, "stdin")
end

---@param run { jobs: integer, every: integer, rows: integer }
function P.run(run)
  local ended = 0
  for n = 0, run.jobs - 1 do
    start(n * run.every, run.rows, function()
      ended = ended + 1
      if ended == run.jobs then
        vim.rpcnotify(channel, "botglue_test", "ended", "")
      end
    end)
  end
end

_G.P = P
