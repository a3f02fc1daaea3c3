//! Keeps the claims and their links consistent: a request takes effect completely or not at all.

use std::collections::BTreeMap;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use anyhow::Result;
use netloom_dataplane::{Capture, PipeStatus, default_frame_memory};
use netloom_link::Window;
use netloom_results::CaptureWriter;
use netloom_scenario::Endpoint;
use netloom_selector::Loaded;
use netloom_shape::wire::{Add, CaptureOf, Done, List, Room, Set};
use netloom_shape::{
    Book, BoundPort, Capacity, Claim, Entry, Held, Lifetime, Location, Moment, Owner, Policy,
    Protocol, Refusal, Request, Terms,
};
use netloom_units::Rate;

use crate::audit::{Audit, Record};
use crate::devices::{DeviceChange, Prepared, load_returned, secret};
use crate::judging::Judged;
use crate::links::Links;
use crate::listing::Whose;
use crate::moment::now;
use crate::people::Bound;
use crate::places::Named;
use crate::state::{StateFile, Written};
use crate::unshaped::Unshaped;
use crate::{listing, people, places};
use netloom_api::taken_back;

/// Time after which an unneeded daemon ends.
const IDLE: Duration = Duration::from_secs(60);

/// The state of a daemon.
pub struct Shaping {
    inner: Mutex<Inner>,
    policy: Policy,
    capacity: Capacity,
    is_calibrated: bool,
    file: StateFile,
    /// The record of requests and events.
    pub audit: Audit,
    /// Changes of each user in the second that began then.
    changes: Mutex<BTreeMap<u32, (Instant, u32)>>,
}

/// What requests change. Whoever holds it keeps all others waiting: what takes long is done before.
struct Inner {
    book: Book,
    links: Links,
    unshaped: Unshaped,
    idle_since: Instant,
}

/// The settings of a daemon.
pub struct Setting {
    /// The administrator's policy.
    pub policy: Policy,
    /// The rate that the machine can bear, as measured.
    pub bears: Option<Rate>,
    /// The file in which claims are stored.
    pub file: StateFile,
    /// The record of requests and events.
    pub audit: Audit,
}

impl Shaping {
    /// Starts with the claims of an earlier daemon that have not expired. The daemon may have
    /// `files` open files.
    pub fn start(setting: Setting, files: u64) -> Result<Self> {
        let Setting { policy, bears, file, audit } = setting;
        let kept = file.read()?;
        kept.restore();
        let mut book = kept.book;
        let links = Links::new(u64::from(secret()?))?;
        book.expire(now());
        // The rest is for what is not foreseen, as pieces of super-frames.
        let most = default_frame_memory() as u64 / 2;
        let capacity = Capacity::of(bears, &policy, files);
        let capacity = Capacity { bytes: capacity.bytes.min(most), ..capacity };
        let inner = Inner {
            book: book.successor(),
            links,
            unshaped: Unshaped::default(),
            idle_since: Instant::now(),
        };
        let (inner, changes) = (Mutex::new(inner), Mutex::default());
        let is_calibrated = bears.is_some();
        let shaping = Self { inner, policy, capacity, is_calibrated, file, audit, changes };
        shaping.take_up(&book)?;
        Ok(shaping)
    }

    /// Whether a user may request changes.
    pub fn allows(&self, owner: &Owner, gid: u32) -> bool {
        self.policy.allows(owner, || people::groups(owner, gid))
    }

    /// Returns the refusal for a user who may not.
    pub fn not_allowed(&self, owner: &Owner) -> Refusal {
        Refusal::NotAllowed { name: owner.name.clone(), policy: self.policy.file.clone() }
    }

    /// Makes a claim.
    pub fn add(&self, owner: &Owner, add: &Add) -> Result<Done> {
        self.count_change(owner)?;
        let Add { name, claim, force } = add;
        self.make(owner, name, claim, *force)
    }

