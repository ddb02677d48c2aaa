//! A small file beside the database that names the files whose answers wait for a decision: Neovim reads it itself, and
//! starts a host only if one of these files is open.
//!
//! `held.jsonl` has one object a line, `{"owner":"PID:START:MACHINE:BOOT:NAMESPACE","path":"/a/file"}`, in the order in
//! which the jobs ended. The file does not exist while no answer waits. It is a hint: the database decides.

use std::fs::{self, OpenOptions};
use std::io::{self, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};

use rusqlite::Connection;
use serde_json::json;

use crate::store::StoreError;

/// What the file is called.
pub const FILE: &str = "held.jsonl";

/// See the module.
pub struct Marker {
    path: Option<PathBuf>,
    /// What this host wrote last.
    written: Option<String>,
}

impl Marker {
    /// Of the database in a folder.
    pub fn new(data_dir: Option<&Path>) -> Self {
        Self { path: data_dir.map(|dir| dir.join(FILE)), written: None }
    }

    /// Brings the file to what the database says.
    pub fn update(&mut self, connection: &Connection) -> Result<(), StoreError> {
        let Some(path) = &self.path else { return Ok(()) };
        let content = waiting(connection)?;
        if self.written.as_ref() == Some(&content) && path.exists() != content.is_empty() {
            return Ok(());
        }
        write(path, &content)?;
        self.written = Some(content);
        Ok(())
    }
}

/// The lines of the file.
fn waiting(connection: &Connection) -> Result<String, StoreError> {
    let mut lines = String::new();
    let mut statement = connection.prepare_cached(
        "SELECT owner, path FROM jobs
         WHERE has_answer AND NOT question AND (landing IS NULL OR landing = 'held') ORDER BY ended_ms",
    )?;
    let mut rows = statement.query([])?;
    while let Some(row) = rows.next()? {
        let (owner, path): (String, String) = (row.get("owner")?, row.get("path")?);
        lines.push_str(&json!({ "owner": owner, "path": path }).to_string());
        lines.push('\n');
    }
    Ok(lines)
}

/// Replaces the file at once, so that a reader sees all of the old or all of the new one.
fn write(path: &Path, content: &str) -> io::Result<()> {
    if content.is_empty() {
        return match fs::remove_file(path) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
            _ => Ok(()),
        };
    }
    let fresh = path.with_extension(format!("new-{}", std::process::id()));
    let _ = fs::remove_file(&fresh);
    let mut file = OpenOptions::new().write(true).create_new(true).mode(0o600).open(&fresh)?;
    file.write_all(content.as_bytes())?;
    fs::rename(&fresh, path)
}
