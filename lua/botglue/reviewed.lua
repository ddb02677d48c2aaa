--- What a review has seen of the place of a held answer: where it was in each undo state of the buffer, and what the
--- merge begins with.
---
--- That is what was sent, with what the user took of the answer by hand. What becomes of it later, in the answer or in
--- the buffer, is a change that was made after that; but undone in the buffer it was never taken.

local agree = require("botglue.agree")
local draft = require("botglue.draft")
local moment = require("botglue.moment")
local recognise = require("botglue.recognise")
local sights = require("botglue.sight")
local soon = require("botglue.soon")
local text_sum = require("botglue.text_sum")
local undo_tree = require("botglue.undo_tree")

local M = {}

local api = vim.api

local PLACES = 32 -- as many are known of states that undo may come back to

---@class botglue.Reviewed
---@field bufnr integer
---@field base string[]? by lines: what the merge begins with
---@field beside string? the state of the answer's side when that was seen
---@field bases table<string, string[]> what it was in each of those states: what was taken over there and undone was
---never taken
---@field state integer the undo state in which it was seen last
---@field at integer the one at the last look
---@field reads integer? how often the file had been read again then
---@field states table<integer, botglue.Sight> by the number of the undo state
---@field order integer[] those numbers, as they were seen first
---@field doubted table<integer, "reloaded"|"replaced"> the states in which its place was not known, and why
---@field shown [string[], string[]]? the rows of the place and those of the answer at the last look, by lines
---@field taken table<integer, botglue.Taken> what was in common, by the number of every state that was seen
---@field last_taken botglue.Taken? at the last look
---@field files botglue.InFile[] what was known of it in the texts that the file had, the last one at the end

---@class botglue.Taken what the merge began with then: one table for all states in which it did not change
---@field base string[]?
---@field beside string?
---@field bases table<string, string[]>

---@class botglue.InFile
---@field sum string of the text
---@field tick integer the buffer's when it had that
---@field sight botglue.Sight? where it stands there, if that is known
---@field taken botglue.Taken? what was in common there
---@field is_other boolean whether something else than what was sent stands there, or may

---@class botglue.OnDisk what stood at the place of a held answer when its file was written, instead of what was sent
---@field rows string[] the whole rows; none where the place is not known, or is no lines
---@field base string[]? what the merge begins with, where something of the answer is known to be taken

--- What was seen of a job in the buffer that it is in now.
---@param job botglue.Job
---@return botglue.Reviewed?
local function known(job)
  local reviewed = job.reviewed
  return reviewed and reviewed.bufnr == job.range.bufnr and reviewed or nil
end

---@param bufnr integer
---@return botglue.Reviewed
local function new(bufnr)
  return { bufnr = bufnr, states = {}, order = {}, doubted = {}, bases = {}, taken = {}, files = {} }
end

--- Notes what is in common in the state that the buffer is in.
---@param reviewed botglue.Reviewed
local function note_taken(reviewed)
  local now = { base = reviewed.base, beside = reviewed.beside, bases = reviewed.bases }
  local last = reviewed.last_taken
  if not last or not vim.deep_equal(last, now) then
    last = vim.deepcopy(now)
  end
  reviewed.last_taken, reviewed.taken[reviewed.state] = last, last
end

--- Notes where the answer is, in the state that the buffer is in.
---@param reviewed botglue.Reviewed
---@param range botglue.Range
---@param place botglue.Extent
---@param now botglue.Base what stands there
local function note(reviewed, range, place, now)
  if not reviewed.states[reviewed.state] then
    table.insert(reviewed.order, reviewed.state)
  end
  if #reviewed.order > PLACES then
    reviewed.states[table.remove(reviewed.order, 1)] = nil
  end
  reviewed.states[reviewed.state], reviewed.doubted[reviewed.state] = sights.of(range, place, now), nil
  note_taken(reviewed)
end

--- Goes back to what was in common in a state.
---@param reviewed botglue.Reviewed
---@param taken botglue.Taken? none: nothing was
local function restore_taken(reviewed, taken)
  taken = taken or { bases = {} }
  reviewed.base, reviewed.beside, reviewed.bases = taken.base, taken.beside, vim.deepcopy(taken.bases)
  reviewed.last_taken = taken
end

--- What was in common at the last look.
---@param job botglue.Job
---@return string[]
local function common_base(job)
  local reviewed = known(job)
  return reviewed and reviewed.base or job.range:lines_of(job.range.base)
