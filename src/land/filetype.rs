//! Neovim's filetypes of prose. All others count as code, also the empty one.

/// Filetypes whose text is written for people, so that a fence in it may be part of it.
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
