//! The real CLI, started before there is a message for it.

use crate::support::cli::Cli;
use crate::support::prewarmed;

#[test]
fn the_one_that_was_prewarmed_sends_the_request_and_answers() {
    prewarmed::answers(Cli::Droid);
}

#[test]
fn it_waits_for_as_long_as_the_prompt_takes_and_ends_with_it() {
    prewarmed::ends_with_its_prompt(Cli::Droid);
}

#[test]
fn a_follow_up_goes_on_in_the_one_that_was_prewarmed() {
    prewarmed::goes_on(Cli::Droid);
}

#[test]
fn what_is_typed_in_the_window_is_sent_to_it() {
    prewarmed::answers_to_keys(Cli::Droid);
}
