--- Callbacks by which lower modules notify higher ones without requiring them. `wiring` fills them in before anything
--- can happen.

---@alias botglue.SendPrompt fun(request: botglue.Request, composed: botglue.Composed?)

---@class botglue.Handlers
---@field host_started fun(process: botglue.Process) another host has started
---@field host_ready fun(process: botglue.Process) it is about to get what waits for it
---@field host_lost fun(process: botglue.Process, err: botglue.JobError) a host is gone, and Neovim does not end
---@field leaving fun() Neovim ends
---@field row_key fun(view: botglue.HostWindow, action: string) a key that takes the user somewhere, in a list
---@field prompt_wanted fun(range: botglue.Range, request: botglue.Request, opts: table, send: botglue.SendPrompt)

return {} --[[@as botglue.Handlers]]
