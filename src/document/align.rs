//! Which rows of a replaced block are which rows of the new one.
//!
//! A row is recognized by a text that occurs once on both sides, wherever it went; rows whose text occurs more often go
//! with their neighbours. Where two neighbours claim a row differently, or neither claims it, it is in doubt and has no
//! identity: a guess would send an answer into a copy. What is left between recognized rows is paired where there are as
//! many on both sides, or where a row was split or joined; a wrong pair there costs a conflict at most, since its text
//! differs.

use std::collections::HashMap;

use super::rows::Row;

/// What a new row is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Origin {
    /// This old row with the same text, or the same but for white space.
    Same(usize),
    /// This old row, edited.
    Edited(usize),
    /// Part of this old row, which was split; another part is that row.
    Split(usize),
    /// One of several old rows; which one is unknown.
    Doubt,
    /// None of the old rows.
    New,
}

impl Origin {
    /// The old row that it is.
    pub fn row(self) -> Option<usize> {
        match self {
            Self::Same(row) | Self::Edited(row) => Some(row),
            Self::Split(_) | Self::Doubt | Self::New => None,
        }
    }
}

/// What became of a block of rows.
#[derive(Debug)]
pub struct Alignment {
    /// For each new row, what it is.
    pub origins: Vec<Origin>,
    /// For each old row, whether it is in doubt: it may be there still.
    pub in_doubt: Vec<bool>,
}

/// Aligns the old rows of a block with the new ones.
pub fn align(old: &[Row], new: &[Row]) -> Alignment {
    let mut sides = AlignedRows::new(old, new);
    let is_equal_but_for_blanks = |(old, new): (&Row, &Row)| old.nonblank_hash == new.nonblank_hash;
    if old.len() == new.len() && old.iter().zip(new).all(is_equal_but_for_blanks) {
        (0..old.len()).for_each(|row| sides.pair(row, row, Origin::Same));
        return sides.alignment();
    }
    sides.match_texts();
    sides.match_gaps();
    sides.alignment()
}

/// Whether a row's text distinguishes it from others: that of brackets and empty rows does not.
pub fn is_telling(text: &[u8]) -> bool {
    text.iter().any(|byte| byte.is_ascii_alphanumeric() || !byte.is_ascii())
}

struct AlignedRows<'a> {
    old: &'a [Row],
    new: &'a [Row],
    /// For each old row, whether it is known which new row it is.
    is_paired: Vec<bool>,
    in_doubt: Vec<bool>,
    /// None where nothing is known yet.
    origins: Vec<Option<Origin>>,
}

impl<'a> AlignedRows<'a> {
    fn new(old: &'a [Row], new: &'a [Row]) -> Self {
        let (is_paired, in_doubt) = (vec![false; old.len()], vec![false; old.len()]);
        Self { old, new, is_paired, in_doubt, origins: vec![None; new.len()] }
    }

    fn alignment(self) -> Alignment {
        let origins = self.origins.into_iter().map(|origin| origin.unwrap_or(Origin::New)).collect();
        Alignment { origins, in_doubt: self.in_doubt }
    }

    fn pair(&mut self, old: usize, new: usize, origin: fn(usize) -> Origin) {
        self.is_paired[old] = true;
        self.origins[new] = Some(origin(old));
    }

    fn is_open(&self, old: usize) -> bool {
        !self.is_paired[old] && !self.in_doubt[old]
    }

    /// The old row that a new one is known to be.
    fn partner(&self, new: usize) -> Option<usize> {
        self.origins[new].and_then(Origin::row)
    }

    /// Pairs rows with the same text: those that have it alone, then the neighbours of paired rows. White space does
    /// not count: of two rows that differ in it alone either may have been indented to read as the other.
    fn match_texts(&mut self) {
        let mut places: HashMap<u64, (Vec<usize>, Vec<usize>)> = HashMap::new();
        for (old, row) in self.old.iter().enumerate() {
            places.entry(row.nonblank_hash).or_default().0.push(old);
        }
        for (new, row) in self.new.iter().enumerate() {
            places.entry(row.nonblank_hash).or_default().1.push(new);
        }
        for (old, new) in places.values() {
            if let ([old], [new]) = (&old[..], &new[..])
                && is_telling(&self.old[*old].text)
            {
                self.pair(*old, *new, Origin::Same);
            }
        }
        self.match_neighbours();
        // What is on both sides still is in doubt; and of twins of which there are fewer now, those that nothing tells
        // of: any of them may be the one that is gone.
        for (mut old, mut new) in places.into_values() {
            let is_on_both_sides = !new.is_empty();
            old.retain(|old| !self.is_paired[*old]);
            new.retain(|new| self.origins[*new].is_none());
            if !old.is_empty() && is_on_both_sides {
                for old in old {
                    self.in_doubt[old] = true;
                }
                for new in new {
                    self.origins[new] = Some(Origin::Doubt);
                }
            }
        }
    }

