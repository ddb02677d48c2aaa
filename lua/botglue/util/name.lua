--- The name of a job's text where the host is not asked, as in `src/view/place`: its file, as short as possible, or its
--- buffer.

---@param path string "" without a file
---@param buffer string? the name of the buffer
---@return string
return function(path, buffer)
  if path ~= "" then
    return vim.fn.fnamemodify(path, ":~:.")
  end
  -- A window of ours is known by what it is.
  local name = (buffer or ""):gsub("^botglue://", "")
  return name ~= "" and name or "[No Name]"
end