    /// Makes a claim, whichever way it was asked for.
    fn make(&self, owner: &Owner, name: &str, claim: &Claim, force: bool) -> Result<Done> {
        let selector = &claim.selector;
        claim.check().map_err(Refusal::Malformed)?;
        if let Some(unread) = [&claim.out, &claim.inward].iter().find_map(|pipe| pipe.unread_file())
        {
            return Err(refuse(format!(
                "the daemon opens no files: `{}` must come with its values",
                unread.file
            )));
        }
        self.policy.check_network(selector)?;
        if claim.lifetime == Lifetime::Session && people::has_session(owner.uid).is_none() {
            return Err(refuse(
                "nobody says here when sessions end (systemd-logind): give a time, as `2h`",
            ));
        }
        let Named { network, device, mtu, cgroup, user } =
            Named::find(selector, owner).map_err(|error| refuse(format!("{error:#}")))?;
        let mut request = Request {
            owner,
            name,
            claim,
            cgroup,
            user,
            network: network.as_ref().map(|network| network.id()),
            device: &device,
            mtu,
            bound: &[],
            force,
        };
        let bound = match request.needs_free_ports() {
            true => {
                people::bound(request.holder(), |protocol, port| is_local(claim, protocol, port))
            }
            false => Vec::new(),
        };
        let ports: Vec<BoundPort> = bound.iter().map(|bound| bound.port.clone()).collect();
        request.bound = &ports;
        let admitted = self.admit(&request);
        let (entry, has_programs) = admitted.map_err(|refused| named(refused, &bound))?;
        let prepared = Prepared::new(&device, mtu, network, has_programs);
        let (entry, sent) = {
            let mut inner = self.lock();
            let begun = inner.book.begin(entry.id, now());
            let gone = || refuse("the claim has been removed before it was made");
            let made = begun.ok_or_else(gone).and_then(|entry| {
                self.carry_out(&mut inner, &entry, prepared?)?;
                Ok(entry)
            });
            match made {
                Ok(entry) => {
                    let sent = sent_at(&inner, &entry);
                    (entry, sent)
                }
                Err(error) => {
                    inner.book.take(entry.id);
                    return Err(taken_back(error, self.keep(&inner)));
                }
            }
        };
        Ok(Done { was: None, notes: self.notes(&entry, sent), is: entry })
    }

    /// Puts a claim into the book, and so takes its place, before it is made. Also returns whether
    /// its device has the programs.
    fn admit(&self, request: &Request<'_>) -> Result<(Entry, bool)> {
        let mut inner = self.lock();
        let held = inner.links.held();
        let entry = inner.book.add(request, self.terms(&held))?;
        if let Err(error) = self.keep(&inner) {
            inner.book.take(entry.id);
            return Err(error);
        }
        let has_programs = inner.links.has_programs(&entry.location());
        Ok((entry, has_programs))
    }

    fn terms<'a>(&'a self, held: &'a Held) -> Terms<'a> {
        Terms { policy: &self.policy, capacity: self.capacity, held, now: now() }
    }

    /// Changes the pipes of a claim.
    pub fn set(&self, owner: &Owner, name: &str, set: &Set) -> Result<Done> {
        self.count_change(owner)?;
        let Set { out, inward } = set;
        if let Some(unread) = [out, inward].iter().find_map(|pipe| pipe.unread_file()) {
            return Err(refuse(format!(
                "the daemon opens no files: `{}` must come with its values",
                unread.file
            )));
        }
        let mut inner = self.lock();
        let held = inner.links.held();
        let (was, is) = inner.book.set(owner, name, [out, inward], self.terms(&held))?;
        let changed = self.keep(&inner).and_then(|()| inner.links.change(&is, [out, inward]));
        if let Err(error) = changed {
            inner.book.replace(&was);
            return Err(taken_back(error, self.keep(&inner)));
        }
        Ok(Done { was: Some(was), is, notes: Vec::new() })
    }

    /// Extends the lifetime of a claim, or makes it again if it has just ended.
    pub fn renew(&self, owner: &Owner, name: &str, lifetime: Lifetime) -> Result<Done> {
        self.count_change(owner)?;
        let ended = {
            let mut inner = self.lock();
            if let Some(was) = inner.book.find(owner, name).cloned() {
                let held = inner.links.held();
                let is = inner.book.renew(owner, name, lifetime, self.terms(&held))?;
                if let Err(error) = self.keep(&inner) {
                    inner.book.replace(&was);
                    return Err(error);
                }
                return Ok(Done { was: Some(was), is, notes: Vec::new() });
            }
            inner.book.ended(owner, name, now())?.clone()
        };
        let claim = Claim { lifetime, ..ended.claim };
        self.make(owner, name, &claim, ended.forced)
    }

