//! The claims of a host, and the decision on new ones. `netloom-selector` installs claims in the
//! kernel.

use std::collections::{BTreeMap, BTreeSet};

use netloom_units::Duration;
use serde::{Deserialize, Serialize};

use crate::admission::MAX_CLAIMS;
use crate::claim::check_name;
use crate::{
    Capacity, Claim, Held, Lifetime, Location, Moment, Need, NetworkId, Policy, Protocol, Refusal,
    Target, Tier,
};

/// Time after the end of a claim during which its owner can renew it, and no other user can take
/// its place if it has lasted for as long as that.
const GRACE: Duration = Duration::from_secs(60);
/// Most claims of one user that are remembered after their ends.
const REMEMBERED: usize = 64;

/// The owner of a claim.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Owner {
    /// The user's number.
    pub uid: u32,
    /// The user's name.
    pub name: String,
}

impl Owner {
    /// Returns whether it is root.
    pub fn is_root(&self) -> bool {
        self.uid == 0
    }
}

/// A local port that is in use.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BoundPort {
    /// Its protocol.
    pub protocol: Protocol,
    /// The port.
    pub port: u16,
    /// Its user.
    pub owner: Owner,
    /// Process that uses it, if that is known.
    pub pid: Option<u32>,
}

/// A request for a claim.
#[derive(Debug, Clone)]
pub struct Request<'a> {
    /// The owner.
    pub owner: &'a Owner,
    /// Name of the claim.
    pub name: &'a str,
    /// The claim.
    pub claim: &'a Claim,
    /// The cgroup that the claim names, if it names one.
    pub cgroup: Option<crate::Cgroup>,
    /// The user that the claim names, if it names one.
    pub user: Option<u32>,
    /// The network namespace that the claim names, if it is not the daemon's own. All its sockets
    /// are the owner's, unless the owner is root.
    pub network: Option<NetworkId>,
    /// The device.
    pub device: &'a str,
    /// Longest packet of the device, in bytes.
    pub mtu: u32,
    /// Local ports in use.
    pub bound: &'a [BoundPort],
    /// Whether root wants the claim admitted whatever the capacity of the machine.
    pub force: bool,
}

impl Request<'_> {
    /// Returns the user whose sockets have the claimed local ports.
    pub fn holder(&self) -> u32 {
        if self.owner.is_root() { self.user.unwrap_or_default() } else { self.owner.uid }
    }

    /// Returns whether other users may not have bound the claimed local ports.
    pub fn needs_free_ports(&self) -> bool {
        self.claim.reserve || !(self.owner.is_root() || self.network.is_some())
    }
}

/// The terms on which claims are admitted.
#[derive(Debug, Clone, Copy)]
pub struct Terms<'a> {
    /// The permissions of ordinary users.
    pub policy: &'a Policy,
    /// The limits of all claims together.
    pub capacity: Capacity,
    /// Memory that the frames of claims take now, also of claims that have ended.
    pub held: &'a Held,
    /// The time.
    pub now: Moment,
}

/// A claim in the book.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Entry {
    /// Number of the claim, which no other claim of this book has.
    pub id: u64,
    /// Name, unique among the claims of its owner.
    pub name: String,
    /// The owner.
    pub owner: Owner,
    /// The claim with all changes since it was made.
    pub claim: Claim,
    /// The user that the claim names, if it names one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub user: Option<u32>,
    /// The network namespace, if it is not the daemon's own.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub network: Option<NetworkId>,
    /// The device.
    pub device: String,
    /// Time at which it began.
    pub began: Moment,
    /// Time at which it ends.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ends: Option<Moment>,
    /// The cgroup's identity and level.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cgroup: Option<(u64, u32)>,
    /// Longest packet of the device when it was admitted, in bytes.
    #[serde(default = "ethernet")]
    pub mtu: u32,
    /// Its need.
    #[serde(default)]
    pub need: Need,
    /// Whether root wanted it admitted whatever the capacity of the machine.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub forced: bool,
}

fn ethernet() -> u32 {
    1500
}

impl Entry {
    /// Returns the target: the sockets whose frames it takes.
    pub fn target(&self) -> Target {
        let tier = match (self.owner.is_root(), self.claim.over) {
            (true, true) => Tier::Over,
            (true, false) => Tier::Root,
            // Whoever may claim in another network has all of it.
            (false, _) if self.network.is_some() => Tier::Root,
            (false, _) => Tier::Own,
        };
        // Elsewhere, the claim of an ordinary user is always limited to their own sockets.
        let uid = if tier == Tier::Own { Some(self.owner.uid) } else { self.user };
        let cgroup = self.cgroup.map(|(id, level)| crate::Cgroup { id, level });
        Target { tier, uid, cgroup }
    }

