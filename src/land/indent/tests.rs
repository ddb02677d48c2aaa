use crate::land::prepare;
use crate::request::{Request, sample};

/// Whole texts, so that the tables read like code.
#[track_caller]
fn check(request: &Request, answer: &str, landed: &str) {
    let lines = prepare(request, answer).lines.join("\n");
    assert_eq!(lines, landed, "\nanswered:\n{answer}\nlanded:\n{lines}\nwanted:\n{landed}\n");
}

fn rows(text: &str) -> Request {
    sample::lines("rust", &text.split('\n').collect::<Vec<_>>())
}

const METHOD: &str = "    fn a() {\n        x\n    }";

#[test]
fn an_answer_moved_to_the_left_comes_back() {
    check(&rows(METHOD), "fn a() {\n    y\n}", "    fn a() {\n        y\n    }");
    check(&rows(METHOD), "  fn a() {\n      y\n  }", "    fn a() {\n        y\n    }");
    // A brace that is there in several depths tells nothing.
    check(
        &rows("    a {\n    }\n    b {\n        c {\n        }\n    }"),
        "x {\n    y {\n    }\n    z {\n    }\n}",
        "    x {\n        y {\n        }\n        z {\n        }\n    }",
    );
    check(&rows("        deep()"), "    half()", "        half()");
    check(&rows("\t\tif x {\n\t\t\ty\n\t\t}"), "if x {\n\tz\n}", "\t\tif x {\n\t\t\tz\n\t\t}");
    check(
        &rows("    a = 1\n    b = 2"),
        "if c:\n    a = 1\n    b = 2",
        "    if c:\n        a = 1\n        b = 2",
    );
    check(&rows("    foo(a,\n            b)"), "foo(c,\n        b)", "    foo(c,\n            b)");
}

#[test]
fn an_answer_that_kept_its_indentation_is_left_alone() {
    for kept in [
        "    fn a() {\n        y\n    }",
        "    fn b() {}",
        "        deeper\n    }",
        "    one\n\n    two",
        "    text:\n    \ttab",
    ] {
        check(&rows(METHOD), kept, kept);
    }
    for flat in ["fn b() {\n    y\n}", "y", "    moved to the right", "a\n    b:\nc"] {
        check(&rows("fn a() {\n    x\n}"), flat, flat);
    }
}

#[test]
fn a_first_line_that_was_trimmed_comes_back_alone() {
    check(&rows(METHOD), "fn a() {\n        y\n    }", "    fn a() {\n        y\n    }");
    check(&rows(METHOD), "fn b(\n        y: u8,\n    ) {}", "    fn b(\n        y: u8,\n    ) {}");
    check(&rows("    a = 1\n    b = 2"), "a = 1\n    b = 3", "    a = 1\n    b = 3");
    check(&rows("        x = 1\n    }"), "x = 2\n    }", "        x = 2\n    }");
    check(&rows("    # one\n    x = 1"), "# two:\n    x = 1", "    # two:\n    x = 1");
    check(
        &rows("\tswitch (x) {\n\tcase 1:\n\t}"),
        "switch (y) {\n\tcase 2:\n\t}",
        "\tswitch (y) {\n\tcase 2:\n\t}",
    );
    check(&rows("  a:\n  - b"), "a:\n  - c", "  a:\n  - c");
    check(&rows("        one\n    two"), "three", "        three");
    check(&rows("        one\n    two"), "two", "    two");
}

#[test]
fn a_line_that_belongs_to_the_left_does_not_move_the_others() {
    check(
        &rows("    int a;\n    int b;"),
        "    int a;\n#ifdef B\n    int b;\n#endif",
        "    int a;\n#ifdef B\n    int b;\n#endif",
    );
    check(&rows("    a();\n    b();"), "    a();\nlabel:\n    b();", "    a();\nlabel:\n    b();");
    check(&rows("    a();"), "    c();\n#ifdef D\n    d();", "    c();\n#ifdef D\n    d();");
}

#[test]
fn rows_that_share_no_indentation_can_only_lose_that_of_the_first() {
    let method = rows("        return 1\n\ndef g():\n    pass");
    check(&method, "return 1\n\ndef g():\n    return 2", "        return 1\n\ndef g():\n    return 2");
    check(&rows("    }\n}\na"), "}\na", "}\na");
    check(&rows("    }\n}\na"), "}\n}\na", "    }\n}\na");
    check(&rows("    a\nb"), "c\nd", "c\nd");
    check(&rows("a\n    b"), "a\nb", "a\nb");
}

#[test]
fn blank_lines_stay_blank() {
    check(&rows("    a\n\n    b"), "a\n\nb\n  \nc", "    a\n\n    b\n  \n    c");
    check(&rows("    a"), "\n\na", "\n\n    a");
    check(&rows("    a"), "\n", "");
}

