//! Which job a command means: the named one, else the one at the cursor, else the only or the newest one.

use super::{Act, JobPlace, World};
use crate::agent::{Protocol, ResumeSupport};
use crate::request::Wanted;
use crate::session::{Known, Recording};

/// Which jobs can be meant, and which of them where none is named.
pub(super) struct Choice {
    is_meant: fn(&Known) -> bool,
    pick: Pick,
    none: &'static str,
}

/// Which of several jobs is meant.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Pick {
    /// The newest.
    Newest,
    /// That of the row of a list, else the one at the cursor, else the only one, of the buffer where that has a file.
    One,
    /// The one at the cursor, else the newest.
    Latest,
}

pub(super) const HELD: Choice = Choice::new(Known::is_held, Pick::One, "no answer is held");
pub(super) const LANDED: Choice = Choice::new(Known::is_landed, Pick::One, "no answer has landed");
pub(super) const ANSWERED: Choice = Choice::new(Known::is_answered, Pick::Newest, "no question was answered");
pub(super) const TEXTS: Choice =
    Choice::new(Known::has_texts, Pick::Latest, "no job has an answer to compare");
pub(super) const ENDED: Choice =
    Choice::new(|known| !known.is_open || known.is_limited, Pick::Latest, "no job has ended yet");
pub(super) const SESSION: Choice = Choice::new(Known::has_session, Pick::Latest, "no job has a session");
pub(super) const TRANSCRIPT: Choice =
    Choice::new(|known| known.recording == Recording::Kept, Pick::Latest, "no job has a transcript");

impl World<'_> {
    /// The jobs of which that is so, oldest first.
    fn ids(self, is_meant: impl Fn(u64, &Known) -> bool) -> Vec<u64> {
        let all = self.session.all_known();
        all.filter(|(id, known)| is_meant(*id, known)).map(|(id, _)| id).collect()
    }

    /// Whether the place of a job is known.
    fn has_place(self, id: u64) -> bool {
        self.here.places.get(&id).is_some_and(|place| place.column.is_some())
    }
}

impl Choice {
    const fn new(is_meant: fn(&Known) -> bool, pick: Pick, none: &'static str) -> Self {
        Self { is_meant, pick, none }
    }

    /// The jobs that can be meant, oldest first.
    pub(super) fn ids(&self, world: World<'_>) -> Vec<u64> {
        world.ids(|_, known| (self.is_meant)(known))
    }

    /// The job that a command's words name, else one of those that can be meant.
    pub(super) fn choose(&self, words: &str, world: World<'_>) -> Result<u64, String> {
        if !words.is_empty() {
            let is_number = words.bytes().all(|digit| digit.is_ascii_digit());
            let id = words.parse().ok().filter(|_| is_number);
            return id.ok_or_else(|| format!("not a job number: {words}"));
        }
        if let (Pick::One, Some(row)) = (self.pick, world.here.row) {
            return Ok(row);
        }
        let ids = self.ids(world);
        let newest = *ids.last().ok_or(self.none)?;
        match self.pick {
            Pick::Newest => Ok(newest),
            Pick::Latest => Ok(at_cursor(&ids, world).unwrap_or(newest)),
            Pick::One => {
                let here = world.here;
                let is_near = |id| here.places.get(id).is_some_and(|at| at.buffer == Some(here.buffer));
                let mut near = ids.iter().filter(|id| !here.is_file || is_near(id));
                let only = near.next().filter(|_| near.next().is_none()).copied();
                at_cursor(&ids, world).or(only).ok_or_else(|| {
                    let ids: Vec<_> = ids.iter().map(ToString::to_string).collect();
                    format!("say which answer: {}", ids.join(", "))
                })
            }
        }
    }
}

/// The one of the jobs that is meant by where the cursor is: the one under review there, else the newest one in whose
/// range it is.
fn at_cursor(ids: &[u64], world: World<'_>) -> Option<u64> {
    let here = world.here;
    let is_here = |id: &&u64| {
        here.places.get(*id).is_some_and(|place| {
            let JobPlace { first, last, .. } = *place;
            place.buffer == Some(here.buffer) && (first..=last).contains(&here.line)
        })
    };
    here.review
        .filter(|id| here.shows_review && ids.contains(id))
        .or_else(|| ids.iter().rev().find(is_here).copied())
}

/// The answer to accept or to reject; with a range, to accept in those lines. To reject it may be that of a job that goes
/// on, by where the cursor is, if no held one is there.
pub(super) fn decided(name: &str, words: &str, has_range: bool, world: World<'_>) -> Result<u64, String> {
    let is_free = name == "reject" && words.is_empty();
    let going = || at_cursor(&world.ids(|_, known| known.is_open), world);
    let here = is_free.then(|| at_cursor(&HELD.ids(world), world).or_else(going)).flatten();
    let id = here.map_or_else(|| HELD.choose(words, world), Ok)?;
    match (has_range, name) {
        (true, "reject") => Err("reject takes a range or the number of a job, not both".to_owned()),
        (true, _) if world.has_place(id) => {
            Err(format!("the place of job {id} is known: accept it without a range"))
        }
        _ => Ok(id),
    }
}

/// The held answers in these lines of the buffer; one whose place is not known is in none.
pub(super) fn held_in((first, last): (u64, u64), world: World<'_>) -> Result<Vec<u64>, String> {
    let is_in = |place: &JobPlace| {
        let is_known = place.buffer == Some(world.here.buffer) && place.column.is_some();
        is_known && place.first.max(1) <= last && place.last.max(1) >= first
    };
    let ids = world.ids(|id, known| known.is_held() && world.here.places.get(&id).is_some_and(is_in));
    if ids.is_empty() { Err("no answer is held in these lines".to_owned()) } else { Ok(ids) }
}

