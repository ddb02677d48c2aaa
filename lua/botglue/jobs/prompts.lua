--- Named prompts: `/name more words` stands for a text of the option `prompts`, followed by the words. The first word
--- must be a slash and a name without another slash: `/usr/bin is …` is a text, and so is `\/usr is …`, because of its
--- backslash. The job keeps the prompt as typed; the agent gets the text, which is filled in when it is sent.

local fail = require("botglue.host.errors").fail

local M = {}

---@class botglue.NamedPrompt
---@field prompt string
---@field ask boolean?
---@field agent string?
---@field model string?

--- The name at the beginning of a prompt, and the words after it.
---@param text string
---@return string? name
---@return string? more
local function parts(text)
  local name, more = text:match("^%s*/([%w_-]+)(.*)$")
  if not name or not (more == "" or more:find("^%s")) then
    return nil
  end
  return name, vim.trim(more)
end

--- The names of the option, sorted.
---@param options botglue.Options
---@return string[]
local function names_of(options)
  local names = vim.tbl_keys(options.prompts)
  table.sort(names)
  return names
end

---@param name string
---@param names string[]
---@return string
local function advice(name, names)
  local nearest = require("botglue.util.nearest").of(name, names)
  if nearest then
    return ("did you mean /%s?"):format(nearest)
  elseif #names == 0 then
    return "the option prompts has none"
  end
  return "there is /" .. table.concat(names, ", /")
end

--- The named prompt that a text begins with; raises an error where there is none of that name.
---@param text string
---@param options botglue.Options
---@return botglue.NamedPrompt?
---@return string more the words after it
function M.find(text, options)
  local name, more = parts(text)
  if not name or not more then
    return nil, ""
  end
  local named = options.prompts[name]
    or fail(
      "no prompt /%s: %s (for a text that begins so: \\/%s)",
      name,
      advice(name, names_of(options)),
      name
    )
  return type(named) == "string" and { prompt = named } or named, more
end

--- Diagnostics as text, one a line.
---@param diagnostics table[]
---@return string
local function listed(diagnostics)
  local lines = vim.tbl_map(function(one)
    return ("line %d: %s: %s"):format(one.line, one.severity, one.message)
  end, diagnostics)
  return #lines > 0 and table.concat(lines, "\n") or "no diagnostics"
end

--- The values of the placeholders in a named prompt.
---@param target botglue.Range
---@return table<string, fun(): string>
local function values(target)
  local bufnr = target.bufnr
  return {
    filetype = function()
      return vim.bo[bufnr].filetype
    end,
    selection = function()
      return table.concat(target.base.text, "\n")
    end,
    diagnostics = function()
      local first, last = target:lines()
      return listed(
        require("botglue.editor.context").diagnostics(bufnr, math.max(first, 1) - 1, math.max(last, 1) - 1)
      )
    end,
  }
end

--- Completes a request from the named prompt; fields that the request has already stay. `instructions` is the text for
--- the agent if it is not the prompt.
---@param request botglue.Request
---@param target botglue.Range
---@param options botglue.Options
---@return botglue.Request
function M.apply(request, target, options)
  local named, more = M.find(request.prompt, options)
  if not named then
    local text = request.prompt:match("^%s*\\(/.*)$")
    return text and vim.tbl_extend("force", request, { instructions = text }) or request
  end
  local fill = values(target)
  local text = named.prompt:gsub("{(%l+)}", function(place)
    return fill[place] and fill[place]()
  end)
  local is_own = not request.agent or request.agent == (named.agent or options.agent)
  return vim.tbl_extend("force", request, {
    instructions = more == "" and text or text .. "\n\n" .. more,
    agent = request.agent or named.agent,
    -- A model is its agent's own.
    model = request.model or is_own and named.model or nil,
    question = request.question or named.ask,
  })
end

return M
