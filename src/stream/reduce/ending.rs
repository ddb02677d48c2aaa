//! Decides how a job ends: by the answer, or by the error that says why there is none.
//!
//! A finishing line speaks first, the end of the process next, what the agent reported after that; and only an
//! agent that ended well may be taken at its last message, or, held back, at what else it printed.

use super::Reducer;
use crate::error::{Code, JobError};
use crate::limit_end::LimitEnd;
use crate::stream::answer::{Doubts, MAX_ANSWER};
use crate::stream::event::{Authority, Certainty, FinishVerdict, Problem};
use crate::stream::failure::classify;
use crate::stream::one_line;
use crate::stream::outcome::{AnswerDoubt, ExitStatus, ProcessEnd, Stopped};

/// The most of a text that an error quotes, in bytes.
const QUOTED_BLOCK: usize = 400;

/// The result of a job.
pub type JobResult = Result<FinalAnswer, JobError>;

/// An answer.
#[derive(Debug, Clone)]
pub struct FinalAnswer {
    /// As the agent gave it.
    pub text: String,
    /// Why it must not land by itself.
    pub held_for: Option<AnswerDoubt>,
}

/// Whether a text is a piece of eight bytes or more, three times or more.
fn is_repeated(text: &str) -> bool {
    let bytes = text.as_bytes();
    let mut counts = (3..=bytes.len() / 8).filter(|count| bytes.len().is_multiple_of(*count));
    // Each byte is the one that stands a piece before it.
    let is_one = |count| bytes[bytes.len() / count..] == bytes[..bytes.len() - bytes.len() / count];
    // A line of dashes is none.
    counts.any(is_one) && !bytes.iter().all(|byte| *byte == bytes[0])
}

impl Reducer {
    /// The ending that a finishing line stands for.
    pub(super) fn verdict(&self, verdict: FinishVerdict<'_>) -> JobResult {
        match verdict {
            FinishVerdict::Failed(Problem { code, words, .. }) => match &self.problem {
                Some((.., reported)) if words.trim().is_empty() => Err(self.error(code, reported)),
                _ => Err(self.error(code, &words)),
            },
            FinishVerdict::Answer(text) | FinishVerdict::LastBlock(text) if text.len() > MAX_ANSWER => {
                Err(self.too_long())
            }
            FinishVerdict::Answer(text) if self.stand_in.as_deref() == Some(text.trim()) => {
                Err(self.error(classify(None, &text), &text))
            }
            FinishVerdict::Answer(text) if !text.trim().is_empty() => Ok(self.confirmed(&text)),
            FinishVerdict::Answer(_) => match self.answer.if_complete() {
                Some(text) => Ok(self.answered(text)),
                None => self.without_text(Code::EmptyAnswer, ""),
            },
            FinishVerdict::LastMessage(_) | FinishVerdict::LastBlock(_) if self.answer.doubts.too_long => {
                Err(self.too_long())
            }
            FinishVerdict::LastMessage(_) | FinishVerdict::LastBlock(_) if self.answer.doubts.line_lost => {
                Err(self.error(Code::Protocol, ""))
            }
            FinishVerdict::LastMessage(certainty) => {
                match self.answer.concluding() {
                    Some(text) if certainty == Certainty::Doubtful || self.answer.doubts.seam => {
                        Ok(FinalAnswer { text: text.to_owned(), held_for: Some(AnswerDoubt::Raw) })
                    }
                    Some(text) if certainty == Certainty::UnlessRepeated && is_repeated(text) => Err(self
                        .error(Code::ApiError, "the answer reached the limit on its length several times")),
                    Some(text) => Ok(self.answered(text)),
                    None => self.without_text(Code::EmptyAnswer, ""),
                }
            }
            FinishVerdict::LastBlock(last) => match (self.answer.continued(), self.answer.concluding()) {
                // Two messages in a row are one that was too long.
                (Some(text), _) => Ok(FinalAnswer { text, held_for: Some(AnswerDoubt::Raw) }),
                (None, Some(text)) if last.trim().is_empty() => Ok(self.answered(text)),
                (None, None) if last.trim().is_empty() || last == self.answer.last_block() => {
                    self.without_text(Code::EmptyAnswer, "")
                }
                _ => Ok(self.confirmed(&last)),
            },
            FinishVerdict::OtherTurn => self.without_text(Code::EmptyAnswer, ""),
        }
    }

