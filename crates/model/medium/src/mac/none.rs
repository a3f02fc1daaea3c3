//! No contention: each station has a line of its own, and all that it sends reaches all that hear
//! it (Maier 2011 §3.7.3.2; Zheng 2003 §4.3).

use netloom_link::Frame;
use netloom_units::Rate;

use super::{Carries, Io, Kind, MacState, Ppdu, Timer};
use crate::desk::End;

#[derive(Debug)]
pub(super) struct NoMac {
    rate: Rate,
}

impl NoMac {
    pub fn new(rate: Rate) -> Self {
        Self { rate }
    }
}

impl<F: Frame> MacState<F> for NoMac {
    fn queued(&mut self, io: &mut Io<'_, F>) {
        if !io.is_sending() {
            io.set(Timer::Access, io.now);
        }
    }

    fn sent(&mut self, io: &mut Io<'_, F>, _: Kind) {
        io.finish(End::Sent);
        if io.head().is_some() {
            io.set(Timer::Access, io.now);
        }
    }

    fn due(&mut self, io: &mut Io<'_, F>, _: Timer) {
        let Some(head) = io.head().copied() else { return };
        io.desk.attempt();
        let bytes = head.info.largest();
        io.send(Ppdu {
            kind: Kind::Data,
            to: head.to,
            rate: self.rate,
            airtime: self.rate.time_for(netloom_units::Size::from_bytes(bytes.into())),
            nav: netloom_units::Duration::ZERO,
            bytes,
            attempt: 1,
            window: 0,
            slots: 0,
            carries: Carries::Leaves,
        });
    }

    fn restart(&mut self, io: &mut Io<'_, F>) {
        if io.head().is_some() {
            io.set(Timer::Access, io.now);
        }
    }
}
