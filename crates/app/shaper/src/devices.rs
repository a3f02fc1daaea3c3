//! The devices at which claims are: the programs there, which claims they send through links, and
//! devices that go, come back, or change. Not here: the links (`links`).

use std::collections::BTreeMap;
use std::fs::File;
use std::io::Read;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, PoisonError, RwLock};
use std::time::Duration;

use anyhow::{Context, Result};
use netloom_dataplane::Heartbeat;
use netloom_selector::{
    Chosen, Deadlines, Loaded, Loopback, Network, SILENCE, Selector, Taps, forget_filters,
};
use netloom_shape::{Location, NetworkId};

use crate::state::ChangedSetting;
use crate::within::within;

/// The only worker, which has all claims.
pub const WORKER: u32 = 0;

/// All devices with claims.
pub struct Devices {
    at: BTreeMap<Location, AtDevice>,
    claimed: BTreeMap<u64, Claimed>,
    /// Devices that were found to be back when a claim was made there.
    found_again: Vec<Location>,
    beats: Arc<RwLock<Vec<Deadlines>>>,
}

/// The programs at a device, unless it is gone, and the loopback settings that it needed.
struct AtDevice {
    /// Its network namespace, if it is not this process's.
    network: Option<Arc<Network>>,
    selector: Option<Selector>,
    loopback: Option<Loopback>,
    mtu: u32,
}

/// A claim at a device.
struct Claimed {
    device: Location,
    chosen: Chosen,
    taps: Taps,
    /// Whether it has ended, and its link still delivers frames.
    is_over: bool,
}

/// What a claim at a device needs of the kernel, made before anybody has to wait for it.
pub struct Prepared {
    /// The network namespace of the device, if it is not this process's.
    pub network: Option<Arc<Network>>,
    /// The programs for the device, unless it has them.
    pub loaded: Option<Loaded>,
    /// The TAPs.
    pub taps: Taps,
}

impl Prepared {
    /// Prepares a claim at a device whose longest packet is `mtu`.
    pub fn new(
        device: &str,
        mtu: u32,
        network: Option<Arc<Network>>,
        has_programs: bool,
    ) -> Result<Self> {
        let (loaded, taps) = within(network.as_ref(), || {
            let loaded = if has_programs { None } else { Some(load(device)?) };
            Ok((loaded, taps(mtu)?))
        })?;
        Ok(Self { network, loaded, taps })
    }
}

/// Makes TAPs in this thread's network namespace. Their names are unused.
fn taps(mtu: u32) -> Result<Taps> {
    const NAMES: u32 = 1_000_000;
    static LAST: AtomicU32 = AtomicU32::new(0);
    for _ in 0..1000 {
        let number = LAST.fetch_add(1, Ordering::Relaxed) % NAMES;
        if Taps::are_free(number) {
            return Ok(Taps::make(number, mtu)?);
        }
    }
    anyhow::bail!("all names of devices that begin with `nls` are taken")
}

/// Loads the programs for a device of this thread's network namespace. The secret is the device's
/// own: whoever has rights in one network can read its marks there.
fn load(device: &str) -> Result<Loaded> {
    Ok(Loaded::new(device, secret()?)?)
}

/// A change of a device.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum DeviceChange {
    /// The device is gone. Its claims wait for it.
    Gone,
    /// The device is back.
    Back,
    /// The longest packet of the device has another length, in bytes. The TAPs of its claims have
    /// it too, unless there is an error.
    Mtu(u32, Option<String>),
}

impl DeviceChange {
    /// Returns the verb and the reason of the event of a device.
    pub fn in_words(&self, device: &Location) -> (&'static str, String) {
        match self {
            Self::Gone => ("suspended", format!("interface {device}")),
            Self::Back => ("resumed", format!("interface {device}")),
            Self::Mtu(mtu, None) => {
                ("mtu-changed", format!("interface {device} has an MTU of {mtu} now"))
            }
            Self::Mtu(mtu, Some(error)) => (
                "mtu-changed",
                format!("interface {device} has an MTU of {mtu} now, and not its TAPs: {error}"),
            ),
        }
    }
}

impl Devices {
    /// Makes the devices without any claim, the heartbeat of the worker, and the silences of the
    /// worker in which frames passed unshaped.
    pub fn new() -> (Self, Heartbeat, Receiver<Duration>) {
        let beats = Arc::<RwLock<Vec<Deadlines>>>::default();
        let (noticed, silences) = channel();
        let heartbeat = heartbeat(Arc::clone(&beats), noticed);
        let (at, claimed) = (BTreeMap::new(), BTreeMap::new());
        let devices = Self { at, claimed, found_again: Vec::new(), beats };
        (devices, heartbeat, silences)
    }

    /// Whether a device has the programs.
    pub fn has_programs(&self, device: &Location) -> bool {
        self.at.get(device).is_some_and(|at| at.selector.is_some())
    }

