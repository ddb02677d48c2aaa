//! The windows that the host draws. A view makes a [`Frame`]: a [`Page`] of what it was made with, the [`List`] of what has
//! happened to it. [`Screen`] owns the open views, compares each frame with the one that Neovim has, and sends the
//! difference. The plugin draws it without knowing what it means.
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
mod page;
pub mod prompt;
mod proposal;
pub mod review;
mod screen;
mod status;
mod tools;
mod transcript;
mod width;

pub use answer::{Answered, Talk, talk};
pub use blocks::blocks;
pub use compare::{answer, compared};
pub use frame::{Chunks, Frame, Place, Row, RowMark, diff, list, map};
pub use info::info;
pub use job_prompt::job_prompt;
pub use layout::{Class, Key, Ui, clean, fit};
pub use list::{Effect, List, Origin, Scope};
pub use opening::{Kind, Opening};
pub use page::{Page, Taken};
pub use proposal::{Against, proposal};
pub use screen::{Screen, View};
pub use status::{Hung, Said, Status, StatusState, expand, indent};
pub use tools::tools;
pub use transcript::transcript;
