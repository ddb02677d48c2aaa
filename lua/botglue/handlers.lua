--- What is called when something happens of which modules above are to hear: those below call it by name, and require
--- none of them. `wiring` fills it in, before anything can happen.

---@alias botglue.SendPrompt fun(wish: botglue.Wish)
---@alias botglue.Ask fun(range: botglue.Range, wish: botglue.Wish, o: botglue.PromptOptions, send: botglue.SendPrompt)

---@class botglue.Handlers
---@field host_started fun(process: botglue.Process) another host has started
---@field host_lost fun(process: botglue.Process, err: botglue.JobError) a host is gone, and Neovim does not end
---@field leaving fun() Neovim ends
---@field job_opened fun(job: botglue.Job) a job was asked for
---@field job_restored fun(job: botglue.Job) a held answer of an earlier Neovim or host is a job of this one
---@field prompt_wanted botglue.Ask a prompt is asked for

---@type botglue.Handlers
return {}
