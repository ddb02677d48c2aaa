//! What completes a word of a command.

use super::subcommands::{Does, LISTS, SUBCOMMANDS, named};
use super::{World, plus_options, split};

/// The candidates for the word that begins with `lead` and ends at the cursor; `typed` is what stands before the cursor
/// behind `:Botglue`, with `lead` at its end.
pub fn complete(typed: &str, lead: &str, world: World<'_>) -> Vec<String> {
    let mut found = candidates(typed.strip_suffix(lead).unwrap_or(typed).trim_start(), lead, world);
    found.retain(|word| word.starts_with(lead));
    found
}

fn candidates(before: &str, lead: &str, world: World<'_>) -> Vec<String> {
    let options = world.options;
    let (name, rest) = split(before);
    let is_plus = lead.starts_with('+');
    if plus_options::is_one(name) || name.is_empty() && is_plus {
        return plus_options::complete(before, lead, &plus_options::BOTH, options);
    } else if name.is_empty() {
        return SUBCOMMANDS.iter().map(|subcommand| subcommand.name.to_owned()).collect();
    }
    let Some(subcommand) = named(name) else { return Vec::new() };
    let is_first = plus_options::only(rest, subcommand.plus, options).is_some();
    if subcommand.takes_prompt() && lead.starts_with('/') {
        let names = options.prompts.keys().filter(|_| is_first);
        return names.map(|name| format!("/{name}")).collect();
    }
    match (&subcommand.does, subcommand.of) {
        (Does::Pick, _) if is_first => LISTS.map(str::to_owned).into(),
        (_, Some(_)) if !is_plus && !is_first => Vec::new(),
        (_, Some(of)) if !is_plus => of.ids(world).iter().map(ToString::to_string).collect(),
        _ => plus_options::complete(rest, lead, subcommand.plus, options),
    }
}
