-- Plays the scene of the demo: three jobs run at once while a user types in the same buffer. On a terminal it is seen.
-- Without one what happens is printed, and the exit code is 1 if an answer did not land in its own range or a typed
-- character is missing. `run` beside this file prepares the working directory and says which agent answers.

local here = vim.fs.dirname(vim.fs.normalize(debug.getinfo(1, "S").source:sub(2)))
local script = dofile(here .. "/script.lua")
local agent = vim.env.BOTGLUE_DEMO_AGENT
local recorded = agent:find("replay$") ~= nil
local is_seen = not vim.list_contains(vim.v.argv, "--headless")

local PAUSE = is_seen and 500 or 10 -- milliseconds between two steps, for the eye
-- A model of the user's own takes as long as it takes; the plugin's own timeout ends it.
local LIMIT = recorded and 30000 or 320000

local function lines()
  return vim.api.nvim_buf_get_lines(0, 0, -1, true)
end

local function say(format, ...)
  if not is_seen then
    io.write(format:format(...), "\n")
    io.flush()
  end
end

local start = vim.uv.hrtime()
local function timeline(who, format, ...)
  say("  %5.2fs  %-6s %s", (vim.uv.hrtime() - start) / 1e9, who, format:format(...))
end

--- The rows of a function of the sample, from 1: its first line and its closing brace.
local function rows_of(name)
  local all, first = lines(), nil
  for row, line in ipairs(all) do
    first = first or vim.startswith(line, "pub fn " .. name .. "(") and row
    if first and line == "}" then
      return first, row
    end
  end
  error("the sample has no function " .. name)
end

--- Whether `part` stands in the buffer as one block.
local function holds(part)
  return ("\n" .. table.concat(lines(), "\n") .. "\n"):find("\n" .. table.concat(part, "\n") .. "\n", 1, true)
    ~= nil
end

--- What is wrong with the end of a job; nothing where it is right.
---@param name string
---@param job table?
local function complaint(name, job)
  if not job then
    return ("the job on `%s` never finished"):format(name)
  elseif job.status ~= "done" then
    return ("the job on `%s` failed: %s"):format(name, job.error and job.error.message or job.status)
  elseif not vim.list_contains({ "applied", "unchanged" }, job.landing) then
    return ("the answer for `%s` did not land: %s %s"):format(name, job.landing, job.held_for or "")
  end
  -- The code of an answer is in its fence, or all of it.
  local code = job.text:match("```%w*\n(.-)\n```") or (job.text:gsub("\n+$", ""))
  return not holds(vim.split(code, "\n")) and ("the answer for `%s` is not in the buffer"):format(name) or nil
end

--- Prints the end, and quits.
local function report(before, finished)
  local function text(rows)
    return table.concat(rows, "\n") .. "\n"
  end
  say("\nThe buffer, before and after")
  for line in vim.gsplit(vim.trim(vim.diff(text(before), text(lines()), { ctxlen = 1 })), "\n") do
    say("  %s", line)
  end
  local wrong = {}
  for _, asked in ipairs(script.jobs) do
    table.insert(wrong, complaint(asked.name, finished[asked.prompt]))
  end
  for _, piece in ipairs(script.typing) do
    if not holds(piece.lines) then
      table.insert(wrong, "something typed is missing: " .. table.concat(piece.lines, "\\n"))
    end
  end
  say("")
  for _, sentence in ipairs(wrong) do
    say("wrong: %s", sentence)
  end
  if #wrong == 0 then
    say("Every answer is in its own range, and every typed character is there.")
  end
  vim.cmd.cquit({ count = #wrong == 0 and 0 or 1, bang = true })
end

local play

--- Waits without holding Neovim up.
---@param ms integer
local function pause(ms)
  vim.defer_fn(play, ms)
  coroutine.yield()
end

---@param text string
local function type_in(text)
  for key in text:gmatch("[%z\1-\127\194-\244][\128-\191]*") do
    vim.api.nvim_input(key == "<" and "<lt>" or key == "\n" and "<CR>" or key)
    pause(script.key_ms)
  end
end

play = coroutine.wrap(function()
  local before, finished, tools = lines(), {}, {}
  vim.api.nvim_create_autocmd("User", {
    pattern = "BotglueJob*",
    callback = function(event)
      local job = event.data
      if event.match == "BotglueJobUpdated" and job.tool and tools[job.id] ~= job.tool then
        tools[job.id] = job.tool
        timeline("job " .. job.id, "%s", job.tool)
      elseif event.match == "BotglueJobFinished" then
        finished[job.prompt] = job
        local rows = ("lines %s-%s"):format(job.first_line, job.last_line)
        local became = job.landing == "applied" and "its answer lands in " .. rows
          or job.error and job.error.code
          or job.held_for
          or job.landing
        timeline("job " .. job.id, "%s", became)
      end
    end,
  })
  local playing = recorded and "three recorded answers play at once"
    or ("three jobs for %s at once"):format(agent)
  say("botglue · Neovim %s · %s, while somebody types\n\nWhat happened", tostring(vim.version()), playing)
  pause(2 * PAUSE)
  for _, job in ipairs(script.jobs) do
    local first, last = rows_of(job.name)
    timeline("you", 'select `%s`, lines %d-%d, and ask: "%s"', job.name, first, last, job.prompt)
    vim.api.nvim_input(("%dGV%dG"):format(first, last))
    pause(PAUSE)
    if is_seen then
      type_in((":Botglue run %s%s\n"):format(recorded and ("++agent=%s "):format(job.name) or "", job.prompt))
    else
      require("botglue").run({ prompt = job.prompt, agent = recorded and job.name or agent })
      vim.api.nvim_input("<Esc>")
    end
  end
  for _, piece in ipairs(script.typing) do
    timeline("you", "type %s", piece.above and ("above `%s`"):format(piece.above) or "at the end of the file")
    vim.api.nvim_input(piece.keys)
    pause(PAUSE)
    type_in(table.concat(piece.lines, "\n"))
    vim.api.nvim_input("<Esc>")
  end
  timeline("you", "have typed everything")
  local waited = 0
  while vim.tbl_count(finished) < #script.jobs and waited < LIMIT do
    waited = waited + PAUSE
    pause(PAUSE)
  end
  if is_seen then
    dofile(here .. "/welcome.lua")
  else
    report(before, finished)
  end
end)
play()
