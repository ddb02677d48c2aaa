//! Properties of a text and of a line: whether it is prose, its indentation, whether it is blank, whether it opens a block.

/// Neovim's filetypes of prose: their text is written for people, so that a fence in it may be part of it. All others
/// count as code, also the empty one.
const PROSE: &str = "asciidoc asciidoctor context creole djot fountain gitcommit help hgcommit jjdescription latex mail \
    markdown mdx mediawiki neorg norg nroff org pandoc plaintex pod quarto rmd rnoweb rst srt svn tex texinfo text \
    textile txt typst vimwiki";

/// Whether a filetype holds prose. One part of a compound one (`markdown.pandoc`) is enough.
///
/// Without a filetype the text counts as code: there an answer with talk around one fenced block loses the
/// talk, and one with several blocks is held, which does less harm in notes than talk does in code.
pub fn is_prose(filetype: &str) -> bool {
    filetype.split('.').any(|part| PROSE.split(' ').any(|prose| prose.eq_ignore_ascii_case(part)))
}

/// The whitespace with which a line begins.
pub fn indent(line: &str) -> &str {
    let rest = line.trim_start_matches([' ', '\t']);
    &line[..line.len() - rest.len()]
}

/// Whether a line in a block may be as deep as the line that opens the block: a label, an item, an end.
pub fn is_dedented_keyword(line: &str) -> bool {
    let line = line.trim();
    let word = line.split(|letter: char| !letter.is_alphanumeric()).next().unwrap_or("");
    line.starts_with(['-', '}', ')', ']'])
        || matches!(word, "case" | "default" | "when" | "end" | "public" | "protected" | "private")
}

/// The indentation that all lines share; blank ones do not count.
pub fn common(lines: &[String]) -> &str {
    let mut indents = lines.iter().filter(|line| !is_blank(line)).map(|line| indent(line));
    let Some(first) = indents.next() else { return "" };
    indents.fold(first, shared)
}

/// The longest beginning that two indentations share.
pub fn shared<'a>(one: &'a str, other: &str) -> &'a str {
    let len = one.bytes().zip(other.bytes()).take_while(|(one, other)| one == other).count();
    &one[..len]
}

/// Whether nothing but whitespace is in a line.
pub fn is_blank(line: &str) -> bool {
    line.trim().is_empty()
}

/// Whether the line after this one has to be deeper: a bracket stays open, or a word or sign says so.
pub fn opens_block(line: &str) -> bool {
    let line = line.trim();
    if ["#", "//", "--", "/*", "*"].iter().any(|comment| line.starts_with(comment)) {
        return false;
    }
    let count = |brackets: [char; 3]| line.matches(brackets).count();
    let mut words = line.split(|letter: char| !letter.is_alphanumeric() && letter != '_');
    let first = words.find(|word| !word.is_empty()).unwrap_or("");
    let last = line.rsplit(char::is_whitespace).next().unwrap_or("");
    count(['(', '[', '{']) > count([')', ']', '}'])
        || line.ends_with([':', '=', '\\'])
        || matches!(first, "if" | "elif" | "else" | "for" | "while" | "unless" | "until" | "when" | "with")
        || matches!(last, "=>" | "->" | "then" | "do" | "else" | "begin" | "where" | "of" | "repeat" | "try")
}
