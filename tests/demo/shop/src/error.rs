//! What can go wrong in the shop.

use std::path::PathBuf;

/// Why the stock could not be read.
pub enum Error {
    /// The file could not be read.
    Read(PathBuf, std::io::Error),
    /// A line is not `name = count`; from 1.
    Line(usize),
}
