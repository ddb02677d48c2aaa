-- nvim -l demo.lua: three jobs run at once in a real Neovim while a user types in the same buffer.
--
-- Prints what happened, and exits with 1 if an answer did not land in its own range or a typed character is
-- missing. `run` beside this file prepares the working directory and says which agent answers.

local here = vim.fs.dirname(vim.fs.normalize(debug.getinfo(1, "S").source:sub(2)))
package.path = here .. "/?.lua;" .. package.path
local check, Editor, script, tell = require("check"), require("editor"), require("script"), require("tell")

local agent = vim.env.BOTGLUE_DEMO_AGENT
local recorded = agent:find("replay$") ~= nil
-- A model of the user's own takes as long as it takes; the plugin's own timeout ends it.
local limit_ms = recorded and 30000 or 320000

local start = vim.uv.hrtime()
local function timeline(who, format, ...)
  local seconds = (vim.uv.hrtime() - start) / 1e9
  tell.line("  %s  %-6s %s", tell.paint("dim", ("%5.2fs"):format(seconds)), who, format:format(...))
end

local version = vim.version()
tell.line(
  "%s · Neovim %d.%d.%d · %s, while somebody types",
  tell.paint("bold", "botglue"),
  version.major,
  version.minor,
  version.patch,
  recorded and "three recorded answers play at once" or ("three jobs for %s at once"):format(agent)
)

local editor = Editor.start(vim.fn.getcwd())
editor:exec("vim.cmd.edit(...)", script.file)
local before = editor:lines()

local asked, finished, tools = {}, {}, {}
for _, request in ipairs(script.jobs) do
  -- By prompt: the id is known here only after the first events have come.
  asked[request.prompt] = request
end

--- What became of a job, in words.
local function outcome(request, job)
  if job.landing == "applied" then
    return ("the answer for `%s` lands in lines %d-%d"):format(request.name, job.first_line, job.last_line)
  end
  local reason = job.error and job.error.code or job.held_for or "nothing to write"
  return ("`%s` %s: %s"):format(request.name, job.landing or job.status, reason)
end

--- What one event of the plugin adds to the timeline.
editor:on_event(function(event, job)
  local request = asked[job.prompt]
  if not request then
    return
  end
  if event == "BotglueJobUpdated" and job.tool and tools[job.id] ~= job.tool then
    tools[job.id] = job.tool
    timeline("job " .. job.id, "%s", job.tool)
  elseif event == "BotglueJobFinished" then
    finished[request.name] = job
    timeline("job " .. job.id, "%s", outcome(request, job))
  end
end)

tell.heading("What happened")
for _, request in ipairs(script.jobs) do
  local first, last = check.rows_of(before, request.name)
  request.rows = ("%d-%d"):format(first, last)
  timeline("you", 'select `%s`, lines %s, and ask: "%s"', request.name, request.rows, request.prompt)
  editor:press(("%dGV%dG"):format(first, last))
  request.id = editor:exec(
    "return require('botglue').run(...)",
    { prompt = request.prompt, agent = recorded and request.name or agent }
  )
  editor:press("<Esc>")
end

for _, piece in ipairs(script.typing) do
  timeline("you", "type %s", piece.above and ("above `%s`"):format(piece.above) or "at the end of the file")
  editor:press(piece.keys)
  editor:type(table.concat(piece.lines, "\n"), script.key_ms)
  editor:press("<Esc>")
end
timeline("you", "have typed everything")

vim.wait(limit_ms, function()
  return vim.tbl_count(finished) == #script.jobs
end, 10)
local after = editor:lines()
editor:quit()

tell.heading("The buffer, before and after")
tell.diff(before, after)

tell.heading("The jobs")
for _, request in ipairs(script.jobs) do
  local job = finished[request.name] or { status = "never finished" }
  local landed = job.landing == "applied"
  tell.line(
    "  %s job %d  %-7s lines %-6s %-9s %s",
    landed and tell.paint("green", "✓") or tell.paint("red", "✗"),
    request.id,
    request.name,
    request.rows,
    job.landing or job.status,
    job.elapsed_ms
        and ("in %.1f s%s"):format(
          job.elapsed_ms / 1000,
          (job.cost_usd or 0) > 0 and (", $%.3f"):format(job.cost_usd) or ""
        )
      or ""
  )
end

local wrong = check.complaints(after, script, finished)
tell.line("")
for _, complaint in ipairs(wrong) do
  tell.line("%s %s", tell.paint("red", "wrong:"), complaint)
end
if #wrong == 0 then
  tell.line(tell.paint("green", "Every answer is in its own range, and every typed character is there."))
end
os.exit(#wrong == 0 and 0 or 1)
