//! What makes an answer doubtful: it would do damage as it is. The rules look at what an answer says and at what was
//! selected, never at how long it is; what the selection has itself is no reason.

use super::target::Target;
use super::text::is_blank;
use super::{is_prose, strip};
use crate::diff::{self, DiffOp};
use crate::error::Code;
use crate::request::{Selection, SelectionKind};
use crate::stream::failure::classify;

/// See the module.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Doubt {
    /// A comment stands for code that was selected and is not in it.
    LeftOut,
    /// It is a diff; its lines are the text with what that changes.
    Patch,
    /// It is a diff of another text.
    OtherPatch,
    /// Each line begins with its number.
    Numbered,
    /// It is thinking, or begins or ends within it.
    Thinking,
    /// It is prose in place of code, or has prose before or behind it.
    Prose,
    /// It is nothing but escapes of a terminal.
    Escapes,
    /// It is wrapped in tags, or in a JSON object.
    Wrapped,
}

impl Doubt {
    /// The same in one sentence: `held_why` in Lua.
    pub const fn why(self) -> &'static str {
        match self {
            Self::LeftOut => "a comment stands for code that it leaves out",
            Self::Patch => "the answer is a diff",
            Self::OtherPatch => "the answer is a diff of another text",
            Self::Numbered => "the lines of the answer have numbers",
            Self::Thinking => "the answer has the agent's thinking in it",
            Self::Prose => "the answer is prose in place of code",
            Self::Escapes => "the answer is nothing but terminal escapes",
            Self::Wrapped => "the answer is wrapped in tags or in JSON",
        }
    }
}

/// What is doubtful in the lines of an answer; `is_bare`: there was no fence around them.
pub fn of(target: Target<'_>, lines: &[String], is_bare: bool) -> Option<Doubt> {
    if strip::has_thinking(target, lines) {
        Some(Doubt::Thinking)
    } else if is_in_tags(target, lines) || is_in_json(target, lines) {
        Some(Doubt::Wrapped)
    } else if is_numbered(target, lines) {
        Some(Doubt::Numbered)
    } else if leaves_out(target, lines) {
        Some(Doubt::LeftOut)
    } else {
        (is_bare && has_talk(target, lines)).then_some(Doubt::Prose)
    }
}

/// What models call an answer, in a tag around it or as the key of an object.
const WRAPPERS: &str =
    "answer final_answer code updated_code result output response solution replacement content";

fn is_wrapper(name: &str) -> bool {
    WRAPPERS.split_whitespace().any(|known| known == name)
}

/// Whether the first line is a tag and the last one closes it: one of those above, or one with a number as in the message
/// to the agent.
fn is_in_tags(target: Target<'_>, lines: &[String]) -> bool {
    let mut texts = lines.iter().map(|line| line.trim()).filter(|line| !line.is_empty());
    let tag = texts.next().and_then(|line| line.strip_prefix('<')?.strip_suffix('>'));
    let Some(name) = tag.and_then(|tag| tag.split_whitespace().next()) else { return false };
    let is_ours =
        || name.rsplit_once('-').is_some_and(|(_, mark)| mark.len() > 2 && mark.parse::<u64>().is_ok());
    texts.next_back().is_some_and(|line| line == format!("</{name}>"))
        && (is_ours() || is_wrapper(&name.to_lowercase()) && !is_markup(target.filetype))
        && !target.selection.rows.iter().any(|row| row.contains(&format!("<{name}")))
}

/// Whether it is an object of JSON that has the answer as a string.
fn is_in_json(target: Target<'_>, lines: &[String]) -> bool {
    let is_object = |rows: &[String]| rows.iter().any(|row| row.trim_start().starts_with('{'));
    if target.filetype.starts_with("json") || is_object(&target.selection.text) || !is_object(lines) {
        return false;
    }
    let object: Option<serde_json::Map<String, serde_json::Value>> =
        serde_json::from_str(&lines.join("\n")).ok();
    object.is_some_and(|object| object.iter().any(|(key, value)| is_wrapper(key) && value.is_string()))
}

