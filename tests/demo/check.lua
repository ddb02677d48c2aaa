-- What the buffer has to hold in the end, and what is wrong where it does not.

local M = {}

--- The rows of a function of the sample, from 1: its first line and its closing brace.
function M.rows_of(lines, name)
  for first, line in ipairs(lines) do
    if vim.startswith(line, "pub fn " .. name .. "(") then
      for last = first, #lines do
        if lines[last] == "}" then
          return first, last
        end
      end
    end
  end
  error("the sample has no function " .. name)
end

--- The code of an answer: what stands in its fence, or all of it.
local function code_of(answer)
  local fenced = answer:match("```%w*\n(.-)\n```")
  return vim.split(fenced or (answer:gsub("\n+$", "")), "\n")
end

--- Whether `part` stands in `lines` as one block.
local function holds(lines, part)
  return (table.concat(lines, "\n") .. "\n"):find("\n" .. table.concat(part, "\n") .. "\n", 1, true) ~= nil
end

--- One sentence for each thing that is wrong; none where all is well.
function M.complaints(after, script, jobs)
  local found = {}
  for _, asked in ipairs(script.jobs) do
    local job = jobs[asked.name]
    if not job then
      table.insert(found, ("the job on `%s` never finished"):format(asked.name))
    elseif job.status ~= "done" then
      table.insert(
        found,
        ("the job on `%s` failed: %s"):format(asked.name, job.error and job.error.message or job.status)
      )
    elseif not vim.list_contains({ "applied", "unchanged" }, job.landing) then
      table.insert(
        found,
        ("the answer for `%s` did not land: %s %s"):format(asked.name, job.landing, job.held_for or "")
      )
    elseif not holds(after, code_of(job.text)) then
      table.insert(found, ("the answer for `%s` is not in the buffer"):format(asked.name))
    end
  end
  for _, piece in ipairs(script.typing) do
    if not holds(after, piece.lines) then
      table.insert(found, "something typed is missing: " .. table.concat(piece.lines, "\\n"))
    end
  end
  return found
end

return M