    /// Attaches the programs to a device, unless they are there. `network` is its network
    /// namespace, if that is not this process's.
    pub fn attach(
        &mut self,
        device: &Location,
        network: Option<&Arc<Network>>,
        loaded: Option<Loaded>,
    ) -> Result<()> {
        match self.at.get(device) {
            Some(AtDevice { selector: Some(_), .. }) => {}
            Some(AtDevice { selector: None, .. }) => {
                self.come_back(device, loaded)?;
                self.found_again.push(device.clone());
            }
            None => self.attach_first(device, network, loaded)?,
        }
        Ok(())
    }

    /// Sends the frames of a claim through its TAPs. The programs are at the device already.
    pub fn insert(&mut self, device: &Location, chosen: Chosen, taps: Taps) -> Result<()> {
        let gone = || format!("{device} is gone");
        let AtDevice { network, selector, .. } = self.at.get_mut(device).with_context(gone)?;
        let selector = selector.as_mut().with_context(gone)?;
        within(network.as_ref(), || Ok(selector.insert(chosen.clone(), &taps)?))?;
        let claimed = Claimed { device: device.clone(), chosen, taps, is_over: false };
        self.claimed.insert(claimed.chosen.identity, claimed);
        Ok(())
    }

    /// Lets a claim's frames pass. Those in its link still leave it, until
    /// [`forget`](Self::forget).
    pub fn remove(&mut self, identity: u64) -> Result<()> {
        let Some(claimed) = self.claimed.get_mut(&identity) else { return Ok(()) };
        claimed.is_over = true;
        match self.at.get_mut(&claimed.device).and_then(|at| at.selector.as_mut()) {
            Some(selector) => Ok(selector.remove(identity)?),
            None => Ok(()),
        }
    }

    /// Detaches the programs from the TAPs of a claim, and from its device if it was the last one
    /// there.
    pub fn forget(&mut self, identity: u64) {
        let Some(Claimed { device, .. }) = self.claimed.remove(&identity) else { return };
        if let Some(AtDevice { network, selector: Some(selector), .. }) = self.at.get_mut(&device) {
            // Filters at TAPs go with these, if this thread cannot remove them.
            let _ = within(network.as_ref(), || {
                selector.forget(identity);
                Ok(())
            });
        }
        self.detach_if_idle(&device);
    }

    /// Detaches the programs from a device without claims.
    pub fn detach_if_idle(&mut self, device: &Location) {
        if !self.claimed.values().any(|claimed| claimed.device == *device) {
            self.at.remove(device);
            self.share_beats();
        }
    }

    /// Returns the devices that are gone, with their network namespaces.
    pub fn gone(&self) -> Vec<(Location, Option<Arc<Network>>)> {
        let gone = self.at.iter().filter(|(_, at)| at.selector.is_none());
        gone.map(|(device, at)| (device.clone(), at.network.clone())).collect()
    }

    /// Returns the changes of devices since the last call, each with the device. `returned` is a
    /// device that was gone, with its programs.
    pub fn look(&mut self, returned: Option<(Location, Loaded)>) -> Vec<(Location, DeviceChange)> {
        let back = std::mem::take(&mut self.found_again);
        let mut changes: Vec<_> =
            back.into_iter().map(|device| (device, DeviceChange::Back)).collect();
        for device in self.names() {
            if let Some(change) = self.look_at(&device) {
                changes.push((device, change));
            }
        }
        if let Some((device, loaded)) = returned
            && self.at.get(&device).is_some_and(|at| at.selector.is_none())
            && self.come_back(&device, Some(loaded)).is_ok()
        {
            changes.push((device, DeviceChange::Back));
        }
        changes
    }

    /// Returns the other network namespaces with claims whose names do not mean them any more.
    pub fn lost_networks(&self) -> Vec<NetworkId> {
        let networks = self.at.values().filter_map(|at| at.network.as_ref());
        networks.filter(|network| !network.is_there()).map(|network| network.id()).collect()
    }

    /// Returns the settings of loopbacks that were changed, as the state file stores them.
    pub fn loopback_settings(&self) -> Vec<ChangedSetting> {
        let all = self.at.iter().filter_map(|(device, at)| Some((device, at.loopback.as_ref()?)));
        let settings = all.flat_map(|(device, loopback)| {
            loopback.before().iter().map(|(name, was)| ChangedSetting {
                at: device.clone(),
                name: name.clone(),
                was: was.clone(),
            })
        });
        settings.collect()
    }

    /// Returns the devices that have programs.
    pub fn names(&self) -> Vec<Location> {
        self.at.keys().cloned().collect()
    }

    /// Lets all frames pass.
    pub fn clear(&mut self) {
        self.at.clear();
    }

