--- `:Botglue info`: what the jobs were, and what they took: of this session, this project, today, 30 days, all time;
--- and by model and by agent. The sums are the store's.

local amounts = require("botglue.ui.amounts")
local choose = require("botglue.choose")
local client = require("botglue.client")
local columns = require("botglue.ui.columns")
local query = require("botglue.query")
local signs_of = require("botglue.ui.signs").of

local M = {}

local SHARES = 6 -- models, or agents

local COLUMNS = {
  { width = 13 },
  { width = 5, right = true },
  { width = 6, right = true, drop = 2 },
  { width = 4, right = true, drop = 3 },
  { width = 6, right = true, drop = 4 },
  { width = 13, right = true, drop = 5 },
  { width = 8, right = true },
  { width = 6, right = true, drop = 1 },
}
local SHARE_COLUMNS = {
  { width = 12, rest = true },
  { width = 10, right = true, drop = 2 },
  { width = 13, right = true, drop = 1 },
  { width = 5, right = true },
  { width = 8, right = true },
}
local WIDTH, GAP = 77, 2

--- The session that wrote the text under the cursor, as the ranges of jobs tell, else the store and the text; where
--- nothing is known of that the one of the newest job of this Neovim.
---@param reply fun(agent: string?, session_id: string?)
local function session(reply)
  local jobs = choose.all(function(job)
    return job.session_id ~= nil
  end)
  local bufnr, row = vim.api.nvim_get_current_buf(), vim.api.nvim_win_get_cursor(0)[1] - 1
  local path, job = require("botglue.context").path(bufnr), choose.at_cursor(jobs)
  local function otherwise()
    job = job or jobs[#jobs]
    reply(job and job.agent, job and job.session_id)
  end
  if job or path == "" then
    otherwise()
    return
  end
  query.ask("writers", { path = path, limit = 50 }, function(result)
    if not result or not vim.api.nvim_buf_is_loaded(bufnr) then
      otherwise()
      return
    end
    local function at()
      return row
    end
    require("botglue.writer").find(bufnr, result.jobs, at, function(entry)
      if entry then
        reply(entry.agent, entry.session_id)
      else
        otherwise()
      end
    end)
  end)
end

--- All tokens that went in, those from the agent's cache too.
---@param sums botglue.Sums|botglue.ShareOfSums
---@return integer?
local function tokens_in(sums)
  if not sums.input_tokens then
    return nil
  end
  return sums.input_tokens + (sums.cache_read_tokens or 0) + (sums.cache_creation_tokens or 0)
end

---@class botglue.InfoRows
---@field room integer
---@field signs table
local Rows = {}
Rows.__index = Rows

---@param layout botglue.Column[]
---@param words string[]
---@param group string?
---@return botglue.Chunks
function Rows:row(layout, words, group)
  local cells = vim.tbl_map(function(word)
    return { word, group }
  end, words)
  return columns.row(cells, columns.fit(layout, self.room, GAP), GAP, self.signs.cut)
end

---@param sums botglue.Sums|botglue.ShareOfSums
---@return string
function Rows:tokens(sums)
  local unknown = self.signs.unknown
  return ("%s / %s"):format(
    amounts.tokens(tokens_in(sums), unknown),
    amounts.tokens(sums.output_tokens, unknown)
  )
end

---@param label string
---@param sums botglue.Sums
---@return botglue.Chunks
function Rows:sums(label, sums)
  local unknown = self.signs.unknown
  local nothing = sums.jobs == 0 and unknown
  return self:row(COLUMNS, {
    label,
    tostring(sums.jobs),
    tostring(sums.landed),
    tostring(sums.held),
    tostring(sums.failed),
    nothing or self:tokens(sums),
    amounts.money(sums.cost_usd, unknown),
    nothing or amounts.duration(sums.duration_ms or 0),
  })
end

--- What each model, or agent, took, and had of the cost; a dash where no cost is known.
---@param heading string
---@param shares botglue.ShareOfSums[]
---@param all botglue.Sums
---@return botglue.Chunks[]
function Rows:shares(heading, shares, all)
  local rows = { {}, { { " " .. heading, "BotglueTitle" } } }
  for i, share in ipairs(shares) do
    if i > SHARES then
      rows[#rows + 1] = { { (" and %d more"):format(#shares - SHARES), "BotglueLabel" } }
      break
    end
    local part = share.cost_usd and (all.cost_usd or 0) > 0 and share.cost_usd / all.cost_usd
    rows[#rows + 1] = self:row(SHARE_COLUMNS, {
      share.name,
      share.jobs == 1 and "1 job" or share.jobs .. " jobs",
      self:tokens(share),
      part and ("%.0f %%"):format(part * 100) or self.signs.unknown,
      amounts.money(share.cost_usd, self.signs.unknown),
    })
  end
  return #shares > 0 and rows or {}
end

---@param info botglue.Info
---@param room integer
---@param options botglue.Options
---@return botglue.Chunks[]
function M.rows(info, room, options)
  local self = setmetatable({ room = math.min(room, WIDTH - 2), signs = signs_of(options) }, Rows)
  local heads = { "", "jobs", "landed", "held", "failed", "tokens in/out", "cost", "time" }
  local rows = { self:row(COLUMNS, heads, "BotglueTitle") }
  for _, part in ipairs({
    { "this session", info.session },
    { "this project", info.project },
    { "today", info.today },
    { "last 30 days", info.month },
    { "all time", info.all },
  }) do
    if part[2] then
      rows[#rows + 1] = self:sums(part[1], part[2])
    end
  end
  vim.list_extend(rows, self:shares("by model", info.models or {}, info.all))
  return vim.list_extend(rows, self:shares("by agent", info.agents or {}, info.all))
end

--- How much of what went in the agents had read before.
---@param all botglue.Sums
---@return string
local function cached(all)
  local read, into = all.cache_read_tokens or 0, tokens_in(all) or 0
  return read > 0 and ("%.0f %% of the tokens in: from the cache"):format(read / into * 100) or ""
end

--- When today began.
---@return integer milliseconds
local function midnight()
  local now = os.date("*t") --[[@as std.osdate]]
  return os.time({ year = now.year, month = now.month, day = now.day, hour = 0 }) * 1000
end

--- Opens the window; the sums come a moment later.
function M.open()
  require("botglue.errors").no_window_in_cmdwin()
  local options = client.options()
  local project = require("botglue.context").project(vim.api.nvim_get_current_buf())
  local info, float
  session(function(agent, session_id)
    query.ask("info", {
      project = project,
      agent = agent,
      session_id = session_id,
      today_ms = midnight(),
    }, function(result, err)
      if not float:is_open() then
        return
      elseif not result then
        float:close()
        require("botglue.notify").error("botglue: " .. err)
        return
      end
      info = result
      local rows = M.rows(info, float.width - 2, options)
      float:resize(WIDTH, #rows)
      float:note(cached(info.all))
      float:draw(rows)
    end)
  end)
  float = require("botglue.ui.float").open({
    name = "info",
    options = options,
    width = WIDTH,
    height = 6,
    title = { left = "what it cost", right = vim.fn.fnamemodify(project, ":t") },
    note = "",
    keys = {},
    on_resize = function(self)
      if info then
        self:draw(M.rows(info, self.width - 2, options))
      end
    end,
  })
end

return M
