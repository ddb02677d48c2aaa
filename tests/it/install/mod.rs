//! `make install`: the released host where there is one that fits, else one that cargo builds, and never a half one.
//!
//! The page with the releases is a server on loopback, the released host and cargo are scripts.

mod page;

use std::path::PathBuf;
use std::process::{Command, Output, Stdio};

use crate::support::agents::write_script;
use crate::support::process;
use crate::support::scratch::Scratch;
use page::{Page, Reply};

const VERSION: &str = env!("CARGO_PKG_VERSION");

/// All that `make install` may use of the machine, `cargo` apart.
const TOOLS: &str = "awk cat chmod curl cut dirname getconf git grep gzip head ls make mkdir mv rm \
                     sed sh sha256sum sleep sort tar tr uname";

/// A copy of the project without its history, and a machine with the tools above.
struct Machine {
    scratch: Scratch,
    page: Page,
}

impl Machine {
    fn new() -> Self {
        let scratch = Scratch::new();
        std::fs::create_dir(scratch.path("bin")).unwrap();
        let machine = Self { scratch, page: Page::serve() };
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
        let mut command = Command::new(self.scratch.path("bin/make"));
        command
            .arg("install")
            .current_dir(self.scratch.project())
            .env_clear()
            .envs(self.scratch.environment());
        command.env("PATH", self.scratch.path("bin")).env("BOTGLUE_RELEASES", self.page.url());
        command.stdin(Stdio::null());
        command
    }

    /// A shell's command in the project.
    fn sh(&self, script: &str) -> String {
        let output = Command::new("sh")
            .args(["-euc", script])
            .current_dir(self.scratch.project())
            .env_clear()
            .envs(self.scratch.environment())
            .env("PATH", self.scratch.path("bin"))
            .output()
            .unwrap();
        assert!(output.status.success(), "{script}: {}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8(output.stdout).unwrap().trim().to_owned()
    }

    /// Puts an archive on the page, whose host says that it is of this version; gives its name and its bytes.
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
        self.page.put(&format!("/v{VERSION}/{archive}"), Reply::Whole(bytes.clone()));
        self.page.put(&format!("/v{VERSION}/SHA256SUMS"), Reply::Whole(format!("{sums}\n").into_bytes()));
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
    assert!(printed(&output).contains(&format!("downloading {}/v{VERSION}/{archive}", machine.page.url())));
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
    let put = |machine: &Machine, name: &str, bytes| {
        machine.page.put(&format!("/v{VERSION}/{name}"), Reply::Whole(bytes));
    };
    let another = |machine: &Machine, name: &str, bytes| put(machine, name, [bytes, vec![0]].concat());
    is_not_used(VERSION, &another, "its checksum is not the one in SHA256SUMS");
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
    assert_eq!(machine.page.asked(), 0);
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
    let path = format!("/v{VERSION}/{archive}");
    machine.page.put(&path, Reply::Half(bytes.clone()));
    machine.sh("mkdir -p target/release; printf old > target/release/botglue");

    let mut install = machine.install().stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
    machine.page.wait_for_half();
    process::signal(install.id(), "TERM");
    machine.page.hang_up();
    assert!(!install.wait().unwrap().success());
    process::wait_for_none_but(&machine.scratch, &[], "nothing of it goes on");
    assert_eq!(machine.host().as_deref(), Some("old"));
    assert_eq!(machine.target(), ["release"]);

    machine.page.put(&path, Reply::Whole(bytes));
    machine.check_released(&machine.install().output().unwrap());
}

#[test]
fn a_download_that_breaks_off_is_not_taken() {
    let machine = Machine::new();
    let (archive, bytes) = machine.releases(VERSION);
    machine.page.put(&format!("/v{VERSION}/{archive}"), Reply::Half(bytes));
    machine.page.hang_up();
    machine.check_built(&machine.install().output().unwrap(), &format!("{archive} could not be downloaded"));
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
