use super::*;
use crate::options::sample::options;
use crate::request::{Wanted, sample};
use crate::session::{Known, Recording};

/// A session with jobs that have ended, each with its number, what became of its answer and its session; and one that
/// runs, number 9.
fn session(jobs: &[(u64, &str, &str)]) -> Session {
    let mut session = Session::default();
    for &(id, landing, session_id) in jobs {
        let known = Known {
            agent: if session_id == "text" { "mine" } else { "claude" }.to_owned(),
            session_id: Some(session_id.to_owned()).filter(|id| !id.is_empty()),
            landing: Some(landing.to_owned()).filter(|landing| !landing.is_empty()),
            wanted: wanted(if landing.is_empty() { "" } else { "do it" }),
            recording: if id == 2 { Recording::Kept } else { Recording::Wanted },
            ..Known::default()
        };
        session.ended_before(id, known);
    }
    session.accepted(&sample::with(sample::lines("lua", &["x"]), |job| job.id = 9));
    session
}

/// In line 5 of buffer 1, with job 1 in lines 1 to 3, job 2 in lines 4 to 6, and job 3 in buffer 2.
fn here() -> Here {
    let place = |buffer, first, last| JobPlace { buffer: Some(buffer), first, last, column: Some(0) };
    let places = [(1, place(1, 1, 3)), (2, place(1, 4, 6)), (3, place(2, 5, 5))];
    Here { buffer: 1, line: 5, places: places.into(), ..Here::default() }
}

fn jobs() -> Session {
    session(&[
        (1, "held", "s1"),
        (2, "applied", "s2"),
        (3, "held", ""),
        (4, "", "text"),
        (5, "answered", "s5"),
    ])
}

fn read_at(line: &str, here: &Here, session: &Session) -> Result<Act, String> {
    let (bang, line) = line.strip_prefix('!').map_or((false, line), |line| (true, line));
    let (range, line) = line.strip_prefix('%').map_or((None, line), |line| (Some((1, 9)), line));
    let call = Call { line: line.to_owned(), bang, range };
    read(&call, World { here, session, options: &options() })
}

#[track_caller]
fn reads(line: &str, act: Act) {
    assert_eq!(read_at(line, &here(), &jobs()), Ok(act), "{line}");
}

#[track_caller]
fn refused(line: &str, error: &str) {
    assert_eq!(read_at(line, &here(), &jobs()), Err(error.to_owned()), "{line}");
}

fn wanted(prompt: &str) -> Wanted {
    Wanted { prompt: Some(prompt.to_owned()).filter(|prompt| !prompt.is_empty()), ..Wanted::default() }
}

#[test]
fn the_words_after_run_are_the_prompt_as_they_are() {
    reads(" run  two  words ", Act::Start(wanted("two  words")));
    reads("", Act::Start(wanted("")));
    reads("!%run it", Act::Start(Wanted { review: Some(true), ..wanted("it") }));
    reads("%ask why", Act::Start(Wanted { question: true, ..wanted("why") }));
    reads("run say ++model=opus", Act::Start(wanted("say ++model=opus")));
    reads("run ++i is too fast", Act::Start(wanted("++i is too fast")));
    reads("run ++C99 is none", Act::Start(wanted("++C99 is none")));
    let opus = Wanted { model: Some("opus".to_owned()), ..wanted("") };
    reads("++model=opus", Act::Start(opus.clone()));
    let mine = Wanted { agent: Some("mine".to_owned()), prompt: Some("do it".to_owned()), ..opus };
    reads("!each ++agent=mine  ++model=opus do it", Act::Each(Wanted { review: Some(true), ..mine }));
}

#[test]
fn a_wrong_command_is_one_sentence() {
    refused("rvert", "unknown subcommand \"rvert\"; did you mean revert?");
    let unknown = read_at("cancel", &here(), &jobs()).unwrap_err();
    assert!(unknown.starts_with("unknown subcommand \"cancel\"; use accept, answer, ask, diff"), "{unknown}");
    refused("log now", "log takes no argument");
    refused("!jobs", "jobs takes no !");
    refused("%jobs", "jobs takes no range");
    refused("jobs ++model=opus", "jobs takes no argument");
    refused("each ++model=opus", "each needs a prompt");
    refused("pick mine", "there is no list mine: pick from jobs, history, held");
    refused("run ++speed=10 it", "unknown option ++speed; use ++agent=, ++model=");
    refused("followup ++agent=droid on", "unknown option ++agent; use ++model=");
    refused("run ++agent it", "++agent= needs a name; use claude, droid, gemini, mine");
    refused("run ++agent=droid ++model= it", "++model= needs a name");
    refused("run ++agent=gpt it", "++agent: unknown agent \"gpt\"; use claude, droid, gemini, mine");
    refused("++model=opus make it shorter", "options go after the subcommand: Botglue make ++model=opus");
    let cmdwin = Here { is_cmdwin: true, ..here() };
    let no_window = Err("no window opens from the command-line window: leave it first".to_owned());
    assert_eq!(read_at("jobs", &cmdwin, &jobs()), no_window);
    assert!(read_at("accept 1", &cmdwin, &jobs()).is_ok());
}

