//! Counts what a test allocates, so that it can tell how much work something is on any machine, however busy.
//!
//! An allocator can only be a `static`, and the tests of a crate share one; the count is each thread's own.

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;

struct Counting;

#[global_allocator]
static ALLOCATOR: Counting = Counting;

thread_local! {
    static BYTES: Cell<u64> = const { Cell::new(0) };
}

/// How many bytes this thread allocates while `work` is done, those of what is freed again included.
pub fn bytes(work: impl FnOnce()) -> u64 {
    let before = BYTES.get();
    work();
    BYTES.get() - before
}

fn count(bytes: usize) {
    // A thread that is ending has no count any more.
    let _ = BYTES.try_with(|all| all.set(all.get() + bytes as u64));
}

// SAFETY: the system's allocator does all of it; counting neither allocates nor unwinds.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        count(layout.size());
        // SAFETY: as the caller promises.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, at: *mut u8, layout: Layout) {
        // SAFETY: as the caller promises.
        unsafe { System.dealloc(at, layout) }
    }

    unsafe fn realloc(&self, at: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        count(size.saturating_sub(layout.size()));
        // SAFETY: as the caller promises.
        unsafe { System.realloc(at, layout, size) }
    }
}
