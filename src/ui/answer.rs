//! The answer to a question as Markdown, beside its range; what is asked after it, and the answers to that, come below.

use std::ops::Range;
use std::sync::Arc;

use serde_json::json;

use super::frame::{Frame, Row};
use super::layout::{Border, CLOSE, Key, MORE, Ui, float};
use super::opening::Opening;
use super::page::Page;
use super::width::width;
use crate::land::{FencedBlock, fenced_blocks};

/// The least and the most columns inside: a line of prose should not be longer.
const WIDTHS: (usize, usize) = (40, 90);
const KEYS: [Key; 3] = [Key::asked("Y", "yank", "yank"), Key::asked("p", "put", "put below"), CLOSE];
/// What is said where it has come by itself.
const OUTSIDE: &str = ":Botglue answer goes in";

/// A question and its answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Answered {
    /// The job.
    pub id: u64,
    /// What was asked.
    pub question: String,
    /// The answer.
    pub text: String,
}

/// Questions of one session, and their answers.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Talk {
    /// Where the first one was asked.
    pub place: String,
    /// The oldest first.
    pub answers: Vec<Answered>,
}

/// The answer of a job, among those of its talk. Where it has just come and cannot open, what the job did and words are
/// said.
pub fn talk(talk: Talk, id: u64, arrives: Option<(String, String)>) -> Page {
    let mut opening = Opening::float("answer", &KEYS).with(true, &["wrap", "linebreak", "breakindent"]);
    opening.window.extend([("conceallevel", 2.into()), ("concealcursor", "nc".into())]);
    opening.markdown = Some("parsed");
    opening.beside = talk.answers.first().map(|answered| answered.id);
    let note = arrives.is_some().then_some(OUTSIDE);
    opening.arrives = arrives.map(|(verb, words)| {
        let words = Some(words).filter(|words| !words.is_empty());
        json!({ "id": opening.beside, "verb": verb, "words": words, "level": "INFO" })
    });
    let shown = Arc::new(Answer::new(talk, id));
    let drawn = Arc::clone(&shown);
    Page::new(opening, move |ui, page| drawn.frame(note, ui, page)).taking(move |action, row| match action {
        "yank" => Some((None, shown.yanked(row))),
        "put" => Some(shown.put(row)).map(|(id, rows)| (Some(id), rows)),
        _ => None,
    })
}

/// The rows of a talk.
#[derive(Debug)]
struct Answer {
    talk: Talk,
    rows: Vec<String>,
    /// The first row of each answer, from 0: of its question, where that is shown, and of its text.
    begins: Vec<(usize, usize)>,
    /// The answer that is shown first.
    shown: usize,
}

impl Answer {
    fn new(talk: Talk, id: u64) -> Self {
        let (mut rows, mut begins): (Vec<String>, _) = (Vec::new(), Vec::new());
        for answered in &talk.answers {
            let mut first = 0;
            if !rows.is_empty() {
                rows.push(String::new());
                first = rows.len();
                rows.extend(answered.question.lines().map(|row| format!("> {row}")));
                rows.push(String::new());
            }
            begins.push((first, rows.len()));
            rows.extend(lines(&answered.text));
        }
        let shown = talk.answers.iter().position(|answered| answered.id == id).unwrap_or_default();
        Self { talk, rows, begins, shown }
    }

    fn frame(&self, note: Option<&str>, ui: Ui, page: usize) -> Frame {
        let wide = self.rows.iter().map(|row| width(row)).max().unwrap_or_default();
        let wide = wide.clamp(WIDTHS.0, WIDTHS.1).min(ui.columns.saturating_sub(2).max(1));
        let height = self.rows.iter().map(|row| width(row).div_ceil(wide).max(1)).sum();
        let (left, right) = (&self.talk.answers[0].question, &self.talk.place);
        let border = Border { left, right, note, keys: &KEYS, page, more: MORE };
        let row = |(at, row): (usize, &String)| {
            Arc::new(Row { text: row.clone(), id: Some(at.to_string()), ..Row::default() })
        };
        Frame {
            place: Some(float((wide, height), border, ui)),
            rows: self.rows.iter().enumerate().map(row).collect(),
            cursor: Some(self.begins[self.shown].0 + 1),
            ..Frame::default()
        }
    }

