-- What the user made of a held answer in the review, kept with it until that is decided.
ALTER TABLE texts ADD COLUMN draft TEXT; -- JSON: lines, or the rows that they stand in; above, below
