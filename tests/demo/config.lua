-- Loaded by the Neovim of `make demo` and `make try` before anything else: the plugin, and its options.
--
-- BOTGLUE_DEMO_AGENT names the agent; `replay` and `NAME-replay` play recordings of Claude or NAME instead.

local source = vim.fs.normalize(debug.getinfo(1, "S").source:sub(2))
local root = vim.fs.dirname(vim.fs.dirname(vim.fs.dirname(source)))
local script = dofile(vim.fs.dirname(source) .. "/script.lua")
local agent = vim.env.BOTGLUE_DEMO_AGENT

vim.opt.runtimepath:prepend(root)

-- The editor's own state stays out of the user's home; their CLI finds its state where it always is.
local agents = { [agent] = { env = { XDG_STATE_HOME = vim.env.BOTGLUE_DEMO_STATE } } }

local recorded = agent == "replay" and "claude" or agent:match("^(.*)%-replay$")
if recorded then
  agents = {}
  for _, job in ipairs(script.jobs) do
    local recording = ("%s/tests/fixtures/demo/%s/%s.jsonl"):format(root, recorded, job.name)
    local delay_ms = math.floor(job.ms / #vim.fn.readfile(recording))
    local command = { vim.env.BOTGLUE_DEMO_HOST, "replay", "--delay-ms", tostring(delay_ms), recording }
    agents[job.name] = { protocol = recorded, command = command }
  end
end

vim.g.botglue = {
  agent = recorded and script.jobs[1].name or agent,
  agents = agents,
  data_dir = vim.env.XDG_STATE_HOME .. "/data",
  host = vim.env.BOTGLUE_DEMO_HOST,
}
