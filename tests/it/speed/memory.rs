//! What the host takes of memory.

use super::editor::{Editor, ROWS, paced, text};
use super::row::Run;
use crate::support::nvim::Builder;
use crate::support::process;
use crate::support::scratch::Scratch;

fn of_host(editor: &Editor) -> f64 {
    megabytes(process::memory(editor.nvim.host().unwrap()))
}

#[expect(clippy::cast_precision_loss, reason = "not so many")]
fn megabytes(kibibytes: u64) -> f64 {
    kibibytes as f64 / 1024.0
}

/// In MB: idle, and with 32 jobs that stream.
pub fn with_jobs() -> Run {
    const JOBS: usize = 32;
    Box::new(|| {
        let scratch = Scratch::new();
        let agents = paced(&scratch, 80, 1.0, "linger");
        let editor = Editor::new(scratch, agents);
        let mut most = of_host(&editor);
        editor.start("D", JOBS, JOBS, 30);
        editor.nvim.wait("all have streamed", || {
            most = most.max(of_host(&editor));
            editor.nvim.exec("return require('botglue').statusline()") == ""
        });
        let idle = Builder::new(Scratch::new()).start();
        idle.exec("local client = require('botglue.host.client') client.connect(client.options())");
        idle.wait("the host is ready", || {
            idle.exec("return require('botglue.host.connection').process.ready") == true
        });
        let idle = process::memory(idle.host().unwrap());
        vec![megabytes(idle), most]
    })
}

/// In MB: what 1,000 jobs leave beyond an idle host, the mirror of their buffer apart. What is free is given back at
/// the end of the next job.
pub fn after_jobs() -> Run {
    const ROUNDS: usize = 8;
    Box::new(|| {
        let editor = Editor::small_jobs();
        let idle = of_host(&editor);
        for _ in 0..ROUNDS {
            editor.run("D", 125, 8, 7);
            editor.reset();
        }
        editor.nvim.command("silent! bwipeout!");
        editor.nvim.edit("other.txt", &text(10));
        editor.nvim.mirrored();
        editor.run("D", 1, 1, 7);
        vec![(of_host(&editor) - idle).max(0.0)]
    })
}

/// In MB: with 300 buffers that it mirrors.
pub fn with_buffers() -> Run {
    const BUFFERS: usize = 300;
    Box::new(|| {
        let editor =
            Editor::new(Scratch::new(), crate::support::agents::claude_is(std::path::Path::new("cat")));
        let idle = of_host(&editor);
        editor.nvim.command("set hidden");
        for n in 0..BUFFERS {
            editor.nvim.edit(&format!("{n}.txt"), &text(ROWS));
            editor.nvim.exec("require('botglue.editor.capture').want(vim.api.nvim_get_current_buf())");
        }
        editor.nvim.mirrored();
        vec![(of_host(&editor) - idle).max(0.0)]
    })
}
