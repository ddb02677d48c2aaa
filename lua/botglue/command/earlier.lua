--- Announces held answers and interrupted jobs of earlier sessions, and takes the answers over. If there is a
--- journal, the host's program is run once to list what earlier sessions have left. A host is started only when the
--- file of an answer is read.

local client = require("botglue.host.client")
local connection = require("botglue.host.connection")
local notify = require("botglue.host.notify")

local M = {}

local api = vim.api

--- Takes the answers over once a buffer has one of their files.
---@param paths string[]
local function adopt_when_read(paths)
  --- Takes the answers over if a buffer has one of the files, and returns whether it has.
  local function adopt(bufnr)
    local has_file = api.nvim_buf_is_loaded(bufnr)
      and vim.list_contains(paths, require("botglue.editor.capture").path(bufnr))
    if has_file then
      require("botglue.host.ask").send("held", vim.empty_dict(), function(_, err)
        if err then
          notify.warn("botglue: " .. err)
        end
      end)
    end
    return has_file
  end
  if not vim.iter(api.nvim_list_bufs()):any(adopt) then
    api.nvim_create_autocmd("BufReadPost", {
      desc = "botglue: the held answers of this file",
      callback = function(event)
        return connection.earlier == 0 or adopt(event.buf)
      end,
    })
  end
end

--- Announces the held answers in this project, and has each shown in its file once that is read.
function M.announce()
  local ok, options = pcall(client.options) -- An error in them is shown when a command needs them.
  local has_journal = vim.iter(vim.fs.dir(ok and options.data_dir .. "/journal" or "")):any(function(name)
    return vim.endswith(name, ".jsonl")
  end)
  local host = has_journal and require("botglue.host.process").binary(options)
  if not host then
    return
  end
  local function on_listed(said)
    local is_read, left = pcall(vim.json.decode, said.stdout)
    connection.earlier = is_read and left.here or 0
    if is_read and left.words ~= vim.NIL and options.notify ~= "none" then
      notify.warn("botglue: " .. left.words)
    end
    if is_read and #left.paths > 0 then
      adopt_when_read(left.paths)
    end
  end
  local root = vim.fs.root(vim.fn.getcwd(), ".git") or vim.fn.getcwd()
  vim.system({ host, "held", options.data_dir, root }, {}, vim.schedule_wrap(on_listed))
end

return M