    /// The answer in a row, from 0, and the rows of its text.
    fn at(&self, row: usize) -> (u64, Range<usize>) {
        let part = self.begins.partition_point(|(first, _)| *first <= row).saturating_sub(1);
        let end = self.begins.get(part + 1).map_or(self.rows.len(), |(next, _)| next - 1);
        (self.talk.answers[part].id, self.begins[part].1..end)
    }

    /// The code blocks of an answer in these rows: their rows, fences included, and the rows within.
    fn blocks(&self, rows: Range<usize>) -> Vec<(Range<usize>, Range<usize>)> {
        let block = |block: &FencedBlock| {
            let (first, past) = block.rows();
            let inside = rows.start + first..rows.start + past;
            (inside.start - 1..(inside.end + 1).min(rows.end), inside)
        };
        fenced_blocks(&self.rows[rows.clone()]).iter().map(block).collect()
    }

    /// What is yanked in a row, from 0: the code block there, else the whole answer.
    fn yanked(&self, row: usize) -> Vec<String> {
        let rows = self.at(row).1;
        let block = self.blocks(rows.clone()).into_iter().find(|(whole, _)| whole.contains(&row));
        self.rows[block.map_or(rows, |(_, inside)| inside)].to_vec()
    }

    /// What is put below the range of a job, for a row, from 0: the nearest code block of that answer; without code the
    /// whole answer.
    fn put(&self, row: usize) -> (u64, Vec<String>) {
        let (id, rows) = self.at(row);
        let far =
            |whole: &Range<usize>| whole.start.saturating_sub(row).max((row + 1).saturating_sub(whole.end));
        let nearest = self.blocks(rows.clone()).into_iter().min_by_key(|(whole, _)| far(whole));
        (id, self.rows[nearest.map_or(rows, |(_, inside)| inside)].to_vec())
    }
}

/// The rows of an answer, without blank ones around it.
fn lines(text: &str) -> Vec<String> {
    let text = text.replace("\r\n", "\n").replace('\r', "\n");
    let text = text.trim_end();
    let first = text.split('\n').position(|row| !row.trim().is_empty()).unwrap_or_default();
    text.split('\n').skip(first).map(str::to_owned).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str =
        "\n It doubles.\r\n\r\n```lua\nlocal b = a * 2\nreturn b\n```\n\nThat is all.\n~~~\nrest\n\n";

    fn answered(id: u64, question: &str, text: &str) -> Answered {
        Answered { id, question: question.to_owned(), text: text.to_owned() }
    }

    fn answer(id: u64) -> Answer {
        let answers = vec![answered(3, "what?", TEXT), answered(7, "why?\nreally", "Because `a` is.")];
        Answer::new(Talk { place: "a.lua:1".to_owned(), answers }, id)
    }

    #[test]
    fn what_is_asked_after_an_answer_comes_below_it() {
        let view = answer(7);
        assert_eq!(view.rows[10..], ["", "> why?", "> really", "", "Because `a` is."]);
        let frame = view.frame(None, Ui { columns: 80, lines: 24, cmdheight: 1 }, 0);
        assert_eq!((view.rows[0].as_str(), frame.cursor, frame.rows.len()), (" It doubles.", Some(12), 15));
        assert_eq!(view.at(9).0, 3);
        assert_eq!(view.at(11), (7, 14..15));
    }

    #[test]
    fn the_block_at_the_cursor_is_yanked_else_the_answer() {
        let view = answer(3);
        for row in [2, 4, 5] {
            assert_eq!(view.yanked(row), ["local b = a * 2", "return b"]);
        }
        assert_eq!(view.yanked(8), ["rest"], "a block without an end");
        assert_eq!(view.yanked(0).len(), 10);
        assert_eq!(view.yanked(13), ["Because `a` is."], "without the question");
    }

    #[test]
    fn the_nearest_block_is_put_and_never_prose_beside_it() {
        let view = answer(3);
        let code = || vec!["local b = a * 2".to_owned(), "return b".to_owned()];
        assert_eq!((view.put(0), view.put(6)), ((3, code()), (3, code())));
        assert_eq!(view.put(7), (3, vec!["rest".to_owned()]));
        assert_eq!(view.put(12), (7, vec!["Because `a` is.".to_owned()]), "without code");
    }
}
