//! What a release consists of: the names on which the workflow and `make install` agree, and what an archive holds.

use std::fs;
use std::path::Path;
use std::process::Command;

use crate::support::scratch::Scratch;

const VERSION: &str = env!("CARGO_PKG_VERSION");
const RELEASES: &str = "file:///releases";
const TARGETS: [&str; 6] = [
    "x86_64-unknown-linux-gnu",
    "aarch64-unknown-linux-gnu",
    "x86_64-unknown-linux-musl",
    "aarch64-unknown-linux-musl",
    "x86_64-apple-darwin",
    "aarch64-apple-darwin",
];

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// Runs one of the scripts in `release/`: what it prints, or what it complains about.
fn run(script: &str, arguments: &[&str]) -> Result<String, String> {
    let mut command = Command::new(root().join("release").join(script));
    let output = command.args(arguments).env("BOTGLUE_RELEASES", RELEASES).output().unwrap();
    let said = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap().trim().to_owned();
    if output.status.success() { Ok(said(output.stdout)) } else { Err(said(output.stderr)) }
}

fn artifact(arguments: &[&str]) -> String {
    run("artifact", arguments).unwrap()
}

#[test]
fn the_names_of_archives_say_version_and_target() {
    assert_eq!(artifact(&["--version"]), VERSION);
    assert_eq!(artifact(&["--targets"]).lines().collect::<Vec<_>>(), TARGETS);
    for target in TARGETS {
        let name = format!("botglue-{VERSION}-{target}.tar.gz");
        assert_eq!(artifact(&[target]), name);
        assert_eq!(artifact(&["--url", target]), format!("{RELEASES}/v{VERSION}/{name}"));
    }
    assert_eq!(artifact(&["--source"]), format!("botglue-{VERSION}-source.tar.gz"));
    assert!(run("artifact", &["x86_64-pc-windows-msvc"]).unwrap_err().contains("no archive for x86_64-pc-"));
}

#[test]
fn this_machine_gets_an_archive_for_its_system() {
    let target = artifact(&["--target"]);
    assert!(TARGETS.contains(&target.as_str()), "{target}");
    assert!(target.starts_with(std::env::consts::ARCH), "{target}");
    let system = if cfg!(target_os = "macos") { "apple-darwin" } else { "linux" };
    assert!(target.contains(system), "{target}");
    assert_eq!(artifact(&[]), artifact(&[&target]));
}

#[test]
fn the_workflow_builds_each_target() {
    let workflow = fs::read_to_string(root().join(".github/workflows/release.yml")).unwrap();
    for target in TARGETS {
        assert!(workflow.contains(&format!("target: {target},")), "{target}");
    }
    assert_eq!(workflow.matches("- { target: ").count(), TARGETS.len());
}

#[test]
fn an_archive_holds_the_host_and_what_the_licences_ask_for() {
    let scratch = Scratch::new();
    let folder = scratch.path("archives");
    // The host of the tests has all of its symbols: something small stands in for it.
    let binary = scratch.write("host", "#!/bin/sh\necho the host\n");
    fs::set_permissions(&binary, std::os::unix::fs::PermissionsExt::from_mode(0o755)).unwrap();
    // Cargo has fetched the libraries for this target.
    let target = artifact(&["--target"]);
    let archive = run("pack", &[folder.to_str().unwrap(), &target, binary.to_str().unwrap()]).unwrap();
    let name = format!("botglue-{VERSION}-{target}");
    assert_eq!(Path::new(&archive), folder.join(format!("{name}.tar.gz")));
    let unpacked = Command::new("tar").args(["-xzf", &archive]).current_dir(&folder).status().unwrap();
    assert!(unpacked.success());

    let place = folder.join(name);
    let output = Command::new(place.join("botglue")).output().unwrap();
    assert_eq!(output.stdout, b"the host\n");
    for (file, part) in [
        ("LICENSE", "contains an LGPL library"),
        ("LICENSE-MIT", "Permission is hereby granted"),
        ("LICENSE-APACHE", "Apache License"),
        ("LGPL-3.0.txt", "GNU LESSER GENERAL PUBLIC LICENSE"),
        ("GPL-3.0.txt", "GNU GENERAL PUBLIC LICENSE"),
        ("NOTICES.txt", "\nnvim-rs 0.9."),
        ("NOTICES.txt", &artifact(&["--source"])),
    ] {
        let text = fs::read_to_string(place.join(file)).unwrap();
        assert!(text.contains(part), "{file} does not hold {part}");
    }
}
