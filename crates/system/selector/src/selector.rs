//! The programs at one device. They leave the kernel with this process, or when the selector is
//! dropped.

use std::fmt;
use std::io;
use std::os::fd::{AsFd, AsRawFd};

use aya::maps::Map;
use aya::programs::cgroup_sock::CgroupSockLink;
use aya::programs::tc;
use aya::programs::{CgroupSock, SchedClassifier};
use aya::{Btf, Ebpf, EbpfLoader};
use nix::net::if_::if_nametoindex;

use crate::cgroup;
use crate::deadline::Deadlines;
use crate::device;
use crate::error::{SelectorError, in_words};
use crate::hook::{Attached, Hook, HookKind, HookPoint, first_to_go, hook, side};
use crate::missing::best_hook;
use crate::tables::{Chosen, Tables};
use crate::taps::{Taps, namespace_cookie};

/// The compiled programs, made by `make bpf`.
const OBJECT: &[u8] = aya::include_bytes_aligned!("../bpf/selector.bpf.o");

/// Programs at a device and at the TAPs of claims.
const PROGRAMS: [&str; 5] = ["egress", "ingress", "guard", "from_host_tap", "from_wire_tap"];

/// The programs at one device. Fields are dropped in order: those that redirect frames go first.
#[derive(Debug)]
pub struct Selector {
    device: String,
    index: u32,
    is_loopback: bool,
    hook: Box<dyn Hook>,
    at_device: Vec<Attached>,
    at_taps: Vec<(u64, Vec<Attached>)>,
    _at_binds: Vec<CgroupSockLink>,
    tables: Tables,
    deadlines: Deadlines,
    ebpf: Ebpf,
}

/// The programs for one device, which are at none yet. To load them takes long, to attach them does
/// not.
pub struct Loaded {
    device: String,
    index: u32,
    is_loopback: bool,
    ebpf: Ebpf,
}

impl fmt::Debug for Loaded {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Loaded").field("device", &self.device).finish_non_exhaustive()
    }
}

impl Loaded {
    /// Loads the programs for `device`; see [`Selector::attach`].
    ///
    /// # Errors
    /// Those of [`Selector::attach`].
    pub fn new(device: &str, mark: u32) -> Result<Self, SelectorError> {
        let unusable = |why: String| SelectorError::Device { device: device.into(), why };
        let index = if_nametoindex(device).map_err(|errno| unusable(errno.desc().into()))?;
        let is_loopback = match device::kind(device).map_err(|e| unusable(e.to_string()))? {
            libc::ARPHRD_LOOPBACK => true,
            libc::ARPHRD_ETHER => false,
            _ => return Err(unusable("it is neither an Ethernet device nor a loopback".into())),
        };
        let ebpf = load(index, is_loopback, mark)?;
        Ok(Self { device: device.into(), index, is_loopback, ebpf })
    }

    /// Attaches the programs to their device, without any claims.
    ///
    /// # Errors
    /// The device is gone, or the kernel refuses. Nothing is left behind.
    pub fn attach(self) -> Result<Selector, SelectorError> {
        self.attach_by(best_hook())
    }

    fn attach_by(self, kind: HookKind) -> Result<Selector, SelectorError> {
        let Self { device, index, is_loopback, mut ebpf } = self;
        let unusable = |why: String| SelectorError::Device { device: device.clone(), why };
        if if_nametoindex(device.as_str()) != Ok(index) {
            return Err(unusable("it is gone, or another one has its name".into()));
        }
        let cookie = namespace_cookie().map_err(|error| unusable(error.to_string()))?;
        let deadlines = deadlines(&mut ebpf)?;
        let tables = Tables::of(&mut ebpf, cookie)?;
        let mut selector = Selector {
            device: device.clone(),
            index,
            is_loopback,
            hook: hook(kind),
            at_device: Vec::new(),
            at_taps: Vec::new(),
            _at_binds: watch_binds(&mut ebpf),
            tables,
            deadlines,
            ebpf,
        };
        let egress = selector.put("egress", &device, HookPoint::Egress)?;
        selector.at_device.push(first_to_go(egress));
        if !is_loopback {
            let ingress = selector.put("ingress", &device, HookPoint::Ingress)?;
            selector.at_device.push(first_to_go(ingress));
        }
        Ok(selector)
    }
}

impl Selector {
    /// Attaches the programs to `device` without any claims. `mark` identifies frames that have
    /// passed a claim's link. It must be secret and not 0.
    ///
    /// # Errors
    /// The device does not exist, or the kernel refuses. Nothing is left behind.
    pub fn attach(device: &str, mark: u32) -> Result<Self, SelectorError> {
        Self::attach_by(device, mark, best_hook())
    }

    /// Attaches the programs like [`attach`](Self::attach), but with a given kind of hook.
    ///
    /// # Errors
    /// Those of [`attach`](Self::attach).
    pub fn attach_by(device: &str, mark: u32, kind: HookKind) -> Result<Self, SelectorError> {
        Loaded::new(device, mark)?.attach_by(kind)
    }

    /// Returns the device's name at the time of attachment.
    pub fn device(&self) -> &str {
        &self.device
    }

