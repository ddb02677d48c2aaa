//! The open views of this Neovim: makes their frames again where something has changed, and the calls that bring Neovim
//! from the last frame to the new one.

use std::collections::BTreeMap;

use rmpv::Value;
use serde_json::json;

use super::frame::{Frame, diff, map};
use super::layout::Ui;
use super::list::List;
use super::opening::{Kind, Opening};
use super::page::{Page, Taken};
use crate::fields::value;

/// What a window of the host shows.
pub enum View {
    /// What is made ready.
    Page(Box<Page>),
    /// The list of jobs, which takes events.
    List(Box<List>),
}

impl From<Page> for View {
    fn from(page: Page) -> Self {
        Self::Page(Box::new(page))
    }
}

impl From<List> for View {
    fn from(list: List) -> Self {
        Self::List(Box::new(list))
    }
}

/// What is behind the id of a view in that of the pane below it.
const BELOW: &str = ".below";

struct Shown {
    view: View,
    /// The view that is closed with it.
    with: Option<String>,
    /// The question to which it is the reply: where the plugin waits for that no more, it does not open.
    token: Option<u64>,
    page: usize,
    /// It opens later.
    is_waiting: bool,
    /// What Neovim shows; none before it is open.
    frame: Option<Frame>,
    /// Something may have changed since.
    is_dirty: bool,
}

/// See the module.
#[derive(Default)]
pub struct Screen {
    ui: Ui,
    views: BTreeMap<String, Shown>,
    /// How many views were opened: no two have the same id.
    opened: u64,
    /// Those that the host closes.
    closing: Vec<String>,
}

impl Screen {
    /// The screen has this size.
    pub fn resize(&mut self, ui: Ui) {
        if ui != self.ui {
            self.ui = ui;
            self.views.values_mut().for_each(|shown| shown.is_dirty = true);
        }
    }

    /// Opens a view, in the reply to this question; another one of that name is closed.
    pub fn open(&mut self, name: &str, view: impl Into<View>, token: u64) -> String {
        if let Some(id) = self.named(name) {
            self.close(&id);
        }
        self.open_new(name, view, Some(token))
    }

    /// A view that is opened later, in the reply to this question, and has its events from now on.
    pub fn prepare(&mut self, name: &str, view: impl Into<View>, token: u64) -> String {
        let id = self.open_new(name, view, Some(token));
        self.views.entry(id.clone()).and_modify(|shown| shown.is_waiting = true);
        id
    }

    /// Opens a view that waits; the question to which it is the reply.
    pub fn reveal(&mut self, id: &str) -> Option<u64> {
        let shown = self.views.get_mut(id).filter(|shown| shown.is_waiting)?;
        shown.is_waiting = false;
        shown.token
    }

    /// A view that waits does not open; the question to which it was to be the reply.
    pub fn withdraw(&mut self, id: &str) -> Option<u64> {
        self.views.get(id).filter(|shown| shown.is_waiting)?;
        self.views.remove(id)?.token
    }

    /// Opens one more view of that name, in the reply to this question. Their ids are in the order in which they were asked
    /// for.
    pub fn open_new(&mut self, name: &str, view: impl Into<View>, token: Option<u64>) -> String {
        self.opened += 1;
        let (id, view) = (format!("{name}-{:09}", self.opened), view.into());
        let (with, page, is_waiting, frame, is_dirty) = (None, 0, false, None, true);
        self.views.insert(id.clone(), Shown { view, with, token, page, is_waiting, frame, is_dirty });
        id
    }

    /// Opens two views that are closed together.
    pub fn open_both(&mut self, name: &str, views: [Page; 2], token: u64) {
        let [one, other] = views.map(|view| self.open_new(name, view, Some(token)));
        for (id, with) in [(&one, &other), (&other, &one)] {
            self.views.entry(id.clone()).and_modify(|shown| shown.with = Some(with.clone()));
        }
    }

    /// A view shows something else from now on; whether it is still open.
    pub fn show(&mut self, id: &str, page: Page) -> bool {
        let Some(shown) = self.views.get_mut(id) else { return false };
        (shown.view, shown.is_dirty) = (page.into(), true);
        true
    }

    /// Closes a view; whether it was open.
    pub fn close(&mut self, id: &str) -> bool {
        let was_open = self.views.remove(id).is_some();
        self.closing.extend(was_open.then(|| id.to_owned()));
        was_open
    }

    /// The plugin has closed a view, or could not draw it.
    pub fn closed(&mut self, id: &str) {
        self.views.remove(id);
        // A pane that is gone alone is opened again.
        let above = id.strip_suffix(BELOW).and_then(|above| self.views.get_mut(above));
        if let Some(frame) = above.and_then(|above| above.frame.as_mut()) {
            frame.below = None;
        }
    }

    /// A list that something happens to.
    pub fn list(&mut self, id: &str) -> Option<&mut List> {
        let shown = self.views.get_mut(id)?;
        shown.is_dirty = true;
        match &mut shown.view {
            View::List(list) => Some(list),
            View::Page(_) => None,
        }
    }

    /// The view that was opened under this name.
    pub fn named(&self, name: &str) -> Option<String> {
        let open = self.views.iter().filter(|(_, shown)| !shown.is_waiting).map(|(id, _)| id);
        open.into_iter().find(|id| stem(id) == name).cloned()
    }

