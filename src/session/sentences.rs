//! The sentences about a job.

use rmpv::Value;

use crate::land::HeldFor;
use crate::mirror::Obstacle;
use crate::options::Keys;
use crate::request::Notify;

/// Why an answer is held, or why something cannot be done with it; and what makes it possible to accept it: `%d` is the
/// job's number.
fn reason(why: Obstacle) -> (&'static str, Option<&'static str>) {
    let Obstacle::Held(why) = why else {
        return ("the text was changed meanwhile", Some("accept it again"));
    };
    match why {
        HeldFor::Review => ("its answer waits for review", None),
        HeldFor::Conflict => {
            ("its lines were changed meanwhile", Some("see :Botglue review %d, then accept it again"))
        }
        HeldFor::RangeLost => ("its place is not known", Some("select lines, then :Botglue accept %d")),
        HeldFor::BufferGone => {
            ("its buffer is gone", Some("select lines elsewhere, then :Botglue accept %d"))
        }
        HeldFor::NotModifiable => {
            ("its buffer cannot be changed", Some("set modifiable, then :Botglue accept %d"))
        }
        HeldFor::Ambiguous => ("the answer has several code blocks", Some("see :Botglue review %d")),
        HeldFor::BlockRows => ("the block has a different number of rows", Some("see :Botglue edit %d")),
        HeldFor::Raw => ("the agent broke its protocol", None),
        HeldFor::Doubtful => ("the answer would do damage as it is", None),
        HeldFor::TooLarge => {
            ("its buffer is too large to be followed", Some("copy it from :Botglue edit %d"))
        }
    }
}

/// Why an answer is held, or why something is impossible with it.
pub fn fact(why: Obstacle) -> &'static str {
    reason(why).0
}

/// Why accepting is impossible, and what makes it possible.
pub fn advice(id: u64, why: Obstacle) -> String {
    let (fact, advice) = reason(why);
    let advice = advice.map(|advice| format!(": {}", advice.replace("%d", &id.to_string())));
    fact.to_owned() + &advice.unwrap_or_default()
}

/// Why a decision is refused; `done` is what cannot be done with the answer.
pub fn refusal(id: u64, done: &str, why: Obstacle) -> String {
    let words = if done == "accepted" { advice(id, why) } else { fact(why).to_owned() };
    format!("job {id} cannot be {done}: {words}")
}

/// The news of a job that failed.
pub(super) fn failed(notify: Notify, message: &str) -> Option<Value> {
    (notify != Notify::None).then(|| news("failed", message, "ERROR"))
}

/// Why an answer is held; `doubt` is what is doubtful in it.
pub(super) fn why_held<'a>(held_for: &'a str, doubt: Option<&'a str>) -> &'a str {
    let why = HeldFor::named(held_for).map(|why| fact(Obstacle::Held(why)));
    doubt.filter(|_| held_for == HeldFor::Doubtful.name()).or(why).unwrap_or(held_for)
}

/// What became of an answer.
pub(super) fn said(landing: &str, held_for: &str, doubt: Option<&str>) -> String {
    match landing {
        "held" => format!("held: {}", why_held(held_for, doubt)),
        "unchanged" => "unchanged: the answer equals the text".to_owned(),
        landing => landed_words(landing).to_owned(),
    }
}

/// The news of an answer that is held; `doubt` is what is doubtful in it.
pub(super) fn held(notify: Notify, held_for: &str, doubt: Option<&str>, keys: &Keys) -> Option<Value> {
    let words = format!("{} · {}", why_held(held_for, doubt), keys.review());
    (notify != Notify::None).then(|| news("held", &words, "WARN"))
}

/// The news of an answer that is in the buffer.
pub(super) fn landed(notify: Notify, landing: &str, prompt: &str) -> Option<Value> {
    (notify == Notify::All).then(|| news(landed_words(landing), prompt, "INFO"))
}

/// The news of an answer that has landed where no window shows it.
pub(super) fn out_of_sight(said: &str, place: &str, keys: &Keys) -> Value {
    news(&format!("{said}, {} goes there", keys.go()), place, "INFO")
}

/// What became of an answer that is not held.
fn landed_words(landing: &str) -> &str {
    match landing {
        "applied" => "landed",
        "merged" => "landed, merged with other changes",
        other => other,
    }
}

/// `job 3 VERB: WORDS`, at a level of `vim.log.levels`.
fn news(verb: &str, words: &str, level: &str) -> Value {
    let fields = [("verb", verb), ("words", words), ("level", level)];
    Value::Map(fields.map(|(key, value)| (key.into(), value.into())).into())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn advice_names_the_job() {
        for why in HeldFor::ALL.iter().copied().map(Obstacle::Held).chain([Obstacle::Stale]) {
            let advice = advice(7, why);
            assert!(!advice.contains('%'), "{advice}");
        }
        assert_eq!(advice(7, Obstacle::Stale), "the text was changed meanwhile: accept it again");
    }
}
