//! Gives memory back to the system. An answer of 16 MB is copied a few times on its way, in many small pieces, and the
//! allocator would keep most of that memory for answers that may never come.

/// Gives back what is free; called when an answer has reached the editor, when it was decided, and when nothing of a
/// job is left.
pub fn give_back() {
    #[cfg(all(target_os = "linux", target_env = "gnu"))]
    // SAFETY: it takes a number and may be called at any time, from any thread.
    unsafe {
        libc::malloc_trim(0);
    }
}
