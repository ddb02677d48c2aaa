//! Finds the known name that a wrong one may have meant.

use strsim::osa_distance;

/// The known path that is nearest to a wrong one: the same name in another group, else the one with the fewest letters
/// to change, where these are at most a third of the name.
pub fn nearest<'a>(wrong: &str, known: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    // What a user remembers of a path.
    let leaf = |path: &str| path.rsplit('.').next().unwrap_or_default().to_owned();
    let mut known: Vec<&str> = known.into_iter().collect();
    known.sort_unstable();
    if let Some(same) = known.iter().find(|path| leaf(path) == leaf(wrong)) {
        return Some(same);
    }
    let most = (leaf(wrong).len() / 3).max(1);
    let far = |path: &str| osa_distance(&wrong.to_lowercase(), &path.to_lowercase());
    known
        .into_iter()
        .map(|path| (far(path), path))
        .filter(|(far, _)| *far <= most)
        .min()
        .map(|(_, path)| path)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_nearest_name_is_the_one_that_was_meant() {
        let known = ["timeout", "max_turns", "default_keymaps", "review", "status.preview", "context.lines"];
        for (wrong, meant) in [
            ("status.preveiw", Some("status.preview")),
            ("timeuot", Some("timeout")),
            ("max_turn", Some("max_turns")),
            ("Review", Some("review")),
            ("preview", Some("status.preview")),
            ("context.preview", Some("status.preview")),
            ("keymaps", None),
            ("x", None),
        ] {
            assert_eq!(nearest(wrong, known), meant, "{wrong}");
        }
    }
}