    /// Returns the device, with its network namespace.
    pub fn location(&self) -> Location {
        Location { network: self.network, device: self.device.clone() }
    }

    /// Returns the user whose sockets have the claimed local ports: the owner, unless root names
    /// another one.
    pub fn holder(&self) -> u32 {
        self.target().uid.unwrap_or(self.owner.uid)
    }

    /// Returns the number of local ports of the network namespace that all users share, counted for
    /// each protocol.
    fn local_ports(&self) -> usize {
        match self.claim.selector.by_port() {
            Some((role, ports)) if role.is_local() && self.network.is_none() => {
                ports.ports.count() * ports.protocol.each().len()
            }
            _ => 0,
        }
    }

    /// Returns whether no other user may have the claimed local ports.
    fn keeps_ports(&self) -> bool {
        let has_ports = self.claim.selector.by_port().is_some_and(|(role, _)| role.is_local());
        has_ports && (self.claim.reserve || !self.owner.is_root())
    }
}

/// The claims of a host.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Book {
    /// Current claims, in the order in which they were made.
    entries: Vec<Entry>,
    /// Claims that ended recently, with the times of their ends.
    #[serde(default)]
    ended: Vec<(Entry, Moment)>,
    last_id: u64,
    /// Claims that have their place and are being made. They do not expire meanwhile.
    #[serde(skip)]
    pending: BTreeSet<u64>,
}

impl Book {
    /// Returns the claims, in the order in which they were made.
    pub fn entries(&self) -> &[Entry] {
        &self.entries
    }

    /// Returns the current claim of an owner with this name.
    pub fn find(&self, owner: &Owner, name: &str) -> Option<&Entry> {
        self.entries.iter().find(|entry| entry.owner.uid == owner.uid && entry.name == name)
    }

    /// Returns what the claims of one user or of all are charged for: what they need, or what they
    /// hold, if that is more.
    pub fn given(&self, uid: Option<u32>, held: &Held) -> Need {
        self.given_beside(None, uid, held)
    }

    fn given_beside(&self, but: Option<u64>, uid: Option<u32>, held: &Held) -> Need {
        let is_meant = |owner: u32| uid.is_none_or(|uid| owner == uid);
        let holds = |id: u64| held.get(&id).map_or(0, |(_, bytes)| *bytes);
        let charged =
            |entry: &Entry| Need { bytes: entry.need.bytes.max(holds(entry.id)), ..entry.need };
        let entries = self.entries.iter().filter(|entry| Some(entry.id) != but);
        let of_entries = entries.filter(|entry| is_meant(entry.owner.uid)).map(charged);
        let is_over = |id: u64| !self.entries.iter().any(|entry| entry.id == id);
        let ended = held.iter().filter(|(id, (owner, _))| is_meant(*owner) && is_over(**id));
        let of_ended = ended.map(|(_, (_, bytes))| Need { bytes: *bytes, ..Need::default() });
        of_entries.chain(of_ended).fold(Need::default(), Need::and)
    }

    /// Adds a claim to the book, whose time begins when it has been made ([`begin`](Self::begin)).
    ///
    /// # Errors
    /// The reason for the refusal. The book is unchanged in that case.
    pub fn add(&mut self, request: &Request<'_>, terms: Terms<'_>) -> Result<Entry, Refusal> {
        let Request { owner, name, claim, .. } = *request;
        check_name(name).map_err(Refusal::Malformed)?;
        claim.check().map_err(Refusal::Malformed)?;
        let mut entry = Entry {
            id: self.last_id + 1,
            name: name.into(),
            owner: owner.clone(),
            claim: claim.clone(),
            user: request.user,
            network: request.network,
            device: request.device.into(),
            began: terms.now,
            ends: end_of(claim.lifetime, terms.now),
            cgroup: request.cgroup.map(|cgroup| (cgroup.id, cgroup.level)),
            mtu: request.mtu,
            need: Need::default(),
            forced: owner.is_root() && request.force,
        };
        if !owner.is_root() {
            check_own(request)?;
        }
        if self.find(owner, name).is_some() {
            return Err(Refusal::NameTaken(name.into()));
        }
        check_bound(request)?;
        self.admit(&mut entry, terms)?;
        self.last_id += 1;
        self.forget(owner, name);
        self.pending.insert(entry.id);
        self.entries.push(entry.clone());
        Ok(entry)
    }