/// Whether all lines begin with numbers that count up, as agents are shown a file, and the selected rows do not.
fn is_numbered(target: Target<'_>, lines: &[String]) -> bool {
    let rows = &target.selection.rows;
    let texts = || lines.iter().zip(0..).filter(|(line, _)| !is_blank(line));
    let numbers: Option<Vec<_>> = texts().map(|(line, at)| Some((at, numbered(line)?))).collect();
    let Some([(at, (first, ..)), rest @ ..]) = numbers.as_deref() else { return false };
    let counts_up = rest.iter().all(|(by, (number, ..))| *number + at == first + by);
    // Other signs than those of a listing may be the text's own, if none of its rows is behind one.
    let is_known = |text: &str| !is_blank(text) && rows.iter().any(|row| row.trim() == text.trim());
    let is_shown = |(_, (number, sign, text)): &(u64, (u64, char, &str))| match sign {
        '\t' | '→' => !matches!(target.filetype, "" | "tsv" | "csv") && !is_prose(target.filetype),
        ':' => is_known(text) && *number > 1 && *first == target.selection.first_line,
        _ => is_known(text),
    };
    counts_up
        && !rest.is_empty()
        && numbers.iter().flatten().any(is_shown)
        && !rows.iter().any(|row| numbered(row).is_some())
}

/// The number of a line, the sign behind it, and its text.
fn numbered(line: &str) -> Option<(u64, char, &str)> {
    let line = line.trim_start_matches(' ');
    let rest = line.trim_start_matches(|letter: char| letter.is_ascii_digit());
    let number = line[..line.len() - rest.len()].parse().ok()?;
    let rest = rest.trim_start_matches(' ');
    let sign = rest.chars().next().filter(|sign| "\t→|│:.)".contains(*sign))?;
    Some((number, sign, &rest[sign.len_utf8()..]))
}

/// How a comment stands for code.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum StandIn {
    /// It says so.
    Plain,
    /// It may as well be a heading, or an example.
    Possible,
}

/// Signs with which a comment begins, and with which one ends, in languages that models write; the longer ones first.
const BEGINS: [&str; 25] = [
    "<!--", "{{!--", "<%--", "<%#", "{/*", "/**", "///", "/*", "//", "--[[", "--", "#|", "##", "#", "{-",
    "(*", ";;", ";", "%", "\"", "'", "!", "* ", "REM ", "dnl ",
];
const ENDS: [&str; 12] = ["-->", "--}}", "--%>", "%>", "*/}", "*/", "]]", "|#", "-}", "*)", "\"", "'"];
/// Of these words alone such a comment consists, where no dots say what it is.
const WORDS: &str = "a above additional all and are as assume assuming at be before below body brevity cases class code \
    component components content contents continue continues current defined definition definitions document elided else \
    elsewhere end etc everything existing exists exactly fields file for from function functions goes here identical \
    implementation implementations import imports in is it its items keep keeps kept left lines logic method methods module \
    more no not of omitted on original other others out part parts previous previously properties props remain remainder \
    remaining remains rest same script section skipped snip snipped statements stay stays still stuff tests that the there \
    these this to truncated unaltered unchanged unmodified untouched up was were with without your";
/// One of these words tells that code is left out, and nothing else.
const TELLING: &str = "unchanged unmodified untouched unaltered omitted elided truncated snipped";
/// What is left out, in such a comment, and what is said of it.
const SUBJECTS: &str = "rest existing remaining remainder other others previous original more additional";
const STATES: &str = "same code here before remain remains stay stays continue continues goes keep kept skipped snip implementation";

