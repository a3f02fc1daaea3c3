//! Association of stations with access points. This module does not relay frames through access
//! points: the caller, which knows the addresses, does that.

use netloom_units::{Duration, Loss, Power, Time};
use serde::{Deserialize, Serialize};

use crate::StationId;

/// When stations join access points, and leave them.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default, deny_unknown_fields)]
pub struct AssociationConfig {
    /// How often stations compare access points, all at one time (default `100ms`).
    pub scan: Duration,
    /// Least power that arrives from an access point that is joined (default `-85dBm`).
    pub join: Power,
    /// By how much another access point has to be stronger than a station's own (default `6dB`).
    pub hysteresis: Loss,
    /// A station leaves its access point if less power arrives from it (default `-90dBm`).
    pub leave: Power,
    /// For how long a station that joins or changes hears and sends nothing (default `50ms`).
    pub outage: Duration,
}

impl Default for AssociationConfig {
    fn default() -> Self {
        Self {
            scan: Duration::from_millis(100),
            join: Power::from_millionths(-85_000_000),
            hysteresis: Loss::from_millionths(6_000_000),
            leave: Power::from_millionths(-90_000_000),
            outage: Duration::from_millis(50),
        }
    }
}

impl AssociationConfig {
    /// Refuses values that make no sense together.
    ///
    /// # Errors
    /// The key, what is wrong with it, and what to do.
    pub(crate) fn check(&self) -> Result<(), String> {
        if self.scan == Duration::ZERO {
            return Err("`association.scan` must be above 0s: stations scan again and again".into());
        }
        if self.leave > self.join {
            return Err(format!(
                "`association.leave` ({}) is above `join` ({}), so that a station would leave what \
                 it has just joined; make it the same or less",
                self.leave, self.join
            ));
        }
        Ok(())
    }

    /// Decides what a station does that hears the access points `points` (power in dBm) and belongs
    /// to `own`, if to any.
    pub(crate) fn choose(
        &self,
        own: Option<StationId>,
        points: impl Iterator<Item = (StationId, f64)>,
    ) -> Choice {
        let mut own_power = f64::NEG_INFINITY;
        let mut best: Option<(StationId, f64)> = None;
        for (point, power) in points {
            if Some(point) == own {
                own_power = power;
            } else if power >= self.join.dbm() && best.is_none_or(|(_, most)| power > most) {
                best = Some((point, power));
            }
        }
        let is_lost = own_power < self.leave.dbm();
        match best {
            Some((point, power)) if is_lost || power >= own_power + self.hysteresis.decibels() => {
                Choice::Join(point)
            }
            _ if is_lost => Choice::Leave,
            _ => Choice::Stay,
        }
    }
}

/// The decision of a station after a scan.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Choice {
    /// It goes to another access point.
    Join(StationId),
    /// It stays with its own.
    Stay,
    /// No access point is near enough.
    Leave,
}

/// Membership of a station at an access point.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Membership {
    /// It has not scanned yet. Its frames wait.
    Fresh,
    /// It found no access point. It accepts no frames.
    Alone,
    /// It hears and sends nothing until it belongs to `point`. Its frames wait.
    Joining { point: StationId, from: Option<StationId>, since: Time, until: Time },
    /// It belongs to an access point.
    Joined(StationId),
}

/// A station came to an access point, or left one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct AssociationEvent {
    /// Time of the change.
    pub at: Time,
    /// The station.
    pub station: StationId,
    /// The change.
    pub what: AssociationChange,
}

/// A change of the association of a station.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AssociationChange {
    /// It had no access point and has one now.
    Associated {
        /// The access point.
        to: StationId,
        /// Time of its decision. Between then and now it heard and sent nothing.
        since: Time,
    },
    /// It has another access point now.
    HandedOver {
        /// The access point that it left.
        from: StationId,
        /// The access point that it joined.
        to: StationId,
        /// Time of its decision. Between then and now it heard and sent nothing.
        since: Time,
    },
    /// It has no access point any more.
    Left {
        /// The access point that it left.
        from: StationId,
    },
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_station_changes_for_a_much_stronger_one_or_when_its_own_is_too_weak() {
        let config = AssociationConfig::default();
        let [a, b] = [StationId(0), StationId(1)];
        let choose = |own, powers: &[(StationId, f64)]| config.choose(own, powers.iter().copied());
        assert_eq!(choose(None, &[(a, -85.0), (b, -84.9)]), Choice::Join(b));
        assert_eq!(choose(None, &[(a, -85.1)]), Choice::Leave);
        assert_eq!(choose(None, &[]), Choice::Leave);
        assert_eq!(choose(Some(a), &[(a, -60.0), (b, -54.1)]), Choice::Stay);
        assert_eq!(choose(Some(a), &[(a, -60.0), (b, -54.0)]), Choice::Join(b));
        assert_eq!(choose(Some(a), &[(a, -89.9), (b, -85.1)]), Choice::Stay);
        assert_eq!(choose(Some(a), &[(a, -90.1), (b, -85.0)]), Choice::Join(b));
        assert_eq!(choose(Some(a), &[(a, -90.1), (b, -85.1)]), Choice::Leave);
        assert_eq!(choose(Some(a), &[(b, -70.0)]), Choice::Join(b));
        // The first of two equal access points wins.
        assert_eq!(choose(None, &[(a, -50.0), (b, -50.0)]), Choice::Join(a));
    }

    #[test]
    fn values_that_would_never_come_to_rest_are_refused() {
        let leave = Power::from_millionths(-80_000_000);
        let config = AssociationConfig { leave, ..AssociationConfig::default() };
        assert!(config.check().unwrap_err().contains("is above `join`"));
        let config = AssociationConfig { scan: Duration::ZERO, ..AssociationConfig::default() };
        assert!(config.check().unwrap_err().contains("above 0s"));
    }
}
