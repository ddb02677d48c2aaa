//! The `merge` notification: what was sent, what stands there now, and what came back.

use rmpv::Value;

use super::fields::Fields;
use crate::error::JobError;

/// A question to the merge, which has no memory of its own.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MergeRequest {
    /// The job's id.
    pub id: u64,
    /// What the editor will do with the reply: `land`, `accept` or `revert`; it comes back as it is.
    pub purpose: String,
    /// The buffer's `changedtick` when `current` was read; it comes back as it is.
    pub tick: u64,
    /// The three texts; none where one of them is no UTF-8, which is never merged.
    pub texts: Option<Texts>,
}

/// Three texts by rows.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Texts {
    /// What was there at first.
    pub base: Vec<String>,
    /// What is there now.
    pub current: Vec<String>,
    /// What should be there instead of the base.
    pub answer: Vec<String>,
}

impl MergeRequest {
    /// Reads the notification's map.
    ///
    /// # Errors
    /// Names the field that is missing or wrong.
    pub fn decode(value: &Value) -> Result<Self, JobError> {
        let fields = Fields::root(value)?;
        let texts = match (fields.texts("base"), fields.texts("current"), fields.texts("answer")) {
            (Ok(base), Ok(current), Ok(answer)) => Some(Texts { base, current, answer }),
            _ => None,
        };
        Ok(Self {
            id: fields.count("id")?,
            purpose: fields.text("purpose")?,
            tick: fields.count("tick")?,
            texts,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn request(current: &[u8]) -> Value {
        let rows = |row: &[u8]| Value::Array(vec![Value::from(row)]);
        let text = |text: &str| Value::Array(vec![text.into()]);
        Value::Map(vec![
            ("id".into(), 7.into()),
            ("purpose".into(), "land".into()),
            ("tick".into(), 12.into()),
            ("base".into(), text("a")),
            ("current".into(), rows(current)),
            ("answer".into(), Value::Map(Vec::new())),
        ])
    }

    #[test]
    fn reads_three_texts_of_which_one_may_be_empty() {
        let texts = Texts { base: vec!["a".to_owned()], current: vec!["b".to_owned()], answer: Vec::new() };
        let expected = MergeRequest { id: 7, purpose: "land".to_owned(), tick: 12, texts: Some(texts) };
        assert_eq!(MergeRequest::decode(&request(b"b")), Ok(expected));
    }

    #[test]
    fn what_is_no_utf_8_is_not_merged() {
        assert_eq!(MergeRequest::decode(&request(b"\xff")).unwrap().texts, None);
    }

    #[test]
    fn an_error_names_the_field() {
        let error = MergeRequest::decode(&Value::Map(vec![("id".into(), 7.into())])).unwrap_err();
        assert!(error.message.contains("purpose"), "{error}");
    }
}
