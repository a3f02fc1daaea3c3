//! The state of the machine that must be restored: read and recorded before anything is taken.

use std::collections::BTreeSet;
use std::fs::{self, File};
use std::io;
use std::path::Path;

use netlink_packet_route::link::{LinkAttribute, LinkFlags, LinkMessage};
use netloom_plan::{OutsidePlan, Plan};
use netloom_scenario::{IpPrefix, Outside};
use nix::ifaddrs::getifaddrs;
use nix::net::if_::if_nametoindex;

use super::nat;
use crate::books::borrowed::Borrowed;
use crate::books::ours::Ours;
use crate::error::found;
use crate::stack::netlink::Netlink;
use crate::stack::netns::HOME;
use crate::{Layout, NodeError, rootless, stack::netns, stack::requests, stack::tap};

/// Checks the plan's demands on the machine. Changes nothing.
///
/// # Errors
/// [`NodeError::NotOutside`] if a demand cannot be met: which, why, and what to do.
pub(crate) fn check(layout: &Layout, plan: &Plan) -> Result<Borrowed, NodeError> {
    let mut borrowed = Borrowed::default();
    for end in &plan.outside {
        check_end(layout, end)?;
        borrowed.take(end);
    }
    Ok(borrowed)
}

/// Checks the new ends when an existing network becomes another one.
pub(crate) fn check_change(layout: &Layout, from: &Plan, to: &Plan) -> Result<(), NodeError> {
    let going: Vec<&OutsidePlan> =
        from.outside.iter().filter(|end| !to.outside.contains(end)).collect();
    let is_new = |end: &&OutsidePlan| {
        // By then, an end that goes has given back its device.
        let is_back = going.iter().any(|going| going.device == end.device);
        !from.outside.contains(end) && !is_back
    };
    to.outside.iter().filter(is_new).try_for_each(|end| check_end(layout, end))
}

fn check_end(layout: &Layout, end: &OutsidePlan) -> Result<(), NodeError> {
    let refused = |why: String| NodeError::NotOutside { end: end.end.to_string(), why };
    if layout.is_rootless() && !rootless::owns_network() {
        return Err(refused("the machine's devices are root's; run NetLoom as root".into()));
    }
    look_at(end).map_err(refused)
}

/// Checks that an end can be had. The error says why not.
fn look_at(end: &OutsidePlan) -> Result<(), String> {
    let name = &end.device;
    let exists = if_nametoindex(name.as_str()).is_ok();
    if !matches!(end.kind, Outside::Device | Outside::Macvlan) {
        if exists {
            return Err(format!("the machine has a device `{name}` already; choose another name"));
        }
        let forwards_ipv6 = end.kind == Outside::Nat && families(end)[1];
        return if forwards_ipv6 { may_forward_ipv6() } else { Ok(()) };
    }
    if !exists {
        let mut known: Vec<String> = devices();
        known.retain(|device| device != "lo");
        return Err(format!("the machine has no device `{name}`; it has {}", known.join(", ")));
    }
    if name == "lo" {
        return Err("every node has a loopback device of its own".into());
    }
    let link = link(name).map_err(|error| format!("the machine does not tell of it: {error}"))?;
    let mtu = link.attributes.iter().find_map(|attribute| match attribute {
        LinkAttribute::Mtu(mtu) => Some(*mtu),
        _ => None,
    });
    if let Some(mtu) = mtu.filter(|most| *most < end.mtu) {
        return Err(format!(
            "it has an MTU of {mtu}, and the link one of {}; give the link that `mtu`, or raise \
             the device's",
            end.mtu
        ));
    }
    if end.kind == Outside::Device { is_free(name, &link) } else { Ok(()) }
}