    /// What a key takes out of a row of a view.
    pub fn taken(&self, id: &str, action: &str, row: usize) -> Taken {
        match &self.views.get(id)?.view {
            View::Page(page) => (page.takes)(action, row),
            View::List(_) => None,
        }
    }

    /// The job of this Neovim that the cursor is at in a view.
    pub fn job(&self, id: &str) -> Option<u64> {
        self.views.get(id)?.list()?.at_cursor()?.id.strip_prefix('#')?.parse().ok()
    }

    /// What a list of places has of a view.
    pub fn items(&self, id: &str) -> Vec<(Option<&str>, u64, String)> {
        self.views.get(id).and_then(Shown::list).map(List::items).unwrap_or_default()
    }

    /// Time has passed.
    pub fn beat(&mut self) {
        for shown in self.views.values_mut() {
            if let View::List(list) = &mut shown.view
                && list.moves()
            {
                list.beat();
                shown.is_dirty = true;
            }
        }
    }

    /// Whether anything moves.
    pub fn moves(&self) -> bool {
        self.views.values().filter_map(Shown::list).any(List::moves)
    }

    /// Shows the next keys of a view.
    pub fn more_keys(&mut self, id: &str) {
        if let Some(shown) = self.views.get_mut(id) {
            shown.page += 1;
            shown.is_dirty = true;
        }
    }

    /// The arguments of the calls that draw what has changed.
    pub fn calls(&mut self) -> Vec<Value> {
        let close = |id: String| map([("id", Some(id.into())), ("close", Some(true.into()))]);
        let mut calls: Vec<Value> = self.closing.drain(..).map(close).collect();
        for (id, shown) in self.views.iter_mut().filter(|(_, shown)| shown.is_dirty && !shown.is_waiting) {
            calls.extend(shown.calls(id, self.ui));
        }
        calls
    }
}

/// The name under which a view was opened.
fn stem(id: &str) -> &str {
    id.rsplit_once('-').map_or(id, |(stem, _)| stem)
}

impl Shown {
    fn list(&self) -> Option<&List> {
        match &self.view {
            View::List(list) => Some(list),
            View::Page(_) => None,
        }
    }

    /// The calls that draw it, and the pane below it.
    fn calls(&mut self, id: &str, ui: Ui) -> Vec<Value> {
        self.is_dirty = false;
        let (opening, mut new) = match &mut self.view {
            View::Page(page) => (page.opening.clone(), (page.draw)(ui, self.page)),
            View::List(list) => (list.opening(), list.frame(ui, self.page)),
        };
        let is_open = self.frame.is_some();
        let mut old = self.frame.take().unwrap_or_default();
        let opening = (!is_open).then(|| {
            let opening = Opening { with: self.with.clone(), ..opening };
            vec![("token", self.token.map(Value::from)), ("open", Some(value(json!(opening))))]
        });
        let pane = (old.below.take(), new.below.take());
        let mut calls: Vec<Value> = call(id, opening, &old, &new).into_iter().collect();
        if let (before, Some(below)) = pane {
            let opening = before.is_none().then(|| {
                let (with, keys) = (Some(id.to_owned()), Vec::new());
                let pane = Opening { kind: Kind::Pane, keys, with, ..Opening::float("pane", &[]) };
                vec![("open", Some(value(json!(pane))))]
            });
            calls.extend(call(&format!("{id}{BELOW}"), opening, &before.unwrap_or_default(), &below));
            new.below = Some(below);
        }
        self.frame = Some(new);
        calls
    }
}

/// The call that opens a window, or brings it from one frame to another; none where that is the same.
fn call(
    id: &str,
    opening: Option<Vec<(&'static str, Option<Value>)>>,
    old: &Frame,
    new: &Frame,
) -> Option<Value> {
    let changed = diff(old, new);
    if opening.is_none() && changed.iter().all(|(_, value)| value.is_none()) {
        return None;
    }
    let fields = std::iter::once(("id", Some(id.into())));
    Some(map(fields.chain(opening.into_iter().flatten()).chain(changed)))
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::ui::Row;

    fn words(text: &'static str) -> Page {
        Page::new(Opening::of(Kind::Split, text, &[]), move |ui, page| {
            let rows = [text.to_owned(), format!("{} {page}", ui.columns)];
            Frame { rows: rows.map(|text| Arc::new(Row::plain(text))).into(), ..Frame::default() }
        })
    }

    fn field<'a>(call: &'a Value, name: &str) -> &'a Value {
        &call[name]
    }

    #[test]
    fn what_has_not_changed_is_not_sent() {
        let mut screen = Screen::default();
        screen.resize(Ui { columns: 80, lines: 24, cmdheight: 1 });
        let id = screen.open("words", words("a"), 7);
        let calls = screen.calls();
        assert_eq!((calls.len(), field(&calls[0], "token").as_u64()), (1, Some(7)));
        assert_eq!(field(&calls[0], "rows").to_string(), r#"[[0, 0, ["a", "80 0"]]]"#);
        assert!(screen.show(&id, words("a")));
        assert_eq!(screen.calls(), []);
        screen.more_keys(&id);
        let calls = screen.calls();
        assert_eq!(field(&calls[0], "rows").to_string(), r#"[[1, 1, ["80 1"]]]"#);
        assert!(field(&calls[0], "open").is_nil());
        screen.resize(Ui { columns: 40, lines: 24, cmdheight: 1 });
        assert_eq!(field(&screen.calls()[0], "rows").to_string(), r#"[[1, 1, ["40 1"]]]"#);
    }
}