/// Whether a row of a file of this type has a comment that stands for code.
fn stand_in(row: &str, filetype: &str) -> Option<StandIn> {
    let row = row.trim();
    let has_dots = |text: &str| text.starts_with("...") || text.starts_with('…');
    let sign = BEGINS.iter().find(|sign| row.starts_with(**sign));
    // Behind code only dots tell that it is one. Most rows have none.
    let behind = || {
        let signs = if row.contains("...") || row.contains('…') { &BEGINS[..19] } else { &[] };
        signs.iter().find_map(|sign| row.split_once(*sign).filter(|(_, text)| has_dots(text.trim_start())))
    };
    let text = match (sign, behind()) {
        (Some(sign), _) => &row[sign.len()..],
        (None, Some((_, text))) => text,
        // In Python three dots are a statement, elsewhere they spread what is right behind them.
        (None, None) if filetype.starts_with("py") => return None,
        (None, None) if has_dots(row) && !matches!(row[3..].chars().next(), None | Some(' ')) => return None,
        (None, None) => row,
    };
    let end = ENDS.iter().find(|end| text.ends_with(**end)).unwrap_or(&"");
    let text = text.strip_suffix(end).unwrap_or(text).trim();
    let dots = text.trim_start_matches(['(', '[', '<']);
    // With a capital letter right behind them a sentence goes on.
    let is_sentence = dots.trim_start_matches(['.', '…']).starts_with(char::is_uppercase);
    let begins_with_dots = has_dots(dots) && !is_sentence;
    let text = text.to_lowercase();
    // What is the sign of a comment elsewhere is one of a heading or a list.
    let is_other = is_prose(filetype) && sign.is_some_and(|sign| *sign != "<!--");
    if is_other || !begins_with_dots && (sign.is_none() || sign == Some(&"* ")) {
        return None;
    }
    let words: Vec<&str> =
        text.split(|letter: char| !letter.is_alphanumeric()).filter(|word| !word.is_empty()).collect();
    let has = |list: &str| words.iter().any(|word| list.split_whitespace().any(|known| known == *word));
    let (is_telling, has_subject) = (has(TELLING), has(SUBJECTS));
    let is_known = words.iter().all(|word| WORDS.split_whitespace().any(|known| known == *word));
    // A stand-in says one thing: what goes on behind the end of a sentence is a row of a longer comment.
    let ends = |word: &str| word.trim_end_matches(')').ends_with('.') && !word.ends_with("...");
    let goes_on = text.split_whitespace().rev().skip(1).any(ends);
    let is_of_rest = words.starts_with(&["rest", "of"]) && !goes_on;
    if words.is_empty() {
        let is_dots = matches!(text.trim_matches(['[', ']', '(', ')']), "..." | "…");
        (is_dots && !is_prose(filetype)).then_some(StandIn::Possible)
    } else if begins_with_dots && (is_telling || has_subject || has("same"))
        || is_telling && (is_known || is_of_rest)
    {
        Some(StandIn::Plain)
    } else {
        let is_aside = text.starts_with(['(', '[']) && words[0] == "same";
        let begins = words[0] == "same" || SUBJECTS.split_whitespace().any(|subject| subject == words[0]);
        let trails_off = begins && (text.ends_with("...") || text.ends_with('…'));
        (is_of_rest || trails_off || is_known && (is_aside || has_subject && has(STATES)))
            .then_some(StandIn::Possible)
    }
}

/// Whether a comment stands where selected rows of code are gone.
fn leaves_out(target: Target<'_>, lines: &[String]) -> bool {
    let own = &target.selection.text;
    let is_new = |line: &String| !own.iter().any(|row| row.trim() == line.trim());
    let indent = |line: &str| line.len() - line.trim_start().len();
    // In Python three dots may be all of a body, and do nothing beside other statements of it.
    let is_beside = |at: usize| {
        let above = lines[..at].iter().rfind(|line| !is_blank(line));
        let below = lines[at + 1..].iter().find(|line| !is_blank(line));
        [above, below].into_iter().flatten().any(|line| indent(line) == indent(&lines[at]))
    };
    let found = |(at, line): (usize, &String)| {
        let is_dots = target.filetype.starts_with("py") && line.trim() == "..." && is_beside(at);
        stand_in(line, target.filetype).or(is_dots.then_some(StandIn::Possible)).filter(|_| is_new(line))
    };
    let found: Vec<Option<StandIn>> = lines.iter().enumerate().map(found).collect();
    if found.iter().all(Option::is_none) {
        return false;
    }
    let of_code = |rows: &[String]| rows.iter().filter(|row| !is_blank(row)).count();
    diff::fewest(own, lines).into_iter().any(|change| {
        let (DiffOp::Replace { .. }, old, new) = (change, change.old_range(), change.new_range()) else {
            return false;
        };
        let stand_ins = || found[new.clone()].iter().flatten();
        let (gone, come) = (of_code(&own[old]), of_code(&lines[new.clone()]) - stand_ins().count());
        gone > 0
            && stand_ins().next().is_some()
            && (gone > come || stand_ins().any(|stand_in| *stand_in == StandIn::Plain))
    })
}

