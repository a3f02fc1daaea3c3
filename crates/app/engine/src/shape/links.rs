//! The links of claims in the kernel and in the data plane. Not here: the book of claims.

use std::collections::BTreeMap;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, RwLock};
use std::time::{Duration, Instant};

use anyhow::{Context, Result};
use netloom_dataplane::{
    Dataplane, End, Heartbeat, Incoming, LinkWiring, Options, PipeStatus, Scheduling, Watch, Wiring,
};
use netloom_fabric::{LinkEnd, LinkId, PipeId};
use netloom_link::{Direction, PipeChange};
use netloom_ports::{Tap, fitted};
use netloom_selector::{Chosen, Deadlines, Loopback, SILENCE, Selector, Taps, forget_filters};
use netloom_shape::{Entry, Key, PortPrefix, Protocol, Side};

use super::lateness::{LIMITS, Lateness};

/// Longest time for the pipes of an ended claim to deliver the frames in them.
const DRAIN: Duration = Duration::from_secs(30);
/// Longest time for frames to be on their way into a claim's link after the last was sent there.
const UNDER_WAY: Duration = Duration::from_millis(100);
/// The only worker, which has all claims.
const WORKER: u32 = 0;
/// The port of ssh, which a claim of everything leaves out.
const SSH: u16 = 22;

/// The links of all claims.
pub struct Links {
    dataplane: Dataplane,
    watch: Option<Watch>,
    selectors: BTreeMap<String, AtDevice>,
    links: BTreeMap<u64, Link>,
    draining: Vec<Draining>,
    beats: Arc<RwLock<Vec<Deadlines>>>,
    silences: Receiver<Duration>,
    mark: u32,
    last_link: u32,
    last_tap: u32,
}

/// The programs at a device, and the loopback settings that it needed.
struct AtDevice {
    selector: Option<Selector>,
    loopback: Option<Loopback>,
}

/// The link of a claim.
struct Link {
    id: LinkId,
    name: String,
    device: String,
    taps: Taps,
    chosen: Chosen,
    late: Lateness,
}

/// The link of a claim that has ended.
struct Draining {
    identity: u64,
    link: Link,
    since: Instant,
}

/// A change of a device.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum DeviceChange {
    /// The device is gone. Its claims wait for it.
    Gone(String),
    /// The device is back.
    Back(String),
}

impl Links {
    /// Makes the links without any claim yet. `mark` is secret.
    pub fn new(mark: u32, seed: u64) -> Result<Self> {
        let beats = Arc::<RwLock<Vec<Deadlines>>>::default();
        let (noticed, silences) = channel();
        let options = Options {
            seed,
            workers: Some(1),
            scheduling: Scheduling::RealTime,
            heartbeat: Some(heartbeat(Arc::clone(&beats), noticed)),
            ..Options::default()
        };
        let dataplane = Dataplane::start(Wiring::default(), options)?;
        Ok(Self {
            dataplane,
            watch: None,
            selectors: BTreeMap::new(),
            links: BTreeMap::new(),
            draining: Vec::new(),
            beats,
            silences,
            mark,
            last_link: 0,
            last_tap: 0,
        })
    }

    /// Makes the link of a claim and sends its frames there. Leaves everything as it was if that
    /// fails.
    pub fn add(&mut self, entry: &Entry) -> Result<()> {
        let device = entry.device.as_str();
        self.attach(device)?;
        let made = self.make(entry);
        if made.is_err() {
            self.detach_if_idle(device);
        }
        made
    }

    /// Lets a claim's frames pass unshaped from now on. Its link is removed when it has delivered
    /// the frames in it.
    pub fn remove(&mut self, identity: u64) -> Result<()> {
        let Some(link) = self.links.remove(&identity) else { return Ok(()) };
        let selector = self.selectors.get_mut(&link.device).and_then(|at| at.selector.as_mut());
        let removed = selector.map_or(Ok(()), |selector| selector.remove(identity));
        self.draining.push(Draining { identity, link, since: Instant::now() });
        Ok(removed?)
    }

