//! The modules of the Lua half form no cycle, and a folder knows only those before it, as the `require`s in its files
//! show, wherever they stand.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

/// Every folder, and every module beside them, in the order in which they may know each other. What a host
/// that starts or is gone means for a module, that module adds to the `hooks` of the connection.
const ORDER: [&str; 11] =
    ["version", "util", "options", "host", "editor", "jobs", "ui", "command", "apply", "init", "health"];

type Requires = BTreeMap<String, BTreeSet<String>>;

/// The most lines that the modules of a folder have together, those of a folder in it not counted. What is taken away
/// lowers the number: a feature is built in the host.
const BUDGETS: [(&str, usize); 8] = [
    ("", 624),
    ("command", 511),
    ("editor", 1634),
    ("host", 678),
    ("jobs", 798),
    ("ui", 1304),
    ("ui/prompt", 661),
    ("ui/review", 648),
];
/// By how much a budget may be above the lines.
const SLACK: usize = 40;

/// What only the host knows of a job.
const FACTS: [&str; 9] =
    ["landing", "held_for", "held_why", "status", "deciding", "tools", "error", "session_id", "transcript"];

#[test]
fn each_folder_keeps_its_budget() {
    for (folder, budget) in BUDGETS {
        let entries = fs::read_dir(root().join(folder)).unwrap().map(|entry| entry.unwrap().path());
        let files = entries.filter(|path| path.extension().is_some_and(|extension| extension == "lua"));
        let lines: usize = files.map(|path| fs::read_to_string(path).unwrap().lines().count()).sum();
        assert!(lines <= budget, "{folder:?} has {lines} lines, and may have {budget}");
        assert!(lines + SLACK >= budget, "{folder:?} has {lines} lines: lower its budget of {budget}");
    }
}

#[test]
fn no_module_reads_what_the_host_knows_or_goes_on_in_a_callback() {
    let is_name = |letter: char| letter.is_ascii_alphanumeric() || letter == '_';
    let reads = |source: &str| {
        let after = source.split("job.").skip(1);
        let field = |rest: &str| rest.split(|letter| !is_name(letter)).next().unwrap_or_default().to_owned();
        after.map(field).any(|field| FACTS.contains(&&field[..]))
    };
    let (mut readers, mut askers) = (Vec::new(), Vec::new());
    for (module, source) in sources() {
        if !module.starts_with("jobs.") && reads(&source) {
            readers.push(module.clone());
        }
        if module.starts_with("ui") && source.contains("ask.send(") {
            askers.push(module);
        }
    }
    assert_eq!(readers, [""; 0], "modules beside those of `jobs` that read facts of a job");
    assert_eq!(askers, [""; 0], "modules of `ui` that ask and go on in a callback");
}

#[test]
fn each_folder_requires_only_those_before_it() {
    let all = all();
    assert_eq!(against_the_order(&all), [""; 0], "against the order of the folders");
    assert!(all.values().flatten().count() > 150, "requires are not found");
}

#[test]
fn the_modules_form_no_cycle() {
    assert_eq!(cycle(&all()), None);
}

#[test]
fn what_is_required_is_there() {
    let all = all();
    for (module, required) in &all {
        for other in required {
            assert!(all.contains_key(other), "{module} requires {other}, which is not there");
        }
    }
}

/// The requires that point to a folder behind the module's own.
fn against_the_order(all: &Requires) -> Vec<String> {
    let pairs = all.iter().flat_map(|(module, required)| required.iter().map(move |other| (module, other)));
    pairs
        .filter(|(module, other)| place(other) > place(module))
        .map(|(module, other)| format!("{module} requires {other}"))
        .collect()
}

/// Modules each of which requires the next one, the last the first, if there are any.
fn cycle(all: &Requires) -> Option<Vec<String>> {
    fn visit<'a>(
        all: &'a Requires,
        module: &'a str,
        path: &mut Vec<&'a str>,
        done: &mut BTreeSet<&'a str>,
    ) -> Option<Vec<String>> {
        if let Some(start) = path.iter().position(|on_it| *on_it == module) {
            return Some(path[start..].iter().chain([&module]).map(|name| (*name).to_owned()).collect());
        }
        if done.contains(module) {
            return None;
        }
        path.push(module);
        // A module may name itself in what Neovim calls later.
        let others = all.get(module).into_iter().flatten().filter(|other| *other != module);
        let found = others.map(String::as_str).find_map(|other| visit(all, other, path, done));
        path.pop();
        done.insert(module);
        found
    }
    let mut done = BTreeSet::new();
    all.keys().find_map(|module| visit(all, module, &mut Vec::new(), &mut done))
}

fn place(module: &str) -> usize {
    let folder = module.split('.').next().unwrap();
    ORDER
        .iter()
        .position(|name| *name == folder)
        .unwrap_or_else(|| panic!("{module} has no place in the order"))
}

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("lua/botglue")
}

/// The source of each module, by names below `botglue`.
fn sources() -> BTreeMap<String, String> {
    let mut folders = vec![root()];
    let mut all = BTreeMap::new();
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else {
                all.insert(name_of(&root(), &path), fs::read_to_string(&path).unwrap());
            }
        }
    }
    assert!(all.len() > 40, "modules are missing");
    all
}

/// What each module requires.
fn all() -> Requires {
    sources().into_iter().map(|(module, source)| (module, required(&source))).collect()
}

/// `ui/list/init.lua` is `ui.list`; the one file `init.lua` at the top is `init`.
fn name_of(root: &Path, path: &Path) -> String {
    let name = path.strip_prefix(root).unwrap().with_extension("").to_string_lossy().replace('/', ".");
    name.strip_suffix(".init").map_or_else(|| name.clone(), str::to_owned)
}

/// The modules that are required in a source, in either kind of quotes, with and without brackets.
fn required(source: &str) -> BTreeSet<String> {
    let is_name = |letter: char| letter.is_ascii_alphanumeric() || letter == '_' || letter == '.';
    let after = source.split("require").skip(1);
    after
        .filter_map(|rest| rest.trim_start_matches(['(', ' ', '"', '\'']).strip_prefix("botglue"))
        .filter_map(|rest| rest.split(|letter| !is_name(letter)).next())
        .map(|name| if name.is_empty() { "init" } else { name.trim_start_matches('.') }.to_owned())
        .collect()
}
