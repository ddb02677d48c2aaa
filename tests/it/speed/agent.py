"""An agent that prints a tool and then text at a real rate, and notes when its result line went out.

Arguments: the folder for notes, how many pieces of text a second, how many seconds of text, and what it does besides:
`linger` for a tenth of a second after its result line. With `gate` it prints no text, and its result once the pipe `gate`
of the folder has been closed; with `turn` its text, one job after the other from then on. With `file` its result line is
what the file `answer` of the folder has.
"""

import json
import os
import re
import sys
import time

folder, rate, seconds, then = sys.argv[1:5]
rate, seconds = float(rate), float(seconds)
number = int(re.search(r"JOB:(\d+)", sys.stdin.read())[1])


def say(**line):
    os.write(1, (json.dumps(line) + "\n").encode())


def use_tool(n):
    tool = {"type": "tool_use", "id": "t%d" % n, "name": "Read", "input": {"file_path": "src/%d.rs" % n}}
    say(type="assistant", session_id="s", message={"id": "m%d" % n, "role": "assistant", "content": [tool]})


say(type="system", subtype="init", session_id="s", model="claude-test", tools=["Read"])
use_tool(1)
if then in ("gate", "turn"):
    with open(os.path.join(folder, "gate"), "rb") as gate:
        gate.read()
if then == "turn":
    time.sleep(0.5 + number / 16)
if then != "gate":
    for piece in range(int(rate * seconds)):
        text = ["    let value", "_%d = " % piece, "compute(%d, " % piece, "other);\n"][piece % 4]
        delta = {"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": text}}
        say(type="stream_event", event=delta)
        time.sleep(1 / rate)
answer = "\n".join("answer %d of %d at %d" % (row, number, time.monotonic_ns()) for row in range(4))
usage = {"input_tokens": 10, "output_tokens": 5}
result = json.dumps(
    dict(subtype="success", is_error=False, result=answer, session_id="s", num_turns=1, usage=usage, type="result")
)
printed = (result + "\n").encode()
if then == "file":
    with open(os.path.join(folder, "answer"), "rb") as answer:
        printed = answer.read()
at = time.monotonic_ns()
while printed:
    printed = printed[os.write(1, printed):]
if then in ("linger", "turn"):
    time.sleep(0.1)
notes = os.open(os.path.join(folder, "notes"), os.O_WRONLY | os.O_CREAT | os.O_APPEND)
os.write(notes, b"%d %d\n" % (number, at))
