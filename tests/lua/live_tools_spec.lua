-- The newest tools of a job that runs, beside its range.

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

--- What is at the right edge of the rows of the screen.
local function shows(nvim, first, expected)
  suite.eventually("beside the rows from " .. first .. ": " .. vim.inspect(expected), function()
    local rows = vim.split(nvim:screen(), "\n")
    return vim.deep_equal(
      expected,
      vim.tbl_map(function(row)
        return row:match("[✓✗▸]+ Read %d+.*$") or ""
      end, vim.list_slice(rows, first, first + #expected - 1))
    )
  end)
end

test("with the cursor in the range its newest tools are listed beside its last rows", function()
  local nvim = child.with_host(numbered(20))
  nvim:lua("vim.api.nvim_buf_set_lines(0, 9, 10, true, { ('long '):rep(20) })")
  nvim:type(":set nomodifiable<CR>10G")
  local view = "return vim.fn.winsaveview()"
  local before = nvim:lua(view)
  nvim:run(line(8, 13))
  use_tools(nvim, { "ok", "error", "running" })
  shows(nvim, 10, { "", "", "✓ Read 1", "✗ Read 2", "▸ Read 3", "" })
  use_tools(nvim, { "error", "error", "error", "error", "error", "error" })
  shows(nvim, 9, { "✗ Read 5", "", "✗ Read 6", "✗ Read 7", "✗ Read 8", "✗ Read 9" })
  equal({ nvim:lua(view), nvim:messages() }, { before, "" })
  nvim:type("gg")
  shows(nvim, 10, { "", "", "", "", "" })
  nvim:type(":set modifiable<CR>")
  nvim:answer(1, { "x" })
  equal(nvim:drawn(), 0, "the job has ended")
end)
