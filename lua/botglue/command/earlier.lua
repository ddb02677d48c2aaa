--- Announces held answers of earlier sessions, and takes them over. Where there is a journal the host's program says
--- which files have answers of a Neovim that is gone. A host is started once one of the files is read.

require("botglue.wiring")

local client = require("botglue.host.client")
local connection = require("botglue.host.connection")

local M = {}

local api = vim.api

--- How many of the files are in the project of the working directory.
---@param paths string[]
---@return integer
local function count_here(paths)
  local root = vim.fs.root(vim.fn.getcwd(), ".git") or vim.fn.getcwd()
  return #vim.tbl_filter(function(path)
    return vim.startswith(path, root .. "/")
  end, paths)
end

--- Takes the answers over once one of their files is in a buffer.
---@param paths string[]
local function adopt_when_read(paths)
  local function is_one(bufnr)
    return vim.tbl_contains(paths, require("botglue.util.buffer_path")(bufnr))
  end
  local function adopt()
    require("botglue.host.query").ask("held", {}, function(_, err)
      if err then
        require("botglue.host.notify").warn("botglue: " .. err)
      end
    end)
  end
  if vim.iter(api.nvim_list_bufs()):filter(api.nvim_buf_is_loaded):any(is_one) then
    adopt()
    return
  end
  api.nvim_create_autocmd("BufReadPost", {
    desc = "botglue: the held answers of this file",
    callback = function(event)
      if connection.earlier == 0 then
        return true
      elseif is_one(event.buf) then
        adopt()
        return true
      end
    end,
  })
end

---@param paths string[] of files with held answers
---@param options botglue.Options
local function tell(paths, options)
  connection.earlier = count_here(paths)
  if connection.earlier > 0 and options.notify ~= "none" then
    local what = connection.earlier == 1 and "an answer" or connection.earlier .. " answers"
    require("botglue.host.notify").warn(
      ("botglue: :Botglue review shows %s held in an earlier session"):format(what)
    )
  end
  if #paths > 0 then
    adopt_when_read(paths)
  end
end

--- Announces the answers that wait in this project, and shows each in its file as soon as that is read.
function M.announce()
  local options = client.options()
  local dir = vim.fs.joinpath(options.data_dir, "journal")
  local has_journal = vim.iter(vim.fs.dir(dir)):any(function(name)
    return vim.endswith(name, ".jsonl")
  end)
  local host = has_journal and require("botglue.host.process").binary(options)
  if host then
    vim.system(
      { host, "held", options.data_dir },
      {},
      vim.schedule_wrap(function(said)
        local ok, paths = pcall(vim.json.decode, said.stdout)
        tell(ok and paths or {}, options)
      end)
    )
  end
end

return M
