use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use super::Doubt;
use crate::land::{HeldFor, prepare};
use crate::request::sample;

/// What is doubtful in an answer for these rows.
fn doubt(filetype: &str, rows: &str, answer: &str) -> Option<Doubt> {
    let request = sample::lines(filetype, &rows.split('\n').collect::<Vec<_>>());
    let landing = prepare(&request, answer);
    assert_eq!(landing.held_for, landing.doubt.map(|_| HeldFor::Doubtful), "{answer}");
    landing.doubt
}

const CODE: &str = "a {\n  b\n  c\n  d\n}";

#[test]
fn a_comment_that_stands_for_code_is_held() {
    for comment in [
        "// ... existing code ...",
        "// ... rest of the code unchanged ...",
        "/* rest of the function remains the same */",
        "# (rest unchanged)",
        "-- … other functions …",
        "--[[ rest of the file unchanged ]]",
        "<!-- existing content omitted for brevity -->",
        "{/* ... existing props ... */}",
        "{- remaining definitions unchanged -}",
        "(* ... the rest is the same ... *)",
        "% same as before ...",
        ";; ... existing code ...",
        "\" ... rest of the script ...",
        "' ... remaining code ...",
        "! ... unchanged ...",
        "{{!-- unchanged --}}",
        "<%# ... rest of the file ... %>",
        "#| ... unchanged ... |#",
        "[... rest of the code ...]",
        "... (rest of the code remains unchanged)",
        "// ...",
        "// ... set() and save() unchanged ...",
        "// ... 40 more lines ...",
        "<!-- rest of the list items -->",
        "// Existing setup code...",
        "REM ... unchanged ...",
        " * ... rest of the class unchanged ...",
        "# (same as before)",
        "...",
        "} // ... rest of the class unchanged ...",
    ] {
        let answer = format!("a {{\n  x\n  {comment}\n}}");
        assert_eq!(doubt("c", CODE, &answer), Some(Doubt::LeftOut), "{comment}");
        let fenced = format!("```c\n{answer}\n```");
        assert_eq!(doubt("c", CODE, &fenced), Some(Doubt::LeftOut), "{comment}");
        // The selection has it, or nothing is gone.
        assert_eq!(doubt("c", &format!("a {{\n  b\n  {comment}\n}}"), &answer), None, "{comment}");
        assert_eq!(doubt("c", "a {\n  b\n}", &format!("a {{\n  b\n  {comment}\n}}")), None, "{comment}");
    }
    for body in ["# ...", "x\n  ...", "...\n\n  x"] {
        let answer = format!("def a():\n  {body}");
        assert_eq!(doubt("python", "def a():\n  b\n  c\n  d\n  e", &answer), Some(Doubt::LeftOut), "{body}");
    }
}

#[test]
fn a_comment_on_code_is_none_that_stands_for_it() {
    for row in [
        "// existing users keep their old tokens",
        "# the rest of the arguments are passed on to ld",
        "# same key as in the cache",
        "return unchanged",
        "raise NotImplementedError  # rest",
        "/// Returns the remaining bytes.",
        "let (first, ..) = rest;",
        "..rest",
        "f(...args)",
        "...rest,",
        "...existing,",
        "...$others",
        "// Remaining items.",
        "// additional properties",
        "// Same as above.",
        "x = y .. \"...\"",
        "/// ...In theory additional inputs may be found.",
        "// rest of that function.) To avoid that, another one is called.",
    ] {
        assert_eq!(doubt("c", CODE, &format!("a {{\n  {row}\n}}")), None, "{row}");
    }
    assert_eq!(doubt("python", "def a():\n  b\n  c", "def a():\n  ..."), None);
    let heading = "a {\n  b\n  // other methods\n  e\n  f\n}";
    assert_eq!(doubt("c", "a {\n  b\n  c\n}", heading), None, "it has more code than before");
}

#[test]
fn line_numbers_before_each_row_are_held() {
    for answer in [
        "     1→a {\n     2→  x\n     3→}",
        "1\tx\n2\ty\n\n4\tz",
        "11: a {\n12:   x\n13: }",
        " 1 | a {\n 2 |   x",
        "1. a {\n2.   x",
    ] {
        assert_eq!(doubt("c", CODE, answer), Some(Doubt::Numbered), "{answer}");
    }
    for (filetype, rows, answer) in [
        ("yaml", CODE, "1: x\n2: y"),
        ("yaml", CODE, "1. x\n2. y"),
        ("c", CODE, "1\tx\n1\ty"),
        ("c", CODE, "7: a {"),
        ("python", "'one',\n'two',", "1: 'one',\n2: 'two',"),
        ("tsv", "id\tname", "1\tone\n2\ttwo"),
        ("c", "1\ta", "1\tb\n2\tc"),
    ] {
        assert_eq!(doubt(filetype, rows, answer), None, "{answer}");
    }
}