/// Whether the first line or the last one is said to the user, where there is only code.
fn has_talk(target: Target<'_>, lines: &[String]) -> bool {
    let selection = target.selection;
    let beside = selection.beside.above.iter().chain(&selection.beside.below);
    let mut texts = lines.iter().filter(|line| !is_blank(line));
    let ends = [texts.next(), texts.next_back()];
    let is_code = !is_markup(target.filetype) && !is_of_words(selection);
    let fails = match ends {
        [Some(line), None] if is_service_error(line) => true,
        [first, _] => first.is_some_and(|line| is_failure(line) && words(line) > 2),
    };
    let is_said = |row: &String| is_reply(row) || is_failure(row) || is_sentence(row) || is_text(row);
    !target.filetype.is_empty()
        && !is_prose(target.filetype)
        && (fails || ends.into_iter().flatten().any(|line| is_reply(line) || is_code && is_sentence(line)))
        && !selection.rows.iter().chain(beside).any(is_said)
}

/// Whether what was selected is words, as in a comment or a string.
fn is_of_words(selection: &Selection) -> bool {
    let is_all = |part: &str| words(part) > 0 && words(part) == part.split_whitespace().count();
    if selection.kind == SelectionKind::Char {
        return selection.text.iter().zip(&selection.rows).zip(&selection.cols).any(|((part, row), at)| {
            let before =
                usize::try_from(*at).ok().and_then(|at| row.get(..at)).unwrap_or_default().trim_end();
            let is_behind =
                || BEGINS.iter().any(|sign| before.ends_with(sign.trim())) || before.ends_with(['`', '>']);
            is_all(part) && (words(part) > 1 || is_behind())
        });
    }
    let is_code = |row: &str| CODE.split_whitespace().any(|word| row.split_whitespace().next() == Some(word));
    let mut rows = selection.text.iter().filter(|row| !is_blank(row)).peekable();
    rows.peek().is_some() && rows.all(|row| is_all(row) && !is_code(row))
}

/// How many words a row has; none where it has signs that are those of code. What is quoted may be anything.
fn words(row: &str) -> usize {
    let words = || row.split('`').step_by(2).flat_map(str::split_whitespace);
    let is_word = |word: &&str| {
        let word = word.trim_matches(|sign: char| ",.:;?!()\"'“”‘’*。！？：，".contains(sign));
        !word.is_empty() && word.chars().all(|letter| letter.is_alphabetic() || "'’-。，".contains(letter))
    };
    let is_code =
        |word: &str| word.contains(['{', '}', '[', ']', '=', '<', '>', '$', '\\', '|', ';', '_', '@', '#']);
    if words().any(is_code) { 0 } else { words().filter(is_word).count() }
}

/// Whether a row is a sentence of three words or more and nothing else: from a capital letter to a full stop, a colon, a
/// question mark or an exclamation mark.
fn is_sentence(row: &str) -> bool {
    let text = row.trim().trim_start_matches(['*', '_', '“']);
    let ends = |ends: &[char]| text.trim_end_matches(['"', '”', ')', '*', '_']).ends_with(ends);
    let is_small = |word: &str| word.chars().all(|letter| !letter.is_uppercase());
    // A name with its value, but for one in bold letters.
    let is_named = || text.split_whitespace().next().is_some_and(|first| first.ends_with(':'));
    let is_latin = text.starts_with(char::is_uppercase)
        && ends(&['.', ':', '?', '!', '…'])
        && words(text) >= 3
        && text.split_whitespace().any(is_small)
        && (text.len() < row.trim().len() || !is_named());
    // Without blanks between words, nor capital letters.
    is_latin || ends(&['。', '！', '？']) && words(text) > 0
}

