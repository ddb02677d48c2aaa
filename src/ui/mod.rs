//! The windows that the host draws. A view is a pure state machine, which takes an [`Event`] and makes a [`Frame`]; [`Screen`] owns the open
//! views, compares each frame with the one that Neovim has, and sends the difference. The plugin draws it without knowing
//! what it means.
//!
//! Pure: the size of the screen, what is shown and what the user does come in, calls for the plugin go out.

mod answer;
mod blocks;
mod compare;
mod frame;
mod info;
mod job_prompt;
mod layout;
mod list;
mod opening;
pub mod prompt;
mod proposal;
pub mod review;
mod screen;
mod status;
mod tools;
mod transcript;
mod width;

pub use answer::{Answer, Answered, Talk};
pub use blocks::Blocks;
pub use compare::{answer, compared};
pub use frame::{Chunks, Docked, Frame, Patch, Place, Row, RowMark, Splice, diff, list, map};
pub use info::Info;
pub use job_prompt::JobPrompt;
pub use layout::{Class, Key, Ui, clean, fit};
pub use list::{List, Origin, Scope};
pub use opening::{Kind, Opening};
pub use proposal::{Against, proposal};
pub use screen::{Effect, Event, Screen, View};
pub use status::{Hung, Said, Status, StatusState, expand, indent};
pub use tools::tools;
pub use transcript::Transcript;