    /// Returns whether the device is a loopback.
    pub fn is_loopback(&self) -> bool {
        self.is_loopback
    }

    /// Returns whether the device still exists under the same name.
    pub fn is_there(&self) -> bool {
        if_nametoindex(self.device.as_str()) == Ok(self.index)
    }

    /// Returns the longest packet of the device, in bytes.
    ///
    /// # Errors
    /// The device is gone.
    pub fn mtu(&self) -> io::Result<u32> {
        device::mtu(&self.device)
    }

    /// Returns the deadlines that workers extend.
    pub fn deadlines(&self) -> Deadlines {
        self.deadlines.clone()
    }

    /// Returns whether there are no claims.
    pub fn is_empty(&self) -> bool {
        self.tables.is_empty()
    }

    /// Redirects a claim's frames through its TAPs.
    ///
    /// # Errors
    /// The kernel refuses. Nothing is changed in that case.
    pub fn insert(&mut self, chosen: Chosen, taps: &Taps) -> Result<(), SelectorError> {
        let identity = chosen.identity;
        let [host, wire] = &taps.names;
        let links = vec![
            self.put("from_host_tap", host, HookPoint::Ingress)?,
            self.put("from_wire_tap", wire, HookPoint::Ingress)?,
            self.put("guard", host, HookPoint::Egress)?,
            self.put("guard", wire, HookPoint::Egress)?,
        ];
        self.tables.insert(chosen)?;
        self.at_taps.push((identity, links));
        Ok(())
    }

    /// Stops redirecting a claim's frames. Frames in its link still leave it, until
    /// [`forget`](Self::forget).
    ///
    /// # Errors
    /// The kernel refuses.
    pub fn remove(&mut self, identity: u64) -> Result<(), SelectorError> {
        self.tables.remove(identity)
    }

    /// Detaches the programs from the TAPs of a claim that was removed.
    pub fn forget(&mut self, identity: u64) {
        self.at_taps.retain(|(other, _)| *other != identity);
    }

    fn put(
        &mut self,
        name: &str,
        device: &str,
        place: HookPoint,
    ) -> Result<Attached, SelectorError> {
        self.hook.attach(classifier(&mut self.ebpf, name)?, device, place)
    }
}

/// Loads the programs for one device.
fn load(index: u32, is_loopback: bool, mark: u32) -> Result<Ebpf, SelectorError> {
    let refused = |error: &(dyn std::error::Error + 'static)| SelectorError::Load(in_words(error));
    let types = Btf::from_sys_fs().map_err(|error| refused(&error))?;
    let is_loopback = u32::from(is_loopback);
    let mut loader = EbpfLoader::new();
    loader
        .btf(Some(&types))
        .override_global("device", &index, true)
        .override_global("is_loopback", &is_loopback, true)
        .override_global("passed_mark", &mark, true);
    let mut ebpf = loader.load(OBJECT).map_err(|error| refused(&error))?;
    for name in PROGRAMS {
        classifier(&mut ebpf, name)?.load().map_err(|error| refused(&error))?;
    }
    Ok(ebpf)
}

fn classifier<'e>(
    ebpf: &'e mut Ebpf,
    name: &str,
) -> Result<&'e mut SchedClassifier, SelectorError> {
    let program = ebpf.program_mut(name);
    let program =
        program.ok_or_else(|| SelectorError::Load(format!("the object lacks `{name}`")))?;
    program
        .try_into()
        .map_err(|error: aya::programs::ProgramError| SelectorError::Load(in_words(&error)))
}

fn deadlines(ebpf: &mut Ebpf) -> Result<Deadlines, SelectorError> {
    let Some(Map::Array(map)) = ebpf.map("deadlines") else {
        return Err(SelectorError::Load("the object lacks `deadlines`".into()));
    };
    Deadlines::of(map.fd().as_fd().as_raw_fd())
        .map_err(|error| SelectorError::Load(error.to_string()))
}

/// Records which processes bind UDP sockets, on machines with cgroups of version 2. Without this,
/// the first frames to a UDP server that has sent nothing yet are shaped only if its socket is an
/// IPv6 socket.
fn watch_binds(ebpf: &mut Ebpf) -> Vec<CgroupSockLink> {
    let Some(root) = cgroup::root() else { return Vec::new() };
    let mut attach = |name| -> Option<CgroupSockLink> {
        let program: &mut CgroupSock = ebpf.program_mut(name)?.try_into().ok()?;
        program.load().ok()?;
        let id = program.attach(&root, cgroup::MODE).ok()?;
        program.take_link(id).ok()
    };
    ["bound_v4", "bound_v6"].into_iter().filter_map(&mut attach).collect()
}

/// Returns the longest packet of a device of this thread's network namespace, in bytes.
///
/// # Errors
/// There is no such device.
pub fn mtu(device: &str) -> io::Result<u32> {
    device::mtu(device)
}

/// Removes the filters that a dead process left at a device of an older kernel.
pub fn forget_filters(device: &str) {
    for (name, place) in [("egress", HookPoint::Egress), ("ingress", HookPoint::Ingress)] {
        // A device without filters is fine.
        let _ = tc::qdisc_detach_program(device, side(place), name);
    }
}
