-- nvim -l luacheck.lua MODULES ARGUMENT…: luacheck, run by Neovim's own Lua.
--
-- luacheck wants the C module `lfs`; the few calls of it that luacheck makes are served by vim.uv here, so that
-- neither a Lua interpreter nor a compiled module has to be installed.

local modules = table.remove(arg, 1)
package.path = ("%s/?.lua;%s/?/init.lua;%s"):format(modules, modules, package.path)

local MODES = { directory = "directory", file = "file" }

package.preload.lfs = function()
  local lfs = { _VERSION = "vim.uv" }

  function lfs.currentdir()
    return vim.uv.cwd()
  end

  function lfs.mkdir(path)
    return vim.uv.fs_mkdir(path, tonumber("755", 8))
  end

  function lfs.attributes(path, name)
    local found, reason = vim.uv.fs_stat(path)
    if not found then
      return nil, reason
    end
    local all = { mode = MODES[found.type] or "other", modification = found.mtime.sec, size = found.size }
    if name then
      return all[name]
    end
    return all
  end

  function lfs.dir(path)
    local names = { ".", ".." }
    for name in vim.fs.dir(path) do
      names[#names + 1] = name
    end
    local at = 0
    return function()
      at = at + 1
      return names[at]
    end
  end

  return lfs
end

require("luacheck.main")
