--- The review: in a tab page of its own, left the buffer, right the answer, both in diff mode with Neovim's own keys.
---
--- The answer's side holds the whole text with the answer in its place, and may be changed before it is accepted. All
--- that is decided is `decide`'s; nothing of this is left when its tab page is closed, in whatever way.

local choose = require("botglue.choose")
local client = require("botglue.client")
local decide = require("botglue.decide")
local write = require("botglue.write")

local M = {}

local api = vim.api
local namespace = api.nvim_create_namespace("botglue.review")

---@class botglue.Review
---@field job botglue.Job
---@field known boolean whether the place of the answer is known
---@field left integer window
---@field right integer window
---@field answer integer buffer
---@field region integer[] marks at the first row of the answer and at the row behind its last one
---@field neighbours integer[] marks in the buffer: on the row above the place of the answer, and on the one below
---@field group integer
---@field last_position integer[] the mark '" of the buffer
local Review = {}
Review.__index = Review

---@return botglue.Review?
local function current()
  return client.connection().review
end

local function fail(format, ...)
  error("botglue: " .. format:format(...), 0)
end

---@param first integer the first row of the answer
---@param past integer the row behind its last one
function Review:mark(first, past)
  local ids = self.region or {}
  self.region = {
    api.nvim_buf_set_extmark(self.answer, namespace, first, 0, { id = ids[1], right_gravity = false }),
    api.nvim_buf_set_extmark(self.answer, namespace, past, 0, { id = ids[2] }),
  }
end

--- The rows of the answer's side that are the answer.
---@return integer first
---@return integer past
function Review:rows()
  local function row(mark)
    return api.nvim_buf_get_extmark_by_id(self.answer, namespace, mark, {})[1]
  end
  return row(self.region[1]), row(self.region[2])
end

