//! How many cells a text takes on the screen, as Neovim counts them with `'ambiwidth'` at `single`. An error costs a
//! column in a row, never text.

/// Characters that take no cell of their own: they belong to the one before them.
const NONE: [(u32, u32); 11] = [
    (0x0300, 0x036f),
    (0x0483, 0x0489),
    (0x0591, 0x05bd),
    (0x064b, 0x065f),
    (0x0e34, 0x0e3a),
    (0x1ab0, 0x1aff),
    (0x1dc0, 0x1dff),
    (0x200b, 0x200f),
    (0x20d0, 0x20ff),
    (0xfe00, 0xfe0f),
    (0xe0100, 0xe01ef),
];

/// Characters that take two: those of East Asia, and pictures.
const TWO: [(u32, u32); 67] = [
    (0x1100, 0x115f),
    (0x231a, 0x231b),
    (0x2329, 0x232a),
    (0x23e9, 0x23ec),
    (0x23f0, 0x23f0),
    (0x23f3, 0x23f3),
    (0x25fd, 0x25fe),
    (0x2614, 0x2615),
    (0x2648, 0x2653),
    (0x267f, 0x267f),
    (0x2693, 0x2693),
    (0x26a1, 0x26a1),
    (0x26aa, 0x26ab),
    (0x26bd, 0x26be),
    (0x26c4, 0x26c5),
    (0x26ce, 0x26ce),
    (0x26d4, 0x26d4),
    (0x26ea, 0x26ea),
    (0x26f2, 0x26f3),
    (0x26f5, 0x26f5),
    (0x26fa, 0x26fa),
    (0x26fd, 0x26fd),
    (0x2705, 0x2705),
    (0x270a, 0x270b),
    (0x2728, 0x2728),
    (0x274c, 0x274c),
    (0x274e, 0x274e),
    (0x2753, 0x2755),
    (0x2757, 0x2757),
    (0x2795, 0x2797),
    (0x27b0, 0x27b0),
    (0x27bf, 0x27bf),
    (0x2b1b, 0x2b1c),
    (0x2b50, 0x2b50),
    (0x2b55, 0x2b55),
    (0x2e80, 0x303e),
    (0x3041, 0x4dbf),
    (0x4e00, 0xa4cf),
    (0xa960, 0xa97f),
    (0xac00, 0xd7a3),
    (0xf900, 0xfaff),
    (0xfe30, 0xfe6f),
    (0xff01, 0xff60),
    (0xffe0, 0xffe6),
    (0x1f004, 0x1f004),
    (0x1f0cf, 0x1f0cf),
    (0x1f18e, 0x1f18e),
    (0x1f191, 0x1f19a),
    (0x1f200, 0x1f320),
    (0x1f32d, 0x1f335),
    (0x1f337, 0x1f37c),
    (0x1f37e, 0x1f393),
    (0x1f3a0, 0x1f3ca),
    (0x1f3cf, 0x1f3d3),
    (0x1f3e0, 0x1f3f0),
    (0x1f3f4, 0x1f3f4),
    (0x1f3f8, 0x1f43e),
    (0x1f440, 0x1f440),
    (0x1f442, 0x1f4fc),
    (0x1f4ff, 0x1f53d),
    (0x1f54b, 0x1f567),
    (0x1f595, 0x1f596),
    (0x1f5fb, 0x1f64f),
    (0x1f680, 0x1f6c5),
    (0x1f6cc, 0x1f6fc),
    (0x1f90c, 0x1faff),
    (0x20000, 0x3fffd),
];

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
        let width = if is_joined { 0 } else { of(letter) };
        is_joined = letter == JOINER;
        (letter, width)
    })
}

fn of(letter: char) -> usize {
    let code = u32::from(letter);
    if code < 0x300 {
        // Neovim shows a control character as two.
        return if letter.is_control() { 2 } else { 1 };
    }
    if is_in(&NONE, code) {
        0
    } else if is_in(&TWO, code) {
        2
    } else {
        1
    }
}

fn is_in(ranges: &[(u32, u32)], code: u32) -> bool {
    let found = ranges.binary_search_by(|&(first, last)| {
        if code < first {
            std::cmp::Ordering::Greater
        } else if code > last {
            std::cmp::Ordering::Less
        } else {
            std::cmp::Ordering::Equal
        }
    });
    found.is_ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_ranges_are_in_order() {
        for ranges in [NONE.as_slice(), &TWO] {
            assert!(ranges.iter().all(|(first, last)| first <= last));
            assert!(ranges.windows(2).all(|pair| pair[0].1 < pair[1].0));
        }
    }

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
