//! The next or previous held or landed answer: in the current buffer first, then in the others.

use super::World;

/// A place: the buffer, the line from 1, and the column from 0.
pub type Stop = (u64, u64, u64);

/// The place so many answers on, or back where `by` is negative; from the last one to the first.
///
/// # Errors
/// Where there is no answer.
pub fn jump(by: i64, world: World<'_>) -> Result<Stop, String> {
    let stop = |(id, known): (u64, &crate::session::Known)| {
        let place = world.here.places.get(&id).filter(|_| known.has_texts())?;
        Some((place.buffer?, place.first.max(1), place.column?))
    };
    let mut stops: Vec<Stop> = world.session.all_known().filter_map(stop).collect();
    stops.sort_unstable();
    let count = i64::try_from(stops.len()).unwrap_or(i64::MAX);
    if count == 0 {
        return Err("no open buffer has a held or landed answer".to_owned());
    }
    let cursor = (world.here.buffer, world.here.line, world.here.column);
    let before = stops.partition_point(|stop| *stop < cursor || by > 0 && *stop == cursor);
    let from = i64::try_from(before).unwrap_or(i64::MAX) - i64::from(by > 0);
    let index = usize::try_from((from + by).rem_euclid(count)).unwrap_or_default();
    Ok(stops[index])
}
