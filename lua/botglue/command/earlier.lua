--- Announces held answers of earlier sessions, and takes them over. Hosts keep small files beside their journals, which
--- name the files of held answers (`journal/SESSION.held`, one object a line); a host is started once one of these is
--- read.

require("botglue.wiring")

local client = require("botglue.host.client")
local connection = require("botglue.host.connection")

local M = {}

local api = vim.api

--- The files of answers whose Neovim is gone.
---@param dir string
---@return string[]
local function read(dir)
  local paths = {}
  for name in vim.fs.dir(dir) do
    local file = name:match("%.held$") and io.open(dir .. "/" .. name)
    for line in file and file:lines() or function() end do
      local ok, answer = pcall(vim.json.decode, line)
      local owner, path = ok and type(answer) == "table" and answer.owner, ok and answer.path
      if
        type(owner) == "string"
        and type(path) == "string"
        and not require("botglue.util.pid").is_alive(owner)
      then
        paths[#paths + 1] = path
      end
    end
    if file then
      file:close()
    end
  end
  return paths
end

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
    require("botglue.host.query").ask("held", {}, function(result, err)
      connection.earlier = result and 0 or connection.earlier
      if err then
        require("botglue.host.notify").warn("botglue: see :Botglue log: held answers cannot be read: " .. err)
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

--- Announces the answers that wait in this project, and shows each in its file as soon as that is read.
function M.announce()
  local options = client.options()
  local paths = read(vim.fs.joinpath(options.data_dir, "journal"))
  connection.earlier = count_here(paths)
  if #paths == 0 then
    return
  end
  if connection.earlier > 0 and options.notify ~= "none" then
    local what = connection.earlier == 1 and "an answer" or connection.earlier .. " answers"
    require("botglue.host.notify").warn(
      ("botglue: :Botglue review shows %s held in an earlier session"):format(what)
    )
  end
  adopt_when_read(paths)
end

return M
