//! A directory for one test: a home, the XDG directories and a project in it, gone when the test ends.

use std::ffi::OsStr;
use std::path::PathBuf;
use std::process::Command;

use tempfile::TempDir;

/// The variable that marks every process of one test; children inherit it.
const MARK: &str = "BOTGLUE_TEST_RUN";

/// The directories of one test.
pub struct Scratch {
    root: TempDir,
}

impl Scratch {
    /// The lines of all journals of the plugin's hosts.
    pub fn journals(&self) -> String {
        let folder = self.path("data/nvim/botglue/journal");
        let files = std::fs::read_dir(folder).into_iter().flatten().map(|entry| entry.unwrap().path());
        let journals = files.filter(|path| path.extension().is_some_and(|end| end == "jsonl"));
        journals.filter_map(|path| std::fs::read_to_string(path).ok()).collect()
    }

    /// Makes the directories.
    pub fn new() -> Self {
        let scratch = Self { root: tempfile::Builder::new().prefix("botglue-").tempdir().unwrap() };
        for directory in ["home", "project", "config", "data", "state", "cache", "run"] {
            std::fs::create_dir(scratch.path(directory)).unwrap();
        }
        scratch
    }

    /// A path in the scratch directory.
    pub fn path(&self, name: &str) -> PathBuf {
        // Resolved, because Neovim and the CLIs name files by their resolved paths.
        self.root.path().canonicalize().unwrap().join(name)
    }

    /// The directory that the agents work in.
    pub fn project(&self) -> PathBuf {
        self.path("project")
    }

    /// Writes a file of the project, with the directories above it.
    pub fn write(&self, name: &str, text: impl AsRef<[u8]>) -> PathBuf {
        let path = self.project().join(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(&path, text).unwrap();
        path
    }

    /// What marks the processes of this test.
    pub fn mark(&self) -> String {
        format!("{MARK}={}", self.root.path().display())
    }

    /// A program that runs in the project, with nothing of the developer's own in its environment.
    pub fn command(&self, program: impl AsRef<OsStr>) -> Command {
        let mut command = Command::new(program);
        command.env_clear().envs(self.environment()).current_dir(self.project());
        command
    }

    fn environment(&self) -> impl Iterator<Item = (&'static str, PathBuf)> {
        let directories = [
            ("HOME", "home"),
            ("TMPDIR", "run"),
            ("XDG_RUNTIME_DIR", "run"),
            ("XDG_CONFIG_HOME", "config"),
            ("XDG_DATA_HOME", "data"),
            ("XDG_STATE_HOME", "state"),
            ("XDG_CACHE_HOME", "cache"),
        ];
        let own = directories.map(|(variable, directory)| (variable, self.path(directory)));
        own.into_iter().chain([("PATH", "/usr/bin:/bin".into()), (MARK, self.root.path().into())])
    }
}
