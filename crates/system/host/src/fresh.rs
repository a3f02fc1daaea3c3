//! What a node would find on this machine: a network namespace is made as for nodes, looked at, and
//! gone with the process that has made it. Not here: nodes.

use std::collections::BTreeMap;
use std::fs::{self, OpenOptions};
use std::path::Path;
use std::process::{Command, Stdio};

use anyhow::{Context, Result, bail};
use netloom_nodes::rootless;
use nix::sched::{CloneFlags, unshare};
use nix::unistd::geteuid;

/// Role of the binary as a process that looks.
pub const ROLE: &str = "__fresh";
/// Where the kernel's parameters of the network are.
const PARAMETERS: &str = "/proc/sys/net";
/// What makes TAPs.
const TUN: &str = "/dev/net/tun";
/// Beginnings of the lines that are said.
const REFUSED: &str = "refused ";
const NO_TUN: &str = "tun ";

/// What a node would find.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Fresh {
    /// Why there can be no namespaces, and what would permit them.
    pub refused: Option<String>,
    /// Why there can be no TAPs.
    pub no_tun: Option<String>,
    /// The kernel's parameters `net.…` of a new network namespace.
    pub parameters: BTreeMap<String, String>,
}

/// Looks at what a node would find.
///
/// # Errors
/// If no process can be started.
pub fn look() -> Result<Fresh> {
    let binary = std::env::current_exe().context("cannot find the netloom binary")?;
    let mut command = Command::new(binary);
    let output = command.arg(ROLE).stdin(Stdio::null()).stderr(Stdio::inherit()).output();
    let output = output.context("cannot start a process of NetLoom")?;
    Ok(read(&String::from_utf8_lossy(&output.stdout)))
}

fn read(text: &str) -> Fresh {
    let mut fresh = Fresh::default();
    for line in text.lines() {
        if let Some(why) = line.strip_prefix(REFUSED) {
            fresh.refused = Some(why.to_owned());
        } else if let Some(why) = line.strip_prefix(NO_TUN) {
            fresh.no_tun = Some(why.to_owned());
        } else if let Some((name, value)) = line.split_once('=') {
            fresh.parameters.insert(name.to_owned(), value.to_owned());
        }
    }
    fresh
}

/// The role of a process that looks. Returns its exit code.
pub fn main() -> i32 {
    if let Err(error) = OpenOptions::new().read(true).write(true).open(TUN) {
        println!("{NO_TUN}{error}");
    }
    match enter() {
        Ok(()) => list(Path::new(PARAMETERS), "net"),
        Err(error) => println!("{REFUSED}{error:#}"),
    }
    0
}

fn enter() -> Result<()> {
    if !geteuid().is_root() {
        rootless::enter()?;
    }
    match unshare(CloneFlags::CLONE_NEWNET) {
        Ok(()) => Ok(()),
        Err(errno) => bail!("cannot make a network namespace: {errno}"),
    }
}

/// Prints the parameters below a folder. Those that cannot be read are no node's.
fn list(folder: &Path, name: &str) {
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let (path, file) = (entry.path(), entry.file_name());
        let name = format!("{name}.{}", file.to_string_lossy());
        if path.is_dir() {
            list(&path, &name);
        } else if let Ok(value) = fs::read_to_string(&path) {
            let words: Vec<&str> = value.split_whitespace().collect();
            println!("{name}={}", words.join(" "));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_process_says_is_read() {
        let fresh = read("tun No such file\nnet.ipv4.tcp_rmem=4096 131072 6291456\n");
        assert_eq!(fresh.no_tun.as_deref(), Some("No such file"));
        assert_eq!(fresh.refused, None);
        assert_eq!(fresh.parameters["net.ipv4.tcp_rmem"], "4096 131072 6291456");
        assert!(read("refused EPERM").refused.is_some());
    }
}
