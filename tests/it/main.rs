//! End-to-end and integration tests.
