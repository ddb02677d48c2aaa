use std::collections::BTreeSet;

use super::*;
use crate::options::sample::options;

fn agents() -> Agents {
    let options = options();
    Agents { installed: options.agents.keys().cloned().collect(), options, ..Agents::default() }
}

fn prompt(about: About) -> Prompt {
    let mut prompt = Prompt::new(About { path: "src/a.rs".to_owned(), ..about }, Vec::new(), &agents());
    see(&mut prompt, |typed| (typed.width, typed.lines) = (74, Some((3, 5))));
    prompt
}

#[expect(clippy::unnecessary_wraps, reason = "as a prompt has it")]
fn resume(at: Option<&str>) -> Option<Resume> {
    Some(Resume { session_id: "s".to_owned(), at: at.map(str::to_owned) })
}

fn see(prompt: &mut Prompt, change: impl FnOnce(&mut Typed)) -> Option<Wish> {
    let mut typed = prompt.typed.clone();
    change(&mut typed);
    prompt.typed(typed, &agents())
}

fn typed(prompt: &mut Prompt, text: &str) -> Option<Wish> {
    see(prompt, |typed| {
        typed.tick += 1;
        (typed.text, typed.column) = (text.to_owned(), text.len());
    })
}

fn key(prompt: &mut Prompt, action: &str) -> Option<Wish> {
    prompt.key(action, &mut agents())
}

fn words(prompt: &Prompt, agents: &Agents) -> String {
    let Chosen { agent, model } = prompt.chosen(agents).chosen;
    format!("{agent} {}", model.unwrap_or_default())
}

#[test]
fn what_is_learnt_later_takes_no_choice_of_the_users_away() {
    let mut agents = agents();
    let mut prompt = prompt(About::default());
    prompt.learn(Vec::new(), Some("mine".to_owned()));
    assert_eq!(words(&prompt, &agents), "mine a");
    prompt.key("model", &mut agents);
    agents.installed = ["claude"].map(str::to_owned).into();
    assert_eq!(words(&prompt, &agents), "mine b");
    let draft = Some(Chosen { agent: "claude".to_owned(), model: Some("opus".to_owned()) });
    let mut prompt = self::prompt(About { draft, ..About::default() });
    prompt.learn(Vec::new(), Some("mine".to_owned()));
    assert_eq!(words(&prompt, &agents), "claude opus");
}

fn text(chunks: &Chunks) -> String {
    chunks.iter().map(|cell| cell.0.as_str()).collect()
}

#[test]
fn the_title_says_what_is_done_by_whom_and_where_as_far_as_there_is_room() {
    let title = |prompt: &mut Prompt, width| {
        see(prompt, |typed| typed.width = width);
        text(&prompt.frame(&agents()).title)
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
        (About { review: true, ..About::default() }, "hold for review"),
        (About { question: true, ..About::default() }, "ask"),
    ] {
        let title = title(&mut prompt(about), 74);
        assert!(title.starts_with(&format!(" botglue {does} · ")), "{title}");
    }
}

#[test]
fn a_reason_is_shown_until_the_text_is_another_one() {
    let mut prompt = prompt(About::default());
    let agents = Agents { installed: BTreeSet::default(), ..agents() };
    prompt.learn(Vec::new(), None);
    assert_eq!(key(&mut prompt, "earlier"), None);
    let said: Vec<_> = prompt.frame(&agents).said.iter().map(text).collect();
    let missing = "✗ `a` is not in PATH: install it, or set agents.claude.command";
    assert_eq!(said, ["there is no earlier prompt", missing]);
    typed(&mut prompt, "a");
    assert_eq!(prompt.frame(&agents).said.len(), 1);
}

#[test]
fn a_menu_is_for_the_text_that_is_there() {
    let mut prompt = prompt(About::default());
    assert_eq!(typed(&mut prompt, "see"), None);
    let wish = Wish::Files(Wanted { tick: 2, root: String::new(), query: "li".to_owned(), is_new: true });
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
    assert_eq!(key(&mut waits, "earlier"), None);
    assert_eq!(waits.learn(stored(), None), fill());
    let mut goes_on = prompt(About::default());
    key(&mut goes_on, "earlier");
    typed(&mut goes_on, "a");
    assert_eq!(goes_on.learn(stored(), None), None);
    let mut selects = prompt(About::default());
    key(&mut selects, "earlier");
    see(&mut selects, |typed| typed.mode = Mode::Normal);
    assert_eq!(selects.learn(stored(), None), None);
    let mut leaves = prompt(About::default());
    key(&mut leaves, "list");
    see(&mut leaves, |typed| typed.mode = Mode::Normal);
    assert_eq!(leaves.learn(stored(), None), None);
    let mut proposed = prompt(About { proposal: Some("fix: it".to_owned()), ..About::default() });
    proposed.learn(stored(), None);
    typed(&mut proposed, "fix: it");
    assert_eq!(key(&mut proposed, "earlier"), fill());
}
