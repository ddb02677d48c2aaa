--- The prompt's part of prewarming: an agent is started while the prompt is typed, so that the user does not wait for
--- its start.
---
--- It requests an agent once the user has stopped choosing. The host keeps at most one prewarmed agent, and starts
--- another one if the job needs it. A prompt owns one of these objects and drops it.

local attach = require("botglue.host.attach")
local client = require("botglue.host.client")
local connection = require("botglue.host.connection")
local requests = require("botglue.jobs.request")

local M = {}

local QUIET = 150 -- milliseconds without another choice before an agent is started for it

---@class botglue.Prewarm
---@field bufnr integer
---@field options botglue.Options
---@field token integer? of the newest that was asked for
---@field launch table? what that was
---@field timer uv.uv_timer_t
local Prewarm = {}
Prewarm.__index = Prewarm

---@param request botglue.Request
function Prewarm:ask(request)
  if not vim.api.nvim_buf_is_valid(self.bufnr) then
    return
  end
  local launch = requests.launch(self.bufnr, request, self.options)
  local process = client.connect(self.options)
  if not process or self.token and vim.deep_equal(self.launch, launch) then
    return
  end
  self.token, self.launch = client.next_token(), launch
  process:notify("prewarm", vim.tbl_extend("error", launch, { token = self.token }))
end

--- Tells the host to end the prewarmed agent.
function Prewarm:stop()
  local process = connection.process
  if self.token and process then
    process:notify("drop", { token = self.token })
  end
  self.token = nil
end

--- Requests another agent or model after a delay, the first one at once; a later request within the delay replaces it.
---@param request botglue.Request
---@param is_first boolean?
function Prewarm:want(request, is_first)
  if not self.options.prewarm or self.timer:is_closing() then
    return
  end
  self.timer:start(
    is_first and 0 or QUIET,
    0,
    vim.schedule_wrap(function()
      if not self.timer:is_closing() then
        self:ask(request)
      end
    end)
  )
end

--- Sends the prompt and hands the prewarmed agent over to its job; drops the agent if no job was started.
---@param request botglue.Request
---@param send fun(request: botglue.Request)
function Prewarm:hand_over(request, send)
  local ok, err = pcall(send, vim.tbl_extend("force", request, { prewarmed = self.token }))
  if ok then
    self.token = nil
  end
  self:drop()
  if not ok then
    error(err, 0)
  end
end

--- The prompt is gone.
function Prewarm:drop()
  if not self.timer:is_closing() then
    self.timer:close()
  end
  self:stop()
end

--- Starts the host.
---@param bufnr integer
---@param options botglue.Options
---@return botglue.Prewarm
function M.start(bufnr, options)
  -- A prompt with a host that cannot be started is a prompt all the same: its job tells why it fails.
  client.connect(options)
  attach.want(bufnr)
  return setmetatable({ bufnr = bufnr, options = options, timer = assert(vim.uv.new_timer()) }, Prewarm)
end

return M
