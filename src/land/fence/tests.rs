use crate::land::{HeldFor, prepare};
use crate::request::{Request, sample};

const CODE: &str = "value = 1";

/// What an answer to a selection of this text becomes; none where it is held as ambiguous.
fn landed(filetype: &str, selected: &str, answer: &str) -> Option<String> {
    let request: Request = sample::lines(filetype, &selected.split('\n').collect::<Vec<_>>());
    let landing = prepare(&request, answer);
    if landing.held_for.is_none() {
        return Some(landing.lines.join("\n"));
    }
    assert_eq!(landing.held_for, Some(HeldFor::Ambiguous));
    assert_eq!(
        landing.lines.join("\n"),
        answer.strip_suffix('\n').unwrap_or(answer),
        "a held answer is whole"
    );
    None
}

#[track_caller]
fn check(filetype: &str, selected: &str, table: &[(&str, &str)]) {
    for (answer, wanted) in table {
        assert_eq!(landed(filetype, selected, answer).as_deref(), Some(*wanted), "answer:\n{answer}\n");
    }
}

#[track_caller]
fn check_held(filetype: &str, selected: &str, answers: &[&str]) {
    for answer in answers {
        assert_eq!(landed(filetype, selected, answer), None, "answer:\n{answer}\n");
    }
}

#[test]
fn a_fence_around_the_whole_answer_goes_everywhere() {
    let table = [
        ("```\ny\n```", "y"),
        ("```rust\ny\n```\n", "y"),
        ("``` rust title=\"a\"\ny\n```", "y"),
        ("\n\n```\ny\nz\n```\n\n", "y\nz"),
        ("~~~\ny\n~~~", "y"),
        ("~~~ a`b\ny\n~~~", "y"),
        ("````\ny\n````", "y"),
        ("```\ny\n`````  ", "y"),
        ("  ```\n  y\n    z\n z\n  ```", "y\n  z\nz"),
        ("   ```\ny\n```", "y"),
        ("```\ny\n   ```", "y"),
        ("```\ny", "y"),
        ("```\ny\n``", "y\n``"),
        ("```\ny\n~~~", "y\n~~~"),
        ("````\ny\n```", "y\n```"),
        ("```\ny\n```x", "y\n```x"),
        ("```\n\ny\n\n```", "\ny\n"),
        ("````\n```js\ny\n```\n````", "```js\ny\n```"),
        ("```\r\ny\r\nz\r\n```\r\n", "y\nz"),
    ];
    check("rust", CODE, &table);
    check("markdown", CODE, &table);
}

#[test]
fn what_is_no_fence_stays_everywhere() {
    let table = [
        ("y", "y"),
        ("``\ny\n``", "``\ny\n``"),
        ("```a`b\ny", "```a`b\ny"),
        ("    ```\n    y\n    ```", "    ```\n    y\n    ```"),
        ("\t```\n\ty\n\t```", "\t```\n\ty\n\t```"),
        ("y ```\nz\ny ```", "y ```\nz\ny ```"),
    ];
    check("rust", CODE, &table);
    check("markdown", CODE, &table);
}

#[test]
fn in_code_the_talk_around_the_fence_goes_too() {
    check(
        "rust",
        CODE,
        &[
            ("Here it is:\n\n```rust\ny\n```", "y"),
            ("```rust\ny\n```\n\nI renamed it.", "y"),
            ("Here it is:\n```rust\ny\n\nz\n```\nThat is all:\n\n- one\n- two\n", "y\n\nz"),
            ("Talk\n````rust\n/// ```\n```\ny\n```\n````\ntalk", "/// ```\n```\ny\n```"),
        ],
    );
}

#[test]
fn few_words_around_a_fence_are_talk() {
    check(
        "rust",
        CODE,
        &[
            ("Done.\n```\ny\n```\nEnjoy.", "y"),
            ("Notes\n- a\n- b\n- c\n```\ny\n```", "y"),
            ("好的：\n\n```\ny\n```\n说明：\n完成。", "y"),
            ("fixed version:\n```\ny\n```\nit uses `a = b`\nno other change was needed", "y"),
        ],
    );
}

#[test]
fn a_line_that_says_little_is_talk_although_it_is_selected() {
    check("rust", "x\n}", &[("x\n```\ny\n```\n}", "y")]);
}

#[test]
fn in_code_what_cannot_be_told_is_held() {
    check_held(
        "rust",
        CODE,
        &[
            "```\ny\n```\n```\nz\n```",
            "First:\n```\ny\n```\nor:\n```\nz\n```\n",
            // A fence with nothing behind it is half an answer.
            "```rust",
            "y = 2\n```",
            "Here it is:\n```rust\ny",
            // The selection's own lines around a fence: the fence is in a comment.
            "=begin\n```\ny\n```\n=end\nvalue = 1",
            // Code with a string of several lines.
            "local doc = [[\n```\ny\n```\n]]\n\nlocal function f()\n  return doc\nend",
            "cat > README.md <<EOF\n# Title\n```sh\nmake\n```\nEOF\ngit add README.md",
            // A string, a here-document or a tag around it, and nothing else.
            "const p = `Rewrite this:\n```js\n${code}\n```\nAnswer with code only.`",
            "let p = r#\"\n```\ny\n```\n\"#;",
            "cat <<EOF\n```\ny\n```\nEOF",
            "<pre>\n```\ny\n```\n</pre>",
        ],
    );
    check_held(
        "julia",
        "function f(x)\n  x\nend",
        &["\"\"\"\n```\nf(1)\n```\n\"\"\"\nfunction f(x)\n  x\nend"],
    );
}

