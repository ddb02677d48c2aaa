-- What was typed in a prompt and not sent yet: it outlives its Neovim.
CREATE TABLE unsent (
    owner TEXT NOT NULL,            -- the Neovim in which it was typed, see `owner`
    id INTEGER NOT NULL,            -- its number in that Neovim
    at_ms INTEGER NOT NULL,         -- Unix time of its last change
    text TEXT NOT NULL,
    PRIMARY KEY (owner, id)
) STRICT, WITHOUT ROWID;
