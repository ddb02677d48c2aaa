//! The answer to a question, beside its range.

use crate::support::nvim::Nvim;
use crate::support::picture::on_each_screen;

const TEXT: &str = "# Notes\n\nfn double(a: i32) -> i32 {\n    a * 2\n}\n\nthe end GATE:it\n";

const ANSWER: &str = "It **doubles** its argument, and overflows where that is beyond half of what an `i32` can \
hold:\n\n```rust\na.checked_mul(2)\n```\n\nsays so instead.";

#[test]
fn an_answer_that_was_waited_for() {
    on_each_screen(|stage| {
        let (nvim, gated) = stage.gated();
        nvim.edit("a.txt", TEXT);
        nvim.input(":3,5Botglue ask when does this fail?<CR>");
        gated.answer("it", ANSWER);
        let shown =
            |rows: &[String]| rows.iter().any(|row| row.contains("q close") || row.contains("g? more"));
        stage.expect("ask", &nvim, "the answer", shown);
    });
}

#[test]
fn an_answer_for_somebody_who_went_on() {
    on_each_screen(|stage| {
        let (nvim, gated) = stage.gated();
        nvim.edit("a.txt", TEXT);
        nvim.input(":3,5Botglue ask when does this fail?<CR>");
        nvim.input("G");
        gated.answer("it", ANSWER);
        // Where there is no room beside the range there is only a message.
        let shown = |nvim: &Nvim| nvim.rows().iter().any(|row| row.contains("goes in"));
        nvim.wait("the answer is shown or told of", || shown(&nvim) || !nvim.notes().is_empty());
        assert_eq!(shown(&nvim), stage.rows > 12);
        stage.expect("ask-went-on", &nvim, "the range", |rows| rows[2].starts_with("fn"));
    });
}