    fn attach_first(
        &mut self,
        at: &Location,
        network: Option<&Arc<Network>>,
        loaded: Option<Loaded>,
    ) -> Result<()> {
        let device = at.device.as_str();
        let attached = within(network, || {
            forget_filters(device);
            let selector = loaded.map_or_else(|| load(device), Ok)?.attach()?;
            let mtu = mtu(&selector)?;
            let loopback = match selector.is_loopback() {
                true => Some(Loopback::prepare(device).with_context(|| {
                    format!("cannot prepare {device} (/proc/sys must be writable)")
                })?),
                false => None,
            };
            selector.deadlines().put_off(WORKER as usize);
            let (network, selector) = (network.cloned(), Some(selector));
            Ok(AtDevice { network, selector, loopback, mtu })
        });
        self.at.insert(at.clone(), attached?);
        self.share_beats();
        Ok(())
    }

    fn look_at(&mut self, device: &Location) -> Option<DeviceChange> {
        let at = self.at.get_mut(device)?;
        let selector = at.selector.as_ref()?;
        let seen = within(at.network.as_ref(), || Ok((selector.is_there(), selector.mtu().ok())));
        // A thread that cannot enter now can in the next look.
        let (is_there, mtu) = seen.ok()?;
        if !is_there {
            at.selector = None;
            self.share_beats();
            return Some(DeviceChange::Gone);
        }
        // A device that goes at this moment is gone in the next look.
        let mtu = mtu.filter(|mtu| *mtu != at.mtu)?;
        at.mtu = mtu;
        let network = at.network.clone();
        let set = within(network.as_ref(), || self.set_mtu(device, mtu));
        Some(DeviceChange::Mtu(mtu, set.err().map(|error| format!("{error:#}"))))
    }

    /// Gives the TAPs of all claims at a device its MTU.
    fn set_mtu(&self, device: &Location, mtu: u32) -> Result<()> {
        let mut there = self.claimed.values().filter(|claimed| claimed.device == *device);
        there.try_for_each(|claimed| Ok(claimed.taps.set_mtu(mtu)?))
    }

    /// Attaches the programs at a device that was gone, with all its claims.
    fn come_back(&mut self, device: &Location, loaded: Option<Loaded>) -> Result<()> {
        let network = self.at.get(device).and_then(|at| at.network.clone());
        let (selector, mtu) = within(network.as_ref(), || {
            let loaded = loaded.map_or_else(|| load(&device.device), Ok)?;
            let mut selector = loaded.attach()?;
            let mtu = mtu(&selector)?;
            selector.deadlines().put_off(WORKER as usize);
            let there = |claimed: &&Claimed| claimed.device == *device && !claimed.is_over;
            for Claimed { chosen, taps, .. } in self.claimed.values().filter(there) {
                selector.insert(chosen.clone(), taps)?;
            }
            self.set_mtu(device, mtu)?;
            Ok((selector, mtu))
        })?;
        if let Some(at) = self.at.get_mut(device) {
            (at.selector, at.mtu) = (Some(selector), mtu);
        }
        self.share_beats();
        Ok(())
    }

    fn share_beats(&self) {
        let all = self.at.values().filter_map(|at| at.selector.as_ref());
        let all = all.map(Selector::deadlines).collect();
        *self.beats.write().unwrap_or_else(PoisonError::into_inner) = all;
    }
}

impl Drop for AtDevice {
    fn drop(&mut self) {
        let (selector, loopback) = (self.selector.take(), self.loopback.take());
        // Programs and settings that cannot be removed from there go with their namespace.
        let _ = within(self.network.as_ref(), || {
            drop((selector, loopback));
            Ok(())
        });
    }
}

/// Loads the programs for one of the devices that are gone, if one of them is back.
pub fn load_returned(gone: Vec<(Location, Option<Arc<Network>>)>) -> Option<(Location, Loaded)> {
    gone.into_iter().find_map(|(device, network)| {
        let loaded = within(network.as_ref(), || load(&device.device)).ok()?;
        Some((device, loaded))
    })
}

fn mtu(selector: &Selector) -> Result<u32> {
    selector.mtu().with_context(|| format!("cannot read the MTU of {}", selector.device()))
}

/// Puts off the deadlines of all devices. Reports silences that exceeded them.
fn heartbeat(beats: Arc<RwLock<Vec<Deadlines>>>, noticed: Sender<Duration>) -> Heartbeat {
    Heartbeat::new(move |worker| {
        // A caller that adds a device holds the lock for a moment; the next turn comes soon.
        let Ok(all) = beats.try_read() else { return };
        for deadlines in &*all {
            if let Some(beat) = deadlines.put_off(worker)
                && beat.silent > SILENCE
            {
                // There may be no receiver any more.
                let _ = noticed.send(beat.silent);
            }
        }
    })
}

/// Returns secret random bits.
pub fn secret() -> Result<u32> {
    let mut bytes = [0; 4];
    let mut random = File::open("/dev/urandom")?;
    random.read_exact(&mut bytes)?;
    Ok(u32::from_ne_bytes(bytes).max(1))
}