--- The answer as it stands there now; nil where it is as it was.
---@return string[]?
function Review:changed()
  if api.nvim_buf_get_changedtick(self.answer) == self.tick or self.job.range.shape == "block" then
    return nil
  end
  local first, past = self:rows()
  local lines = api.nvim_buf_get_lines(self.answer, first, past, false)
  if self.job.range.shape ~= "char" then
    return lines
  end
  local place, now = self.job.range:look()
  local rows = place and api.nvim_buf_get_lines(self.job.range.bufnr, place.first, place.last + 1, false)
  local head = rows and rows[1]:sub(1, place.from) or ""
  local tail = rows and rows[#rows]:sub(place.to + 1) or ""
  local last = lines[#lines]
  if not now or not last or not vim.startswith(lines[1], head) or not vim.endswith(last, tail) then
    fail("what is around the answer was changed here; change it in the buffer")
  end
  lines[#lines] = last:sub(1, #last - #tail)
  lines[1] = lines[1]:sub(#head + 1)
  return lines
end

--- Puts the answer where it would land into a copy of the text.
---@param place botglue.Extent
---@param lines string[]
---@return integer first the first row of the answer
---@return integer past the row behind its last one
local function put(answer, range, place, lines)
  local landed
  if range.shape == "char" then
    landed = write.chars(answer, place, lines)
  elseif range.shape == "block" then
    landed = write.block(answer, place, lines, range.column)
  elseif range.shape == "insert" then
    landed = #lines > 0 and write.insert(answer, place, lines) or { first = place.first, empty = true }
  else
    local whole = { first = 0, last = place.last - place.first + 1, lines = lines }
    landed = write.rows(answer, place, { whole })
  end
  return landed.first, landed.empty and landed.first or landed.last + 1
end

--- What is highlighted and how wide tabs are is as in the buffer; its language server is not asked.
---@param answer integer
---@param bufnr integer
local function look_like(answer, bufnr)
  for _, option in ipairs({ "tabstop", "shiftwidth", "softtabstop", "expandtab" }) do
    vim.bo[answer][option] = vim.bo[bufnr][option]
  end
  local treesitter = package.loaded["vim.treesitter"]
  if treesitter and treesitter.highlighter.active[bufnr] then
    pcall(treesitter.start, answer, treesitter.language.get_lang(vim.bo[bufnr].filetype))
  else
    vim.bo[answer].syntax = vim.bo[bufnr].filetype
  end
end

--- The buffer of the answer's side.
function Review:fill()
  local job, range = self.job, self.job.range
  local answer, lines = api.nvim_create_buf(false, true), decide.lines(job)
  local place = self.known and range:place() or nil
  self.known = place ~= nil and not (range.shape == "block" and #lines ~= #range.base.text)
  self.answer = answer
  local first, past = 0, #lines
  if self.known then
    local text = api.nvim_buf_get_lines(range.bufnr, 0, -1, false)
    api.nvim_buf_set_lines(answer, 0, -1, false, text)
    first, past = put(answer, range, place, lines)
  else
    api.nvim_buf_set_lines(answer, 0, -1, false, lines)
  end
  self:mark(first, past)
  if api.nvim_buf_is_loaded(range.bufnr) then
    look_like(answer, range.bufnr)
  end
  vim.bo[answer].bufhidden = "wipe"
  vim.bo[answer].undolevels = vim.bo[answer].undolevels
  api.nvim_buf_set_name(answer, "botglue://answer/" .. job.id)
  self.tick = api.nvim_buf_get_changedtick(answer)
end

--- The rows next to the place of the answer, by which is seen what comes between.
---@param place botglue.Extent
function Review:mark_neighbours(place)
  local bufnr = self.job.range.bufnr
  local below = self.job.range.shape == "insert" and place.first or place.last + 1
  self.neighbours = {
    place.first > 0 and api.nvim_buf_set_extmark(bufnr, namespace, place.first - 1, 0, {}) or nil,
    below < api.nvim_buf_line_count(bufnr) and api.nvim_buf_set_extmark(bufnr, namespace, below, 0, {})
      or nil,
  }
end

--- Takes rows of the answer that were put into the buffer by hand for part of its place. `dp` deletes rows and then
--- puts in others: at an edge these come to stand outside.
---@param place botglue.Extent?
---@return botglue.Extent?
function Review:absorb(place)
  local range = self.job.range
  local bufnr = range.bufnr
  local first, past = self:rows()
  local lines = api.nvim_buf_get_lines(self.answer, first, past, false)
  local function neighbour(nth, otherwise)
    local mark = self.neighbours[nth]
    return mark and api.nvim_buf_get_extmark_by_id(bufnr, namespace, mark, {})[1] or otherwise
  end
  local above, below = neighbour(1, -1), neighbour(2, api.nvim_buf_line_count(bufnr))
  local function stands(from, to, expected)
    return from < to and vim.deep_equal(api.nvim_buf_get_lines(bufnr, from, to, false), expected)
  end
  if range.shape == "insert" then
    if stands(above + 1, below, lines) then
      range:settle({ first = above + 1, last = below - 1 }, "line", range.base)
    end
    return place
  elseif not place then
    -- All of it was taken at once.
    if not stands(above + 1, below, lines) then
      return nil
    end
    range:mark({ first = above + 1, last = below - 1 }, "line")
    return range:place()
  end
  local wider = { first = place.first, last = place.last }
  if stands(above + 1, place.first, vim.list_slice(lines, 1, place.first - above - 1)) then
    wider.first = above + 1
  end
  if stands(place.last + 1, below, vim.list_slice(lines, #lines - (below - place.last - 1) + 1)) then
    wider.last = below - 1
  end
  if wider.first < place.first or wider.last > place.last then
    range:mark(wider, "line")
  end
  return wider
end

--- Keeps the text around the answer as it is in the buffer: what lands or is typed there is no part of the answer.
function Review:refresh()
  local range = self.job.range
  if not self.known or not api.nvim_buf_is_loaded(range.bufnr) or not api.nvim_buf_is_valid(self.answer) then
    return
  end
  local place = range:place()
  if range.shape == "line" or range.shape == "insert" then
    place = self:absorb(place)
  end
  if not place or range.landed then
    return
  end
  local first, past = self:rows()
  local untouched = api.nvim_buf_get_changedtick(self.answer) == self.tick
  local below = range.shape == "insert" and place.first or place.last + 1
  local function copy(from, to, source_from, source_to)
    local source = api.nvim_buf_get_lines(range.bufnr, source_from, source_to, false)
    if not vim.deep_equal(api.nvim_buf_get_lines(self.answer, from, to, false), source) then
      api.nvim_buf_set_lines(self.answer, from, to, false, source)
    end
  end
  copy(past, -1, below, -1)
  copy(0, first, 0, place.first)
  -- Where rows are replaced next to them the marks go astray.
  self:mark(place.first, place.first + past - first)
  if untouched then
    self.tick = api.nvim_buf_get_changedtick(self.answer)
  end
end

--- The one line above both sides: which answer, why, and the keys, above the window in which they work.
function Review:title()
  local jobs = choose.all(choose.held)
  local between = self.job.options.ascii and " - " or " · "
  local nth = 1
  for i, job in ipairs(jobs) do
    nth = job == self.job and i or nth
  end
  local why = (self.job.held_for or "held"):gsub("_", " ")
  local keys = { "a accept", "x reject", "n next", "q later" }
  if not self.known then
    table.remove(keys, 1)
  end
  vim.wo[self.left][0].winbar = ("held answer %d of %d%s%s"):format(nth, #jobs, between, why)
  vim.wo[self.right][0].winbar = table.concat(keys, between)
end

--- The buffer of the left side: the job's, else what it was made for.
---@return integer
function Review:beside()
  local range = self.job.range
  if api.nvim_buf_is_loaded(range.bufnr) then
    return range.bufnr
  end
  local base = api.nvim_create_buf(false, true)
  api.nvim_buf_set_lines(base, 0, -1, false, range.base.text)
  vim.bo[base].bufhidden, vim.bo[base].modifiable = "wipe", false
  return base
end

function Review:open_windows()
  local place = self.known and self.job.range:place()
  vim.cmd("tab split")
  self.left = api.nvim_get_current_win()
  local beside = self:beside()
  self.last_position = api.nvim_buf_get_mark(beside, '"')
  api.nvim_win_set_buf(self.left, beside)
  vim.cmd("rightbelow vertical split")
  self.right = api.nvim_get_current_win()
  api.nvim_win_set_buf(self.right, self.answer)
  if not place then
    return
  end
  self:mark_neighbours(place)
  local first = self:rows()
  local function go_to(win, row)
    local last = api.nvim_buf_line_count(api.nvim_win_get_buf(win))
    api.nvim_win_set_cursor(win, { math.min(row + 1, last), 0 })
  end
  go_to(self.left, place.first)
  go_to(self.right, first)
  for _, win in ipairs({ self.left, self.right }) do
    api.nvim_win_call(win, function()
      vim.cmd.diffthis()
    end)
  end
  vim.cmd("normal! zz")
end

--- The held answers of the buffer. Their lines below the ranges would shift one side against the other.
---@return botglue.Job[]
function Review:neighbours_held()
  return vim.tbl_filter(function(job)
    return job.range.bufnr == self.job.range.bufnr
  end, choose.all(choose.held))
end

--- Takes away everything of the review but what the user made of it.
function Review:close()
  local connection = client.connection()
  if connection.review ~= self then
    return
  end
  connection.review = nil
  api.nvim_del_augroup_by_id(self.group)
  local bufnr = api.nvim_win_is_valid(self.left) and api.nvim_win_get_buf(self.left)
  if bufnr then
    -- The options of the last window that showed a buffer are those of the next one.
    api.nvim_win_call(self.left, function()
      vim.cmd.diffoff()
      vim.wo[0][0].winbar = ""
    end)
  end
  for _, job in ipairs(self:neighbours_held()) do
    job.view:draw()
  end
  for _, win in ipairs({ self.right, self.left }) do
    if api.nvim_win_is_valid(win) and #api.nvim_list_wins() > 1 then
      api.nvim_win_close(win, true)
    end
  end
  if api.nvim_buf_is_valid(self.answer) then
    api.nvim_buf_delete(self.answer, { force = true })
  end
  if api.nvim_buf_is_valid(self.job.range.bufnr) then
    api.nvim_buf_clear_namespace(self.job.range.bufnr, namespace, 0, -1)
  end
  if bufnr and api.nvim_buf_is_loaded(bufnr) and self.last_position[1] > 0 then
    pcall(api.nvim_buf_set_mark, bufnr, '"', self.last_position[1], self.last_position[2], {})
  end
end

--- Goes on to the held answer that follows, or ends.
---@param id integer the job that was reviewed
function Review:go_on(id)
  self:close()
  local jobs = choose.all(choose.held)
  for _, job in ipairs(jobs) do
    if job.id > id then
      M.open(job.id)
      return
    end
  end
  if jobs[1] and jobs[1].id ~= id then
    M.open(jobs[1].id)
  end
end

function Review:map()
  local keys = {
    a = function()
      if not self.known then
        fail("the place of this answer is not known: copy what you want of it, then press x or q")
      end
      self:refresh()
      decide.write(self.job, self:changed())
    end,
    x = function()
      decide.reject(self.job.id)
    end,
    n = function()
      if #choose.all(choose.held) < 2 then
        fail("there is no other held answer")
      end
      self:go_on(self.job.id)
    end,
    q = function()
      self:close()
    end,
  }
  for key, fn in pairs(keys) do
    vim.keymap.set("n", key, function()
      local ok, err = pcall(fn)
      if not ok then
        require("botglue.notify").error(tostring(err))
      end
    end, { buffer = self.answer, nowait = true, desc = "botglue: review" })
  end
end

--- Notices decisions, changes of the buffer, and the end of a window.
function Review:watch()
  self.group = api.nvim_create_augroup("botglue.review", { clear = true })
  local function on(event, options, fn)
    options.group, options.desc = self.group, "botglue: review"
    options.callback = fn
    api.nvim_create_autocmd(event, options)
  end
  on("User", { pattern = "BotglueJobUpdated" }, function(event)
    if event.data.id == self.job.id and event.data.landing ~= "held" then
      vim.schedule(function()
        if current() == self then
          self:go_on(event.data.id)
        end
      end)
    end
  end)
  on("WinClosed", { pattern = { tostring(self.left), tostring(self.right) } }, function()
    vim.schedule(function()
      self:close()
    end)
  end)
  local bufnr = self.job.range.bufnr
  if not self.known then
    return
  end
  local pending = false
  api.nvim_buf_attach(bufnr, false, {
    on_lines = function()
      if current() ~= self then
        return true
      elseif not pending then
        pending = true
        vim.schedule(function()
          pending = false
          if current() == self then
            self:refresh()
          end
        end)
      end
    end,
  })
end

--- Opens the review on a held answer.
---@param id integer
function M.open(id)
  local job = client.job(id)
  if not job or job.landing ~= "held" then
    fail("job %s is not held", tostring(id))
    return
  end
  local before = current()
  if before then
    before:close()
  end
  local self = setmetatable({ job = job, known = job:recall() }, Review)
  self:fill()
  for _, each in ipairs(self:neighbours_held()) do
    each.view:close()
  end
  self:open_windows()
  self:map()
  self:watch()
  client.connection().review = self
  self:title()
end

--- `:Botglue review [id]`: without a number all held answers, those of Neovims that are gone too.
---@param words string
function M.command(words)
  if words ~= "" then
    M.open(choose.one(words, choose.held, "is held"))
    return
  end
  local jobs = choose.all(choose.held)
  if #jobs > 0 then
    M.open((choose.at_cursor(jobs) or jobs[1]).id)
  end
  client.ask_held(function()
    local review = current()
    local first = choose.all(choose.held)[1]
    if review then
      review:title()
    elseif not first then
      require("botglue.notify").warn("botglue: no answer is held")
    elseif #jobs == 0 and vim.fn.state() == "" and api.nvim_get_mode().mode == "n" then
      M.open(first.id)
    elseif #jobs == 0 then
      require("botglue.notify").warn("botglue: answers are held: see :Botglue review")
    end
  end)
end

return M