#[test]
fn a_command_means_the_named_job_else_the_one_at_the_cursor_else_the_only_or_the_newest() {
    let plugin = |name, id| Act::Plugin { name, id: Some(id) };
    reads("accept 17", plugin("accept", 17));
    refused("accept x", "not a job number: x");
    refused("accept", "say which answer: 1, 3");
    let of_another = session(&[(3, "held", "")]);
    assert_eq!(read_at("reject", &here(), &of_another), Ok(plugin("reject", 3)));
    let in_file = Here { is_file: true, ..here() };
    assert_eq!(read_at("reject", &in_file, &of_another), Err("say which answer: 3".to_owned()));
    assert_eq!(read_at("accept", &Here { line: 9, ..in_file }, &jobs()), Ok(plugin("accept", 1)));
    reads("%accept", Act::All { name: "accept", ids: vec![1] });
    reads("%reject", Act::All { name: "reject", ids: vec![1] });
    refused("%accept 1", "the place of job 1 is known: accept it without a range");
    reads("%accept 17", plugin("accept", 17));
    refused("%reject 1", "reject takes a range or the number of a job, not both");
    reads("revert", plugin("revert", 2));
    reads("diff", plugin("diff", 2));
    reads("answer", Act::Answer(5));
    reads("open", Act::Terminal(2));
    reads("!transcript", Act::Transcript(2, true));
    reads("info", Act::Info(Some(2)));
    reads("review", plugin("review", 1));
    reads("!review", Act::Plugin { name: "review_end", id: None });
    let elsewhere = Here { line: 9, ..here() };
    let at = |line, here: &Here| read_at(line, here, &jobs()).unwrap();
    assert_eq!(at("diff", &elsewhere), plugin("diff", 3));
    assert_eq!(at("open", &elsewhere), Act::Terminal(5));
    let reviewed = Here { review: Some(1), shows_review: true, ..here() };
    assert_eq!(at("accept", &reviewed), plugin("accept", 1));
    let listed = Here { row: Some(3), ..here() };
    assert_eq!((at("accept", &listed), at("reject", &listed)), (plugin("accept", 3), plugin("reject", 3)));
    assert_eq!(at("review", &reviewed), plugin("review", 3));
    assert_eq!(at("review", &Here { review: Some(3), ..here() }), plugin("review", 1));
    let none = session(&[]);
    for (line, error) in [
        ("accept", "no answer is held"),
        ("revert", "no answer has landed"),
        ("answer", "no question was answered"),
        ("diff", "no job has an answer to compare"),
        ("retry", "no job has ended yet"),
        ("open", "no job has a session"),
        ("transcript", "no job has a transcript"),
        ("rewind", "no job of this Neovim wrote this: use f in :Botglue history"),
    ] {
        assert_eq!(read_at(line, &here(), &none), Err(error.to_owned()), "{line}");
    }
    assert_eq!(read_at("review", &here(), &none), Ok(Act::Plugin { name: "review", id: None }));
}

