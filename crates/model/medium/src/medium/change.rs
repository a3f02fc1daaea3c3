//! Changes of a medium: properties, stations, movements, and radios that are switched.

use netloom_link::Frame;
use netloom_mobility::{Point, Trajectory};
use netloom_radio::RadioError;
use netloom_units::Time;

use super::{Medium, member};
use crate::StationId;
use crate::config::{MediumChange, MediumConfig, Movement, StationConfig};
use crate::counters::FrameLoss;
use crate::log::AirOccurrence;
use crate::mac::Timer;
use crate::rules::Rules;

impl<F: Frame> Medium<F> {
    /// Applies all parts of `change` at once. A reception in progress is judged by the rules in
    /// force when it ends.
    ///
    /// # Errors
    /// The channel cannot work with the new configuration. Nothing is changed in that case.
    pub fn change(&mut self, now: Time, change: &MediumChange) -> Result<(), RadioError> {
        self.run(now);
        self.look_around();
        let given = change.config.as_deref();
        let mut config = given.unwrap_or(&self.config).clone();
        change.medium.apply_to(&mut config);
        if !change.losses.is_empty() && !config.has_channel() {
            return Err(RadioError::NoChannel);
        }
        if config != self.config {
            self.configure(config)?;
        }
        for (from, to, loss) in &change.losses {
            self.field.set_loss(*from, *to, *loss);
            self.losses.insert((*from, *to), *loss);
        }
        self.outlet.note(self.now, || AirOccurrence::Changed(change.to_json().into()));
        for (id, station) in &change.stations {
            self.reconfigure(*id, station);
        }
        for (id, properties) in &change.properties {
            let Some(mut station) = self.station_config(*id).cloned() else { continue };
            properties.apply_to(&mut station);
            self.reconfigure(*id, &station);
        }
        if !change.stations.is_empty() {
            self.look_for_access_points();
        }
        if change.begins {
            self.begin();
        }
        for (id, movement) in &change.movements {
            self.redirect(*id, movement);
        }
        self.forget_hearers();
        self.look_around();
        Ok(())
    }

    /// Restarts the movements of all stations.
    fn begin(&mut self) {
        let (now, passed) = (self.now, self.now.since(Time::ZERO));
        for (id, station) in (0..).map(StationId).zip(&self.stations) {
            let Some(station) = station else { continue };
            if let Some(trajectory) = self.field.trajectory_mut(id) {
                *trajectory = station.moves.clone().delayed(passed);
                self.field.moved(now, id);
            }
        }
    }

    /// Replaces the configuration.
    pub(super) fn configure(&mut self, config: MediumConfig) -> Result<(), RadioError> {
        let mut field = self.setting.field(&config)?;
        for (id, station) in (0..).map(StationId).zip(&self.stations) {
            if let (Some(station), Some(moves)) = (station, self.field.remove(id)) {
                field.place(self.now, id, &station.config, moves);
            }
        }
        for ((from, to), loss) in &self.losses {
            field.set_loss(*from, *to, *loss);
        }
        self.field = field;
        self.timing = config.mac.timing(config.phy);
        self.shortest = config.mac.shortest(&self.timing);
        self.rules = Rules::new(&config);
        let before = std::mem::replace(&mut self.config, config);
        for number in 0..self.stations.len() {
            let id = StationId(number as u32);
            if let Some(station) = &self.stations[number] {
                let config = station.config.clone();
                self.refit(id, config, self.config.mac != before.mac);
            }
        }
        self.plan_beacons();
        Ok(())
    }

    /// Replaces the configuration of a station.
    pub(super) fn reconfigure(&mut self, id: StationId, config: &StationConfig) {
        let Some(station) = self.station(id) else { return };
        let (on, was_on) = (!config.off, !station.config.off);
        let has_other_mac = station.config.rate != config.rate || station.config.cw != config.cw;
        self.refit(id, config.clone(), has_other_mac);
        if on != was_on {
            self.switch(id, on);
        }
    }

    /// Fits a station to its configuration and the medium's. Replaces its MAC if `has_other_mac`.
    pub(super) fn refit(&mut self, id: StationId, config: StationConfig, has_other_mac: bool) {
        let Some(station) = &mut self.stations[id.index()] else { return };
        self.field.refit(id, &config);
        let queue = config.queue.as_ref().unwrap_or(&self.config.queue);
        station.desk.configure(self.now, queue, config.rate.unwrap_or(self.timing.highest()));
        station.config = config;
        if has_other_mac {
            self.restart(id);
        }
    }

    /// Replaces the MAC of a station. Its current transmission is cut off.
    fn restart(&mut self, id: StationId) {
        let was_on = self.station(id).is_some_and(|station| station.radio.is_on());
        self.silence(id);
        let (now, member) = (self.now, member(&self.stations, id));
        let Some(station) = &mut self.stations[id.index()] else { return };
        station.radio.switch(was_on);
        station.desk.leave_gone(now, id, &mut self.outlet);
        station.mac = self.config.mac.build(&self.timing, &station.config, member);
        self.call(id, |mac, io| mac.restart(io));
    }

    /// Makes a station follow another trajectory. Air logs do not record this.
    pub fn follow(&mut self, now: Time, id: StationId, moves: Trajectory) {
        self.run(now);
        if let Some(trajectory) = self.field.trajectory_mut(id) {
            *trajectory = moves;
            self.field.moved(self.now, id);
            self.forget_hearers();
        }
    }

    pub(super) fn redirect(&mut self, id: StationId, movement: &Movement) {
        let now = self.now;
        let point = |[x, y, z]: [f64; 3]| Point::new(x, y, z);
        if let Some(trajectory) = self.field.trajectory_mut(id) {
            match movement {
                Movement::Place(at) => trajectory.place(now, point(*at)),
                Movement::Go(to, speed) => trajectory.redirect(now, point(*to), *speed),
            }
            self.field.moved(now, id);
        }
    }

    /// Switches a radio on or off.
    pub(super) fn switch(&mut self, id: StationId, on: bool) {
        let Some(station) = self.stations.get_mut(id.index()).and_then(Option::as_mut) else {
            return;
        };
        station.config.off = !on;
        let is_member = station.membership.is_some();
        if on && is_member {
            self.begin_membership(id);
        } else if on {
            station.radio.switch(true);
            self.call(id, |mac, io| mac.restart(io));
        } else {
            self.silence(id);
            let now = self.now;
            if let Some(station) = &mut self.stations[id.index()] {
                station.desk.empty(now, id, FrameLoss::Down, &mut self.outlet);
            }
            if is_member {
                self.switch_off_member(id);
            }
        }
    }

    /// Cuts off a station's transmission and reception, and turns its radio off.
    pub(super) fn silence(&mut self, id: StationId) {
        (0..Timer::PLACES).for_each(|place| self.timers.clear(id.0 * Timer::PLACES + place));
        let Some(station) = &mut self.stations[id.index()] else { return };
        station.radio.switch(false);
        if let Some(slot) = station.sending.take() {
            self.cut(slot);
        }
    }
}