/// Checks that the machine does not use a device itself.
fn is_free(name: &str, link: &LinkMessage) -> Result<(), String> {
    if link.attributes.iter().any(|attribute| matches!(attribute, LinkAttribute::Controller(_))) {
        return Err(format!(
            "it belongs to a bridge or the like; free it with `ip link set {name} nomaster`"
        ));
    }
    let used = getifaddrs().map_err(|errno| format!("its addresses cannot be read: {errno}"))?;
    for entry in used.filter(|entry| entry.interface_name == name) {
        let address = entry.address.as_ref();
        let v4 = address.and_then(|a| a.as_sockaddr_in()).map(|a| a.ip().to_string());
        let v6 = address.and_then(|a| a.as_sockaddr_in6()).map(|a| a.ip());
        let v6 = v6.filter(|ip| !ip.is_unicast_link_local()).map(|ip| ip.to_string());
        if let Some(address) = v4.or(v6) {
            return Err(format!(
                "the machine uses it, with the address {address}; take it away with `ip address \
                 flush dev {name}` if it can do without"
            ));
        }
    }
    Ok(())
}

fn link(device: &str) -> io::Result<LinkMessage> {
    Netlink::open()?.link(if_nametoindex(device)?)
}

fn is_up(device: &str) -> bool {
    link(device).is_ok_and(|link| link.header.flags.contains(LinkFlags::Up))
}

/// Returns the devices. Does not use `/sys`, which shows the namespace in which it was mounted.
fn devices() -> Vec<String> {
    let table = fs::read_to_string("/proc/self/net/dev").unwrap_or_default();
    let names = table.lines().filter_map(|line| line.split_once(':'));
    let mut names: Vec<String> = names.map(|(name, _)| name.trim().to_owned()).collect();
    names.sort_unstable();
    names
}

/// Returns the devices over which the machine reaches others: those of default routes, or if there
/// are none, of all routes.
fn uplinks() -> BTreeSet<String> {
    let table = fs::read_to_string("/proc/self/net/route").unwrap_or_default();
    let routes: Vec<(&str, &str)> = table
        .lines()
        .skip(1)
        .filter_map(|line| {
            let mut columns = line.split_whitespace();
            Some((columns.next()?, columns.next()?))
        })
        .collect();
    let named = |default: bool| -> BTreeSet<String> {
        let wanted = routes.iter().filter(|(_, to)| !default || *to == "00000000");
        wanted.map(|(device, _)| (*device).to_owned()).collect()
    };
    let defaults = named(true);
    if defaults.is_empty() { named(false) } else { defaults }
}

/// Whether an end has addresses of IPv4, and of IPv6.
fn families(end: &OutsidePlan) -> [bool; 2] {
    let is_v4 = |address: &IpPrefix| matches!(address, IpPrefix::V4(_));
    [end.addresses.iter().any(is_v4), !end.addresses.iter().all(is_v4)]
}

fn forwarding(family: &str, device: &str) -> String {
    format!("/proc/sys/net/{family}/conf/{device}/forwarding")
}

fn forwards(family: &str, device: &str) -> bool {
    fs::read_to_string(forwarding(family, device)).is_ok_and(|on| on.trim() != "0")
}

/// Turns IPv6 forwarding off. Writing `all` overwrites every device, so the devices in `single`,
/// which were enabled individually, are enabled again.
fn forward_no_ipv6(single: &[String]) -> io::Result<()> {
    fs::write(forwarding("ipv6", "all"), "0")?;
    single.iter().try_for_each(|device| found(fs::write(forwarding("ipv6", device), "1")))
}

/// Checks that the machine can forward IPv6 without harm to itself. The error says why not.
fn may_forward_ipv6() -> Result<(), String> {
    if !Path::new(&forwarding("ipv6", "all")).exists() {
        return Err("the machine has no IPv6; leave out the IPv6 address".into());
    }
    if forwards("ipv6", "all") {
        return Ok(());
    }
    // A machine that forwards is a router, which accepts no routes from others. The kernel removes
    // such routes, except those of devices that are configured to accept them.
    let table = fs::read_to_string("/proc/self/net/ipv6_route").unwrap_or_default();
    let by_advertisement = table.lines().filter_map(advertised_default).find(|device| {
        let accept = fs::read_to_string(format!("/proc/sys/net/ipv6/conf/{device}/accept_ra"));
        accept.is_ok_and(|accept| accept.trim() != "2")
    });
    match by_advertisement {
        Some(device) => Err(format!(
            "it needs the machine to forward IPv6, which would lose its default route at \
             `{device}`, learnt from a router's advertisement; keep that by `sysctl -w \
             net.ipv6.conf.{device}.accept_ra=2`, or leave out the IPv6 address"
        )),
        None => Ok(()),
    }
}

