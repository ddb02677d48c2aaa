//! Screens as an animated picture: an SVG in which each row of the screen is a strip of the texts that it shows one
//! after another, moved by CSS. A row that does not change costs nothing.

#![expect(
    clippy::cast_precision_loss,
    reason = "a screen has a few hundred cells, a film a few thousand milliseconds"
)]

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;

use crate::support::picture::SPINNER;
use crate::support::screen::{Screen, Style};

const CELL: (f64, f64) = (8.4, 19.0);
/// A little more than a cell is high, so that nothing shines through between two rows.
const ROW: f64 = CELL.1 + 0.5;
/// From one text of a strip to the next.
const STRIDE: f64 = CELL.1 + 3.0;
const MARGIN: f64 = 12.0;
const FONT: &str =
    "ui-monospace,SFMono-Regular,Menlo,Consolas,'DejaVu Sans Mono','Liberation Mono',monospace";

/// Milliseconds between two frames of the spinner.
const SPIN: u64 = 120;

/// A piece of a row that looks the same.
#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
struct Piece {
    column: usize,
    cells: usize,
    text: String,
    style: Style,
    is_cursor: bool,
}

type Row = Vec<Piece>;

/// What was on the screen, for how long.
#[derive(Default)]
pub struct Film {
    rows: Vec<Vec<(u64, Row)>>,
    columns: usize,
    ms: u64,
    spins: usize,
    colours: (u32, u32),
}

impl Film {
    /// Adds a screen that is seen for some time. Its spinners turn.
    pub fn show(&mut self, screen: &Screen, ms: u64) {
        self.colours = screen.colours;
        self.columns = screen.cells[0].len();
        self.rows.resize(screen.cells.len(), Vec::new());
        let is_spinning = screen.cells.iter().flatten().any(|cell| SPINNER.contains(&cell.text.as_str()));
        let end = self.ms + ms;
        while self.ms < end {
            for row in 0..screen.cells.len() {
                let pieces = self.pieces(screen, row);
                let shown = &mut self.rows[row];
                if shown.last().is_none_or(|(_, last)| *last != pieces) {
                    shown.push((self.ms, pieces));
                }
            }
            self.ms = if is_spinning { (self.ms + SPIN).min(end) } else { end };
            self.spins += 1;
        }
    }

    fn pieces(&self, screen: &Screen, row: usize) -> Row {
        let mut pieces: Row = Vec::new();
        for (column, cell) in screen.cells[row].iter().enumerate() {
            let style = screen.style(cell);
            let is_cursor = screen.shown_cursor == (row, column);
            let is_spinner = SPINNER.contains(&cell.text.as_str());
            let text = if is_spinner { SPINNER[self.spins % SPINNER.len()] } else { &cell.text };
            match pieces.last_mut() {
                // Its own font may have another width for a sign: no text is moved by that.
                Some(last)
                    if last.style == style
                        && !last.is_cursor
                        && !is_cursor
                        && text.is_ascii()
                        && last.text.is_ascii() =>
                {
                    last.text.push_str(text);
                    last.cells += 1;
                }
                Some(last)
                    if last.style == style
                        && !is_cursor
                        && last.text.chars().all(|c| c == '─')
                        && text == "─" =>
                {
                    last.text.push_str(text);
                    last.cells += 1;
                }
                _ => pieces.push(Piece { column, cells: 1, text: text.to_owned(), style, is_cursor }),
            }
        }
        pieces.retain(|piece| {
            piece.is_cursor || piece.style.background.is_some() || !piece.text.trim().is_empty()
        });
        pieces
    }

    /// The picture; it starts again when it is over.
    pub fn svg(&self) -> String {
        let (width, height) = (self.columns as f64 * CELL.0, self.rows.len() as f64 * CELL.1);
        let (full_width, full_height) = (width + 2.0 * MARGIN, height + 2.0 * MARGIN);
        let mut body = String::new();
        let mut strips = String::new();
        let mut looks = Looks::default();
        for (nth, shown) in self.rows.iter().enumerate() {
            let y = nth as f64 * CELL.1;
            let known: BTreeSet<&Row> = shown.iter().map(|(_, row)| row).collect();
            let known: Vec<&Row> = known.into_iter().filter(|row| !row.is_empty()).collect();
            if known.is_empty() {
                continue;
            }
            // Where the row is blank it shows what is behind the strip's end.
            let place = |row: &Row| known.iter().position(|one| *one == row).unwrap_or(known.len());
            if shown.len() == 1 {
                let _ = writeln!(
                    body,
                    "<g transform='translate(0 {})'>{}</g>",
                    short(y),
                    self.drawn(&shown[0].1, 0.0, &mut looks)
                );
                continue;
            }
            let _ = write!(strips, "@keyframes r{nth}{{");
            for (ms, row) in shown {
                let percent = *ms as f64 / self.ms as f64 * 100.0;
                let _ = write!(
                    strips,
                    "{:.2}%{{transform:translateY({}px)}}",
                    percent,
                    short(-(place(row) as f64) * STRIDE)
                );
            }
            let _ = writeln!(
                strips,
                "}}.r{nth}{{animation:r{nth} {}s step-end infinite}}",
                short(self.ms as f64 / 1000.0)
            );
            let _ = write!(
                body,
                "<svg y='{}' width='{}' height='{}'><g class='r{nth}'>",
                short(y),
                short(width),
                short(ROW)
            );
            for (at, row) in known.iter().enumerate() {
                body.push_str(&self.drawn(row, at as f64 * STRIDE, &mut looks));
            }
            let _ = writeln!(body, "</g></svg>");
        }
        let (text, behind) = self.colours;
        format!(
            "<svg xmlns='http://www.w3.org/2000/svg' width='{w}' height='{h}' viewBox='0 0 {w} {h}' font-family=\"{FONT}\" font-size='14'>\n\
             <style>text{{fill:{};white-space:pre}}{}\n{strips}</style>\n\
             <rect width='{w}' height='{h}' rx='8' fill='{}'/>\n\
             <svg x='{MARGIN}' y='{MARGIN}' width='{}' height='{}'>\n{body}</svg>\n</svg>\n",
            hex(text),
            looks.css(),
            hex(behind),
            short(width),
            short(height),
            w = short(full_width),
            h = short(full_height),
        )
    }