#[test]
fn thinking_that_is_left_is_held() {
    for answer in
        ["<think>\nso", "so\n</think>\nb", "b\n<THINK>so</THINK>", "```\n<think>\nso\n</think>\nb\n```"]
    {
        assert_eq!(doubt("c", CODE, answer), Some(Doubt::Thinking), "{answer}");
    }
    for (filetype, answer) in
        [("c", "ends = '</think>'"), ("c", "if a < think > b"), ("xml", "<thinking>a</thinking>")]
    {
        assert_eq!(doubt(filetype, CODE, answer), None, "{answer}");
    }
}

#[test]
fn an_answer_that_is_wrapped_is_held() {
    for answer in [
        "<answer>\na { x }\n</answer>",
        "<selection-4711 lines=\"1-5\">\na { x }\n</selection-4711>\n",
        "{\"code\": \"a {\\n  x\\n}\"}",
        "```json\n{\n  \"note\": \"ok\",\n  \"answer\": \"x\"\n}\n```",
    ] {
        assert_eq!(doubt("c", CODE, answer), Some(Doubt::Wrapped), "{answer}");
    }
    for (filetype, rows, answer) in [
        ("vue", CODE, "<code>\nx\n</code>"),
        ("c", "<answer>\nb\n</answer>", "<answer>\nx\n</answer>"),
        ("javascript", CODE, "<h2-a>\nx\n</h2-a>"),
        ("json", CODE, "{\"code\": \"x\"}"),
        ("lua", "{ code = 1 }", "{\"code\": \"x\"}"),
        ("javascript", CODE, "{\"code\": 1}"),
    ] {
        assert_eq!(doubt(filetype, rows, answer), None, "{answer}");
    }
}

#[test]
fn prose_in_place_of_code_is_held() {
    for answer in [
        "I can't help with that.",
        "I'm sorry, but I cannot change this file.",
        "Which of the two functions do you mean?",
        "Here is the code:\n\na { x }",
        "Sure! Here's the updated version:\na { x }",
        "a { x }\n\nI renamed `b` to `x(y)` in all places.",
        "It looks like there is no error in this code.\n\nPlease say what you want.",
        "Der Code ist schon richtig.",
        "I need more context to do this",
        "Done.",
        "Error: connection refused",
        "fatal: not a git repository (or any of the parent directories): .git",
        "error: connection refused\n\nTry --help.",
        "Claude AI usage limit reached|1764590000",
        "API Error: 529 overloaded_error",
        "Invalid API key · Please run /login",
        "Please log in",
        "Sure!\na { x }",
        "I've updated the function\na { x }",
        "**Note:** the function is already correct.",
        "Sorry, but there's nothing to change",
        "I looked at it, and g() is called; it is right",
        "这个函数已经是正确的。",
        "\"a { x }\" is what you want, I think.\n\nShall I write it?",
    ] {
        assert_eq!(doubt("c", CODE, answer), Some(Doubt::Prose), "{answer}");
        for filetype in ["", "text", "markdown", "gitcommit"] {
            assert_eq!(doubt(filetype, CODE, answer), None, "{answer}");
        }
    }
}

#[test]
fn what_reads_like_a_sentence_may_be_code() {
    for (filetype, rows, answer) in [
        (
            "python",
            "\"\"\"\nReturns the sum of both.\n\"\"\"",
            "\"\"\"\nReturns the sum of all numbers.\n\"\"\"",
        ),
        ("python", "Returns the sum of both.", "Returns the sum of all numbers."),
        ("python", "returns the sum of both", "Returns the sum of all numbers."),
        ("html", "<p>\nThis is a page.\n</p>", "<p>\nThis is my page.\n</p>"),
        ("html", "<p>\n</p>", "<p>\nThis is my new page.\n</p>"),
        ("htmldjango", "x", "Welcome to our little shop."),
        ("sh", "hi", "This is how it is used."),
        ("python", "pass", "\"\"\"This adds the numbers.\"\"\""),
        ("nroff", ".SH", "The tool prints a file."),
        ("cobol", "MOVE A TO B.", "MOVE B TO A.\nSTOP RUN NOW."),
        ("prolog", "a.", "likes(Mary, wine, all) :- true."),
        ("sql", "x", "Select name from users where id = 1;"),
        ("yaml", "a: b", "Title: this is the new title."),
        ("yaml", "error: oops", "error: this did not work"),
        ("typescript", "a: b", "error: string"),
        ("javascript", "a: b", "warning: \"this did not work\",\nerror: [],"),
        ("c", "x", "case A: b; default: c;"),
        ("cucumber", "x", "Given the user is there"),
    ] {
        assert_eq!(doubt(filetype, rows, answer), None, "{answer}");
    }
    assert_eq!(doubt("html", "<p>", "I cannot do that."), Some(Doubt::Prose));
    assert_eq!(doubt("python", "pass", "The function has no body."), Some(Doubt::Prose));
    for part in [
        "/* «fix» */",
        "raise ValueError(\"«TODO»\")",
        "x = \"«hello wrold»\";",
        "// «fix tihs»",
        "//! «The host's wrods, and more.»",
    ] {
        let request = sample::part("rust", &[part]);
        assert_eq!(prepare(&request, "Hello to the whole world.").doubt, None, "{part}");
    }
    let code = sample::part("rust", &["x = «a + b»;"]);
    assert_eq!(prepare(&code, "I cannot do that.").doubt, Some(Doubt::Prose));
    let below = sample::insert("python", &["\"\"\"", "It adds the numbers."], &[]);
    assert_eq!(prepare(&below, "It returns their sum.").doubt, None);
}

