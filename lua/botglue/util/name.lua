--- What the text of a job is called where no host is asked, as in `src/view/place`: its file, as short as it can be
--- said, or its buffer.

---@param path string "": there is no file
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
