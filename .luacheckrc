-- luacheck's settings: Neovim's Lua, and nothing global of our own.
std = "luajit"
cache = false
max_line_length = 120
read_globals = { "vim" }
-- Options of buffers, windows and globals are set through these.
globals = { "vim.g", "vim.b", "vim.w", "vim.o", "vim.bo", "vim.wo", "vim.go", "vim.opt", "vim.env", "vim.v" }
-- All that is pasted comes through it.
files["lua/botglue/editor/moment.lua"] = { globals = { "vim.paste" } }
ignore = { "212/_.*" }
-- Tests stand in for parts of Neovim.
files["tests"] = { globals = { "vim" } }
-- Annotations alone: no function there has a body.
files["tests/tools/meta"] = { ignore = { "211", "212", "241" } }