    /// Begins the time of a claim that has been made. Returns `None` if it was removed meanwhile.
    pub fn begin(&mut self, id: u64, now: Moment) -> Option<Entry> {
        self.pending.remove(&id);
        let entry = self.entries.iter_mut().find(|entry| entry.id == id)?;
        (entry.began, entry.ends) = (now, end_of(entry.claim.lifetime, now));
        Some(entry.clone())
    }

    /// Admits a claim of an earlier daemon, on the terms of this one.
    ///
    /// # Errors
    /// The reason for the refusal. The book is unchanged in that case.
    pub fn take_up(&mut self, entry: &Entry, terms: Terms<'_>) -> Result<Entry, Refusal> {
        let mut entry = entry.clone();
        self.admit(&mut entry, terms)?;
        self.last_id = self.last_id.max(entry.id);
        self.entries.push(entry.clone());
        Ok(entry)
    }

    /// Returns a book without claims, which remembers those that have ended. Its claims have
    /// numbers that this one never had.
    #[must_use]
    pub fn successor(&self) -> Self {
        Self { ended: self.ended.clone(), last_id: self.last_id, ..Self::default() }
    }

    /// Checks a claim that is new here, whichever way it came, and notes what it needs.
    fn admit(&self, entry: &mut Entry, terms: Terms<'_>) -> Result<(), Refusal> {
        if !entry.owner.is_root() {
            terms.policy.check(entry)?;
        }
        entry.claim.selector.keys(&entry.target()).map_err(Refusal::Malformed)?;
        let is_there = |other: &Entry| other.location() == entry.location();
        let is_first = !self.entries.iter().any(is_there);
        entry.need = Need::of(&entry.claim, entry.mtu, is_first);
        self.check_conflicts(entry, terms.now)?;
        self.check_counts(entry, terms)?;
        if entry.forced { Ok(()) } else { self.check_room(entry, None, terms) }
    }

    /// Changes the pipes of a claim.
    ///
    /// # Errors
    /// The reason for the refusal. The book is unchanged in that case.
    pub fn set(
        &mut self,
        owner: &Owner,
        name: &str,
        [out, inward]: [&netloom_link::PipeChange; 2],
        terms: Terms<'_>,
    ) -> Result<(Entry, Entry), Refusal> {
        let before =
            self.find(owner, name).ok_or_else(|| self.gone(owner, name, terms.now))?.clone();
        let mut after = before.clone();
        after.claim.out = before.claim.out.overlaid(out);
        after.claim.inward = before.claim.inward.overlaid(inward);
        let descriptors = before.need.descriptors;
        after.need = Need { descriptors, ..Need::of(&after.claim, after.mtu, false) };
        if !after.forced {
            self.check_room(&after, Some(before.id), terms)?;
        }
        self.replace(&after);
        Ok((before, after))
    }

    /// Sets the lifetime of a current claim, counted from now.
    ///
    /// # Errors
    /// There is no such claim, or the lifetime is too long.
    pub fn renew(
        &mut self,
        owner: &Owner,
        name: &str,
        lifetime: Lifetime,
        terms: Terms<'_>,
    ) -> Result<Entry, Refusal> {
        if !owner.is_root() {
            terms.policy.check_lifetime(lifetime)?;
        }
        let found = self.find(owner, name).ok_or_else(|| self.gone(owner, name, terms.now))?;
        let mut entry = found.clone();
        entry.claim.lifetime = lifetime;
        entry.ends = end_of(lifetime, terms.now);
        self.replace(&entry);
        Ok(entry)
    }

    /// Returns a claim that has ended within the last minute: its owner can have it again by asking
    /// for it as for any other, before other users.
    ///
    /// # Errors
    /// There is none.
    pub fn ended(&self, owner: &Owner, name: &str, now: Moment) -> Result<&Entry, Refusal> {
        let is_it = |(entry, ended): &&(Entry, Moment)| {
            entry.owner.uid == owner.uid && entry.name == name && now.since(*ended) <= GRACE
        };
        let found = self.ended.iter().rev().find(is_it);
        found.map(|(entry, _)| entry).ok_or_else(|| self.gone(owner, name, now))
    }

    /// Removes a claim from the book.
    ///
    /// # Errors
    /// The claim does not exist.
    pub fn remove(&mut self, owner: &Owner, name: &str, now: Moment) -> Result<Entry, Refusal> {
        let found = self.find(owner, name).map(|entry| entry.id);
        let taken = found.and_then(|id| self.take(id));
        taken.ok_or_else(|| self.gone(owner, name, now))
    }

