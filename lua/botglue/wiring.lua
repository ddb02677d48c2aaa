--- Connects lower modules to higher ones. Each entry point of the plugin requires this module first. A callback loads
--- its module when it is called, so that a status line costs nothing.

local connection = require("botglue.host.connection")
local handlers = require("botglue.host.handlers")

function handlers.host_started(process)
  require("botglue.editor.capture").mirror_all()
  if next(connection.jobs) then
    require("botglue.ui.review.held").tell_all()
  end
  vim.schedule(function()
    if connection.review then
      connection.review:follow()
    end
  end)
  if connection.prompt then
    connection.prompt:introduce()
  end
  for _, batch in ipairs(connection.batches) do
    process:notify("batch", batch)
  end
  connection.paste = connection.paste or require("botglue.editor.moment").watch_paste()
  require("botglue.editor.moment").watch_quit()
end

function handlers.host_ready(process)
  -- Before the first job there is nothing to hand over.
  if connection.last_id > 0 then
    require("botglue.jobs.lost").introduce(process)
  end
end

function handlers.host_lost(process, err)
  require("botglue.jobs.lost").host_lost(process, err)
  require("botglue.ui.view").host_lost()
  require("botglue.ui.status").host_lost()
  if connection.prompt and connection.prompt:is_open() and not connection.process then
    connection.prompt:say(err.message)
  end
end

function handlers.leaving()
  require("botglue.jobs.lost").leave()
end

function handlers.row_key(view, action)
  require("botglue.ui.ops").act(view, action)
end

function handlers.prompt_wanted(range, request, opts, send)
  require("botglue.ui.prompt").ask(range, request, opts, send)
end
