//! The subcommands: what each takes, and what it does.

use super::choose::{self, Choice};
use super::plus_options::BOTH;

/// See the module.
pub(super) struct Subcommand {
    pub(super) name: &'static str,
    pub(super) does: Does,
    /// Which jobs it may name.
    pub(super) of: Option<&'static Choice>,
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
    /// Opens the list of that name.
    List,
    Pick,
    Info,
    /// What only the plugin can, with a job if it may name one.
    Plugin,
    /// Accepts or rejects.
    Decide,
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
    Subcommand { name: "", does: Does::Plugin, of: None, bang: false, range: false, opens: false, plus: &[] };
const HELD: Option<&Choice> = Some(&choose::HELD);
const KEPT: Option<&Choice> = Some(&choose::TRANSCRIPT);

/// All, in the order of their names.
pub(super) const SUBCOMMANDS: &[Subcommand] = &[
    Subcommand { name: "accept", does: Does::Decide, of: HELD, range: true, ..PLAIN },
    Subcommand { name: "answer", does: Does::Answer, of: Some(&choose::ANSWERED), ..PLAIN },
    Subcommand { name: "ask", does: Does::Ask, range: true, plus: &BOTH, ..PLAIN },
    Subcommand { name: "diff", of: Some(&choose::TEXTS), opens: true, ..PLAIN },
    Subcommand { name: "drop", range: true, ..PLAIN },
    Subcommand { name: "each", does: Does::Each, bang: true, range: true, plus: &BOTH, ..PLAIN },
    Subcommand { name: "edit", of: HELD, opens: true, ..PLAIN },
    Subcommand { name: "followup", does: Does::Followup, plus: &["model"], ..PLAIN },
    Subcommand { name: "history", does: Does::List, opens: true, ..PLAIN },
    Subcommand { name: "info", does: Does::Info, opens: true, ..PLAIN },
    Subcommand { name: "jobs", does: Does::List, opens: true, ..PLAIN },
    Subcommand { name: "log", opens: true, ..PLAIN },
    Subcommand { name: "open", does: Does::Open, of: Some(&choose::SESSION), opens: true, ..PLAIN },
    Subcommand { name: "pick", does: Does::Pick, ..PLAIN },
    Subcommand { name: "reject", does: Does::Decide, of: HELD, range: true, ..PLAIN },
    Subcommand { name: "retry", does: Does::Retry, of: Some(&choose::ENDED), plus: &BOTH, ..PLAIN },
    Subcommand { name: "revert", of: Some(&choose::LANDED), ..PLAIN },
    Subcommand { name: "review", does: Does::Review, of: HELD, bang: true, opens: true, ..PLAIN },
    Subcommand { name: "rewind", does: Does::Rewind, ..PLAIN },
    Subcommand { name: "run", does: Does::Run, bang: true, range: true, plus: &BOTH, ..PLAIN },
    Subcommand { name: "take", range: true, ..PLAIN },
    Subcommand { name: "transcript", does: Does::Transcript, of: KEPT, bang: true, opens: true, ..PLAIN },
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
        matches!(self.does, Does::List | Does::Info | Does::Plugin | Does::Rewind) && self.of.is_none()
    }

    /// Whether the rest is a prompt.
    pub(super) const fn takes_prompt(&self) -> bool {
        matches!(self.does, Does::Run | Does::Ask | Does::Each | Does::Followup)
    }
}
