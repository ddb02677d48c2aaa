//! Finds the end of a msgpack value as its bytes arrive, and examines each byte once, in however many pieces they come.

/// How far the first value of some bytes was followed.
#[derive(Debug)]
pub(super) struct Whole {
    /// Where the next part of it starts; after the last byte if that has not arrived yet.
    at: usize,
    /// How many parts are still to come.
    left: usize,
}

impl Default for Whole {
    fn default() -> Self {
        Self { at: 0, left: 1 }
    }
}

impl Whole {
    /// The length of the value that `bytes` start with, once all of it is there. They are those of the last call, and
    /// more after them.
    pub(super) fn length(&mut self, bytes: &[u8]) -> Option<usize> {
        while self.left > 0 {
            let (length, parts) = part(bytes.get(self.at..)?)?;
            self.at = self.at.saturating_add(length);
            self.left = (self.left - 1).saturating_add(parts);
        }
        (self.at <= bytes.len()).then_some(self.at)
    }
}

/// The length of the first part of `bytes`, and how many others are within it. None while that is not known.
fn part(bytes: &[u8]) -> Option<(usize, usize)> {
    let (&marker, rest) = bytes.split_first()?;
    let small = |mask: u8| usize::from(marker & mask);
    // A length of so many bytes, which follows the marker.
    let number = |size: usize| {
        let digits = rest.get(..size)?;
        Some(digits.iter().fold(0_usize, |number, &digit| number << 8 | usize::from(digit)))
    };
    let sized = |size: usize| Some((number(size)?.saturating_add(1 + size), 0));
    let fixed = |size: usize| Some((1 + size, 0));
    match marker {
        // Small numbers, nil and booleans; and what msgpack does not use.
        0x00..=0x7f | 0xe0..=0xff | 0xc0..=0xc3 => fixed(0),
        0x80..=0x8f => Some((1, 2 * small(0x0f))),
        0x90..=0x9f => Some((1, small(0x0f))),
        0xa0..=0xbf => fixed(small(0x1f)),
        // Bytes, and text.
        0xc4 | 0xd9 => sized(1),
        0xc5 | 0xda => sized(2),
        0xc6 | 0xdb => sized(4),
        // Extensions have a type before their bytes.
        0xc7..=0xc9 => sized(1 << (marker - 0xc7)).map(|(length, parts)| (length + 1, parts)),
        0xd4..=0xd8 => fixed(1 + (1 << (marker - 0xd4))),
        // Numbers.
        0xca | 0xce | 0xd2 => fixed(4),
        0xcb | 0xcf | 0xd3 => fixed(8),
        0xcc | 0xd0 => fixed(1),
        0xcd | 0xd1 => fixed(2),
        0xdc => Some((3, number(2)?)),
        0xdd => Some((5, number(4)?)),
        0xde => Some((3, number(2)?.saturating_mul(2))),
        0xdf => Some((5, number(4)?.saturating_mul(2))),
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use rmpv::Value;

    use super::*;

    fn values() -> impl Strategy<Value = Value> {
        let sizes = prop_oneof![0..40_usize, 250..260_usize, Just(70_000_usize)];
        let bytes = sizes.clone().prop_map(|size| vec![b'x'; size]);
        let leaf = prop_oneof![
            Just(Value::Nil),
            any::<bool>().prop_map(Value::from),
            any::<i64>().prop_map(Value::from),
            any::<u64>().prop_map(Value::from),
            (-200..200_i64).prop_map(Value::from),
            any::<f32>().prop_map(Value::from),
            any::<f64>().prop_map(Value::from),
            bytes.clone().prop_map(Value::Binary),
            sizes.prop_map(|size| Value::from("x".repeat(size))),
            (any::<i8>(), bytes).prop_map(|(kind, bytes)| Value::Ext(kind, bytes)),
            (0..5_u32).prop_map(|power| Value::Ext(0, vec![0; 1 << power])),
            Just(Value::Array(vec![Value::Nil; 70_000])),
            Just(Value::Map(vec![(Value::Nil, Value::Nil); 70_000])),
        ];
        leaf.prop_recursive(3, 40, 20, |inner| {
            prop_oneof![
                prop::collection::vec(inner.clone(), 0..20).prop_map(Value::Array),
                prop::collection::vec((inner.clone(), inner), 0..20).prop_map(Value::Map),
            ]
        })
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: 32, failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn the_end_is_where_the_value_ends(value in values(), cuts in prop::collection::vec(any::<prop::sample::Index>(), 0..5)) {
            let mut bytes = Vec::new();
            rmpv::encode::write_value(&mut bytes, &value).unwrap();
            let length = bytes.len();
            let mut whole = Whole::default();
            let mut cuts: Vec<usize> = cuts.iter().map(|cut| cut.index(length)).collect();
            cuts.extend([1.min(length - 1), length - 1]);
            cuts.sort_unstable();
            for cut in cuts {
                prop_assert_eq!(whole.length(&bytes[..cut]), None, "cut at {}", cut);
            }
            bytes.extend([0x93, 2]);
            prop_assert_eq!(whole.length(&bytes), Some(length));
        }
    }

    #[test]
    fn what_claims_to_be_longer_than_can_be_is_waited_for() {
        let mut whole = Whole::default();
        assert_eq!(whole.length(&[0xdf, 0xff, 0xff, 0xff, 0xff, 0xdb, 0xff, 0xff, 0xff, 0xff]), None);
    }
}
