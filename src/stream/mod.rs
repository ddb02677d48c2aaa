//! From bytes to lines, from lines to events, from events to updates and one outcome. Pure.