#[test]
fn tabs_and_spaces_are_those_of_the_selection() {
    check(
        &rows("func f() {\n\treturn\n}"),
        "func f() {\n    if x {\n        y\n    }\n}",
        "func f() {\n\tif x {\n\t\ty\n\t}\n}",
    );
    check(&rows("\tone()"), "    one()", "\tone()");
    check(&rows("\t\tone()"), "    one()", "\t\tone()");
    check(&rows("\tone()"), "        one()", "\tone()");
    check(&rows("\tone"), "if x {\n  y(\n      z)\n}", "\tif x {\n\t\ty(\n\t\t\t\tz)\n\t}");
    check(
        &rows("/*\n * x\n */\nf() {\n\ty;\n}"),
        "/*\n * z\n */\nf() {\n    y;\n}",
        "/*\n * z\n */\nf() {\n\ty;\n}",
    );
    check(&rows("\tif x {\n\t\ty\n\t}"), "if x {\n  z\n}", "\tif x {\n\t\tz\n\t}");
    check(&rows("\t/*\n\t * x\n\t */"), "/*\n * y\n */", "\t/*\n\t * y\n\t */");
    check(&rows("  if x {\n    y\n  }"), "if x {\n\tz\n}", "  if x {\n    z\n  }");
    check(&rows("    x\n\ty"), "    x\n        z", "    x\n        z");
    check(&rows("    one()"), "\tone()", "    one()");
}

#[test]
fn the_text_around_tells_where_the_selection_does_not() {
    let mut request = rows("func f() {}");
    request.before = vec!["func e() {".to_owned(), "\treturn".to_owned(), "}".to_owned(), String::new()];
    check(&request, "func f() {\n    g()\n}", "func f() {\n\tg()\n}");
    let mut request = rows("  one()");
    request.before = vec!["fn a() {".to_owned()];
    check(&request, "\ttwo()", "  two()");
}

#[test]
fn makefiles_and_prose_keep_what_the_agent_gave() {
    check(&sample::lines("make", &["A = 1 \\", "    2"]), "all:\n\tcc", "all:\n\tcc");
    check(&sample::lines("markdown", &["a", "    b"]), "a\n\tb", "a\n\tb");
    check(&sample::lines("markdown", &["  - one", "  - two"]), "- three\n- four", "  - three\n  - four");
}

#[test]
fn in_a_part_of_a_row_only_the_other_lines_are_indented() {
    let call = sample::part("rust", &["    let x = «foo(", "        a,", "    )»;"]);
    check(&call, "foo(\n    b,\n)", "foo(\n        b,\n    )");
    check(&call, "foo(\n        b,\n    )", "foo(\n        b,\n    )");
    check(&call, "foo(b)", "foo(b)");
    let row = sample::part("rust", &["    let x = «foo(a)»;"]);
    check(&row, "foo(\n    b,\n)", "foo(\n        b,\n    )");
    check(&row, "foo(\n        b,\n    )", "foo(\n        b,\n    )");
    check(&row, " foo(b)", " foo(b)");
    check(&row, "    foo(b)", "    foo(b)");
    let arguments = sample::part("rust", &["    foo(«a,", "        b»)"]);
    check(&arguments, "c,\n    d", "c,\n        d");
    check(&arguments, "c,\n        d", "c,\n        d");
    let tabs = sample::part("go", &["\tx := «foo(a)»"]);
    check(&tabs, "foo(\n    b,\n)", "foo(\n\t\tb,\n\t)");
    check(&tabs, "  foo(b)", "  foo(b)");
}

#[test]
fn a_part_that_begins_with_the_row_is_indented_once() {
    let text = sample::part("rust", &["    «let x = 1;»"]);
    check(&text, "let y = 1;", "let y = 1;");
    check(&text, "    let y = 1;", "let y = 1;");
    let row = sample::part("rust", &["«    let x = 1;»"]);
    check(&row, "let y = 1;", "    let y = 1;");
    check(&row, "    let y = 1;", "    let y = 1;");
    let within = sample::part("rust", &["  «  let x = 1;»"]);
    check(&within, "let y = 1;", "  let y = 1;");
    check(&within, "  let y = 1;", "  let y = 1;");
    check(&sample::part("rust", &["  «  »x"]), "y", "y");
}

#[test]
fn an_insertion_is_as_deep_as_its_place() {
    let request = sample::insert("rust", &["fn a() {", "    x();"], &["}"]);
    check(&request, "y();\n", "    y();");
    check(&request, "    y();", "    y();");
    check(&request, "if z {\n    y();\n}", "    if z {\n        y();\n    }");
    check(&sample::insert("rust", &["fn a() {"], &["    x();", "}"]), "y();", "    y();");
    check(&sample::insert("rust", &["    }", ""], &["    fn b() {}"]), "fn c() {}", "    fn c() {}");
    check(
        &sample::insert("python", &["        return 1", ""], &["def g():"]),
        "def h():\n    pass",
        "def h():\n    pass",
    );
    check(&sample::insert("rust", &["a();"], &["    .b();"]), "c();", "c();");
    check(&sample::insert("rust", &[], &["    x"]), "y", "y");
    check(&sample::insert("rust", &[], &["fn a() {", "    x"]), "use b;", "use b;");
    check(&sample::insert("rust", &[], &[]), "y\n    z", "y\n    z");
}

#[test]
fn a_blank_selection_is_as_deep_as_its_place() {
    let mut request = rows("");
    request.before = vec!["    a();".to_owned()];
    request.after = vec!["    b();".to_owned(), "}".to_owned()];
    check(&request, "c();\nd();", "    c();\n    d();");
    check(&rows("        "), "c();", "        c();");
}

#[test]
fn blocks_are_indented_as_their_rows() {
    let request = sample::block("rust", &["x = «  a»;", "y = «  b»;"]);
    check(&request, "c\nd", "  c\n  d");
    check(&request, "  c\nd", "  c\nd");
    check(&sample::block("go", &["\tx = «a»", "\ty = «b»"]), "    c\n    d", "    c\n    d");
}
