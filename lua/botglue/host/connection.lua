--- The state of the plugin in this Neovim: its host, its jobs and their views. The only variable that outlives a call.
--- The modules that use a field own it. Requires no other module of the plugin.

---@class botglue.HostState the host, what it is asked, the options
---@field process botglue.Process?
---@field session string this Neovim's name, which no other one has
---@field ready_within integer milliseconds that a host has to say that it is there
---@field restarts integer[] when hosts were started again by themselves, in milliseconds, the newest last
---@field hooks table<string, (fun(...))[]> what the loaded modules do when a host has started, is about to get what
--- waits for it or a decision of the user's, or is gone, and when Neovim is about to end, and ends
---@field applying boolean? whether a call of the host's is under way
---@field questions table<integer, fun(result: table?, err: string?)> what takes the replies of the host, by token
---@field last_question integer
---@field asked_within integer milliseconds that a key of the user waits for the host
---@field completed_within integer the same for the completion of a command
---@field asking integer how many keys of the user wait for the host
---@field earlier integer how many held answers of earlier sessions wait in this project
---@field had_screen boolean whether there was a screen when the plugin was used first
---@field setup table? what `setup()` was given
---@field resolved { setup: table?, global: table?, options: botglue.Options, unknown: string[] }? the options in force

---@class botglue.JobsState the jobs and their events
---@field jobs table<integer, botglue.Job>
---@field lost integer[] jobs whose host was gone before it told their outcome, which the store may have
---@field last_id integer
---@field batches { list: integer, prompt: string, ids: integer[] }[] quickfix lists of jobs that were started together
---@field spent number? what the jobs have cost that are not known any more
---@field telling botglue.Telling events that are to be told
---@field news table[] what jobs have to say in this tick
---@field counted boolean? whether a status line has asked for the counts
---@field waiting integer how many calls of `wait()` are under way

---@class botglue.EditorState texts and moments
---@field mirrored table<integer, boolean> the buffers that the host mirrors
---@field written table<integer, table<integer, table>> by job and attempt: no host has said it is stored
---@field paste { at: integer? }? tells whether text is being pasted; none before the first host
---@field quitting boolean? whether a command is under way that may end it
---@field deciding_in integer? the buffer in which a key takes or drops hunks
---@field operator botglue.Operator? the one whose prompt is asked for
---@field repeated string? the prompt that `.` sends again

---@class botglue.UiState what is shown
---@field prompt botglue.Prompt? the one that is open
---@field drafts botglue.Prompt[] those that were closed with something typed in them, oldest first
---@field review botglue.Review? the one that is open
---@field views table<string, botglue.HostWindow> the windows of the host that are open, by id
---@field shown table<integer, botglue.HostWindow> the same by buffer
---@field late table[] what could not be drawn yet
---@field hung table<integer, botglue.Hung> what hangs at the ranges of jobs

---@class botglue.Connection: botglue.HostState, botglue.JobsState, botglue.EditorState, botglue.UiState
local connection = {
  session = vim.text.hexencode(vim.uv.random(16)):lower() .. "p" .. vim.fn.getpid(),
  ready_within = 5000,
  restarts = {},
  hooks = { started = {}, ready = {}, deciding = {}, lost = {}, ending = {}, leaving = {} },
  questions = {},
  last_question = 0,
  asked_within = 500,
  completed_within = 200,
  asking = 0,
  earlier = 0,
  had_screen = #vim.api.nvim_list_uis() > 0,
  jobs = {},
  batches = {},
  lost = {},
  last_id = 0,
  telling = { depth = 0, queue = {} },
  news = {},
  waiting = 0,
  mirrored = {},
  written = {},
  drafts = {},
  views = {},
  shown = {},
  hung = {},
  late = {},
}

return connection
