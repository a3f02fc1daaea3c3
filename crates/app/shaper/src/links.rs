//! The links of claims in the kernel and in the data plane. Not here: the book of claims, and the
//! devices at which they are (`devices`).

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::mpsc::Receiver;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use anyhow::{Context, Result};
use netloom_dataplane::{
    Capture, Dataplane, End, Incoming, LinkWiring, Options, PipeStatus, Scheduling, Wiring,
};
use netloom_fabric::{LinkEnd, LinkId, PipeId};
use netloom_link::{Direction, PipeChange, Window};
use netloom_ports::{Share, Shared, Tap, fitted};
use netloom_selector::{Chosen, Loaded, Network, Reservations, Taps};
use netloom_shape::wire::LinkSide;
use netloom_shape::{Entry, Held, Key, Location, NetworkId, PortPrefix, Protocol, Side};
use netloom_units::Time;

use crate::devices::{DeviceChange, Devices, Prepared, WORKER};
use crate::judging::{ClaimTaps, Judged, Judging, LIMITS};
use crate::state::ChangedSetting;

/// Longest time for the pipes of an ended claim to deliver the frames in them.
const DRAIN: Duration = Duration::from_secs(30);
/// Longest time for frames to be on their way into a claim's link after the last was sent there.
const UNDER_WAY: Duration = Duration::from_millis(100);
/// The port of ssh, which a claim of everything leaves out.
const SSH: u16 = 22;

/// The links of all claims.
pub struct Links {
    dataplane: Dataplane,
    judging: Judging,
    devices: Devices,
    links: BTreeMap<u64, Link>,
    draining: Vec<Draining>,
    /// The ports that claims reserve, if there are any.
    reservations: Option<Reservations>,
    silences: Receiver<Duration>,
    last_link: u32,
}

/// The link of a claim.
#[derive(Clone)]
struct Link {
    id: LinkId,
    name: String,
    /// The user whose claim it is.
    owner: u32,
    /// The memory of its frames.
    share: Share,
}

/// The link of a claim that has ended.
struct Draining {
    identity: u64,
    link: Link,
    since: Instant,
}

impl Links {
    /// Makes the links without any claim yet.
    pub fn new(seed: u64) -> Result<Self> {
        let (devices, heartbeat, silences) = Devices::new();
        let options = Options {
            seed,
            workers: Some(1),
            scheduling: Scheduling::RealTime,
            heartbeat: Some(heartbeat),
            ..Options::default()
        };
        let dataplane = Dataplane::start(Wiring::default(), options)?;
        Ok(Self {
            judging: Judging::new(dataplane.clock()),
            dataplane,
            devices,
            links: BTreeMap::new(),
            draining: Vec::new(),
            reservations: None,
            silences,
            last_link: 0,
        })
    }

    /// Whether a device has the programs.
    pub fn has_programs(&self, device: &Location) -> bool {
        self.devices.has_programs(device)
    }

    /// Makes the link of a claim and sends its frames there. Leaves everything as it was if that
    /// fails.
    pub fn add(&mut self, entry: &Entry, prepared: Prepared) -> Result<()> {
        let Prepared { network, loaded, taps } = prepared;
        let device = entry.location();
        self.devices.attach(&device, network.as_ref(), loaded)?;
        let made = self.reserve(entry).and_then(|()| self.make(entry, network, taps));
        if made.is_err() {
            self.devices.detach_if_idle(&device);
            self.release(entry.id)?;
        }
        made
    }

    /// Returns the memory that frames take in the links of claims, also of those that have ended.
    pub fn held(&self) -> Held {
        let current = self.links.iter().map(|(identity, link)| (*identity, link));
        let draining = self.draining.iter().map(|ended| (ended.identity, &ended.link));
        let used = |link: &Link| link.share.used() as u64;
        current.chain(draining).map(|(id, link)| (id, (link.owner, used(link)))).collect()
    }

    /// Lets a claim's frames pass unshaped from now on, and others bind its ports. Its link is
    /// removed when it has delivered the frames in it.
    pub fn remove(&mut self, identity: u64) -> Result<()> {
        let Some(link) = self.links.remove(&identity) else { return Ok(()) };
        self.judging.end(link.id);
        let removed = self.devices.remove(identity);
        self.draining.push(Draining { identity, link, since: Instant::now() });
        self.release(identity)?;
        removed
    }

