//! The parts of a value that are read, by its type.

use super::{Raw, Read, Reader};
use crate::stream::event::Text;

/// A type that is read from JSON. A value of another kind reads as its default.
pub trait FromJson<'a>: Default {
    /// Whether a value that begins with this byte is of its kind.
    fn fits(first: u8) -> bool;

    /// Takes the next value whole, whatever it is.
    fn read(json: &mut Reader<'a>) -> Read<Self>;
}

impl<'a, T: FromJson<'a>> FromJson<'a> for Option<T> {
    fn fits(first: u8) -> bool {
        T::fits(first)
    }

    fn read(json: &mut Reader<'a>) -> Read<Self> {
        if json.peek().is_some_and(T::fits) { T::read(json).map(Some) } else { json.skip().map(|()| None) }
    }
}

/// The values of a list that are of the kind.
impl<'a, T: FromJson<'a>> FromJson<'a> for Vec<T> {
    fn fits(first: u8) -> bool {
        first == b'['
    }

    fn read(json: &mut Reader<'a>) -> Read<Self> {
        let mut all = Self::new();
        json.list(|json| {
            all.extend(Option::read(json)?);
            Ok(())
        })?;
        Ok(all)
    }
}

/// For each type: how its values begin, and what takes one.
macro_rules! values {
    ($($type:ty: $first:pat => $read:expr;)*) => {$(
        impl<'a> FromJson<'a> for $type {
            fn fits(first: u8) -> bool {
                matches!(first, $first)
            }

            fn read(json: &mut Reader<'a>) -> Read<Self> {
                let read: fn(&mut Reader<'a>) -> Read<Option<Self>> = $read;
                Ok(read(json)?.unwrap_or_default())
            }
        }
    )*};
}

values! {
    Text<'a>: b'"' => Reader::text;
    bool: b't' | b'f' => Reader::flag;
    u64: b'-' | b'0'..=b'9' => Reader::count;
    f64: b'-' | b'0'..=b'9' => Reader::number;
    i64: b'-' | b'0'..=b'9' => |json| Ok(str::from_utf8(json.raw()?.written()).ok().and_then(|written| written.parse().ok()));
    Raw<'a>: 0..=b'm' | b'o'..=b'z' | b'{' => |json| json.raw().map(Some);
    Object: b'{' => |json| json.skip().map(|()| Some(Object));
}

impl<'a> Reader<'a> {
    /// Takes an object, and reads `field` from the value that is at this path in it.
    pub fn at<T: FromJson<'a>>(&mut self, path: &[&[u8]], field: &mut T) -> Read<()> {
        let Some((first, rest)) = path.split_first() else {
            *field = T::read(self)?;
            return Ok(());
        };
        self.object(|json, key| if key == *first { json.at(rest, field) } else { json.skip() })
    }
}

/// An object of which only is known that it is there.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Object;

/// Makes a structure, and reads it from an object: for each key, or keys that mean the same, the field; after a `/` the
/// key in the object that is there. With `or FIELD: TYPE` a string in the place of the object is that field.
macro_rules! object {
    (
        $(#[$attribute:meta])*
        $public:vis struct $name:ident<$a:lifetime> $(or $alone:ident: $words:ty)? {
            $($(#[$about:meta])* $($key:literal)|+ $(/ $inner:literal)* => $visible:vis $field:ident: $type:ty,)*
        }
    ) => {
        $(#[$attribute])*
        #[derive(Debug, Default)]
        $public struct $name<$a> {
            $($(#[$about])* $visible $field: $type,)*
            $(pub $alone: $words,)?
        }

        $crate::agent::json::object!(impl $a, $name<$a>, $($alone)?, $($($key)|+ $(/ $inner)* => $field,)*);
    };
    (
        $(#[$attribute:meta])*
        $public:vis struct $name:ident {
            $($(#[$about:meta])* $($key:literal)|+ $(/ $inner:literal)* => $visible:vis $field:ident: $type:ty,)*
        }
    ) => {
        $(#[$attribute])*
        #[derive(Debug, Default, Clone, Copy)]
        $public struct $name {
            $($(#[$about])* $visible $field: $type,)*
        }

        $crate::agent::json::object!(impl 'a, $name, , $($($key)|+ $(/ $inner)* => $field,)*);
    };
    (impl $a:lifetime, $type:ty, $($alone:ident)?, $($($key:literal)|+ $(/ $inner:literal)* => $field:ident,)*) => {
        impl<$a> $crate::agent::json::FromJson<$a> for $type {
            fn fits(first: u8) -> bool {
                first == b'{' $(|| { let _ = stringify!($alone); first == b'"' })?
            }

            fn read(json: &mut $crate::agent::json::Reader<$a>) -> $crate::agent::json::Read<Self> {
                let mut value = Self::default();
                $(if json.peek() == Some(b'"') {
                    value.$alone = $crate::agent::json::FromJson::read(json)?;
                    return Ok(value);
                })?
                json.object(|json, key| {
                    match key {
                        $($($key)|+ => json.at(&[$($inner),*], &mut value.$field)?,)*
                        _ => json.skip()?,
                    }
                    Ok(())
                })?;
                Ok(value)
            }
        }
    };
}

pub(in crate::agent) use object;