    /// The answer of a run whose finishing line repeats it. Of its last message that line may have a part alone, and
    /// the stream too; where neither contains the other, nothing tells which one is meant, nor where the line may have
    /// what was said before a tool call.
    fn confirmed(&self, result: &str) -> FinalAnswer {
        let Doubts { interrupted, was_cut, line_lost, seam, .. } = self.answer.doubts;
        let said = self.answer.concluding().filter(|said| said.contains(result.trim()));
        if let Some(text) = self.answer.continued().filter(|_| was_cut) {
            return FinalAnswer { text, held_for: Some(AnswerDoubt::Raw) };
        } else if let Some(said) = said.filter(|_| interrupted || line_lost || seam) {
            return FinalAnswer { text: said.to_owned(), held_for: Some(AnswerDoubt::Raw) };
        }
        match self.answer.last_message() {
            Some(said) if self.answer.doubts.talk_before && said.trim() != result.trim() => {
                FinalAnswer { text: result.to_owned(), held_for: Some(AnswerDoubt::Disagrees) }
            }
            Some(said) if said.contains(result.trim()) => self.answered(said),
            Some(said) if !result.contains(said.trim()) => {
                FinalAnswer { text: result.to_owned(), held_for: Some(AnswerDoubt::Disagrees) }
            }
            _ => self.answered(result),
        }
    }

    /// A whole answer; it may land unless the agent's bytes were no text.
    fn answered(&self, text: &str) -> FinalAnswer {
        let held_for = self.answer.doubts.not_utf8.then_some(AnswerDoubt::NotUtf8);
        FinalAnswer { text: text.to_owned(), held_for }
    }

    /// The ending that the end of the process stands for.
    pub(super) fn ending(&self, end: &ProcessEnd) -> JobResult {
        if let Some((Authority::Final, ending)) = &self.decision
            // What an agent says of being stopped is no failure of its own.
            && (ending.is_ok() || end.stopped.is_none())
        {
            return ending.clone();
        }
        // What it printed there while it worked explains no end that was not its own.
        let words = self.last_words(if end.stopped.is_some() { "" } else { &end.stderr });
        match (end.stopped, end.exit) {
            (Some(Stopped::Timeout(limit)), _) => return Err(self.label.timeout(limit, &words)),
            (Some(Stopped::Shutdown), _) => return Err(self.label.shutdown()),
            (None, ExitStatus::Signal(signal)) => return Err(self.label.signal(signal, &words)),
            (None, ExitStatus::Code(_)) => {}
        }
        if let Some((_, ending)) = &self.decision {
            return ending.clone();
        }
        if let Some((_, code, words)) = &self.problem {
            return Err(self.error(*code, &format!("{words}\n{}", end.stderr)));
        }
        if let ExitStatus::Code(code) = end.exit
            && code != 0
        {
            // Some say on standard output why they fail.
            let block = one_line::clip(self.answer.last_block(), QUOTED_BLOCK);
            let said = if words.trim().is_empty() { block } else { &words };
            if classify(None, said) == Code::RateLimited && LimitEnd::named(said).is_some() {
                return Err(self.error(Code::RateLimited, said));
            }
            if self.resume && words.trim().is_empty() && !self.has_spoken {
                return Err(self.label.silent_about_session(code));
            }
            return Err(self.label.exit_code(code, said));
        }
        match self.answer.if_complete() {
            Some(text) => Ok(self.answered(text)),
            None if self.has_spoken || self.is_broken => self.without_text(Code::Protocol, &end.stderr),
            None => self.without_text(Code::EmptyAnswer, &end.stderr),
        }
    }

    /// There is no answer, unless lines outside the protocol were all that was said. `words` tell more.
    fn without_text(&self, code: Code, words: &str) -> JobResult {
        if self.answer.doubts.too_long {
            return Err(self.too_long());
        }
        if self.is_oversized {
            return Err(self.error(Code::Protocol, words));
        }
        match self.other_output.whole() {
            Some(text) if !self.has_spoken && !text.is_empty() => {
                Ok(FinalAnswer { text: text.to_owned(), held_for: Some(AnswerDoubt::Raw) })
            }
            None if !self.has_spoken => Err(self.error(Code::Protocol, words)),
            _ => Err(self.error(code, words)),
        }
    }

    fn too_long(&self) -> JobError {
        self.label.too_long(self.transcript.as_deref())
    }

    /// An error that the agent reported, with what it said outside its protocol.
    pub(super) fn error(&self, code: Code, words: &str) -> JobError {
        // Where it says that a limit is reached, that is why a run fails of which it says no more.
        let code = if code == Code::ApiError && self.limit.is_some() { Code::RateLimited } else { code };
        let error = self.label.error(code, &format!("{words}\n{}", self.other_output.end()));
        let limit = self.limit.clone().filter(|_| code == Code::RateLimited);
        JobError { limit: limit.or(error.limit), ..error }
    }

    /// What the agent said last, outside its protocol.
    fn last_words(&self, stderr: &str) -> String {
        let problem = self.problem.as_ref().map(|(_, _, words)| words.as_str()).unwrap_or_default();
        format!("{problem}\n{}\n{stderr}", self.other_output.end())
    }
}