end

--- What the merge begins with. Of a block a row that reads as it was sent again was taken no more.
---@param job botglue.Job
---@param current string[] by lines: what stands there
---@return string[]
function M.base(job, current)
  local sent, base = job.range:lines_of(job.range.base), common_base(job)
  if job.range.shape ~= "block" then
    return base
  end
  return vim
    .iter(ipairs(base))
    :map(function(i, row)
      return current[i] == sent[i] and sent[i] or row
    end)
    :totable()
end

--- Whether rows of the answer that were taken are in the text no more: somebody changed them there since.
---@param job botglue.Job
---@param base string[] what the merge began with
---@param lines string[] the answer
---@param text string[] what comes of it
---@return boolean
function M.is_overtaken(job, base, lines, text)
  return agree.is_overtaken(job.range:lines_of(job.range.base), base, lines, text)
end

--- Whether something else stands at a place than what was sent: the user's own, or what was taken of the answer.
---@param job botglue.Job
---@param sight botglue.Sight?
---@param taken botglue.Taken? in the same state
---@return boolean
local function is_other(job, sight, taken)
  local base = taken and taken.base
  return (sight ~= nil and sight.is_other)
    or (base ~= nil and not vim.deep_equal(base, job.range:lines_of(job.range.base)))
end

--- Whether that was so in any state that was seen, or in the file.
---@param job botglue.Job
---@param reviewed botglue.Reviewed
---@return boolean
local function was_other(job, reviewed)
  local file = reviewed.files[#reviewed.files]
  return (file ~= nil and file.is_other)
    or vim.iter(pairs(reviewed.taken)):any(function(state, taken)
      return is_other(job, reviewed.states[state], taken)
    end)
end

--- Notes what of it stands in the file, which has the text of the buffer now.
---@param job botglue.Job
---@param reviewed botglue.Reviewed
---@param place botglue.Extent?
---@param sum string
---@return botglue.InFile
local function note_file(job, reviewed, place, sum)
  local range = job.range
  local now = place and range:read(place)
  local file = {
    sum = sum,
    tick = api.nvim_buf_get_changedtick(range.bufnr),
    sight = place and now and sights.of(range, place, now),
    taken = place and reviewed.last_taken,
  }
  -- What was taken and is not known to stand somewhere may stand anywhere.
  file.is_other = place and is_other(job, file.sight, file.taken) or not place and was_other(job, reviewed)
  local last = reviewed.files[#reviewed.files]
  if last and last.sum == sum then
    table.remove(reviewed.files)
  elseif #reviewed.files == PLACES then
    table.remove(reviewed.files, 1)
  end
  table.insert(reviewed.files, file)
  return file
end

--- Notes what of it stands in the file, also for another Neovim.
---@param job botglue.Job
---@param reviewed botglue.Reviewed
---@param place botglue.Extent?
---@param sum string
local function keep_file(job, reviewed, place, sum)
  local file, on_disk = note_file(job, reviewed, place, sum), nil
  if file.is_other then
    local are_lines = file.sight and job.range.kind == "line" and file.sight.shape == "line"
    on_disk = are_lines and { rows = file.sight.text.rows, base = file.taken.base } or { rows = {} }
  end
  draft.keep_on_disk(job, on_disk)
end

--- Sees what of it stands in the file, which has the text of the buffer: it was written, or read again. What was taken
--- by the command that wrote it may be known only later.
---@param job botglue.Job
---@param reviewed botglue.Reviewed
---@param place botglue.Extent?
---@param sum string? of the text, where that is known
local function see_file(job, reviewed, place, sum)
  local bufnr, file = job.range.bufnr, reviewed.files[#reviewed.files]
  local is_same = file ~= nil and file.tick == api.nvim_buf_get_changedtick(bufnr)
  if not is_same or file.taken ~= reviewed.last_taken then
    keep_file(job, reviewed, place, is_same and file.sum or sum or text_sum.of(bufnr))
  end
end

--- From now on changes of the buffer are looked at, also when the review is over: what is undone then was never taken.
---@param job botglue.Job
local function follow(job)
  local range = job.range
  range.changes = range.changes
    or soon.once(function()
      if job.landing == "held" then
        M.look(job)
      end
    end)
end

--- Sees where the answer is, and what its place and the answer have in common.
---@param job botglue.Job
---@param place botglue.Extent
---@param answer string[]? by lines as it is shown beside them, where it can be told from what is around it; what is
--- typed in the buffer was not taken from it, whatever it reads
---@param beside string the state that the answer's side is in
---@param has_typed boolean? whether something was typed on either side since
function M.see(job, place, answer, beside, has_typed)
  local range, state = job.range, undo_tree.state(job.range.bufnr)
  local now, reviewed = range:read(place), known(job) or new(range.bufnr)
  local base
  local rows, shown, is_typing = range:lines_of(now), reviewed.shown, moment.is_typing(range.bufnr)
  if has_typed or not is_typing then
    reviewed.shown = answer and { rows, answer }
  end
  if range.shape ~= "insert" then
    base = reviewed.base
    if answer and not is_typing then
      local is_taking = not has_typed and shown ~= nil and agree.is_taking(shown, reviewed.shown)
      local function common(from)
        if range.shape == "block" then
          return agree.block(from, rows, answer)
        elseif is_taking then
          return agree.taken(from, shown, reviewed.shown)
        end
        return agree.lines(from, rows, answer)
      end
      local before = common_base(job)
      if reviewed.beside == beside then
        base = common(before)
        if not vim.deep_equal(base, before) then
          -- Taken over into the buffer, it stays taken whatever is undone over there.
          for other, theirs in pairs(reviewed.bases) do
            reviewed.bases[other] = common(theirs)
          end
        end
      else
        base = common(reviewed.bases[beside] or before)
      end
      reviewed.beside, reviewed.bases[beside] = beside, base
    end
  end
  job.reviewed, reviewed.base, reviewed.reads = reviewed, base, range.reads
  reviewed.state, reviewed.at = state, state
  follow(job)
  note(reviewed, range, place, now)
  if not vim.bo[range.bufnr].modified then
    see_file(job, reviewed, place)
  end
end

--- Begins anew with the undo tree.
---@param reviewed botglue.Reviewed
---@param taken botglue.Taken? what was taken in the state that it has come to
---@param state integer the number of that
local function begin_tree(reviewed, taken, state)
  reviewed.states, reviewed.order, reviewed.doubted, reviewed.taken = {}, {}, {}, { [state] = taken }
end

--- What was seen that stands in other text than the buffer had: in a file that was read again, or put over all of it.
--- Such a text is one that the file had before, or made from what that had last, or the buffer: then it stands between
--- the same rows.
---@param job botglue.Job
---@param reviewed botglue.Reviewed
---@param sum string of that text
---@param is_read boolean whether a file was read
---@return botglue.Sight? sight
---@return botglue.Taken? taken
---@return boolean may_be_left whether something was taken that may stand there, and nobody knows where
local function find_anew(job, reviewed, sum, is_read)
  local file, state = reviewed.files[#reviewed.files], reviewed.state
  local function is_it(each)
    return each.sum == sum
  end
  local same = vim.iter(reviewed.files):rev():find(is_it)
  if same then
    return same.sight, same.taken, same.is_other
  end
  local last = { sight = reviewed.states[state], taken = reviewed.taken[state] }
  for _, each in ipairs({ is_read and file or last, last }) do
    local place = each.sight and sights.anew(job.range, each.sight)
    if place then
      return vim.tbl_extend("force", each.sight, { place = place }), each.taken, false
    end
  end
  local may_be_left = (file and file.is_other) or is_other(job, last.sight, last.taken)
  return nil, nil, is_read and may_be_left
end

--- Whether what is next to the place of a held answer reads as what that adds there.
---@param job botglue.Job
---@param place botglue.Extent?
---@return boolean
local function is_begun(job, place)
  local answer = require("botglue.decide").answer(job)
  return place ~= nil and recognise.is_begun(job.range, place, job.range.base, answer)
end

--- Its file was read again, and what was taken stands nowhere that is known: the merge knows what stands there.
---@param job botglue.Job
---@param reviewed botglue.Reviewed
---@param state integer
---@param may_be_left boolean whether it may stand next to what was sent, as somebody else changed it
local function forget_taken(job, reviewed, state, may_be_left)
  local range = job.range
  restore_taken(reviewed, nil)
  reviewed.taken[state], reviewed.at, reviewed.reads = reviewed.last_taken, state, range.reads
  if may_be_left then
    range:lose()
  end
end

--- Looks at what became of it since the last look.
---@param job botglue.Job its buffer is loaded
---@param reviewed botglue.Reviewed
---@param read string? the sum of the text, where its file was read again
local function look(job, reviewed, read)
  local range, is_read = job.range, read ~= nil
  local state = undo_tree.state(range.bufnr)
  local place = range:place()
  -- Of a file that was read again the marks say nothing, until its text is found.
  local is_sure = place ~= nil and not (range.reloaded or range.replaced)
  -- While somebody goes on typing the state is the same, and the marks know best. It is the same, too, where both undo
  -- and redo came since the last look.
  local is_followed = state == reviewed.at and state == reviewed.state and place ~= nil
  local sight, taken, had = reviewed.states[state], reviewed.taken[state], was_other(job, reviewed)
  local is_fresh = is_read and undo_tree.is_last(range.bufnr) -- else undo brought it back
  if sight and is_read and ((had and is_fresh) or not sights.stands(range, sight)) then
    -- What was there before it was unloaded.
    sight = nil
  end
  local is_new, may_be_left = not sight and (is_read or range.replaced), false
  if is_new and had then
    sight, taken, may_be_left = find_anew(job, reviewed, read or text_sum.of(range.bufnr), is_read)
  end
  if undo_tree.is_behind(range.bufnr, reviewed.taken) then
    if not (sight or is_read) then
      taken = reviewed.taken[reviewed.at]
    end
    begin_tree(reviewed, taken, state)
  end
  if is_new and not sight and is_read then
    forget_taken(job, reviewed, state, may_be_left or (had and is_begun(job, place)))
  elseif not is_new and is_followed and sight and vim.deep_equal(range:read(place).rows, sight.text.rows) then
    reviewed.reads = range.reads
    if is_read or not sights.stands(range, sight) then
      -- What is typed next to it, or above it, is the same state key by key.
      note(reviewed, range, place, range:read(place))
    end
    return
  end
  if sight and sights.stands(range, sight) then
    range:restore(sight)
    restore_taken(reviewed, taken)
    reviewed.state, reviewed.at, reviewed.reads = state, state, range.reads
    note(reviewed, range, sight.place, range:read(sight.place))
  elseif sight and is_followed and is_sure and not is_read then
    -- It is typed in.
    note(reviewed, range, place, range:read(place))
  elseif not is_read and reviewed.doubted[state] then
    -- Where it is nobody knew then, whatever was put into the buffer since.
    range[reviewed.doubted[state]], reviewed.at = true, state
  elseif not is_read and not range.replaced and state ~= reviewed.at then
    -- Where it was then nobody saw, or it is forgotten: the marks know. What is typed takes nothing.
    restore_taken(reviewed, reviewed.taken[undo_tree.latest(range.bufnr, reviewed.taken)])
    reviewed.at = state
    if is_sure and undo_tree.is_last(range.bufnr) then
      -- It may be undone and redone.
      reviewed.state = state
      note(reviewed, range, place, range:read(place))
    end
  end
end

--- Notes that its place is not known in the state that the buffer is in.
---@param reviewed botglue.Reviewed
---@param range botglue.Range
local function note_doubt(reviewed, range)
  local state = undo_tree.state(range.bufnr)
  if (range.reloaded or range.replaced) and not reviewed.doubted[state] and not range:look() then
    reviewed.doubted[state] = range.reloaded and "reloaded" or "replaced"
  end
end

--- Goes back to what was seen where undo or redo brought the text back that stood there then: marks know nothing of
--- where they were set since.
---@param job botglue.Job
function M.look(job)
  local range, reviewed = job.range, known(job)
  if not reviewed or not api.nvim_buf_is_loaded(range.bufnr) then
    return
  end
  local read = range.reads ~= reviewed.reads and text_sum.of(range.bufnr) or nil
  look(job, reviewed, read)
  note_doubt(reviewed, range)
  if not vim.bo[range.bufnr].modified then
    see_file(job, reviewed, (range:look()), read)
  end
end

--- Takes up an answer that was reviewed before, in a Neovim that is gone or in a buffer that is.
---@param job botglue.Job its place is marked
---@param on_disk botglue.OnDisk
function M.take_up(job, on_disk)
  local range, reviewed = job.range, new(job.range.bufnr)
  local place, state = range:place(), undo_tree.state(range.bufnr)
  job.reviewed, reviewed.base, reviewed.reads = reviewed, on_disk.base, range.reads
  reviewed.state, reviewed.at = state, state
  follow(job)
  note(reviewed, range, place, range:read(place))
  note_file(job, reviewed, place, text_sum.of(range.bufnr))
end

return M
