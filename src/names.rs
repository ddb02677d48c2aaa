//! The public names of what there are only a few of: codes, kinds, reasons.

use serde::Serialize;

/// The public name of a variant, which is how serde writes it.
pub fn name(variant: impl Serialize) -> String {
    serde_json::to_value(variant).ok().and_then(|name| name.as_str().map(str::to_owned)).unwrap_or_default()
}
