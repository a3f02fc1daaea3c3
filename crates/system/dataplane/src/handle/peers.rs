//! Links to other machines, for the owner of a running data plane.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::thread;
use std::time::Instant;

use netloom_clock::Line;
use netloom_fabric::LinkId;
use netloom_tunnel::Refused;
use netloom_units::Duration;

use super::Dataplane;
use crate::DataplaneError;
use crate::peer_id::PeerId;
use crate::peers::{
    ClockFault, Doors, Fault, Heard, PeerStatus, Route, StreamStatus, Timekeeper, Tunnels,
};
use crate::worker_id::WorkerId;

/// Time between two looks whether peers have told what they sent.
const LOOK: std::time::Duration = std::time::Duration::from_millis(20);
/// Number of reports of a peer with which what it sent last is lost or has come.
const REPORTS: u64 = 2;

/// Links to other machines.
#[derive(Debug)]
pub(crate) struct PeerControl {
    pub tunnels: Arc<Tunnels>,
    pub timekeeper: Timekeeper,
    pub doors: Doors,
    /// The links that lead to peers.
    pub links: BTreeMap<LinkId, PeerId>,
}

impl PeerControl {
    fn place(&self, peer: PeerId) -> Option<usize> {
        self.tunnels.peers.iter().position(|one| *one == peer)
    }
}

impl Dataplane {
    /// Returns the sockets of this data plane, for its peers. `None` without
    /// [tunnels](crate::Options::tunnels).
    pub fn tunnel_doors(&self) -> Option<&Doors> {
        self.peers.as_ref().map(|control| &control.doors)
    }

    /// Begins to exchange frames and times with a peer, whose sockets are `doors`. Both machines do
    /// this, in any order. Frames that leave the line of a link to the peer before both have are
    /// lost, and counted there.
    ///
    /// # Errors
    /// If there is no such peer, it has been connected before, it names no socket for a link that
    /// leads to it, or a worker has ended.
    pub fn connect_peer(&self, peer: PeerId, doors: &Doors) -> Result<(), DataplaneError> {
        let control = self.peers.as_ref().ok_or(DataplaneError::UnknownPeer(peer))?;
        let place = control.place(peer).ok_or(DataplaneError::UnknownPeer(peer))?;
        let (ours, theirs) = (control.doors.numbers(), doors.numbers());
        let here: BTreeMap<_, _> = control.doors.links.iter().copied().collect();
        let there: BTreeMap<_, _> = doors.links.iter().copied().collect();
        let mut routes: BTreeMap<WorkerId, Vec<Route>> = BTreeMap::new();
        for link in control.links.iter().filter(|(_, to)| **to == peer).map(|(link, _)| *link) {
            let (Some(from), Some(to)) = (here.get(&link), there.get(&link)) else {
                return Err(DataplaneError::NoDoor { peer, link });
            };
            let location = self.location(link).ok_or(DataplaneError::NoDoor { peer, link })?;
            let numbers = [ours[from] << 16 | theirs[to], theirs[to] << 16 | ours[from]];
            routes.entry(location.worker).or_default().push(Route { link, to: *to, numbers });
        }
        if !control.timekeeper.connect(place, doors.clock) {
            return Err(DataplaneError::ConnectedAlready(peer));
        }
        routes.into_iter().try_for_each(|(worker, routes)| {
            self.ask(worker, move |worker| worker.shard().connect(place, &routes))?
        })
    }

    /// Returns what the `CLOCK_MONOTONIC` of a peer shows at times of this machine's. `None` if it
    /// has not answered yet, or there is no such peer.
    pub fn peer_clock(&self, peer: PeerId) -> Option<Line> {
        let control = self.peers.as_ref()?;
        control.timekeeper.status(control.place(peer)?).line
    }

