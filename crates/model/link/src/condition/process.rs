//! The conditioners of a running pipe.

use netloom_units::Time;

use super::config::{Action, Condition, Conditioner};
use super::meter::Meter;
use crate::queue::Queued;
use crate::{Frame, FrameInfo, Header};

/// All conditioners of a pipe, with their meters.
#[derive(Debug)]
pub(crate) struct Conditioning {
    stages: Vec<Stage>,
}

#[derive(Debug)]
struct Stage {
    conditioner: Conditioner,
    meter: Option<Meter>,
}

impl Conditioning {
    /// Creates the conditioners of `condition`, with buckets that are full at `now`; `None` if it
    /// has no conditioners.
    pub fn new(condition: &Condition, now: Time) -> Option<Box<Self>> {
        let stage = |conditioner: &Conditioner| Stage {
            conditioner: *conditioner,
            meter: conditioner.meter.map(|meter| Meter::new(&meter, now)),
        };
        let stages: Vec<_> = condition.conditioners().iter().map(stage).collect();
        (!stages.is_empty()).then(|| Box::new(Self { stages }))
    }

    /// Applies the action of its conditioner to a frame that arrives at `now`. Returns `false` if
    /// the frame is dropped.
    pub fn admits<F: Frame>(&mut self, now: Time, waiting: &mut Queued<F>) -> bool {
        let Some(header) = waiting.frame.header() else { return true };
        let Some(stage) = self.stages.iter_mut().find(|stage| stage.has(&header)) else {
            return true;
        };
        match stage.action(now, &header, waiting.line_bytes) {
            Action::Pass => {}
            Action::Drop => return false,
            Action::Mark(dscp) if dscp.value() == header.dscp => {}
            Action::Mark(dscp) => waiting.frame.remark(dscp),
        }
        true
    }

    /// Whether all wire frames of a super-frame that arrives at `now` get the same colour.
    /// `line_bytes` returns the bytes that one of them takes on the line.
    pub fn is_alike(
        &self,
        now: Time,
        header: Option<Header>,
        info: &FrameInfo,
        line_bytes: impl Fn(&FrameInfo) -> u64,
    ) -> bool {
        let Some(header) = header else { return true };
        let stage = self.stages.iter().find(|stage| stage.has(&header));
        // This works on a copy of the meter, so it takes no tokens.
        let Some(mut meter) = stage.and_then(|stage| stage.meter) else { return true };
        let mut colours = info.each().map(|one| meter.colour(now, header.dscp, line_bytes(&one)));
        let first = colours.next();
        colours.all(|colour| Some(colour) == first)
    }
}

impl Stage {
    fn has(&self, header: &Header) -> bool {
        self.conditioner.matches.is_none_or(|matches| matches.matches(header))
    }

    fn action(&mut self, now: Time, header: &Header, line_bytes: u64) -> Action {
        match &mut self.meter {
            None => self.conditioner.green,
            Some(meter) => self.conditioner.action(meter.colour(now, header.dscp, line_bytes)),
        }
    }
}