    fn drawn(&self, row: &Row, y: f64, looks: &mut Looks) -> String {
        let mut drawn = String::new();
        let (text, behind) = self.colours;
        let colours = |piece: &Piece| {
            let cursor = piece.is_cursor.then_some((Some(behind), Some(text)));
            cursor.unwrap_or((piece.style.foreground, piece.style.background))
        };
        for pieces in row.chunk_by(|a, b| colours(a).1 == colours(b).1 && a.column + a.cells == b.column) {
            let Some(background) = colours(&pieces[0]).1 else { continue };
            let cells: usize = pieces.iter().map(|piece| piece.cells).sum();
            let class = looks.class(format!("fill:{}", hex(background)));
            let (x, width) = (short(pieces[0].column as f64 * CELL.0), short(cells as f64 * CELL.0));
            let _ = write!(
                drawn,
                "<rect x='{x}' y='{}' width='{width}' height='{}' class='{class}'/>",
                short(y),
                short(ROW)
            );
        }
        for piece in row {
            let style = Style { foreground: colours(piece).0, ..piece.style };
            let x = piece.column as f64 * CELL.0;
            if let Some(line) = border(piece, x, y) {
                let class =
                    looks.class(format!("stroke:{};fill:none", hex(style.foreground.unwrap_or(text))));
                let _ = write!(drawn, "<path d='{line}' class='{class}'/>");
                continue;
            }
            let trimmed = piece.text.trim_end();
            let lead = trimmed.len() - trimmed.trim_start().len();
            let trimmed = trimmed.trim_start();
            if trimmed.is_empty() {
                continue;
            }
            let class = looks.class(look(&style));
            let class = if class.is_empty() { class } else { format!(" class='{class}'") };
            let cells = if piece.text.is_ascii() { trimmed.len() } else { piece.cells };
            let _ = write!(
                drawn,
                "<text x='{}' y='{}' textLength='{}' lengthAdjust='spacingAndGlyphs'{class}>{}</text>",
                short(x + lead as f64 * CELL.0),
                short(y + CELL.1 * 0.74),
                short(cells as f64 * CELL.0),
                escaped(trimmed),
            );
        }
        drawn
    }
}

/// The signs of a border as lines, which meet in every font.
fn border(piece: &Piece, x: f64, y: f64) -> Option<String> {
    let (middle, centre) = (short(y + CELL.1 / 2.0), short(x + CELL.0 / 2.0));
    let (left, right) = (short(x), short(x + piece.cells as f64 * CELL.0));
    let (top, bottom) = (short(y), short(y + ROW));
    let corner = |from: &str, to: &str| format!("M{centre} {from}Q{centre} {middle} {to} {middle}");
    match piece.text.chars().next()? {
        '─' => Some(format!("M{left} {middle}H{right}")),
        '│' => Some(format!("M{centre} {top}V{bottom}")),
        '╭' => Some(corner(&bottom, &right)),
        '╮' => Some(corner(&bottom, &left)),
        '╰' => Some(corner(&top, &right)),
        '╯' => Some(corner(&top, &left)),
        _ => None,
    }
}

/// The looks that there are, each a class of its own.
#[derive(Default)]
struct Looks(BTreeMap<String, usize>);

impl Looks {
    fn class(&mut self, css: String) -> String {
        if css.is_empty() {
            return String::new();
        }
        let next = self.0.len();
        format!("c{}", self.0.entry(css).or_insert(next))
    }

    fn css(&self) -> String {
        self.0.iter().fold(String::new(), |mut all, (css, nth)| {
            let _ = write!(all, ".c{nth}{{{css}}}");
            all
        })
    }
}

fn look(style: &Style) -> String {
    let mut css = style.foreground.map(|colour| format!("fill:{};", hex(colour))).unwrap_or_default();
    for (is, rule) in [
        (style.bold, "font-weight:bold;"),
        (style.italic, "font-style:italic;"),
        (style.underline, "text-decoration:underline;"),
    ] {
        if is {
            css.push_str(rule);
        }
    }
    css
}

fn hex(colour: u32) -> String {
    format!("#{colour:06x}")
}

/// A number in as few characters as it needs.
fn short(number: f64) -> String {
    let text = format!("{number:.1}");
    text.strip_suffix(".0").map_or(text.clone(), str::to_owned)
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}
