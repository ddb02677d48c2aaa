use super::*;
use crate::stream::event::Caller;

fn call<'a>(id: Option<&'a str>, name: &'a str, argument: Argument<'a>) -> ToolCalled<'a> {
    ToolCalled { id: id.map(Into::into), message: None, name: name.into(), argument, caller: Caller::Main }
}

fn read(id: &str) -> ToolCalled<'_> {
    call(Some(id), "Read", Argument::None)
}

fn failed(reason: &str) -> Returned {
    Returned::Failed(reason.to_owned())
}

fn statuses(tools: &Tools) -> Vec<ToolStatus> {
    tools.snapshot().iter().map(|call| call.status).collect()
}

#[test]
fn a_title_is_the_name_and_the_main_argument_in_one_line() {
    let titled = |argument: Argument<'_>, cwd: &str| title("Read", &argument, cwd);
    let path = |path: &'static str| Argument::Path(path.into());
    assert_eq!(titled(path("/p/src/main.rs"), "/p"), "Read src/main.rs");
    assert_eq!(titled(path("/p/src/main.rs"), "/p/"), "Read src/main.rs");
    assert_eq!(titled(path("/p/src/main.rs"), ""), "Read /p/src/main.rs");
    assert_eq!(titled(path("/project/a"), "/p"), "Read /project/a");
    assert_eq!(titled(path("/p"), "/p"), "Read .");
    assert_eq!(titled(path("src/a b"), "/p"), "Read src/a b");
    assert_eq!(titled(Argument::Plain("cd /p;\n\x1b[31mls".into()), "/p"), "Read cd /p; [31mls");
    assert_eq!(titled(Argument::None, "/p"), "Read");
    assert_eq!(titled(Argument::Plain("x".repeat(9999).into()), "/p").chars().count(), TITLE + 1);
}

#[test]
fn without_an_id_the_oldest_open_call_is_meant() {
    let mut tools = Tools::default();
    tools.called(&call(None, "A", Argument::None), "");
    tools.called(&read("b"), "");
    tools.called(&call(Some(""), "C", Argument::None), "");
    assert_eq!(tools.returned(None, Returned::Ok), Some(0));
    assert_eq!(tools.returned(Some(""), Returned::Ok), Some(1));
    assert_eq!(tools.returned(Some("b"), failed("again")), None);
    assert_eq!(tools.returned(Some("of nobody"), failed("no")), Some(2), "the one call that has no id");
    assert_eq!(tools.returned(None, Returned::Ok), None);
    assert_eq!(statuses(&tools), [ToolStatus::Ok, ToolStatus::Ok, ToolStatus::Error]);
    assert_eq!(tools.get(0).id, "call-1");
}

#[test]
fn a_denial_and_a_result_do_not_undo_each_other() {
    let mut tools = Tools::default();
    tools.denied("a", "early".to_owned());
    for id in ["a", "b", "c"] {
        tools.called(&read(id), "");
    }
    assert_eq!(tools.returned(Some("a"), failed("x")), None, "it is known");
    assert_eq!(tools.returned(Some("b"), failed("reason")), Some(1));
    assert_eq!(tools.denied("b", String::new()), Some(1));
    assert_eq!(tools.denied("b", String::new()), None, "it is known");
    assert_eq!(tools.returned(Some("c"), Returned::Ok), Some(2));
    assert_eq!(tools.denied("c", String::new()), None, "it worked all the same");
    assert_eq!(statuses(&tools), [ToolStatus::Denied, ToolStatus::Denied, ToolStatus::Ok]);
    assert_eq!(
        [&tools.get(0).error, &tools.get(1).error],
        [&Some("early".to_owned()), &Some("reason".to_owned())]
    );
}

#[test]
fn what_is_kept_is_bounded() {
    let mut tools = Tools::default();
    for number in 0..2 * EARLY {
        tools.returned(Some(&number.to_string()), Returned::Ok);
    }
    assert_eq!(tools.early.len(), EARLY);
    let long = "x".repeat(1 << 20);
    tools.called(&call(Some(&long), &long, Argument::Plain((&*long).into())), "");
    tools.returned(Some(&long), failed(&long));
    let kept = tools.get(0);
    assert!(
        kept.id.len() + kept.name.len() + kept.title.len() < 1000
            && kept.error.as_ref().unwrap().len() < 2000
    );
}
