//! How long the release build takes, and how large the host is: lazy.nvim stops a build after 120 seconds.

use std::path::Path;
use std::process::Command;
use std::time::Instant;

use super::row::{Run, Sample};

/// In seconds, on two cores with nothing built before; and in MB.
pub fn release() -> Run {
    Box::new(|| {
        let target =
            tempfile::Builder::new().prefix("build-").tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
        let started = Instant::now();
        let status = Command::new(env!("CARGO"))
            .args(["build", "--release", "--locked", "--offline", "--quiet", "--jobs", "2", "--target-dir"])
            .arg(target.path())
            .current_dir(env!("CARGO_MANIFEST_DIR"))
            .status()
            .unwrap();
        let seconds = started.elapsed().as_secs_f64();
        assert!(status.success(), "the build failed");
        vec![Sample::Value(seconds), Sample::Value(megabytes(&target.path().join("release/botglue")))]
    })
}

#[expect(clippy::cast_precision_loss, reason = "not so many bytes")]
fn megabytes(path: &Path) -> f64 {
    path.metadata().unwrap().len() as f64 / 1e6
}
