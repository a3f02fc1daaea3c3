//! Stations that communicate through access points: scans, outages, beacons. `association` decides
//! which access point a station chooses.

use netloom_link::Frame;
use netloom_units::{Duration, Time};

use super::Medium;
use crate::agenda::Due;
use crate::association::{AssociationChange, AssociationEvent, Choice, Membership};
use crate::counters::FrameLoss;
use crate::mac::phase::{self, rank};
use crate::{Receiver, StationId};

/// Delay from the arrival of a station until its first scan. Access points may be added at the same
/// time.
const FIRST_LOOK: Duration = Duration::from_nanos(1);

/// Kinds of events that are due at a station. A key in the agenda of comings is twice the number of
/// the station, plus one of these.
const SCAN: u32 = 0;
const BEACON: u32 = 1;

impl<F: Frame> Medium<F> {
    /// Returns whether stations communicate through access points.
    pub fn has_access_points(&self) -> bool {
        self.has_access_points
    }

    /// Returns whether a station is an access point.
    pub fn is_access_point(&self, id: StationId) -> bool {
        self.station(id).is_some_and(|station| station.config.access_point)
    }

    /// Returns the access point that a station belongs to. Returns `None` while the station hears
    /// no access point, or if there are none.
    pub fn access_point(&self, id: StationId) -> Option<StationId> {
        match self.station(id)?.membership? {
            Membership::Joined(point) => Some(point),
            Membership::Fresh | Membership::Alone | Membership::Joining { .. } => None,
        }
    }

    /// Turns the recording of association events for [`poll_association`](Self::poll_association)
    /// on or off (default: off).
    pub fn watch_associations(&mut self, wanted: bool) {
        match wanted {
            true => _ = self.associations.get_or_insert_default(),
            false => self.associations = None,
        }
    }

    /// Returns the next association event, in the order in which they happened.
    pub fn poll_association(&mut self) -> Option<AssociationEvent> {
        self.associations.as_mut()?.pop_front()
    }

    /// Returns the time at which the next scan, beacon or end of an outage is due.
    pub(super) fn next_coming(&self) -> Option<(Due, u32)> {
        self.comings.first()
    }

    /// Processes a due event of an infrastructure.
    pub(super) fn come(&mut self, key: u32) {
        let id = StationId(key / 2);
        self.comings.clear(key);
        if key % 2 == BEACON {
            self.beacon(id);
            return;
        }
        match self.station(id).and_then(|station| station.membership) {
            Some(Membership::Joining { point, from, since, until }) => {
                self.join(id, (point, from), since);
                self.plan_scan(id, until);
            }
            Some(_) => {
                self.scan(id);
            }
            None => {}
        }
    }

    /// Updates whether there is an access point, after the set of stations has changed. All other
    /// stations communicate through access points if there is one.
    pub(super) fn look_for_access_points(&mut self) {
        self.comings.grow(self.stations.len() * 2);
        let mut stations = self.stations.iter().flatten();
        self.has_access_points = stations.any(|station| station.config.access_point);
        for number in 0..self.stations.len() {
            let id = StationId(number as u32);
            let Some(station) = self.station(id) else {
                self.comings.clear(2 * id.0 + SCAN);
                self.comings.clear(2 * id.0 + BEACON);
                continue;
            };
            let is_member = self.has_access_points && !station.config.access_point;
            match (is_member, station.membership) {
                (true, None) => self.begin_membership(id),
                (false, Some(_)) => self.end_membership(id),
                (true, Some(_)) | (false, None) => {}
            }
        }
        self.plan_beacons();
    }

    /// Makes a station communicate through access points from now on.
    pub(super) fn begin_membership(&mut self, id: StationId) {
        self.silence(id);
        let now = self.now;
        let Some(station) = &mut self.stations[id.index()] else { return };
        station.membership = Some(Membership::Fresh);
        if station.config.off {
            return;
        }
        self.due(id, SCAN, now + FIRST_LOOK);
    }

    /// Makes a station communicate with all others directly from now on.
    fn end_membership(&mut self, id: StationId) {
        self.comings.clear(2 * id.0 + SCAN);
        let Some(station) = &mut self.stations[id.index()] else { return };
        station.membership = None;
        station.desk.route(None);
        if station.config.off || station.radio.is_on() {
            return;
        }
        station.radio.switch(true);
        self.call(id, |mac, io| mac.restart(io));
    }

    /// Ends the membership of a station whose radio goes off.
    pub(super) fn switch_off_member(&mut self, id: StationId) {
        self.comings.clear(2 * id.0 + SCAN);
        self.leave(id);
    }

    /// Returns the reason for which a station refuses a frame for `to`, if it does.
    pub(super) fn refusal(&self, id: StationId, to: Receiver) -> Option<FrameLoss> {
        let station = self.station(id).filter(|station| !station.config.off);
        let Some(station) = station else { return Some(FrameLoss::Down) };
        if !self.has_access_points {
            return None;
        }
        let reaches = match (station.membership, to) {
            (Some(membership), _) => membership != Membership::Alone,
            (None, Receiver::Station(to)) => self.access_point(to) == Some(id),
            (None, Receiver::All) => true,
            (None, Receiver::Nobody) => false,
        };
        (!reaches).then_some(FrameLoss::Unassociated)
    }

    /// Returns the receiver of a signal of `sender` for `to` from the view of `id`. Stations accept
    /// only signals of their access point, and access points accept none of each other.
    pub(super) fn taken_as(&self, id: StationId, sender: StationId, to: Receiver) -> Receiver {
        let is_foreign = self.has_access_points
            && self.is_access_point(sender)
            && self.access_point(id) != Some(sender);
        if is_foreign && to.includes(id) { Receiver::Nobody } else { to }
    }