    /// Changes the pipes of a claim: that of sent frames, and that of received frames.
    pub fn change(&self, identity: u64, changes: [&PipeChange; 2]) -> Result<()> {
        let link = self.links.get(&identity).context("the claim has no link")?;
        let batch: Vec<(PipeId, PipeChange)> = [Direction::Forward, Direction::Reverse]
            .into_iter()
            .zip(changes)
            .filter(|(_, change)| !change.is_empty())
            .map(|(direction, change)| (PipeId { link: link.id, direction }, change.clone()))
            .collect();
        self.dataplane.change(&batch)?;
        Ok(())
    }

    /// Returns the states of the pipes of all claims, by claim.
    pub fn pipes(&self) -> Result<BTreeMap<u64, Vec<PipeStatus>>> {
        let of: BTreeMap<LinkId, u64> =
            self.links.iter().map(|(identity, link)| (link.id, *identity)).collect();
        let mut all: BTreeMap<u64, Vec<PipeStatus>> = BTreeMap::new();
        for pipe in self.dataplane.pipes()? {
            if let Some(identity) = of.get(&pipe.id.link) {
                all.entry(*identity).or_default().push(pipe);
            }
        }
        Ok(all)
    }

    /// Returns the number of frames of a claim that were lost because the engine did not read them
    /// in time.
    pub fn dropped(&self, identity: u64) -> u64 {
        self.links.get(&identity).map_or(0, |link| Taps::dropped(&link.taps.names))
    }

    /// Returns the lateness of a claim's frames.
    pub fn lateness(&self, identity: u64) -> Lateness {
        self.links.get(&identity).map(|link| link.late.clone()).unwrap_or_default()
    }

    /// Adds the lateness of the frames that left since the last call.
    pub fn note_lateness(&mut self) {
        let Some(watch) = &mut self.watch else { return };
        let mut of: BTreeMap<LinkId, &mut Lateness> =
            self.links.values_mut().map(|link| (link.id, &mut link.late)).collect();
        for pipe in watch.lateness() {
            if let Some(late) = of.get_mut(&pipe.pipe.link) {
                late.add(&pipe.late);
            }
        }
    }

    /// Returns the times since the last call for which frames passed unshaped because the worker
    /// was silent.
    pub fn silences(&self) -> Vec<Duration> {
        self.silences.try_iter().collect()
    }

    /// Returns the settings of loopbacks that were changed, as the state file stores them.
    pub fn loopback_settings(&self) -> Vec<(String, String, String)> {
        let all =
            self.selectors.iter().filter_map(|(device, at)| Some((device, at.loopback.as_ref()?)));
        let settings = all.flat_map(|(device, loopback)| {
            let named =
                |(name, was): &(String, String)| (device.clone(), name.clone(), was.clone());
            loopback.before().iter().map(named).collect::<Vec<_>>()
        });
        settings.collect()
    }

    /// Returns the devices that have programs.
    pub fn devices(&self) -> Vec<String> {
        self.selectors.keys().cloned().collect()
    }

    /// Removes empty links whose claims have ended, and checks whether devices have gone or come
    /// back.
    pub fn look(&mut self) -> Result<Vec<DeviceChange>> {
        self.note_lateness();
        self.drain()?;
        let mut changes = Vec::new();
        let devices: Vec<String> = self.selectors.keys().cloned().collect();
        for device in devices {
            let Some(at) = self.selectors.get_mut(&device) else { continue };
            let was_there = at.selector.is_some();
            at.selector.take_if(|selector| !selector.is_there());
            if was_there && at.selector.is_none() {
                self.share_beats();
                changes.push(DeviceChange::Gone(device));
            } else if !was_there && self.come_back(&device).is_ok() {
                changes.push(DeviceChange::Back(device));
            }
        }
        Ok(changes)
    }

    /// Whether there is no link, not even one that is being emptied.
    pub fn is_empty(&self) -> bool {
        self.links.is_empty() && self.draining.is_empty()
    }

    fn attach(&mut self, device: &str) -> Result<()> {
        if self.selectors.get(device).is_some_and(|at| at.selector.is_some()) {
            return Ok(());
        }
        forget_filters(device);
        let selector = Selector::attach(device, self.mark)?;
        let loopback = match selector.is_loopback() {
            true => Some(Loopback::prepare(device).with_context(|| {
                format!("cannot prepare {device} (/proc/sys must be writable)")
            })?),
            false => None,
        };
        selector.deadlines().put_off(WORKER as usize);
        self.selectors.insert(device.into(), AtDevice { selector: Some(selector), loopback });
        self.share_beats();
        Ok(())
    }

