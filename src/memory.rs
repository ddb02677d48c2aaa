//! Gives memory back to the system. An answer of 16 MB is copied a few times on its way, in many small pieces, and the
//! allocator would keep most of that memory for answers that may never come.

/// How many bytes are free before they are given back: every other thread waits meanwhile for its memory.
#[cfg(all(target_os = "linux", target_env = "gnu"))]
const MUCH: usize = 8 << 20;

/// Gives back what is free, where that is much; called when changes were stored, and a while after nothing of a job is left.
pub fn give_back() {
    #[cfg(all(target_os = "linux", target_env = "gnu"))]
    // SAFETY: they take nothing and a number, and may be called at any time, from any thread.
    unsafe {
        // Of more than 4 GB the number is wrong.
        if libc::mallinfo().fordblks.cast_unsigned() as usize > MUCH {
            libc::malloc_trim(0);
        }
    }
}