    /// Makes a station compare access points.
    fn scan(&mut self, id: StationId) {
        let now = self.now;
        let Some(membership) = self.station(id).and_then(|station| station.membership) else {
            return;
        };
        let own = match membership {
            Membership::Joined(point) => Some(point),
            Membership::Fresh | Membership::Alone | Membership::Joining { .. } => None,
        };
        let powers = self.access_points_heard(id);
        let config = self.config.association;
        match config.choose(own, powers.into_iter()) {
            Choice::Join(point) => {
                let until = now + config.outage;
                self.silence(id);
                if let Some(station) = &mut self.stations[id.index()] {
                    station.desk.leave_gone(now, id, &mut self.outlet);
                    let joining = Membership::Joining { point, from: own, since: now, until };
                    station.membership = Some(joining);
                }
                self.due(id, SCAN, until);
            }
            Choice::Stay => self.plan_scan(id, now),
            Choice::Leave => {
                self.leave(id);
                if let Some(station) = &mut self.stations[id.index()] {
                    station.membership = Some(Membership::Alone);
                }
                self.plan_scan(id, now);
            }
        }
    }

    /// Returns the access points that reach a station, and the power of each in dBm.
    fn access_points_heard(&mut self, id: StationId) -> Vec<(StationId, f64)> {
        let is_open = |id: &StationId| {
            let station = self.station(*id);
            station.is_some_and(|station| station.config.access_point && !station.config.off)
        };
        let numbers = (0..self.stations.len() as u32).map(StationId);
        let points: Vec<StationId> = numbers.filter(is_open).collect();
        let mut heard = Vec::with_capacity(points.len());
        for point in points {
            let way = self.field.way(self.now, point, id);
            heard.extend(way.filter(|way| way.can_decode).map(|way| (point, way.power)));
        }
        heard
    }

    /// Ends the outage of a station that joins an access point.
    fn join(&mut self, id: StationId, (to, from): (StationId, Option<StationId>), since: Time) {
        let Some(station) = &mut self.stations[id.index()] else { return };
        station.membership = Some(Membership::Joined(to));
        station.desk.route(Some(to));
        station.radio.switch(true);
        self.record_change(
            id,
            match from {
                Some(from) => AssociationChange::HandedOver { from, to, since },
                None => AssociationChange::Associated { to, since },
            },
        );
        self.call(id, |mac, io| mac.restart(io));
    }

    /// Makes a station leave its access point, or give up the change to another one.
    fn leave(&mut self, id: StationId) {
        self.silence(id);
        let now = self.now;
        let Some(station) = &mut self.stations[id.index()] else { return };
        station.desk.empty(now, id, FrameLoss::Unassociated, &mut self.outlet);
        let left = match station.membership.replace(Membership::Fresh) {
            Some(Membership::Joined(from)) => Some(from),
            Some(Membership::Joining { from, .. }) => from,
            Some(Membership::Fresh | Membership::Alone) | None => None,
        };
        if let Some(from) = left {
            self.record_change(id, AssociationChange::Left { from });
        }
    }

    /// Plans the next scan after `now`. All stations scan at the same time, so that the driver of
    /// the medium is woken once for all.
    fn plan_scan(&mut self, id: StationId, now: Time) {
        let scan = self.config.association.scan.as_nanos();
        let scans = now.since(Time::ZERO).as_nanos() / scan + 1;
        self.due(id, SCAN, Time::ZERO + Duration::from_nanos(scans * scan));
    }

    /// Starts the beacons of access points that do not send any yet.
    pub(super) fn plan_beacons(&mut self) {
        let Some(every) = self.config.beacons else { return };
        for number in 0..self.stations.len() {
            let id = StationId(number as u32);
            if self.is_access_point(id) && !self.comings.has(2 * id.0 + BEACON) {
                self.due(id, BEACON, self.now + every);
            }
        }
    }

    /// Makes an access point send a beacon as soon as it may, unless the last one still waits.
    fn beacon(&mut self, id: StationId) {
        let (now, Some(every)) = (self.now, self.config.beacons) else { return };
        self.due(id, BEACON, now + every);
        let bytes = BEACON_BYTES + self.setting.name.len().min(NAME_BYTES) as u32;
        let Some(station) = self.stations[id.index()].as_mut().filter(|one| !one.config.off) else {
            return;
        };
        if station.desk.beacon(now, bytes) {
            self.call(id, |mac, io| mac.queued(io));
        }
    }

    fn due(&mut self, id: StationId, what: u32, at: Time) {
        self.comings.set(2 * id.0 + what, (at, rank(phase::TIMEOUT, u64::from(id.0))));
    }

    fn record_change(&mut self, station: StationId, what: AssociationChange) {
        if let Some(events) = &mut self.associations {
            events.push_back(AssociationEvent { at: self.now, station, what });
        }
    }
}

/// Size of the Ethernet frame that takes as long on the air as a beacon without its network's name
/// (IEEE 802.11-2007 §7.2.3.1): header 24, FCS 4; timestamp, interval and capabilities 12; the
/// heads of the name 2; eight rates 10; channel 3; traffic indication 6; less the 22 bytes by which
/// a data frame is longer on the air than on a wire.
const BEACON_BYTES: u32 = 24 + 4 + 12 + 2 + 10 + 3 + 6 - 22;

/// Length of the longest name of a network.
const NAME_BYTES: usize = 32;
