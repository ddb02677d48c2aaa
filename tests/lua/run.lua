-- Runs the specs: nvim --clean --headless -l tests/lua/run.lua [part of a spec's or a test's name …]
-- BOTGLUE_TEST_TIMES=1 prints the slowest tests.
-- The Neovims that specs start are BOTGLUE_TEST_NVIM, else the one that runs this.

local here = vim.fn.fnamemodify(debug.getinfo(1, "S").source:sub(2), ":p:h")
local root = vim.fs.dirname(vim.fs.dirname(here))
vim.opt.runtimepath:prepend(root)
package.path = ("%s/?.lua;%s"):format(here, package.path)

-- Hundreds of stores are written: in memory where the system has a place for that (Linux).
local memory = vim.uv.fs_access("/dev/shm", "W") and vim.uv.fs_mkdtemp("/dev/shm/botglue-XXXXXX")
vim.env.TMPDIR = memory or vim.env.TMPDIR

local suite = require("support.suite")
for name, kind in vim.fs.dir(here) do
  if kind == "file" and name:match("_spec%.lua$") then
    suite.load(name:gsub("_spec%.lua$", ""), here .. "/" .. name)
  end
end
local ok = suite.run(_G.arg)
if memory then
  vim.fn.delete(memory, "rf")
end
os.exit(ok and 0 or 1)
