//! Kernel parameters of a node's network stack, with the names of `sysctl`. Everything here affects
//! the network namespace of the calling thread, except the defaults.

use std::borrow::Cow;
use std::fs;
use std::io;
use std::path::Path;
use std::thread;

use netloom_plan::NodePlan;
use nix::sched::{CloneFlags, unshare};

use crate::stack::{own_proc, turns};
use crate::{NodeError, rootless};

/// Sets all parameters of `node`. With `all`, a parameter that does not exist is an error. Without
/// it, the function returns true in that case, because the parameter may belong to a device that
/// does not exist yet.
pub(crate) fn set_all(node: &NodePlan, all: bool) -> Result<bool, NodeError> {
    // The kernel takes its lock for several of them, and lets a writer try again until it has it.
    let _turn = turns::take();
    let mut missing = false;
    for (key, value) in &node.sysctls {
        missing |= !set(&node.name, key, value, all)?;
    }
    Ok(missing)
}

/// Sets one parameter. Returns whether it exists; with `must`, it is an error if it does not.
fn set(node: &str, key: &str, value: &str, must: bool) -> Result<bool, NodeError> {
    if !belongs_to_node(key) {
        return Err(NodeError::in_node(node, format!("set {key}"), not_of_nodes()));
    }
    match own_proc::write(&path(key), possible_value(key, value).as_ref()) {
        Ok(()) => Ok(true),
        Err(error) if !must && error.kind() == io::ErrorKind::NotFound => Ok(false),
        Err(error) => {
            let error = explained(key, error);
            Err(NodeError::in_node(node, format!("set {key} to `{value}`"), error))
        }
    }
}

/// Sets one parameter, which may belong to an existing interface.
pub(crate) fn change(node: &str, key: &str, value: &str) -> Result<(), NodeError> {
    set(node, key, value, true).map(drop)
}

/// Checks that a namespace like the calling thread's has a parameter that can be set. Parameters of
/// an interface are looked for at `lo`, which exists in every namespace.
pub(crate) fn check(key: &str) -> io::Result<()> {
    if !belongs_to_node(key) {
        return Err(not_of_nodes());
    }
    let path = path(key);
    let path = at_interface(&path, "lo").unwrap_or(path);
    own_proc::check_writable(&path).map_err(|error| explained(key, error))
}

/// Returns the interface that a parameter belongs to, if it belongs to a single one.
pub fn interface_of(key: &str) -> Option<String> {
    let path = path(key);
    at_interface(&path, "lo")?;
    path.rsplit('/').nth(1).map(str::to_owned)
}

/// Returns the default value of a parameter: that of a new namespace, or, for a parameter of an
/// interface, that of new interfaces of the node.
pub(crate) fn default_value(node: &str, key: &str) -> Result<String, NodeError> {
    let failed = |error| NodeError::in_node(node, format!("find the default of {key}"), error);
    let read = |path: String| own_proc::read(&path).map(|value| value.trim().to_owned());
    match at_interface(&path(key), "default") {
        Some(path) => read(path).map_err(failed),
        None => thread::scope(|scope| {
            let in_new_namespace = || {
                unshare(CloneFlags::CLONE_NEWNET)?;
                read(path(key))
            };
            let thread = thread::Builder::new().spawn_scoped(scope, in_new_namespace);
            let read = thread.map_err(failed)?.join();
            read.unwrap_or_else(|_| Err(io::Error::other("a thread has panicked"))).map_err(failed)
        }),
    }
}

/// Returns the path of the same parameter of another interface, from the path of a parameter of one
/// interface. That of new interfaces is called `default`.
fn at_interface(path: &str, other: &str) -> Option<String> {
    let mut parts: Vec<&str> = path.split('/').collect();
    let [.., kind, interface, _] = &mut parts[..] else { return None };
    let is_one = ["conf", "neigh"].contains(kind) && !["all", "default"].contains(interface);
    *interface = other;
    is_one.then(|| parts.join("/"))
}

