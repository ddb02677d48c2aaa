//! The end of a limit on a plan or on requests, in the words of today's agents: `NAMED` in the tests has each with its
//! source. Words that are not understood name no end.

use std::time::Duration;

use jiff::civil::{Date, Time};
use jiff::tz::TimeZone;
use jiff::{Timestamp, Zoned};
use serde::Serialize;

/// When a limit ends. Only a moment is written.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(untagged)]
pub enum LimitEnd {
    /// At this moment, Unix time in seconds.
    At(i64),
    /// So long after it was said.
    #[serde(skip_serializing)]
    After(Duration),
    /// When clocks show this.
    #[serde(skip_serializing)]
    Clock {
        /// The year, where it is said, the month and the day; none: the next time that clocks show it.
        date: Option<(Option<i16>, i8, i8)>,
        /// The time of the day.
        time: Time,
        /// The time zone; none: that of this machine.
        zone: Option<String>,
    },
}

/// What stands before Unix time, in seconds or milliseconds.
const STAMPS: [&str; 4] = ["resetsat", "resets_at", "reset_at", "limit reached|"];
/// What stands before a number of seconds, or an amount of time.
const SPANS: [&str; 12] = [
    "try again in",
    "retry in",
    "retry after",
    "retry-after",
    "retry_after",
    "retryafter",
    "retrydelay",
    "reset after",
    "resets in",
    "resets_in_seconds",
    "reset in",
    "wait",
];
/// What stands before a date, a time or both.
const CLOCKS: [&str; 8] = [
    "try again at",
    "try again after",
    "available at",
    "model at",
    "resets at",
    "reset at",
    "reset on",
    "resets",
];
const MONTHS: [&str; 12] =
    ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"];
/// The most characters of words that are read.
const READ: usize = 1 << 16;
/// A time of the day that has passed for no longer than this is that of today.
const JUST_PASSED: Duration = Duration::from_secs(600);

impl LimitEnd {
    /// The end that these words name.
    pub fn named(words: &str) -> Option<Self> {
        let written: String = words.chars().take(READ).collect();
        let words = written.to_ascii_lowercase();
        let behind = |marks: &[&str], read: fn(&str, &str) -> Option<Self>| {
            let rests =
                marks.iter().flat_map(|mark| words.match_indices(mark).map(|(at, _)| at + mark.len()));
            rests.into_iter().find_map(|at| read(&words[at..], &written[at..]))
        };
        let stamp = |words: &str, _: &str| Self::stamp(number(words)?.0.parse().ok()?);
        let span = |words: &str, _: &str| span(words);
        behind(&STAMPS, stamp).or_else(|| behind(&SPANS, span)).or_else(|| behind(&CLOCKS, clock))
    }

    /// The moment of a stamp of Unix time, in seconds or milliseconds; none where it is neither.
    pub fn stamp(at: i64) -> Option<Self> {
        [at, at / 1000].into_iter().find(|at| (1_000_000_000..10_000_000_000).contains(at)).map(Self::At)
    }

    /// Unix time in seconds; none where the time zone or the date does not exist.
    pub fn at(&self, now: &Zoned, zone: impl Fn(&str) -> Option<TimeZone>) -> Option<i64> {
        match self {
            Self::At(at) => Some(*at),
            Self::After(span) => {
                let ms =
                    now.timestamp().as_millisecond().checked_add(i64::try_from(span.as_millis()).ok()?)?;
                Some(ms.div_euclid(1000) + i64::from(ms.rem_euclid(1000) > 0))
            }
            Self::Clock { date, time, zone: named } => {
                let zone = named.as_deref().map_or_else(|| Some(now.time_zone().clone()), zone)?;
                let today = now.with_time_zone(zone.clone()).date();
                let moment =
                    |day: Date| Some(day.to_datetime(*time).to_zoned(zone.clone()).ok()?.timestamp());
                let moment = match date {
                    Some((year, month, day)) => {
                        // Without a year it is the nearest one.
                        let years = year.map_or(today.year() - 1..=today.year() + 1, |year| year..=year);
                        let days = years.filter_map(|year| Date::new(year, *month, *day).ok());
                        let away =
                            |day: &Date| today.until(*day).map_or(i32::MAX, |span| span.get_days().abs());
                        moment(days.min_by_key(away)?)?
                    }
                    None => match moment(today)? {
                        passed if passed + JUST_PASSED < now.timestamp() => moment(today.tomorrow().ok()?)?,
                        moment => moment,
                    },
                };
                Some(moment.as_second())
            }
        }
    }

    /// Whether it is no moment, and is not written.
    #[expect(clippy::ref_option, reason = "serde hands over a reference to the field")]
    pub(crate) fn is_relative(end: &Option<Self>) -> bool {
        !matches!(end, Some(Self::At(_)))
    }
}

/// The digits at the beginning, behind what JSON and headers have before a value, and what follows them.
fn number(words: &str) -> Option<(&str, &str)> {
    let words = words.trim_start_matches(['"', ':', '=', ' ', '\\', '\n']);
    let end = words.find(|next: char| !next.is_ascii_digit()).unwrap_or(words.len());
    (end > 0).then(|| words.split_at(end))
}

