//! Gives memory back to the system. An answer of 16 MB is copied a few times on its way, in many small pieces, and the
//! allocator would keep most of that memory for answers that may never come.

/// How many bytes are free before they are given back: every other thread waits meanwhile for its memory.
#[cfg(all(target_os = "linux", target_env = "gnu"))]
const MUCH: usize = 2 << 20;

/// Lets all threads have their memory from one heap; called before there is a second thread. Where each thread has a
/// heap of its own, the free memory at the end of that heap is never given back.
pub fn share() {
    #[cfg(all(target_os = "linux", target_env = "gnu"))]
    // SAFETY: it takes numbers, and no other thread has memory yet.
    unsafe {
        libc::mallopt(libc::M_ARENA_MAX, 1);
    }
}

/// Gives back what is free, where that is much; called a while after changes were stored, or a job
/// has ended.
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
