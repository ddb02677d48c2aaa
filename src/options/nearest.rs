//! Finds the known name that a wrong one may have meant.

use strsim::osa_distance;

/// The known name that is nearest to a wrong one: the one with the fewest letters to change, where these are at most a third
/// of the name.
pub fn nearest<'a>(wrong: &str, known: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let most = (wrong.len() / 3).max(1);
    let far = |name: &str| osa_distance(&wrong.to_lowercase(), &name.to_lowercase());
    let near = known.into_iter().map(|name| (far(name), name)).filter(|(far, _)| *far <= most);
    near.min().map(|(_, name)| name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_nearest_name_is_the_one_that_was_meant() {
        let known = ["revert", "retry", "review"];
        for (wrong, meant) in [("rvert", Some("revert")), ("Review", Some("review")), ("x", None)] {
            assert_eq!(nearest(wrong, known), meant, "{wrong}");
        }
    }
}