/// `2 days 17 hours`, `5h23m1s`, `0.45s`; without a unit it is seconds.
fn span(words: &str) -> Option<LimitEnd> {
    let (mut rest, mut seconds, mut is_any) = (words, 0.0, false);
    while let Some((whole, behind)) = number(rest) {
        let fraction = behind.strip_prefix('.').and_then(number);
        let amount: f64 = format!("{whole}.{}", fraction.map_or("0", |(digits, _)| digits)).parse().ok()?;
        let behind = fraction.map_or(behind, |(_, behind)| behind).trim_start();
        let end = behind.find(|next: char| !next.is_ascii_lowercase()).unwrap_or(behind.len());
        let (unit, behind) = behind.split_at(end);
        let factor = match unit {
            "ms" | "milliseconds" => 0.001,
            "m" | "min" | "mins" | "minute" | "minutes" => 60.0,
            "h" | "hr" | "hrs" | "hour" | "hours" => 3600.0,
            "d" | "day" | "days" => 86400.0,
            "s" | "sec" | "secs" | "second" | "seconds" => 1.0,
            _ if is_any => break,
            _ => 1.0,
        };
        (seconds, is_any) = (seconds + amount * factor, true);
        rest = behind.trim_start_matches([',', ' ']);
        rest = rest.strip_prefix("and ").unwrap_or(rest);
    }
    Duration::try_from_secs_f64(seconds).ok().filter(|_| is_any).map(LimitEnd::After)
}

