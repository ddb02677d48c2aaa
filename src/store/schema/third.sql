INSERT INTO jobs (key, uuid, owner, id, copy_of, agent, protocol, model, session_id, project, path, filetype, kind,
    first_line, last_line, prompt, question, started_ms, ended_ms, has_answer, landing, held_for, landed_first, landed_last,
    cost_usd, input_tokens, output_tokens, cache_read_tokens, cache_creation_tokens, num_turns, duration_ms, transcript)
VALUES
    (1, 'u1', '41:7', 1, NULL, 'claude', 'claude', 'opus', 's1', '/p', '/p/a.lua', 'lua', 'line', 2, 3, 'shorter', 0,
        1000, 1900, 1, 'held', 'conflict', NULL, NULL, 0.25, 10, 5, 3, 1, 1, 850, 't1.jsonl'),
    (2, 'u2', '41:7', -2, NULL, 'claude', 'claude', 'opus', 's2', '/p', '/p/a.lua', 'lua', 'insert', 4, 4, 'more', 0,
        3000, 3500, 1, 'merged', NULL, 5, 6, NULL, 20, 7, 0, 0, NULL, 500, NULL),
    (3, 'u3', '42:8', 1, 'u1', 'claude', 'claude', 'opus', 's1', '/p', '/p/a.lua', 'lua', 'line', 2, 3, 'shorter', 0,
        1000, 1900, 1, 'rejected', NULL, NULL, NULL, NULL, 0, 0, 0, 0, NULL, 0, 't1.jsonl');
INSERT INTO texts (job, selection, text, lines, landed_rows, draft)
VALUES
    (1, '{"kind":"line","first_line":2,"last_line":3,"text":["a","é"],"rows":["a","é"],"cols":[0,0],"anchor":null}',
        'b', '["b"]', NULL, '{"lines":["b mine"],"rows":null,"above":["é"],"below":null}'),
    (2, '{"kind":"insert","first_line":4,"last_line":4,"text":[],"rows":[],"cols":[],"anchor":"d"}',
        'x' || char(10) || 'y', '["x","y"]', '["x","y"]', NULL),
    (3, '{"kind":"line","first_line":2,"last_line":3,"text":["a","é"],"rows":["a","é"],"cols":[0,0],"anchor":null}',
        'b', '["b"]', NULL, NULL);
INSERT INTO sessions VALUES
    ('claude', 's1', 's1', NULL, NULL, 'opus', '/p', 1000, 1900),
    ('claude', 's2', 's1', 's1', 'm1', 'opus', '/p', 3000, 3500);
INSERT INTO session_metadata VALUES
    ('claude', 's1', 0.25, 10, 5, 3, 1, 1, 850),
    ('claude', 's2', 0.5, 30, 12, 3, 1, 2, 1350);
INSERT INTO checkpoints VALUES (1, 'claude', 's1', 'm1', 1), (2, 'claude', 's2', 'm1', 2);
