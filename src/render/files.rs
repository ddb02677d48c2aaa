//! Which files are meant by a few letters of their paths.

/// The most that are offered.
const MOST: usize = 50;

/// How well a path matches letters in lower case, 0 best; none where it does not.
fn rank(path: &str, query: &str) -> Option<usize> {
    let lower = path.to_lowercase();
    let Some(at) = lower.find(query) else {
        let mut letters = lower.chars();
        return query.chars().all(|letter| letters.any(|other| other == letter)).then_some(4);
    };
    let within = lower.rsplit('/').next().unwrap_or(&lower).find(query);
    Some(match (within, at) {
        (Some(0), _) => 0,
        (_, 0) => 1,
        (Some(_), _) => 2,
        (None, _) => 3,
    })
}

/// The files that match best: by how they match, then the shortest.
pub fn find_files(files: &[String], query: &str) -> Vec<String> {
    let query = query.to_lowercase();
    let mut found: Vec<_> =
        files.iter().filter_map(|path| Some((rank(path, &query)?, path.len(), path))).collect();
    found.sort_unstable();
    found.truncate(MOST);
    found.into_iter().map(|(.., path)| path.clone()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_name_counts_before_the_folders_and_letters_in_order_come_last() {
        let files = [
            "src/deep/er/library.rs",
            "lib/a.rs",
            "tests/a_lib.rs",
            "x/lib/b.rs",
            "src/lib.rs",
            "l/i/b",
            "z.rs",
        ];
        let files = files.map(str::to_owned);
        let expected =
            ["src/lib.rs", "src/deep/er/library.rs", "lib/a.rs", "tests/a_lib.rs", "x/lib/b.rs", "l/i/b"];
        assert_eq!(find_files(&files, "LIB"), expected);
        assert_eq!(find_files(&files, "sdlib"), ["src/deep/er/library.rs"]);
        assert_eq!(find_files(&files, "").len(), 7);
        assert_eq!(find_files(&files, "nothing"), [""; 0]);
    }
}
