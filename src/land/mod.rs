//! What becomes of an answer: tidied, compared, turned into edits or held. Pure.
