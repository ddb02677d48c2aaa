use crate::land::prepare;
use crate::request::{Request, sample};

#[track_caller]
fn check(request: &Request, table: &[(&str, &[&str])]) {
    for (answer, wanted) in table {
        assert_eq!(prepare(request, answer).lines, *wanted, "answer: {answer:?}");
    }
}

#[test]
fn a_final_newline_adds_no_line() {
    let request = sample::lines("rust", &["a"]);
    check(
        &request,
        &[
            ("b", &["b"]),
            ("b\n", &["b"]),
            ("b\n\n", &["b", ""]),
            ("b\nc", &["b", "c"]),
            ("\nb\n", &["", "b"]),
            ("b\r\nc\r\n", &["b", "c"]),
            ("b\u{2028}c\u{0}\n", &["b\u{2028}c\u{0}"]),
            ("\n", &[""]),
            ("", &[""]),
        ],
    );
}

#[test]
fn blank_rows_at_the_end_of_a_selection_stay() {
    check(
        &sample::lines("rust", &["a", "", " "]),
        &[("b\n", &["b", "", " "]), ("b\n\n", &["b", ""]), ("```\nb\n```", &["b", "", " "]), ("", &[""])],
    );
    check(&sample::lines("rust", &["a\r", "\r"]), &[("b", &["b\r", "\r"])]);
    check(&sample::lines("rust", &["", ""]), &[("b", &["b"])]);
}

#[test]
fn a_carriage_return_stays_out_of_rows_that_have_none() {
    let request = sample::lines("rust", &["a", "b"]);
    check(&request, &[("c\r\nd\r", &["c", "d"]), ("c\rd\n", &["d"]), ("c\r\r\n", &["c"])]);
}

#[test]
fn a_carriage_return_within_a_line_stays_where_the_selection_has_such() {
    check(&sample::lines("text", &["a\rb"]), &[("c\rd\n", &["c\rd"]), ("c\r\n", &["c"])]);
}

#[test]
fn rows_that_end_in_a_carriage_return_still_do() {
    check(
        &sample::lines("rust", &["\r", "a\r"]),
        &[("c\nd", &["c\r", "d\r"]), ("c\r\n\r\nd\r\n", &["c\r", "\r", "d\r"]), ("```\nc\n```", &["c\r"])],
    );
    check(&sample::lines("rust", &["    a\r", "    b\r"]), &[("a\nc", &["    a\r", "    c\r"])]);
}

#[test]
fn of_mixed_rows_each_keeps_its_own_end() {
    let request = sample::lines("rust", &["a\r", "b\r", "c"]);
    check(&request, &[("a\nb\nc", &["a\r", "b\r", "c"]), ("c\nnew\na", &["c", "new\r", "a\r"])]);
    check(&sample::lines("rust", &["a\r", "b", "c"]), &[("a\nnew", &["a\r", "new"])]);
}

#[test]
fn a_part_of_a_row_ends_as_the_part_did() {
    check(&sample::part("rust", &["let «a» = 1;\r"]), &[("b", &["b"]), ("b\nc", &["b\r", "c"])]);
    check(&sample::part("rust", &["let «a\r", "b» = 1;\r"]), &[("c\nd", &["c\r", "d"])]);
    check(&sample::part("rust", &["let «a\r»"]), &[("b", &["b\r"])]);
}

#[test]
fn rows_of_a_block_and_insertions_end_as_their_neighbours() {
    check(&sample::block("rust", &["a«b\r»", "c«d»"]), &[("e\nf", &["e\r", "f"])]);
    check(&sample::insert("rust", &["a\r"], &["b\r"]), &[("c\nd", &["c\r", "d\r"])]);
    check(&sample::insert("rust", &["a"], &["b\r"]), &[("c\r\n", &["c"])]);
}
