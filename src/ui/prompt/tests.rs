use super::*;
use crate::options::sample::options;

fn prompt(about: About) -> Prompt {
    let mut prompt = Prompt::new(About { place: "src/a.rs".to_owned(), ..about }, options());
    prompt.typed(Typed { width: 74, lines: Some((3, 5)), ..Typed::default() });
    prompt
}

#[expect(clippy::unnecessary_wraps, reason = "as a prompt has it")]
fn resume(at: Option<&str>) -> Option<Resume> {
    Some(Resume { session_id: "s".to_owned(), at: at.map(str::to_owned) })
}

fn typed(prompt: &mut Prompt, text: &str) -> Option<Wish> {
    let tick = prompt.typed.tick + 1;
    let before = text.to_owned();
    let column = text.len();
    prompt.typed(Typed { tick, text: text.to_owned(), before, column, ..prompt.typed.clone() })
}

fn text(chunks: &Chunks) -> String {
    chunks.iter().map(|cell| cell.0.as_str()).collect()
}

#[test]
fn the_title_says_what_is_done_by_whom_and_where_as_far_as_there_is_room() {
    let title = |prompt: &mut Prompt, width| {
        prompt.typed(Typed { width, ..prompt.typed.clone() });
        text(&prompt.frame().title)
    };
    let mut replace = prompt(About::default());
    let whole = title(&mut replace, 74);
    assert!(
        whole.starts_with(" botglue replace · claude own ─") && whole.ends_with("─ src/a.rs:3-5 "),
        "{whole}"
    );
    let narrow = title(&mut replace, 40);
    assert!(narrow.starts_with(" replace · claude own ─") && narrow.ends_with("─ src/a.rs:3-5 "), "{narrow}");
    assert!(title(&mut replace, 34).contains("…"));
    for (about, does) in [
        (About { is_insertion: true, ..About::default() }, "insert below"),
        (About { resume: resume(None), ..About::default() }, "follow up"),
        (About { resume: resume(Some("m")), ..About::default() }, "rewind"),
        (About { way: Way::Hold, ..About::default() }, "hold for review"),
        (About { way: Way::Ask, ..About::default() }, "ask"),
    ] {
        let title = title(&mut prompt(about), 74);
        assert!(title.starts_with(&format!(" botglue {does} · ")), "{title}");
    }
}

#[test]
fn a_reason_is_shown_until_the_text_is_another_one() {
    let mut prompt = prompt(About::default());
    prompt.obstacle = Some("install `claude`: it is not in PATH".to_owned());
    prompt.learn_prompts(Vec::new());
    assert_eq!(prompt.key("earlier"), None);
    let said: Vec<_> = prompt.frame().said.iter().map(text).collect();
    assert_eq!(said, ["there is no earlier prompt", "✗ install `claude`: it is not in PATH"]);
    typed(&mut prompt, "a");
    assert_eq!(prompt.frame().said.len(), 1);
}

#[test]
fn a_menu_is_for_the_text_that_is_there() {
    let mut prompt = prompt(About::default());
    assert_eq!(typed(&mut prompt, "see"), None);
    let wish = Wish::Files { tick: 2, query: "li".to_owned(), is_new: true };
    assert_eq!(typed(&mut prompt, "see @li"), Some(wish));
    assert_eq!(prompt.found(1, &["lib.rs".to_owned()]), None);
    let Some(Wish::Menu(4, items)) = prompt.found(2, &["lib.rs".to_owned()]) else { panic!() };
    assert_eq!(items[0].word, "@lib.rs");
    assert_eq!(typed(&mut prompt, "see @li b"), Some(Wish::Menu(0, Vec::new())));
    assert_eq!(prompt.found(2, &[]), None);
    let Some(Wish::Menu(0, items)) = typed(&mut prompt, "/f") else { panic!() };
    assert_eq!(items[0].word, "/fix");
}

#[test]
fn a_key_waits_for_earlier_prompts_as_long_as_nothing_else_happens() {
    let stored = || vec!["add a test".to_owned()];
    let fill = || Some(Wish::Fill("add a test".to_owned()));
    let mut waits = prompt(About::default());
    assert_eq!(waits.key("earlier"), None);
    assert_eq!(waits.learn_prompts(stored()), fill());
    let mut goes_on = prompt(About::default());
    goes_on.key("earlier");
    typed(&mut goes_on, "a");
    assert_eq!(goes_on.learn_prompts(stored()), None);
    let mut selects = prompt(About::default());
    selects.key("earlier");
    selects.typed(Typed { mode: Mode::Normal, ..selects.typed.clone() });
    assert_eq!(selects.learn_prompts(stored()), None);
    let mut leaves = prompt(About::default());
    leaves.key("list");
    leaves.typed(Typed { mode: Mode::Normal, ..leaves.typed.clone() });
    assert_eq!(leaves.learn_prompts(stored()), None);
    let mut proposed = prompt(About { proposal: Some("fix: it".to_owned()), ..About::default() });
    proposed.learn_prompts(stored());
    typed(&mut proposed, "fix: it");
    assert_eq!(proposed.key("earlier"), fill());
}
