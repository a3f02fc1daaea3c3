//! Users, groups, and the users and processes that have bound ports.

use std::collections::BTreeMap;
use std::ffi::CString;
use std::fs;
use std::os::unix::fs::MetadataExt;

use netloom_shape::{BoundPort, Owner, Protocol};
use nix::unistd::{Gid, Group, Uid, User, getgrouplist};

/// State in `/proc/net` of a TCP socket that listens.
const LISTENS: &str = "0A";

/// Returns the user with a uid. One without a name is named by the uid.
pub fn owner(uid: u32) -> Owner {
    let found = User::from_uid(Uid::from_raw(uid)).ok().flatten();
    Owner { uid, name: found.map_or_else(|| uid.to_string(), |user| user.name) }
}

/// Returns the uid of a user given by name or uid.
pub fn uid_of(name: &str) -> Option<u32> {
    if let Ok(uid) = name.parse() {
        return Some(uid);
    }
    User::from_name(name).ok().flatten().map(|user| user.uid.as_raw())
}

/// Returns the names of a user's groups, and of the group `gid` under which the user asks.
pub fn groups(owner: &Owner, gid: u32) -> Vec<String> {
    let listed = CString::new(owner.name.clone()).ok();
    let listed = listed.and_then(|name| getgrouplist(&name, Gid::from_raw(gid)).ok());
    let all = listed.unwrap_or_else(|| vec![Gid::from_raw(gid)]);
    let name = |gid: Gid| Group::from_gid(gid).ok().flatten().map(|group| group.name);
    all.into_iter().filter_map(name).collect()
}

/// Returns the group of a user in the user database, if it has one.
pub fn group_of(owner: &Owner) -> Option<u32> {
    let found = User::from_uid(Uid::from_raw(owner.uid)).ok().flatten();
    found.map(|user| user.gid.as_raw())
}

/// Returns the uid that stands here for users without a uid in this namespace.
pub fn overflow_uid() -> u32 {
    let text = fs::read_to_string("/proc/sys/kernel/overflowuid").unwrap_or_default();
    text.trim().parse().unwrap_or(65534)
}

/// Whether a user has a session here, according to logind. `None` without logind.
pub fn has_session(uid: u32) -> Option<bool> {
    fs::metadata("/run/systemd/users").ok()?;
    let text = fs::read_to_string(format!("/run/systemd/users/{uid}")).unwrap_or_default();
    let online = |line: &str| line.strip_prefix("SESSIONS=").is_some_and(|all| !all.is_empty());
    Some(text.lines().any(online))
}

/// A local port that another user has bound, with its socket.
pub struct Bound {
    /// The port. Its process is not known yet.
    pub port: BoundPort,
    inode: u64,
}

impl Bound {
    /// Finds the process that has the socket. All open files of the machine are looked at, so this
    /// takes long.
    pub fn process(&self) -> Option<u32> {
        process(self.inode)
    }
}

/// Returns the local ports that users other than `holder` have bound, among those for which
/// `is_meant` is true.
pub fn bound(holder: u32, is_meant: impl Fn(Protocol, u16) -> bool) -> Vec<Bound> {
    let (mut all, mut owners) = (Vec::new(), BTreeMap::new());
    for (file, protocol) in [
        ("tcp", Protocol::Tcp),
        ("tcp6", Protocol::Tcp),
        ("udp", Protocol::Udp),
        ("udp6", Protocol::Udp),
    ] {
        let text = fs::read_to_string(format!("/proc/net/{file}")).unwrap_or_default();
        for line in text.lines().skip(1) {
            let Some((port, uid, inode)) = socket(line, protocol) else { continue };
            if uid != holder && is_meant(protocol, port) {
                let owner = owners.entry(uid).or_insert_with(|| self::owner(uid)).clone();
                let port = BoundPort { protocol, port, owner, pid: None };
                all.push(Bound { port, inode });
            }
        }
    }
    all
}

/// Returns port, user and inode of a socket that waits for others.
fn socket(line: &str, protocol: Protocol) -> Option<(u16, u32, u64)> {
    let fields: Vec<&str> = line.split_whitespace().collect();
    if protocol == Protocol::Tcp && fields.get(3) != Some(&LISTENS) {
        return None;
    }
    let port = u16::from_str_radix(fields.get(1)?.rsplit(':').next()?, 16).ok()?;
    Some((port, fields.get(7)?.parse().ok()?, fields.get(9)?.parse().ok()?))
}

/// Returns a process that has this socket open.
fn process(inode: u64) -> Option<u32> {
    let link = format!("socket:[{inode}]");
    let processes = fs::read_dir("/proc").ok()?.flatten();
    let mut pids = processes.filter_map(|entry| entry.file_name().to_str()?.parse::<u32>().ok());
    pids.find(|pid| {
        let files = fs::read_dir(format!("/proc/{pid}/fd")).into_iter().flatten().flatten();
        files
            .filter_map(|file| fs::read_link(file.path()).ok())
            .any(|to| to.as_os_str() == link.as_str())
    })
}

/// Whether root owns an open file and nobody else may write it.
pub fn is_roots_alone(file: &fs::File) -> std::io::Result<bool> {
    let found = file.metadata()?;
    Ok(found.uid() == 0 && found.mode() & 0o022 == 0)
}
