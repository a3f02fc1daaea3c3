//! The claims of a host, and who may have another. Not here: what a claim is in the kernel.

use netloom_units::Duration;
use serde::{Deserialize, Serialize};

use crate::admission::MAX_CLAIMS;
use crate::claim::check_name;
use crate::{Capacity, Claim, Lifetime, Moment, Need, Policy, Protocol, Refusal, Target, Tier};

/// For how long after its end a claim can be had again before others.
const GRACE: Duration = Duration::from_secs(60);

/// Somebody who claims.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Owner {
    /// The user's number.
    pub uid: u32,
    /// The user's name.
    pub name: String,
}

impl Owner {
    /// Whether it is root.
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
    /// Who uses it.
    pub owner: Owner,
    /// By which process, if that is known.
    pub pid: Option<u32>,
}

/// A claim that is asked for.
#[derive(Debug, Clone)]
pub struct Request<'a> {
    /// By whom.
    pub owner: &'a Owner,
    /// What it is to be called.
    pub name: &'a str,
    /// What is asked for.
    pub claim: &'a Claim,
    /// The cgroup that it means, if it means one.
    pub cgroup: Option<crate::Cgroup>,
    /// The user that it means, if it means one.
    pub user: Option<u32>,
    /// The device.
    pub device: &'a str,
    /// When.
    pub now: Moment,
    /// Local ports in use.
    pub bound: &'a [BoundPort],
    /// Root's wish that it be taken whatever the machine can bear.
    pub force: bool,
}

/// A claim that somebody has.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Entry {
    /// Its number, different from that of every other claim of this book.
    pub id: u64,
    /// Its name, one of its owner's.
    pub name: String,
    /// Whose it is.
    pub owner: Owner,
    /// What was asked for, with all changes since.
    pub claim: Claim,
    /// The user that it means, if it names one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub user: Option<u32>,
    /// The device.
    pub device: String,
    /// Since when.
    pub began: Moment,
    /// When it ends.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ends: Option<Moment>,
    /// The cgroup's identity and level.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cgroup: Option<(u64, u32)>,
}

impl Entry {
    /// Whose frames it takes.
    pub fn target(&self) -> Target {
        target(&self.owner, &self.claim, self.user, self.cgroup)
    }
}

fn target(owner: &Owner, claim: &Claim, user: Option<u32>, cgroup: Option<(u64, u32)>) -> Target {
    let tier = match (owner.is_root(), claim.over) {
        (true, true) => Tier::Over,
        (true, false) => Tier::Root,
        (false, _) => Tier::Own,
    };
    // Whatever else it says, an ordinary user's claim means own sockets.
    let uid = if owner.is_root() { user } else { Some(owner.uid) };
    Target { tier, uid, cgroup: cgroup.map(|(id, level)| crate::Cgroup { id, level }) }
}

/// The claims of a host.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Book {
    /// Those that somebody has, in the order in which they were made.
    entries: Vec<Entry>,
    /// Those that have ended not long ago, and when.
    #[serde(default)]
    ended: Vec<(Entry, Moment)>,
    last_id: u64,
}

impl Book {
    /// The claims, in the order in which they were made.
    pub fn entries(&self) -> &[Entry] {
        &self.entries
    }

    /// The claim of a name that somebody has.
    pub fn find(&self, owner: &Owner, name: &str) -> Option<&Entry> {
        self.entries.iter().find(|entry| entry.owner.uid == owner.uid && entry.name == name)
    }

    /// What claims take, of one user or of all.
    pub fn given(&self, uid: Option<u32>) -> Need {
        let of = |entry: &&Entry| uid.is_none_or(|uid| entry.owner.uid == uid);
        let needs = self.entries.iter().filter(of).map(|entry| Need::of(&entry.claim));
        needs.fold(Need::default(), Need::and)
    }

