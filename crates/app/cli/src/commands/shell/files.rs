//! `/etc/hosts` and `/etc/resolv.conf` of the command: those of its caller, except for the
//! resolver.

use std::fs;
use std::io;

use anyhow::{Context, Result};

use super::network::Network;

/// Name of the caller's side of the link.
const GATEWAY: &str = "netloom-gateway";

/// Returns the caller's table of names, with the caller's side of the link added.
pub fn hosts(network: &Network) -> Result<String> {
    let mut text = read("/etc/hosts")?;
    if !text.is_empty() && !text.ends_with('\n') {
        text.push('\n');
    }
    Ok(format!("{text}{} {GATEWAY}\n", network.subnets.v4))
}

/// Returns the caller's settings, with the forwarder of the engine as the only resolver. There is
/// no resolver if nothing beyond the link can be reached.
pub fn resolver(network: &Network) -> Result<String> {
    Ok(with_resolver(&read("/etc/resolv.conf")?, network))
}

fn with_resolver(callers: &str, network: &Network) -> String {
    let is_resolver = |line: &&str| line.split_whitespace().next() == Some("nameserver");
    let mut text: String =
        callers.lines().filter(|line| !is_resolver(line)).map(|line| format!("{line}\n")).collect();
    if !network.offline {
        text.push_str(&format!("nameserver {}\n", network.subnets.v4));
    }
    text
}

/// Reads a file of the machine. It is empty if the file does not exist.
fn read(path: &str) -> Result<String> {
    match fs::read(path) {
        Ok(bytes) => Ok(String::from_utf8_lossy(&bytes).into_owned()),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(String::new()),
        Err(error) => Err(error).with_context(|| format!("cannot read {path}")),
    }
}

#[cfg(test)]
mod tests {
    use netloom_host::FreeSubnets;

    use super::*;

    #[test]
    fn only_the_resolver_differs() {
        let subnets = FreeSubnets { v4: [100, 64, 0, 1].into(), v6: 1.into() };
        let (name, device) = ("shell-1".into(), "shell1".into());
        let (gateway, ipv6, offline) = (None, true, false);
        let mut network = Network { name, device, subnets, gateway, ipv6, offline };
        let callers =
            "search example.org\n nameserver 10.0.0.1\nnameserver 10.0.0.2\noptions edns0";
        let expected = "search example.org\noptions edns0\n";
        let by_link = format!("{expected}nameserver 100.64.0.1\n");
        assert_eq!(with_resolver(callers, &network), by_link);
        network.offline = true;
        assert_eq!(with_resolver(callers, &network), expected);
    }
}
