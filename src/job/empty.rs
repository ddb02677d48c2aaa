//! The directory in which agents run that load settings from whatever directory they run in: there is nothing in it.
//! That is checked before each use, since whatever lies there would reach every later job.

#![expect(clippy::disallowed_methods, reason = "the directory, and the file beside it, are the agents'")]

use std::fs::{self, DirBuilder, OpenOptions};
use std::io::{self, Write};
use std::os::unix::fs::{DirBuilderExt, MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};

/// How many directories are tried. Files in one are not removed; then another one is taken.
const MOST: usize = 100;

/// The place of such a directory: `empty` under the data directory, or `empty-1` and so on.
#[derive(Debug, Clone, Default)]
pub struct EmptyDirectory {
    data_dir: Option<PathBuf>,
}

impl EmptyDirectory {
    /// Under `data_dir`; there is none without it.
    pub fn under(data_dir: Option<PathBuf>) -> Self {
        Self { data_dir }
    }

    /// A directory that belongs to this user, that no other user can write to, and that is empty now. It is made where
    /// there is none.
    ///
    /// # Errors
    /// Says why there is none.
    pub fn find(&self) -> io::Result<PathBuf> {
        let data_dir = self.made()?;
        let more = (1..MOST).map(|number| format!("empty-{number}"));
        for path in std::iter::once("empty".to_owned()).chain(more).map(|name| data_dir.join(name)) {
            if is_usable(&path)? {
                return Ok(path);
            }
            tracing::warn!(path = %path.display(), "not an empty directory of this user alone");
        }
        Err(io::Error::other(format!("none of {} is one", data_dir.join("empty*").display())))
    }

    /// Writes a file beside the directory, for this user alone, unless it is there; returns its path.
    ///
    /// # Errors
    /// Says why it is not there.
    pub fn write_beside(&self, name: &str, content: &str) -> io::Result<PathBuf> {
        let data_dir = self.made()?;
        let (path, part) = (data_dir.join(name), data_dir.join(format!("{name}.{}", std::process::id())));
        let is_file = fs::symlink_metadata(&path).is_ok_and(|metadata| metadata.is_file());
        if !is_file || fs::read_to_string(&path).ok().as_deref() != Some(content) {
            // What a host left that was killed here is its own.
            let _ = fs::remove_file(&part);
            let mut options = OpenOptions::new();
            let mut file = options.write(true).create_new(true).mode(0o600).open(&part)?;
            file.write_all(content.as_bytes())?;
            fs::rename(&part, &path)?;
        }
        Ok(path)
    }

    fn made(&self) -> io::Result<&Path> {
        let data_dir = self.data_dir.as_deref();
        let data_dir = data_dir.ok_or_else(|| io::Error::other("there is no data directory"))?;
        DirBuilder::new().recursive(true).mode(0o700).create(data_dir)?;
        Ok(data_dir)
    }
}

fn is_usable(path: &Path) -> io::Result<bool> {
    match DirBuilder::new().mode(0o700).create(path) {
        Err(error) if error.kind() != io::ErrorKind::AlreadyExists => return Err(error),
        _ => {}
    }
    // Not through a symbolic link: where that leads may change.
    let metadata = path.symlink_metadata()?;
    // SAFETY: takes nothing and cannot fail.
    let user = unsafe { libc::geteuid() };
    let is_own = metadata.is_dir() && metadata.uid() == user && metadata.mode() & 0o022 == 0;
    Ok(is_own && path.read_dir()?.next().is_none())
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::os::unix::fs::{PermissionsExt, symlink};

    use super::*;

    #[test]
    fn what_somebody_put_there_stays_and_another_directory_is_used() {
        let dir = tempfile::tempdir().unwrap();
        let path = |name: &str| dir.path().join(name);
        let empty = EmptyDirectory::under(Some(dir.path().to_owned()));
        let found = || empty.find().unwrap();
        assert_eq!([found(), found()], [path("empty"), path("empty")]);
        assert_eq!(path("empty").metadata().unwrap().mode() & 0o777, 0o700);

        fs::create_dir(path("empty/.factory")).unwrap();
        fs::create_dir(path("elsewhere")).unwrap();
        symlink(path("elsewhere"), path("empty-1")).unwrap();
        fs::write(path("empty-2"), "").unwrap();
        fs::create_dir(path("empty-3")).unwrap();
        fs::set_permissions(path("empty-3"), fs::Permissions::from_mode(0o777)).unwrap();
        assert_eq!(found(), path("empty-4"));
        assert!(path("empty/.factory").is_dir());

        fs::remove_dir(path("empty/.factory")).unwrap();
        assert_eq!(found(), path("empty"));
    }

    #[test]
    fn without_any_there_is_an_error() {
        let dir = tempfile::tempdir().unwrap();
        for number in 1..MOST {
            fs::write(dir.path().join(format!("empty-{number}")), "").unwrap();
        }
        fs::write(dir.path().join("empty"), "").unwrap();
        let error = EmptyDirectory::under(Some(dir.path().to_owned())).find().unwrap_err();
        assert!(error.to_string().contains("/empty*"), "{error}");
        assert!(EmptyDirectory::default().find().is_err());
    }
}
