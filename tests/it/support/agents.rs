//! Agents without a CLI behind them, as shell scripts: for what no real CLI can be made to do at will.
//!
//! The scripts print lines of Claude's protocol; which faults there are, the functions' names say.

use std::fs::File;
use std::io::Write;
use std::os::unix::fs::{OpenOptionsExt, PermissionsExt};
use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use super::scratch::Scratch;
use super::{stream, wait, wait_some};

/// An agent whose every run waits for the test. `GATE:name` in its message names the run; what the test writes
/// into [`Run`] is what it prints, and it ends when the test lets go of that.
pub struct Gated {
    directory: PathBuf,
}

/// The hold on one run of a [`Gated`] agent. Dropping it is the end of the agent's output.
pub struct Run {
    pipe: File,
}

impl Gated {
    /// Writes the agent's script.
    pub fn new(scratch: &Scratch) -> Self {
        let directory = scratch.path("gated");
        std::fs::create_dir(&directory).unwrap();
        // Each file is whole when it appears under its name: a test that sees it may read it.
        let body = r#"
            dir=${0%/*}
            message=$(cat)
            name=$(printf '%s' "$message" | sed -n 's/.*GATE:\([A-Za-z0-9_-]*\).*/\1/p' | head -n 1)
            printf '%s' "$message" >"$dir/$name.part" && mv "$dir/$name.part" "$dir/$name.stdin"
            mkfifo "$dir/$name.pipe" 2>/dev/null
            exec cat "$dir/$name.pipe"
        "#;
        write_script(&directory.join("agent"), body);
        Self { directory }
    }

    /// The option `agents`, with this as the agent `claude`.
    pub fn option(&self) -> Value {
        claude_is(&self.directory.join("agent"))
    }

    /// Whether the run of that name has read its message and waits.
    pub fn has_started(&self, name: &str) -> bool {
        self.directory.join(format!("{name}.stdin")).exists()
    }

    /// What the run was given on stdin, once it has started.
    #[track_caller]
    pub fn stdin(&self, name: &str) -> String {
        wait(&format!("the agent's run {name:?} has started"), || self.has_started(name));
        std::fs::read_to_string(self.directory.join(format!("{name}.stdin"))).unwrap()
    }

    /// Takes hold of a run, once it has started.
    ///
    /// # Panics
    /// Where it does not start by the deadline.
    #[track_caller]
    pub fn run(&self, name: &str) -> Run {
        let path = self.directory.join(format!("{name}.pipe"));
        let open = |flags| File::options().write(true).custom_flags(flags).open(&path);
        // So it cannot be opened until it is read from.
        let started = format!("the agent's run {name:?} has started");
        let _is_read = wait_some(&started, || open(libc::O_NONBLOCK).ok());
        Run { pipe: open(0).unwrap() }
    }

    /// Lets a run give its whole answer and end.
    #[track_caller]
    pub fn answer(&self, name: &str, answer: &str) {
        self.run(name).print(&stream::answer(answer));
    }
}

impl Run {
    /// Lets the agent print something.
    #[track_caller]
    pub fn print(&mut self, text: &str) {
        self.pipe.write_all(text.as_bytes()).expect("the agent does not read what it should print");
    }
}

/// An agent `claude` that reads its message, prints a whole good run unless `answer` is empty, and then does
/// what `script` says.
pub fn fault(scratch: &Scratch, answer: &str, script: &str) -> Value {
    let printed = scratch.path("agent.out");
    let stream = if answer.is_empty() { String::new() } else { stream::answer(answer) };
    std::fs::write(&printed, stream).unwrap();
    let path = scratch.path("agent");
    write_script(&path, &format!("cat >/dev/null\ncat '{}'\n{script}\n", printed.display()));
    claude_is(&path)
}

/// The option `agents` in which a program stands in for Claude.
pub fn claude_is(program: &Path) -> Value {
    json!({"claude": {"command": [program]}})
}

/// Writes a program of one shell script.
pub fn write_script(path: &Path, body: &str) {
    std::fs::write(path, format!("#!/bin/sh\n{body}")).unwrap();
    std::fs::set_permissions(path, std::fs::Permissions::from_mode(0o755)).unwrap();
}
