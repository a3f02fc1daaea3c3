//! Devices, network namespaces and cgroups of this host.

use std::fs;
use std::os::unix::fs::MetadataExt;
use std::path::{Component, Path, PathBuf};
use std::sync::Arc;

use anyhow::{Context, Result, bail};
use netloom_selector::{Network, NetworkName, own_network};
use netloom_shape::{Cgroup, Entry, Owner, Selector};

use crate::people;
use crate::within::within;

/// What the words of a selector mean on this host.
#[derive(Debug)]
pub struct Named {
    /// The network namespace, if it is not the daemon's own.
    pub network: Option<Arc<Network>>,
    /// The device.
    pub device: String,
    /// Longest packet of the device, in bytes.
    pub mtu: u32,
    /// The cgroup, if the selector names one.
    pub cgroup: Option<Cgroup>,
    /// The user, if the selector names one.
    pub user: Option<u32>,
}

impl Named {
    /// Finds what a selector names, for its owner.
    pub fn find(selector: &Selector, owner: &Owner) -> Result<Self> {
        let network = network(selector, owner)?;
        let device = match &selector.interface {
            Some(device) => device.clone(),
            None => within(network.as_ref(), default_device)?,
        };
        let cgroup = selector.cgroup.as_deref().map(|path| cgroup(path, owner)).transpose()?;
        let user = selector.user.as_deref().map(|name| {
            people::uid_of(name).with_context(|| format!("there is no user `{name}` here"))
        });
        let mtu = mtu_of(network.as_ref(), &device)?;
        Ok(Self { network, device, mtu, cgroup, user: user.transpose()? })
    }
}

/// Returns the longest packet of a device, in bytes.
pub fn mtu_of(network: Option<&Arc<Network>>, device: &str) -> Result<u32> {
    within(network, || {
        netloom_selector::mtu(device).with_context(|| format!("cannot use {device}"))
    })
}

/// Returns the device of the default route in this thread's network namespace: of IPv4, or else of
/// IPv6.
fn default_device() -> Result<String> {
    let v4 = fs::read_to_string("/proc/thread-self/net/route").unwrap_or_default();
    let v4 = v4.lines().skip(1).filter_map(|line| {
        let fields: Vec<&str> = line.split_whitespace().collect();
        let is_default = fields.get(1) == Some(&"00000000") && fields.get(7) == Some(&"00000000");
        let metric: u32 = fields.get(6)?.parse().ok()?;
        is_default.then(|| (metric, (*fields.first().unwrap_or(&"")).to_owned()))
    });
    let v6 = fs::read_to_string("/proc/thread-self/net/ipv6_route").unwrap_or_default();
    let v6 = v6.lines().filter_map(|line| {
        let fields: Vec<&str> = line.split_whitespace().collect();
        let is_default = fields.first()?.bytes().all(|byte| byte == b'0')
            && fields.get(1) == Some(&"00")
            && fields.last() != Some(&"lo");
        let metric = u32::from_str_radix(fields.get(5)?, 16).ok()?;
        is_default.then(|| (metric, (*fields.last().unwrap_or(&"")).to_owned()))
    });
    let best = v4.min().or_else(|| v6.min());
    best.map(|(_, device)| device)
        .context("that network has no default route: say which device with `--interface`")
}

/// Opens the network namespace that a selector names, unless it is the daemon's own. For an
/// ordinary user, it must be one of the user's own user namespaces.
fn network(selector: &Selector, owner: &Owner) -> Result<Option<Arc<Network>>> {
    let name = match (&selector.netns, selector.pid) {
        (Some(path), _) => NetworkName::Path(path.into()),
        (None, Some(pid)) => NetworkName::Process(pid),
        (None, None) => return Ok(None),
    };
    let words = format!("the network namespace of {name}");
    if !owner.is_root() && selector.netns.is_some() {
        // The daemon opens no path that a user names.
        bail!("`netns` is for root: give the `pid` of a process in {name}");
    }
    let network = Network::open(name).with_context(|| format!("cannot enter {words}"))?;
    if network.id() == own_network()? {
        return Ok(None);
    }
    let maker = network.owner().with_context(|| format!("cannot ask whose {words} is"))?;
    if !owner.is_root() && maker != Some(owner.uid) {
        bail!("{words} is not yours: users claim in those of their own user namespaces");
    }
    if selector.user.is_some() && maker.is_some() {
        bail!("{words} has users of its own: claim by ports, addresses or `cgroup` there");
    }
    Ok(Some(Arc::new(network)))
}

/// Opens the network namespace of a claim again.
pub fn network_of(entry: &Entry) -> Result<Option<Arc<Network>>> {
    let network = network(&entry.claim.selector, &entry.owner)?;
    let found = network.as_ref().map(|network| network.id());
    if found != entry.network {
        bail!("its network namespace is gone, and there is another one in its place");
    }
    Ok(network)
}

/// Returns the cgroup of a path below the root of version 2, as `user.slice/build.scope`. For an
/// ordinary user, it must be one of the user's own.
fn cgroup(path: &str, owner: &Owner) -> Result<Cgroup> {
    let root = cgroup_root().context("this host has no cgroups of version 2")?;
    let inner = Path::new(path.trim_start_matches('/'));
    if inner.components().any(|part| !matches!(part, Component::Normal(_))) {
        bail!("`{path}` is no path of a cgroup: write it as `systemd-cgls` shows it");
    }
    let directory = root.join(inner);
    let found = fs::symlink_metadata(&directory)
        .with_context(|| format!("there is no cgroup {path} ({})", directory.display()))?;
    if !owner.is_root() && found.uid() != owner.uid {
        bail!("cgroup {path} is not yours: its directory belongs to another user");
    }
    let level = u32::try_from(inner.components().count()).unwrap_or(u32::MAX);
    Ok(Cgroup { id: found.ino(), level })
}

fn cgroup_root() -> Option<PathBuf> {
    let roots = ["/sys/fs/cgroup", "/sys/fs/cgroup/unified"];
    let is_there = |root: &&str| Path::new(root).join("cgroup.controllers").exists();
    roots.into_iter().find(is_there).map(PathBuf::from)
}

/// Returns the speed of a device in bits per second, if it reports one.
pub fn speed(device: &str) -> Option<u64> {
    let text = fs::read_to_string(format!("/sys/class/net/{device}/speed")).ok()?;
    let megabits: u64 = text.trim().parse().ok()?;
    Some(megabits * 1_000_000)
}
