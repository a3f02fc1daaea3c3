//! Keeps the claims and their links consistent: a request takes effect completely or not at all.

use std::collections::BTreeMap;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use anyhow::Result;
use netloom_dataplane::{Capture, PipeStatus};
use netloom_link::Window;
use netloom_results::CaptureWriter;
use netloom_scenario::Endpoint;
use netloom_shape::wire::{Add, CaptureOf, Done, List, Room, Set};
use netloom_shape::{
    Book, Capacity, Claim, Entry, Lifetime, Moment, Owner, Policy, Protocol, Refusal, Request,
};
use netloom_units::Rate;

use super::audit::{Audit, Record};
use super::devices::{DeviceChange, secret};
use super::judging::Judged;
use super::links::Links;
use super::listing::Whose;
use super::places::Named;
use super::state::{StateFile, Written};
use super::unshaped::Unshaped;
use super::{listing, people, places};

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
}

struct Inner {
    book: Book,
    links: Links,
    unshaped: Unshaped,
    idle_since: Instant,
    changes: BTreeMap<u32, (Instant, u32)>,
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

/// Returns the time now, by the machine's clock.
pub fn now() -> Moment {
    let local = chrono::Local::now();
    let unix_ms = u64::try_from(local.timestamp_millis()).unwrap_or_default();
    Moment { unix_ms, offset: local.offset().local_minus_utc() }
}

impl Shaping {
    /// Starts with the claims of an earlier daemon that have not expired.
    pub fn start(setting: Setting) -> Result<Self> {
        let Setting { policy, bears, file, audit } = setting;
        let kept = file.read()?;
        kept.restore();
        let mut book = kept.book;
        let links = Links::new(u64::from(secret()?))?;
        book.expire(now());
        let capacity = Capacity::of(bears, &policy);
        let inner = Inner {
            book: Book::default(),
            links,
            unshaped: Unshaped::default(),
            idle_since: Instant::now(),
            changes: BTreeMap::new(),
        };
        let is_calibrated = bears.is_some();
        let shaping =
            Self { inner: Mutex::new(inner), policy, capacity, is_calibrated, file, audit };
        shaping.take_up(book)?;
        Ok(shaping)
    }

    /// Whether a user may request changes.
    pub fn allows(&self, owner: &Owner, gid: u32) -> bool {
        self.policy.allows(owner, || people::groups(owner, gid))
    }

    /// Makes a claim.
    pub fn add(&self, owner: &Owner, add: &Add) -> Result<Done> {
        let mut inner = self.changing(owner)?;
        let Add { name, claim, force } = add;
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
        let Named { network, device, cgroup, user } =
            Named::find(selector, owner).map_err(|error| refuse(format!("{error:#}")))?;
        let mut request = Request {
            owner,
            name,
            claim,
            cgroup,
            user,
            network,
            device: &device,
            now: now(),
            bound: &[],
            force: *force,
        };
        let bound = match request.needs_free_ports() {
            true => {
                people::bound(request.holder(), |protocol, port| is_local(claim, protocol, port))
            }
            false => Vec::new(),
        };
        request.bound = &bound;
        let entry = inner.book.add(&request, &self.policy, self.capacity)?;
        if let Err(error) = self.carry_out(&mut inner, &entry) {
            inner.book.take(entry.id);
            self.keep(&inner)?;
            return Err(error);
        }
        let notes = self.notes(&inner, &entry);
        Ok(Done { was: None, is: entry, notes })
    }

    /// Changes the pipes of a claim.
    pub fn set(&self, owner: &Owner, name: &str, set: &Set) -> Result<Done> {
        let mut inner = self.changing(owner)?;
        let Set { out, inward } = set;
        if let Some(unread) = [out, inward].iter().find_map(|pipe| pipe.unread_file()) {
            return Err(refuse(format!(
                "the daemon opens no files: `{}` must come with its values",
                unread.file
            )));
        }
        let terms = (&self.policy, self.capacity, now());
        let (was, is) = inner.book.set(owner, name, [out, inward], terms)?;
        let changed = self.keep(&inner).and_then(|()| inner.links.change(is.id, [out, inward]));
        if let Err(error) = changed {
            inner.book.replace(&was);
            self.keep(&inner)?;
            return Err(error);
        }
        Ok(Done { was: Some(was), is, notes: Vec::new() })
    }

    /// Extends the lifetime of a claim.
    pub fn renew(&self, owner: &Owner, name: &str, lifetime: Lifetime) -> Result<Done> {
        let mut inner = self.changing(owner)?;
        let was = inner.book.find(owner, name).cloned();
        let before = inner.book.clone();
        let is = inner.book.renew(owner, name, lifetime, (&self.policy, now()))?;
        let done = match &was {
            Some(_) => self.keep(&inner),
            None => self.carry_out(&mut inner, &is),
        };
        if let Err(error) = done {
            inner.book = before;
            self.keep(&inner)?;
            return Err(error);
        }
        Ok(Done { was, is, notes: Vec::new() })
    }

    /// Ends a claim.
    pub fn remove(&self, owner: &Owner, name: &str) -> Result<Entry> {
        let mut inner = self.changing(owner)?;
        let entry = inner.book.remove(owner, name, now())?;
        inner.end(&entry)?;
        self.keep(&inner)?;
        Ok(entry)
    }