/// Whether a new network behind this machine can have IPv6. It cannot if the machine has none.
///
/// # Errors
/// The reason why it must not, although the machine has IPv6.
pub fn may_have_ipv6_behind() -> Result<bool, String> {
    let disabled = fs::read_to_string("/proc/sys/net/ipv6/conf/default/disable_ipv6");
    if disabled.map_or(true, |disabled| disabled.trim() != "0") {
        return Ok(false);
    }
    may_forward_ipv6().map(|()| true)
}

/// Returns the device of a line of `/proc/net/ipv6_route`, if it is a default route that the kernel
/// has learnt from a router.
fn advertised_default(line: &str) -> Option<&str> {
    const LEARNT: u32 = 0x0004_0000;
    let columns: Vec<&str> = line.split_whitespace().collect();
    let [to, "00", _, _, _, _, _, _, flags, device] = columns[..] else { return None };
    let is_learnt = u32::from_str_radix(flags, 16).is_ok_and(|flags| flags & LEARNT != 0);
    (is_learnt && to.bytes().all(|digit| digit == b'0')).then_some(device)
}

impl Borrowed {
    /// Reads the state that an end will change, and adds it to the record. Changes nothing.
    pub fn take(&mut self, end: &OutsidePlan) {
        match end.kind {
            Outside::Device => self.devices.push((end.device.clone(), is_up(&end.device))),
            Outside::Tap => self.taps.push(end.device.clone()),
            Outside::Nat => {
                let [has_v4, has_v6] = families(end);
                if has_v4 && self.forwarding.is_empty() {
                    let silent = |device: &String| !forwards("ipv4", device);
                    self.forwarding = uplinks().into_iter().filter(silent).collect();
                }
                if has_v6 && self.forwarding6.is_none() && !forwards("ipv6", "all") {
                    let set = ["default".to_owned()].into_iter().chain(devices());
                    self.forwarding6 = Some(set.filter(|name| forwards("ipv6", name)).collect());
                }
                self.nat.push(end.device.clone());
            }
            Outside::Macvlan => {
                let is_free = |name: &String| self.beside.iter().all(|(_, other)| other != name);
                let free = (0..).map(|number: u32| format!("+{number}")).find(is_free);
                self.beside.extend(free.map(|name| (end.end.to_string(), name)));
            }
            Outside::Host => {}
        }
    }

    /// Restores the state that an end has changed.
    pub fn give_back_end(&mut self, ours: &Ours<'_>, end: &OutsidePlan) -> io::Result<()> {
        let (device, apart, experiment) = (&end.device, ours.outside(), ours.layout().experiment());
        match end.kind {
            // The device ends with its descriptor.
            Outside::Host => {}
            Outside::Nat => {
                nat::translate_no_more(experiment, ours.mark(), device)?;
                self.nat.retain(|other| other != device);
                if self.nat.is_empty() {
                    // Forwarding must end before the rules that restrict it are removed.
                    for device in std::mem::take(&mut self.forwarding) {
                        found(fs::write(forwarding("ipv4", &device), "0"))?;
                    }
                    self.forwarding6.take().map_or(Ok(()), |single| forward_no_ipv6(&single))?;
                    nat::remove(experiment, ours.mark())?;
                }
            }
            Outside::Tap => {
                remove_tap(ours, device)?;
                self.taps.retain(|other| other != device);
            }
            Outside::Device => {
                if let Some((_, up)) = self.devices.iter().find(|(other, _)| other == device) {
                    return_device(apart.as_deref(), device, *up)?;
                }
                self.devices.retain(|(other, _)| other != device);
            }
            Outside::Macvlan => {
                if let Some((name, apart)) = self.name_beside(end).zip(apart) {
                    remove_in(&apart, name)?;
                }
                let end = end.end.to_string();
                self.beside.retain(|(other, _)| *other != end);
            }
        }
        Ok(())
    }

