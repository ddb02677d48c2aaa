//! The answer to a question, beside its range.

use super::picture::{expect, gated};

const TEXT: &str = "# Notes\n\nfn double(a: i32) -> i32 {\n    a * 2\n}\n\nthe end GATE:it\n";

const ANSWER: &str = "It **doubles** its argument, and overflows where that is beyond half of what an `i32` can \
hold:\n\n```rust\na.checked_mul(2)\n```\n\nsays so instead.";

#[test]
fn an_answer_that_was_waited_for() {
    let (nvim, gated) = gated();
    nvim.edit("a.txt", TEXT);
    nvim.input(":3,5Botglue ask when does this fail?<CR>");
    gated.answer("it", ANSWER);
    let shown = |rows: &[String]| rows.iter().any(|row| row.contains("q close") || row.contains("g? more"));
    expect("ask", &nvim, "the answer", shown);
}

#[test]
fn an_answer_for_somebody_who_went_on() {
    let (nvim, gated) = gated();
    nvim.edit("a.txt", TEXT);
    nvim.input(":3,5Botglue ask when does this fail?<CR>");
    nvim.input("G");
    gated.answer("it", ANSWER);
    expect("ask-went-on", &nvim, "the answer", |rows| rows.concat().contains("goes in"));
}
