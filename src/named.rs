//! Enums whose values have public names, each said once, beside its value.

/// Defines such an enum.
macro_rules! named {
    ($(#[$meta:meta])* pub enum $Type:ident { $($(#[$doc:meta])* $Value:ident = $name:literal,)+ }) => {
        $(#[$meta])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
        pub enum $Type { $($(#[$doc])* $Value,)+ }

        impl $Type {
            /// All values.
            pub const ALL: &[Self] = &[$(Self::$Value),+];

            /// Its public name.
            pub const fn name(self) -> &'static str {
                match self { $(Self::$Value => $name),+ }
            }

            /// The value with this public name.
            pub fn named(name: &str) -> Option<Self> {
                Self::ALL.iter().copied().find(|value| value.name() == name)
            }
        }

        impl serde::Serialize for $Type {
            fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                serializer.serialize_str(self.name())
            }
        }
    };
}

pub(crate) use named;