/// Whether a row is said to people: a sentence, a part of a text, an item of a list, or words of another script.
pub fn is_talk(row: &str) -> bool {
    let text = row.trim_start().trim_start_matches(|letter: char| letter.is_ascii_digit());
    is_reply(row)
        || is_sentence(row)
        || is_text(row)
        || ["- ", "* ", "**", ". "].iter().any(|sign| text.starts_with(sign))
        || row.chars().any(|letter| !letter.is_ascii() && letter.is_alphabetic())
}

/// What a model says before it answers, or in place of that; small letters.
const REPLIES: [&str; 9] =
    ["sure", "done", "okay", "certainly", "of course", "absolutely", "understood", "sorry", "as an ai"];

/// Whether a model says a row of itself, or as a reply.
fn is_reply(row: &str) -> bool {
    let text = row.trim();
    let small = text.to_lowercase();
    let begins = |reply: &str| {
        small.strip_prefix(reply).is_some_and(|rest| rest.starts_with(['.', '!', ',', ':', ' ']))
    };
    let mut words = text.split_whitespace();
    let is_of_itself = matches!(words.next(), Some("I" | "I'm" | "I’m" | "I've" | "I’ve" | "I'll" | "I’ll"));
    let is_word = |word: &str| word.chars().all(|letter| letter.is_alphabetic() || "'’,.".contains(letter));
    let is_said = is_of_itself && words.clone().count() > 1 && words.take(2).all(is_word);
    is_said
        || ["Error: ", "Warning: ", "Please "].iter().any(|sign| text.starts_with(sign))
        || text.starts_with(char::is_uppercase) && self::words(text) > 0 && REPLIES.into_iter().any(begins)
}

/// Whether a program that fails says a row. It may as well be a name with its value.
fn is_failure(row: &str) -> bool {
    let after =
        ["error: ", "fatal: ", "warning: "].iter().find_map(|sign| row.trim_start().strip_prefix(sign));
    after.is_some_and(|said| !said.starts_with(['"', '\'', '`']))
}

/// Whether a row is the error of a service, in its own words.
fn is_service_error(row: &str) -> bool {
    row.starts_with(char::is_uppercase)
        && row.contains(' ')
        && !row.contains(['(', '=', ';', '{'])
        && classify(None, row) != Code::ApiError
}

/// Words with which a row of code begins.
const CODE: &str = "assert begin break case continue create delete do done elif else end esac exit fi finally for from if \
    import insert let next nil null pass raise redo retry return select self set super then this throw true try unless \
    until update when while with yield false none";

/// Whether a row is part of a text for people, without being a sentence: a line of a long comment, or of a string.
fn is_text(row: &str) -> bool {
    let first = row.split_whitespace().next().unwrap_or_default().to_lowercase();
    words(row) >= 4 && !row.trim_end().ends_with(':') && !CODE.split_whitespace().any(|word| word == first)
}

/// Whether a file of this type has text between its tags.
pub fn is_markup(filetype: &str) -> bool {
    const MARKUP: [&str; 20] = [
        "html",
        "xhtml",
        "xml",
        "svg",
        "vue",
        "svelte",
        "astro",
        "javascriptreact",
        "typescriptreact",
        "htmldjango",
        "jinja",
        "blade",
        "eruby",
        "php",
        "haml",
        "pug",
        "handlebars",
        "heex",
        "eelixir",
        "ejs",
    ];
    filetype.split('.').any(|part| MARKUP.contains(&part))
}

#[cfg(test)]
mod tests;
