//! Where Neovim and the real CLIs are.

use std::path::{Path, PathBuf};

/// Neovim for this run: what `make test` says, else what it would have installed.
pub fn nvim() -> PathBuf {
    std::env::var_os("BOTGLUE_TEST_NVIM").map_or_else(|| installed("nvim/nvim"), PathBuf::from)
}

/// The path of a CLI by its name.
pub fn program(name: &str) -> PathBuf {
    let directory = std::env::var_os("BOTGLUE_TEST_CLIS").map(PathBuf::from);
    let path = directory
        .map_or_else(|| installed(&format!("npm/node_modules/.bin/{name}")), |found| found.join(name));
    assert!(
        path.exists(),
        "{} is not there: run the tests with `make test`, it gets what they need",
        path.display()
    );
    path
}

fn installed(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("target/tools").join(name)
}
