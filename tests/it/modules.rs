//! The modules of the host form no cycle: each imports only those before it, as the imports in its files show.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

mod lua;

/// Every module, in the order in which they may know each other.
const ORDER: &str = "named diff limit_end error memory log processes rules fields stream agent options request document land review \
    agent_message journal store mirror session render ui command reap earlier job editor rpc host serve parse \
    replay lib main";

#[test]
fn each_module_imports_only_those_before_it() {
    let (mut wrong, mut count) = (BTreeSet::new(), 0);
    for (module, file) in files() {
        let place = place(&module);
        for import in imports(&fs::read_to_string(&file).unwrap()) {
            count += 1;
            if import != module && self::place(&import) >= place {
                wrong.insert(format!("{} imports {import}", file.display()));
            }
        }
    }
    assert!(wrong.is_empty(), "against the order of the modules:\n{wrong:#?}");
    assert!(count > 400, "imports are not found: {count}");
}

/// The files of the mirror, in the same way.
const MIRROR: [&str; 13] = [
    "view", "selected", "query", "intent", "write", "held", "large", "event", "tracked", "plan", "order",
    "buffer", "all",
];

#[test]
fn each_file_of_the_mirror_imports_only_those_before_it() {
    let place = |name: &str| MIRROR.iter().position(|file| *file == name);
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/mirror");
    for (_, path) in files().into_iter().filter(|(module, _)| module == "mirror") {
        let within = path.strip_prefix(&folder).unwrap();
        let own = within.iter().next().unwrap().to_string_lossy().trim_end_matches(".rs").to_owned();
        let Some(own) = place(&own) else { continue };
        let above = format!("use {}", "super::".repeat(within.iter().count()));
        let source = fs::read_to_string(&path).unwrap();
        for import in source.lines().filter_map(|line| line.strip_prefix(&above)) {
            let name = import.split(|letter: char| !letter.is_ascii_lowercase()).next().unwrap_or_default();
            assert!(place(name).is_none_or(|place| place < own), "{} imports {name}", path.display());
        }
    }
}

fn place(module: &str) -> usize {
    ORDER
        .split_whitespace()
        .position(|name| name == module)
        .unwrap_or_else(|| panic!("{module} has no place in the order"))
}

/// Every source file with the module that it belongs to.
fn files() -> Vec<(String, PathBuf)> {
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut folders = vec![source.clone()];
    let mut files = Vec::new();
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
                continue;
            }
            let module =
                path.strip_prefix(&source).unwrap().iter().next().unwrap().to_string_lossy().into_owned();
            files.push((module.trim_end_matches(".rs").to_owned(), path));
        }
    }
    assert!(files.len() > 100, "source files are missing");
    files
}

/// The modules whose paths begin with `crate::`.
fn imports(source: &str) -> BTreeSet<String> {
    let is_name = |letter: char| letter.is_ascii_alphanumeric() || letter == '_';
    let name = |text: &str| text.chars().take_while(|letter| is_name(*letter)).collect::<String>();
    let mut found = BTreeSet::new();
    for (at, path) in source.match_indices("crate::") {
        let after = &source[at + path.len()..];
        match after.strip_prefix('{') {
            Some(group) => {
                let group = &group[..group.find("};").unwrap_or(group.len())];
                found
                    .extend(group.split(',').map(|entry| name(entry.trim())).filter(|name| !name.is_empty()));
            }
            None => {
                found.insert(name(after));
            }
        }
    }
    found.retain(|name| name.starts_with(|letter: char| letter.is_ascii_lowercase()));
    found
}