    /// Ends a claim.
    pub fn remove(&self, owner: &Owner, name: &str) -> Result<Entry> {
        self.count_change(owner)?;
        let mut inner = self.lock();
        let entry = inner.book.remove(owner, name, now())?;
        // It is out of the book, so it must be out of the file, or the next daemon makes it again.
        let (ended, kept) = (inner.end(&entry), self.keep(&inner));
        ended.and(kept)?;
        Ok(entry)
    }

    /// Ends all claims of a user, or of all users.
    pub fn remove_all(&self, owner: &Owner, of_others: bool) -> Result<Vec<Entry>> {
        if of_others && !owner.is_root() {
            return Err(Refusal::RootOnly("`--all`", "end your own with `--mine`").into());
        }
        self.count_change(owner)?;
        let mut inner = self.lock();
        let is_meant = |entry: &&Entry| of_others || entry.owner.uid == owner.uid;
        let ids: Vec<u64> =
            inner.book.entries().iter().filter(is_meant).map(|entry| entry.id).collect();
        let ended: Vec<Entry> = ids.into_iter().filter_map(|id| inner.book.take(id)).collect();
        let all = ended.iter().map(|entry| inner.end(entry)).reduce(Result::and);
        all.unwrap_or(Ok(())).and(self.keep(&inner))?;
        Ok(ended)
    }

    /// Returns the claims that a user may read. With a window, also the statistics of the last
    /// seconds.
    pub fn list(&self, owner: &Owner, whose: Whose, window: Option<Window>) -> Result<List> {
        let mut inner = self.lock();
        self.note_silences(&mut inner);
        let pipes = inner.links.pipes(None)?;
        let recent = match window {
            Some(_) => inner.links.pipes(window)?,
            None => BTreeMap::new(),
        };
        let mut judged = inner.links.judge();
        let at = now();
        let all =
            |of: &BTreeMap<u64, Vec<PipeStatus>>, id| of.get(&id).cloned().unwrap_or_default();
        Ok(listing::list(&inner.book, owner, whose, |entry| {
            listing::listed(
                entry,
                listing::State {
                    pipes: &all(&pipes, entry.id),
                    recent: &all(&recent, entry.id),
                    judged: judged.remove(&entry.id).unwrap_or_else(Judged::unobserved),
                    unshaped: inner.unshaped.reasons(entry, at),
                    suspended: inner.unshaped.gone_since(&entry.location()),
                },
            )
        }))
    }

    /// Begins to capture the frames of a user's claim. Also returns the writer of what is captured.
    pub fn capture(
        &self,
        owner: &Owner,
        name: &str,
        of: CaptureOf,
    ) -> Result<(Capture, CaptureWriter)> {
        let inner = self.lock();
        let entry = inner.book.find(owner, name);
        let entry = entry.ok_or_else(|| Refusal::Unknown(name.into()))?;
        let (capture, zero) = inner.links.capture(entry.id, of.at, of.drops)?;
        let endpoint = Endpoint { node: entry.name.clone(), interface: entry.device.clone() };
        Ok((capture, CaptureWriter::new(&endpoint, zero)?))
    }

    /// Returns the room that is left for claims.
    pub fn room(&self, owner: &Owner) -> Room {
        let inner = self.lock();
        let held = inner.links.held();
        let of_user = || self.capacity.of_user(&self.policy);
        Room {
            all: self.capacity,
            given: inner.book.given(None, &held),
            own: if owner.is_root() { self.capacity } else { of_user() },
            taken: inner.book.given(Some(owner.uid), &held),
            is_calibrated: self.is_calibrated,
        }
    }

    /// Ends expired claims, removes empty links, and records devices that have gone or come back.
    /// Returns whether this daemon is still needed.
    pub fn look(&self) -> Result<bool> {
        let gone = self.lock().links.gone();
        let returned = load_returned(gone);
        let mut inner = self.lock();
        let at = now();
        let mut over = inner.book.expire(at);
        over.extend(inner.left_behind());
        for entry in &over {
            inner.end(entry)?;
            self.audit.event(Record::of_claim("expired", entry, None));
        }
        let lost = inner.lost();
        for (entry, reason) in &lost {
            inner.end(entry)?;
            self.audit.event(Record::of_claim("lost", entry, Some((*reason).into())));
        }
        if !(over.is_empty() && lost.is_empty()) {
            self.keep(&inner)?;
        }
        self.note_silences(&mut inner);
        self.note_devices(&mut inner, at, returned)?;
        let is_idle = inner.book.entries().is_empty() && inner.links.is_empty();
        if !is_idle {
            inner.idle_since = Instant::now();
        }
        Ok(inner.idle_since.elapsed() < IDLE)
    }