    /// Takes a claim into the book.
    ///
    /// # Errors
    /// Why not; the book is as it was.
    pub fn add(
        &mut self,
        request: &Request<'_>,
        policy: &Policy,
        capacity: Capacity,
    ) -> Result<Entry, Refusal> {
        let Request { owner, name, claim, now, .. } = *request;
        check_name(name).map_err(Refusal::Malformed)?;
        claim.selector.check().map_err(Refusal::Malformed)?;
        let entry = Entry {
            id: self.last_id + 1,
            name: name.into(),
            owner: owner.clone(),
            claim: claim.clone(),
            user: request.user,
            device: request.device.into(),
            began: now,
            ends: end_of(claim.lifetime, now),
            cgroup: request.cgroup.map(|cgroup| (cgroup.id, cgroup.level)),
        };
        if !owner.is_root() {
            check_own(request)?;
            policy.check(claim, request.device)?;
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

    /// Gives a claim other pipes.
    ///
    /// # Errors
    /// Why not; the book is as it was.
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

    /// Lets a claim last for so long from now on. One that has ended within the last minute is made
    /// again.
    ///
    /// # Errors
    /// If it ended earlier, or may not last so long.
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

    /// Takes a claim out of the book.
    ///
    /// # Errors
    /// If there is none.
    pub fn remove(&mut self, owner: &Owner, name: &str, now: Moment) -> Result<Entry, Refusal> {
        let found = self.find(owner, name).map(|entry| entry.id);
        let taken = found.and_then(|id| self.take(id));
        taken.ok_or_else(|| self.gone(owner, name, now))
    }

    /// Takes back what [`add`](Self::add) has done, as if it had not been asked for.
    pub fn take(&mut self, id: u64) -> Option<Entry> {
        let place = self.entries.iter().position(|entry| entry.id == id)?;
        Some(self.entries.remove(place))
    }

    /// Takes out the claims whose time is over.
    pub fn expire(&mut self, now: Moment) -> Vec<Entry> {
        let is_over = |entry: &Entry| entry.ends.is_some_and(|ends| ends <= now);
        let (over, kept) = self.entries.drain(..).partition(is_over);
        self.entries = kept;
        self.ended.extend(Vec::clone(&over).into_iter().map(|entry| (entry, now)));
        // What is needed to say that something has ended, but not for ever.
        self.ended.retain(|(_, ended)| now.since(*ended) <= Duration::from_secs(24 * 3600));
        if self.ended.len() > MAX_CLAIMS {
            self.ended.drain(..self.ended.len() - MAX_CLAIMS);
        }
        over
    }

    /// When the next claim ends.
    pub fn next_end(&self) -> Option<Moment> {
        self.entries.iter().filter_map(|entry| entry.ends).min()
    }

    fn replace(&mut self, entry: &Entry) {
        if let Some(place) = self.entries.iter_mut().find(|other| other.id == entry.id) {
            place.clone_from(entry);
        }
    }

    fn forget(&mut self, owner: &Owner, name: &str) {
        self.ended.retain(|(entry, _)| entry.owner.uid != owner.uid || entry.name != name);
    }

    /// Why there is no claim of this name.
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
        for other in self.entries.iter().filter(|other| other.device == entry.device) {
            check_pair(entry, other, other.ends)?;
        }
        let is_kept = |ended: &&(Entry, Moment)| {
            let (other, ended) = ended;
            now.since(*ended) <= GRACE && other.device == entry.device
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

    /// Checks that there is room for a claim, in the place of another one.
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

/// Checks that a user means own sockets.
fn check_own(Request { owner, user, .. }: &Request<'_>) -> Result<(), Refusal> {
    match user {
        Some(uid) if *uid != owner.uid => {
            Err(Refusal::RootOnly("`user` of others", "a claim is for your own sockets"))
        }
        _ => Ok(()),
    }
}

/// Checks that one claim does not stand in the way of another one.
fn check_pair(entry: &Entry, other: &Entry, ends: Option<Moment>) -> Result<(), Refusal> {
    let (mine, theirs) = (entry.target(), other.target());
    let common = || entry.claim.selector.common(&mine, &other.claim.selector, &theirs);
    if entry.owner.uid != other.owner.uid {
        // Only one user can have a local port, but any number may send to the same remote one.
        let is_local = |entry: &Entry| {
            !entry.owner.is_root()
                && entry.claim.selector.by_port().is_some_and(|(role, _)| role.is_local())
        };
        let clash = (is_local(entry) && is_local(other)).then(common).flatten();
        return clash.map_or(Ok(()), |what| {
            let (owner, name) = (other.owner.name.clone(), other.name.clone());
            Err(Refusal::ClaimedByOther { what, owner, name, ends })
        });
    }
    if (mine.tier, mine.uid) != (theirs.tier, theirs.uid) {
        return Ok(());
    }
    common()
        .map_or(Ok(()), |what| Err(Refusal::AsSpecific { what, name: other.name.clone(), ends }))
}

/// Checks that no other user has bound the local ports that a user claims.
fn check_bound(request: &Request<'_>) -> Result<(), Refusal> {
    let Some((role, selector)) = request.claim.selector.by_port() else { return Ok(()) };
    if request.owner.is_root() || !role.is_local() {
        return Ok(());
    }
    let is_theirs = |bound: &&BoundPort| {
        bound.owner.uid != request.owner.uid
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

/// A time that has passed, in words.
fn ago(time: Duration) -> String {
    let seconds = time.as_nanos() / 1_000_000_000;
    match seconds {
        0..120 => format!("{seconds} s"),
        120..7200 => format!("{} min", seconds / 60),
        _ => format!("{} h", seconds / 3600),
    }
}
