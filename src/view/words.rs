//! The words that the plugin needs at once, while a key or a function of its API runs: for why something cannot be
//! done with an answer. The host sends all of them with its greeting.

use std::collections::BTreeMap;

use serde::Serialize;

use crate::land::HeldFor;
use crate::mirror::Obstacle;
use crate::session::{Reason, reason};

/// All of them: the reasons, by public names.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Words {
    reasons: BTreeMap<&'static str, Reason>,
}

/// All words.
pub fn words() -> Words {
    let obstacles = HeldFor::ALL.map(Obstacle::Held).into_iter().chain([Obstacle::Stale]);
    Words { reasons: obstacles.map(|why| (why.name(), reason(why))).collect() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_plugin_gets_a_map_of_maps() {
        let words = serde_json::to_value(words()).unwrap();
        assert_eq!(words["reasons"]["stale"]["advice"], "accept it again");
        assert_eq!(words["reasons"]["range_lost"]["held"], "its place is not known");
        assert_eq!(words["reasons"].as_object().unwrap().len(), HeldFor::ALL.len() + 1);
    }

    #[test]
    fn a_sentence_with_the_number_of_a_job_has_it_once() {
        for reason in words().reasons.values() {
            let advice = reason.advice.unwrap_or_default();
            assert_eq!(advice.matches('%').count(), advice.matches("%d").count(), "{advice}");
            assert!(advice.matches("%d").count() <= 1, "{advice}");
        }
    }
}
