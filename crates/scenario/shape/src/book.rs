//! The claims of a host, and the decision on new ones. `netloom-selector` installs claims in the
//! kernel.

use netloom_units::Duration;
use serde::{Deserialize, Serialize};

use crate::admission::MAX_CLAIMS;
use crate::claim::check_name;
use crate::{
    Capacity, Claim, Lifetime, Location, Moment, Need, NetworkId, Policy, Protocol, Refusal,
    Target, Tier,
};

/// Time after the end of a claim during which its owner can renew it, and no other user can take
/// its place.
const GRACE: Duration = Duration::from_secs(60);

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
    /// Time of the request.
    pub now: Moment,
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

    /// Returns the total need of the claims of one user or of all.
    pub fn given(&self, uid: Option<u32>) -> Need {
        let of = |entry: &&Entry| uid.is_none_or(|uid| entry.owner.uid == uid);
        let needs = self.entries.iter().filter(of).map(|entry| Need::of(&entry.claim));
        needs.fold(Need::default(), Need::and)
    }

    /// Adds a claim to the book.
    ///
    /// # Errors
    /// The reason for the refusal. The book is unchanged in that case.
    pub fn add(
        &mut self,
        request: &Request<'_>,
        policy: &Policy,
        capacity: Capacity,
    ) -> Result<Entry, Refusal> {
        let Request { owner, name, claim, now, .. } = *request;
        check_name(name).map_err(Refusal::Malformed)?;
        claim.check().map_err(Refusal::Malformed)?;
        let entry = Entry {
            id: self.last_id + 1,
            name: name.into(),
            owner: owner.clone(),
            claim: claim.clone(),
            user: request.user,
            network: request.network,
            device: request.device.into(),
            began: now,
            ends: end_of(claim.lifetime, now),
            cgroup: request.cgroup.map(|cgroup| (cgroup.id, cgroup.level)),
        };
        if !owner.is_root() {
            check_own(request)?;
            policy.check(&entry)?;
        }
        claim.selector.keys(&entry.target()).map_err(Refusal::Malformed)?;
        if self.find(owner, name).is_some() {
            return Err(Refusal::NameTaken(name.into()));
        }
        self.check_conflicts(&entry, now)?;
        check_bound(request)?;
        self.check_counts(owner, policy)?;
        if !(owner.is_root() && request.force) {
            self.check_room(&entry, None, policy, capacity)?;
        }
        self.last_id += 1;
        self.forget(owner, name);
        self.entries.push(entry.clone());
        Ok(entry)
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
        terms: (&Policy, Capacity, Moment),
    ) -> Result<(Entry, Entry), Refusal> {
        let (policy, capacity, now) = terms;
        let before = self.find(owner, name).ok_or_else(|| self.gone(owner, name, now))?.clone();
        let mut after = before.clone();
        after.claim.out = before.claim.out.overlaid(out);
        after.claim.inward = before.claim.inward.overlaid(inward);
        self.check_room(&after, Some(before.id), policy, capacity)?;
        self.replace(&after);
        Ok((before, after))
    }

    /// Sets the lifetime of a claim, counted from now. A claim that ended within the last minute is
    /// made again.
    ///
    /// # Errors
    /// The claim ended earlier, or the lifetime is too long.
    pub fn renew(
        &mut self,
        owner: &Owner,
        name: &str,
        lifetime: Lifetime,
        (policy, now): (&Policy, Moment),
    ) -> Result<Entry, Refusal> {
        if !owner.is_root() {
            policy.check_lifetime(lifetime)?;
        }
        let renewed = |entry: &Entry| {
            let mut entry = entry.clone();
            entry.claim.lifetime = lifetime;
            entry.ends = end_of(lifetime, now);
            entry
        };
        if let Some(entry) = self.find(owner, name).map(renewed) {
            self.replace(&entry);
            return Ok(entry);
        }
        let ended = self.ended.iter().find(|(entry, ended)| {
            entry.owner.uid == owner.uid && entry.name == name && now.since(*ended) <= GRACE
        });
        let Some(mut entry) = ended.map(|(entry, _)| renewed(entry)) else {
            return Err(self.gone(owner, name, now));
        };
        entry.began = now;
        self.check_conflicts(&entry, now)?;
        self.check_counts(owner, policy)?;
        self.last_id += 1;
        entry.id = self.last_id;
        self.forget(owner, name);
        self.entries.push(entry.clone());
        Ok(entry)
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
        let place = self.entries.iter().position(|entry| entry.id == id)?;
        Some(self.entries.remove(place))
    }

    /// Removes and returns the claims that have expired.
    pub fn expire(&mut self, now: Moment) -> Vec<Entry> {
        let is_over = |entry: &Entry| entry.ends.is_some_and(|ends| ends <= now);
        let (over, kept) = self.entries.drain(..).partition(is_over);
        self.entries = kept;
        self.ended.extend(Vec::clone(&over).into_iter().map(|entry| (entry, now)));
        // Ended claims are kept for error messages, but not for ever.
        self.ended.retain(|(_, ended)| now.since(*ended) <= Duration::from_secs(24 * 3600));
        if self.ended.len() > MAX_CLAIMS {
            self.ended.drain(..self.ended.len() - MAX_CLAIMS);
        }
        over
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
        let is_kept = |ended: &&(Entry, Moment)| {
            let (other, ended) = ended;
            now.since(*ended) <= GRACE && meets(other)
        };
        for (other, ended) in self.ended.iter().filter(is_kept) {
            if other.owner.uid != entry.owner.uid {
                check_pair(entry, other, Some(ended.after(GRACE)))?;
            }
        }
        Ok(())
    }

    fn check_counts(&self, owner: &Owner, policy: &Policy) -> Result<(), Refusal> {
        let own = self.entries.iter().filter(|entry| entry.owner.uid == owner.uid).count();
        if !owner.is_root() && own >= policy.claims_per_user {
            return Err(Refusal::TooMany(policy.claims_per_user));
        }
        if self.entries.len() >= MAX_CLAIMS { Err(Refusal::Full(MAX_CLAIMS)) } else { Ok(()) }
    }

    /// Checks that there is room for a claim that replaces another one.
    fn check_room(
        &self,
        entry: &Entry,
        instead_of: Option<u64>,
        policy: &Policy,
        capacity: Capacity,
    ) -> Result<(), Refusal> {
        let Entry { owner, claim, .. } = entry;
        if !owner.is_root() {
            let [out, inward] = claim.pipes();
            for (pipe, direction) in [(out, "out"), (inward, "in")] {
                pipe.rate.nominal().ok_or(Refusal::NoRate(direction))?;
            }
        }
        let others = |uid: Option<u32>| {
            let is_other = |other: &&Entry| {
                Some(other.id) != instead_of && uid.is_none_or(|uid| other.owner.uid == uid)
            };
            let needs = self.entries.iter().filter(is_other).map(|other| Need::of(&other.claim));
            needs.fold(Need::default(), Need::and)
        };
        let need = Need::of(claim);
        if !owner.is_root() {
            capacity.of_user(policy).admit(need, others(Some(owner.uid)))?;
        }
        capacity.admit(need, others(None))
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
            pid: bound.pid.unwrap_or_default(),
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
