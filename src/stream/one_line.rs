//! Text of other programs made fit to be shown: one line, no control characters, bounded.

/// One clean line of at most `limit` characters, the rest replaced by an ellipsis.
pub fn line(text: &str, limit: usize) -> String {
    let mut clean = String::new();
    let mut length = 0;
    let mut gap = false;
    for character in text.chars() {
        if character.is_whitespace() || is_invisible(character) {
            gap = !clean.is_empty();
            continue;
        }
        if length + usize::from(gap) >= limit {
            clean.push('…');
            break;
        }
        if gap {
            clean.push(' ');
            length += 1;
            gap = false;
        }
        clean.push(character);
        length += 1;
    }
    clean
}

/// The same without a terminal's escapes, and of a long text the end is kept.
pub fn last_line(text: &str, limit: usize) -> String {
    let text = &without_escapes(text);
    let Some((start, _)) = text.char_indices().rev().nth(limit.saturating_sub(1)) else {
        return line(text, limit);
    };
    let end = line(&text[start..], limit);
    if start == 0 || end.is_empty() { end } else { format!("…{end}") }
}

/// The longest beginning of `text` that has at most `limit` bytes.
pub fn clip(text: &str, limit: usize) -> &str {
    let mut end = limit.min(text.len());
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    &text[..end]
}

/// Control characters, and those that change the direction of text or have no width.
fn is_invisible(character: char) -> bool {
    character.is_control()
        || matches!(
            character,
            '\u{200b}' | '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' | '\u{feff}'
        )
}

/// Text without the escape sequences of ECMA-48: control sequences, strings such as titles and links, and the rest.
pub fn without_escapes(text: &str) -> String {
    let mut shown = String::with_capacity(text.len());
    let mut rest = text.chars();
    while let Some(letter) = rest.next() {
        if letter != '\x1b' {
            shown.push(letter);
            continue;
        }
        match rest.next() {
            Some('[') => _ = rest.find(|letter| ('@'..='~').contains(letter)),
            Some(']' | 'P' | 'X' | '^' | '_') => {
                let mut before = ' ';
                // The end is BEL, or ESC and a backslash.
                _ = rest.find(|letter| {
                    let is_end = *letter == '\x07' || before == '\x1b';
                    before = *letter;
                    is_end
                });
            }
            Some(' '..='/') => _ = rest.find(|letter| ('0'..='~').contains(letter)),
            _ => {}
        }
    }
    shown
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn makes_one_line_of_many() {
        assert_eq!(line("  a\r\n\tb \u{1b}[31mc\u{0}\u{202e}d\n", 99), "a b [31mc d");
    }

    #[test]
    fn marks_where_it_was_cut() {
        assert_eq!(line("abcdef", 3), "abc…");
        assert_eq!(line("abc", 3), "abc");
        assert_eq!(line("äöü  ", 3), "äöü");
        assert_eq!(last_line("abcdef", 3), "…def");
        assert_eq!(last_line("abc", 3), "abc");
    }

    #[test]
    fn clips_between_characters() {
        assert_eq!(clip("aä", 2), "a");
        assert_eq!(clip("aä", 3), "aä");
    }
}
