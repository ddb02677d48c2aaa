//! The windows that the host draws. A view is a pure function from what is known to a [`Frame`]; [`Screen`] owns the open
//! views, compares each frame with the one that Neovim has, and sends the difference. The plugin draws it without knowing
//! what it means.
//!
//! Pure: the size of the screen, what is shown and what the user does come in, calls for the plugin go out.

mod compare;
mod frame;
mod info;
mod layout;
mod prompt;
mod screen;
mod transcript;
mod width;

pub use compare::Texts;
pub use frame::{Chunks, Frame, Patch, Place, Row, RowMark, Splice, diff};
pub use info::Info;
pub use layout::{Key, Ui};
pub use prompt::JobPrompt;
pub use screen::{Kind, Opening, Screen, View};
pub use transcript::Transcript;
