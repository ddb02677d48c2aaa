local child = require("support.child")
local jobs = require("support.jobs")
local suite = require("support.suite")
local test, equal, contains = suite.test, suite.equal, suite.contains
local with_jobs, open = jobs.stored, jobs.open_history

test("F, P, A and S list the file, the project, all, and this Neovim", function()
  local nvim = with_jobs(3, { ["2"] = { path = "/elsewhere/a.txt", project = "/elsewhere" } })
  open(nvim)
  nvim:type("F")
  contains(nvim:messages(), "botglue: the buffer that this was opened from has no file")
  nvim:type("q")
  nvim:lua("vim.cmd.edit({ path, bang = true })")
  nvim:lua("vim.cmd.lcd(vim.fs.dirname(path))")
  open(nvim)
  for _, case in ipairs({ { "F", 2 }, { "A", 3 }, { "P", 2 }, { "A", 3 }, { "S", 1 } }) do
    nvim:type(case[1])
    nvim:eventually(case[1], "return vim.api.nvim_buf_line_count(0) == ...", case[2])
  end
  nvim:eventually("it is empty", "return vim.fn.getline(1):find('no jobs in this session') ~= nil")
  nvim:type(":Botglue history<CR>F")
  nvim:eventually("the file of the list", "return vim.api.nvim_buf_line_count(0) == 2")
end)

test("a file is that of its links too", function()
  local nvim = with_jobs(2)
  nvim:lua("vim.uv.fs_symlink(path, path .. '.link') vim.cmd.edit({ path .. '.link', bang = true })")
  open(nvim)
  nvim:type("F")
  nvim:eventually("its jobs are there", "return vim.api.nvim_buf_line_count(0) == 2")
  nvim:type("q")
  local id = nvim:run(child.line(1))
  equal(nvim:job(id).path, nvim:lua("return path"))
end)

test("why a store cannot be read is said once, whole, in the window", function()
  local nvim = with_jobs(1)
  local file = nvim:lua([[
    _G.data_dir = vim.fn.stdpath("data") .. "/botglue"
    vim.uv.fs_rename(data_dir, data_dir .. ".away")
    vim.fn.writefile({ "no folder" }, data_dir)
    return data_dir
  ]])
  nvim:type(":Botglue history<CR>")
  nvim:eventually("it is told", "return vim.fn.getline(1):find('the store cannot be written') ~= nil")
  local why = "the store cannot be written (%s: File exists (os error 17)); give yourself the right to write in "
    .. "`data_dir`, or set it to another folder"
  why = why:format(file):gsub(" ", "")
  equal((table.concat(nvim:lines()):gsub(" ", "")), why)
  nvim:lua("vim.fn.delete(data_dir) vim.uv.fs_rename(data_dir .. '.away', data_dir)")
  nvim:type("A")
  nvim:eventually("it can be read again", "return vim.fn.getline(1):find('prompt 1') ~= nil")
end)

--- Runs a job of this Neovim, which ends now.
local function ends(nvim, number, prompt)
  nvim:lua(
    [[
      local prompt = ...
      require("botglue").run({ prompt = prompt, bufnr = start, range = { kind = "line", first = { 1 }, last = { 1 } } })
    ]],
    prompt or ("new " .. number)
  )
  nvim:answer(number, { "start" })
end

test("s looks for words, of which a list stays one, and for all again", function()
  -- Words of their own: the store looks in paths too, and those of temporary files hold any letter and digit.
  local nvim = with_jobs(30, { ["2"] = { prompt = "extraordinary two" } })
  open(nvim)
  nvim:type("s")
  nvim:type("extraordinary<CR>")
  nvim:shows('all · "extraordinary" · 1 ╮')
  ends(nvim, 1)
  ends(nvim, 2, "as extraordinary")
  nvim:eventually("the one like it is there", "return vim.fn.getline(1):find('as extraordinary') ~= nil")
  equal(nvim:lua("return vim.fn.line('$')"), 2)
  nvim:type("s")
  nvim:type("<C-u>nothing like it<CR>")
  nvim:eventually("there is none", "return vim.fn.getline(1):find('no job matches') ~= nil")
  nvim:type("p")
  contains(nvim:messages(), "botglue: there is no job")
  nvim:type("s")
  nvim:type("<C-u><CR>")
  nvim:eventually("all are back", "return vim.api.nvim_buf_line_count(0) == 32")
end)

test("<C-q> puts the rows into the quickfix list", function()
  local nvim = with_jobs(2, { ["2"] = { path = "" } })
  open(nvim)
  nvim:type("<C-q>")
  local items = nvim:lua([[
    return vim.tbl_map(function(item)
      return { item.bufnr > 0 and vim.uv.fs_realpath(vim.fn.bufname(item.bufnr)) == vim.uv.fs_realpath(path),
        item.lnum, item.valid, item.text:match("prompt %d") }
    end, vim.fn.getqflist())
  ]])
  equal(items, { { true, 2, 1, "prompt 1" }, { false, 2, 0, "prompt 2" } })
  equal(
    nvim:lua("return { vim.bo.buftype, vim.fn.getqflist({ title = 1 }).title }"),
    { "quickfix", "botglue history" }
  )
end)