    /// Changes the pipes of a claim: that of sent frames, and that of received frames.
    pub fn change(&self, entry: &Entry, changes: [&PipeChange; 2]) -> Result<()> {
        let link = self.links.get(&entry.id).context("the claim has no link yet")?;
        let batch: Vec<(PipeId, PipeChange)> = Direction::BOTH
            .into_iter()
            .zip(changes)
            .filter(|(_, change)| !change.is_empty())
            .map(|(direction, change)| (PipeId { link: link.id, direction }, change.clone()))
            .collect();
        self.dataplane.change(&batch)?;
        link.share.set_limit(share_of(entry));
        Ok(())
    }

    /// Begins to capture a claim's frames at one end of its link: the host's, or that of the wire.
    /// With `drops`, it includes those that the link drops. Also returns the zero of its times,
    /// since 1970-01-01 UTC.
    pub fn capture(&self, identity: u64, at: LinkSide, drops: bool) -> Result<(Capture, Duration)> {
        let link = self.links.get(&identity).context("the claim has no link")?;
        let end = match at {
            LinkSide::Host => 0,
            LinkSide::Wire => 1,
        };
        let capture = match drops {
            true => self.dataplane.capture_with_drops(link.id, end)?,
            false => self.dataplane.capture(link.id, end)?,
        };
        let (unix, own) = (SystemTime::now().duration_since(UNIX_EPOCH)?, self.dataplane.now());
        Ok((capture, unix.saturating_sub(own.since(Time::ZERO).into())))
    }

    /// Returns the states of the pipes of all claims, by claim: since they began, or over the last
    /// seconds.
    pub fn pipes(&self, window: Option<Window>) -> Result<BTreeMap<u64, Vec<PipeStatus>>> {
        let of: BTreeMap<LinkId, u64> =
            self.links.iter().map(|(identity, link)| (link.id, *identity)).collect();
        let mut all: BTreeMap<u64, Vec<PipeStatus>> = BTreeMap::new();
        let pipes = match window {
            Some(window) => self.dataplane.recent_pipes(window)?,
            None => self.dataplane.pipes()?,
        };
        for pipe in pipes {
            if let Some(identity) = of.get(&pipe.id.link) {
                all.entry(*identity).or_default().push(pipe);
            }
        }
        Ok(all)
    }

    /// Returns the judgements on the frames of all claims so far, by claim.
    pub fn judge(&mut self) -> BTreeMap<u64, Judged> {
        let mut judged = self.judging.judge();
        let links = self.links.iter();
        links.filter_map(|(identity, link)| Some((*identity, judged.remove(&link.id)?))).collect()
    }

    /// Returns the times since the last call for which frames passed unshaped because the worker
    /// was silent.
    pub fn silences(&self) -> Vec<Duration> {
        self.silences.try_iter().collect()
    }

    /// Returns the settings of loopbacks that were changed, as the state file stores them.
    pub fn loopback_settings(&self) -> Vec<ChangedSetting> {
        self.devices.loopback_settings()
    }

    /// Returns the devices that have programs.
    pub fn devices(&self) -> Vec<Location> {
        self.devices.names()
    }

    /// Returns the other network namespaces with claims whose names do not mean them any more.
    pub fn lost_networks(&self) -> Vec<NetworkId> {
        self.devices.lost_networks()
    }

    /// Returns the claims of which a TAP is gone.
    pub fn without_tap(&self) -> Vec<u64> {
        let lacking = self.judging.without_tap();
        let links = self.links.iter().filter(|(_, link)| lacking.contains(&link.id));
        links.map(|(identity, _)| *identity).collect()
    }

    /// Observes the frames of all claims, removes empty links whose claims have ended, and checks
    /// whether devices have gone, come back or changed.
    pub fn look(
        &mut self,
        returned: Option<(Location, Loaded)>,
    ) -> Result<Vec<(Location, DeviceChange)>> {
        self.judging.look();
        self.drain()?;
        Ok(self.devices.look(returned))
    }

    /// Returns the devices that are gone, with their network namespaces.
    pub fn gone(&self) -> Vec<(Location, Option<Arc<Network>>)> {
        self.devices.gone()
    }

    /// Whether there is no link, not even one that is being emptied.
    pub fn is_empty(&self) -> bool {
        self.links.is_empty() && self.draining.is_empty()
    }

