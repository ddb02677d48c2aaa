//! `make install`: the released host where there is one that fits, else one that cargo builds, and never a half one.
//!
//! The releases are files in a folder, the released host and cargo are scripts.

use std::io::Write;
use std::os::unix::fs::OpenOptionsExt;
use std::path::PathBuf;
use std::process::{Command, Output, Stdio};

use crate::support::agents::write_script;
use crate::support::process;
use crate::support::scratch::Scratch;
use crate::support::wait_some;

const VERSION: &str = env!("CARGO_PKG_VERSION");

/// All that `make install` may use of the machine, `cargo` apart.
const TOOLS: &str = "awk cat chmod curl cut dirname getconf git grep gzip head ls make mkdir mkfifo mv rm \
                     sed sh sha256sum sleep sort tar tr uname";

/// A copy of the project without its history, and a machine with the tools above.
struct Machine {
    scratch: Scratch,
}

impl Machine {
    fn new() -> Self {
        let scratch = Scratch::new();
        std::fs::create_dir(scratch.path("bin")).unwrap();
        let machine = Self { scratch };
        std::fs::create_dir_all(machine.released("")).unwrap();
        for name in ["Makefile", "Cargo.toml", "Cargo.lock", "release/artifact", "release/install"] {
            let source = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join(name);
            machine.scratch.write(name, "");
            std::fs::copy(source, machine.scratch.project().join(name)).unwrap();
        }
        machine.scratch.write("src/main.rs", "fn main() {}\n");
        for name in TOOLS.split(' ') {
            machine.has(name);
        }
        machine.has_cargo();
        machine
    }

    /// Puts a tool of this machine in PATH.
    fn has(&self, name: &str) {
        let all = std::env::var_os("PATH").unwrap();
        let found =
            std::env::split_paths(&all).map(|directory| directory.join(name)).find(|path| path.exists());
        let found = found.unwrap_or_else(|| panic!("{name} is not in PATH"));
        std::os::unix::fs::symlink(found, self.scratch.path("bin").join(name)).unwrap();
    }

    fn lacks(&self, name: &str) {
        std::fs::remove_file(self.scratch.path("bin").join(name)).unwrap();
    }

    /// A cargo that only writes down how it was called, and makes a host that says that it was built.
    fn has_cargo(&self) {
        let body =
            "echo \"$@\" >> cargo.log\nmkdir -p target/release\nprintf 'built' > target/release/botglue\n";
        write_script(&self.scratch.path("bin/cargo"), body);
    }

    /// What `make install` is started with.
    fn install(&self) -> Command {
        let mut command = self.scratch.command(self.scratch.path("bin/make"));
        command.arg("install");
        command.env("PATH", self.scratch.path("bin")).env("BOTGLUE_RELEASES", self.releases_url());
        command.stdin(Stdio::null());
        command
    }