fn not_of_nodes() -> io::Error {
    io::Error::new(
        io::ErrorKind::InvalidInput,
        "it belongs to the whole machine; a node has parameters that begin with `net.`",
    )
}

/// Adds the possible reason to an error of the kernel.
fn explained(key: &str, error: io::Error) -> io::Error {
    let is_read_only = || {
        fs::metadata(path(key).as_ref() as &Path).is_ok_and(|found| found.permissions().readonly())
    };
    if error.raw_os_error() == Some(libc::EACCES) && is_read_only() {
        return io::Error::other(format!(
            "this kernel has it for the whole machine and not for each network namespace, so that \
             nodes can only read it, whoever runs NetLoom; leave it out, and set it on the \
             machine, for all nodes: `sysctl -w {key}=…`"
        ));
    }
    // This does not depend on the user: some parameters exist only in the machine's own stack.
    if error.raw_os_error() == Some(libc::EPERM) {
        return io::Error::other(format!(
            "{error}; this machine does not allow it in a network namespace (congestion control \
             must be in net.ipv4.tcp_allowed_congestion_control of the machine)"
        ));
    }
    if error.kind() == io::ErrorKind::NotFound {
        return io::Error::other(
            "a node has no such parameter; some belong to the whole machine, and some are hidden \
             from ordinary users (docs/rootless.md)",
        );
    }
    error
}

/// Returns the value, restricted to existing groups if it is the range of groups that may send
/// pings: the kernel accepts no others, and an ordinary user's namespace has few.
fn possible_value<'v>(key: &str, value: &'v str) -> Cow<'v, str> {
    match (key, value.split_once(char::is_whitespace)) {
        ("net.ipv4.ping_group_range", Some((first, last))) => {
            let last_known = rootless::last_group();
            let last = last.trim().parse().map(|last: u32| last.min(last_known));
            last.map_or(value.into(), |last| format!("{first} {last}").into())
        }
        _ => value.into(),
    }
}

/// Whether the parameter belongs to the network stack; `..` would lead elsewhere.
fn belongs_to_node(key: &str) -> bool {
    let path = path(key);
    path.starts_with("/proc/sys/net/") && !path.contains("..")
}

/// Returns the path of a key by the rules of `sysctl`: `net.ipv4.conf.eth0/1.proxy_arp` is the
/// `proxy_arp` of `eth0.1`, and a key whose first separator is a slash is a path.
fn path(key: &str) -> String {
    let is_path = key.find(['.', '/']).is_some_and(|at| key.as_bytes()[at] == b'/');
    let swap = |c| match c {
        '.' if !is_path => '/',
        '/' if !is_path => '.',
        c => c,
    };
    format!("/proc/sys/{}", key.chars().map(swap).collect::<String>())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_are_read_as_sysctl_does() {
        for (key, expected) in [
            ("net.ipv4.ip_forward", "/proc/sys/net/ipv4/ip_forward"),
            ("net/ipv4/conf/eth0.1/proxy_arp", "/proc/sys/net/ipv4/conf/eth0.1/proxy_arp"),
            ("net.ipv4.conf.eth0/1.proxy_arp", "/proc/sys/net/ipv4/conf/eth0.1/proxy_arp"),
        ] {
            assert_eq!(path(key), expected);
            assert!(belongs_to_node(key));
        }
    }

    #[test]
    fn keys_of_the_machine_do_not_belong_to_nodes() {
        for key in ["kernel.panic", "network.x", "net", "net/../kernel/panic", "net.ipv4.//x"] {
            assert!(!belongs_to_node(key), "{key}");
        }
    }

    #[test]
    fn the_default_of_an_interface_is_that_of_new_interfaces() {
        let default = |key| at_interface(&path(key), "default");
        let expected = "/proc/sys/net/ipv4/conf/default/proxy_arp";
        assert_eq!(default("net.ipv4.conf.eth0/1.proxy_arp").as_deref(), Some(expected));
        for key in
            ["net.ipv4.ip_forward", "net.ipv4.conf.all.rp_filter", "net.ipv6.conf.default.mtu"]
        {
            assert_eq!(default(key), None);
        }
    }
}