    fn make(&mut self, entry: &Entry, network: Option<Arc<Network>>, mut taps: Taps) -> Result<()> {
        let device = entry.location();
        let target = entry.target();
        let keys = entry.claim.selector.keys(&target).map_err(anyhow::Error::msg)?;
        let ends = taps.ends.take().context("the TAPs have no ends")?;
        let chosen = Chosen {
            identity: entry.id,
            owner: (target.tier, target.uid),
            keys,
            passing: if entry.claim.selector.everything { ssh() } else { Vec::new() },
            cgroup: entry.cgroup,
            taps: taps.indices,
            worker: WORKER,
        };
        self.last_link += 1;
        let link = Link {
            id: LinkId(self.last_link),
            name: format!("{}/{}", entry.owner.name, entry.name),
            owner: entry.owner.uid,
            share: Share::new(share_of(entry)),
        };
        let device_of = |end| Shared::new(Tap::from_fd(end), link.share.clone());
        let ends = ends.map(|end| LinkEnd::Port(fitted(Box::new(device_of(end)))));
        let (name, pipes) = (link.name.clone(), entry.claim.pipes());
        self.judging.begin(link.id, &name, ClaimTaps { names: taps.names.clone(), network });
        let wiring = LinkWiring { id: link.id, name, ends, pipes, mtus: [None; 2], peer: None };
        let redirected =
            self.wire(wiring).and_then(|()| self.devices.insert(&device, chosen, taps));
        if let Err(error) = redirected {
            self.judging.end(link.id);
            // It is not there if the data plane has refused it.
            let _ = self.take_out(&link);
            return Err(error);
        }
        self.links.insert(entry.id, link);
        Ok(())
    }

    fn wire(&mut self, wiring: LinkWiring) -> Result<()> {
        let wired = self.dataplane.put_in(vec![Incoming::New(Box::new(wiring))], Some(LIMITS));
        // The watch of the earlier links ends with this.
        self.judging.replace(wired.map_err(|refused| refused.error)?);
        Ok(())
    }

    /// Keeps the ports of a claim for its user, if it asks for that.
    fn reserve(&mut self, entry: &Entry) -> Result<()> {
        if !entry.claim.reserve {
            return Ok(());
        }
        let reservations = match &mut self.reservations {
            Some(reservations) => reservations,
            none => none.insert(Reservations::attach()?),
        };
        let ports = entry.claim.selector.local_ports();
        Ok(reservations.insert(entry.id, entry.holder(), &ports)?)
    }

    /// Ends the reservations of a claim. The programs go with the last one.
    fn release(&mut self, identity: u64) -> Result<()> {
        let Some(reservations) = &mut self.reservations else { return Ok(()) };
        let removed = reservations.remove(identity);
        self.reservations.take_if(|reservations| reservations.is_empty());
        Ok(removed?)
    }

    fn take_out(&mut self, link: &Link) -> Result<Vec<[End; 2]>> {
        let taken = self.dataplane.take_out(&[(link.id, link.name.clone())])?;
        Ok(taken.into_iter().map(|(_, ends)| ends).collect())
    }

    fn drain(&mut self) -> Result<()> {
        if self.draining.is_empty() {
            return Ok(());
        }
        let held =
            |pipe: &PipeStatus| pipe.statistics.queue.now.frames + pipe.statistics.in_flight.frames;
        let full: Vec<LinkId> = self
            .dataplane
            .pipes()?
            .iter()
            .filter(|pipe| held(pipe) > 0)
            .map(|pipe| pipe.id.link)
            .collect();
        let is_over = |draining: &mut Draining| {
            let waited = draining.since.elapsed();
            waited > DRAIN || (waited > UNDER_WAY && !full.contains(&draining.link.id))
        };
        let over: Vec<Draining> = self.draining.extract_if(.., is_over).collect();
        for Draining { identity, link, .. } in over {
            drop(self.take_out(&link)?);
            self.devices.forget(identity);
        }
        Ok(())
    }
}

impl Drop for Links {
    fn drop(&mut self) {
        // Frames that arrive now pass unshaped. Frames in the links are lost with them.
        self.devices.clear();
    }
}

/// Returns the memory that the frames of a claim may take, in bytes.
fn share_of(entry: &Entry) -> usize {
    usize::try_from(entry.need.frames(&entry.claim)).unwrap_or(usize::MAX)
}

/// Returns the traffic that a claim of everything leaves out.
fn ssh() -> Vec<Key> {
    let ports = PortPrefix { first: SSH, bits: 16 };
    [Side::Local, Side::Remote].map(|side| Key::Port(side, Protocol::Tcp, ports)).to_vec()
}
