//! What the user decides of a held answer, and what then has to be in the text.

use botglue::mirror::{BufferEvent, Intent, MirrorEvent, MirrorQuery, Obstacle};

use super::super::answers::words_of;
use super::super::editor::bytes;
use super::proposals::{Hunk, written};
use super::{Answer, Tally, World};

impl World {
    /// Takes or drops some of the hunks that are shown.
    pub(super) fn choose(&mut self, number: usize, what: &str, tally: &mut Tally) {
        let Some(hunks) = self.hunks(number) else { return };
        let chosen: Vec<Hunk> = hunks.iter().filter(|_| self.random.one_in(2)).cloned().collect();
        if chosen.is_empty() {
            return;
        }
        let Answer { job, letter, .. } = self.answers[number];
        let before = self.editor.rows().to_vec();
        let (at, typed) = (self.editor.at, self.story.len());
        self.story.push(format!(
            "{what} {letter} {:?}",
            chosen.iter().map(|hunk| (&hunk.rows, &hunk.lines)).collect::<Vec<_>>()
        ));
        let ids: Vec<String> = chosen.iter().map(|hunk| hunk.id.clone()).collect();
        let asked: fn(_) -> _ = if what == "drop" {
            |hunks| MirrorQuery::Drop(Some(hunks))
        } else {
            |hunks| MirrorQuery::Take(Some(hunks))
        };
        let token = self.editor.ask(job, asked, &ids);
        self.settle();
        let was_typed = self.story.len() > typed + 1;
        let reply = self.editor.replies.remove(&token).expect("each question gets a reply");
        match reply {
            Ok(_) if what == "drop" => {
                tally.dropped += 1;
                let here = words_of(&before, letter);
                let own = chosen.iter().flat_map(|hunk| words_of(&hunk.lines, letter));
                self.answers[number].dropped.push(own.filter(|word| !here.contains(word)).collect());
                // Each hunk is a drop of its own.
                let drops = self.answers[number].dropped.pop().unwrap_or_default();
                self.answers[number].dropped.extend(
                    chosen
                        .iter()
                        .map(|hunk| words_of(&hunk.lines, letter).intersection(&drops).cloned().collect()),
                );
                assert_eq!(self.editor.rows(), before, "a drop changes no text");
            }
            Ok(_) => {
                tally.taken += 1;
                self.answers[number].has_taken_conflict |= chosen.iter().any(|hunk| hunk.is_conflict);
                if !was_typed {
                    assert_eq!(
                        self.editor.rows(),
                        written(&before, &chosen),
                        "what was shown is what is written"
                    );
                    assert_eq!(self.editor.at, at + 1, "one step of undo");
                }
            }
            Err(Obstacle::Stale) => {
                tally.stale += 1;
                assert!(was_typed, "nothing was changed in between");
            }
            other => panic!("{other:?}"),
        }
    }

    /// All that is left is accepted.
    pub(super) fn accept(&mut self, number: usize, tally: &mut Tally) {
        if self.answers[number].is_over {
            return;
        }
        let Some(hunks) = self.hunks(number) else { return };
        let Answer { job, letter, .. } = self.answers[number];
        let lines = bytes(&self.answers[number].lines);
        let dropped = self.editor.views[&job].dropped.clone();
        let before = self.editor.rows().to_vec();
        self.story.push(format!("accept {letter}"));
        self.editor.haste = 0;
        let intent = Intent::Accept { lines, dropped, shown: Some(self.editor.tick) };
        self.editor.send(MirrorEvent::Buffer(1, BufferEvent::Want { job, intent }));
        self.settle();
        assert_eq!(self.editor.rows(), written(&before, &hunks), "what was shown is what is written");
        assert!(self.answers[number].is_over, "it has landed: {:?}", self.editor.landed);
        if self.is_alone && self.answers.len() == 1 && self.random.one_in(2) {
            self.revert(job, tally);
        }
    }

    /// What was taken is taken back.
    fn revert(&mut self, job: u64, tally: &mut Tally) {
        if !matches!(&self.editor.landed.last().unwrap().1[..], "applied" | "merged") {
            return;
        }
        self.story.push("revert".to_owned());
        self.editor.send(MirrorEvent::Buffer(1, BufferEvent::Want { job, intent: Intent::Revert }));
        self.settle();
        tally.reverted += 1;
        assert_eq!(self.editor.landed.last().unwrap().1, "reverted");
        assert_eq!(self.editor.rows(), self.editor.states[0].rows, "all of the answer is gone");
    }
}