/// `3pm`, `12:50 pm (Europe/Paris)`, `oct 20, 5pm UTC`, `jul 5th, 2026 8:19 pm`, `2026-07-22t07:06:58z`. A name, as it was
/// `written`, or an offset behind the time is its time zone.
fn clock(words: &str, written: &str) -> Option<LimitEnd> {
    let words = words.trim_start_matches(['"', ':', '=', ' ', '\\']);
    let stamp = words.split(['"', ' ', ',', ')', '\\']).next()?.trim_end_matches('.').to_uppercase();
    if let Ok(stamp) = stamp.parse::<Timestamp>() {
        return Some(LimitEnd::At(stamp.as_second()));
    }
    let (mut rest, mut date) = (words, None);
    if let Some(month) = MONTHS.iter().position(|month| words.starts_with(month)) {
        let day = words.trim_start_matches(|next: char| next.is_ascii_lowercase());
        let (day, behind) = number(day)?;
        rest =
            behind.trim_start_matches(|next: char| next.is_ascii_lowercase() || next == ',' || next == ' ');
        // The letters of a day's ending, and "at".
        let year = number(rest).filter(|(year, _)| year.len() == 4);
        if let Some((_, behind)) = year {
            rest = behind.trim_start_matches([',', ' ']);
        }
        date = Some((
            year.and_then(|(year, _)| year.parse().ok()),
            i8::try_from(month + 1).ok()?,
            day.parse().ok()?,
        ));
    }
    rest = rest.strip_prefix("at ").unwrap_or(rest);
    let (hour, behind) = number(rest)?;
    let minute = behind.strip_prefix(':').and_then(number);
    let behind = minute.map_or(behind, |(_, behind)| behind);
    let behind = behind.strip_prefix(':').and_then(number).map_or(behind, |(_, behind)| behind);
    let half = behind.trim_start();
    let (add, behind) = match half.get(..2) {
        Some("am") => (0, &half[2..]),
        Some("pm") => (12, &half[2..]),
        _ if minute.is_some() => (-1, behind),
        _ => return None,
    };
    let hour: i8 = hour.parse().ok()?;
    let hour = if add < 0 { hour } else { hour % 12 + add };
    let minute = minute.map_or(Some(0), |(minute, _)| minute.parse().ok())?;
    let zone = behind.trim_start_matches([' ', '(']);
    let is_named = written[written.len() - zone.len()..].starts_with(|next: char| next.is_ascii_uppercase());
    let end = zone
        .find(|next: char| !next.is_ascii_alphanumeric() && !"/_+-:".contains(next))
        .unwrap_or(zone.len());
    let zone = &zone[..end];
    let is_offset = zone.len() > 1 && zone.starts_with(['+', '-']);
    let is_zone =
        is_named || is_offset || matches!(zone, "utc" | "gmt") || behind.trim_start().starts_with('(');
    let zone = is_zone.then(|| zone.to_owned());
    Some(LimitEnd::Clock { date, time: Time::new(hour, minute, 0, 0).ok()?, zone })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Words that agents have said, when each ends where it is Friday, 16 October 2026, 15:00 in UTC+2, and where they were
    /// seen.
    const NAMED: [(&str, &str, &str); 22] = [
        (
            "You've hit your session limit · resets 5:50pm (Europe/Paris)",
            "16 15:50",
            "anthropics/claude-code#81975",
        ),
        (
            "You've hit your weekly limit · resets Oct 20, 5pm (UTC)",
            "20 17:00",
            "MoonLadderStudios/MoonMind#2568",
        ),
        ("5-hour limit reached ∙ resets 2pm", "17 12:00", "anthropics/claude-code#26775"),
        ("Claude AI usage limit reached|1792166400", "16 16:00", "Claude Code 1.0"),
        (
            r#"{"rate_limit_info":{"status":"rejected","resetsAt":1792166400}}"#,
            "16 16:00",
            "paperclipai/paperclip#5776",
        ),
        (
            "You've hit your usage limit. Upgrade to Pro or try again in 2 days 17 hours 14 minutes.",
            "19 06:14",
            "openai/codex#3124",
        ),
        (
            "Upgrade to Plus to continue using Codex, or try again at Nov 5th, 2026 8:19 PM.",
            "05 18:19",
            "openai/codex#26668",
        ),
        ("You've hit your usage limit. Try again at 3:51 PM.", "16 13:51", "codex-rs/protocol/src/error.rs"),
        (
            r#"{"type":"usage_limit_reached","resets_at":1792166400,"resets_in_seconds":13872}"#,
            "16 16:00",
            "earendil-works/pi#4172",
        ),
        (r#"{"type":"usage_limit_reached","resets_in_seconds":60}"#, "16 13:01", "james-6-23/codex2api#9"),
        (
            "Rate limit reached for gpt-6 on tokens per min. Please try again in 1.5s.",
            "16 13:00",
            "OpenAI's API",
        ),
        ("Please try again in 6m0s.", "16 13:06", "OpenAI's API"),
        (
            "You have exhausted your capacity on this model. Your quota will reset after 5h23m10s.",
            "16 18:23",
            "google-gemini/gemini-cli",
        ),
        ("You exceeded your current quota. Please retry in 32.5s.", "16 13:00", "Gemini's API"),
        (
            r#"{"@type":"type.googleapis.com/google.rpc.RetryInfo","retryDelay": "120s"}"#,
            "16 13:02",
            "Gemini's API",
        ),
        (
            "you have been rate-limited. Please wait 2 minutes before trying again",
            "16 13:02",
            "github/copilot-cli#2740",
        ),
        (
            "Please wait for your limit to reset on October 20, 2026 at 2:00 AM or switch",
            "20 00:00",
            "github/copilot-cli#2828",
        ),
        ("HTTP 429: retry-after: 30", "16 13:00", "RFC 9110"),
        ("resets at 2026-10-16T16:00:00Z", "16 16:00", "RFC 3339"),
        ("resets 3pm Asia/Colombo", "17 09:30", "a zone without parentheses"),
        ("resets 15:00:00 UTC. Upgrade", "16 15:00", "a zone without parentheses"),
        ("Resets 3pm. Upgrade to Max", "16 13:00", "a sentence behind the time"),
    ];

    fn zone(name: &str) -> Option<TimeZone> {
        let hours = match name {
            "utc" => 0,
            "europe/paris" => 2,
            "asia/colombo" => return TimeZone::fixed(jiff::tz::Offset::from_seconds(19800).ok()?).into(),
            _ => return None,
        };
        Some(TimeZone::fixed(jiff::tz::offset(hours)))
    }

    fn end(words: &str) -> Option<String> {
        let here = TimeZone::fixed(jiff::tz::offset(2));
        let now = jiff::civil::date(2026, 10, 16).at(15, 0, 0, 0).to_zoned(here).unwrap();
        let at = LimitEnd::named(words)?.at(&now, zone)?;
        Some(Timestamp::from_second(at).unwrap().strftime("%d %H:%M").to_string())
    }

    #[test]
    fn the_words_of_agents_name_the_end_of_a_limit() {
        for (words, expected, source) in NAMED {
            assert_eq!(end(words).as_deref(), Some(expected), "{words} ({source})");
        }
    }

    #[test]
    fn what_is_not_understood_names_no_end() {
        for words in [
            "",
            "You've reached your usage limit",
            "wait for limits to reset (every 5h and every week.)",
            "try again later",
            "try again at 10 de jul. de 2026, 11:52.",
            "resets 3pm (Mars/Olympus)",
            "resets 3pm Mars/Olympus",
            "resets 3pm GMT+5",
            "resets 15:00:00+02:00",
            "resets Feb 31, 3pm",
            "resets 25:70",
            "resets soon, 3 of 4",
            "retry-after: soon",
            "resets_at: 12",
        ] {
            assert_eq!(end(words), None, "{words}");
        }
    }

    #[test]
    fn a_date_without_a_year_is_the_nearest_one() {
        let here = TimeZone::UTC;
        let now = jiff::civil::date(2026, 12, 31).at(23, 0, 0, 0).to_zoned(here).unwrap();
        let at = LimitEnd::named("resets Jan 1, 1am").unwrap().at(&now, |_| None).unwrap();
        assert_eq!(at - now.timestamp().as_second(), 2 * 3600);
    }
}
