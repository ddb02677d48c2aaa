//! A Neovim with a buffer that the host mirrors.

use serde::Deserialize;
use serde_json::json;

use crate::support::DEADLINE;
use crate::support::nvim::{Builder, Nvim};
use crate::support::rpc::to_json;
use crate::support::scratch::Scratch;

/// See the module.
pub struct Editor {
    pub nvim: Nvim,
    /// The buffer that is mirrored.
    pub buffer: u64,
    asked: u64,
}

/// A place of a job's range, in the plugin's own shape.
#[derive(Debug, Deserialize, PartialEq, Eq)]
pub struct Place {
    pub id: u64,
    pub kind: Option<String>,
    pub first: Option<u64>,
    pub last: Option<u64>,
    pub from: Option<u64>,
    pub to: Option<u64>,
}

/// How a mirror compares with its buffer.
#[derive(Debug, Deserialize)]
pub struct Compared {
    pub error: Option<String>,
    /// None where there is no mirror.
    pub link: Option<String>,
    pub is_valid: bool,
    pub is_loaded: bool,
    pub is_same: bool,
    /// The mirror's, and the buffer's.
    pub ticks: (i64, i64),
    /// The rows of both, where they differ.
    mirrored: Vec<String>,
    rows: Vec<String>,
    /// How many rows the mirror has.
    pub count: usize,
    pub places: Option<Vec<Place>>,
}

impl Compared {
    /// Why the mirror is not what it should be: the buffer's text and changedtick, or unknown.
    pub fn fault(&self) -> Option<String> {
        let link = self.link.as_deref();
        if let Some(error) = &self.error {
            Some(error.clone())
        } else if !self.is_loaded {
            let is_unknown = link == Some("unknown") || (link.is_none() && !self.is_valid);
            (!is_unknown).then(|| format!("not loaded, and the mirror is {link:?}"))
        } else if link != Some("sure") {
            Some(format!("the mirror is {link:?}"))
        } else if !self.is_same {
            Some(format!("mirror {:?}\nbuffer {:?}", self.mirrored, self.rows))
        } else {
            (self.ticks.0 != self.ticks.1).then(|| format!("changedticks {:?}", self.ticks))
        }
    }
}

impl Editor {
    /// With a file of this text, in a Neovim with a screen, since only that shows previews.
    pub fn new(text: impl AsRef<[u8]>) -> Self {
        Self::in_neovim(Builder::new(Scratch::new()), text)
    }

    pub fn in_neovim(builder: Builder, text: impl AsRef<[u8]>) -> Self {
        let nvim = builder.screen(80, 24).start();
        nvim.scratch.write("mirrored.txt", text);
        nvim.command("set hidden inccommand=split nomore shortmess+=aAoOTIcF autoread textwidth=30");
        // Else a dialog waits for an answer where a file has changed under a changed buffer.
        nvim.command("autocmd FileChangedShell * let v:fcs_choice = 'reload'");
        nvim.exec_with(
            "package.preload['test.mirror'] = loadstring(...); _G.M = require('test.mirror')",
            &[json!(include_str!("editor.lua"))],
        );
        nvim.command("edit mirrored.txt");
        let mut editor = Self { nvim, buffer: 0, asked: 0 };
        editor.want();
        editor
    }

    /// Mirrors the current buffer.
    #[track_caller]
    pub fn want(&mut self) {
        self.buffer = self.nvim.exec("return M.want()").as_u64().unwrap();
    }

    /// Compares the mirror with the buffer, as both are now.
    #[track_caller]
    pub fn compare(&mut self) -> Compared {
        self.asked += 1;
        let (buffer, token) = (self.buffer, self.asked);
        self.nvim.exec_with("M.ask(...)", &[buffer.into(), token.into()]);
        let reply = self.nvim.channel().wait(DEADLINE, |inbox| {
            let at = inbox.notifications.iter().position(|(_, told)| {
                told.first().and_then(|name| name.as_str()) == Some("mirror")
                    && to_json(&told[1])["token"] == token
            })?;
            Some(to_json(&inbox.notifications.remove(at).1[1]))
        });
        serde_json::from_value(reply.expect("the mirror is compared")).unwrap()
    }

    /// Compares them, and fails where they differ.
    #[track_caller]
    pub fn is_mirrored(&mut self) -> Compared {
        let compared = self.compare();
        if let Some(fault) = compared.fault() {
            panic!("{fault}");
        }
        compared
    }
}