    /// Whether there is neither a claim nor a link that is being emptied.
    pub fn is_empty(&self) -> bool {
        let inner = self.lock();
        inner.book.entries().is_empty() && inner.links.is_empty()
    }

    fn note_silences(&self, inner: &mut Inner) {
        let silent: Duration = inner.links.silences().iter().sum();
        if silent == Duration::ZERO {
            return;
        }
        let (entries, at) = (inner.book.entries().to_vec(), now());
        for entry in entries {
            inner.unshaped.stood_still(&entry, silent, at);
            let reason =
                format!("not shaped for {} ms: the daemon stood still", silent.as_millis());
            self.audit.event(Record::of_claim("unshaped", &entry, Some(reason)));
        }
    }

    fn note_devices(
        &self,
        inner: &mut Inner,
        at: Moment,
        returned: Option<(Location, Loaded)>,
    ) -> Result<()> {
        for (device, change) in inner.links.look(returned)? {
            let entries = inner.book.entries().to_vec();
            match change {
                DeviceChange::Gone => inner.unshaped.device_gone(&device, at),
                DeviceChange::Back => inner.unshaped.device_back(&device, &entries, at),
                DeviceChange::Mtu(..) => {}
            }
            let (verb, reason) = change.in_words(&device);
            for entry in entries.iter().filter(|entry| entry.location() == device) {
                self.audit.event(Record::of_claim(verb, entry, Some(reason.clone())));
            }
        }
        Ok(())
    }

    /// Takes over the book of an earlier daemon: makes each claim anew that this one admits, or
    /// records its end.
    fn take_up(&self, book: &Book) -> Result<()> {
        let mut inner = self.lock();
        for entry in book.entries() {
            match self.take_over(&mut inner, entry) {
                Ok(entry) => {
                    inner.unshaped.take_up(&entry, now());
                    self.audit.event(Record::of_claim("taken-up", &entry, None));
                }
                Err(error) => {
                    inner.book.take(entry.id);
                    let reason = Some(format!("{error:#}"));
                    self.audit.event(Record::of_claim("lost", entry, reason));
                }
            }
        }
        self.keep(&inner)
    }

    fn take_over(&self, inner: &mut Inner, entry: &Entry) -> Result<Entry> {
        let group = people::group_of(&entry.owner).unwrap_or(people::overflow_uid());
        if !self.allows(&entry.owner, group) {
            return Err(self.not_allowed(&entry.owner).into());
        }
        self.policy.check_network(&entry.claim.selector)?;
        let network = places::network_of(entry)?;
        let mtu = places::mtu_of(network.as_ref(), &entry.device)?;
        let held = inner.links.held();
        let entry = Entry { mtu, ..entry.clone() };
        let entry = inner.book.take_up(&entry, self.terms(&held))?;
        let has_programs = inner.links.has_programs(&entry.location());
        let prepared = Prepared::new(&entry.device, mtu, network, has_programs)?;
        inner.links.add(&entry, prepared)?;
        Ok(entry)
    }

    /// Makes a claim that is in the file.
    fn carry_out(&self, inner: &mut Inner, entry: &Entry, prepared: Prepared) -> Result<()> {
        // A device that went with its last claim is as good as new.
        inner.unshaped.keep_devices(&inner.links.devices());
        inner.links.add(entry, prepared)?;
        inner.idle_since = Instant::now();
        // The time of the claim, the devices with filters, and the settings of a loopback that were
        // changed, are only known now.
        self.keep(inner)
    }

    fn keep(&self, inner: &Inner) -> Result<()> {
        self.file.write(&Written {
            book: &inner.book,
            loopback: inner.links.loopback_settings(),
            devices: inner.links.devices(),
        })
    }

