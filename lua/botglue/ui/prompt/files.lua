--- Lists and searches the files of a project, as paths below its directory: those that git knows, else those that a
--- walk finds. They arrive in pieces, without blocking; of a huge tree some are missing.

local program = require("botglue.util.program")

local M = {}

local uv = vim.uv

local MOST = 200000 -- of a repository; the last piece of git's output may bring some more
local MOST_WALKED = 20000
-- Never walked into: what is in them was not written here.
local SKIPPED = { node_modules = true, target = true, __pycache__ = true, vendor = true }

---@class botglue.Files
---@field root string
---@field list string[]
---@field done boolean
---@field stopped boolean?
---@field job integer? git's
---@field rest string the beginning of a path whose end has not come yet
local Files = {}
Files.__index = Files

--- Takes what git printed: paths that end with a NUL.
---@param data string
function Files:take(data)
  local paths = vim.split(self.rest .. data, "\0", { plain = true })
  self.rest = table.remove(paths)
  vim.list_extend(self.list, paths)
  if #self.list >= MOST then
    self:stop()
  end
end

-- The project's own configuration must run nothing: neither a monitor of files, nor a program that would fetch what a
-- partial clone lacks, whatever version of git it is.
local ENVIRONMENT = { GIT_OPTIONAL_LOCKS = "0", GIT_NO_LAZY_FETCH = "1", GIT_ALLOW_PROTOCOL = "" }

-- git may hang, on a `.gitignore` that is a pipe for one. However Neovim ends, the end of stdin ends both processes.
local GUARDED = 'exec 3<&0 </dev/null; { read _ <&3; kill -9 0; } >/dev/null 2>&1 & exec "$@" 3<&-'

function Files:git()
  local git = program.find("git")
  if not git then
    self:walk()
    return
  end
  local command = { "/bin/sh", "-c", GUARDED, "sh", git, "-c", "core.fsmonitor=false" }
  vim.list_extend(command, { "ls-files", "-z", "--cached", "--others", "--exclude-standard" })
  local ok, job = pcall(vim.fn.jobstart, command, {
    cwd = self.root,
    env = vim.tbl_extend("error", { PATH = program.search_path() }, ENVIRONMENT),
    on_stdout = function(_, lines)
      if not self.stopped then
        -- Neovim splits at line breaks, and writes a NUL as one.
        local parts = vim.tbl_map(function(line)
          return (line:gsub("\n", "\0"))
        end, lines)
        self:take(table.concat(parts, "\n"))
      end
    end,
    on_exit = function(_, code)
      self.job = nil
      if code ~= 0 and #self.list == 0 and not self.stopped then
        self:walk()
      else
        self.done = true
      end
    end,
  })
  if ok and job > 0 then
    self.job = job
  else
    self:walk()
  end
end

--- One folder after another, nearest first.
function Files:walk()
  local folders, next_folder = { "" }, 1
  local function step()
    local folder = folders[next_folder]
    if not folder or self.stopped or #self.list >= MOST_WALKED then
      self.done = true
      return
    end
    next_folder = next_folder + 1
    uv.fs_scandir(self.root .. "/" .. folder, function(_, entries)
      while entries do
        local name, kind = uv.fs_scandir_next(entries)
        if not name then
          break
        elseif kind == "directory" and name:sub(1, 1) ~= "." and not SKIPPED[name] then
          folders[#folders + 1] = folder .. name .. "/"
        elseif kind == "file" or kind == "link" then
          self.list[#self.list + 1] = folder .. name
        end
      end
      step()
    end)
  end
  step()
end

function Files:stop()
  self.stopped, self.done = true, true
  if self.job then
    vim.fn.jobstop(self.job)
    self.job = nil
  end
end

---@param root string
---@return botglue.Files
function M.start(root)
  local self = setmetatable({ root = root, list = {}, done = false, rest = "" }, Files)
  self:git()
  return self
end

local SLICE = 3 -- milliseconds of work at a time
local MOST_FOUND = 50

--- How well a path matches, 1 best; nil where it does not.
---@param path string
---@param query string of lower-case letters
---@return integer?
local function rank(path, query)
  local lower = path:lower()
  local at = lower:find(query, 1, true)
  if at then
    local name = lower:match("[^/]*$")
    local within = name:find(query, 1, true)
    return within == 1 and 1 or at == 1 and 2 or within and 3 or 4
  end
  local from = 1
  for i = 1, #query do
    local found = lower:find(query:sub(i, i), from, true)
    if not found then
      return nil
    end
    from = found + 1
  end
  return 5
end

--- Looks for paths, in slices between which the editor has its turn.
---@param files botglue.Files
---@param query string
---@param reply fun(paths: string[]) called with the first that are there, and again at the end if there are more
---@return fun() stop
function M.search(files, query, reply)
  local found, at, stopped = { {}, {}, {}, {}, {} }, 1, false
  local count, replied = 0, 0
  query = query:lower()
  local function best()
    local paths = {}
    for _, tier in ipairs(found) do
      table.sort(tier, function(a, b)
        return #a ~= #b and #a < #b or #a == #b and a < b
      end)
      for _, path in ipairs(tier) do
        if #paths < MOST_FOUND then
          paths[#paths + 1] = path
        end
      end
    end
    return paths
  end
  local function step()
    if stopped then
      return
    end
    local started, list = uv.hrtime(), files.list
    while at <= #list do
      local tier = rank(list[at], query)
      if tier and #found[tier] < 4 * MOST_FOUND then
        table.insert(found[tier], list[at])
        count = count + 1
      end
      at = at + 1
      if at % 256 == 0 and uv.hrtime() - started > SLICE * 1e6 then
        break
      end
    end
    local over = at > #list and files.done
    if over and (replied == 0 or replied < count) or at > #list and replied == 0 and count > 0 then
      replied = count
      reply(best())
    end
    if not over then
      vim.defer_fn(step, at > #list and 20 or 1)
    end
  end
  step()
  return function()
    stopped = true
  end
end

return M
