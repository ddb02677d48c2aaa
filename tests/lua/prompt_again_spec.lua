-- An open prompt that is left and gone to again: one is afterwards where one came from last, in the mode that one was
-- in there.

local child = require("support.child")
local suite = require("support.suite")
local equal, test = suite.equal, suite.test

local LINES = child.numbered(12)

local function start()
  local nvim = child.with_host(LINES)
  nvim:lua("vim.keymap.set('i', '<F5>', '<Cmd>Botglue<CR>')")
  return nvim
end

--- Where one is: the mode, the window, the row, and what stands there.
local function here(nvim)
  return nvim:lua([[
    local row = vim.fn.line(".")
    return { vim.api.nvim_get_mode().mode, vim.api.nvim_get_current_win(), row, vim.fn.getline(row) }
  ]])
end

--- Of each way back to the prompt: what is typed until one is there, what in it, what after it is closed, and where one
--- is then. The window is the first one where none is named.
local WAYS = {
  ["who types elsewhere by now types on there"] = {
    { "3GVj:Botglue<CR>words<Esc><C-w>w7GA typ<F5>", "more", "ed", { "i", 7, "line 7 typed" } },
    { "3GA<F5>words<Esc><C-w>w7GA typ<F5>", "more", "ed", { "i", 7, "line 7 typed" } },
  },
  ["who types no more is in normal mode, at the row and in the window of by now"] = {
    { "7GA typed<F5>words<Esc><C-w>w3Gdd:Botglue<CR><Esc>", "A", "", { "n", 3, "line 4" } },
  },
  ["who has changed the tab page stays in this one"] = {
    { "7GA typ<F5>words<Esc>:tabnew<CR>gt", "A", "ed", { "i", 7, "line 7 typed" } },
  },
  ["a window that was closed again is none to go back to"] = {
    { "7GA typ<F5>words<Esc>:Botglue history<CR>:close<CR>", "A", "ed", { "i", 7, "line 7 typed" } },
    { "7GA typ<F5>words<Esc>:tabnew<CR>:close<CR>", "A", "ed", { "i", 7, "line 7 typed" } },
  },
}

for name, ways in pairs(WAYS) do
  test(name, function()
    for i, way in ipairs(ways) do
      local last = i % 2 == 1 and "<C-s>" or "<Esc>q"
      local nvim = start()
      -- A command that opens a window is over before the next key.
      for keys in way[1]:gsub("<CR>", "<CR>\n"):gsub("<Esc>", "<Esc>\n"):gmatch("[^\n]+") do
        nvim:type(keys)
      end
      assert(nvim:lua("return vim.bo.filetype == 'botglue-prompt'"), way[1])
      nvim:type(way[2] .. last)
      nvim:type(way[3])
      local at = here(nvim)
      equal({ at[1], at[3], at[4], at[2] }, { way[4][1], way[4][2], way[4][3], 1000 }, way[1])
    end
  end)
end

test("a prompt that is ended in one command out of Insert mode", function()
  for _, keys in ipairs({
    "abc<C-o>q",
    "abc<C-o>:q<CR>",
    "abc d<S-Left><C-s>",
  }) do
    local nvim = start()
    nvim:lua("vim.cmd('set selectmode=key keymodel=startsel')")
    nvim:type("3GV:Botglue<CR>")
    nvim:type(keys)
    nvim:type("jx")
    equal({ nvim:lines()[4], nvim:api("get_mode").mode }, { "ine 4", "n" })
    nvim:type("ix<Esc>")
    equal(nvim:lines()[4], "xine 4")
  end
end)
