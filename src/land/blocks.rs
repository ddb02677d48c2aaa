//! The blocks of an ambiguous answer, of which the user chooses one.

use super::fence::blocks;
use super::target::Target;
use super::tidy;

/// One block.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Block {
    /// Its lines, tidied as an answer.
    pub lines: Vec<String>,
    /// What its fence says of its language; may be empty.
    pub language: String,
    /// Its lines in the text, without the fences: the first one, and the one after the last.
    pub rows: (usize, usize),
}

/// The fenced blocks of an answer, in their order.
pub fn blocks_of(target: Target<'_>, answer: &str) -> Vec<Block> {
    let text: Vec<String> = answer.split('\n').map(|line| line.trim_end_matches('\r').to_owned()).collect();
    let block = |block: &super::fence::FencedBlock| {
        let content = block.content(&text);
        let lines = tidy::fit(target, content);
        Block { lines, language: block.language(&text).to_owned(), rows: block.rows() }
    };
    blocks(&text).iter().map(block).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::request::sample;

    #[test]
    fn each_block_is_an_answer() {
        let request = sample::lines("rust", &["    a();"]);
        let answer = "First:\n\n```rust\nb();\n```\nor\n```\nc();\nd();\n```\nas you like.";
        let blocks = blocks_of((&request).into(), answer);
        let [first, second] = &blocks[..] else { panic!("{blocks:?}") };
        assert_eq!(
            (&first.lines[..], &first.language[..], first.rows),
            (&["    b();".to_owned()][..], "rust", (3, 4))
        );
        assert_eq!(
            (&second.lines[..], second.rows),
            (&["    c();".to_owned(), "    d();".to_owned()][..], (7, 9))
        );
    }

    #[test]
    fn a_block_that_does_not_end_ends_with_the_text() {
        let request = sample::lines("rust", &["a"]);
        let blocks = blocks_of((&request).into(), "```\nb\n```\n```\nc");
        assert_eq!(blocks.iter().map(|block| block.rows).collect::<Vec<_>>(), [(1, 2), (4, 5)]);
    }
}