    fn detach_if_idle(&mut self, device: &str) {
        let is_used = self.links.values().any(|link| link.device == device)
            || self.draining.iter().any(|draining| draining.link.device == device);
        if !is_used {
            self.selectors.remove(device);
            self.share_beats();
        }
    }

    /// Attaches the programs at a device that was gone, with all its claims.
    fn come_back(&mut self, device: &str) -> Result<()> {
        let mut selector = Selector::attach(device, self.mark)?;
        selector.deadlines().put_off(WORKER as usize);
        for link in self.links.values().filter(|link| link.device == device) {
            selector.insert(link.chosen.clone(), &link.taps)?;
        }
        if let Some(at) = self.selectors.get_mut(device) {
            at.selector = Some(selector);
        }
        self.share_beats();
        Ok(())
    }

    fn make(&mut self, entry: &Entry) -> Result<()> {
        let mtu = self.selector(&entry.device)?.mtu()?;
        let mut taps = self.free_taps(mtu)?;
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
        let name = format!("{}/{}", entry.owner.name, entry.name);
        self.last_link += 1;
        let id = LinkId(self.last_link);
        let ends = ends.map(|end| LinkEnd::Port(fitted(Box::new(Tap::from_fd(end)))));
        let wiring = LinkWiring { id, name: name.clone(), ends, pipes: entry.claim.pipes() };
        // The watch of the earlier links ends with this.
        self.note_lateness();
        let wired = self.dataplane.put_in(vec![Incoming::New(Box::new(wiring))], Some(LIMITS));
        self.watch = wired.map_err(|refused| refused.error)?;
        if let Err(error) = self.selector(&entry.device)?.insert(chosen.clone(), &taps) {
            drop(self.take_out(id, &name)?);
            return Err(error.into());
        }
        let device = entry.device.clone();
        self.links
            .insert(entry.id, Link { id, name, device, taps, chosen, late: Lateness::default() });
        Ok(())
    }

    fn selector(&mut self, device: &str) -> Result<&mut Selector> {
        let at = self.selectors.get_mut(device).and_then(|at| at.selector.as_mut());
        at.with_context(|| format!("{device} is gone"))
    }

    /// Makes TAPs with unused names.
    fn free_taps(&mut self, mtu: u32) -> Result<Taps> {
        for _ in 0..1000 {
            self.last_tap = (self.last_tap + 1) % 1_000_000;
            let name = format!("/sys/class/net/nls{}.h", self.last_tap);
            if !std::path::Path::new(&name).exists() {
                return Ok(Taps::make(self.last_tap, mtu)?);
            }
        }
        anyhow::bail!("all names of devices that begin with `nls` are taken")
    }

    fn take_out(&mut self, id: LinkId, name: &str) -> Result<Vec<[End; 2]>> {
        let taken = self.dataplane.take_out(&[(id, name.into())])?;
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
            if let Some(AtDevice { selector: Some(selector), .. }) =
                self.selectors.get_mut(&link.device)
            {
                selector.forget(identity);
            }
            drop(self.take_out(link.id, &link.name)?);
            self.detach_if_idle(&link.device);
        }
        Ok(())
    }

    fn share_beats(&self) {
        let all = self.selectors.values().filter_map(|at| at.selector.as_ref());
        let all = all.map(Selector::deadlines).collect();
        *self.beats.write().unwrap_or_else(std::sync::PoisonError::into_inner) = all;
    }
}

impl Drop for Links {
    fn drop(&mut self) {
        // Frames that arrive now pass unshaped. Frames in the links are lost with them.
        self.selectors.clear();
    }
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

/// Returns the traffic that a claim of everything leaves out.
fn ssh() -> Vec<Key> {
    let ports = PortPrefix { first: SSH, bits: 16 };
    [Side::Local, Side::Remote].map(|side| Key::Port(side, Protocol::Tcp, ports)).to_vec()
}
