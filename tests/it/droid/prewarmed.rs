//! The real CLI, started before there is a message for it.

use crate::support::cli::Cli;
use crate::support::prewarmed;

#[test]
fn the_one_that_was_prewarmed_answers_the_users_keys_and_a_follow_up() {
    prewarmed::answers(Cli::Droid);
}

#[test]
fn it_waits_for_as_long_as_the_prompt_takes_and_ends_with_it() {
    prewarmed::ends_with_its_prompt(Cli::Droid);
}
