//! The name of a place: its file, as short as possible, and its line.

use super::Viewer;

const NO_NAME: &str = "[No Name]";

/// What comes before the names of the plugin's own buffers.
const OURS: &str = "botglue://";

/// `src/config.rs:41`.
pub fn place(path: &str, name: Option<&str>, line: u64, viewer: &Viewer) -> String {
    format!("{}:{}", file(path, name, viewer), line.max(1))
}

/// `src/config.rs`. A buffer without a file has a name of its own, or none.
pub fn file(path: &str, name: Option<&str>, viewer: &Viewer) -> String {
    let name = name.map(|name| name.strip_prefix(OURS).unwrap_or(name)).filter(|name| !name.is_empty());
    if path.is_empty() { name.unwrap_or(NO_NAME).to_owned() } else { short(path, viewer) }
}

/// A path below the directory of the viewer without that, any other below the user's own with `~`.
fn short(path: &str, viewer: &Viewer) -> String {
    if let Some(rest) = below(path, &viewer.cwd) {
        return rest.to_owned();
    }
    below(path, &viewer.home).map_or_else(|| path.to_owned(), |rest| format!("~/{rest}"))
}

/// A path without a directory that it is below.
fn below<'a>(path: &'a str, directory: &str) -> Option<&'a str> {
    let directory = directory.trim_end_matches('/');
    path.strip_prefix(directory)?.strip_prefix('/').filter(|_| !directory.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_is_as_short_as_it_can_be_said() {
        let viewer = Viewer { cwd: "/home/dev/project/".to_owned(), home: "/home/dev".to_owned() };
        let shown = [
            "/home/dev/project/src/a.rs",
            "/home/dev/project",
            "/home/dev/projects/a.rs",
            "/home/developer/a.rs",
            "/a.rs",
        ]
        .map(|path| place(path, None, 4, &viewer));
        let expected =
            ["src/a.rs:4", "~/project:4", "~/projects/a.rs:4", "/home/developer/a.rs:4", "/a.rs:4"];
        assert_eq!(shown, expected);
    }

    #[test]
    fn a_text_without_a_file_has_the_name_of_its_buffer() {
        let viewer = Viewer::default();
        assert_eq!(place("", Some("botglue://answer-3"), 2, &viewer), "answer-3:2");
        assert_eq!(place("", Some(""), 2, &viewer), "[No Name]:2");
        assert_eq!(place("", None, 0, &viewer), "[No Name]:1", "above the first line");
        assert_eq!(place("/a.rs", None, 1, &viewer), "/a.rs:1", "without a directory");
    }
}
