--- The state of the plugin in this Neovim: its host, its jobs, its windows. All that has to outlive a call is here;
--- the modules that use a field own it. Requires no other module of the plugin.

---@class botglue.HostState the host, the questions to it, the options
---@field process botglue.Process?
---@field session string this Neovim's name, which no other one has
---@field ready_within integer milliseconds that a host has for its greeting
---@field restarts integer[] when hosts were restarted automatically, in milliseconds, the newest last
---@field hooks table<string, (fun(...))[]> functions of loaded modules, called when a host has `started`, before it
--- gets queued messages (`ready`) or a decision (`deciding`), when it is `lost`, before and as Neovim ends (`leaving`)
---@field applying boolean? whether a call of the host is under way
---@field questions table<integer, fun(result: table?, err: string?)> the functions that take the replies, by token
---@field last_question integer
---@field asked_within integer milliseconds that a key or a command waits for the host
---@field completed_within integer milliseconds that the completion of a command waits for the host
---@field asking integer how many keys and commands wait for the host
---@field earlier integer how many held answers of earlier sessions wait in this project
---@field had_screen boolean whether there was a UI when the plugin was first used
---@field setup table? what `setup()` was given
---@field resolved { setup: table?, global: table?, options: botglue.Options, unknown: string[] }? the options in force

---@class botglue.JobsState the jobs and their events
---@field jobs table<integer, botglue.Job>
---@field lost integer[] ids of jobs whose host was gone before it reported their outcome; the store may have it
---@field last_id integer
---@field batches { list: integer, prompt: string, ids: integer[] }[] quickfix lists of jobs that were started together
---@field spent number? the cost of the jobs that were removed
---@field telling botglue.Telling the events to send
---@field news table[] the messages of jobs in this tick
---@field counted boolean? whether a status line has asked for the counts
---@field waiting integer how many calls of `wait()` are under way

---@class botglue.EditorState texts and moments
---@field mirrored table<integer, boolean> the buffers that the host mirrors
---@field written table<integer, table<integer, table>> by job and attempt: the writes that no host has stored yet
---@field paste { at: integer? }? whether text is being pasted; nil before the first host
---@field quitting boolean? whether a command is under way that may end Neovim
---@field deciding_in integer? the buffer in which a key takes or drops hunks
---@field operator botglue.Operator? the last operator that asked for a prompt
---@field repeated string? the prompt that `.` sends again

---@class botglue.UiState what is shown
---@field prompt botglue.Prompt? the open prompt
---@field drafts botglue.Prompt[] prompts that were closed unsent with text in them, oldest first
---@field review botglue.Review? the open review
---@field views table<string, botglue.HostWindow> the windows of the host that are open, by id
---@field shown table<integer, botglue.HostWindow> the same by buffer
---@field late table[] the calls that could not be drawn yet
---@field hung table<integer, botglue.Hung> what is drawn at the ranges of jobs, by job

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