    /// Reverts [`add`](Self::add), as if there had been no request.
    pub fn take(&mut self, id: u64) -> Option<Entry> {
        self.pending.remove(&id);
        let place = self.entries.iter().position(|entry| entry.id == id)?;
        Some(self.entries.remove(place))
    }

    /// Removes and returns the claims that have expired.
    pub fn expire(&mut self, now: Moment) -> Vec<Entry> {
        let pending = &self.pending;
        let is_over = |entry: &Entry| {
            entry.ends.is_some_and(|ends| ends <= now) && !pending.contains(&entry.id)
        };
        let (over, kept) = self.entries.drain(..).partition(is_over);
        self.entries = kept;
        self.ended.extend(Vec::clone(&over).into_iter().map(|entry| (entry, now)));
        self.forget_some(now);
        over
    }

    /// Forgets claims whose end is long ago: they are kept for error messages, but not for ever.
    fn forget_some(&mut self, now: Moment) {
        let day = Duration::from_secs(24 * 3600);
        let (mut count, mut all) = (BTreeMap::<u32, usize>::new(), 0);
        // The latest first.
        self.ended.reverse();
        self.ended.retain(|(entry, ended)| {
            let of_owner = count.entry(entry.owner.uid).or_default();
            (*of_owner, all) = (*of_owner + 1, all + 1);
            *of_owner <= REMEMBERED && all <= MAX_CLAIMS && now.since(*ended) <= day
        });
        self.ended.reverse();
    }

    /// Returns the time at which the next claim ends.
    pub fn next_end(&self) -> Option<Moment> {
        self.entries.iter().filter_map(|entry| entry.ends).min()
    }

    /// Replaces a claim by another state of it: reverts [`set`](Self::set).
    pub fn replace(&mut self, entry: &Entry) {
        if let Some(place) = self.entries.iter_mut().find(|other| other.id == entry.id) {
            place.clone_from(entry);
        }
    }

    fn forget(&mut self, owner: &Owner, name: &str) {
        self.ended.retain(|(entry, _)| entry.owner.uid != owner.uid || entry.name != name);
    }

    /// Returns the reason for which there is no claim with this name.
    fn gone(&self, owner: &Owner, name: &str, now: Moment) -> Refusal {
        let is_it =
            |entry: &&(Entry, Moment)| entry.0.owner.uid == owner.uid && entry.0.name == name;
        match self.ended.iter().rev().find(is_it) {
            Some((entry, ended)) => Refusal::Ended {
                name: name.into(),
                ago: ago(now.since(*ended)),
                again: crate::wire::command(&entry.name, &entry.claim),
            },
            None => Refusal::Unknown(name.into()),
        }
    }

    fn check_conflicts(&self, entry: &Entry, now: Moment) -> Result<(), Refusal> {
        // Whatever the devices of a network, only one user can bind a port.
        let meets = |other: &Entry| {
            let reserves = entry.claim.reserve || other.claim.reserve;
            other.network == entry.network && (other.device == entry.device || reserves)
        };
        for other in self.entries.iter().filter(|other| meets(other)) {
            check_pair(entry, other, other.ends)?;
        }
        for (other, ended) in self.kept(now).filter(|(other, _)| meets(other)) {
            if other.owner.uid != entry.owner.uid {
                check_pair(entry, other, Some(ended.after(GRACE)))?;
            }
        }
        Ok(())
    }

    /// Returns the claims that have ended lately and whose place nobody else can have yet: only
    /// those that have lasted for some time, so that nobody keeps places without having them.
    fn kept(&self, now: Moment) -> impl Iterator<Item = &(Entry, Moment)> {
        self.ended.iter().filter(move |(entry, ended)| {
            now.since(*ended) <= GRACE && ended.since(entry.began) >= GRACE
        })
    }

    fn check_counts(&self, entry: &Entry, terms: Terms<'_>) -> Result<(), Refusal> {
        let Terms { policy, now, .. } = terms;
        let is_own = |other: &Entry| other.owner.uid == entry.owner.uid;
        if !entry.owner.is_root() {
            let own = self.entries.iter().filter(|other| is_own(other));
            if own.clone().count() >= policy.claims_per_user {
                return Err(Refusal::TooMany(policy.claims_per_user));
            }
            let is_other = |other: &Entry| is_own(other) && other.name != entry.name;
            let ended = self.kept(now).map(|(other, _)| other).filter(|other| is_other(other));
            let given: usize = own.chain(ended).map(Entry::local_ports).sum();
            let (asked, most) = (entry.local_ports(), policy.ports_per_user);
            if asked > 0 && given.saturating_add(asked) > most {
                return Err(Refusal::TooManyPorts { asked, given, most });
            }
        }
        if self.entries.len() >= MAX_CLAIMS { Err(Refusal::Full(MAX_CLAIMS)) } else { Ok(()) }
    }

