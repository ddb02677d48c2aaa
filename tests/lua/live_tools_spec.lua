-- The list of the newest tools of a job that runs, beside its range.

local child = require("support.child")
local suite = require("support.suite")
local test, equal = suite.test, suite.equal
local numbered, line = child.numbered, child.line

--- Has the agent of job 1 call tools, and waits until they can be seen.
---@param statuses ("ok"|"error"|"running")[] how far each comes
local function use_tools(nvim, statuses)
  local count = #nvim:job(1).tools
  for i, status in ipairs(statuses) do
    local call = nvim:agent(1, "call", "Read", { file_path = tostring(count + i) })
    if status ~= "running" then
      nvim:agent(1, "result", call, "what came of it", status == "error")
    end
  end
  nvim:eventually(
    "the tools have come",
    [[
      local count, status = ...
      local tools = require("botglue").job(1).tools
      return #tools == count and tools[count].status == status
    ]],
    count + #statuses,
    statuses[#statuses]
  )
  nvim:ticks(2)
end

local function list(nvim)
  local found = nvim:lua([[
    vim.cmd.redraw()
    for _, win in ipairs(vim.api.nvim_list_wins()) do
      local config = vim.api.nvim_win_get_config(win)
      if config.relative ~= "" then
        local lines = vim.api.nvim_buf_get_lines(vim.api.nvim_win_get_buf(win), 0, -1, true)
        return {
          row = config.row,
          right = config.col + config.width,
          focusable = config.focusable,
          lines = lines,
          top = vim.fn.line("w0", win),
        }
      end
    end
  ]])
  return found ~= vim.NIL and found or nil
end

test("with the cursor in the range its newest tools are listed beside it", function()
  local nvim = child.with_host(numbered(20))
  nvim:type(":set nomodifiable<CR>10G")
  local view = "return vim.fn.winsaveview()"
  local before = nvim:lua(view)
  nvim:run(line(8, 12))
  nvim:ticks(2)
  equal(list(nvim), nil, "there are none yet")
  use_tools(nvim, { "ok", "error", "running" })
  local lines = { " ✓ Read 1 ", " ✗ Read 2 ", " ▸ Read 3 " }
  equal(list(nvim), { row = 7, right = 80, focusable = false, top = 1, lines = lines })
  use_tools(nvim, { "error", "error", "error", "error", "error", "error" })
  equal({ #list(nvim).lines, list(nvim).lines[5] }, { 5, " ✗ Read 9 " }, "no more")
  equal(nvim:lua("return { vim.go.wrap, vim.go.winhighlight }"), { true, "" }, "nothing for other windows")
  equal({ nvim:lua(view), nvim:messages() }, { before, "" })
  nvim:type("gg")
  nvim:ticks(2)
  equal(list(nvim), nil, "the cursor has left")
  nvim:type("12G")
  nvim:ticks(2)
  equal(list(nvim).row, 7)
  nvim:type(":set modifiable<CR>")
  nvim:answer(1, { "x" })
  equal(list(nvim), nil, "the job has ended")
  equal(nvim:lua("return #vim.api.nvim_list_bufs()"), 1)
end)

test("it covers neither the range nor the rows below it, and needs room beside them", function()
  local nvim = child.with_host(numbered(20))
  nvim:lua("vim.api.nvim_buf_set_lines(0, 9, 10, true, { ('long '):rep(15) })")
  nvim:type("10G")
  nvim:run(line(10))
  use_tools(nvim, { "ok", "ok" })
  equal(list(nvim).row, 7, "above it")
  nvim:type("zt")
  nvim:ticks(2)
  equal(list(nvim).row, 2, "below its status")
  nvim:lua("vim.cmd('vsplit | vertical resize 15')")
  nvim:ticks(2)
  equal(list(nvim), nil, "a narrow window has none")
end)

test("the list does not keep a window or Neovim open", function()
  local nvim = child.with_host(numbered(5))
  nvim:lua("vim.cmd.split()")
  nvim:run(line(1))
  use_tools(nvim, { "ok" })
  equal(list(nvim) ~= nil, true)
  nvim:type(":close<CR>")
  nvim:ticks(2)
  nvim:type(":only<CR>")
  nvim:ticks(2)
  equal(nvim:messages():find("E%d"), nil, nvim:messages())
  equal(list(nvim) ~= nil, true, "it comes back")
end)