    /// Returns notes for the user about a new claim, at whose device claims send `out` bits per
    /// second.
    fn notes(&self, entry: &Entry, out: u64) -> Vec<String> {
        let mut notes = Vec::new();
        if !self.is_calibrated {
            notes.push(
                "this machine was not measured: it is taken to bear 1 Gbit/s \
                        (netloom calibrate --shape)"
                    .into(),
            );
        }
        // Devices of other networks have no speed of their own, as a rule.
        let speed = match entry.network {
            None => places::speed(&entry.device),
            Some(_) => None,
        };
        if let Some(speed) = speed.filter(|speed| *speed < out) {
            notes.push(format!(
                "the claims at {} send up to {} Mbit/s, and the device {} Mbit/s: what waits there \
                 is not of the model",
                entry.device,
                out / 1_000_000,
                speed / 1_000_000
            ));
        }
        notes
    }

    /// Counts a change by a user, who may not change too often.
    fn count_change(&self, owner: &Owner) -> Result<()> {
        const SECOND: Duration = Duration::from_secs(1);
        let mut changes = self.changes.lock().unwrap_or_else(PoisonError::into_inner);
        changes.retain(|_, (since, _)| since.elapsed() < SECOND);
        let most = self.policy.changes_per_second;
        let (_, count) = changes.entry(owner.uid).or_insert((Instant::now(), 0));
        *count = count.saturating_add(1);
        if !owner.is_root() && *count > most {
            let words = format!(
                "{most} changes in a second are the most here (changes_per_second): wait a moment"
            );
            return Err(refuse(words));
        }
        Ok(())
    }

    fn lock(&self) -> MutexGuard<'_, Inner> {
        // After a panic, all earlier changes are in force. The book and the links differ by one
        // claim at most, and both can handle its absence.
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Inner {
    fn end(&mut self, entry: &Entry) -> Result<()> {
        self.unshaped.forget(entry.id);
        self.links.remove(entry.id)
    }

    /// Removes claims that have lost what they need, and says what that is.
    fn lost(&mut self) -> Vec<(Entry, &'static str)> {
        let networks = self.links.lost_networks();
        let without_tap = self.links.without_tap();
        let lost = |entry: &Entry| {
            if entry.network.is_some_and(|network| networks.contains(&network)) {
                return Some("its network namespace is gone, or has another name now");
            }
            without_tap.contains(&entry.id).then_some("somebody has removed one of its TAPs")
        };
        let found = self.book.entries().iter();
        let found: Vec<_> = found.filter_map(|entry| Some((entry.id, lost(entry)?))).collect();
        found.into_iter().filter_map(|(id, why)| Some((self.book.take(id)?, why))).collect()
    }

    /// Removes claims of users whose last session has ended.
    fn left_behind(&mut self) -> Vec<Entry> {
        let is_over = |entry: &&Entry| {
            entry.claim.lifetime == Lifetime::Session
                && people::has_session(entry.owner.uid) == Some(false)
        };
        let over: Vec<u64> =
            self.book.entries().iter().filter(is_over).map(|entry| entry.id).collect();
        over.into_iter().filter_map(|id| self.book.take(id)).collect()
    }
}

/// Returns the sum of what the claims at the device of a claim send, in bits per second.
fn sent_at(inner: &Inner, entry: &Entry) -> u64 {
    let there = inner.book.entries().iter().filter(|other| other.location() == entry.location());
    let out = there.filter_map(|other| {
        let [out, _] = other.claim.pipes();
        out.rate.largest().map(Rate::bits_per_second)
    });
    out.fold(0, u64::saturating_add)
}

/// Completes a refusal by the process that has bound a port.
fn named(refused: anyhow::Error, bound: &[Bound]) -> anyhow::Error {
    match refused.downcast::<Refusal>() {
        Ok(Refusal::Bound { protocol, port, owner, .. }) => {
            let is_it = |bound: &&Bound| (bound.port.protocol, bound.port.port) == (protocol, port);
            let pid = bound.iter().find(is_it).and_then(Bound::process);
            Refusal::Bound { protocol, port, owner, pid }.into()
        }
        Ok(other) => other.into(),
        Err(other) => other,
    }
}

/// Whether a claim selects a local port.
fn is_local(claim: &Claim, protocol: Protocol, port: u16) -> bool {
    let selectors = [&claim.selector.server, &claim.selector.service];
    selectors.into_iter().flatten().any(|selector| {
        selector.protocol.each().contains(&protocol)
            && selector.ports.common(&netloom_shape::Ports::one(port)).is_some()
    })
}

/// Makes a refusal. Nothing was changed.
fn refuse(words: impl Into<String>) -> anyhow::Error {
    Refusal::Malformed(words.into()).into()
}
