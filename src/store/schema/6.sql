-- What is taken of a held answer in its file: the next session merges with that, so what the user has changed in it since
-- is theirs.
ALTER TABLE texts ADD COLUMN taken_base TEXT; -- JSON: what was selected, with the taken edits in it