    /// Returns the state of all peers, in their order in [`Tunnels`].
    ///
    /// # Errors
    /// If a worker has ended.
    pub fn peers(&self) -> Result<Vec<PeerStatus>, DataplaneError> {
        let Some(control) = &self.peers else { return Ok(Vec::new()) };
        let all = self.streams()?;
        let peers = control.tunnels.peers.iter().zip(all).enumerate();
        let status = peers.map(|(place, (peer, of_workers))| {
            let clock = control.timekeeper.status(place);
            let mut status = PeerStatus {
                peer: *peer,
                clock: clock.line,
                round_trip: clock.round_trip,
                probes: clock.counts.probes,
                lost_probes: clock.counts.lost_probes,
                clock_faults: clock.faults.iter().map(|fault| self.fault(fault)).collect(),
                heard: clock.counts.heard.map(|at| self.clock.at_machine(at)),
                refused: Refused::default(),
                trouble: None,
                pipes: Vec::new(),
            };
            for StreamStatus { pipes, refused, trouble, .. } in of_workers {
                status.pipes.extend(pipes);
                status.refused += refused;
                status.trouble = status.trouble.take().or(trouble);
            }
            status.pipes.sort_unstable_by_key(|crossed| crossed.pipe);
            status
        });
        Ok(status.collect())
    }

    fn fault(&self, fault: &Fault) -> ClockFault {
        let since = u64::try_from(fault.since).unwrap_or(0);
        let (since, by) = (self.clock.at_machine(since), Duration::from_nanos(fault.by));
        ClockFault { number: fault.number, since, by, is_step: fault.is_step }
    }

    /// Returns the number of datagrams that came to the sockets for frames and belonged to no peer.
    ///
    /// # Errors
    /// If a worker has ended.
    pub fn foreign_datagrams(&self) -> Result<u64, DataplaneError> {
        Ok(self.ask_all(|worker| worker.shard().foreign_datagrams())?.into_iter().sum())
    }

    /// Tells all connected peers what was sent, and waits until they have told the same, so that
    /// frames that were lost at the end are counted too; at most for `patience`. What has not come
    /// then is lost. Returns the peers that have not told. All machines do this at about the same
    /// time, when nothing enters their networks any more.
    ///
    /// # Errors
    /// If a worker has ended.
    pub fn end_tunnels(
        &self,
        patience: std::time::Duration,
    ) -> Result<Vec<PeerId>, DataplaneError> {
        let Some(control) = &self.peers else { return Ok(Vec::new()) };
        let deadline = Instant::now() + patience;
        let before = self.heard()?;
        self.ask_all(|worker| worker.shard().tell_to_the_end())?;
        let missing = loop {
            let now = self.heard()?;
            let waits = |place: &usize| {
                let mut streams = before[*place].iter().zip(&now[*place]);
                streams.any(|(before, now)| {
                    now.lacks || now.reports < before.reports.saturating_add(REPORTS)
                })
            };
            let places = (0..before.len()).filter(waits);
            let missing: Vec<PeerId> = places.map(|place| control.tunnels.peers[place]).collect();
            if missing.is_empty() || Instant::now() >= deadline {
                break missing;
            }
            thread::sleep(LOOK);
        };
        self.ask_all(|worker| worker.shard().settle_streams())?;
        Ok(missing)
    }

    /// Returns what was heard from each peer, by each of its streams.
    fn heard(&self) -> Result<Vec<Vec<Heard>>, DataplaneError> {
        let of_peers = self.streams()?.into_iter();
        Ok(of_peers.map(|all| all.into_iter().flat_map(|status| status.heard).collect()).collect())
    }

    /// Returns what the streams of each peer have done, of each worker.
    fn streams(&self) -> Result<Vec<Vec<StreamStatus>>, DataplaneError> {
        let peers = self.peers.as_ref().map_or(0, |control| control.tunnels.peers.len());
        let of_workers = self.ask_all(move |worker| worker.shard().stream_status(peers))?;
        let mut of_peers: Vec<Vec<StreamStatus>> = (0..peers).map(|_| Vec::new()).collect();
        for of_worker in of_workers {
            of_peers.iter_mut().zip(of_worker).for_each(|(all, one)| all.push(one));
        }
        Ok(of_peers)
    }

    /// Refuses changes of links that lead to other machines.
    pub(crate) fn are_here(&self, links: &[LinkId]) -> Result<(), DataplaneError> {
        let leads_away = |link: &&LinkId| {
            self.peers.as_ref().is_some_and(|control| control.links.contains_key(link))
        };
        match links.iter().find(leads_away) {
            Some(link) => Err(DataplaneError::Pinned { link: *link }),
            None => Ok(()),
        }
    }
}