    /// Ends all claims of a user, or of all users.
    pub fn remove_all(&self, owner: &Owner, of_others: bool) -> Result<Vec<Entry>> {
        if of_others && !owner.is_root() {
            return Err(Refusal::RootOnly("`--all`", "end your own with `--mine`").into());
        }
        let mut inner = self.changing(owner)?;
        let is_meant = |entry: &&Entry| of_others || entry.owner.uid == owner.uid;
        let ids: Vec<u64> =
            inner.book.entries().iter().filter(is_meant).map(|entry| entry.id).collect();
        let mut ended = Vec::new();
        for id in ids {
            if let Some(entry) = inner.book.take(id) {
                inner.end(&entry)?;
                ended.push(entry);
            }
        }
        self.keep(&inner)?;
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
        let of_user = || self.capacity.of_user(&self.policy);
        Room {
            all: self.capacity,
            given: inner.book.given(None),
            own: if owner.is_root() { self.capacity } else { of_user() },
            taken: inner.book.given(Some(owner.uid)),
            is_calibrated: self.is_calibrated,
        }
    }

    /// Ends expired claims, removes empty links, and records devices that have gone or come back.
    /// Returns whether this daemon is still needed.
    pub fn look(&self) -> Result<bool> {
        let mut inner = self.lock();
        let at = now();
        let mut over = inner.book.expire(at);
        over.extend(inner.left_behind());
        for entry in &over {
            inner.end(entry)?;
            self.audit.write(&Record::of_claim("expired", entry, None));
        }
        let lost = inner.lost();
        for (entry, reason) in &lost {
            inner.end(entry)?;
            self.audit.write(&Record::of_claim("lost", entry, Some((*reason).into())));
        }
        if !(over.is_empty() && lost.is_empty()) {
            self.keep(&inner)?;
        }
        self.note_silences(&mut inner);
        self.note_devices(&mut inner, at)?;
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
            self.audit.write(&Record::of_claim("unshaped", &entry, Some(reason)));
        }
    }

    fn note_devices(&self, inner: &mut Inner, at: Moment) -> Result<()> {
        for (device, change) in inner.links.look()? {
            let entries = inner.book.entries().to_vec();
            match change {
                DeviceChange::Gone => inner.unshaped.device_gone(&device, at),
                DeviceChange::Back => inner.unshaped.device_back(&device, &entries, at),
                DeviceChange::Mtu(..) => {}
            }
            let (verb, reason) = change.in_words(&device);
            for entry in entries.iter().filter(|entry| entry.location() == device) {
                self.audit.write(&Record::of_claim(verb, entry, Some(reason.clone())));
            }
        }
        Ok(())
    }

    /// Takes over the book of an earlier daemon: makes each claim anew, or records its end.
    fn take_up(&self, book: Book) -> Result<()> {
        let mut inner = self.lock();
        inner.book = book;
        let entries: Vec<Entry> = inner.book.entries().to_vec();
        for entry in entries {
            if let Err(error) = inner.links.add(&entry) {
                inner.book.take(entry.id);
                self.audit.write(&Record::of_claim("lost", &entry, Some(format!("{error:#}"))));
            } else {
                inner.unshaped.take_up(&entry, now());
                self.audit.write(&Record::of_claim("taken-up", &entry, None));
            }
        }
        self.keep(&inner)
    }

    /// Stores a claim in the file, and makes it.
    fn carry_out(&self, inner: &mut Inner, entry: &Entry) -> Result<()> {
        self.keep(inner)?;
        // A device that went with its last claim is as good as new.
        inner.unshaped.keep_devices(&inner.links.devices());
        inner.links.add(entry)?;
        inner.idle_since = Instant::now();
        // Only now is it known which settings of a loopback were changed.
        if inner.links.loopback_settings().is_empty() { Ok(()) } else { self.keep(inner) }
    }

    fn keep(&self, inner: &Inner) -> Result<()> {
        self.file.write(&Written {
            book: &inner.book,
            loopback: inner.links.loopback_settings(),
            devices: inner.links.devices(),
        })
    }

    /// Returns notes for the user about a new claim.
    fn notes(&self, inner: &Inner, entry: &Entry) -> Vec<String> {
        let mut notes = Vec::new();
        if !self.is_calibrated {
            notes.push(
                "this machine was not measured: it is taken to bear 1 Gbit/s \
                        (netloom calibrate --shape)"
                    .into(),
            );
        }
        let on_device = inner.book.entries().iter();
        let on_device = on_device.filter(|other| other.location() == entry.location());
        let out = on_device.filter_map(|other| {
            let [out, _] = other.claim.pipes();
            out.rate.nominal().map(Rate::bits_per_second)
        });
        let out: u64 = out.sum();
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

    /// Locks the state for a change by a user, who may not change it too often.
    fn changing(&self, owner: &Owner) -> Result<MutexGuard<'_, Inner>> {
        let mut inner = self.lock();
        let most = self.policy.changes_per_second;
        let (since, count) = inner.changes.entry(owner.uid).or_insert((Instant::now(), 0));
        if since.elapsed() >= Duration::from_secs(1) {
            (*since, *count) = (Instant::now(), 0);
        }
        *count += 1;
        if !owner.is_root() && *count > most {
            let words = format!(
                "{most} changes in a second are the most here (changes_per_second): wait a moment"
            );
            return Err(refuse(words));
        }
        Ok(inner)
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
