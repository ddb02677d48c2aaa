//! The rows of a text, each with its identity: a persistent sequence, so that a snapshot costs little.
//!
//! Rows live in chunks that versions share. Each chunk caches a hash of its texts, so that whole texts are compared
//! without reading them. It knows nothing of why a row has its id.

use std::hash::{BuildHasher, RandomState};
use std::ops::Range;
use std::sync::Arc;

/// What a row is known by, for as long as a document lives. Later rows have higher ids.
pub type RowId = u64;

/// The most rows of a chunk.
const CHUNK: usize = 256;
/// A Mersenne prime: polynomial hashes are taken modulo this.
const MODULUS: u64 = (1 << 61) - 1;
/// The base of the polynomial hashes.
const BASE: u64 = 0x1a2b_3c4d_5e6f_7081 % MODULUS;

/// Hashes the texts of one document. Its keys are random, so that no text can be made to collide with another.
#[derive(Debug, Clone, Default)]
pub struct Hasher(RandomState);

impl Hasher {
    /// A row of which nothing is known but its text; its id is 0.
    pub fn row(&self, text: &[u8]) -> Row {
        Row {
            id: 0,
            split_from: None,
            hash: self.of(text),
            nonblank_hash: self.of_nonblank(text),
            text: text.into(),
        }
    }

    /// The hash of a row's text.
    fn of(&self, text: &[u8]) -> u64 {
        self.0.hash_one(text) % MODULUS
    }

    /// The hash of a row's text without its white space.
    fn of_nonblank(&self, text: &[u8]) -> u64 {
        let nonblank: Vec<u8> = text.iter().copied().filter(|byte| !byte.is_ascii_whitespace()).collect();
        self.of(&nonblank)
    }
}

/// A row: a text and what it is known by.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Row {
    /// Its identity.
    pub id: RowId,
    /// The row that it was split from when it was born, if it was.
    pub split_from: Option<RowId>,
    /// The hash of its text.
    pub hash: u64,
    /// The hash of its text without white space: a row that was only indented is not distinguished from others by that.
    pub nonblank_hash: u64,
    /// Its bytes, without the end of the line.
    pub text: Arc<[u8]>,
}

impl AsRef<[u8]> for Row {
    fn as_ref(&self) -> &[u8] {
        &self.text
    }
}

#[derive(Debug)]
struct Chunk {
    rows: Vec<Row>,
    /// Of the texts.
    hash: u64,
    /// `BASE` to the power of the number of rows.
    power: u64,
    /// The least and the greatest id.
    span: (RowId, RowId),
}

impl Chunk {
    fn new(rows: Vec<Row>) -> Arc<Self> {
        let (mut hash, mut power, mut span) = (0, 1, (RowId::MAX, 0));
        for row in &rows {
            hash = add(multiply(hash, BASE), row.hash);
            power = multiply(power, BASE);
            span = (span.0.min(row.id), span.1.max(row.id));
        }
        Arc::new(Self { rows, hash, power, span })
    }
}

/// A sequence of rows. Cloning it copies pointers to chunks alone.
#[derive(Debug, Clone, Default)]
pub struct Rows {
    chunks: Vec<Arc<Chunk>>,
    len: usize,
}

impl FromIterator<Row> for Rows {
    fn from_iter<I: IntoIterator<Item = Row>>(rows: I) -> Self {
        let mut all = Self::default();
        all.splice(0..0, &rows.into_iter().collect::<Vec<_>>());
        all
    }
}

impl Rows {
    /// How many rows there are.
    pub fn len(&self) -> usize {
        self.len
    }

    /// Whether there is no row.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// All rows, in order.
    pub fn iter(&self) -> impl Iterator<Item = &Row> {
        self.chunks.iter().flat_map(|chunk| &chunk.rows)
    }

    /// One row, if it is there.
    pub fn get(&self, row: usize) -> Option<&Row> {
        let (chunk, at) = self.seek(row);
        self.chunks.get(chunk)?.rows.get(at)
    }

    /// The rows of a range, as far as they are there.
    pub fn slice(&self, range: Range<usize>) -> Vec<Row> {
        let (chunk, at) = self.seek(range.start);
        let rest = self.chunks.get(chunk..).unwrap_or_default();
        rest.iter().flat_map(|chunk| &chunk.rows).skip(at).take(range.len()).cloned().collect()
    }

    /// Replaces the rows of a range.
    pub fn splice(&mut self, range: Range<usize>, new: &[Row]) {
        let (from, head) = self.seek(range.start);
        self.len = self.len + new.len() - range.len();
        let kept = self.chunks.get(from).map_or(&[][..], |chunk| &chunk.rows[..head]);
        let mut rows = [kept, new].concat();
        // The chunks that the range touches, and then one more where the rest would be a small chunk.
        let (mut to, mut gone) = (from, head + range.len());
        while let Some(chunk) =
            self.chunks.get(to).filter(|_| gone > 0 || to == from || rows.len() < CHUNK / 4)
        {
            rows.extend_from_slice(chunk.rows.get(gone..).unwrap_or_default());
            gone = gone.saturating_sub(chunk.rows.len());
            to += 1;
        }
        let pieces = rows.len().div_ceil(CHUNK);
        let made = (0..pieces).map(|piece| {
            let bound = |piece: usize| rows.len() * piece / pieces;
            Chunk::new(rows[bound(piece)..bound(piece + 1)].to_vec())
        });
        let made: Vec<_> = made.collect();
        self.chunks.splice(from..to, made);
    }