    /// Pairs rows with the same text next to paired rows, and next to the ends of the block; not where the row above
    /// and the row below tell different things.
    fn match_neighbours(&mut self) {
        let is_match = |sides: &Self, old: usize, new: usize| {
            sides.origins[new].is_none()
                && old < sides.old.len()
                && sides.is_open(old)
                && sides.old[old].nonblank_hash == sides.new[new].nonblank_hash
        };
        let mut claims: Vec<(usize, usize)> = Vec::new();
        let mut above = Some(0);
        for new in 0..self.new.len() {
            let claim = above.filter(|old| is_match(self, *old, new));
            claims.extend(claim.map(|old| (old, new)));
            above = self.partner(new).or(claim).map(|old| old + 1);
        }
        let mut below = self.old.len().checked_sub(1);
        for new in (0..self.new.len()).rev() {
            let claim = below.filter(|old| is_match(self, *old, new));
            claims.extend(claim.map(|old| (old, new)));
            below = self.partner(new).or(claim).and_then(|old| old.checked_sub(1));
        }
        claims.sort_unstable();
        claims.dedup();
        let (mut of_old, mut of_new) = (vec![0; self.old.len()], vec![0; self.new.len()]);
        for (old, new) in &claims {
            of_old[*old] += 1;
            of_new[*new] += 1;
        }
        for (old, new) in claims {
            if of_old[old] == 1 && of_new[new] == 1 {
                self.pair(old, new, Origin::Same);
            }
        }
    }

    /// Pairs what is left between two rows that are neighbours on both sides.
    fn match_gaps(&mut self) {
        let mut new = 0;
        while new < self.new.len() {
            let len = (new..self.new.len()).take_while(|new| self.partner(*new).is_none()).count();
            if len > 0 {
                self.match_gap(new..new + len);
            }
            new += len + 1;
        }
    }

    fn match_gap(&mut self, new: std::ops::Range<usize>) {
        let first = match new.start.checked_sub(1) {
            Some(above) => self.partner(above).map(|old| old + 1),
            None => Some(0),
        };
        let last = if new.end < self.new.len() { self.partner(new.end) } else { Some(self.old.len()) };
        let (Some(first), Some(last)) = (first, last) else { return };
        if first >= last || (first..last).any(|old| self.is_paired[old]) {
            return;
        }
        let open: (Vec<usize>, Vec<usize>) = (
            (first..last).filter(|old| self.is_open(*old)).collect(),
            new.clone().filter(|new| self.origins[*new].is_none()).collect(),
        );
        let is_certain = open.0.len() == last - first && open.1.len() == new.len();
        if is_certain && open.0.len() == open.1.len() {
            open.0.into_iter().zip(open.1).for_each(|(old, new)| self.pair(old, new, Origin::Edited));
        } else if is_certain && open.0.len() == 1 && is_split(&self.old[first], &self.new[new.clone()]) {
            for part in new.clone() {
                self.origins[part] = Some(Origin::Split(first));
            }
            let longest = new.rev().max_by_key(|new| self.new[*new].text.len());
            if let Some(longest) = longest {
                self.pair(first, longest, Origin::Edited);
            }
        } else if is_certain
            && open.1.len() == 1
            && is_split(&self.new[new.start], &self.old[first..last])
            && let Some(longest) = open.0.into_iter().max_by_key(|old| self.old[*old].text.len())
        {
            self.pair(longest, new.start, Origin::Edited);
        }
    }
}

fn nonblank_bytes(row: &Row) -> impl Iterator<Item = &u8> {
    row.text.iter().filter(|byte| !byte.is_ascii_whitespace())
}

/// Whether the rows are this one, split, but for white space.
fn is_split(old: &Row, new: &[Row]) -> bool {
    new.iter().flat_map(nonblank_bytes).eq(nonblank_bytes(old)) && nonblank_bytes(old).next().is_some()
}

/// The longest run of pairs, not necessarily neighbours, whose second numbers rise: where they are among the pairs.
pub fn rising(pairs: &[(usize, usize)]) -> Vec<usize> {
    let mut tails: Vec<usize> = Vec::new();
    let mut before: Vec<Option<usize>> = vec![None; pairs.len()];
    for at in 0..pairs.len() {
        let goes_on = tails.last().is_none_or(|last| pairs[*last].1 < pairs[at].1);
        let len =
            if goes_on { tails.len() } else { tails.partition_point(|tail| pairs[*tail].1 < pairs[at].1) };
        before[at] = len.checked_sub(1).map(|shorter| tails[shorter]);
        if len == tails.len() { tails.push(at) } else { tails[len] = at }
    }
    let mut run: Vec<usize> = std::iter::successors(tails.last().copied(), |at| before[*at]).collect();
    run.reverse();
    run
}
