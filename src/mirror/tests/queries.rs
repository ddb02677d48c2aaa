//! What mirrors are asked: what an answer would change, and where texts are.

use super::*;

fn hunks(job: u64, lines: &[&str]) -> Event {
    Event::Query { token: 8, buffer: 1, question: Question::Hunks { job, lines: bytes(lines) } }
}

/// The hunks of a reply, or why there are none.
type Told = Result<Vec<(usize, usize, bool)>, HeldFor>;

/// The reply: of each hunk the first line, the last one, and whether it is a conflict; or why there is none.
fn told_hunks(orders: &[Order]) -> Option<Told> {
    orders.iter().find_map(|order| match order {
        Order::Reply { token: 8, findings: Findings::Hunks { hunks, .. } } => {
            let hunk =
                |hunk: &crate::review::Hunk| (hunk.rows.start + 1, hunk.rows.end, hunk.conflict.is_some());
            Some(Ok(hunks.iter().map(hunk).collect()))
        }
        Order::Reply { token: 8, findings: Findings::Unknown(why) } => Some(Err(*why)),
        _ => None,
    })
}

#[test]
fn what_an_answer_would_change() {
    let mut mirrors = mirrored(TEXT);
    mirrors.take(Event::decode("run", &[sent(7, Some(2), "line", (2, 4), TEXT)]).unwrap());
    mirrors.take(lines(Some(3), 1..2, &["mine"]));
    let told = |mirrors: &mut Mirrors, lines: &[&str]| told_hunks(&mirrors.take(hunks(7, lines))).unwrap();
    assert_eq!(told(&mut mirrors, &["theirs", "between", "last"]), Ok(vec![(2, 2, true)]));
    assert_eq!(told(&mut mirrors, &["first", "between", "last", "more"]), Ok(vec![(5, 4, false)]));
    assert_eq!(told(&mut mirrors, &["mine", "between", "last"]), Ok(Vec::new()));
    assert_eq!(told_hunks(&mirrors.take(hunks(9, &[]))), Some(Err(HeldFor::RangeLost)));
    assert_eq!(told_hunks(&Mirrors::default().take(hunks(7, &[]))), Some(Err(HeldFor::BufferGone)));
}

#[test]
fn a_question_waits_for_the_contact() {
    let mut mirrors = Mirrors::default();
    mirrors.take(notice(1, 2, TEXT.len()));
    assert_eq!(told_hunks(&mirrors.take(hunks(7, &["x", "between", "last"]))), None);
    mirrors.take(whole(1, 2, TEXT));
    mirrors.take(marked(2, TEXT.len(), &[(7, 1..4, Some(sent(7, None, "line", (2, 4), TEXT)))]));
    assert_eq!(told_hunks(&mirrors.take(CONTACTED)), Some(Ok(vec![(2, 2, false)])));
}

#[test]
fn a_part_of_which_only_the_mark_tells_is_asked_for() {
    let text = ["f(x)", "end"];
    let mut mirrors = mirrored(&text);
    let Value::Map(mut fields) = part(7, 1, 2..3, &text) else { unreachable!() };
    fields.retain(|(name, _)| name.as_str() != Some("tick"));
    fields.push(("tick".into(), 2.into()));
    mirrors.take(Event::decode("run", &[Value::Map(fields)]).unwrap());
    mirrors.take(lines(Some(3), 0..1, &["f(x, x)"]));
    assert_eq!(contacts(&mirrors.take(hunks(7, &["y"]))), [false]);
    let mark = map(vec![
        ("id", 7.into()),
        ("kind", "char".into()),
        ("first", 0.into()),
        ("last", 0.into()),
        ("from", 5.into()),
        ("to", 6.into()),
        ("has_ended", false.into()),
    ]);
    mirrors.take(told(3, 2, &[mark]));
    assert_eq!(told_hunks(&mirrors.take(CONTACTED)), Some(Ok(vec![(1, 1, false)])));
}

#[test]
fn texts_are_found_in_their_order() {
    let mut mirrors = mirrored(&["new", "above", "first", "between", "last", "below"]);
    let text = |value: Value| {
        let Value::Map(fields) = value else { unreachable!() };
        fields.into_iter().find(|(name, _)| name.as_str() == Some("selection")).unwrap().1
    };
    let texts = vec![
        text(sent(1, None, "line", (2, 4), TEXT)),
        text(sent(1, None, "line", (1, 1), &["gone", "x"])),
        text(insertion(1, 1, TEXT)),
    ];
    let query = map(vec![
        ("token", 8.into()),
        ("name", "find".into()),
        ("buffer", 1.into()),
        ("texts", Value::Array(texts)),
    ]);
    let orders = mirrors.take(Event::decode("query", std::slice::from_ref(&query)).unwrap());
    let [Order::Reply { token: 8, findings }] = &orders[..] else { panic!("{orders:?}") };
    let Findings::Places { tick: 2, places } = findings else { panic!("{findings:?}") };
    assert_eq!(places[..], [Some(Place::Lines(2..5)), None, Some(Place::Insertion(2))]);
    let told = Value::Map(findings.fields()).to_string();
    assert!(told.contains(r#""kind": "line", "first": 2, "last": 4"#), "{told}");
    let orders = Mirrors::default().take(Event::decode("query", &[query]).unwrap());
    assert!(matches!(orders[..], [Order::Reply { findings: Findings::Nothing, .. }]), "{orders:?}");
}

#[test]
fn hunks_in_the_shape_of_the_plugin() {
    let mut mirrors = mirrored(TEXT);
    mirrors.take(Event::decode("run", &[sent(7, Some(2), "line", (2, 4), TEXT)]).unwrap());
    let orders = mirrors.take(hunks(7, &["first", "more", "between", "last"]));
    let [Order::Reply { findings, .. }] = &orders[..] else { panic!("{orders:?}") };
    let expected = map(vec![
        ("tick", 2.into()),
        (
            "hunks",
            Value::Array(vec![map(vec![
                ("first", 3.into()),
                ("last", 2.into()),
                ("lines", Value::Array(vec![Value::Binary(b"more".to_vec())])),
                ("conflict", false.into()),
            ])]),
        ),
    ]);
    assert_eq!(Value::Map(findings.fields()), expected);
    let orders = mirrors.take(hunks(9, &[]));
    let [Order::Reply { findings, .. }] = &orders[..] else { panic!("{orders:?}") };
    assert_eq!(findings.fields(), [("why".into(), "range_lost".into())]);
}
