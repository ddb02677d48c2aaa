//! Numbers as people read them: money, tokens, time.

use std::fmt::Display;

/// `$0.31`; an amount below a cent says so.
pub fn money(usd: f64) -> String {
    if usd > 0.0 && usd < 0.01 { "<$0.01".to_owned() } else { format!("${usd:.2}") }
}

/// `840`, `6.2k`, `41k`, `2M`.
pub fn tokens(count: u64) -> String {
    if count < 1000 {
        return count.to_string();
    }
    #[expect(clippy::cast_precision_loss, reason = "three digits are shown")]
    let mut value = count as f64 / 1e3;
    let mut unit = 'k';
    for larger in ['M', 'G', 'T'] {
        if value >= 999.5 {
            value /= 1e3;
            unit = larger;
        }
    }
    let digits = if value < 9.95 { format!("{value:.1}") } else { format!("{value:.0}") };
    format!("{}{unit}", digits.strip_suffix(".0").unwrap_or(&digits))
}

/// `7s`, `3m12s`, `2h05m`, `3d04h`.
pub fn duration(ms: u64) -> String {
    let s = ms / 1000;
    match s {
        0..60 => format!("{s}s"),
        60..3600 => format!("{}m{:02}s", s / 60, s % 60),
        3600..86_400 => format!("{}h{:02}m", s / 3600, s % 3600 / 60),
        _ => format!("{}d{:02}h", s / 86_400, s % 86_400 / 3600),
    }
}

/// `1 line`, `2 lines`
pub fn counted<N: Copy + Display + PartialEq + From<u8>>(count: N, what: &str) -> String {
    let ending = if count == N::from(1) { "" } else { "s" };
    format!("{count} {what}{ending}")
}

/// A part of something in percent.
pub fn percent(part: f64, whole: f64) -> String {
    format!("{:.0} %", part / whole * 100.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn money_has_two_digits_and_says_where_that_is_too_few() {
        let shown = [0.0, 0.0009, 0.01, 0.314, 58.11, 1204.0].map(money);
        assert_eq!(shown, ["$0.00", "<$0.01", "$0.01", "$0.31", "$58.11", "$1204.00"]);
    }

    #[test]
    fn tokens_have_two_digits_below_ten_of_a_unit() {
        let counts =
            [0, 999, 1000, 6240, 9949, 9950, 41_200, 999_499, 999_500, 2_100_000, 970_000_000, 7_000_000_000];
        let shown = counts.map(tokens);
        let expected = ["0", "999", "1k", "6.2k", "9.9k", "10k", "41k", "999k", "1M", "2.1M", "970M", "7G"];
        assert_eq!(shown, expected);
    }

    #[test]
    fn a_duration_has_two_units() {
        let shown = [0, 59_900, 60_000, 192_000, 3_599_000, 3_600_000, 7_500_000, 86_400_000, 273_600_000]
            .map(duration);
        assert_eq!(shown, ["0s", "59s", "1m00s", "3m12s", "59m59s", "1h00m", "2h05m", "1d00h", "3d04h"]);
    }

    #[test]
    fn a_part_is_in_whole_percent() {
        assert_eq!(percent(1.0, 3.0), "33 %");
    }
}
