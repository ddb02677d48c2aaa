local child = require("support.child")
local suite = require("support.suite")
local test, equal = suite.test, suite.equal

--- A child that can start processes which lead groups of their own.
local function start()
  local nvim = child.start()
  nvim:lua([[
    function _G.leader(script)
      local handle, pid
      handle, pid = vim.uv.spawn('/bin/sh', { args = { '-c', script }, detached = true }, function()
        handle:close()
      end)
      return pid
    end
    function _G.runs(pid)
      return vim.uv.kill(pid, 0) == 0
    end
    function _G.stop(groups)
      _G.kill = require('botglue.host.groups').stop(groups)
      return _G.kill ~= nil
    end
    function _G.note(pid)
      local groups = {}
      require('botglue.host.groups').note(groups, { id = 1 }, pid)
      return groups
    end
  ]])
  return nvim
end

test("a group that ignores TERM is killed after a grace", function()
  local nvim = start()
  local pid = nvim:lua("_G.pid = leader('trap \"\" TERM; echo; while :; do sleep 1; done'); return pid")
  equal(nvim:lua("return stop(note(pid))"), true)
  nvim:eventually("it is gone", "return not runs(...)", pid)
end)

test("a group whose number is another's by now is not signalled", function()
  local nvim = start()
  if vim.fn.isdirectory("/proc/self") == 0 then
    return
  end
  nvim:lua("_G.pid = leader('exec sleep 1000')")
  -- As if the leader that was noted had started at another time than the process that has its number now.
  nvim:lua([[
    local open = io.open
    io.open = function(path)
      return {
        read = function() return '1 (sh) S' .. (' 1'):rep(30) end,
        close = function() end,
      }
    end
    _G.groups = note(pid)
    io.open = open
  ]])
  equal(nvim:lua("return stop(groups)"), false)
  -- A signal that was sent arrives before this one, which cannot be held up.
  equal(nvim:lua("return { runs(pid), vim.uv.kill(-pid, 'sigkill') }"), { true, 0 })
end)

test("a group that was empty once is let go of, whoever has its number later", function()
  local nvim = start()
  nvim:lua("_G.pid = leader('exec sleep 1000')")
  nvim:lua([[
    _G.sent = {}
    local kill = vim.uv.kill
    vim.uv.kill = function(pid, signal)
      local result = kill(pid, signal)
      sent[#sent + 1] = { signal, result == 0 }
      return result
    end
    stop(note(pid))
  ]])
  nvim:eventually("it was seen that nothing is left", "return not sent[#sent][2]")
  nvim:lua("kill()")
  local sent = nvim:lua("return sent")
  equal({ sent[1], sent[#sent] }, { { "sigterm", true }, { 0, false } })
end)
