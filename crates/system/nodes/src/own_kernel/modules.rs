//! `modprobe` under a user-mode kernel, which runs a program of this name like any kernel. It loads
//! modules of the kernel's package, with their dependencies.

use std::collections::HashSet;
use std::ffi::{CString, OsStr};
use std::fs::{self, File};
use std::io;
use std::os::fd::AsRawFd;
use std::path::{Path, PathBuf};

use nix::errno::Errno;

use super::places::MODULES;

/// Runs `modprobe`. The last argument is the name of a module or an alias. Returns the exit code.
pub fn main(arguments: impl Iterator<Item = String>) -> i32 {
    let Some(name) = arguments.last() else { return 1 };
    match load(&name) {
        Ok(()) => 0,
        Err(error) => {
            eprintln!("modprobe: cannot load {name}: {error}");
            1
        }
    }
}

/// Loads a module and its dependencies. Does nothing if the kernel needs no module for this name.
pub(super) fn load(name: &str) -> io::Result<()> {
    let release = nix::sys::utsname::uname()?.release().to_owned();
    let folder = Path::new(MODULES).join(release);
    let read = |file: &str| fs::read_to_string(folder.join(file));
    for path in wanted(name, &read("modules.dep")?, &read("modules.alias")?) {
        insert(&folder.join(path))?;
    }
    Ok(())
}

/// Returns the files to load for a name, in order; none if no module has this name.
fn wanted(name: &str, dependencies: &str, aliases: &str) -> Vec<PathBuf> {
    let mut files = vec![];
    let by_name = of_module(name, dependencies);
    let by_alias = || aliases.lines().filter_map(|line| of_alias(line, name));
    let found: Vec<&str> = match by_name {
        Some(line) => vec![line],
        None => by_alias().filter_map(|module| of_module(module, dependencies)).collect(),
    };
    let mut known = HashSet::new();
    for line in found {
        let (file, needed) = line.split_once(':').unwrap_or((line, ""));
        // In its line, each module precedes those that it needs.
        let all = needed.split_whitespace().rev().chain([file]);
        files.extend(all.filter(|file| known.insert(*file)).map(PathBuf::from));
    }
    files
}

/// Returns the line of a module in `modules.dep`.
fn of_module<'d>(name: &str, dependencies: &'d str) -> Option<&'d str> {
    let plain = |name: &str| name.replace('-', "_");
    dependencies.lines().find(|line| {
        let file = line.split_once(':').map_or(*line, |(file, _)| file);
        let stem = Path::new(file).file_stem().and_then(OsStr::to_str);
        stem.is_some_and(|stem| plain(stem) == plain(name))
    })
}

/// Returns the module of a line like `alias net-pf-16-proto-* netlink`, if its pattern matches the
/// name.
fn of_alias<'l>(line: &'l str, name: &str) -> Option<&'l str> {
    let mut words = line.split_whitespace();
    let (Some("alias"), Some(pattern), Some(module)) = (words.next(), words.next(), words.next())
    else {
        return None;
    };
    let (pattern, name) = (CString::new(pattern).ok()?, CString::new(name).ok()?);
    // SAFETY: both are strings that end with a zero byte.
    let found = unsafe { libc::fnmatch(pattern.as_ptr(), name.as_ptr(), 0) } == 0;
    found.then_some(module)
}

fn insert(path: &Path) -> io::Result<()> {
    let file = File::open(path)?;
    let nothing = c"".as_ptr();
    // SAFETY: the descriptor is open, and the parameters are an empty string.
    let done = unsafe { libc::syscall(libc::SYS_finit_module, file.as_raw_fd(), nothing, 0) };
    match Errno::result(done) {
        // Another process has loaded it meanwhile.
        Ok(_) | Err(Errno::EEXIST) => Ok(()),
        Err(errno) => Err(errno.into()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const DEPENDENCIES: &str = "kernel/net/ipv4/tcp_bic.ko:\n\
        kernel/net/a-b.ko: kernel/net/c.ko kernel/net/d.ko\n\
        kernel/net/c.ko: kernel/net/d.ko\n\
        kernel/net/d.ko:\n";
    const ALIASES: &str = "# Aliases\nalias net-pf-10-* c\nalias tcp_best tcp_bic\n";

    fn files(name: &str) -> Vec<PathBuf> {
        wanted(name, DEPENDENCIES, ALIASES)
    }

    #[test]
    fn a_module_comes_after_those_that_it_needs() {
        assert_eq!(
            files("a_b"),
            ["kernel/net/d.ko", "kernel/net/c.ko", "kernel/net/a-b.ko"].map(PathBuf::from)
        );
    }

    #[test]
    fn modules_have_other_names() {
        assert_eq!(files("tcp_best"), [PathBuf::from("kernel/net/ipv4/tcp_bic.ko")]);
        assert_eq!(files("net-pf-10-proto-6").last().unwrap(), Path::new("kernel/net/c.ko"));
        assert!(files("tcp_worst").is_empty());
    }
}
