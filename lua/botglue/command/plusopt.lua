--- `++agent=` and `++model=` before a prompt on the command line, like |++opt|. Only the first words are options: two
--- plus signs and two or more small letters, with or without an equals sign. Any other word with a plus belongs to the
--- prompt.

local client = require("botglue.host.client")
local config = require("botglue.config")
local fail = require("botglue.host.errors").fail

local M = {}

---@alias botglue.PlusName "agent"|"model"

---@class botglue.Plus what was given
---@field agent string?
---@field model string?

--- The name and the value of a word that looks like an option; nil where it does not.
---@param word string
---@return string? name
---@return string? value nil without an equals sign
local function parts(word)
  local name, rest = word:match("^%+%+(%l%l+)(.*)$")
  if not name or rest ~= "" and rest:sub(1, 1) ~= "=" then
    return nil
  end
  return name, rest ~= "" and rest:sub(2) or nil
end

---@param word string
---@return boolean
function M.is_one(word)
  return parts(word) ~= nil
end

---@return string[]
local function agents()
  local names = vim.tbl_keys(client.options().agents)
  table.sort(names)
  return names
end

--- The models that are known of an agent; without one those of all.
---@param names string[]
---@return string[]
local function models(names)
  local options, known = client.options(), {}
  for _, name in ipairs(names) do
    for _, model in ipairs(options.agents[name] and config.models(options, name) or {}) do
      if model and not vim.tbl_contains(known, model) then
        known[#known + 1] = model
      end
    end
  end
  return known
end

--- The values that may follow the equals sign.
---@param name botglue.PlusName
---@param allowed botglue.PlusName[]
---@param given botglue.Plus what stands before it
---@return string[]
local function values(name, allowed, given)
  if name == "agent" then
    return agents()
  elseif not vim.tbl_contains(allowed, "agent") then
    return models(agents())
  end
  return models({ given.agent or client.options().agent })
end

---@param names string[]
local function spelled(names)
  return vim.tbl_map(function(name)
    return "++" .. name .. "="
  end, names)
end

--- Takes the options from the beginning of a command's words. A wrong one raises an error that says what there is.
---@param words string
---@param allowed botglue.PlusName[]
---@return botglue.Plus given
---@return string rest
function M.take(words, allowed)
  local given = {}
  while true do
    local word, rest = words:match("^(%S+)%s*(.*)$")
    local name, value = parts(word or "")
    if not name then
      return given, words
    elseif not vim.tbl_contains(allowed, name) then
      local known = table.concat(spelled(allowed), ", ")
      fail("unknown option ++%s; use %s", name, known)
    elseif not value or value == "" then
      local known = table.concat(values(name, allowed, given), ", ")
      fail("++%s= needs a name%s", name, known ~= "" and "; use " .. known or "")
    elseif name == "agent" then
      config.agent((client.options()), value, "++agent")
    end
    given[name], words = value, rest
  end
end

--- The options of a text that has nothing else in it; nil if it has other words or a wrong option.
---@param words string
---@param allowed botglue.PlusName[]
---@return botglue.Plus?
function M.only(words, allowed)
  local ok, given, rest = pcall(M.take, words, allowed)
  return ok and rest == "" and given or nil
end

--- Completes an option, where one can stand.
---@param before string the words before it
---@param lead string
---@param allowed botglue.PlusName[]
---@return string[]
function M.complete(before, lead, allowed)
  local given = M.only(before, allowed)
  local ok = given and pcall(client.options)
  if not given or not ok then
    return {}
  end
  local found = {}
  for _, name in ipairs(allowed) do
    local prefix = "++" .. name .. "="
    if not vim.startswith(lead, prefix) then
      found[#found + 1] = not given[name] and prefix or nil
    else
      for _, value in ipairs(values(name, allowed, given)) do
        found[#found + 1] = prefix .. value
      end
    end
  end
  return found
end

return M