    /// Checks that there is room for a claim that replaces another one.
    fn check_room(
        &self,
        entry: &Entry,
        instead_of: Option<u64>,
        terms: Terms<'_>,
    ) -> Result<(), Refusal> {
        let Terms { policy, capacity, held, .. } = terms;
        let uid = entry.owner.uid;
        if !entry.owner.is_root() {
            let [out, inward] = entry.claim.pipes();
            for (pipe, direction) in [(out, "out"), (inward, "in")] {
                pipe.rate.largest().ok_or(Refusal::NoRate(direction))?;
            }
            let given = self.given_beside(instead_of, Some(uid), held);
            capacity.of_user(policy).admit(entry.need, given)?;
        }
        capacity.admit(entry.need, self.given_beside(instead_of, None, held))
    }
}

fn end_of(lifetime: Lifetime, now: Moment) -> Option<Moment> {
    match lifetime {
        Lifetime::For(time) => Some(now.after(time)),
        Lifetime::Never | Lifetime::Session => None,
    }
}

/// Checks that a user claims only their own sockets.
fn check_own(Request { owner, user, .. }: &Request<'_>) -> Result<(), Refusal> {
    match user {
        Some(uid) if *uid != owner.uid => {
            Err(Refusal::RootOnly("`user` of others", "a claim is for your own sockets"))
        }
        _ => Ok(()),
    }
}

/// Checks that two claims do not conflict.
fn check_pair(entry: &Entry, other: &Entry, ends: Option<Moment>) -> Result<(), Refusal> {
    let (mine, theirs) = (entry.target(), other.target());
    let selectors = [&entry.claim.selector, &other.claim.selector];
    let common = || selectors[0].common(&mine, selectors[1], &theirs);
    if entry.owner.uid != other.owner.uid {
        // Only one user can have a local port, but any number can send to the same remote one.
        let differ = entry.holder() != other.holder();
        let clash = match entry.claim.reserve || other.claim.reserve {
            // There, a user's claim is for all sockets, as root's is.
            _ if entry.network.is_some() && (mine.tier, mine.uid) == (theirs.tier, theirs.uid) => {
                common()
            }
            _ if entry.network.is_some() => None,
            _ if !differ || !entry.keeps_ports() || !other.keeps_ports() => None,
            true => selectors[0].common_local_port(selectors[1]),
            false => common(),
        };
        return clash.map_or(Ok(()), |what| {
            let (owner, name) = (other.owner.name.clone(), other.name.clone());
            Err(Refusal::ClaimedByOther { what, owner, name, ends })
        });
    }
    if (mine.tier, mine.uid) != (theirs.tier, theirs.uid) || entry.device != other.device {
        return Ok(());
    }
    common()
        .map_or(Ok(()), |what| Err(Refusal::AsSpecific { what, name: other.name.clone(), ends }))
}

/// Checks that no other user has bound the local ports that a user claims.
fn check_bound(request: &Request<'_>) -> Result<(), Refusal> {
    let Some((role, selector)) = request.claim.selector.by_port() else { return Ok(()) };
    if !role.is_local() || !request.needs_free_ports() {
        return Ok(());
    }
    let is_theirs = |bound: &&BoundPort| {
        bound.owner.uid != request.holder()
            && selector.protocol.each().contains(&bound.protocol)
            && selector.ports.common(&crate::Ports::one(bound.port)).is_some()
    };
    request.bound.iter().find(is_theirs).map_or(Ok(()), |bound| {
        Err(Refusal::Bound {
            protocol: bound.protocol,
            port: bound.port,
            owner: bound.owner.name.clone(),
            pid: bound.pid,
        })
    })
}

/// Formats the time since an event in words.
fn ago(time: Duration) -> String {
    let seconds = time.as_nanos() / 1_000_000_000;
    match seconds {
        0..120 => format!("{seconds} s"),
        120..7200 => format!("{} min", seconds / 60),
        _ => format!("{} h", seconds / 3600),
    }
}