    /// The hash of the whole text; ids do not count.
    pub fn text_hash(&self) -> u64 {
        let start = self.len as u64 % MODULUS;
        self.chunks.iter().fold(start, |all, chunk| add(multiply(all, chunk.power), chunk.hash))
    }

    /// Where the row with this id is.
    pub fn find(&self, id: RowId) -> Option<usize> {
        self.positions((id, id), |other| other == id).next()
    }

    /// Where the rows are that are looked for, in order. All their ids are within `span`.
    pub fn positions(
        &self,
        span: (RowId, RowId),
        is_sought: impl Fn(RowId) -> bool,
    ) -> impl Iterator<Item = usize> {
        let mut above = 0;
        let chunks = self.chunks.iter().map(move |chunk| {
            above += chunk.rows.len();
            (above - chunk.rows.len(), chunk)
        });
        let chunks = chunks.filter(move |(_, chunk)| chunk.span.0 <= span.1 && span.0 <= chunk.span.1);
        let rows = chunks.flat_map(|(above, chunk)| (above..).zip(&chunk.rows));
        rows.filter(move |(_, row)| is_sought(row.id)).map(|(at, _)| at)
    }

    /// How many rows have other ids than those of the same text.
    pub fn distance(&self, other: &Self) -> usize {
        if self.chunks.iter().zip(&other.chunks).all(|(own, other)| Arc::ptr_eq(own, other)) {
            return 0;
        }
        self.iter().zip(other.iter()).filter(|(own, other)| own.id != other.id).count()
    }

    /// The number of chunks, by which the memory of a snapshot is estimated.
    pub fn chunks(&self) -> usize {
        self.chunks.len()
    }

    /// The chunk that holds a row, and where in it; the end is after the last row of the last chunk.
    fn seek(&self, row: usize) -> (usize, usize) {
        let mut left = row.min(self.len);
        for (at, chunk) in self.chunks.iter().enumerate() {
            if left < chunk.rows.len() || at + 1 == self.chunks.len() {
                return (at, left);
            }
            left -= chunk.rows.len();
        }
        (0, 0)
    }
}

fn add(a: u64, b: u64) -> u64 {
    (a + b) % MODULUS
}

#[expect(
    clippy::cast_possible_truncation,
    reason = "the low bits are wanted; the high ones are added to them"
)]
fn multiply(a: u64, b: u64) -> u64 {
    let product = u128::from(a) * u128::from(b);
    add(product as u64 & MODULUS, (product >> 61) as u64)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn row(id: RowId, text: &str, hasher: &Hasher) -> Row {
        Row { id, ..hasher.row(text.as_bytes()) }
    }

    proptest! {
        #[test]
        fn rows_are_replaced_as_a_vector_replaces_them(steps in prop::collection::vec((0..2000_usize, 0..900_usize, 0..900_usize, any::<bool>()), 1..40)) {
            let hasher = Hasher::default();
            let (mut rows, mut expected, mut id) = (Rows::default(), Vec::new(), 0);
            for (first, gone, come, is_small) in steps {
                let (gone, come) = if is_small { (gone % 4, come % 4) } else { (gone, come) };
                let first = first.min(expected.len());
                let last = (first + gone).min(expected.len());
                let new: Vec<Row> = (0..come).map(|n| { id += 1; row(id, &(n % 50).to_string(), &hasher) }).collect();
                rows.splice(first..last, &new);
                expected.splice(first..last, new);
                prop_assert_eq!(rows.len(), expected.len());
                prop_assert!(rows.iter().eq(&expected));
                let fresh: Rows = expected.iter().cloned().collect();
                prop_assert_eq!(rows.text_hash(), fresh.text_hash());
                prop_assert_eq!(rows.slice(first..last + 3), expected[first..(last + 3).min(expected.len())].to_vec());
                if let Some(last) = expected.last() {
                    prop_assert_eq!(rows.find(last.id), Some(expected.len() - 1));
                }
            }
        }
    }

    #[test]
    fn the_order_of_rows_counts_in_the_hash() {
        let hasher = Hasher::default();
        let (a, b) = (row(1, "a", &hasher), row(2, "b", &hasher));
        let (ab, ba): (Rows, Rows) =
            ([a.clone(), b.clone()].into_iter().collect(), [b, a].into_iter().collect());
        assert_ne!(ab.text_hash(), ba.text_hash());
    }
}
