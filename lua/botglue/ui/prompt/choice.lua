--- The chosen agent and model of a prompt, and the next ones of each.

local config = require("botglue.config")
local connection = require("botglue.host.connection")
local program = require("botglue.util.program")

local M = {}

---@class botglue.Choice
---@field options botglue.Options
---@field agents string[] those that are installed, and the one that it begins with
---@field agent string
---@field wanted string? the model that was asked for with the first agent
---@field first string the first agent
---@field models table<string, string|false> what was chosen, by agent; false leaves it to the CLI
---@field project string
---@field is_own boolean whether the agent is the user's to choose, not that of a session
---@field is_free boolean whether the request leaves agent and model open
local Choice = {}
Choice.__index = Choice

--- The models of an agent: what it has without a choice first, then those of the options, then those that it offers
--- itself, if it has reported them in this Neovim.
---@param name string
---@return (string|false)[]
function Choice:known(name)
  local models = config.models(self.options, name)
  for _, model in ipairs(connection.models[name] or {}) do
    if not vim.tbl_contains(models, model) then
      models[#models + 1] = model
    end
  end
  if name == self.first and self.wanted and self.wanted ~= models[1] then
    models = vim.tbl_filter(function(model)
      return model ~= self.wanted
    end, models)
    table.insert(models, 1, self.wanted)
  end
  return models
end

---@return string|false model false leaves it to the CLI
function Choice:model()
  local chosen = self.models[self.agent]
  if chosen == nil then
    return self:known(self.agent)[1]
  end
  return chosen
end

--- Whether any of the agents has another model to go to.
function Choice:has_models()
  return vim.iter(self.agents):any(function(name)
    return #self:known(name) > 1
  end)
end

---@generic T
---@param list T[]
---@param value T
---@return T
local function behind(list, value)
  for i, entry in ipairs(list) do
    if entry == value then
      return list[i % #list + 1]
    end
  end
  return list[1]
end

function Choice:next_agent()
  self.agent = behind(self.agents, self.agent)
end

function Choice:next_model()
  self.models[self.agent] = behind(self:known(self.agent), self:model())
end

--- Keeps what the user has chosen, for the next prompt of this project.
function Choice:keep()
  if self.is_own then
    connection.chosen[self.project] = { agent = self.agent, model = self:model() }
  end
end

--- Whether the user has set a model for an agent.
---@param given table what the user gave
---@param agent string
local function has_model(given, agent)
  local own = type(given.agents) == "table" and given.agents[agent] or {}
  return own.model ~= nil or agent == "claude" and given.model ~= nil
end

--- Begins with an agent and a model, unless the user's options name others.
---@param last { agent: string, model: string|false|nil }
function Choice:recall(last)
  local given = config.given(connection.setup)
  local agent = self.options.agents[last.agent]
  if not agent or not program.of(agent) or (given.agent or last.agent) ~= last.agent then
    return
  end
  self.agent = last.agent
  if not has_model(given, last.agent) and vim.tbl_contains(self:known(last.agent), last.model) then
    self.models[last.agent] = last.model
  end
end

--- Begins with the agent of the project's newest job, where nothing was chosen in this Neovim.
---@param agent string?
function Choice:begin_with(agent)
  if agent and self.is_free and self:is_untouched() and not connection.chosen[self.project] then
    self:recall({ agent = agent })
  end
end

--- Takes what was chosen before, where a request leaves it open.
---@param agent string
---@param model string|false
---@param request botglue.Request
function Choice:take(agent, model, request)
  if not request.agent and not request.model and self.options.agents[agent] then
    self.agent = agent
    if vim.tbl_contains(self:known(agent), model) then
      self.models[agent] = model
    end
  end
end

--- Adds the choice to a request. Without a model of its own a request has the one of the options.
---@param request botglue.Request
---@return botglue.Request
function Choice:apply(request)
  local chosen = vim.tbl_extend("force", request, { agent = self.agent })
  chosen.model = self:model() or nil
  return chosen
end

--- Whether agent and model are those that the prompt began with.
---@return boolean
function Choice:is_untouched()
  return self.agent == self.first and self:model() == self:known(self.agent)[1]
end

--- Both in a few words.
---@return string
function Choice:words()
  local model = self:model()
  return model and self.agent .. " " .. model or self.agent
end

---@param request botglue.Request
---@param options botglue.Options
---@param project string
---@return botglue.Choice
function M.new(request, options, project)
  local agent = request.agent or options.agent
  local agents = vim.tbl_filter(function(name)
    return name == agent or program.of(options.agents[name]) ~= nil
  end, vim.tbl_keys(options.agents))
  table.sort(agents)
  local self = setmetatable({
    options = options,
    project = project,
    -- A session is its agent's own.
    is_own = request.resume == nil,
    is_free = not (request.resume or request.agent or request.model),
    agents = request.resume and { agent } or agents,
    agent = agent,
    first = agent,
    wanted = request.model,
    models = {},
  }, Choice)
  local chosen = connection.chosen[project]
  if self.is_free and chosen then
    self:recall(chosen)
  end
  return self
end

return M