#[test]
fn an_earlier_reason_wins() {
    let review = sample::with(sample::lines("c", &["a"]), |job| job.review = true);
    assert_eq!(prepare(&review, "I can't help with that.").held_for, Some(HeldFor::Review));
    let block = sample::block("c", &["a«1»", "b«2»"]);
    assert_eq!(prepare(&block, "I can't help with that.").held_for, Some(HeldFor::BlockRows));
}

/// Libraries that are here on each machine.
const LIBRARIES: &str =
    "axum insta libc memchr nvim-rs proptest rusqlite serde_json similar tokio tokio-util";

/// Their sources in the versions that this one is built from, and Neovim's own where they are here: by library, so that
/// what is taken of one does not depend on where it is, nor on the others.
fn libraries() -> Vec<Vec<PathBuf>> {
    let home = std::env::var_os("CARGO_HOME").map(PathBuf::from);
    let cargo = home.unwrap_or_else(|| std::env::home_dir().unwrap().join(".cargo")).join("registry/src");
    let mut folders = vec![Path::new(env!("CARGO_MANIFEST_DIR")).join("target/tools/nvim")];
    let registries = || std::fs::read_dir(&cargo).into_iter().flatten().flatten();
    for package in include_str!("../../../Cargo.lock").split("name = ") {
        let quoted: Vec<&str> = package.split('"').skip(1).step_by(2).take(2).collect();
        if let [name, version] = quoted[..]
            && LIBRARIES.split_whitespace().any(|one| one == name)
        {
            folders.extend(registries().map(|entry| entry.path().join(format!("{name}-{version}"))));
        }
    }
    folders.into_iter().map(files_below).collect()
}

fn files_below(folder: PathBuf) -> Vec<PathBuf> {
    let (mut folders, mut found) = (vec![folder], Vec::new());
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(&folder).into_iter().flatten().flatten() {
            let path = entry.path();
            if entry.file_type().unwrap().is_dir() {
                folders.push(path);
            } else if entry.metadata().unwrap().len() < 100_000 {
                found.push(path);
            }
        }
    }
    found.sort();
    found
}

/// Neovim's name for the type of a source file; none for other files.
fn filetype(path: &Path) -> Option<&str> {
    match path.extension()?.to_str()? {
        "rs" => Some("rust"),
        "py" => Some("python"),
        "js" | "mjs" | "cjs" => Some("javascript"),
        "ts" => Some("typescript"),
        "h" => Some("c"),
        "md" => Some("markdown"),
        "sh" => Some("sh"),
        "yml" => Some("yaml"),
        other => ["c", "cpp", "css", "html", "json", "lua", "scm", "toml", "vim", "yaml"]
            .into_iter()
            .find(|one| *one == other),
    }
}

#[test]
fn no_right_answer_is_doubted() {
    let libraries = libraries();
    let mut kinds: BTreeMap<(usize, &str), Vec<&PathBuf>> = BTreeMap::new();
    for (library, paths) in libraries.iter().enumerate() {
        for path in paths {
            if let Some(kind) = filetype(path) {
                kinds.entry((library, kind)).or_default().push(path);
            }
        }
    }
    let (mut files, mut answers, mut doubted) = (0, 0, Vec::new());
    for ((_, kind), paths) in &kinds {
        // There are more of some kinds than of others.
        let most = if *kind == "rust" { 80 } else { 40 };
        for path in paths.iter().step_by(paths.len().div_ceil(most)) {
            let Ok(text) = std::fs::read_to_string(path) else { continue };
            let rows: Vec<&str> = text.lines().collect();
            let pieces: Vec<&[&str]> = rows.chunks(40).filter(|rows| rows.len() > 3).take(3).collect();
            for (rows, other) in pieces.iter().zip(pieces.iter().cycle().skip(1)) {
                let request = sample::lines(kind, rows);
                let middle = rows.len() / 2;
                for answer in [
                    rows.join("\n").replace("the", "a").replace("self", "this"),
                    [&rows[..middle], &rows[middle + 1..]].concat().join("\n"),
                    [&rows[..middle], other].concat().join("\n"),
                    rows.iter().rev().copied().collect::<Vec<_>>().join("\n"),
                    rows[1..3].join("\n"),
                    other.join("\n"),
                ] {
                    answers += 1;
                    if let Some(doubt) = prepare(&request, &answer).doubt {
                        doubted.push(format!("{doubt:?} {}\n{answer}", path.display()));
                    }
                }
            }
            files += 1;
        }
    }
    assert!(files >= 500, "{files} files");
    assert!(doubted.is_empty(), "{} of {answers}: {doubted:#?}", doubted.len());
}
