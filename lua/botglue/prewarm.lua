--- The agent that is started while a prompt is typed, so that nobody waits for its start: the prompt's side of it.
---
--- It says what is wanted, once the user has made up their mind; the host sees to it that only one such agent waits,
--- and starts another where this one turns out to be the wrong one. A prompt owns one of these and drops it.

local attach = require("botglue.attach")
local client = require("botglue.client")
local config = require("botglue.config")
local connection = require("botglue.connection")
local request = require("botglue.request")
local shipped = require("botglue.shipped")

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

---@param wish botglue.Wish
function Prewarm:ask(wish)
  if not vim.api.nvim_buf_is_valid(self.bufnr) then
    return
  end
  local launch = request.launch(self.bufnr, wish, self.options)
  local name = launch.agent.name
  if not shipped.is_isolated(name, self.options.agents[name], self.options) then
    -- It may run what the project's settings say, or act by itself: that has to wait for the prompt to be sent.
    self:stop()
    return
  end
  local process = client.connect(self.options)
  if not process or self.token and vim.deep_equal(self.launch, launch) then
    return
  end
  self.token, self.launch = client.next_token(), launch
  process:notify("prewarm", vim.tbl_extend("error", launch, { token = self.token }))
end

--- The agent that waits is not wanted any more.
function Prewarm:stop()
  local process = connection.process
  if self.token and process then
    process:notify("drop", { token = self.token })
  end
  self.token = nil
end

--- Another agent or model is wanted. What follows at once, as when somebody leafs through them, counts alone.
---@param wish botglue.Wish
function Prewarm:want(wish)
  if not self.options.prewarm or self.timer:is_closing() then
    return
  end
  self.timer:start(
    QUIET,
    0,
    vim.schedule_wrap(function()
      if not self.timer:is_closing() then
        self:ask(wish)
      end
    end)
  )
end

--- The prompt is sent: what waits is the job's, if it is what the job needs, and if there is a job.
---@param wish botglue.Wish
---@param send fun(wish: botglue.Wish)
function Prewarm:hand_over(wish, send)
  local ok, err = pcall(send, vim.tbl_extend("force", wish, { prewarmed = self.token }))
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

--- Starts the host, and the agent that a prompt for this buffer would use.
---@param bufnr integer
---@param wish botglue.Wish
---@param options botglue.Options
---@return botglue.Prewarm
function M.start(bufnr, wish, options)
  local self = setmetatable({ bufnr = bufnr, options = options, timer = assert(vim.uv.new_timer()) }, Prewarm)
  -- A prompt with a host that cannot be started is a prompt all the same: its job tells why it fails.
  client.connect(options)
  attach.want(bufnr)
  if options.prewarm and config.agent(options, wish.agent or options.agent, "agent") then
    self:ask(wish)
  end
  return self
end

return M