/// The held answer to show next: the one behind that under review, else the one at the cursor, else the oldest.
pub(super) fn next_held(world: World<'_>) -> Option<u64> {
    let ids = HELD.ids(world);
    let next = match world.here.review {
        Some(review) => ids.iter().find(|id| **id > review).copied(),
        None => at_cursor(&ids, world),
    };
    next.or(ids.first().copied())
}

/// The job of whose session the sums are shown.
pub(super) fn of_info(world: World<'_>) -> Option<u64> {
    let ids = world.ids(|_, known| known.session_id.is_some());
    at_cursor(&ids, world).or(ids.last().copied())
}

/// The job that wrote the text under the cursor, in its buffer or in the window of an answered question. A job of which
/// only the last lines are known is ignored: the text there now may be another one.
///
/// # Errors
/// Says where one is found that is none of this Neovim's.
pub fn writer(world: World<'_>) -> Result<u64, String> {
    let standing = |is_meant: fn(&Known) -> bool| {
        at_cursor(&world.ids(|id, known| is_meant(known) && world.has_place(id)), world)
    };
    let answer = world.here.answer.filter(|id| world.session.known(*id).is_some());
    let found = answer.or_else(|| standing(Known::has_written)).or_else(|| standing(Known::is_answered));
    found.ok_or_else(|| "no job of this Neovim wrote this: use f in :Botglue history".to_owned())
}

/// The newest job at the cursor of those that can be gone on from: what wrote the text, or was to.
pub(super) fn goes_on(world: World<'_>) -> Result<u64, String> {
    let is_one =
        |known: &Known| known.has_written() || known.is_answered() || known.is_held() || known.has_failed();
    let ids = world.ids(|id, known| is_one(known) && world.has_place(id));
    let found = at_cursor(&ids, world).filter(|_| world.here.answer.is_none());
    found.map_or_else(|| writer(world), Ok)
}

/// A job that has ended.
fn ended(id: u64, world: World<'_>) -> Result<&Known, String> {
    let is_there = world.here.places.contains_key(&id);
    match world.session.known(id) {
        Some(known) if !known.is_open => Ok(known),
        // One that was asked for in this moment is not here yet.
        None if !is_there => Err(format!("there is no job {id}")),
        _ => Err(format!("job {id} has not ended yet: wait for it")),
    }
}

/// Goes on in the session of a job. What comes of it replaces a held answer; of one that failed the prompt is sent again
/// with the words added.
///
/// # Errors
/// Says why that is impossible.
pub fn followup(id: u64, wanted: Wanted, world: World<'_>) -> Result<Act, String> {
    let (known, job) = (ended(id, world)?, format!("job {id}"));
    if known.is_held() {
        let wanted = Wanted { review: Some(true), replaces: Some(id), ..wanted };
        return Ok(Act::Again { id, request: known.onward(wanted) });
    } else if let (true, Some(before)) = (known.has_failed(), &known.wanted.prompt) {
        let text = format!("{before}\n{}", wanted.prompt.as_deref().unwrap_or_default());
        let (prompt, text) = if wanted.prompt.is_some() { (Some(text), None) } else { (None, Some(text)) };
        return Ok(Act::Again { id, request: known.again(Wanted { prompt, text, ..wanted }) });
    }
    let (agent, _) = world.options.session(&job, &known.agent, known.session_id.as_deref())?;
    if agent.command.recipe().resume == ResumeSupport::None {
        let why = format!("{job} was run by {}, which cannot go on in a session", known.agent);
        return Err(format!("{why}: start a new job"));
    }
    Ok(Act::Again { id, request: known.onward(wanted) })
}

/// The job whose session is to be gone back in.
pub(super) fn rewind(world: World<'_>) -> Result<u64, String> {
    let id = writer(world)?;
    followup(id, Wanted::default(), world)?;
    let agent = &ended(id, world)?.agent;
    if world.options.agent(agent, "agent")?.command.protocol != Protocol::Claude {
        return Err(format!("{agent} cannot go back within a session: use :Botglue followup"));
    }
    Ok(id)
}

/// Sends the request of a job again once its prompt was changed.
///
/// # Errors
/// Says why that is impossible.
pub fn edit(id: u64, world: World<'_>) -> Result<Act, String> {
    let known = ended(id, world)?;
    let text = known.wanted.prompt.clone();
    Ok(Act::Again { id, request: known.again(Wanted { text, ..Wanted::default() }) })
}

/// Sends the request of a job again; an agent and a model may be other ones.
///
/// # Errors
/// Says why that is impossible.
pub fn retry(id: u64, wanted: Wanted, world: World<'_>) -> Result<Act, String> {
    if world.session.known(id).is_some_and(|known| known.is_limited) {
        return Ok(Act::Hurry(id));
    }
    let known = ended(id, world)?;
    let agent = wanted.agent.as_ref().unwrap_or(&known.agent);
    // That of a request which this host could not read is not known.
    if !agent.is_empty() {
        world.options.agent(agent, "agent")?;
    }
    if *agent != known.agent && known.wanted.resume.is_some() {
        return Err(format!("job {id} goes on in a session of {}", known.agent));
    }
    Ok(Act::Again { id, request: known.again(wanted) })
}