#[test]
fn what_goes_on_from_a_job_needs_one_that_can_be_gone_on_from() {
    let asked = |line: &str| match read_at(line, &here(), &jobs()) {
        Ok(Act::Again { id, request }) => (id, request),
        act => panic!("{line}: {act:?}"),
    };
    assert_eq!(asked("retry"), (2, Wanted { prompt: Some("do it".to_owned()), ..Wanted::default() }));
    let (id, request) = asked("retry ++agent=mine 4");
    assert_eq!((id, request.agent.as_deref()), (4, Some("mine")));
    refused("retry 9", "job 9 has not ended yet: wait for it");
    refused("retry 17", "there is no job 17");
    let (id, request) = asked("followup ++model=opus more");
    let resume = |request: &Wanted| request.resume.as_ref().map(|resume| resume.session_id.clone());
    assert_eq!((id, request.prompt.as_deref(), request.model.as_deref()), (2, Some("more"), Some("opus")));
    assert_eq!(resume(&request).as_deref(), Some("s2"));
    reads("rewind", Act::Rewind(2));
    let (here, session, options) = (here(), jobs(), options());
    let world = World { here: &here, session: &session, options: &options };
    let why = |id| followup(id, Wanted::default(), world).unwrap_err();
    let (replaces, review) = (Some(3), Some(true));
    let request = Wanted { replaces, review, cwd: Some(String::new()), ..Wanted::default() };
    assert_eq!(followup(3, Wanted::default(), world), Ok(Act::Again { id: 3, request }));
    assert_eq!(why(4), "job 4 was run by mine, which keeps no sessions: start a new job");
    assert_eq!(why(9), "job 9 has not ended yet: wait for it");
    let answer = Here { answer: Some(5), ..here.clone() };
    assert!(matches!(read_at("followup", &answer, &session), Ok(Act::Again { id: 5, .. })));
    let mut session = session;
    let session_id = Some("s7".to_owned());
    session.ended_before(7, Known { agent: "gemini".to_owned(), session_id, ..Known::default() });
    let world = World { here: &here, session: &session, options: &options };
    let why = followup(7, Wanted::default(), world).unwrap_err();
    assert_eq!(why, "job 7 was run by gemini, which cannot go on in a session: start a new job");
    session.ended_before(6, Known { wanted: wanted("do it"), ..Known::default() });
    let world = World { here: &here, session: &session, options: &options };
    let again = |request| Ok(Act::Again { id: 6, request });
    let begun = |text: &str| Wanted { text: Some(text.to_owned()), ..Wanted::default() };
    assert_eq!(followup(6, wanted("well"), world), again(wanted("do it\nwell")));
    assert_eq!(followup(6, Wanted::default(), world), again(begun("do it\n")));
    assert_eq!(edit(6, world), again(begun("do it")));
}

#[test]
fn what_is_sent_again_is_the_same_but_for_what_is_given() {
    let model = Some("a".to_owned());
    let asked = Wanted { agent: Some("claude".to_owned()), model: model.clone(), ..wanted("do it") };
    let known = Known { wanted: Wanted { review: Some(true), ..asked.clone() }, ..Known::default() };
    assert_eq!(known.again(Wanted::default()), known.wanted);
    // A model is its agent's own.
    let mine = known.again(Wanted { agent: Some("mine".to_owned()), ..Wanted::default() });
    assert_eq!((mine.agent.as_deref(), mine.model), (Some("mine"), None));
    let resumed = Known { session_id: Some("s".to_owned()), ..known };
    let onward = resumed.onward(wanted("more"));
    assert_eq!((onward.model, onward.review, onward.prompt.as_deref()), (model, None, Some("more")));
}

#[test]
fn a_word_completes_where_it_can_stand() {
    let (here, session, options) = (here(), jobs(), options());
    let world = World { here: &here, session: &session, options: &options };
    let complete = |line: &str| {
        let lead = line.rsplit(' ').next().unwrap_or_default();
        complete(line, lead, world).join(" ")
    };
    for (line, expected) in [
        ("ru", "run"),
        ("re", "reject retry revert review rewind"),
        ("run r", ""),
        ("+", "++agent= ++model="),
        ("++model=o", "++model=own ++model=opus"),
        ("++agent=mine ++model=", "++model=a ++model=b"),
        ("run ", "++agent= ++model="),
        ("run ++a", "++agent="),
        ("run ++agent=d", "++agent=droid"),
        ("run ++agent=mine ", "++model="),
        ("run ++agent=droid ++model=", ""),
        ("run words ++", ""),
        ("run /", "/fix /tests"),
        ("run ++model=opus /t", "/tests"),
        ("run words /t", ""),
        ("followup ", "++model="),
        ("followup ++model=", "++model=own ++model=opus ++model=sonnet ++model=a ++model=b"),
        ("jobs +", ""),
        ("pick ", "jobs history held"),
        ("accept ", "1 3"),
        ("retry ", "1 2 3 4 5"),
        ("retry +", "++agent= ++model="),
        ("retry ++model=opus ", "1 2 3 4 5"),
        ("open ", "1 2 4 5"),
        ("nothing ", ""),
    ] {
        assert_eq!(complete(line), expected, "{line}");
    }
}

#[test]
fn a_jump_goes_from_answer_to_answer_and_around() {
    let session = jobs();
    let at = |line: u64, by: i64| {
        let here = Here { line, ..here() };
        jump(by, World { here: &here, session: &session, options: &options() })
    };
    let stops = [(1, 1, 0), (1, 4, 0), (2, 5, 0)];
    for (line, by, stop) in [(1, 1, 1), (2, 1, 1), (2, -1, 0), (1, -1, 2), (4, 1, 2), (9, 1, 2), (9, 2, 0)] {
        assert_eq!(at(line, by), Ok(stops[stop]), "{by} from line {line}");
    }
    let none = super::jump(1, World { here: &here(), session: &Session::default(), options: &options() });
    assert_eq!(none.unwrap_err(), "no open buffer has a held or landed answer");
}
