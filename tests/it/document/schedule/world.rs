//! A schedule as it is played: the buffer, its jobs, what is known of each undo state, and the story so far.

use std::collections::BTreeMap;
use std::ops::Range;

use botglue::document::Place;

use super::Tally;
use super::random::Random;
use crate::document::editor::Editor;
use crate::document::line::Line;
use crate::document::truth::{Edit, Job};

/// What is known of an undo state.
#[derive(Default)]
pub struct State {
    /// The places of the jobs in it.
    pub places: BTreeMap<usize, Place>,
    /// Rows of which truth does not say which row of the state before they are.
    pub blurred: Vec<Line>,
}

pub struct World {
    pub random: Random,
    pub editor: Editor,
    pub jobs: Vec<Job>,
    /// What is known of each undo state.
    pub states: Vec<State>,
    /// Rows of the step that is made now of which truth does not say which row they were.
    pub blurred: Vec<Line>,
    /// Whether rows may be copied, and empty rows and brackets be among them.
    pub has_copies: bool,
    pub words: usize,
    pub story: Vec<String>,
}

impl World {
    pub fn begin(seed: u64) -> Self {
        let mut world = Self {
            random: Random(seed),
            editor: Editor::new(&[""]),
            jobs: Vec::new(),
            states: Vec::new(),
            blurred: Vec::new(),
            has_copies: seed % 2 == 1,
            words: 0,
            story: Vec::new(),
        };
        let rows: Vec<String> = (0..20 + world.random.below(12)).map(|_| world.row()).collect();
        world.tell(format!("seed {seed}: {rows:?}"));
        world.editor = Editor::new(&rows);
        world
    }

    pub fn tell(&mut self, what: String) {
        self.story.push(what);
    }

    pub fn word(&mut self, letter: char) -> String {
        self.words += 1;
        format!("{letter}{}", self.words)
    }

    pub fn row(&mut self) -> String {
        if self.has_copies && self.random.one_in(6) {
            return ["", "}", "  }", "end"][self.random.below(4)].to_owned();
        }
        let count = 1 + self.random.below(3);
        let row = (0..count).map(|_| self.word('w')).collect::<Vec<_>>().join(" ");
        if self.random.one_in(4) { format!("  {row}") } else { row }
    }

    /// A few rows, at least one.
    pub fn rows(&mut self) -> Range<usize> {
        let len = self.editor.lines.len();
        let first = self.random.below(len);
        first..(first + 1 + self.random.below(4)).min(len)
    }

    pub fn send(&mut self) {
        let rows = self.rows();
        let text = self.editor.text();
        let words = |row: usize| {
            let start = text[row].find(|byte: char| byte.is_ascii_alphanumeric())?;
            let len = text[row][start..].find(' ').unwrap_or(text[row].len() - start);
            Some(start..start + len)
        };
        let (mut edits, mut answer) = (Vec::new(), Vec::new());
        let place = match (self.random.below(6), words(rows.start)) {
            (0, _) => {
                answer.push(self.word('a'));
                Place::Lines(rows.start..rows.start)
            }
            (1, Some(columns)) => {
                answer.push(self.word('a'));
                Place::Part { start: (rows.start, columns.start), end: (rows.start, columns.end) }
            }
            (2, Some(_)) => {
                let columns: Vec<_> = rows.clone().map_while(words).collect();
                answer.extend(columns.iter().map(|_| self.word('a')));
                Place::Block { first: rows.start, columns }
            }
            _ => {
                edits.extend(rows.clone().map(|row| match self.random.below(6) {
                    0 => Edit::Delete,
                    1 => Edit::Append(self.word('a')),
                    2 => Edit::Change(format!("{} {}", text[row], self.word('a'))),
                    _ => Edit::Keep,
                }));
                Place::Lines(rows)
            }
        };
        self.tell(format!("job {} at {place:?}: {edits:?} {answer:?}", self.jobs.len()));
        self.jobs.push(Job::new(&mut self.editor, place, edits, answer));
    }

    /// Truth does not say which of the rows that are written now these are.
    pub fn blur(&mut self, lines: &[Line]) {
        self.jobs.iter_mut().for_each(|job| job.blur(lines));
        self.blurred.extend_from_slice(lines);
    }

    /// There is a new undo state.
    pub fn stepped(&mut self) {
        self.states.truncate(self.editor.state());
        self.states.resize_with(self.editor.state() + 1, State::default);
        self.states[self.editor.state()].blurred = std::mem::take(&mut self.blurred);
    }

    /// Where the places are that were known in this undo state.
    pub fn look(&mut self, tally: &mut Tally) {
        let state = self.editor.state();
        self.states.resize_with(self.states.len().max(state + 1), State::default);
        let places = &mut self.states[state].places;
        for (number, job) in self.jobs.iter().enumerate() {
            let Some(place) = self.editor.document.place(job.anchor, None) else {
                tally.lost_by_undo += usize::from(places.contains_key(&number));
                continue;
            };
            tally.undone += usize::from(places.contains_key(&number));
            let before = places.entry(number).or_insert_with(|| place.clone());
            // It may be known better than it was, if it is the true one.
            assert!(
                *before == place || job.is_blurred || job.is_true(&self.editor.lines, &place),
                "the place of job {number} is {place:?}, and was {before:?} in state {state}"
            );
            *before = place;
        }
    }
}