#[test]
fn a_filetype_nobody_knows_counts_as_code() {
    check("", CODE, &[("Here it is:\n```\ny\n```", "y")]);
    check_held("", CODE, &["```\ny\n```\n```\nz\n```"]);
}

#[test]
fn in_prose_only_a_fence_around_everything_goes() {
    for filetype in
        ["markdown", "text", "gitcommit", "help", "rst", "tex", "plaintex", "org", "markdown.pandoc"]
    {
        let whole = [
            "Run this:\n\n```sh\nmake\n```",
            "```sh\nmake\n```\n\nthen wait",
            "```\ny\n```\n```\nz\n```",
            "# Title\n\ntext",
        ];
        check(filetype, "some text", &whole.map(|answer| (answer, answer)));
    }
}

#[test]
fn an_empty_fence_deletes_and_an_open_one_does_not() {
    for filetype in ["rust", "markdown"] {
        let request = sample::lines(filetype, &["a", "b"]);
        assert_eq!(prepare(&request, "```\n```").lines, Vec::<String>::new());
        assert_eq!(prepare(&request, "```\n\n```").lines, [""]);
        check_held(filetype, CODE, &["```", "```rust\n\n"]);
    }
}

#[test]
fn a_fence_that_is_no_longer_than_those_within_is_known_by_its_last_line() {
    let table = [
        ("```markdown\nIntro\n```sh\nls\n```\nend\n```", "Intro\n```sh\nls\n```\nend"),
        ("```\nIntro\n```sh\nls\n```\n```\n", "Intro\n```sh\nls\n```"),
        ("```md\nIntro\n```\nls\n```\n\n```", "Intro\n```\nls\n```\n"),
    ];
    check("markdown", "# t\ntext", &table);
    let whole = ["```sh\nls\n```\ntext\n```sh\nls\n```", "```md\na\n```\ntext\n```sh\nls\n```"];
    check("markdown", "# t\ntext", &whole.map(|answer| (answer, answer)));
}

#[test]
fn a_selected_fence_is_not_taken_from_the_answer() {
    let whole = ["```sh\nls -l\n```", "````sh\nls -l\n````", "Intro\n```sh\nls\n```"];
    check("markdown", "```sh\nls\n```", &whole.map(|answer| (answer, answer)));
    check("markdown", "```sh\nls\n```", &[("````\n```sh\nls -l\n```\n````", "```sh\nls -l\n```")]);
    let nested = "````md\n```sh\nls\n```\n````";
    check("markdown", nested, &[("````md\n```sh\nls -l\n```\n````", "````md\n```sh\nls -l\n```\n````")]);
    check("markdown", "- item\n\n  ```sh\n  ls\n  ```", &[("```sh\nls -l\n```", "```sh\nls -l\n```")]);
}

#[test]
fn code_with_fences_keeps_them() {
    let selected = "\"\"\"\n```\nf(1)\n```\n\"\"\"\nfunction f(x)";
    let documented = "\"\"\"\n```\nf(2)\n```\n\"\"\"\nfunction f(y)";
    check(
        "julia",
        selected,
        &[
            (documented, documented),
            ("function f(y)", "function f(y)"),
            ("```julia\nfunction f(y)\n```", "function f(y)"),
            (&format!("````julia\n{documented}\n````"), documented),
            (&format!("Here:\n````julia\n{documented}\n````\nDone."), documented),
        ],
    );
    check_held(
        "julia",
        selected,
        &[&format!("```julia\n{documented}\n```"), "```julia\nfunction f(y)\n```\nI took the example out."],
    );
    let two = "```\nf(1)\n```\nor\n```\nf(2)\n```\nf(x)";
    check("julia", &format!("see\n{two}"), &[(&format!("look\n{two}"), &format!("look\n{two}"))]);
    check("python", "    ```\n    f(1)\n    ```", &[("```\nf(2)\n```", "    ```\n    f(2)\n    ```")]);
}

#[test]
fn fences_within_fences_cost_no_more_than_other_lines() {
    let selected = "```sh\nls\n```";
    let cost = |levels: usize| {
        let answer = "```x\n".repeat(levels);
        allocation_counter::measure(|| drop(landed("markdown", selected, &answer))).bytes_total
    };
    let (few, many) = (cost(200), cost(2000));
    assert!(many < 12 * few, "{few} bytes for 200 levels, {many} for 2000");
}
