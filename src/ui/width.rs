//! How many cells a text takes on the screen, as Neovim counts them with `'ambiwidth'` at `single`. An error costs a
//! column in a row, never text.

use unicode_width::UnicodeWidthChar as _;

/// Joins the next character to the one before.
const JOINER: char = '\u{200d}';

/// The cells of a text.
pub fn width(text: &str) -> usize {
    cells(text).map(|(_, width)| width).sum()
}

/// The characters of a text, each with the cells that it takes.
pub fn cells(text: &str) -> impl Iterator<Item = (char, usize)> {
    let mut is_joined = false;
    text.chars().map(move |letter| {
        // Neovim shows a control character as two.
        let width = if is_joined { 0 } else { letter.width().unwrap_or(2) };
        is_joined = letter == JOINER;
        (letter, width)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_takes_what_neovim_draws() {
        for (text, cells) in [
            ("", 0),
            ("fn größe()", 10),
            ("e\u{301}", 1),
            ("日本語", 6),
            ("한국", 4),
            ("✓ done · 3 – ─│…", 16),
            ("👍", 2),
            ("👩\u{200d}👧", 2),
            ("Привет", 6),
        ] {
            assert_eq!(width(text), cells, "{text}");
        }
    }
}