    /// A shell's command in the project.
    fn sh(&self, script: &str) -> String {
        let mut shell = self.scratch.command("sh");
        let output = shell.args(["-euc", script]).env("PATH", self.scratch.path("bin")).output().unwrap();
        assert!(output.status.success(), "{script}: {}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8(output.stdout).unwrap().trim().to_owned()
    }

    /// A file of the release of this version.
    fn released(&self, name: &str) -> PathBuf {
        self.scratch.path("releases").join(format!("v{VERSION}")).join(name)
    }

    fn releases_url(&self) -> String {
        format!("file://{}", self.scratch.path("releases").display())
    }

    /// Puts an archive among the releases, whose host says that it is of this version; gives its name and its bytes.
    fn releases(&self, version: &str) -> (String, Vec<u8>) {
        let archive = self.sh("release/artifact");
        let folder = archive.trim_end_matches(".tar.gz");
        let place = self.scratch.path("run").join(folder);
        std::fs::create_dir_all(&place).unwrap();
        write_script(&place.join("botglue"), &format!("echo 'botglue {version}'\n"));
        let script = format!("tar -czf {archive} -C {} {folder}", self.scratch.path("run").display());
        self.sh(&script);
        let path = self.scratch.project().join(&archive);
        let bytes = std::fs::read(&path).unwrap();
        let sums = self.sh(&format!("sha256sum {archive}"));
        std::fs::remove_file(path).unwrap();
        std::fs::write(self.released(&archive), &bytes).unwrap();
        std::fs::write(self.released("SHA256SUMS"), format!("{sums}\n")).unwrap();
        (archive, bytes)
    }

    /// The host that is there, if any.
    fn host(&self) -> Option<String> {
        std::fs::read_to_string(self.scratch.project().join("target/release/botglue")).ok()
    }

    /// What is in `target/`, sorted.
    fn target(&self) -> Vec<String> {
        let Ok(entries) = std::fs::read_dir(self.scratch.project().join("target")) else { return Vec::new() };
        let mut names: Vec<String> =
            entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
        names.sort();
        names
    }

    #[track_caller]
    fn check_released(&self, output: &Output) {
        assert!(output.status.success(), "{}", printed(output));
        let host = self.host().unwrap();
        assert!(host.contains("echo 'botglue"), "{host}\n{}", printed(output));
        assert_eq!(self.target(), ["release"], "nothing else is left");
    }

    /// The host was built, for a reason that was told.
    #[track_caller]
    fn check_built(&self, output: &Output, why: &str) {
        let said = printed(output);
        assert!(output.status.success(), "{said}");
        assert!(said.contains(why), "{why:?} is not in {said}");
        assert!(said.contains("building the host"), "{said}");
        assert_eq!(self.host().as_deref(), Some("built"));
        let called = std::fs::read_to_string(self.scratch.project().join("cargo.log")).unwrap();
        assert_eq!(called, "build --release --locked --target-dir target\n");
        assert_eq!(self.target(), ["release"], "nothing else is left");
    }
}

fn printed(output: &Output) -> String {
    format!("{}{}", String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr))
}

#[test]
fn the_released_host_of_this_version_is_taken() {
    let machine = Machine::new();
    let (archive, _) = machine.releases(VERSION);
    let output = machine.install().output().unwrap();
    machine.check_released(&output);
    let downloading = format!("downloading {}/v{VERSION}/{archive}", machine.releases_url());
    assert!(printed(&output).contains(&downloading));
    machine.sh("test -x target/release/botglue");

    // It takes the place of a host that is there.
    std::fs::write(machine.scratch.project().join("target/release/botglue"), "old").unwrap();
    machine.check_released(&machine.install().output().unwrap());
}

#[test]
fn what_is_not_the_released_host_of_this_version_is_not_taken() {
    let is_not_used = |version: &str, spoil: &dyn Fn(&Machine, &str, Vec<u8>), why: &str| {
        let machine = Machine::new();
        let (archive, bytes) = machine.releases(version);
        spoil(&machine, &archive, bytes);
        machine.check_built(&machine.install().output().unwrap(), &format!("{archive} is not used: {why}"));
    };
    let put = |machine: &Machine, name: &str, bytes| std::fs::write(machine.released(name), bytes).unwrap();
    let another = |machine: &Machine, name: &str, bytes| put(machine, name, [bytes, vec![0]].concat());
    let half = |machine: &Machine, name: &str, bytes: Vec<u8>| {
        put(machine, name, bytes[..bytes.len() / 2].to_vec());
    };
    is_not_used(VERSION, &another, "its checksum is not the one in SHA256SUMS");
    is_not_used(VERSION, &half, "its checksum is not the one in SHA256SUMS");
    is_not_used(VERSION, &|machine, _, _| put(machine, "SHA256SUMS", vec![b'\n']), "its checksum");
    is_not_used("0.0.1", &|_, _, _| (), "its host says it is \"botglue 0.0.1\"");
    is_not_used("'; exit 3; '", &|_, _, _| (), "its host does not run here");
}