    /// Whether the machine would not forward IPv6 without the experiment.
    pub fn forwards_ipv6_for_us(&self) -> bool {
        self.forwarding6.is_some()
    }

    /// Makes the machine forward the traffic of an end, and the answers. IPv4 is forwarded only
    /// between its device and those over which the machine reaches others. For IPv6, kernels can
    /// only forward everything or nothing.
    pub fn forward(&self, end: &OutsidePlan) -> Result<(), NodeError> {
        let [has_v4, has_v6] = families(end);
        if has_v4 {
            for device in [&end.device].into_iter().chain(&self.forwarding) {
                fs::write(forwarding("ipv4", device), "1").map_err(|error| {
                    NodeError::system(format!("have {device} forward IPv4"), error)
                })?;
            }
        }
        if has_v6 && self.forwards_ipv6_for_us() {
            fs::write(forwarding("ipv6", "all"), "1")
                .map_err(|error| NodeError::system("have the machine forward IPv6", error))?;
        }
        Ok(())
    }
}

/// Restores everything in the record of an experiment. Returns in words what could not be restored.
pub(crate) fn give_back(ours: &Ours<'_>) -> Vec<String> {
    let Some(record) = &ours.record else { return vec![] };
    let mut problems = Vec::new();
    let mut note = |what: &str, result: io::Result<()>| {
        if let Err(error) = result {
            problems.push(format!("{what}: {error}"));
        }
    };
    let Borrowed { devices, taps, nat, forwarding: v4, forwarding6: v6, beside: _ } =
        &record.borrowed;
    // Forwarding must end before the rules that restrict it are removed.
    for device in v4 {
        // The device may be gone.
        let result = found(fs::write(forwarding("ipv4", device), "0"));
        note(&format!("forwarding of {device}"), result);
    }
    if let Some(single) = v6 {
        note("forwarding of IPv6", forward_no_ipv6(single));
    }
    if !nat.is_empty() {
        note("address translation", nat::remove(ours.layout().experiment(), &record.mark));
    }
    let apart = ours.outside();
    for (device, up) in devices {
        note(&format!("device {device}"), return_device(apart.as_deref(), device, *up));
    }
    for device in taps {
        note(&format!("device {device}"), remove_tap(ours, device));
    }
    problems
}

/// Removes a device, if it exists.
fn remove_in(namespace: &File, device: &str) -> io::Result<()> {
    netns::inside(namespace, || {
        let Ok(index) = if_nametoindex(device) else { return Ok(()) };
        let request = requests::no_device(index, device);
        Netlink::open()?.apply(vec![request]).map_err(|refused| refused.source)
    })
}

/// Removes a TAP of the machine, if it exists and is the experiment's own.
fn remove_tap(ours: &Ours<'_>, device: &str) -> io::Result<()> {
    match ours.made.devices.get(device) {
        Some(index) => at_home(|| tap::remove(device, *index)),
        None => Ok(()),
    }
}

/// Moves a device back to the machine, if it is not there, and sets it up again if it was up. A
/// device that is there is also set up: the engine may have been killed between both steps, and a
/// device that was never taken has its state unchanged.
fn return_device(apart: Option<&File>, device: &str, up: bool) -> io::Result<()> {
    if let Some(namespace) = apart {
        let home = File::open(HOME)?;
        netns::inside(namespace, || {
            // The device is not there: it was not taken yet, or is back.
            let Ok(index) = if_nametoindex(device) else { return Ok(()) };
            let request = requests::move_to(index, device, &home);
            Netlink::open()?.apply(vec![request]).map_err(|refused| refused.source)
        })?;
    }
    // A device of hardware may have been unplugged.
    if up && if_nametoindex(device).is_ok() { bring_up(device) } else { Ok(()) }
}

fn bring_up(device: &str) -> io::Result<()> {
    at_home(|| {
        let index = if_nametoindex(device)?;
        Netlink::open()?.apply(vec![requests::up(index, device)]).map_err(|refused| refused.source)
    })
}

/// Runs `work` in the machine's network namespace, wherever the calling thread is.
fn at_home(work: impl FnOnce() -> io::Result<()> + Send) -> io::Result<()> {
    netns::inside(&File::open(HOME)?, work)
}
