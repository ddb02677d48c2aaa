//! The subcommands: what each takes, and what it does.

use super::choose::{self, Choice};
use super::plus_options::BOTH;

/// See the module.
pub(super) struct Subcommand {
    pub(super) name: &'static str,
    pub(super) does: Does,
    /// Whether `!` means anything.
    pub(super) bang: bool,
    /// Whether a range does.
    pub(super) range: bool,
    /// Whether it opens a window.
    pub(super) opens: bool,
    /// What may stand before the rest.
    pub(super) plus: &'static [&'static str],
}

/// What a subcommand does.
pub(super) enum Does {
    Run,
    Ask,
    Each,
    /// Opens a list.
    List(&'static str),
    Pick,
    Info,
    /// What only the plugin can.
    Plugin(&'static str),
    /// The same with a job.
    Of(Choice, &'static str),
    /// Accepts or rejects.
    Decide(&'static str),
    Review,
    Transcript,
    Answer,
    Open,
    Retry,
    Followup,
    Rewind,
}

/// The lists that can be picked from.
pub(super) const LISTS: [&str; 3] = ["jobs", "history", "held"];

const PLAIN: Subcommand =
    Subcommand { name: "", does: Does::Info, bang: false, range: false, opens: false, plus: &[] };

/// All, in the order of their names.
pub(super) const SUBCOMMANDS: &[Subcommand] = &[
    Subcommand { name: "accept", does: Does::Decide("accept"), range: true, ..PLAIN },
    Subcommand { name: "answer", does: Does::Answer, ..PLAIN },
    Subcommand { name: "ask", does: Does::Ask, range: true, plus: &BOTH, ..PLAIN },
    Subcommand { name: "diff", does: Does::Of(choose::TEXTS, "diff"), opens: true, ..PLAIN },
    Subcommand { name: "drop", does: Does::Plugin("drop"), range: true, ..PLAIN },
    Subcommand { name: "each", does: Does::Each, bang: true, range: true, plus: &BOTH, ..PLAIN },
    Subcommand { name: "edit", does: Does::Of(choose::HELD, "edit"), opens: true, ..PLAIN },
    Subcommand { name: "followup", does: Does::Followup, plus: &["model"], ..PLAIN },
    Subcommand { name: "history", does: Does::List("history"), opens: true, ..PLAIN },
    Subcommand { name: "info", opens: true, ..PLAIN },
    Subcommand { name: "jobs", does: Does::List("jobs"), opens: true, ..PLAIN },
    Subcommand { name: "log", does: Does::Plugin("log"), opens: true, ..PLAIN },
    Subcommand { name: "open", does: Does::Open, opens: true, ..PLAIN },
    Subcommand { name: "pick", does: Does::Pick, ..PLAIN },
    Subcommand { name: "reject", does: Does::Decide("reject"), range: true, ..PLAIN },
    Subcommand { name: "retry", does: Does::Retry, plus: &BOTH, ..PLAIN },
    Subcommand { name: "revert", does: Does::Of(choose::LANDED, "revert"), ..PLAIN },
    Subcommand { name: "review", does: Does::Review, bang: true, opens: true, ..PLAIN },
    Subcommand { name: "rewind", does: Does::Rewind, ..PLAIN },
    Subcommand { name: "run", does: Does::Run, bang: true, range: true, plus: &BOTH, ..PLAIN },
    Subcommand { name: "take", does: Does::Plugin("take"), range: true, ..PLAIN },
    Subcommand { name: "transcript", does: Does::Transcript, bang: true, opens: true, ..PLAIN },
];

/// The subcommand of that name.
pub(super) fn named(name: &str) -> Option<&'static Subcommand> {
    SUBCOMMANDS.iter().find(|subcommand| subcommand.name == name)
}

/// The list of that name; without one that of the jobs.
pub(super) fn list(name: &str) -> Result<&'static str, String> {
    let name = if name.is_empty() { LISTS[0] } else { name };
    let known = LISTS.into_iter().find(|list| *list == name);
    known.ok_or_else(|| format!("there is no list {name}: pick from {}", LISTS.join(", ")))
}

impl Subcommand {
    /// Whether it takes no argument.
    pub(super) const fn is_bare(&self) -> bool {
        matches!(self.does, Does::List(_) | Does::Info | Does::Plugin(_) | Does::Rewind)
    }

    /// Whether the rest is a prompt.
    pub(super) const fn takes_prompt(&self) -> bool {
        matches!(self.does, Does::Run | Does::Ask | Does::Each | Does::Followup)
    }

    /// Which jobs it may name.
    pub(super) const fn choice(&self) -> Option<&Choice> {
        match &self.does {
            Does::Of(choice, _) => Some(choice),
            Does::Decide(_) | Does::Review => Some(&choose::HELD),
            Does::Answer => Some(&choose::ANSWERED),
            Does::Transcript => Some(&choose::TRANSCRIPT),
            Does::Open => Some(&choose::SESSION),
            Does::Retry => Some(&choose::ENDED),
            _ => None,
        }
    }
}