#[test]
fn without_a_release_it_is_built() {
    let machine = Machine::new();
    let output = machine.install().output().unwrap();
    machine.check_built(&output, "could not be downloaded: ");
}

#[test]
fn without_an_address_it_is_built_and_nothing_is_asked() {
    let machine = Machine::new();
    machine.releases(VERSION);
    let output = machine.install().env_remove("BOTGLUE_RELEASES").output().unwrap();
    machine.check_built(&output, "there is no address to download a release from");
    assert!(!printed(&output).contains("downloading"));
}

#[test]
fn without_a_release_and_without_cargo_it_says_what_to_install() {
    let machine = Machine::new();
    machine.lacks("cargo");
    let output = machine.install().output().unwrap();
    assert!(!output.status.success());
    let said = printed(&output);
    assert!(said.contains("install Rust (https://rustup.rs), then run make install again"), "{said}");
    assert_eq!(machine.host(), None);
}

#[test]
fn a_checkout_takes_the_released_host_only_for_the_sources_of_the_release() {
    let machine = Machine::new();
    machine.releases(VERSION);
    let commit = "git -c user.name=a -c user.email=a@localhost commit --quiet --all --message";
    machine.sh(&format!("git init --quiet; git add .; {commit} release; git tag v{VERSION}"));
    machine.scratch.write("README.md", "Words may differ.\n");
    machine.check_released(&machine.install().output().unwrap());

    machine.scratch.write("src/main.rs", "fn main() { println!() }\n");
    let why = format!("these sources are not those of the release v{VERSION}");
    machine.check_built(&machine.install().output().unwrap(), &why);
    machine.sh(&format!("rm cargo.log; {commit} later"));
    machine.check_built(&machine.install().output().unwrap(), &why);

    // Which release it is of is not known in a clone without tags.
    machine.sh(&format!("rm cargo.log; git reset --quiet --hard HEAD^; git tag -d v{VERSION} >/dev/null"));
    machine.check_built(&machine.install().output().unwrap(), &why);
}

#[test]
fn an_interrupted_download_leaves_the_host_that_was_there() {
    let machine = Machine::new();
    let (archive, bytes) = machine.releases(VERSION);
    let path = machine.released(&archive);
    machine.sh(&format!("rm '{0}'; mkfifo '{0}'", path.display()));
    machine.sh("mkdir -p target/release; printf old > target/release/botglue");

    let mut install = machine.install().stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
    let mut half = wait_some("it is downloaded", || {
        std::fs::File::options().write(true).custom_flags(libc::O_NONBLOCK).open(&path).ok()
    });
    half.write_all(&bytes[..bytes.len() / 2]).unwrap();
    process::signal(install.id(), "TERM");
    drop(half);
    assert!(!install.wait().unwrap().success());
    process::wait_for_none_but(&machine.scratch, &[], "nothing of it goes on");
    assert_eq!(machine.host().as_deref(), Some("old"));
    assert_eq!(machine.target(), ["release"]);

    std::fs::remove_file(&path).unwrap();
    std::fs::write(&path, bytes).unwrap();
    machine.check_released(&machine.install().output().unwrap());
}

#[test]
fn an_interrupted_build_leaves_no_draft_and_goes_on_with_the_next_one() {
    let machine = Machine::new();
    machine.has("tail");
    let halts = "mkdir -p target/release/deps\necho half > target/release/deps/botglue\n\
                 echo > running\nexec tail -f /dev/null\n";
    write_script(&machine.scratch.path("bin/cargo"), halts);
    let mut install = machine.install().stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
    crate::support::wait("cargo runs", || machine.scratch.project().join("running").exists());
    process::signal(install.id(), "TERM");
    assert!(!install.wait().unwrap().success());
    process::wait_for_none_but(&machine.scratch, &[], "cargo is told to end too");
    assert_eq!(machine.host(), None);
    assert!(machine.scratch.project().join("target/release/deps/botglue").exists(), "what was built is kept");

    machine.has_cargo();
    machine.check_built(&machine.install().output().unwrap(), "building the host");
}
