//! The mentions in a prompt that add to the message: `@buffer:name` the text of another buffer, unsaved too;
//! `@diagnostics` all diagnostics of the buffer; `@diff` what has changed in it since the last commit; `@quickfix` the
//! quickfix list. The agent reads a mentioned file (`@src/lib.rs`) itself.

const BUFFER: &str = "@buffer:";
/// All diagnostics of the buffer.
pub const DIAGNOSTICS: &str = "@diagnostics";
/// What has changed in the buffer since the last commit.
pub const DIFF: &str = "@diff";
/// The quickfix list.
pub const QUICKFIX: &str = "@quickfix";

/// The buffers that a prompt mentions, of those that there are by their names: the name in it, and the number.
///
/// # Errors
/// Where one is not there, or several have its name.
pub fn buffers(text: &str, open: &[(&str, u64)]) -> Result<Vec<(String, u64)>, String> {
    let mut found: Vec<(String, u64)> = Vec::new();
    for rest in behind(text, BUFFER) {
        let quoted = rest.strip_prefix('"').and_then(|rest| rest.split_once('"')).map(|(name, _)| name);
        let name = quoted.or_else(|| rest.split(char::is_whitespace).next()).unwrap_or_default();
        if name.is_empty() {
            return Err(format!("{BUFFER} needs the name of a buffer"));
        }
        let bare = name.trim_end_matches([',', '.', ';', ':', '!', '?', ')']);
        let number = buffer(name, open)?.or(buffer(bare, open)?);
        let number =
            number.ok_or_else(|| format!("{BUFFER}{bare}: no buffer that is loaded has this name"))?;
        if !found.iter().any(|(_, known)| *known == number) {
            found.push((bare.to_owned(), number));
        }
    }
    Ok(found)
}

/// Whether it has one of these mentions: not a file whose name begins so.
pub fn wants(text: &str, mention: &str) -> bool {
    let is_word = |letter: char| letter.is_ascii_alphanumeric() || letter == '_';
    let goes_on = |rest: &str| match rest.strip_prefix('.') {
        Some(behind) => behind.starts_with(is_word),
        None => rest.starts_with(|letter| is_word(letter) || "/-".contains(letter)),
    };
    behind(text, mention).any(|rest| !goes_on(rest))
}

/// What follows each mention: not within a word, as in an address.
fn behind<'a>(text: &'a str, mention: &'a str) -> impl Iterator<Item = &'a str> {
    let is_within = |before: &str| {
        before.ends_with(|letter: char| letter.is_ascii_alphanumeric() || "_.".contains(letter))
    };
    let places = text.match_indices(mention).filter(move |(at, _)| !is_within(&text[..*at]));
    places.map(|(at, mention)| &text[at + mention.len()..])
}

/// The buffer of a name: the whole one, a number, or the end of a path that no other one has.
fn buffer(name: &str, open: &[(&str, u64)]) -> Result<Option<u64>, String> {
    if let Some((_, number)) = open.iter().find(|(own, number)| *own == name || number.to_string() == name) {
        return Ok(Some(*number));
    }
    let is_end = |own: &str| own.strip_suffix(name).is_some_and(|front| front.ends_with('/'));
    let ends: Vec<_> = open.iter().filter(|(own, _)| is_end(own)).collect();
    if ends.len() > 1 {
        return Err(format!("{BUFFER}{name}: {} buffers have this name, give more of the path", ends.len()));
    }
    Ok(ends.first().map(|(_, number)| *number))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn buffers_have_their_names_numbers_and_ends_of_paths() {
        let open = [("src/a.rs", 2), ("b/a.rs", 3), ("two words", 4)];
        let found = |text| buffers(text, &open).map(|found| found.into_iter().map(|(_, n)| n).collect());
        for (text, numbers) in [
            ("as in @buffer:src/a.rs, and @buffer:2", vec![2]),
            ("@buffer:\"two words\" (@buffer:3)", vec![4, 3]),
            ("me@buffer:x and nothing", vec![]),
        ] {
            assert_eq!(found(text), Ok(numbers), "{text}");
        }
        let why = |text| found(text).unwrap_err();
        assert_eq!(why("@buffer:a.rs"), "@buffer:a.rs: 2 buffers have this name, give more of the path");
        assert_eq!(why("@buffer:c.rs."), "@buffer:c.rs: no buffer that is loaded has this name");
        assert_eq!(why("@buffer: x"), "@buffer: needs the name of a buffer");
    }

    #[test]
    fn diagnostics_are_no_file_whose_name_begins_so() {
        for (text, is_one) in [
            ("fix @diagnostics", true),
            ("(@diagnostics)", true),
            ("@diagnostics.", true),
            ("@diagnostics.rs", false),
            ("@diagnostics/a", false),
            ("a@diagnostics", false),
        ] {
            assert_eq!(wants(text, DIAGNOSTICS), is_one, "{text}");
        }
    }
}
